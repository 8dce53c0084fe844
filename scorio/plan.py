"""How many more trials or questions it takes: for an interval of a given width, or to tell two models apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from .compare import compare, shares_questions
from .errors import OutcomeError, ParameterError
from .interval import two_sided_z
from .metrics import BayesMetric, Metric
from .metrics.registry import as_metric
from .outcomes import OutcomeMatrix, as_outcomes
from .params import generator, open_unit, positive
from .preposterior import expected_variance
from .prior import UNIFORM, PriorLike, dirichlet_prior, is_learnt

MOST = 1_000_000  # more trials a question than this are not a plan


@dataclass(frozen=True)
class Plan:
    """How many ``more`` trials a question (or questions) to run, or None with the ``reason``.

    ``expected`` is what that number is expected to reach: the half width of the interval, or the power.
    """

    more: int | None
    unit: str
    expected: float
    reason: str = ""

    def __str__(self) -> str:
        if self.more is None:
            return f"no number of {self.unit} is enough: {self.reason}"
        return f"{self.more} more {self.unit}, expected to reach {self.expected:.4g}"


def plan_trials(
    metric: Metric | str,
    R: Any,
    half_width: float,
    confidence: float = 0.95,
    *,
    prior: PriorLike = UNIFORM,
    rng: int | np.random.Generator | None = 0,
) -> Plan:
    """More trials of every question until the interval's half width is ``half_width``.

    Bayes@N has a closed form; elsewhere the posterior says which outcomes to expect of ``n`` more trials, and how
    narrow that makes the interval on average: exactly, or by simulation for ``prior="eb"``, for blends and for rewards.

    >>> from scorio import BayesMetric
    >>> print(plan_trials(BayesMetric(), [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 0.1))
    31 more trials a question, expected to reach 0.09964
    """
    metric, bank, target = as_metric(metric), as_outcomes(R), positive("half_width", half_width)
    z = two_sided_z(confidence)
    width = expected_variance(metric, bank, prior, generator(rng))

    def reached(n: int) -> float:
        return z * math.sqrt(width(n))

    if (
        isinstance(metric, BayesMetric)
        and not is_learnt(prior)
        and bank.informed.min_trials == bank.informed.max_trials
    ):
        return _closed_form(metric, bank, prior, z, target)
    more = _fewest(lambda n: reached(n) <= target)
    unit = "trials a question"
    if more is None:
        return Plan(None, unit, reached(MOST), f"{MOST:,} more still leave a half width of {reached(MOST):.4g}")
    return Plan(more, unit, reached(more))


def plan_questions(
    metric: Metric | str, R: Any, half_width: float, confidence: float = 0.95, *, prior: PriorLike = UNIFORM
) -> Plan:
    """More questions like these, with as many trials, until the interval for the population is that narrow.

    >>> from scorio import PassAtK
    >>> plan_questions(PassAtK(1), [[0, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]], 0.1).more
    29
    """
    metric, bank, target = as_metric(metric), as_outcomes(R), positive("half_width", half_width)
    now = two_sided_z(confidence) * metric.posterior(bank, prior=prior, target="population").sigma
    total = max(bank.n_questions, math.ceil(bank.n_questions * (now / target) ** 2))
    return Plan(total - bank.n_questions, "questions", now * math.sqrt(bank.n_questions / total))


def plan_separation(
    metric: Metric | str,
    A: Any,
    B: Any,
    *,
    rho: float = 0.95,
    power: float = 0.8,
    paired: bool | None = None,
    prior: PriorLike = UNIFORM,
    rng: int | np.random.Generator | None = 0,
) -> Plan:
    """More trials of every question, for both models, until ``compare`` calls the better one.

    The difference is taken to stay what it is now; ``power`` is the chance that ``rho`` is then reached. Paired, what
    the models differ by from question to question stays, however many trials are run: where that is too much, more
    questions are needed, and the reason says about how many.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]]
    >>> plan_separation(PassAtK(1), A, B, paired=False).more
    40
    """
    _needed("rho", rho)
    margin = _needed("power", power)
    metric, one, other = as_metric(metric), as_outcomes(A), as_outcomes(B)
    paired = shares_questions(one, other) if paired is None else paired
    if paired and not metric.additive:
        raise OutcomeError(f"{metric} is no mean over questions: plan with paired=False")
    now = compare(metric, one, other, paired=paired, prior=prior, confidence=rho)
    called = _needed("rho", rho, now.degrees)
    enough = called + margin
    mine, theirs = (expected_variance(metric, bank, prior, generator(rng)) for bank in (one, other))
    floor = max(now.sigma**2 - mine(0) - theirs(0), 0.0) if paired else 0.0

    def sure(n: int) -> float:
        variance = floor + mine(n) + theirs(n)
        return abs(now.difference) / math.sqrt(variance) if variance > 0.0 else math.inf

    more = None if now.difference == 0.0 else _fewest(lambda n: sure(n) >= enough)
    unit = "trials a question"
    best = sure(MOST if more is None else more)
    reached = 0.5 * (1.0 + math.erf((best - called) / math.sqrt(2.0)))
    if more is not None:
        return Plan(more, unit, reached)
    if now.difference == 0.0:
        return Plan(None, unit, reached, "the models score the same")
    if floor > (now.difference / enough) ** 2:
        questions = math.ceil(one.n_questions * floor * (enough / now.difference) ** 2)
        lasting = (
            f"the models differ from question to question; it takes about {questions} questions, not {one.n_questions}"
        )
        return Plan(None, unit, reached, lasting)
    return Plan(None, unit, reached, f"{MOST:,} more reach a power of {reached:.3g}")


def _needed(name: str, chance: float, degrees: float = math.inf) -> float:
    """How many standard deviations make the chance: as a normal, or as a Student's t of finite ``degrees``."""
    open_unit(name, chance)
    found = float(ndtri(chance) if math.isinf(degrees) else stdtrit(degrees, chance))
    if found < 0.0:
        raise ParameterError(f"{name} must be at least 0.5; got {chance}")
    return found


def _closed_form(metric: BayesMetric, bank: OutcomeMatrix, prior: PriorLike, z: float, target: float) -> Plan:
    """``n = T ((z sigma / eps)^2 - 1)``, with ``T`` the trials and pseudo-counts of a question."""
    now = z * metric.interval(bank, prior=prior, bounds=None).sigma
    informed = bank.informed
    width = len(metric.rewards(informed))
    total = float(informed.trials.mean()) + float(np.sum(dirichlet_prior(prior, width)))
    more = max(0, math.ceil(total * ((now / target) ** 2 - 1.0)))
    return Plan(more, "trials a question", now / math.sqrt(1.0 + more / total))


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from which on it is enough, found by doubling and halving; None above ``MOST``."""
    if enough(0):
        return 0
    high = 1
    while not enough(high):
        if high >= MOST:
            return None
        high = min(2 * high, MOST)
    low = high // 2
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
