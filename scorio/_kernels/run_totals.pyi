from typing import Any

from numpy.typing import NDArray

from scorio._arrays import Counts, Vector

def totals(counts: Counts, of_trial: NDArray[Any], values: Vector, total: Vector, composition: Counts) -> bool: ...
