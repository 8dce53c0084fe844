"""Convergence of rankings: tau-b against n, and the number of trials at which replicates converge."""

from __future__ import annotations

import numpy as np

from .._display.numbers import percent
from ..params import check_result
from ..resampling import Convergence, ConvergenceTable
from ._series import band, caption, label_ends, marked, panel
from ._style import Axes, legend_beside, whole_numbers

Result = Convergence | ConvergenceTable
_TRIALS = "n, trials per question"


def tau_curve(result: Result, *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the mean tau-b with the gold ranking against n (line) and the central ``confidence`` of replicates (band).

    The gold ranking is the ranking on all trials; each metric is one series.

    >>> from scorio import plot
    >>> from scorio.resampling import analyze_convergence
    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> plot.tau_curve(analyze_convergence("avg", R, replicates=20, rng=0)).get_ylabel()
    "Kendall's tau-b with gold ranking"
    """
    results = _listed(result)
    names = [str(each.metric) for each in results]
    ax = panel(ax, names, _TRIALS, "Kendall's tau-b with gold ranking")
    for i, each in enumerate(results):
        band(ax, i, each.n, *each.band(confidence))
        marked(ax, i, each.n, each.mean_tau)
    whole_numbers(ax)
    label_ends(ax, names, [_end(each) for each in results])
    caption(ax, f"line: mean; band: central {percent(confidence)} of replicates; {results[0].extent}")
    return ax


def _end(result: Convergence) -> tuple[float, float]:
    """Return the last point that the curve of the mean has, or its foot if it has none."""
    known = np.flatnonzero(~np.isnan(result.mean_tau))
    last = known[-1] if known.size else -1
    return float(result.n[last]), float(np.nan_to_num(result.mean_tau[last]))


def convergence_pmf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that converge at each n; the legend has the share that never does."""
    return _arrivals(result, ax, "share that converges at n", "pmf", "default")


def convergence_cdf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that have converged by each n; it ends below 1 if some never do."""
    ax = _arrivals(result, ax, "share converged by n", "cdf", "steps-post")
    ax.set_ylim(top=1.02)
    return ax


def _arrivals(result: Result, ax: Axes | None, ylabel: str, shares: str, drawstyle: str) -> Axes:
    """Draw shares over n for each metric; the legend has the share that never converges."""
    results = _listed(result)
    names = [f"{each.metric}, {each.never:.1%} never" for each in results]
    ax = panel(ax, names, _TRIALS, ylabel)
    legend_beside(
        ax, [marked(ax, i, x.n, getattr(x, shares), drawstyle=drawstyle) for i, x in enumerate(results)], names
    )
    ax.set_ylim(bottom=0.0)
    whole_numbers(ax)
    caption(ax, results[0].extent)
    return ax


def _listed(result: Result) -> list[Convergence]:
    check_result("scorio.resampling.analyze_convergence", "result", result, Convergence, ConvergenceTable)
    return [result] if isinstance(result, Convergence) else list(result.values())
