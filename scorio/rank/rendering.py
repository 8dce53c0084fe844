"""A leaderboard as tables: what their columns are and what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..params import decimals
from ..prior import LEARNT
from ..sheet import Column, Sheet
from ..words import amount

if TYPE_CHECKING:
    from .standing import Row, Standing

_LEGEND = "* not told from the best"
_PULLED = 'a score outside its interval: the fixed prior pulls towards the middle; prior="eb" is learnt instead'
_APART = "a score outside its interval: the score is of these trials, the interval of what new ones would settle at"


class _Shown(NamedTuple):
    """A column, and what it says of a row."""

    column: Column
    cell: Callable[[Row], str]


def sheet(standing: Standing, digits: int = 3) -> Sheet:
    """The table of one standing with numbers to so many decimals."""
    shown = _columns(standing, decimals("digits", digits))
    return Sheet(
        f"{standing.metric} of {amount(len(standing), 'model')} on {amount(standing.n_questions, 'question')}",
        [each.column for each in shown],
        [[each.cell(row) for each in shown] for row in standing.rows],
        [str(standing.settings), _LEGEND, *_outside(standing, digits)],
    )


def _outside(standing: Standing, digits: int) -> list[str]:
    """Why scores are outside their intervals, where readers see that they are."""
    shown = (tuple(round(value, digits) for value in (row.lo, row.score, row.hi)) for row in standing.rows)
    if all(lo <= score <= hi for lo, score, hi in shown):
        return []
    return [_APART if standing.settings.prior == LEARNT else _PULLED]


def _columns(standing: Standing, digits: int) -> list[_Shown]:
    """What a table of this standing shows."""

    def number(value: float) -> str:
        return f"{value:.{digits}f}"

    interval = Column(f"{standing.settings.percent} interval")
    shown = [
        _Shown(Column("rank", right=True), lambda row: f"{row.rank:g}"),
        _Shown(Column("model"), lambda row: row.model),
        _Shown(Column("score", right=True), lambda row: number(row.score)),
        _Shown(interval, lambda row: f"[{number(row.lo)}, {number(row.hi)}]"),
        _Shown(Column("ranks"), lambda row: "-".join(map(str, sorted({row.rank_lo, row.rank_hi})))),
        _Shown(Column("P(best)", right=True), lambda row: chance(row.p_best)),
        _Shown(Column("top"), lambda row: "*" * row.tied_with_top),
    ]
    if any(row.coverage < 1.0 for row in standing.rows):
        shown.insert(2, _Shown(Column("coverage", right=True), lambda row: f"{row.coverage:.1%}"))
    return shown


def chance(p: float) -> str:
    """A probability to two digits that says 0 or 1 only where it is.

    >>> chance(0.0001), chance(0.5), chance(1.0)
    ('<0.01', '0.50', '1.00')
    """
    if 0.0 < p < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= p < 1.0 else f"{p:.2f}"
