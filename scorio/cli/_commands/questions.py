"""``scorio questions``: every question of a benchmark."""

from typing import Any

import click

from ..._choices import FLAGS, SORT_KEYS
from .._command import declared
from .._context import working
from .._options import choice_option, confidence_option, fdr_option, top_option
from .._output import Answer, Output
from .._reading import Reading, load


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
    top_option(show_default="all"),
    click.option("--by-model", is_flag=True, help="Write one row per question and model, in JSON and CSV."),
    confidence_option,
    fdr_option(0.05),
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    sort: str,
    ascending: bool,
    flag: str | None,
    by_model: bool,
    top: int | None,
    out: Output,
    **options: Any,
) -> None:
    """List the questions and what is odd about them; for what changed since a baseline, use diff.

    The table has the rates, the difficulty, the discrimination and the flags of each question.
    """
    from ...comparison import describe_questions

    models = load(logs, how)
    with working("questions"):
        table = describe_questions(models, **options).sorted(sort, descending=not ascending)
    if flag is not None:
        table = table.flagged(None if flag == "any" else flag)
    title = str(table)
    shown = table.first(top) if top else table
    records = shown._records("model" if by_model else "question")
    out.deliver(Answer([shown._display_table()._replace(title=title)], records, dict(options)))
