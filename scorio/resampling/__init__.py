"""How many trials a ranking needs: replicates of the outcomes, and when their ranking equals the gold ranking."""

from ._result import Convergence, ConvergenceTable
from ._study import analyze_convergence

__all__ = ["Convergence", "ConvergenceTable", "analyze_convergence"]
