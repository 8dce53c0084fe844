"""How many trials a ranking needs: replicates of the outcomes, and when their ranking becomes the gold one."""

from .protocol import convergence
from .result import Convergence, ConvergenceTable

__all__ = ["Convergence", "ConvergenceTable", "convergence"]
