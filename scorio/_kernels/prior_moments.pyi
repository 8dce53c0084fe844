from scorio._base.arrays import Vector

from .shared_prior import SharedPrior

LARGEST_BUDGET: int

def components(
    prior: SharedPrior,
    x: Vector,
    out: Vector,
    about: float = 0.0,
    table_mean: Vector | None = None,
    table_variance: Vector | None = None,
) -> None: ...
def toward_scores(
    prior: SharedPrior, x: Vector, scores: Vector, weight: Vector, believed: bool, out: Vector
) -> None: ...
def of_states(
    prior: SharedPrior, x: Vector, out: Vector, table_mean: Vector | None = None, table_variance: Vector | None = None
) -> None: ...
def of_unseen(
    prior: SharedPrior, x: Vector, mean: Vector, variance: Vector, table_mean: Vector | None = None
) -> None: ...
def grid_posterior(prior: SharedPrior) -> Vector: ...
def grid_scores(prior: SharedPrior, values: Vector) -> Vector: ...
def intervals(
    prior: SharedPrior,
    values: list[Vector],
    scores: list[Vector | None],
    believed: bool,
    bounds: Vector,
    confidence: float,
    out: Vector,
) -> None: ...
