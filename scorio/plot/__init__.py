"""Pictures of what was found: each function draws on ``ax``, or on a figure of its own, and returns the Axes.

They need matplotlib, ``pip install "scorio[plot]"``, which is imported when the first picture is drawn. Figures made
here are no part of pyplot's state: ``axes.figure.savefig("board.pdf")`` writes one, and a notebook shows
``axes.figure``. Series differ in colour (Okabe and Ito's, safe for the colour-blind), marker and line.
"""

from .agreement import convergence_cdf, convergence_pmf, tau_curve
from .budgets import pass_curve
from .calibration import coverage
from .difference import compare
from .intervals import leaderboard

__all__ = ["compare", "convergence_cdf", "convergence_pmf", "coverage", "leaderboard", "pass_curve", "tau_curve"]
