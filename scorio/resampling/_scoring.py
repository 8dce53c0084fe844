"""Scores of replicates: by tables over (n, successes) if possible, otherwise by the metric on the counts.

For binary outcomes, a metric that is a mean over questions is a function of (n, successes) per question: one table
gives the scores of all replicates. A blend of dataset means is a product of powers of two such means. Categories, prior
outcomes and other kinds of metrics are scored from the counts, which is slower and gives the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..metrics import Blend, Metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._source import Grid, Seeds, TrialSource

Scores = NDArray[np.float64]
_ROWS = 1 << 18  # questions times replicates that are scored at once


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores of replicates by several metrics: ``factors[i]`` are the tables and powers of metric i, or None."""

    metrics: tuple[Metric, ...]
    n: Grid
    tables: NDArray[np.float64]  # (tables, n, successes)
    factors: tuple[tuple[tuple[int, float], ...] | None, ...]

    def __call__(self, source: TrialSource, seeds: Seeds) -> Scores:
        """Return one model's scores, (metrics, replicates, n); NaN if ``n`` is below what a metric needs."""
        out = np.empty((len(self.metrics), len(seeds), len(self.n)))
        means = source.sums(seeds, self.n, self.tables) / source.outcomes.n_questions
        for scores, metric, factors in zip(out, self.metrics, self.factors, strict=True):
            if factors is None:
                scores[:] = _scores_of_counts(metric, source, seeds, self.n)
            else:
                scores[:] = np.prod([means[:, table] ** power for table, power in factors], axis=0)
        return out


def scorer(metrics: Sequence[Metric], models: OutcomeSet, n: Grid) -> Scorer:
    """Return the fastest way to score these metrics at these ``n``."""
    parts = [_parts(metric) if _successes_suffice(models) else None for metric in metrics]
    distinct = list(dict.fromkeys(part for factors in parts if factors for part, _ in factors))
    first = next(iter(models.values()))
    tables = np.array([_table(metric, first, n) for metric in distinct]).reshape(len(distinct), len(n), n[-1] + 1)
    index = {metric: i for i, metric in enumerate(distinct)}
    factors = tuple(None if each is None else tuple((index[part], power) for part, power in each) for each in parts)
    return Scorer(tuple(metrics), n, tables, factors)


def _parts(metric: Metric) -> tuple[tuple[Metric, float], ...] | None:
    """Return the means over questions of which the score is a product of powers."""
    if metric._is_mean_over_questions:
        return ((metric, 1.0),)
    return metric._parts if isinstance(metric, Blend) else None


def _successes_suffice(models: OutcomeSet) -> bool:
    """Return whether successes and trials determine the score of a question, for every model alike."""
    alike = len({matrix.levels for matrix in models.values()}) == 1
    return alike and models.n_categories == 2 and all(each.prior_counts is None for each in models.values())


def _table(metric: Metric, like: OutcomeMatrix, n: Grid) -> NDArray[np.float64]:
    """Return the metric of a question with ``n`` trials and each number of successes, (n, largest n + 1)."""
    trials = np.repeat(n, n + 1)
    successes = np.concatenate([np.arange(each + 1) for each in n])
    states = _with_counts(like, np.stack([trials - successes, successes], axis=1))
    table = np.zeros((len(n), n[-1] + 1))
    table[np.repeat(np.arange(len(n)), n + 1), successes] = metric.per_question(states, too_few="nan")
    return table


def _scores_of_counts(metric: Metric, source: TrialSource, seeds: Seeds, n: Grid) -> Scores:
    """Return the metric of the replicates' counts, (replicates, n)."""
    batch = max(1, _ROWS // (len(n) * source.outcomes.n_questions))
    batches = [seeds[start : start + batch] for start in range(0, len(seeds), batch)]
    return np.concatenate([_scores_of_batch(metric, source, some, n) for some in batches])


def _scores_of_batch(metric: Metric, source: TrialSource, seeds: Seeds, n: Grid) -> Scores:
    counts = source.counts(seeds, n)
    shape, categories = counts.shape[:2], counts.shape[-1]
    if metric._is_mean_over_questions:
        values = metric.per_question(_with_counts(source.outcomes, counts.reshape(-1, categories)), too_few="nan")
        return np.asarray(values.reshape(*shape, -1).mean(axis=-1))
    scores = [
        metric.score(_with_counts(source.outcomes, each), too_few="nan")
        for each in counts.reshape(-1, *counts.shape[2:])
    ]
    return np.array(scores).reshape(shape)


def _with_counts(like: OutcomeMatrix, counts: NDArray[np.int64]) -> OutcomeMatrix:
    """Return these counts with the levels of ``like``, and its prior outcomes repeated to fit."""
    prior = like.prior_counts
    if prior is not None:
        prior = np.tile(prior, (len(counts) // len(prior), 1))
    return like.replaced(counts=counts, planned=counts.sum(axis=1), prior=prior, questions=None, clusters=None)
