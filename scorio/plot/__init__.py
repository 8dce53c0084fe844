"""Pictures of results: each function draws on ``ax``, or on a new figure, and returns the Axes.

They need matplotlib (the extra ``plot``), which is imported when the first picture is drawn. New figures are
not part of pyplot's state: ``axes.figure.savefig("board.pdf")`` writes one, and a notebook shows the
Axes. Series differ in color (the color-blind safe palette of Okabe and Ito), marker and line style.
"""

from ._boards import leaderboard, tasks
from ._comparison import compare
from ._convergence import convergence_cdf, convergence_pmf, tau_curve
from ._curves import cost_curve, forecast, frontier, pass_curve
from ._error_rates import coverage, power
from ._factors import interaction, margins
from ._history import history
from ._horizon import horizon
from ._runs import runs

__all__ = [
    "compare",
    "convergence_cdf",
    "convergence_pmf",
    "cost_curve",
    "coverage",
    "forecast",
    "frontier",
    "history",
    "horizon",
    "interaction",
    "leaderboard",
    "margins",
    "pass_curve",
    "power",
    "runs",
    "tasks",
    "tau_curve",
]
