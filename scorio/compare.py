"""Two models on one metric: which is better, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .errors import OutcomeError, ParameterError
from .metrics import Metric
from .metrics.population import cluster_count
from .metrics.registry import as_metric
from .outcome_set import OutcomeSet
from .outcomes import OutcomeMatrix, as_outcomes
from .paired import Joint, by_question, independent
from .params import open_unit
from .prior import UNIFORM, PriorLike, check_prior

_ROUNDING = 1e-13  # of the largest number involved


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
    metric: Metric | str,
    A: Any,
    B: Any,
    *,
    paired: bool | None = None,
    prior: PriorLike = UNIFORM,
    confidence: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> Comparison:
    """Compare two models by a metric or its name, on the same questions (``paired``) or each on its own.

    Paired, the default where both have the same questions: differences question by question, their spread between
    questions (or clusters) as Student's t. What makes a question hard for both cancels. With too few trials for the
    metric's score, posterior means under ``prior`` take its place, with their variance.

    The interval keeps to the differences that the metric's range allows.

    Not paired: the two posteriors under ``prior``, independent, as normals. The default prior is far too timid on hard
    banks, where it calls one of two equal models in a few comparisons of a thousand instead of one in ten;
    ``prior="eb"`` keeps what it says.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> found = compare(PassAtK(1), A, B)
    >>> found.winner, round(found.difference, 4), round(found.rho, 4)
    ('A', 0.4167, 0.9811)
    """
    metric = as_metric(metric)
    _check(names, paired)
    check_prior(prior)
    open_unit("confidence", confidence)
    one, other = as_outcomes(A), as_outcomes(B)
    if paired is None:
        paired = shares_questions(one, other)
    joint = _paired(metric, _aligned(one, other, names), prior) if paired else _apart(metric, (one, other), prior)
    difference, sigma, p_better = float(joint.mu[0] - joint.mu[1]), float(joint.sd(0, 1)), float(joint.beats(0, 1))
    reach = joint.reach(confidence) * sigma
    (one_low, one_high), (other_low, other_high) = metric.range(one), metric.range(other)
    return Comparison(
        metric=metric,
        difference=difference,
        sigma=sigma,
        lo=max(difference - reach, one_low - other_high),
        hi=min(difference + reach, one_high - other_low),
        z=abs(difference) / sigma if sigma > 0.0 else math.inf if difference else 0.0,
        rho=max(p_better, 1.0 - p_better),
        p_better=p_better,
        confidence=confidence,
        paired=paired,
        prior=prior,
        degrees=joint.df,
        names=(names[0], names[1]),
    )


def shares_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> bool:
    """Whether the two are about the same questions: by label, or without labels by number."""
    if one.questions is None and other.questions is None:
        return one.n_questions == other.n_questions
    return one.questions is not None and other.questions is not None and set(one.questions) == set(other.questions)


def _check(names: Any, paired: Any) -> None:
    if not isinstance(names, (tuple, list)) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"names must be two strings; got {names!r}")
    if names[0] == names[1]:
        raise ParameterError(f"names must differ; got {names}")
    if paired not in (None, True, False):
        raise ParameterError(f"paired must be None, True or False; got {paired!r}")


def _aligned(one: OutcomeMatrix, other: OutcomeMatrix, names: tuple[str, str]) -> list[OutcomeMatrix]:
    return list(OutcomeSet(dict(zip(names, (one, other), strict=True))).values())


def _apart(metric: Metric, banks: Sequence[OutcomeMatrix], prior: PriorLike) -> Joint:
    found = [metric.posterior(bank, prior=prior) for bank in banks]
    return independent([each.mu for each in found], [each.sigma for each in found])


def _paired(metric: Metric, banks: Sequence[OutcomeMatrix], prior: PriorLike) -> Joint:
    """Question by question; the posteriors where there is but one question or cluster, or no spread of differences."""
    if cluster_count(banks[0]) < 2:
        return _apart(metric, banks, prior)
    if not metric.additive and min(bank.min_trials for bank in banks) < metric.needs:
        raise OutcomeError(f"{metric} has no score on fewer than {metric.needs} trials: compare with paired=False")
    joint = by_question(metric, banks, prior)
    if joint.sd(0, 1) > _ROUNDING * max(np.abs(joint.mu).max(), np.abs(joint.shared).max()):
        return joint
    return replace(_apart(metric, banks, prior), mu=joint.mu)
