from numpy import float64, int64
from numpy.typing import NDArray

def leave_one_out(
    above: NDArray[float64],
    below: NDArray[float64],
    mass: NDArray[float64],
    rows: NDArray[int64],
    higher: int,
    scratch: NDArray[float64],
    pmf: NDArray[float64],
) -> None: ...
