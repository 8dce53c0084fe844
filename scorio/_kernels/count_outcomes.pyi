from typing import Any

from numpy.typing import NDArray

from scorio._base.arrays import Counts

def category_limit(rows: int) -> int: ...
def scan(values: NDArray[Any], missing: int = 0, offsets: Counts | None = None) -> tuple[Counts | None, int]: ...
