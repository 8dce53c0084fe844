from numpy import float64
from numpy.typing import NDArray

from .shared_prior import SharedPrior

LARGEST_BUDGET: int

def components(
    prior: SharedPrior,
    x: NDArray[float64],
    out: NDArray[float64],
    about: float = 0.0,
    table_mean: NDArray[float64] | None = None,
    table_variance: NDArray[float64] | None = None,
) -> None: ...
def toward_scores(
    prior: SharedPrior,
    x: NDArray[float64],
    scores: NDArray[float64],
    weight: NDArray[float64],
    believed: bool,
    out: NDArray[float64],
) -> None: ...
def of_states(
    prior: SharedPrior,
    x: NDArray[float64],
    out: NDArray[float64],
    table_mean: NDArray[float64] | None = None,
    table_variance: NDArray[float64] | None = None,
) -> None: ...
def of_unseen(
    prior: SharedPrior,
    x: NDArray[float64],
    mean: NDArray[float64],
    variance: NDArray[float64],
    table_mean: NDArray[float64] | None = None,
) -> None: ...
def best_shares(prior: SharedPrior) -> NDArray[float64]: ...
def grid_posterior(prior: SharedPrior) -> NDArray[float64]: ...
def grid_scores(prior: SharedPrior, values: NDArray[float64]) -> NDArray[float64]: ...
def intervals(
    prior: SharedPrior,
    values: list[NDArray[float64]],
    scores: list[NDArray[float64] | None],
    believed: bool,
    bounds: NDArray[float64],
    confidence: float,
    out: NDArray[float64],
) -> None: ...
