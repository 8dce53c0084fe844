from numpy import bool_, float64, int64
from numpy.typing import NDArray

POINTS: int

def parameters(
    at: NDArray[float64],
    rise: float,
    fall: float,
    alpha: NDArray[float64],
    beta: NDArray[float64],
    log_prior: NDArray[float64],
) -> None: ...
def smooth(
    successes: NDArray[int64],
    of_successes: NDArray[float64],
    failures: NDArray[int64],
    of_failures: NDArray[float64],
    trials: NDArray[int64],
    of_trials: NDArray[float64],
    alpha: NDArray[float64],
    beta: NDArray[float64],
    out: NDArray[float64],
) -> None: ...
def end_masses(
    successes: NDArray[int64],
    trials: NDArray[int64],
    alpha: NDArray[float64],
    beta: NDArray[float64],
    out: NDArray[float64],
) -> None: ...
def spiked(
    mass: NDArray[float64],
    never: NDArray[bool_],
    always: NDArray[bool_],
    weight: NDArray[float64],
    rest: float,
    log_integral: NDArray[float64],
    share: NDArray[float64],
    at_zero: NDArray[float64],
    at_one: NDArray[float64],
) -> None: ...
