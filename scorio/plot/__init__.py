"""Pictures of results: each function draws on ``ax``, or on a new figure, and returns the Axes.

They need matplotlib, ``pip install "scorio[plot]"``, which is imported when the first picture is drawn. New figures are
not part of pyplot's state: ``axes.figure.savefig("board.pdf")`` writes one, and a notebook shows the
Axes. Series differ in color (the color-blind safe palette of Okabe and Ito), marker and line style.
"""

from ._budgets import pass_curve
from ._calibration import coverage
from ._convergence import convergence_cdf, convergence_pmf, tau_curve
from ._costs import cost_curve, frontier
from ._difference import compare
from ._factors import interaction, margins
from ._heatmap import heatmap
from ._history import history
from ._intervals import leaderboard
from ._power import power
from ._tasks import tasks

__all__ = [
    "compare",
    "convergence_cdf",
    "convergence_pmf",
    "cost_curve",
    "coverage",
    "frontier",
    "heatmap",
    "history",
    "interaction",
    "leaderboard",
    "margins",
    "pass_curve",
    "power",
    "tasks",
    "tau_curve",
]
