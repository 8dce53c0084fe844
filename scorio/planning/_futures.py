"""Simulated outcomes of trials to come, and how precise the answer is with them.

A future draws the success rates of all questions from their posterior under the learned prior, and then ``n`` trials.
Of a metric that needs more trials than there are, what counts is how wide the interval is, on average over futures: it
holds what the trials leave open, which is not in the deviation of the learned law.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts
from ..inference import LEARNED, Level, Prior, draw_rates
from ..metrics import Metric, learned_prior
from ..outcomes import OutcomeMatrix


class Futures:
    """Futures of one model, a seed each: the same rates for every number of further trials.

    With a ``level``, the variance of a metric that needs more trials than there are is that of the normal law whose
    interval is as wide.
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
        self.level = level if prior.is_learned and metric._share_left_open(outcomes) > 0.0 else None

    def variance(self, more: int | Counts) -> float:
        """Return the posterior variance to expect after ``more`` trials of every question, or so many of each."""
        if not np.any(more):
            return self._spread(self.outcomes) ** (1 if self.level is None else 2)
        spreads = [self._spread(self._later(more, future)) for future in range(len(self.seeds))]
        return float(np.mean(spreads)) ** (1 if self.level is None else 2)

    def _spread(self, outcomes: OutcomeMatrix) -> float:
        """Return the posterior variance or, at a level, the standard deviation of a normal law that is as wide."""
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
