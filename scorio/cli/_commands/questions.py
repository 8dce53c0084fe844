"""``scorio questions``: every question of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..._choices import FLAGS, SORT_KEYS
from .._options import confidence_option
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import check_renamed, gathered, reading_options


@click.command("questions", epilog="Example: scorio questions logs/ --sort discrimination --ascending --limit 10")
@reading_options
@click.option(
    "--sort", type=click.Choice(SORT_KEYS), default="difficulty", show_default=True, help="Column to sort by."
)
@click.option("--ascending", is_flag=True, help="Smallest values first.")
@click.option(
    "--flag", type=click.Choice(("any", *FLAGS)), show_default="all questions", help="Questions with this flag only."
)
@click.option(
    "--by",
    type=click.Choice(("question", "model")),
    default="question",
    show_default=True,
    help="Rows of JSON and CSV: one per question, or one per question and model.",
)
@click.option("--limit", type=click.IntRange(min=1), show_default="all", help="Number of questions to show.")
@click.option(
    "--fdr", type=float, default=0.05, show_default=True, help="Expected share of false flags among those of one kind."
)
@confidence_option
@output_options
def command(
    logs: tuple[str, ...],
    sort: str,
    ascending: bool,
    flag: str | None,
    by: str,
    limit: int | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """List the questions: rates, difficulty, discrimination, and what is odd about them."""
    from ...comparison import question_table
    from .._tasks import load_tasks

    how = gathered(options)
    loaded = load_tasks(logs, how)
    check_renamed(how, loaded.parts)
    with working("questions"):
        table = question_table(loaded.outcomes, **options).sorted(sort, descending=not ascending)
    if flag is not None:
        table = table.flagged(None if flag == "any" else flag)
    title = str(table)
    shown = table.first(limit) if limit else table
    deliver(Answer([shown._display_table()._replace(title=title)], shown._records(by), options), form, output)
