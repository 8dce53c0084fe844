"""Is every question solved with at least a given probability? A verdict per question, at one error rate for all."""

from __future__ import annotations

import csv
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from .._arrays import Counts, Vector
from .._display.exports import Exports
from .._display.numbers import number, percent, span
from .._display.table import Field
from .._display.words import pluralize, shorten, tally
from .._kernels import prior_moments
from .._special import beta_binomial, betainc, betaincinv, log_choose
from ..errors import OutcomeError, ParameterError
from ..estimates import as_tasks, holm, of_model, only_model
from ..inference import PriorLike, SharedPrior, as_prior
from ..metrics import learned_prior
from ..outcomes import OutcomeMatrix
from ..params import choice, open_unit
from ._gate_coverage import trials_problem
from ._verdicts import CHANCE, FAILED, PASSED, UNDECIDED, VERDICTS, worst_of

Limits = float | Mapping[Any, Any]  # the probabilities asked for: one for all, or by question or task
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
        rule = f"each question by {RULES[self.rule]} {sure}"
        about = (
            "rate, alone: exact one-sided bounds from the trials of this question; repeats: the trials from which it"
        )
        return [*notes, rule, f"{about} would be decided with {CHANCE:.0%} probability if its rate is the present one"]


RULES: Mapping[str, str] = MappingProxyType(
    {
        "posterior": "its posterior, with strength borrowed from the other questions",
        "binomial": "the exact binomial test of its own trials",
    }
)


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
    choice("question_rule", rule, RULES)
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
        chances.append(_by_binomial(outcomes, asked) if rule == "binomial" else _by_posterior(outcomes, asked, prior))
        problem = problem or ("" if allow_missing else trials_problem(name or "the model", outcomes))
    p_passed, p_failed = (np.concatenate(of_tasks) for of_tasks in zip(*chances, strict=True))
    error = 1.0 - confidence
    s, n = (np.array(column) for column in list(zip(*parts, strict=True))[2:4])
    corrected = np.where(n > 0, holm(np.minimum(p_passed, p_failed).tolist()), 1.0)
    numbers = np.column_stack([*_bounds(s, n, error), p_passed, p_failed, corrected]).tolist()
    rows = [_check(part, values, error, len(parts)) for part, values in zip(parts, numbers, strict=True)]
    return QuestionLimits(name, tuple(rows), confidence, rule, problem)


def _check(part: tuple[str, Any, int, int, float], numbers: Sequence[float], error: float, count: int) -> QuestionCheck:
    """Return the verdict about one of so many questions."""
    _, _, solved, trials, limit = part
    lo, hi, p_passed, p_failed, corrected = numbers
    verdict, repeats = UNDECIDED, None
    if corrected <= error:
        verdict = PASSED if p_passed <= p_failed else FAILED
    else:
        repeats = repeats_to_decide((solved + 0.5) / (trials + 1.0), limit, error / count)
    return QuestionCheck(*part, lo, hi, p_passed, p_failed, corrected, verdict, repeats)


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
    c, n = states.successes, states.trials
    all_below, odds = np.empty((2, len(where)))
    for limit in np.unique(limits):
        if assumed.is_learned:
            below, chance = _states_below(learned_prior(counted), float(limit))
        else:
            a, b = assumed.pair()
            below, chance = betainc(a + c, b + (n - c), limit), beta_binomial(c, n, a, b)
        mine = np.flatnonzero(limits == limit)
        all_below[mine], odds[mine] = below[where[mine]], (_binomial(c, n, float(limit)) / chance)[where[mine]]
    return all_below, odds


def _binomial(c: Counts, n: Counts, rate: float) -> Vector:
    inner = min(max(rate, 1e-300), 1.0 - 1e-16)
    return np.asarray(np.exp(log_choose(n, c) + c * np.log(inner) + (n - c) * np.log1p(-inner)))


def _below_at_nodes(prior: SharedPrior, limit: float) -> tuple[Vector, Vector]:
    """Return the probability of a rate below ``limit`` in every state, and of the state, at every node, (J, S) each."""
    c, n = prior.states.successes, prior.states.trials
    a, b = (np.asarray(numbers, dtype=np.float64)[: prior.size, None] for numbers in (prior.alpha, prior.beta))
    below, chance = betainc(a + c, b + (n - c), limit), beta_binomial(c, n, a, b)
    for node in range(prior.size):
        masses = prior.point_masses(node)
        if masses is not None:
            share, zero, one = (numbers[:, None] for numbers in masses)
            low, smooth = zero * (c == 0), (1.0 - zero - one) * chance[node]
            total = low + smooth + one * (c == n)
            below[node] = (share * (low + smooth * below[node]) / total).sum(axis=0) / share.sum()
            chance[node] = (share * total).sum(axis=0) / share.sum()
    return below, chance


def _states_below(prior: SharedPrior, limit: float) -> tuple[Vector, Vector]:
    """Return the probability of a rate below the limit in every state, and of the state, over all components."""
    weight = prior.weight / prior.weight.sum()
    below, chance = _below_at_nodes(prior, limit)
    density = prior.grid_density
    if density is not None:
        rates, mass = density
        share = prior_moments.grid_posterior(prior)
        at_points = np.array([_binomial(prior.states.successes, prior.states.trials, rate) for rate in rates.tolist()])
        below = np.vstack([below, share @ (rates < limit) / share.sum(axis=1)])
        chance = np.vstack([chance, mass @ at_points / mass.sum()])
    return np.clip(weight @ below, 0.0, 1.0), weight @ chance


def _by_binomial(outcomes: OutcomeMatrix, limits: Vector) -> tuple[Vector, Vector]:
    s, n = outcomes.successes, outcomes.trials
    most = np.where(s > 0, betainc(np.maximum(s, 1), n - s + 1.0, limits), 1.0)  # P(at least s at the limit)
    least = np.where(s < n, 1.0 - betainc(s + 1.0, np.maximum(n - s, 1), limits), 1.0)  # P(at most s)
    return most, least


def read_limits(path: Path, column: str = "threshold") -> dict[str, Any]:
    """Read the limits of questions from a CSV file with the columns ``question``, ``column`` and, for tasks, ``task``.

    Rows that repeat a question must agree, so that a table of trials can hold them.
    """
    limits: dict[str, Any] = {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        for name in ("question", column):
            if name not in (table.fieldnames or ()):
                raise ParameterError(f"{path} has no column {name!r}; it has {', '.join(table.fieldnames or ())}")
        for row in table:
            of_task = limits.setdefault(row["task"], {}) if "task" in row else limits
            try:
                limit = float(row[column])
            except (TypeError, ValueError):
                raise ParameterError(f"{path}, line {table.line_num}: {column} is no number: {row[column]!r}") from None
            if of_task.setdefault(row["question"], limit) != limit:
                problem = f"line {table.line_num}: question {row['question']!r} has several limits"
                raise ParameterError(f"{path}, {problem}")
    return limits


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
