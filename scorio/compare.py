"""Two models on one metric: which is better, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr, stdtrit

from .errors import OutcomeError, ParameterError
from .interval import two_sided_z
from .metrics import Metric
from .metrics.population import clustered, groups
from .outcome_set import OutcomeSet
from .outcomes import OutcomeMatrix, as_outcomes
from .params import open_unit
from .prior import UNIFORM, PriorLike


@dataclass(frozen=True)
class Comparison:
    """How much better ``A`` is than ``B``: ``difference`` with its ``sigma`` and interval ``lo``, ``hi``.

    ``z`` is the difference over ``sigma``; ``p_better`` the probability that A is the better; ``rho`` that of the
    better-looking one. A winner is called where ``rho`` reaches ``confidence``: of two equal models one is called in
    ``2 (1 - confidence)`` of all comparisons.
    """

    metric: Metric
    difference: float
    sigma: float
    lo: float
    hi: float
    z: float
    rho: float
    p_better: float
    confidence: float
    paired: bool
    prior: PriorLike
    degrees: float
    names: tuple[str, str] = ("A", "B")

    @property
    def winner(self) -> str | None:
        """The model that is called better, or None."""
        if self.rho < self.confidence:
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    def __str__(self) -> str:
        first, second = self.names
        sure = f"{self.difference:+.4g} [{self.lo:.4g}, {self.hi:.4g}], P({first} > {second}) = {self.p_better:.4g}"
        how = "on the same questions" if self.paired else "each on its own"
        verdict = f"{self.winner} is better" if self.winner else f"{first} and {second} cannot be told apart"
        return f"{verdict} on {self.metric} ({how}, confidence {self.confidence:g}): {sure}"


def compare(
    metric: Metric,
    A: Any,
    B: Any,
    *,
    paired: bool | None = None,
    prior: PriorLike = UNIFORM,
    confidence: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare two models, on the same questions (``paired``) or each on its own.

    Paired, the default where both have the same questions: differences question by question, their spread between
    questions (or clusters) as Student's t. What makes a question hard for both cancels. With too few trials for the
    metric's score, posterior means under ``prior`` take its place, with their variance.

    Not paired: the two posteriors under ``prior``, independent, as normals. The default prior is far too timid on hard
    banks, where it calls one of two equal models in a few comparisons of a thousand instead of one in ten;
    ``prior="eb"`` keeps what it says.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> found = compare(PassAtK(1), A, B)
    >>> found.winner, round(found.difference, 4), round(found.rho, 4)
    ('A', 0.4167, 0.9811)
    """
    open_unit("confidence", confidence)
    one, other = as_outcomes(A), as_outcomes(B)
    if paired is None:
        paired = shares_questions(one, other)
    if paired:
        difference, sigma, degrees = _paired(metric, *_aligned(one, other, names), prior)
    else:
        difference, sigma = _apart(metric, one, other, prior)
        degrees = math.inf
    z = difference / sigma if sigma > 0.0 else math.copysign(math.inf, difference) if difference else 0.0
    p_better = float(ndtr(z)) if math.isinf(degrees) else float(stdtr(degrees, z))
    times = two_sided_z(confidence) if math.isinf(degrees) else float(stdtrit(degrees, 0.5 + confidence / 2.0))
    reach = times * sigma
    return Comparison(
        metric=metric,
        difference=difference,
        sigma=sigma,
        lo=difference - reach,
        hi=difference + reach,
        z=abs(z),
        rho=max(p_better, 1.0 - p_better),
        p_better=p_better,
        confidence=confidence,
        paired=paired,
        prior=prior,
        degrees=degrees,
        names=names,
    )


def shares_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> bool:
    """Whether the two are about the same questions: by label, or without labels by number."""
    if one.questions is None and other.questions is None:
        return one.n_questions == other.n_questions
    return one.questions is not None and other.questions is not None and set(one.questions) == set(other.questions)


def _aligned(one: OutcomeMatrix, other: OutcomeMatrix, names: tuple[str, str]) -> tuple[OutcomeMatrix, OutcomeMatrix]:
    if len(set(names)) < len(names):
        raise ParameterError(f"names must differ; got {names}")
    both = OutcomeSet(dict(zip(names, (one, other), strict=True)))
    return both[names[0]], both[names[1]]


def _apart(metric: Metric, one: OutcomeMatrix, other: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
    mine, theirs = (metric.posterior(bank, prior=prior) for bank in (one, other))
    return mine.mu - theirs.mu, float(np.hypot(mine.sigma, theirs.sigma))


def _paired(metric: Metric, one: OutcomeMatrix, other: OutcomeMatrix, prior: PriorLike) -> tuple[float, float, float]:
    """Difference, standard error and degrees of freedom; a lone question or cluster falls back to the posteriors."""
    group = groups(one)
    count = int(group.max()) + 1
    if count < 2:
        return *_apart(metric, one, other, prior), math.inf
    if not metric.additive:
        return *_jackknife(metric, one, other, group), count - 1.0
    own, extra = _differences(metric, one, other, prior)
    error = np.sqrt(clustered(own, group) + extra)
    if error == 0.0:
        return float(own.mean()), _apart(metric, one, other, prior)[1], math.inf
    return float(own.mean()), float(error), count - 1.0


def _differences(
    metric: Metric, one: OutcomeMatrix, other: OutcomeMatrix, prior: PriorLike
) -> tuple[NDArray[np.float64], float]:
    """Each question's difference, and the variance of their mean that is not in their spread."""
    if min(one.min_trials, other.min_trials) >= metric.needs:
        return metric.per_question(one) - metric.per_question(other), 0.0
    mine, theirs = (metric.moments(bank, prior=prior) for bank in (one, other))
    extra = float(mine.variance.sum() + theirs.variance.sum()) / len(mine.mean) ** 2
    return mine.mean - theirs.mean, extra


def _jackknife(
    metric: Metric, one: OutcomeMatrix, other: OutcomeMatrix, group: NDArray[np.intp]
) -> tuple[float, float]:
    """A score that is no mean over questions: its differences with each cluster left out."""
    if min(one.min_trials, other.min_trials) < metric.needs:
        raise OutcomeError(f"{metric} has no score on fewer than {metric.needs} trials: compare with paired=False")
    count = int(group.max()) + 1
    left = np.array(
        [metric.score(one.select(group != each)) - metric.score(other.select(group != each)) for each in range(count)]
    )
    error = float(np.sqrt((count - 1) / count * np.sum((left - left.mean()) ** 2)))
    return metric.score(one) - metric.score(other), error
