"""``scorio questions``: every question of a benchmark, or those that changed since a baseline."""

from typing import Any

import click

from ..._choices import FLAGS, SORT_KEYS
from ...errors import ParameterError
from .._command import declared
from .._context import check_not_typed, is_typed, working
from .._options import (
    baseline_option,
    between_option,
    choice_option,
    confidence_option,
    count_option,
    number_option,
    runs_option,
)
from .._output import Answer, Output
from .._question_changes import changed_questions
from .._reading import Reading, load

_FLAGGED_FDR, _CHANGED_FDR = 0.05, 0.1


@declared(
    "questions",
    "logs/ --sort discrimination --ascending --top 10",
    choice_option("--sort", SORT_KEYS, "difficulty", "Column to sort by, with the largest values first."),
    click.option("--ascending", is_flag=True, help="Sort with the smallest values first."),
    click.option(
        "--flag",
        type=click.Choice(("any", *FLAGS)),
        show_default="all questions",
        help="Show only questions with this flag.",
    ),
    count_option(
        "--top",
        text="Number of questions to show; with a baseline, of flaky ones.",
        show_default="all, or 20 flaky ones",
    ),
    click.option("--by-model", is_flag=True, help="Write one row per question and model, in JSON and CSV."),
    confidence_option,
    number_option(
        "--fdr",
        None,
        "Expected share of false findings among the questions that are flagged or said to have changed.",
        "0.05, or 0.1 with a baseline",
    ),
    baseline_option("none"),
    between_option("none"),
    runs_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    sort: str,
    ascending: bool,
    flag: str | None,
    by_model: bool,
    top: int | None,
    fdr: float | None,
    baseline: tuple[str, ...],
    between: tuple[str, str] | None,
    runs: str,
    out: Output,
    **options: Any,
) -> None:
    """List the questions and what is odd about them, or those that changed since a baseline.

    The table has the rates, the difficulty, the discrimination and the flags of each question. With --baseline or
    --between, it has the questions that improved or got worse, and JSON and CSV have every question, with the logs that
    hold its trials.
    """
    from ...comparison import describe_questions

    if baseline or between is not None:
        check_not_typed("baseline" if baseline else "between", "baseline", "between", "runs", "fdr", "top")
        about: dict[str, Any] = {"fdr": _CHANGED_FDR if fdr is None else fdr, "runs": runs}
        out.deliver(changed_questions(logs, baseline, how, between, top, **about))
        return
    if is_typed("runs"):
        raise ParameterError("is for questions that changed: name a --baseline, or two models", argument="runs")
    options["fdr"] = _FLAGGED_FDR if fdr is None else fdr

    models = load(logs, how)
    with working("questions"):
        table = describe_questions(models, **options).sorted(sort, descending=not ascending)
    if flag is not None:
        table = table.flagged(None if flag == "any" else flag)
    title = str(table)
    shown = table.first(top) if top else table
    records = shown._records("model" if by_model else "question")
    out.deliver(Answer([shown._display_table()._replace(title=title)], records, dict(options)))
