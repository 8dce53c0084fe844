"""``scorio rank``: a leaderboard."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from ...metrics import Metric
from ...rank import Leaderboard
from ...rank.rendering import sheet
from ...rank.rules import METHODS
from ..conditions import Condition, demand, fail_under
from ..options import chosen, interval_options, metrics_option, seed_option, short_option, tie_option
from ..output import Answer, deliver, output_options
from ..progress import working
from ..reading import gathered, load, reading_options


@click.command("rank")
@reading_options
@metrics_option
@interval_options
@short_option("raise", "omit")
@tie_option
@click.option(
    "--ranking", type=click.Choice(METHODS), default="competition", show_default=True, help="How ties are numbered."
)
@click.option("--draws", type=int, default=20_000, show_default=True, help="Of ranks, with --target population.")
@seed_option
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Rank models, with intervals, ties and the chances of each rank.

    scorio rank logs/ -m pass@1 --tie paired --format md
    """
    models = load(logs, gathered(options))
    with working("ranking"):
        board = Leaderboard(chosen(metrics, models), models, **options)
        records = [row._asdict() for row in board.rows]
    pages = [sheet(each) for each in board.standings]
    deliver(Answer(pages, records, dataclasses.asdict(board.settings)), form, output)
    demand(conditions, records)
