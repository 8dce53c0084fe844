"""``scorio gate``: may the new model replace the baseline?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..._choices import DECIDED_BY
from ..._display.table import plain
from .._claims_file import checked_claims
from .._command import declared
from .._context import check_not_typed, note_inputs, working
from .._metric import MetricChoice
from .._options import (
    MaxDrop,
    allow_missing_option,
    choice_option,
    confidence_option,
    cost_option,
    each_as,
    gate_options,
    number_or_percent,
    prior_option,
    runs_option,
    shared_only_option,
    target_option,
    task_metrics_option,
    task_weight_option,
)
from .._output import Answer, Output
from .._question_limits import QuestionLimit, per_question_option
from .._reading import Reading, load_pair, new_and_baseline, on_one_footing
from .._verdict_files import ANNOTATIONS, JUNIT, check_summary, publish

if TYPE_CHECKING:
    from ...comparison import Claims, GateResult


@declared(
    "gate",
    "new.json --baseline old.json --max-drop 0.1 --junit gate.xml",
    *gate_options("among the logs", "0.02"),
    task_metrics_option,
    choice_option(
        "--decided-by",
        DECIDED_BY,
        "all",
        "Checks that decide where there are several tasks: all, those of the tasks, or the overall one.",
    ),
    task_weight_option,
    shared_only_option,
    allow_missing_option,
    confidence_option,
    target_option,
    runs_option,
    prior_option,
    per_question_option,
    click.option(
        "--no-new-failures", is_flag=True, help="Fail if any question got worse since the baseline; see --allow."
    ),
    click.option(
        "--allow",
        multiple=True,
        metavar="N|QUESTION",
        show_default="0",
        help="Number of questions that may get worse with --no-new-failures; or a question that may, repeatable.",
    ),
    click.option(
        "--max-cost-rise",
        metavar="NUMBER|PERCENT",
        callback=each_as(number_or_percent),
        show_default="none",
        help="Largest rise of the cost per success that a gate accepts: an amount, or a share of the baseline's cost.",
    ),
    cost_option("the only one, or dollars"),
    click.option(
        "--file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        show_default="none",
        help="File of claims, TOML or JSON by its ending. Say which of them the logs support, contradict or leave "
        "open, at one error rate over all.",
    ),
    JUNIT,
    ANNOTATIONS,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    baseline: tuple[str, ...],
    between: tuple[str, str] | None,
    metrics: MetricChoice,
    max_drop: MaxDrop,
    per_question: QuestionLimit | None,
    allow: tuple[str, ...],
    file: Path | None,
    junit: Path | None,
    annotations: Path | None,
    out: Output,
    **options: Any,
) -> None:
    """Say whether a new model may replace a baseline: per task and overall.

    Exit codes: 0 if the gate is passed, 1 if it is failed, 3 if it cannot be told yet, as in --mode noninferior, and
    where questions are missing or a run ended early. With --file, 0 if all claims are supported, 1 if any is
    contradicted, else 3. Where GITHUB_STEP_SUMMARY is set, a summary is appended to that file.
    """
    from ...comparison import gate

    check_summary([*logs, *baseline, *([str(file)] if file else [])])
    if file is not None:
        check_not_typed("file", "metrics", "target", "junit", "annotations")
        claims = checked_claims(file, logs, how, metrics, options["target"])
        answer = Answer([claims._display_table()], claims._records(), _about(claims, "rows"), kind="file")
        _finish(claims, answer, out, junit, annotations)
    asked: dict[str, Any] = {"allow": int(allow[0]) if len(allow) == 1 and allow[0].isdigit() else list(allow) or 0}
    note_inputs([per_question.path] if per_question and per_question.path else [])
    asked["per_question"] = per_question.limits() if per_question else None
    new, old = load_pair(logs, baseline, how, between)
    is_alone = per_question is not None and not baseline and between is None and len(new.outcomes.models) == 1
    names = between or (None if baseline or is_alone else new_and_baseline(new))
    with working("comparing"):
        first, second = on_one_footing(new, old, by_task=bool(max_drop.by_task or metrics.by_task))
        drops = max_drop.of_tasks(second)
        compared = None if is_alone else second
        result = gate(metrics.of(second) or None, first, compared, max_drop=drops, model=names, **asked, **options)
    answer = Answer(result.tables(), result._records(), _about(result, "checks"))
    _finish(result, answer, out, junit, annotations)


def _about(result: GateResult | Claims, rows: str) -> dict[str, Any]:
    """Return what is said of a result as a whole, which is all but its rows."""
    return {name: value for name, value in result.to_dict().items() if name != rows}


def _finish(
    result: GateResult | Claims, answer: Answer, out: Output, junit: Path | None, annotations: Path | None
) -> NoReturn:
    """Write the files that were asked for and the answer, and exit with the code of the verdict."""
    publish(result, junit, annotations)
    out.deliver(answer)  # last: other files can fail to be written
    is_shown = out.path is None and out.form in (None, "table")  # the verdict is the title of the table
    if result.exit_code and not is_shown:
        click.echo(f"scorio: {plain(str(result))}", err=True)
    click.get_current_context().exit(result.exit_code)
