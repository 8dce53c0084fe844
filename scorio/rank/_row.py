"""One row of a leaderboard."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One model under one metric; ``rank_lo`` to ``rank_hi`` is the interval of its rank."""

    metric: str
    rank: float
    model: str
    score: float
    mu: float
    sigma: float
    lo: float
    hi: float
    rank_lo: int
    rank_hi: int
    p_best: float
    tied_with_top: bool
    completeness: float
