from numpy import float64, intp, uint8
from numpy.typing import NDArray

def tau_b(
    scores: NDArray[float64],
    better: NDArray[intp],
    tol: float,
    free_ties: bool,
    tau: NDArray[float64],
    same: NDArray[uint8],
) -> None: ...
