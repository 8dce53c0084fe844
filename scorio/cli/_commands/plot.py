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
from .._command import declared
from .._context import added_up, working
from .._metric import default_metrics, is_pass_fail
from .._options import (
    choice_option,
    cost_option,
    count_option,
    interval_options,
    metrics_option,
    seed_option,
    too_few_option,
)
from .._reading import Reading, load
from .._writing import Writable, write_picture

if TYPE_CHECKING:
    from ...metrics import Metric


_GLYPH = re.compile(r"Glyph (\d+) ")


@declared(
    "plot",
    "logs/ --kind curve -m pass@1 -o curves.svg",
    choice_option(
        "--kind",
        PICTURES,
        "leaderboard",
        "Kind of picture: intervals (leaderboard), scores by task (tasks), scores by "
        "k (curve), by cost per trial (frontier) or by the cost of k trials (cost), a difference (compare), or the "
        "convergence of the ranking (tau, cdf).",
    ),
    metrics_option,
    cost_option("the only one"),
    *interval_options,
    too_few_option("raise", "omit", "nan"),
    seed_option,
    count_option("--dpi", text="Dots per inch of a .png file.", default=150, show_default=True),
    click.option(
        *("-o", "--output"),
        required=True,
        type=Writable(),
        help="File to write. Its ending chooses the format: .svg, .pdf or .png.",
    ),
    answers=False,
)
def command(
    logs: tuple[str, ...], how: Reading, kind: str, metrics: tuple[Metric, ...], dpi: int, output: Path, **options: Any
) -> None:
    """Draw intervals, curves or the convergence of ranks."""
    from ...io import one_task
    from ...report import family_of
    from .._pictures import KINDS

    models = load(logs, how)
    with working("drawing"):
        default = (family_of(one_task(models)),) if kind in ("curve", "cost") else default_metrics(is_pass_fail(models))
        axes: Any = KINDS[kind](models, metrics or default, options)
        if note := added_up():
            axes.figure.supxlabel(plain(note), fontsize="small")
        with _missing_letters_named():
            write_picture(axes, output, dpi=dpi)


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
