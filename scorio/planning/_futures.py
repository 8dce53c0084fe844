"""Simulated outcomes of trials to come, and how precise the answer is with them.

A future draws the success rates of all questions from their posterior, and then ``n`` trials. How many questions these
solve is Pass@n, so the law of the rates is that of Pass@n: the learned prior up to 4 times the trials that there are,
and beyond, for questions of few successes, more and more often the tail's own law (``metrics/_beyond``), as far as the
interval that follows still rests on it. All rates of a future then come from one density, and the densities from evenly
spaced quantiles of the forecast, so that a few futures show the whole range. The law of a forecast itself is far from
normal. What counts of it is how wide the interval is, on average over futures, and not the deviation.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Vector
from ..inference import LEARNED, Level, Prior, draw_rates
from ..metrics import Metric, Tail, learned_prior, share_of_tail, tail_of
from ..outcomes import OutcomeMatrix


class Futures:
    """Futures of one model, a seed each: the same rates for every number of further trials.

    With a ``level``, the variance of a forecast is that of the normal law whose interval is as wide.
    """

    def __init__(
        self,
        metric: Metric,
        outcomes: OutcomeMatrix,
        prior: Prior,
        seeds: Iterable[int] | NDArray[np.int64],
        level: Level | None = None,
    ) -> None:
        self.metric, self.outcomes, self.prior, self.seeds = metric, outcomes, prior, list(seeds)
        self.tail = tail_of(metric, outcomes) if prior.is_learned else None
        self.level = None if self.tail is None else level

    def variance(self, more: int | Counts) -> float:
        """Return the posterior variance to expect after ``more`` trials of every question, or so many of each."""
        if not np.any(more):
            return self._spread(self.outcomes) ** (1 if self.level is None else 2)
        spreads = [self._spread(self._later(more, future)) for future in range(len(self.seeds))]
        return float(np.mean(spreads)) ** (1 if self.level is None else 2)

    def _spread(self, outcomes: OutcomeMatrix) -> float:
        """Return the posterior variance or, of a forecast, the standard deviation of a law that is as wide."""
        if self.level is None:
            return self.metric._law_of(outcomes, self.prior, "questions").sd ** 2
        limits = self.metric.support(outcomes)
        _, _, lo, hi = self.metric._interval(outcomes, self.level, None, LEARNED, "questions", limits)
        return (hi - lo) / 2.0 / self.level.critical()

    def _later(self, more: int | Counts, future: int) -> OutcomeMatrix:
        """Return the outcomes with the trials of one future."""
        rng, outcomes, informed = (
            np.random.default_rng(self.seeds[future]),
            self.outcomes,
            self.outcomes.with_prior_counts,
        )
        if self.prior.is_learned and outcomes.has_two_categories:  # from one draw of the shared prior
            rate = draw_rates(learned_prior(informed), informed._state_of_question, rng)
            if self.tail is not None:
                self._draw_tail(rate, self.tail, more, future)
            rates = np.stack([1.0 - rate, rate], axis=1)
        else:
            width = informed.n_categories
            pseudo = np.full(width, 0.5) if self.prior.is_learned else self.prior._checked_counts(width)
            drawn = rng.standard_gamma(informed.counts + pseudo)
            rates = drawn / drawn.sum(axis=1, keepdims=True)
        counts = outcomes.counts.copy()
        counts[:, : rates.shape[1]] += rng.multinomial(more, rates)
        later = outcomes._replaced(counts=counts, planned=outcomes.planned_trials + more)
        return later if np.isscalar(more) else later.as_adaptive()  # the outcomes so far decide who gets trials

    def _draw_tail(self, rates: Vector, tail: Tail, more: int | Counts, future: int) -> None:
        """Draw rates of questions of few successes from the tail's own law, in as many futures as it has weight."""
        where = self.outcomes.with_prior_counts._state_of_question
        is_low = tail.prior.is_low[where]
        asked, now = np.broadcast_to(more, is_low.shape), self.outcomes.mean_trials
        reached = share_of_tail(round(float(asked[is_low].mean())), now) if is_low.any() else 0.0
        share = min(reached, share_of_tail(tail.k, now + float(asked.mean())))
        spot = (future + 0.5) / len(self.seeds)
        if spot < share:
            low, rng = (np.cumsum(tail.prior.is_low) - 1)[where[is_low]], np.random.default_rng([self.seeds[future], 1])
            [drawn] = tail.prior.draw_rates(tail.k, np.array([spot / share]), low, rng)
            rates[is_low] = 1.0 - drawn if tail.of_failures else drawn
