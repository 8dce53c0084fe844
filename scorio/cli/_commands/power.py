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
from .._options import confidence_option, default_metrics, metrics_option
from .._output import Answer, deliver, output_options
from .._writing import Writable, replacing

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...planning import Design

_SUBJECT = {"questions": "these questions", "population": "population"}


@click.command("power", epilog="Example: scorio power --questions 200 --trials 4 --difference 0.03")
@click.option("--questions", type=click.IntRange(min=2), required=True, help="Number of questions.")
@click.option("--trials", type=click.IntRange(min=1), required=True, help="Trials per question, for each model.")
@metrics_option
@click.option(
    "--profile",
    default="typical",
    show_default=True,
    metavar="NAME",
    help=f"Difficulties of the questions: {', '.join(PROFILES)}, or the path of logs or saved counts of one model.",
)
@click.option(
    "--correlation",
    type=click.FloatRange(-1.0, 1.0),
    default=0.7,
    show_default=True,
    help="Correlation of the two models' true values over questions, for the population.",
)
@click.option("--difference", type=float, show_default="none", help="True difference to give the power for.")
@click.option("--power", "goal", type=float, default=0.8, show_default=True, help="Power to plan for.")
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    multiple=True,
    show_default="both",
    help="Subject of the comparison; repeatable.",
)
@click.option(
    "--paired/--unpaired", default=True, show_default=True, help="The same questions for both models, or others."
)
@confidence_option
@click.option("--picture", type=Writable(), show_default="none", help="File for a picture: .svg, .pdf or .png.")
@output_options
def command(
    questions: int,
    trials: int,
    metrics: tuple[Metric, ...],
    profile: str,
    difference: float | None,
    goal: float,
    target: tuple[str, ...],
    picture: Path | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Say what a comparison of two models can show, before any trial was run.

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
    records = [_record(each, difference, goal, profile) for each in designs]
    if picture is not None:
        _draw(designs[0], goal, picture)
    deliver(
        Answer([_table(records, designs[0], profile, goal)], records, {"difference": difference, **options}),
        form,
        output,
    )


def _profile(text: str) -> Any:
    """Return the name of a profile, or the outcomes of the only model of a file or folder."""
    if text in PROFILES:
        return text
    if not Path(text).exists():
        raise ParameterError(f"is {text!r}: neither {', '.join(PROFILES)} nor a path", argument="profile")
    from ...io import read
    from ...io._tasks import one_task

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
    title = f"two models on {design.questions:,} questions, {design.trials} trials each, {profile} difficulties"
    note = f"detected with power {goal:g} at {percent(design.confidence)} confidence; for the population, "
    note += f"{'paired with correlation ' + format(design.correlation, 'g') if design.paired else 'unpaired'}"
    return Table(title, columns, cells, [note])


def _draw(design: Design, goal: float, path: Path) -> None:
    from ...plot import power

    figure: Any = power(design, goal=goal).figure
    if path.suffix.lower().lstrip(".") not in figure.canvas.get_supported_filetypes():
        raise ParameterError(f"{path}: the ending must be that of a picture: .svg, .pdf or .png")
    with replacing(path) as unfinished:
        figure.savefig(unfinished, dpi=150)
