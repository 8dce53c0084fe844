"""Shared by all pictures: Axes to draw on, distinct styles of series, and names that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, NamedTuple

from .._display.table import plain

if TYPE_CHECKING:  # matplotlib is imported with the first picture
    from matplotlib.artist import Artist as Artist  # noqa: PLC0414 - for other modules
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414
else:
    Artist, Axes = "matplotlib.artist.Artist", "matplotlib.axes.Axes"

BLUE, SKY, BLACK, GRAY = "#0072B2", "#56B4E9", "#000000", "#595959"
OKABE_ITO = (BLUE, "#D55E00", "#009E73", "#CC79A7", "#E69F00", SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
LONGEST = 60  # characters of a name
CHARACTER = 0.085  # inches per character of a name, an upper limit on average
_ROWS = 20  # of a legend's column
_BEFORE = 15  # characters shown before the place where names differ


class Style(NamedTuple):
    """The style of one of several series; the cycles have no common factor, so that combinations repeat late."""

    color: str
    marker: str
    linestyle: str


def style(i: int) -> Style:
    """Return the style of the ``i``-th series."""
    return Style(OKABE_ITO[i % len(OKABE_ITO)], MARKERS[i % len(MARKERS)], LINES[i % len(LINES)])


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ``ax``, or the Axes of a new figure of a size in inches: two spines, gray lines behind, small ticks."""
    if ax is not None:
        return ax
    try:
        from ._picture import new_picture
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from None
    ax = new_picture(width, height)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set(color=GRAY, linewidth=0.8)
    ax.tick_params(color=GRAY, labelsize=9.0, width=0.8, length=3.0)
    ax.set_axisbelow(True)
    ax.grid(color="#d9d9d9", linewidth=0.6)
    return ax


def whole_numbers(ax: Axes) -> None:
    """Mark whole numbers only on the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    ax.margins(x=0.02)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def short_name(name: str) -> str:
    """Write a name on one line, without its middle if it is long.

    >>> short_name("a" * 40 + "b" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    """
    line = plain(name)
    half = (LONGEST - 1) // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[-half:]}"


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten names that are shown together; names that ``short_name`` would make equal keep the part that differs.

    >>> for name in short_names([f"{'maker/' * 6}model-{size}-{'tuned-' * 6}" for size in ("7b", "70b")]):
    ...     print(name)
    …r/maker/model-7b-tuned-tuned-tuned-tuned-tuned-tuned-
    …r/maker/model-70b-tuned-tuned-tuned-tuned-tuned-tuned-
    """
    lines = list(map(plain, names))
    shown = list(map(short_name, lines))
    counts = Counter(map(short_name, set(lines)))
    equal = {name: [line for line in lines if short_name(line) == name] for name, count in counts.items() if count > 1}
    return [
        _from_difference(line, equal[name]) if name in equal else name for line, name in zip(lines, shown, strict=True)
    ]


def _from_difference(line: str, equal: Sequence[str]) -> str:
    """Return the name from shortly before it differs from the others, or all of it if that is the same for two."""

    def part(name: str) -> str:
        rest = name[start:]
        return f"…{rest}" if len(rest) < LONGEST else f"…{rest[: LONGEST - 2]}…"

    start = max(len(commonprefix(equal)) - _BEFORE, 1)  # noqa: RUF071 - of characters
    return part(line) if len(set(map(part, equal))) == len(set(equal)) else line


def room_beside(names: Sequence[str]) -> float:
    """Return the width of a legend beside the picture, in inches."""
    return -(-len(names) // _ROWS) * (0.7 + CHARACTER * max(map(len, short_names(names))))


def legend_beside(ax: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Draw a legend to the right of the picture."""
    _legend(ax, handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), ncols=-(-len(names) // _ROWS))


def legend_above(ax: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Draw a legend in one line above the picture."""
    _legend(ax, handles, names, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(names))


def _legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], **place: Any) -> None:
    """Draw a legend with names as plain text: ``$`` starts no formula, a leading ``_`` hides nothing."""
    legend = ax.legend(handles, [" "] * len(names), frameon=False, fontsize="small", **place)
    for text, name in zip(legend.get_texts(), short_names(names), strict=True):
        text.set(text=name, parse_math=False)
