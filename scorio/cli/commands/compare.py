"""``scorio compare``: two models."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ...compare import Comparison, compare
from ...errors import ParameterError
from ...labels import listed
from ...metrics import Metric
from ...outcomes import OutcomeMatrix
from ...rank.rendering import chance
from ...sheet import Column, Sheet
from ..conditions import Condition, demand, fail_under
from ..options import confidence_option, default_metrics, metrics_option, prior_option
from ..output import Answer, Record, deliver, output_options
from ..progress import tracked
from ..reading import Reading, demand_used, gathered, load, load_part, reading_options


@click.command("compare")
@reading_options
@click.option("--between", nargs=2, metavar="MODEL MODEL", help="Which two, where the logs have more.")
@metrics_option
@click.option("--paired/--unpaired", default=None, help="By question, or each on its own; paired if they can be.")
@confidence_option
@prior_option
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    between: tuple[str, str] | None,
    metrics: tuple[Metric, ...],
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Say which of two models is better, and how sure that is.

    The logs hold two models, or --between names two of theirs; two logs of one and the same model are told apart by
    their paths.

    scorio compare old.eval new.eval -m pass@1 -m pass@8
    """
    pair = contenders(logs, gathered(options), between)
    (first, A), (second, B) = pair.items()
    asked = metrics or default_metrics(A.is_right_or_wrong and B.is_right_or_wrong)
    found = [compare(metric, A, B, names=(first, second), **options) for metric in tracked("comparing", asked)]
    records = [_record(each) for each in found]
    deliver(Answer([_sheet(found)], records, options), form, output)
    demand(conditions, records)


def contenders(logs: Sequence[str], how: Reading, between: tuple[str, str] | None) -> dict[str, OutcomeMatrix]:
    """The two models that are meant: those named, or the only two there are."""
    if len(logs) == 2 and between is None:
        one, other = (load_part([log], how) for log in logs)
        if len(one) == len(other) == 1:
            demand_used(how, one.names + other.names)
            names = one.names + other.names if one.names != other.names else tuple(logs)
            return dict(zip(names, (one[one.names[0]], other[other.names[0]]), strict=True))
    models = load(logs, how)
    names = between or models.names
    if len(models) == 1:
        raise ParameterError(f"a comparison needs two models; the logs hold {listed(models)} alone")
    lost = [name for name in names if name not in models]
    if lost or len(set(names)) != 2:
        raise ParameterError(f"two models are compared: choose with --between out of {listed(models)}")
    return {name: models[name] for name in names}


def _record(found: Comparison) -> Record:
    """All that the comparison says, flat."""
    told = dataclasses.asdict(found) | {"metric": str(found.metric), "winner": found.winner}
    first, second = told.pop("names")
    return {"metric": told.pop("metric"), "first": first, "second": second, **told}


def _sheet(found: Sequence[Comparison]) -> Sheet:
    first, second = found[0].names
    numbers = ("difference", "sigma", "interval", "P(first better)")
    columns = [Column("metric"), *(Column(head, right=True) for head in numbers), Column("better")]
    how = "question by question" if found[0].paired else "each on its own"
    return Sheet(
        f"{first} against {second}",
        columns,
        [_cells(each) for each in found],
        [f"{100 * found[0].confidence:.6g}% intervals of the difference, {how}; better: called at that confidence"],
    )


def _cells(found: Comparison) -> list[str]:
    interval = f"[{found.lo:+.3f}, {found.hi:+.3f}]"
    better = found.winner or "cannot be told"
    return [
        str(found.metric),
        f"{found.difference:+.3f}",
        f"{found.sigma:.3f}",
        interval,
        chance(found.p_better),
        better,
    ]
