"""``scorio gate``: may the new model replace the baseline?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ..._choices import DECIDED_BY
from ..._display.table import plain
from ..._display.words import pluralize, shorten
from ...errors import ParameterError
from .._gate_options import MaxDrop, gate_options
from .._options import confidence_of, prior_option, questions_option, target_option, weights_option
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import check_renamed, gathered, reading_options
from .._task_metrics import MetricChoice, task_metrics_option
from .._writing import Writable, replacing

_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file to which a step of GitHub Actions appends its summary


@click.command(
    "gate",
    epilog="Example: scorio gate new.json --baseline old.json --max-drop 0.1 --mode significant --junit gate.xml",
)
@reading_options
@gate_options("among the logs", "0.02")
@task_metrics_option
@click.option(
    "--decided-by",
    type=click.Choice(DECIDED_BY),
    default="all",
    show_default=True,
    help="Checks that decide, where there are several tasks.",
)
@weights_option
@confidence_of("One minus the error rate of the gate.")
@target_option
@questions_option
@prior_option
@click.option("--junit", type=Writable(), show_default="none", help="File for JUnit XML.")
@output_options
def command(
    logs: tuple[str, ...],
    old: tuple[str, ...],
    between: tuple[str, str] | None,
    metrics: MetricChoice,
    max_drop: MaxDrop,
    junit: Path | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Say whether a new model may replace a baseline: per task and overall.

    Exit codes: 0 if the gate is passed, 1 if it is failed, 3 if it cannot be told yet. Where GITHUB_STEP_SUMMARY is
    set, a summary is appended to that file.
    """
    from ...comparison import gate
    from .._tasks import load_tasks, on_one_footing

    how = gathered(options)
    new = load_tasks(logs, how)
    baseline = load_tasks(old, how) if old else new
    check_renamed(how, [*new.parts, *(baseline.parts if old else ())])
    names = between or (None if old else _both(new.outcomes))
    with working("comparing"):
        first, second = on_one_footing(new, baseline, by_task=bool(max_drop.by_task or metrics.by_task))
        drops = max_drop.of_tasks(second)
        result = gate(first, second, metrics.of(second) or None, max_drop=drops, model=names, **options)
    settings = {key: value for key, value in result.to_dict().items() if key != "checks"}
    deliver(Answer([result._display_table()], result._records(), settings), form, output)
    if junit is not None:
        with replacing(junit) as unfinished:
            unfinished.write_text(result.junit() + "\n", encoding="utf-8")
    if summary := os.environ.get(_SUMMARY):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(result.markdown() + "\n\n")
    if not result.passed:
        click.echo(f"scorio: {plain(str(result))}", err=True)
    click.get_current_context().exit(result.exit_code)


def _both(outcomes: Any) -> tuple[str, str]:
    """Return the only two models of logs that hold both, the new one first."""
    models = outcomes.models if hasattr(outcomes, "models") else outcomes.names
    if len(models) != 2:
        problem = f"the logs hold {pluralize(len(models), 'model')}, {shorten(models)}"
        raise ParameterError(f"{problem}: name the baseline's logs with --baseline, or both models with --between")
    return models[0], models[1]
