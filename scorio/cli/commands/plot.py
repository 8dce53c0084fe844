"""``scorio plot``: pictures."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import plot
from ...compare import compare
from ...convergence import convergence
from ...errors import ParameterError
from ...labels import listed
from ...metrics import Metric
from ...outcome_set import OutcomeSet
from ...rank import Leaderboard
from ...report.findings import family_of
from ...sheet import plain
from ..options import chosen, interval_options, metrics_option, seed_option, short_option
from ..output import Record, debug_option
from ..progress import working
from ..reading import gathered, load, reading_options
from ..writing import Writable, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_GLYPH = re.compile(r"Glyph (\d+) ")


def _leaderboard(models: OutcomeSet, metrics: Sequence[Metric], options: Record) -> Axes:
    return plot.leaderboard(Leaderboard(_one(metrics), models, **options))


def _curve(models: OutcomeSet, metrics: Sequence[Metric], options: Record) -> Axes:
    interval = {name: options[name] for name in ("confidence", "prior", "method", "target")}
    return plot.pass_curve(models, metric=_one(metrics), **interval)


def _compare(models: OutcomeSet, metrics: Sequence[Metric], options: Record) -> Axes:
    if len(models) != 2:
        raise ParameterError(f"a comparison needs two models; there are {listed(models)}")
    told = {name: options[name] for name in ("prior", "confidence")}
    first, second = models
    return plot.compare(compare(_one(metrics), models[first], models[second], names=(first, second), **told))


def _tau(models: OutcomeSet, metrics: Sequence[Metric], options: Record) -> Axes:
    return plot.tau_curve(convergence(metrics, models, rng=options["rng"]), confidence=options["confidence"])


def _cdf(models: OutcomeSet, metrics: Sequence[Metric], options: Record) -> Axes:
    return plot.convergence_cdf(convergence(metrics, models, rng=options["rng"]))


def _one(metrics: Sequence[Metric]) -> Metric:
    if len(metrics) > 1:
        raise ParameterError(f"this picture shows one metric; got {', '.join(map(str, metrics))}")
    return metrics[0]


_KINDS: Mapping[str, Callable[[OutcomeSet, Sequence[Metric], Record], Axes]] = {
    "leaderboard": _leaderboard,
    "curve": _curve,
    "compare": _compare,
    "tau": _tau,
    "cdf": _cdf,
}


@click.command("plot")
@reading_options
@click.option(
    "--kind",
    type=click.Choice(list(_KINDS)),
    default="leaderboard",
    show_default=True,
    help="Intervals; the score for every k; a difference; how the ranking converges.",
)
@metrics_option
@interval_options
@short_option("raise", "omit")
@seed_option
@click.option("--dpi", type=click.IntRange(min=1), default=150, show_default=True, help="Of pictures made of dots.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=Writable(),
    help="The file: its ending says the format, .svg, .pdf or .png.",
)
@debug_option
def command(
    logs: tuple[str, ...], kind: str, metrics: tuple[Metric, ...], dpi: int, output: Path, **options: Any
) -> None:
    """Draw intervals, curves or ranks.

    scorio plot logs/ --kind curve -m pass@1 -o curves.svg
    """
    models = load(logs, gathered(options))
    with working("drawing"):
        asked = (metrics or (family_of(models),)) if kind == "curve" else chosen(metrics, models)
        figure: Any = _KINDS[kind](models, asked, options).figure
        if output.suffix.lower().lstrip(".") not in figure.canvas.get_supported_filetypes():
            raise ParameterError(f"{output}: the ending must be that of a picture: .svg, .pdf or .png")
        with replacing(output) as unfinished, _letters_there():
            figure.savefig(unfinished, dpi=dpi)


@contextmanager
def _letters_there() -> Iterator[None]:
    """Say in one line which letters the font lacks."""
    with warnings.catch_warnings(record=True) as said:
        warnings.filterwarnings("always", message="Glyph ")
        yield
    lost = [_GLYPH.match(str(each.message)) for each in said]
    letters = dict.fromkeys(chr(int(found[1])) for found in lost if found)
    if letters:
        shown = "".join(letters)
        click.echo(
            f"scorio: the font lacks {plain(shown)}: name one that has it as font.family in a matplotlibrc", err=True
        )
    for each, found in zip(said, lost, strict=True):
        if not found:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
