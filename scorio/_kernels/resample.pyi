from numpy import int32, uint64
from numpy.typing import NDArray

from scorio._base.arrays import Counts, Indices, Vector

def sums(
    entries: NDArray[int32], keep: bool, seeds: NDArray[uint64], at: Indices, tables: Vector, out: Vector
) -> None: ...
def counts(entries: NDArray[int32], keep: bool, seeds: NDArray[uint64], at: Indices, out: Counts) -> None: ...
