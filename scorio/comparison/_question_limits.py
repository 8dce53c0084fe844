"""Is every question solved with at least a given probability? A verdict per question, at one error rate for all."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Counts, Vector
from .._base.exports import Exports
from .._base.numbers import number, percent, span
from .._base.special import beta_binomial, betainc, betaincinv, binomial
from .._base.table import Field
from .._base.words import pluralize, shorten, tally
from .._kernels import prior_moments
from .._kernels.shared_prior import SharedPrior
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import as_tasks, of_model, only_model
from ..inference._prior import PriorLike, as_prior
from ..metrics._shared_prior import learned_prior
from ..outcomes import OutcomeMatrix
from ..params import choice, open_unit
from ._verdicts import CHANCE, FAILED, PASSED, UNDECIDED, VERDICTS, decided, worst_of

Limits = float | Mapping[Any, Any]  # the probabilities asked for: one for all, or by question or task
ALLOW_MISSING = "finish the run, or allow it (allow_missing=True)"
_COMPLETE = 0.9  # of the planned trials: with a smaller share, a run counts as one that ended early
_POSTERIOR, _BINOMIAL = "posterior", "binomial"
_MOST_REPEATS = 10_000  # that are worth naming
_AT_LIMIT = 1.0  # questions at the limit that the prior may overlook


@dataclass(frozen=True)
class QuestionCheck:
    """Whether one question is solved with at least the probability ``limit``.

    ``lo`` and ``hi`` are exact one-sided bounds of the success rate from the trials of this question alone.
    ``p_passed`` is the error probability of the statement that the rate is at least ``limit``, ``p_failed`` that of
    the statement that it is lower, and ``p_corrected`` the smaller one, corrected for the number of questions.
    ``repeats`` is the number of trials from which the question would be decided with 80% probability if its rate is
    the present one; None if it is decided, or if no realistic number is enough.
    """

    task: str
    question: Any
    successes: int
    trials: int
    limit: float
    lo: float
    hi: float
    p_passed: float
    p_failed: float
    p_corrected: float
    verdict: str
    repeats: int | None = None

    def __str__(self) -> str:
        where = f"{self.task}: {self.question}" if self.task else str(self.question)
        numbers = (
            f"{self.successes} of {self.trials}, which alone show a rate of {number(self.lo)} to {number(self.hi)}"
        )
        return f"{self.verdict}: {where}, {numbers}; at least {self.limit:g} is asked for"


@dataclass(frozen=True)
class QuestionLimits(Exports):
    """The verdict about every question, at one error rate for all: the part of a gate that asks ``per_question``.

    Any of the verdicts *passed* and *failed* is wrong with a probability of at most ``1 - confidence``. It is failed if
    a question failed, passed if all passed, and undecided otherwise, and where ``problem`` says that a run ended early.
    """

    model: str
    rows: tuple[QuestionCheck, ...]
    confidence: float
    rule: str
    problem: str = ""
    _also: ClassVar = ("verdict",)
    _most: ClassVar = 20
    _columns: ClassVar = (
        Field("verdict", of="verdict"),
        Field("task", of="task", unless=""),
        Field("question", of="question"),
        Field("solved", True, "successes trials", "{} of {}".format),
        Field("asked for", True, "limit", "{:g}".format),
        Field("rate, alone", True, "lo hi", span),
        Field("P(too low)", True, "p_passed", number),
        Field("repeats", True, "repeats", "{:,}".format),
    )

    @property
    def verdict(self) -> str:
        """Whether all questions passed, some failed, or neither is known."""
        return UNDECIDED if self.problem else worst_of(row.verdict for row in self.rows)

    @property
    def deciding(self) -> tuple[QuestionCheck, ...]:
        """The questions that the verdict follows from: those that failed, else those that are undecided."""
        failed, undecided = ([row for row in self.rows if row.verdict == kind] for kind in (FAILED, UNDECIDED))
        rows = [] if self.verdict == PASSED else failed or undecided
        return tuple(sorted(rows, key=lambda row: (row.p_corrected, -row.p_passed)))

    def __str__(self) -> str:
        counts = tally((row.verdict for row in self.rows), VERDICTS)
        more = [self.problem] if self.problem else [str(check) for check in self.deciding[:1]]
        return "; ".join([f"each question {self.verdict} ({counts})", *more])

    @property
    def as_title(self) -> str:
        return str(self).split("; ")[0]

    def _rows(self) -> tuple[QuestionCheck, ...]:
        return self.deciding

    def _notes(self) -> list[str]:
        notes = [self.problem] * bool(self.problem)
        sure = f"(Holm); all verdicts hold together with {percent(self.confidence)} confidence"
        by = "the exact binomial test of its own trials"
        if self.rule == _POSTERIOR:
            by = "its posterior, with strength borrowed from the other questions"
        about = (
            "rate, alone: exact one-sided bounds from the trials of this question; repeats: the trials from which it"
        )
        return [
            *notes,
            f"each question by {by} {sure}",
            f"{about} would be decided with {CHANCE:.0%} probability if its rate is the present one",
        ]


def question_limits(
    new: Any,
    model: str | tuple[str, str] | None,
    limits: Limits,
    rule: str,
    *,
    confidence: float,
    prior: PriorLike | None,
    allow_missing: bool,
) -> QuestionLimits:
    """Return the verdict about every question of a model."""
    choice("question_rule", rule, (_POSTERIOR, _BINOMIAL))
    sets, problem = as_tasks(new, "new"), ""
    name = only_model(sets, model if isinstance(model, str) or model is None else model[0], "new")
    tasks = of_model(sets, name, "new")
    parts: list[tuple[str, Any, int, int, float]] = []
    chances: list[tuple[Vector, Vector]] = []
    for task, outcomes in tasks.items():
        of_task = limits[task] if isinstance(limits, Mapping) and task and task in limits else limits
        asked = _limits_of_questions(of_task, task, outcomes)
        if not outcomes.is_pass_fail:
            raise OutcomeError("per_question needs outcomes that pass or fail", where=f"task {task}" if task else None)
        labels = outcomes.questions or tuple(range(outcomes.n_questions))
        s, n = outcomes.successes, outcomes.trials
        parts += [(task, *row) for row in zip(labels, s.tolist(), n.tolist(), asked.tolist(), strict=True)]
        chances.append(_by_binomial(outcomes, asked) if rule == _BINOMIAL else _by_posterior(outcomes, asked, prior))
        problem = problem or ("" if allow_missing else trials_problem(name or "the model", outcomes))
    p_passed, p_failed = (np.concatenate(of_tasks) for of_tasks in zip(*chances, strict=True))
    error = 1.0 - confidence
    s, n = (np.array(column) for column in list(zip(*parts, strict=True))[2:4])
    passed, failed = (np.where(n > 0, p, 1.0).tolist() for p in (p_passed, p_failed))
    corrected, verdicts = decided(passed, failed, error)
    numbers = np.column_stack([*_bounds(s, n, error), p_passed, p_failed, corrected]).tolist()
    rows = []
    for part, values, verdict in zip(parts, numbers, verdicts, strict=True):
        _, _, solved, trials, limit = part
        rate, is_open = (solved + 0.5) / (trials + 1.0), verdict == UNDECIDED
        repeats = repeats_to_decide(rate, limit, error / len(parts)) if is_open else None
        row: list[Any] = [*part, *values, verdict, repeats]
        rows.append(QuestionCheck(*row))
    return QuestionLimits(name, tuple(rows), confidence, rule, problem)


def trials_problem(name: str, outcomes: OutcomeMatrix) -> str:
    """Say that the run of a model ended early; empty if it did not."""
    if outcomes.completeness >= _COMPLETE:
        return ""
    return f"{name} has outcomes of only {outcomes.completeness:.0%} of its planned trials: {ALLOW_MISSING}"


def _bounds(s: Counts, n: Counts, error: float) -> tuple[Vector, Vector]:
    """Return exact one-sided bounds of each rate."""
    lo = np.where(s > 0, betaincinv(np.maximum(s, 1), n - s + 1.0, error), 0.0)
    hi = np.where(s < n, betaincinv(s + 1.0, np.maximum(n - s, 1), 1.0 - error), 1.0)
    return lo, hi


@lru_cache(maxsize=4096)
def repeats_to_decide(rate: float, limit: float, error: float) -> int | None:
    """Return the trials from which the exact binomial test decides a question with 80% probability; None if too many.

    >>> repeats_to_decide(1.0, 0.8, 0.05), repeats_to_decide(0.5, 0.8, 0.05), repeats_to_decide(0.8, 0.8, 0.05)
    (14, 19, None)
    """
    n = 1
    while _power(n, rate, limit, error) < CHANCE:
        n *= 2
        if n > _MOST_REPEATS:
            return None
    low = n // 2
    while n - low > 1:
        middle = (n + low) // 2
        low, n = (low, middle) if _power(middle, rate, limit, error) >= CHANCE else (middle, n)
    return n


def _power(trials: int, rate: float, limit: float, error: float) -> float:
    """Return the probability that the exact binomial test of so many trials decides, on the side of ``rate``."""
    if rate < limit:
        rate, limit = 1.0 - rate, 1.0 - limit
    successes = range(1, trials + 1)  # the fewest of them whose probability at the limit is at most the error
    enough = 1 + bisect_left(successes, True, key=lambda k: bool(betainc(k, trials - k + 1.0, limit) <= error))
    return float(betainc(enough, trials - enough + 1.0, rate)) if enough <= trials else 0.0


def _by_posterior(outcomes: OutcomeMatrix, limits: Vector, prior: PriorLike | None) -> tuple[Vector, Vector]:
    """Return the posterior errors of both statements, as if some questions more than the prior knows were at the limit.

    One such question is then wrongly decided with a probability of at most the error rate over ``_AT_LIMIT``, whatever
    the prior: the outcomes for which ``f / L`` is at most that have a probability of at most that, where ``f`` is their
    probability at the limit and ``L`` that under the prior.
    """
    below, odds = rates_below(outcomes, limits, prior)
    extra = _AT_LIMIT / len(limits) * odds
    return np.minimum(below + extra, 1.0), np.minimum(1.0 - below + extra, 1.0)


def rates_below(outcomes: OutcomeMatrix, limits: Vector, prior: PriorLike | None = None) -> tuple[Vector, Vector]:
    """Return how probable a rate below its limit is for each question, with a learned prior by default.

    The second number is how much more probable its outcomes are at a rate of exactly the limit than under the prior.

    >>> rates_below(OutcomeMatrix.from_counts([10, 0], 10), np.array([0.5, 0.5]), "uniform")[0].round(4)
    array([5.000e-04, 9.995e-01])
    """
    counted, assumed = outcomes.with_prior_counts, as_prior("learned" if prior is None else prior)
    states, where = counted.states, counted.state_of_question
    shared = learned_prior(counted) if assumed.is_learned else None
    parts = np.array([[*assumed.pair(), 1.0, 0.0, 0.0]]) if shared is None else _parts_of(shared)
    all_below, odds = np.empty((2, len(where)))
    for limit in np.unique(limits).tolist():
        below, chance = _states_below(states, parts, shared, limit)
        mine = np.flatnonzero(limits == limit)
        all_below[mine] = below[where[mine]]
        odds[mine] = (binomial(states.successes, states.trials, limit) / chance)[where[mine]]
    return all_below, odds


def _parts_of(prior: SharedPrior) -> Vector:
    """Return the Betas that a learned prior is made of: alpha, beta, weight, and its point masses at 0 and 1."""
    parts: list[Any] = []
    for node, (alpha, beta, weight) in enumerate(zip(prior.alpha, prior.beta, prior.weight[: prior.size], strict=True)):
        shares, zeros, ones = prior.point_masses(node) or np.array([[1.0], [0.0], [0.0]])
        betas = np.array([[alpha], [beta]]).repeat(len(shares), axis=1)
        parts.append([*betas, weight * shares / shares.sum(), zeros, ones])
    return np.hstack(parts).T


def _states_below(states: Any, parts: Vector, prior: SharedPrior | None, limit: float) -> tuple[Vector, Vector]:
    """Return the probability of a rate below the limit in every state, and of the state, over all of the prior."""
    c, n = states.successes, states.trials
    a, b, weight, zero, one = parts.T[:, :, None]
    low, smooth = zero * (c == 0), (1.0 - zero - one) * beta_binomial(c, n, a, b)
    chances = low + smooth + one * (c == n)
    below = (weight * (low + smooth * betainc(a + c, b + (n - c), limit)) / chances).sum(axis=0)
    chance = (weight * chances).sum(axis=0)
    if prior is not None and (density := prior.grid_density) is not None:
        rates, mass = density
        share = prior_moments.grid_posterior(prior)
        at_points = np.array([binomial(states.successes, states.trials, rate) for rate in rates.tolist()])
        below += prior.grid_weight * (share @ (rates < limit) / share.sum(axis=1))
        chance += prior.grid_weight * (mass @ at_points / mass.sum())
    whole = weight.sum() + (0.0 if prior is None else prior.grid_weight)
    return np.clip(below / whole, 0.0, 1.0), chance / whole


def _by_binomial(outcomes: OutcomeMatrix, limits: Vector) -> tuple[Vector, Vector]:
    s, n = outcomes.successes, outcomes.trials
    most = np.where(s > 0, betainc(np.maximum(s, 1), n - s + 1.0, limits), 1.0)  # P(at least s at the limit)
    least = np.where(s < n, 1.0 - betainc(s + 1.0, np.maximum(n - s, 1), limits), 1.0)  # P(at most s)
    return most, least


def _limits_of_questions(limits: Any, task: str, outcomes: OutcomeMatrix) -> Vector:
    if not isinstance(limits, Mapping):
        return np.full(outcomes.n_questions, open_unit("per_question", limits))
    labels = outcomes.questions or tuple(range(outcomes.n_questions))
    absent = [label for label in labels if label not in limits]
    if absent:
        where = f" of task {task!r}" if task else ""
        problem = f"names no limit for {pluralize(len(absent), 'question')}{where}: {shorten(absent)}"
        raise ParameterError(problem, argument="per_question", hint="name every question, or one number for all")
    return np.array([open_unit(f"the limit of {label!r}", limits[label]) for label in labels])
