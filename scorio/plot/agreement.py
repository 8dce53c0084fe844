"""How rankings converge: tau-b against n, and when each replicate's ranking becomes gold's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..convergence import Convergence, ConvergenceTable
from .series import band, marked, panel
from .style import key_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Result = Convergence | ConvergenceTable
_TRIALS = "n, trials a question"


def tau_curve(result: Result, *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw mean tau-b to gold against n (line) and the central ``confidence`` of replicates (band) of each metric.

    >>> from scorio import convergence, plot
    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> plot.tau_curve(convergence("avg", R, replicates=20, rng=0)).get_ylabel()
    "Kendall's tau-b to gold"
    """
    found = _listed(result)
    names = [str(each.metric) for each in found]
    ax = panel(ax, names, _TRIALS, "Kendall's tau-b to gold")
    handles = [
        (band(ax, i, each.n, *each.band(confidence)), marked(ax, i, each.n, each.mean_tau))
        for i, each in enumerate(found)
    ]
    key_beside(ax, handles, names)
    return ax


def convergence_pmf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that converge at each n; those that never do are in the legend."""
    return _arrivals(result, ax, "share that converges at n", "pmf", "default")


def convergence_cdf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that have converged by each n; those that never do are missing from the end."""
    ax = _arrivals(result, ax, "share converged by n", "cdf", "steps-post")
    ax.set_ylim(top=1.02)
    return ax


def _arrivals(result: Result, ax: Axes | None, ylabel: str, shares: str, drawstyle: str) -> Axes:
    """Shares over n for each metric, named with the share that never converges."""
    found = _listed(result)
    names = [f"{each.metric}, {each.never:.1%} never" for each in found]
    ax = panel(ax, names, _TRIALS, ylabel)
    key_beside(ax, [marked(ax, i, x.n, getattr(x, shares), drawstyle=drawstyle) for i, x in enumerate(found)], names)
    ax.set_ylim(bottom=0.0)
    return ax


def _listed(result: Result) -> list[Convergence]:
    return [result] if isinstance(result, Convergence) else list(result.values())
