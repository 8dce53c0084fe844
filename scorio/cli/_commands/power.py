"""``scorio power``: what a comparison can show, before any trial was run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import PROFILES, TARGETS
from ..._display.numbers import number, percent
from ..._display.table import Column, Table
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._metric import default_metrics
from .._options import (
    FiniteRange,
    confidence_option,
    count_option,
    metrics_option,
    number_option,
    paired_option,
    picture_option,
    power_option,
    trials_option,
)
from .._output import Answer, Output
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...planning import Design

_SUBJECT = {"questions": "these questions", "population": "population"}


@declared(
    "power",
    "--questions 200 --trials 4 --difference 0.03",
    count_option("--questions", text="Number of questions.", least=2, required=True),
    trials_option("--trials", required=True, detail="Each of the two models has this number."),
    metrics_option,
    click.option(
        "--profile",
        default="typical",
        show_default=True,
        metavar="NAME",
        help=f"Difficulties of the questions: {', '.join(PROFILES)}, or the path of logs or saved counts of one model.",
    ),
    number_option("--difference", None, "True difference to give the power for.", "none"),
    power_option,
    confidence_option,
    click.option(
        "--target",
        type=click.Choice(TARGETS),
        multiple=True,
        show_default="both",
        help="Subject of the answer: these questions, or the population that they are a sample of. Repeatable.",
    ),
    paired_option(True),
    click.option(
        "--correlation",
        type=FiniteRange(-1.0, 1.0),
        metavar="NUMBER",
        default=0.7,
        show_default=True,
        help="Correlation of the two models' true values over questions, for --target population.",
    ),
    picture_option,
    reads=False,
)
def command(
    questions: int,
    trials: int,
    metrics: tuple[Metric, ...],
    profile: str,
    difference: float | None,
    power: float,
    target: tuple[str, ...],
    picture: Path | None,
    out: Output,
    **options: Any,
) -> None:
    """Say what a comparison of two models can show, before any trial is run; after some trials, use plan.

    For a number of questions and trials: the difference that is detected, and for a difference the power and the
    questions that are needed.
    """
    from ...planning import Design

    shape = _profile(profile)
    designs = [
        Design(questions, trials, metric, shape, target=each, **options)
        for metric in metrics or default_metrics(is_pass_fail=True)
        for each in target or TARGETS
    ]
    records = [_record(each, difference, power, profile) for each in designs]
    if picture is not None:
        from ... import plot

        write_picture(plot.power(designs[0], goal=power), picture, dpi=150)
    table = _table(records, designs[0], profile, power)
    out.deliver(Answer([table], records, {"difference": difference, **options}))


def _profile(text: str) -> Any:
    """Return the name of a profile, or the outcomes of the only model of a file or folder."""
    if text in PROFILES:
        return text
    if not Path(text).exists():
        raise ParameterError(f"is {text!r}: neither {', '.join(PROFILES)} nor a path", argument="profile")
    from ...io import one_task, read

    models = one_task(read(text))
    if len(models) > 1:
        raise OutcomeError(f"{text} holds {len(models)} models", hint="give the log of one of them")
    return next(iter(models.values()))


def _record(design: Design, difference: float | None, goal: float, profile: str) -> dict[str, Any]:
    found: dict[str, Any] = design.to_dict() | {"profile": profile, "detectable": design.detectable(goal)}
    if difference is not None:
        found |= {"difference": difference, "power": design.power(difference)}
        found["questions_needed"] = design.questions_for(difference, goal)
    return found


def _table(records: Sequence[dict[str, Any]], design: Design, profile: str, goal: float) -> Table:
    columns = [Column("metric"), Column("about"), Column("detectable difference", right=True)]
    has_difference = "power" in records[0]
    if has_difference:
        columns += [
            Column(f"power at {records[0]['difference']:g}", right=True),
            Column("questions needed", right=True),
        ]
    cells = []
    for each in records:
        gap = each["detectable"]
        row = [str(each["metric"]), _SUBJECT[each["target"]], "-" if math.isnan(gap) else number(gap)]
        cells.append(row + ([number(each["power"]), f"{each['questions_needed']:,}"] if has_difference else []))
    title = f"two models on {design.n_questions:,} questions, {design.n_trials} trials each, {profile} difficulties"
    note = f"detected with power {goal:g} at {percent(design.confidence)} confidence; for the population, "
    note += f"{'paired with correlation ' + format(design.correlation, 'g') if design.paired else 'unpaired'}"
    return Table(title, columns, cells, [note])
