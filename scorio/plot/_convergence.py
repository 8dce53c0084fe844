"""Convergence of rankings: tau-b against n, and the number of trials at which replicates converge."""

from __future__ import annotations

from .._display.charts import Axis, Chart, Mark
from .._display.numbers import percent
from ..params import check_result
from ..resampling import Convergence, ConvergenceTable
from ._draw import Axes, draw

Result = Convergence | ConvergenceTable
_TRIALS = Axis("n, trials per question", scale="whole")


def tau_curve(result: Result, *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the mean tau-b with the gold ranking against n (line) and the central ``confidence`` of replicates (band).

    The gold ranking is the ranking on all trials; each metric is one series.

    >>> from scorio import plot
    >>> from scorio.resampling import analyze_convergence
    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> plot.tau_curve(analyze_convergence("avg", R, replicates=20, rng=0)).get_ylabel()
    "Kendall's tau-b with gold ranking"
    """
    results, marks = _listed(result), []
    for i, each in enumerate(results):
        lo, hi = each.band(confidence)
        line = Mark("line", i, each.n, each.mean_tau, look="marked", name=str(each.metric))
        marks += [Mark("band", i, each.n, lo, hi), line]
    note = f"line: mean; band: central {percent(confidence)} of replicates; {results[0].extent}"
    return draw(Chart(_TRIALS, Axis("Kendall's tau-b with gold ranking"), marks, note, key="ends"), ax)


def convergence_pmf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that converge at each n; the legend has the share that never does."""
    return draw(_arrivals(result, "pmf", Axis("share that converges at n", low=0.0)), ax)


def convergence_cdf(result: Result, ax: Axes | None = None) -> Axes:
    """Draw the share of replicates that have converged by each n; it ends below 1 if some never do."""
    return draw(_arrivals(result, "cdf", Axis("share converged by n", low=0.0, high=1.0), " steps"), ax)


def _arrivals(result: Result, shares: str, axis: Axis, look: str = "") -> Chart:
    """Return shares over n for each metric; the key has the share that never converges."""
    results = _listed(result)
    marks = [
        Mark("line", i, x.n, getattr(x, shares), look=f"marked{look}", name=f"{x.metric}, {x.never:.1%} never")
        for i, x in enumerate(results)
    ]
    return Chart(_TRIALS, axis, marks, results[0].extent, key="beside")


def _listed(result: Result) -> list[Convergence]:
    check_result("scorio.resampling.analyze_convergence", "result", result, Convergence, ConvergenceTable)
    return [result] if isinstance(result, Convergence) else list(result.values())
