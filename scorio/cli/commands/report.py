"""``scorio report``: a page for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...metrics import Metric
from ...rank import Leaderboard
from ...report import html_report
from ..options import chosen, interval_options, metrics_option, seed_option, short_option, tie_option
from ..output import debug_option
from ..progress import working
from ..reading import gathered, load, reading_options
from ..writing import Writable, replacing


@click.command("report")
@reading_options
@metrics_option
@interval_options
@short_option("raise", "omit")
@tie_option
@seed_option
@click.option("--title", default="Leaderboard", show_default=True, help="The page's heading.")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    type=Writable([".html", ".htm"]),
    help="The file to write.",
)
@debug_option
def command(logs: tuple[str, ...], metrics: tuple[Metric, ...], title: str, output: Path, **options: Any) -> None:
    """Write a report for people: one HTML file that needs no network.

    scorio report logs/ -m pass@1 -m pass@4 -o report.html
    """
    models = load(logs, gathered(options))
    with working("reporting"):
        page = html_report(Leaderboard(chosen(metrics, models), models, **options), title=title)
    with replacing(output) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    click.echo(f"wrote {output}", err=True)
