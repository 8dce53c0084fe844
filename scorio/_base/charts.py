"""Charts as data: two axes and marks, drawn by ``scorio.plot`` with matplotlib and by a report as SVG."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .table import plain

Numbers = Sequence[float] | range | NDArray[Any]
Kind = Literal["line", "points", "band", "upright", "level", "rule", "shade"]
_DECADES = 2000.0  # the largest value over the smallest, from which on powers of ten are marked
_CLOSE = 1.4  # marks of a logarithmic axis are at least so many times apart
_LONGEST = 60  # characters of a name


class Mark(NamedTuple):
    """What is drawn of one series: a line or points, a band or intervals, or rules across the picture.

    ``to`` has the other ends: along y of a band and of ``"upright"`` intervals, along x of ``"level"`` ones. A rule
    stands at every x and y; the rows of every y are shaded. ``style`` is the number of the series, which has a color,
    a marker and dashes; None is gray. ``look`` changes these, in words that both drawers know: ``marked``, ``solid``,
    ``dashed``, ``dotted`` and ``steps`` of lines, ``fan`` of bands, ``thick`` of intervals, ``hollow``, ``diamond``
    and the signs ``worse`` and ``improved`` of points. Marks of one ``name`` share an entry in the key.
    """

    kind: Kind
    style: int | None
    x: Numbers
    y: Numbers
    to: Numbers = ()
    look: str = ""
    name: str = ""


class Axis(NamedTuple):
    """A label and a scale, or the names of the places 0, 1, and so on, with numbers as text beside them.

    ``scale`` is ``"linear"``, ``"whole"`` (with marks at whole numbers), ``"log"`` or ``"symlog"``. Without ``ticks``,
    they are chosen where the axis is drawn; so are ends that are None.
    """

    label: str = ""
    scale: Literal["linear", "whole", "log", "symlog"] = "linear"
    ticks: Numbers | None = None
    low: float | None = None
    high: float | None = None
    names: Sequence[str] = ()
    beside: Sequence[str] = ()


class Chart(NamedTuple):
    """Marks on two axes; ``note`` says what they rest on. The names of series are above, or if several, beside it."""

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    note: str = ""
    title: str = ""
    names_beside: bool = False


def intervals(
    style: int | None, places: Numbers, spans: Iterable[tuple[float, float, float]], look: str = "", name: str = ""
) -> list[Mark]:
    """Return intervals, each the lower end, the point and the upper end, in these rows."""
    lo, point, hi = map(list, zip(*spans, strict=True))
    return [Mark("level", style, lo, places, hi, name=name), Mark("points", style, point, places, (), look, name)]


def two_sets(
    spans: Sequence[tuple[float, float, float]], stand_out: Sequence[bool], names: Sequence[str]
) -> list[Mark]:
    """Return a row for each interval: of those that stand out, in color; of the others, gray and hollow."""
    marks: list[Mark] = []
    for is_out, style, look, name in zip((True, False), (0, None), ("", "hollow"), names, strict=True):
        if places := [i for i, stands_out in enumerate(stand_out) if stands_out == is_out]:
            marks += intervals(style, places, [spans[i] for i in places], look=look, name=name)
    return marks


def beside_one_another(count: int, share: float) -> Numbers:
    """Return how far series are moved so that they stand beside one another in a share of the room of each place."""
    return (np.arange(count) - (count - 1) / 2.0) * share / count


def doublings(low: float, high: float) -> list[float]:
    """Return the marks of a logarithmic axis: both ends and the powers of two between, or of many, powers of ten.

    >>> doublings(1, 6), doublings(1, 100_000)
    ([1.0, 2.0, 4.0, 6.0], [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0])
    """
    base = 10.0 if high >= _DECADES * low else 2.0
    first, last = (math.log(end, base) for end in (low, high))
    powers = [base**i for i in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
    if base == 10.0:
        return powers
    between = (power for power in powers if _CLOSE * low <= power and _CLOSE * power <= high)
    return list(dict.fromkeys([float(low), *between, float(high)]))


def prices(low: float, high: float) -> list[float]:
    """Return the marks of a logarithmic axis of costs, at 1, 2 and 5 times powers of ten.

    >>> prices(0.03, 1.4)
    [0.05, 0.1, 0.2, 0.5, 1.0]
    """
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [float(f"{part}e{ten}") for ten in tens for part in (1, 2, 5) if low <= float(f"{part}e{ten}") <= high]


def short_names(names: Sequence[str]) -> list[str]:
    """Write names on one line, long ones without their middle, unless they would then be equal.

    >>> short_names(["a" * 40 + "b" * 40])
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb']
    """
    lines, half = list(map(plain, names)), (_LONGEST - 1) // 2
    short = [line if len(line) <= _LONGEST else f"{line[:half]}…{line[-half:]}" for line in lines]
    return [name if short.count(name) == lines.count(line) else line for name, line in zip(short, lines, strict=True)]
