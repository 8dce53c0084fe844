"""``scorio plot``: pictures."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import PICTURES
from ..._display.table import plain
from ...errors import ParameterError
from .._context import added_up, debug_option
from .._options import (
    cost_option,
    default_metrics,
    interval_options,
    is_pass_fail,
    metrics_option,
    seed_option,
    too_few_option,
)
from .._progress import working
from .._reading import gathered, load, reading_options
from .._writing import Writable, replacing

if TYPE_CHECKING:
    from ...metrics import Metric


_GLYPH = re.compile(r"Glyph (\d+) ")


@click.command("plot", epilog="Example: scorio plot logs/ --kind curve -m pass@1 -o curves.svg")
@reading_options
@click.option(
    "--kind",
    type=click.Choice(PICTURES),
    default="leaderboard",
    show_default=True,
    help="Kind of picture: intervals, scores by task as points or cells, scores by k, scores by cost per trial, scores "
    "by the cost of k trials, a difference, or the convergence of the ranking.",
)
@metrics_option
@cost_option
@interval_options
@too_few_option("raise", "omit")
@seed_option
@click.option("--dpi", type=click.IntRange(min=1), default=150, show_default=True, help="Dots per inch of a .png file.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=Writable(),
    help="File to write; its ending chooses the format: .svg, .pdf or .png.",
)
@debug_option
def command(
    logs: tuple[str, ...], kind: str, metrics: tuple[Metric, ...], dpi: int, output: Path, **options: Any
) -> None:
    """Draw intervals, curves or the convergence of ranks."""
    from ...io._tasks import one_task
    from ...report._findings import family_of
    from .._pictures import KINDS

    models = load(logs, gathered(options))
    with working("drawing"):
        default = (family_of(one_task(models)),) if kind in ("curve", "cost") else default_metrics(is_pass_fail(models))
        figure: Any = KINDS[kind](models, metrics or default, options).figure
        if output.suffix.lower().lstrip(".") not in figure.canvas.get_supported_filetypes():
            raise ParameterError(f"{output}: the ending must be that of a picture: .svg, .pdf or .png")
        if note := added_up():
            figure.supxlabel(plain(note), fontsize="small")
        with replacing(output) as unfinished, _missing_letters_named():
            figure.savefig(unfinished, dpi=dpi)


@contextmanager
def _missing_letters_named() -> Iterator[None]:
    """Name the letters that the font lacks, on one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="Glyph ")
        yield
    glyphs = [_GLYPH.match(str(each.message)) for each in caught]
    letters = "".join(dict.fromkeys(chr(int(match[1])) for match in glyphs if match))
    if letters:
        advice = "choose another font as font.family in a matplotlibrc"
        click.echo(f"scorio: the font lacks {plain(letters)}: {advice}", err=True)
    for each, match in zip(caught, glyphs, strict=True):
        if not match:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
