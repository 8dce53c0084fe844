from numpy import float64
from numpy.typing import NDArray

def linear(
    profiles: NDArray[float64],
    weights: NDArray[float64],
    prior: NDArray[float64],
    mean: NDArray[float64],
    sd: NDArray[float64],
) -> None: ...
