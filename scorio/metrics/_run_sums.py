r"""How much runs differ: the first-order effect of each run on a metric, and what trials alone give.

The first-order effect of a trial on a question's value is its influence ``u``, which depends on its outcome. With
``n_qt`` of the ``n_q`` trials of question ``q`` in run ``t`` and ``f_qt = n_qt / n_q``,

    r_t = 1/M sum_q 1/n_q sum_(trials of q in t) (u - mean u)                 the effect of run t; they add up to 0
    W_tu = 1/M^2 sum_q S_q^2/n_q (f_qt [t = u] - f_qt f_qu)                    their covariance if runs do not differ
    L_tu = 1/M sum_q e_q (f_qt [t = u] - f_qt f_qu),  a_t = 1/M sum_q e_q f_qt

``W`` is exact given the counts, because trials are then exchangeable within a question. A run that shifts the log odds
by ``s x_t`` moves the value of a question by ``e_q s x_t``, where ``e_q = S_q^2 / (max u - min u)`` is ``p (1 - p)``
for Pass@1. So ``r`` is normal with the covariance ``W + s^2 L L'``, and runs add ``s^2 sum a_t^2`` to the variance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._arrays import Vector, cached_property
from .._special import chdtrc
from ..errors import OutcomeError
from ..inference import SIZES
from ..outcomes import NAME_RUNS, OutcomeMatrix, RewardMatrix
from ._continuous_influence import influence_of_rewards
from ._influence import Valued, influence

_BLOCK = 1 << 21  # numbers that are handled at once
_ROUNDING = 1e-9


class _Sums(NamedTuple):
    """Of some questions: trials and sums of centered influences by run, (T, m), and S^2 and e of each question."""

    trials: Vector
    sums: Vector
    variance: Vector
    shift: Vector
    n: Vector


@dataclass(frozen=True, eq=False)
class RunSums:
    """The effects of runs on one metric of one model, as above; ``labels`` are the runs.

    ``weights`` are the shares of the trials that each run has.
    """

    labels: tuple[object, ...]
    effects: Vector
    noise: Vector
    pull: Vector
    shares: Vector
    weights: Vector

    @classmethod
    def weighted(cls, parts: Sequence[RunSums], weights: Vector) -> RunSums:
        """Return the effects of runs on a weighted sum over tasks; a run of several tasks has one effect on all."""
        if len(parts) == 1:
            return parts[0]
        labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))
        place = {label: i for i, label in enumerate(labels)}
        effects, shares, whole, noise, pull = (np.zeros((len(labels),) * n) for n in (1, 1, 1, 2, 2))
        for weight, part in zip(weights.tolist(), parts, strict=True):
            at = np.array([place[label] for label in part.labels])
            effects[at] += weight * part.effects
            shares[at] += weight * part.shares
            whole[at] += weight * part.weights
            noise[np.ix_(at, at)] += weight**2 * part.noise
            pull[np.ix_(at, at)] += weight * part.pull
        return cls(labels, effects, noise, pull, shares, whole)

    @property
    def unit(self) -> float:
        """The variance that runs of the size 1 add to the metric."""
        return float(self.shares @ self.shares)

    @cached_property
    def _whitened(self) -> tuple[Vector, Vector]:
        """Independent effects with the variances ``1 + s^2 root``, and these roots."""
        values, vectors = np.linalg.eigh(self.noise)
        kept = values > _ROUNDING * max(float(values.max(initial=0.0)), 1e-300)
        scaled = vectors[:, kept] / np.sqrt(values[kept])
        roots, turned = np.linalg.eigh(scaled.T @ self.pull @ self.pull @ scaled)
        return turned.T @ (scaled.T @ self.effects), np.maximum(roots, 0.0)

    @property
    def degrees(self) -> int:
        """The number of independent differences between runs."""
        return len(self._whitened[0])

    @property
    def p_value(self) -> float:
        """The probability of runs that differ as much if trials alone made them differ."""
        z, _ = self._whitened
        return float(chdtrc(float(self.degrees), float(z @ z))) if self.degrees else 1.0

    @property
    def log_likelihood(self) -> Vector:
        """The log likelihood of every size of ``SIZES``."""
        z, roots = self._whitened
        variances = 1.0 + SIZES[:, None] ** 2 * roots
        return np.asarray(-0.5 * (np.log(variances) + z**2 / variances).sum(axis=1))

    def replaced(self, effects: Vector) -> RunSums:
        """Return the same with other effects."""
        return replace(self, effects=effects)

    def check(self) -> None:
        """Check that the trials can tell how much runs differ."""
        if len(self.labels) < 2:
            raise OutcomeError(
                "all trials are of one run, which does not show how much runs differ",
                hint="run the evaluation again, or say runs='independent' for a statement about this run alone",
            )
        if self.unit > 0.0 and not self.degrees:
            raise OutcomeError(
                "no question was tried in two runs, so runs cannot be told from questions",
                hint="try the same questions in each run, or say runs='independent'",
            )


def run_sums(metric: Valued, outcomes: OutcomeMatrix) -> RunSums:
    """Return the effects of the runs on a metric."""
    if outcomes.runs is None:
        problem = "it is not known which run each trial belongs to"
        raise OutcomeError(problem, remedies=[NAME_RUNS])
    return outcomes._cached(f"run sums of {metric!r}", lambda: _run_sums(metric, outcomes))


def _run_sums(metric: Valued, outcomes: OutcomeMatrix) -> RunSums:
    labels = outcomes._known_runs.labels
    count, runs = outcomes.n_questions, len(labels)
    (effects, shares, weights), (noise, pull) = np.zeros((3, runs)), np.zeros((2, runs, runs))
    parts = _of_rewards(metric, outcomes) if isinstance(outcomes, RewardMatrix) else _of_counts(metric, outcomes)
    for part in parts:
        n = np.maximum(part.n, 1.0)
        f = part.trials / n
        effects += (part.sums / n).sum(axis=1) / count
        shares += f @ part.shift / count
        weights += f.sum(axis=1) / count
        weight, lift = part.variance / n / count**2, part.shift / count
        noise += np.diag(f @ weight) - (f * weight) @ f.T
        pull += np.diag(f @ lift) - (f * lift) @ f.T
    return RunSums(labels, effects, noise, pull, shares, weights)


def _of_counts(metric: Valued, outcomes: OutcomeMatrix) -> Iterator[_Sums]:
    """Yield the sums of blocks of questions."""
    u = influence(metric, outcomes)
    counts, n = outcomes.counts, outcomes.trials.astype(np.float64)
    mean = (counts * u).sum(axis=1) / np.maximum(n, 1.0)
    centered = u - mean[:, None]
    squares = (counts * centered**2).sum(axis=1)
    spread = np.ptp(u, axis=1)
    variance, shift = _variances(squares, n, spread)
    known = outcomes._known_runs
    step = max(1, _BLOCK // (counts.shape[1] * len(known.labels)))
    ends = np.concatenate([[0], np.cumsum(outcomes.trials)])
    for start in range(0, len(counts), step):
        here = slice(start, start + step)
        stop = min(start + step, len(counts))
        by_run = known.part(int(ends[start]), int(ends[stop])).counts(counts[here])
        yield _Sums(
            by_run.sum(axis=2, dtype=np.float64),
            np.einsum("tqc,qc->tq", by_run, centered[here]),
            variance[here],
            shift[here],
            n[here],
        )


def _of_rewards(metric: Valued, outcomes: RewardMatrix) -> Iterator[_Sums]:
    """Yield the sums of all questions of continuous rewards."""
    known, rows, n = outcomes._known_runs, outcomes._summary.rows, outcomes.trials.astype(np.float64)
    u = influence_of_rewards(metric, outcomes)
    count = outcomes.n_questions
    centered = u - (np.bincount(rows, u, count) / np.maximum(n, 1.0))[rows]
    squares = np.asarray(np.bincount(rows, centered**2, count), np.float64)
    variance, _ = _variances(squares, n, np.ones(count))
    cell = known.of_trial.astype(np.int64) * count + rows
    runs = len(known.labels)
    trials = np.bincount(cell, minlength=runs * count).reshape(runs, count).astype(np.float64)
    sums = np.asarray(np.bincount(cell, centered, runs * count), np.float64).reshape(runs, count)
    yield _Sums(trials, sums, variance, 0.5 * np.sqrt(variance), n)  # as of a question that is solved half the time


def _variances(squares: Vector, n: Vector, spread: Vector) -> tuple[Vector, Vector]:
    """Return the variance of influences within each question, and the shift; single trials have the mean of others."""
    several = n > 1.0
    variance = np.divide(squares, n - 1.0, out=np.zeros_like(n), where=several)
    shift = np.divide(variance, spread, out=np.zeros_like(n), where=spread > 0.0)
    if several.any() and not several.all():
        variance[~several], shift[~several] = variance[several].mean(), shift[several].mean()
    return variance, np.where(n > 0.0, shift, 0.0)
