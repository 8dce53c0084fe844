"""One metric's leaderboard: scores, intervals, ranks, who cannot be told from the best, and what is known of ranks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from ..grouped import frozen
from ..interval import Interval
from ..metrics import Metric
from ..outcome_set import OutcomeSet
from ..outcomes import OutcomeMatrix
from ..paired import Joint, independent, joint_of
from . import ties
from .posterior import RankPosterior, rank_posterior
from .rendering import sheet
from .rules import TOLERANCE, Ranks, group_ranks, score_order
from .settings import Settings

Vector = NDArray[np.float64]


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
    coverage: float


@dataclass(frozen=True, eq=False, repr=False)
class Standing:
    """How the models stand by one metric; arrays are in the models' order, ``rows`` best first; prints as a table."""

    metric: Metric
    models: tuple[str, ...]
    n_questions: int
    scores: Vector
    intervals: tuple[Interval, ...]
    order: NDArray[np.intp]
    ranks: Ranks
    tied_with_top: NDArray[np.bool_]
    joint: Joint
    settings: Settings

    @cached_property
    def posterior(self) -> RankPosterior:
        """The distribution of ranks; worked out when it is first asked for."""
        return rank_posterior(self.joint, self.settings.draws, self.settings.rng)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All there is to say of each model, best first."""
        reach, best = self.posterior.interval(self.settings.confidence), self.posterior.best
        return tuple(self._row(i, reach[i], float(best[i])) for i in self.order)

    def _row(self, i: np.intp, reach: NDArray[np.intp], p_best: float) -> Row:
        mu, sigma, lo, hi = self.intervals[i]
        return Row(
            metric=str(self.metric),
            rank=self.ranks[i].item(),
            model=self.models[i],
            score=float(self.scores[i]),
            mu=mu,
            sigma=sigma,
            lo=lo,
            hi=hi,
            rank_lo=int(reach[0]),
            rank_hi=int(reach[1]),
            p_best=p_best,
            tied_with_top=bool(self.tied_with_top[i]),
            coverage=self.intervals[i].coverage,
        )

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Standing of {len(self)} models by {self.metric}>"

    def __str__(self) -> str:
        return sheet(self).text()

    def _repr_html_(self) -> str:
        return sheet(self).html()


def standing(metric: Metric, outcomes: OutcomeSet, settings: Settings) -> Standing:
    """Score the models, rank them, and find out who is level with the best."""
    scores, intervals = zip(*(_measured(metric, *item, settings) for item in outcomes.items()), strict=True)
    table = np.array(intervals)
    alone = independent(table[:, 0], table[:, 1])
    together = alone
    if settings.shares_questions:
        together = joint_of(metric, list(outcomes.values()), settings.prior)
    alike = ties.rule(settings.tie, table, together, settings.confidence)
    values = np.array(scores)
    order, level = score_order(values)
    return Standing(
        metric,
        outcomes.names,
        outcomes.n_questions,
        frozen(values),
        intervals,
        frozen(order),
        frozen(group_ranks(order, level | alike(order[:-1], order[1:]), settings.ranking)),
        frozen(alike(order[:1], np.arange(len(order))) | (values >= values[order[0]] - TOLERANCE)),
        together if settings.target == "population" else alone,
        settings,
    )


def _measured(metric: Metric, name: str, bank: OutcomeMatrix, settings: Settings) -> tuple[float, Interval]:
    """Score and interval of one model."""
    try:
        score = metric.score(bank, short=settings.short)
        return score, metric.interval(bank, settings.confidence, **settings.interval_options)
    except OutcomeError as error:
        raise OutcomeError(f"{name}: {error}") from None
