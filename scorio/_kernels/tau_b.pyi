from numpy import uint8
from numpy.typing import NDArray

from scorio._arrays import Indices, Vector

def tau_b(scores: Vector, better: Indices, tol: float, free_ties: bool, tau: Vector, same: NDArray[uint8]) -> None: ...
