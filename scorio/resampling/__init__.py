"""How many trials a ranking needs: replicates of the outcomes, and when their ranking equals the gold ranking."""

from ._convergence import Convergence, ConvergenceTable, analyze_convergence

__all__ = ["Convergence", "ConvergenceTable", "analyze_convergence"]
