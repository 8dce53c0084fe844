from typing import Any

import numpy as np
from numpy.typing import NDArray

def category_limit(rows: int) -> int: ...
def scan(
    values: NDArray[Any], categories: int = 0, missing: int = 0, offsets: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64] | None, int]: ...
