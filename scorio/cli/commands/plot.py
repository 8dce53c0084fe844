"""``scorio plot``: pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import plot
from ...compare import compare
from ...convergence import convergence
from ...errors import ParameterError
from ...metrics import Metric
from ...outcome_set import OutcomeSet
from ...rank import Leaderboard
from ..options import chosen, interval_options, metrics_option, seed_option
from ..output import debug_option
from ..progress import working
from ..reading import gathered, load, reading_options
from ..writing import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _leaderboard(models: OutcomeSet, metrics: Sequence[Metric], rng: int, **interval: Any) -> Axes:
    return plot.leaderboard(Leaderboard(_one(metrics), models, rng=rng, **interval))


def _curve(models: OutcomeSet, metrics: Sequence[Metric], rng: int, **interval: Any) -> Axes:  # noqa: ARG001 - nothing is drawn
    return plot.pass_curve(models, metric=_one(metrics), **interval)


def _compare(models: OutcomeSet, metrics: Sequence[Metric], rng: int, **interval: Any) -> Axes:  # noqa: ARG001 - nothing is drawn
    if len(models) != 2:
        raise ParameterError(f"a comparison needs two models; there are {', '.join(models)}")
    prior, confidence = interval["prior"], interval["confidence"]
    first, second = models
    found = compare(_one(metrics), *models.values(), prior=prior, confidence=confidence, names=(first, second))
    return plot.compare(found)


def _tau(models: OutcomeSet, metrics: Sequence[Metric], rng: int, **interval: Any) -> Axes:
    return plot.tau_curve(convergence(metrics, models, rng=rng), confidence=interval["confidence"])


def _cdf(models: OutcomeSet, metrics: Sequence[Metric], rng: int, **interval: Any) -> Axes:  # noqa: ARG001 - has no interval
    return plot.convergence_cdf(convergence(metrics, models, rng=rng))


def _one(metrics: Sequence[Metric]) -> Metric:
    if len(metrics) > 1:
        raise ParameterError(f"this picture shows one metric; got {', '.join(map(str, metrics))}")
    return metrics[0]


_KINDS: Mapping[str, Callable[..., Axes]] = {
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
@seed_option
@click.option("--dpi", type=click.IntRange(min=1), default=150, show_default=True, help="Of pictures made of dots.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
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
        figure: Any = _KINDS[kind](models, chosen(metrics, models), **options).figure
        with replacing(output) as unfinished:
            figure.savefig(unfinished, dpi=dpi)
