from numpy import float64
from numpy.typing import NDArray

from scorio._kernels.states import States

def moments(
    states: States,
    k: int,
    x: NDArray[float64],
    a0: float,
    b0: float,
    mean: NDArray[float64],
    sd: NDArray[float64],
    steps: NDArray[float64] | None = None,
) -> None: ...
def covariance(
    states: States,
    k: int,
    x: NDArray[float64],
    y: NDArray[float64],
    a0: float,
    b0: float,
    out: NDArray[float64],
    x_steps: NDArray[float64] | None = None,
    y_steps: NDArray[float64] | None = None,
) -> None: ...
