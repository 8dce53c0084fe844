from typing import Any

from numpy.typing import NDArray

from scorio._arrays import Counts, Indices, Vector

def totals(
    counts: Counts,
    of_trial: NDArray[Any],
    row: Indices,
    values: Vector,
    total: Vector,
    composition: Counts,
    is_known: bool,
) -> bool: ...
