from numpy import float64, intp
from numpy.typing import NDArray

def best(
    profiles: NDArray[float64], order: NDArray[intp], rewards: NDArray[float64], k: int, out: NDArray[float64]
) -> None: ...
def posterior(
    profiles: NDArray[float64],
    order: NDArray[intp],
    rewards: NDArray[float64],
    prior: NDArray[float64],
    k: int,
    mean: NDArray[float64],
    sd: NDArray[float64],
) -> None: ...
