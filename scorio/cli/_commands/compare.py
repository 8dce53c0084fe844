"""``scorio compare``: two models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import OVERALL, RULES
from ..._display.numbers import chance, number, percent, signed
from ..._display.table import Column, Table
from ..._display.words import shorten
from ...errors import ParameterError
from .._conditions import Condition, check_conditions, fail_under
from .._options import (
    default_metrics,
    interval_options,
    is_pass_fail,
    metrics_option,
    questions_option,
    weights_option,
)
from .._output import Answer, deliver, output_options
from .._progress import tracked
from .._reading import Reading, check_renamed, gathered, load, load_part, reading_options

if TYPE_CHECKING:
    from ...comparison import Comparison
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, Suite

_CALLED = {
    "interval": "better: the interval excludes 0",
    "published": "better: by the published one-sided rule",
}


@click.command("compare", epilog="Example: scorio compare old.json new.json -m pass@1 -m pass@4")
@reading_options
@click.option("--between", nargs=2, metavar="MODEL MODEL", show_default="the only two", help="Models to compare.")
@metrics_option
@click.option(
    "--paired/--unpaired",
    default=None,
    show_default="paired if the questions are the same",
    help="Pairing of the models by question, for --target population.",
)
@questions_option
@click.option(
    "--rule",
    type=click.Choice(RULES),
    default="interval",
    show_default=True,
    help="Rule by which a model is called better.",
)
@weights_option
@interval_options
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
    """Compare two models: the difference, its interval, and the probability that one is better.

    The logs hold two models, or --between names two of them. Two logs of the same model are named by their paths.
    """
    from ...comparison import compare

    pair = contenders(logs, gathered(options), between)
    (first, A), (second, B) = pair.items()
    metrics = metrics or default_metrics(is_pass_fail(A) and is_pass_fail(B))
    comparisons = [compare(metric, A, B, names=(first, second), **options) for metric in tracked("comparing", metrics)]
    records = [record for each in comparisons for record in each._records()]
    deliver(Answer([_table(comparisons)], records, options), form, output)
    check_conditions(conditions, records)


def contenders(logs: Sequence[str], how: Reading, between: tuple[str, str] | None) -> dict[str, OutcomeMatrix | Suite]:
    """Return the two models to compare: those of ``--between``, or the only two."""
    from .._tasks import model_names, of_model

    if len(logs) == 2 and between is None:
        parts = [load_part([log], how) for log in logs]
        one, other = (part.outcomes for part in parts)
        first, second = model_names(one), model_names(other)
        if len(first) == len(second) == 1:
            check_renamed(how, parts)
            names = first + second if first != second else tuple(logs)
            return dict(zip(names, (of_model(one, first[0]), of_model(other, second[0])), strict=True))
    outcomes = load(logs, how)
    models = model_names(outcomes)
    names = between or models
    if len(models) == 1:
        raise ParameterError(f"a comparison needs two models; the logs hold only {shorten(models)}")
    if len(set(names)) != 2 or not set(names) <= set(models):
        raise ParameterError(f"choose two different models with --between out of {shorten(models)}")
    return {name: of_model(outcomes, name) for name in names}


def _table(comparisons: Sequence[Comparison]) -> Table:
    example = comparisons[0]
    first, second = example.names
    numbers = (first, second, "difference", "sigma", "interval", f"P({first} better)")
    columns = [Column("metric"), *(Column(head, right=True) for head in numbers), Column("better")]
    scores = f"{first}, {second}: scores; {percent(example.confidence)} intervals of the difference {example.about}"
    title = f"{first} against {second} on {example.extent}"
    cells = [_cells(each) for each in comparisons]
    if example.tasks is not None:
        columns.insert(0, Column("task"))
        parts = [
            (task, each) for whole in comparisons for task, each in {OVERALL: whole, **(whole.tasks or {})}.items()
        ]
        cells = [[task, *_cells(each)] for task, each in parts]
    return Table(title, columns, cells, [f"{scores}; {_CALLED[example.rule]}"])


def _cells(comparison: Comparison) -> list[str]:
    return [
        str(comparison.metric),
        *("-" if score is None else number(score) for score in comparison.scores),
        signed(comparison.difference),
        number(comparison.sigma),
        f"[{signed(comparison.lo)}, {signed(comparison.hi)}]",
        chance(comparison.p_better),
        comparison.winner or "not significant",
    ]
