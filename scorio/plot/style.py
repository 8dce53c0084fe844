"""What all pictures share: an Axes to draw on, series that can be told apart, and names that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, NamedTuple

from ..sheet import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, SKY, BLACK = "#0072B2", "#56B4E9", "#000000"
OKABE_ITO = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
LONGEST = 60  # characters of a name
CHARACTER = 0.085  # inches that one takes at most, on average
_ROWS = 20  # of a legend's column
_BEFORE = 15  # characters shown before names differ


class Look(NamedTuple):
    """How one of several series looks; the cycles have no common factor, so that pairs repeat late."""

    color: str
    marker: str
    linestyle: str


def look(i: int) -> Look:
    """The look of the ``i``-th series."""
    return Look(OKABE_ITO[i % len(OKABE_ITO)], MARKERS[i % len(MARKERS)], LINES[i % len(LINES)])


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The Axes given, or that of a new figure of so many inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('pictures need matplotlib: pip install "scorio[plot]"') from None
    return Figure(figsize=(width, height), layout="constrained").subplots()


def short(name: str) -> str:
    """The name on one line, its middle left out where it is long.

    >>> short("a" * 40 + "b" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    """
    line = plain(name)
    half = (LONGEST - 1) // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[-half:]}"


def shorts(names: Sequence[str]) -> list[str]:
    """The names as they are shown together: where what ``short`` leaves out is what tells some apart, it is kept.

    >>> for name in shorts([f"{'maker/' * 6}model-{size}-{'tuned-' * 6}" for size in ("7b", "70b")]):
    ...     print(name)
    …r/maker/model-7b-tuned-tuned-tuned-tuned-tuned-tuned-
    …r/maker/model-70b-tuned-tuned-tuned-tuned-tuned-tuned-
    """
    lines = list(map(plain, names))
    held = Counter(map(short, set(lines)))
    alike = {shown: [line for line in lines if short(line) == shown] for shown, count in held.items() if count > 1}
    return [_from_difference(line, alike[short(line)]) if short(line) in alike else short(line) for line in lines]


def _from_difference(line: str, alike: Sequence[str]) -> str:
    """The part of the name from shortly before it differs; all of it where even that is the same for two."""

    def part(name: str) -> str:
        rest = name[start:]
        return f"…{rest}" if len(rest) < LONGEST else f"…{rest[: LONGEST - 2]}…"

    start = max(len(commonprefix(alike)) - _BEFORE, 1)  # noqa: RUF071 - of characters
    return part(line) if len(set(map(part, alike))) == len(set(alike)) else line


def room_beside(names: Sequence[str]) -> float:
    """Inches that a legend beside the picture takes."""
    return -(-len(names) // _ROWS) * (0.7 + CHARACTER * max(map(len, shorts(names))))


def key_beside(ax: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """A legend to the right of the picture, where it covers nothing."""
    _key(ax, handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), ncols=-(-len(names) // _ROWS))


def key_above(ax: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """A legend in one line above the picture."""
    _key(ax, handles, names, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(names))


def _key(ax: Axes, handles: Sequence[Any], names: Sequence[str], **place: Any) -> None:
    """A legend of names as they are: none is a formula for its ``$``, none is hidden for a leading ``_``."""
    legend = ax.legend(handles, [" "] * len(names), frameon=False, fontsize="small", **place)
    for text, name in zip(legend.get_texts(), shorts(names), strict=True):
        text.set(text=name, parse_math=False)
