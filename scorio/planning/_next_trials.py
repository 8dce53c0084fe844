"""Which questions, and which models, should get the next trials, by what is known of each question."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Vector, underflow_is_zero
from .._display.exports import Exports
from .._display.numbers import percent
from .._display.table import Field
from .._display.words import pluralize
from ..errors import OutcomeError
from ..estimates import Weights
from ..inference import LEARNED, Level, as_prior
from ..metrics import BayesMetric, ContinuousMean, Metric, PassAtK, SampleMetric
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import positive
from ._entrants import Entrants, TaskPart, costs_of, entrants
from ._expected import Futures, expected_variances, fill, level_up

_AT_LEAST = 2  # trials of every question before questions are treated differently
_ADAPTIVE = (
    'questions get different numbers of trials because of their outcomes: use prior="learned" on the results, '
    "because raw means are biased"
)


class NextTrials(NamedTuple):
    """The number of further ``trials`` that one model should run on one question, and the cost per trial.

    ``task`` is that of the question in a suite, else None.
    """

    model: str
    question: Hashable
    trials_so_far: int
    trials: int
    cost: float
    task: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name, the task only in a suite."""
        values = self._asdict()
        task = values.pop("task")
        return values if task is None else {"model": values.pop("model"), "task": task} | values


@dataclass(frozen=True)
class Allocation(Exports):
    """The next trials of every question, and the precision that is expected of them.

    ``goal`` is ``"interval"`` (one model), ``"comparison"`` (two) or ``"leaderboard"`` (more). ``half_width`` is the
    expected half-width of the interval, or of the interval of the difference (on a leaderboard the mean over the
    differences from the leader); ``half_width_now`` is the present one and ``half_width_even`` what the same amount is
    expected to reach when it is spent evenly. ``rows`` has one row per model and question, those without further trials
    included. As text, an allocation is a table of the questions that get the most.
    """

    metric: str
    goal: str
    confidence: float
    rows: tuple[NextTrials, ...]
    spend: float
    unit: str
    half_width_now: float
    half_width: float
    half_width_even: float
    notes: tuple[str, ...] = ()
    _most: ClassVar = 20
    _columns: ClassVar = (
        Field("model", of="model", varies=True),
        Field("task", of="task", unless=None),
        Field("question", of="question"),
        Field("so far", True, "trials_so_far"),
        Field("next", True, "trials"),
    )

    @property
    def models(self) -> tuple[str, ...]:
        """The models that may get trials."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    @property
    def trials(self) -> NDArray[np.int64]:
        """Further trials as an array (models, questions)."""
        return np.array([row.trials for row in self.rows]).reshape(len(self.models), -1)

    @property
    def total(self) -> int:
        """The number of further trials."""
        return sum(row.trials for row in self.rows)

    @property
    def spent(self) -> float:
        """The cost of the further trials, at most ``spend``."""
        return float(sum(row.trials * row.cost for row in self.rows))

    @property
    def is_adaptive(self) -> bool:
        """Whether questions of one model and task get different numbers: then raw means of the results are biased."""
        numbers = {(row.model, row.task, row.trials) for row in self.rows}
        return len(numbers) > len({(row.model, row.task) for row in self.rows})

    def _rows(self) -> list[NextTrials]:
        """Return the questions that get trials, those with the most first."""
        return sorted((row for row in self.rows if row.trials), key=lambda row: -row.trials)

    @property
    def as_title(self) -> str:
        spent = f" for {self.spent:g} of {self.spend:g} {self.unit}" if self.unit != "trials" else ""
        return f"{self.total} further trials of {len(self._rows())} of {len(self.rows)} questions{spent}"

    def _notes(self) -> list[str]:
        what = {"interval": "interval", "comparison": "interval of the difference"}
        subject = what.get(self.goal, "intervals of the differences from the leader")
        expected = f"expected half-width of the {percent(self.confidence)} {subject}: {self.half_width:.3g}"
        others = f"now {self.half_width_now:.3g}; with as much spent evenly {self.half_width_even:.3g}"
        return [f"{expected}; {others}", *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON."""
        totals = {"spent": self.spent, "trials": self.total, "adaptive": self.is_adaptive}
        return super().to_dict() | totals


@dataclass(frozen=True)
class _Task:
    """The questions of all models in one array: the cost per trial of each and its trials so far."""

    models: list[Knowledge]
    cost: Vector
    trials: Counts

    @property
    def leader(self) -> int:
        """The place of the model with the highest mean."""
        return int(np.argmax([model.mean for model in self.models]))

    @property
    def weighted(self) -> Vector:
        """The variances of all questions, those of the leader as often as it is part of a difference."""
        weights = np.ones(len(self.models))
        weights[self.leader] = max(len(self.models) - 1.0, 1.0)
        return np.concatenate([weight * model.variance for weight, model in zip(weights, self.models, strict=True)])

    def half_width(self, more: Counts, z: float) -> float:
        """Return the expected half-width: of one model, or the mean over the differences from the leader."""
        parts = np.split(more, len(self.models))  # models have the same questions
        variance = np.array([model.expected(part) for model, part in zip(self.models, parts, strict=True)])
        if len(variance) == 1:
            return z * math.sqrt(variance[0])
        others = np.delete(variance, self.leader)
        return z * float(np.mean(np.sqrt(variance[self.leader] + others)))


@underflow_is_zero
def next_trials(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    spend: float,
    *,
    task_weights: Weights = None,
    cost: Any = 1.0,
    confidence: float = 0.95,
    runs: str = "auto",
) -> Allocation:
    """Allocate the next trials to questions, so that the answer becomes as precise as ``spend`` allows.

    The number of models in ``outcomes`` decides the goal. With those of one model it is a narrow interval, with an
    OutcomeSet or mapping of two models a narrow difference, with more models narrow differences from the leader. With
    a Suite it is about overall scores: trials go to the task, question and model that lower the overall variance most,
    and ``metric`` and ``task_weights`` are those of ``Leaderboard``.

    ``spend`` is the amount to spend and ``cost`` the cost per trial in the same unit: one number, one per question, or
    a mapping from models to either, in a suite also by task, as in ``{"model": {"task": 2.0}}``, or the name of a cost
    that the outcomes know, as in ``cost="dollars"``. Without ``cost``, it is a number of trials.

    Questions with fewer than two trials come first. Then trials go where they reduce the posterior variance most:
    to questions whose value is uncertain, and not to those that always fail or always succeed. Posteriors are those of
    ``prior="learned"``, which stay valid when outcomes decide where trials go; raw means become biased.

    Trials are taken as independent; with ``runs="auto"``, a ``RunsWarning`` says where runs differ. What more
    runs give is in ``analyze_runs(..).half_width``.

    >>> R = [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    >>> next_trials("pass@1", R, spend=12).trials.tolist()
    [[0, 2, 10, 0]]
    """
    spend = float(positive("spend", spend))
    chosen = entrants(metric, outcomes, runs, task_weights)
    _check_counts(chosen)
    level = Level(confidence)
    z = level.critical()
    task = _Task(
        [Knowledge.of(parts, level) for parts in chosen.models.values()],
        costs_of(cost, outcomes, chosen),
        np.concatenate([part.outcomes.trials for _, part in chosen.parts]).astype(np.int64),
    )
    more, notes = _allocated(task, spend)
    even = _whole(np.full(len(task.cost), spend / float(task.cost.sum())))
    allocation = Allocation(
        metric=str(chosen.metric),
        goal={1: "interval", 2: "comparison"}.get(len(chosen.models), "leaderboard"),
        confidence=confidence,
        rows=_rows(chosen, more, task.cost),
        spend=spend,
        unit=cost if isinstance(cost, str) else "trials",
        half_width_now=task.half_width(np.zeros_like(more), z),
        half_width=task.half_width(more, z),
        half_width_even=task.half_width(even, z),
        notes=tuple(notes),
    )
    return replace(allocation, notes=(*notes, _ADAPTIVE)) if allocation.is_adaptive else allocation


def _check_counts(chosen: Entrants) -> None:
    """Check that metrics are known from the counts of a question, by which trials are given to it."""
    for _, part in chosen.parts:
        if isinstance(part.metric, SampleMetric):
            problem = f"what more trials of single questions do to {part.metric} is not known: it chooses among them"
            raise OutcomeError(problem, hint="plan_trials plans trials of all questions; or choose trials by avg")


def _whole(trials: Vector) -> Counts:
    """Return whole numbers of trials with the same sums over the first questions, as far as these are whole.

    >>> _whole(np.array([1.5, 1.5, 1.5, 1.5])).tolist()
    [1, 2, 1, 2]
    """
    return np.diff(np.floor(np.cumsum(trials) + 1e-9), prepend=0.0).astype(np.int64)


def _allocated(task: _Task, spend: float) -> tuple[Counts, list[str]]:
    """Return the further trials of every question, and notes about them."""
    first = level_up(task.trials, task.cost, spend, _AT_LEAST)
    notes = []
    if first.any():
        some = pluralize(int(first.sum()), "trial")
        notes.append(f"{some} go to questions with fewer than {_AT_LEAST} trials so far")
    known = np.concatenate([model.known for model in task.models])
    shrunk = task.weighted * known / np.maximum(known + first, 1e-300)
    left = max(spend - float(first @ task.cost), 0.0)
    return first + fill(shrunk, known + first, task.cost, left), notes


def _rows(chosen: Entrants, more: Counts, cost: Vector) -> tuple[NextTrials, ...]:
    numbers = zip(more.tolist(), cost.tolist(), strict=True)
    return tuple(
        NextTrials(name, label, trials, *next(numbers), part.task or None)
        for name, part in chosen.parts
        for label, trials in zip(
            part.outcomes.questions or range(part.outcomes.n_questions), part.outcomes.trials.tolist(), strict=True
        )
    )


_LEAST = 1e-9  # trials: the least that a posterior is worth
_FUTURES, _FEWEST_FUTURES = 12, 2  # simulated over all tasks of a model, and of each task
_RATE = PassAtK(1)


@dataclass(frozen=True)
class Knowledge:
    """The posterior of one model's score under the learned prior, the weighted sum over its tasks.

    ``variance`` is the part of the variance of the score that comes from each question, task after task, and ``known``
    the number of trials that the posterior of the question's success rate is worth. ``level`` is that of the interval.
    """

    parts: Sequence[TaskPart]
    mean: float
    variance: Vector
    known: Vector
    level: Level

    @classmethod
    def of(cls, parts: Sequence[TaskPart], level: Level) -> Knowledge:
        """Fit the learned prior on every task."""
        means = [part.weight * part.metric.law_of(part.outcomes, LEARNED, "questions").mean for part in parts]
        variances = [
            (part.weight / part.outcomes.n_questions) ** 2 * _value_variance(part.metric, part.outcomes)
            for part in parts
        ]
        known = [np.maximum(_trials_known(part.metric, part.outcomes), _LEAST) for part in parts]
        return cls(parts, float(sum(means)), np.concatenate(variances), np.concatenate(known), level)

    def expected(self, more: Counts) -> float:
        """Return the variance of the score that is expected after ``more`` trials of each question.

        It is the mean over simulated futures. That every posterior narrows as if its question had a fixed variance, as
        water-filling takes it, would be too wide: the posterior of Pass@k narrows faster where it is curved, and all
        posteriors narrow as well because more trials show the prior better. Continuous rewards are taken so.
        """
        futures = range(max(-(-_FUTURES // len(self.parts)), _FEWEST_FUTURES))
        ends = np.cumsum([part.outcomes.n_questions for part in self.parts])[:-1]
        of_tasks = zip(
            self.parts, *(np.split(values, ends) for values in (more, self.variance, self.known)), strict=True
        )
        total = 0.0
        for part, trials, variance, known in of_tasks:
            if isinstance(part.outcomes, RewardMatrix):
                share = expected_variances(variance, known, trials).sum() / variance.sum() if variance.any() else 1.0
                after = float(share) * part.metric.law_of(part.outcomes, LEARNED, "questions").sd ** 2
            else:
                future = Futures(part.metric, part.outcomes, as_prior(LEARNED), futures, self.level)
                after = future.variance(trials)
            total += part.weight**2 * after
        return total


def _value_variance(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the posterior variance of each question's value; of a blend of dataset means, a first-order bound."""
    terms = None if metric.is_mean_over_questions else metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        return metric.moments(outcomes, prior=LEARNED).variance
    spreads = [np.abs(gain) * np.sqrt(part.moments(outcomes, prior=LEARNED).variance) for gain, part in terms]
    return np.asarray(np.sum(spreads, axis=0) ** 2)


def _trials_known(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the number ``T`` of trials for which ``s**2 / (T + 1)`` is the posterior variance of the mean reward.

    ``s**2`` is the variance of a single trial: for binary outcomes ``m (1 - m)`` with ``m`` the posterior mean.
    Continuous rewards have their own trials, and as many as the spread between questions is worth.
    """
    if isinstance(outcomes, RewardMatrix):
        spread = ContinuousMean(outcomes, 1, learned=True).means.spread
        shared = spread.within / spread.between if spread.between > 0.0 else np.inf
        return np.asarray(outcomes.trials + shared, dtype=np.float64)
    if outcomes.has_two_categories and not metric.takes_rewards:
        mean, variance = _RATE.moments(outcomes, prior=LEARNED)
        single = mean * (1.0 - mean)
    else:
        rate = BayesMetric(getattr(metric, "weights", None))
        mean, variance = rate.moments(outcomes, prior=LEARNED)
        single = _single_variance(outcomes, rate.rewards_of(outcomes))
    return np.divide(single, variance, out=np.full_like(single, np.inf), where=variance > 0.0) - 1.0


def _single_variance(outcomes: OutcomeMatrix, rewards: Vector) -> Vector:
    """Return the variance of one trial's reward, from a question's counts plus one trial at the pooled rates."""
    width = min(outcomes.n_categories, len(rewards))
    counts, levels = outcomes.with_prior_counts.counts[:, :width], rewards[:width]
    total = counts.sum(axis=0)
    rates = counts + total / total.sum()
    rates /= rates.sum(axis=1, keepdims=True)
    mean = rates @ levels
    return np.asarray(rates @ levels**2 - mean**2)
