from numpy import float64
from numpy.typing import NDArray

from scorio._kernels.states import States

def any_success(
    states: States, k: int, a0: float, b0: float, mean: NDArray[float64], sd: NDArray[float64]
) -> None: ...
def all_success(
    states: States, k: int, a0: float, b0: float, mean: NDArray[float64], sd: NDArray[float64]
) -> None: ...
def cross(states: States, k: int, a0: float, b0: float, out: NDArray[float64]) -> None: ...
def blend(
    states: States, k: int, u: float, v: float, a0: float, b0: float, mean: NDArray[float64], sd: NDArray[float64]
) -> None: ...
