from numpy import float64, int32, int64, intp, uint64
from numpy.typing import NDArray

def sums(
    entries: NDArray[int32],
    runs: bool,
    keep: bool,
    seeds: NDArray[uint64],
    at: NDArray[intp],
    tables: NDArray[float64],
    out: NDArray[float64],
) -> None: ...
def counts(
    entries: NDArray[int32],
    runs: bool,
    keep: bool,
    seeds: NDArray[uint64],
    at: NDArray[intp],
    out: NDArray[int64],
) -> None: ...
