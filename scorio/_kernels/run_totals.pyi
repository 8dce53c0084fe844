from typing import Any

from numpy.typing import NDArray

from scorio._arrays import Counts, Indices, Vector

def totals(
    counts: Counts,
    trials: Counts,
    of_trial: NDArray[Any],
    row: Indices,
    values: Vector,
    total: Vector,
    composition: Counts,
) -> None: ...
def composition(trials: Counts, of_trial: NDArray[Any], found: Counts) -> bool: ...
def crossed(trials: Counts, of_trial: NDArray[Any], weights: Vector, linear: Vector, square: Vector) -> None: ...
