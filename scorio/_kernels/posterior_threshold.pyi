from numpy import float64
from numpy.typing import NDArray

from scorio._kernels.states import States

def threshold(
    states: States, k: int, j0: int, a0: float, b0: float, mean: NDArray[float64], sd: NDArray[float64]
) -> None: ...
def excess(
    states: States, k: int, j0: int, a0: float, b0: float, mean: NDArray[float64], sd: NDArray[float64]
) -> None: ...
def any_success_excess_cov(states: States, k: int, j0: int, a0: float, b0: float, out: NDArray[float64]) -> None: ...
