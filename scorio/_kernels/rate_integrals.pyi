from numpy import float64
from numpy.typing import NDArray

from .states import States

def values(credit: NDArray[float64], p: NDArray[float64], q: NDArray[float64], out: NDArray[float64]) -> None: ...
def moments(
    states: States,
    alpha: NDArray[float64],
    beta: NDArray[float64],
    points: NDArray[float64],
    rule: NDArray[float64],
    log_panels: int,
    x: NDArray[float64],
    y: NDArray[float64],
    widest: float,
    mean: NDArray[float64],
    covariance: NDArray[float64],
) -> None: ...
