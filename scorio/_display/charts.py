"""Pictures as data: what ``scorio.plot`` draws with matplotlib, and a report as SVG."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[np.float64]
Ends = tuple[Numbers, Numbers]


class Curve(NamedTuple):
    """The values of one model over k: ``points``, a ``line``, and ``bands`` of intervals, the widest first.

    The first ``scored`` points are scores; the others are forecasts.
    """

    name: str
    k: Sequence[int]
    points: Numbers
    line: Numbers
    bands: Sequence[Ends]
    scored: int


class Bar(NamedTuple):
    """An interval in a line of its own: its name, its ends with the point between them, whether it stands out, and its
    numbers as text.
    """

    name: str
    lo: float
    hi: float
    point: float
    filled: bool
    numbers: str = ""
