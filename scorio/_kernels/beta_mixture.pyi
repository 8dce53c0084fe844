from numpy import float64
from numpy.typing import NDArray

def quantiles(
    weight: NDArray[float64],
    mean: NDArray[float64],
    variance: NDArray[float64],
    low: float,
    high: float,
    chances: NDArray[float64],
    out: NDArray[float64],
) -> None: ...
def moments(weight: NDArray[float64], mean: NDArray[float64], variance: NDArray[float64]) -> tuple[float, float]: ...
