"""The pictures of ``scorio plot``, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .. import plot
from .._display.words import shorten
from ..comparison import compare
from ..errors import ParameterError
from ..io import one_task
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ..rank import Leaderboard, cost_table
from ..resampling import analyze_convergence
from ._context import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Drawing = Callable[[OutcomeSet | Suite, Sequence[Metric], Record], "Axes"]


def _of_board(draw: Callable[[Leaderboard], Axes], problem: str = "") -> Drawing:
    """Return the drawing of a leaderboard; ``problem`` is the error for one task, if it needs several."""

    def drawing(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
        if problem and isinstance(models, OutcomeSet):
            raise ParameterError(problem)
        settings = {name: value for name, value in options.items() if name != "cost"}
        return draw(Leaderboard(_one(metrics), models, **settings))

    return drawing


def _curve(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    interval = {name: options[name] for name in ("confidence", "prior", "shape", "target")}
    return plot.pass_curve(one_task(models), metric=_one(metrics), **interval)


def _frontier(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    law = {name: options[name] for name in ("confidence", "prior", "target", "rng")}
    return plot.frontier(cost_table(_one(metrics), models, options["cost"], **law))


def _cost(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    law = {name: options[name] for name in ("confidence", "prior", "target")}
    return plot.cost_curve(one_task(models), options["cost"], metric=_one(metrics), **law)


def _compare(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    names = models.models
    if len(names) != 2:
        raise ParameterError(f"a comparison needs two models; the logs hold {shorten(names)}")
    law = {name: options[name] for name in ("prior", "confidence")}
    first, second = (models.select(models=[name]) if isinstance(models, Suite) else models[name] for name in names)
    return plot.compare(compare(_one(metrics), first, second, names=(names[0], names[1]), **law))


def _tau(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    return plot.tau_curve(
        analyze_convergence(metrics, one_task(models), rng=options["rng"]), confidence=options["confidence"]
    )


def _cdf(models: OutcomeSet | Suite, metrics: Sequence[Metric], options: Record) -> Axes:
    return plot.convergence_cdf(analyze_convergence(metrics, one_task(models), rng=options["rng"]))


def _one(metrics: Sequence[Metric]) -> Metric:
    if len(metrics) > 1:
        raise ParameterError(f"this picture shows one metric; got {', '.join(map(str, metrics))}")
    return metrics[0]


KINDS: Mapping[str, Drawing] = {
    "leaderboard": _of_board(plot.leaderboard),
    "tasks": _of_board(plot.tasks, "scores by task need logs of several tasks"),
    "curve": _curve,
    "frontier": _frontier,
    "cost": _cost,
    "compare": _compare,
    "tau": _tau,
    "cdf": _cdf,
}
