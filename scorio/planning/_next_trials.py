"""Which questions, and which models, should get the next trials, by what is known of each question."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts, Vector, underflow_is_zero
from .._base.choices import LEARNED
from .._base.exports import Exports
from .._base.numbers import percent
from .._base.table import Field
from .._base.words import pluralize
from ..errors import OutcomeError
from ..estimates._tasks import Weights
from ..inference._level import Level
from ..inference._prior import as_prior
from ..metrics import Metric, PassAtK
from ..metrics._sample_metric import SampleMetric
from ..outcomes import OutcomeMatrix
from ..params import positive
from ._expected import Futures, TaskPart, costs_of, entrants, fill, level_up

_AT_LEAST = 2  # trials of every question before questions are treated differently
_ADAPTIVE = (
    "questions get different numbers of trials because of their outcomes: mark the results with "
    "outcomes.as_adaptive(), because raw means of them are biased"
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
class _Models:
    """What is known of all models, and the cost per trial and the trials so far of their questions in one array."""

    known: list[Knowledge]
    cost: Vector
    trials: Counts

    @property
    def leader(self) -> int:
        """The place of the model with the highest mean."""
        return int(np.argmax([model.mean for model in self.known]))

    def allocated(self, spend: float) -> tuple[Counts, int]:
        """Return the further trials of every question, and how many go to questions with hardly any so far.

        The variances of the leader's questions count as often as it is part of a difference.
        """
        first: Any = level_up(self.trials, self.cost, spend, _AT_LEAST)
        weights = np.ones(len(self.known))
        weights[self.leader] = max(len(self.known) - 1.0, 1.0)
        variance = np.concatenate([weight * model.variance for weight, model in zip(weights, self.known, strict=True)])
        trials: Vector = np.concatenate([model.trials for model in self.known])
        after: Vector = trials + first
        left = max(spend - float(first @ self.cost), 0.0)
        shrunk = variance * trials / np.maximum(after, 1e-300)
        return first + fill(shrunk, after, self.cost, left), int(first.sum())

    def even(self, spend: float) -> Counts:
        """Return the trials of every question where as much is spent evenly."""
        shares = np.cumsum(np.full(len(self.cost), spend / float(self.cost.sum())))
        return np.diff(np.floor(shares + 1e-9), prepend=0.0).astype(np.int64)

    def half_width(self, more: Counts, z: float) -> float:
        """Return the expected half-width: of one model, or the mean over the differences from the leader."""
        parts = np.split(more, len(self.known))  # models have the same questions
        variance = np.array([model.expected(part) for model, part in zip(self.known, parts, strict=True)])
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

    ``spend`` is the amount to spend and ``cost`` the cost per trial in the same unit: a number, a mapping from models
    to numbers, or the name of a cost that the outcomes know, as in ``cost="dollars"``. Without ``cost``, it is a number
    of trials.

    Questions with fewer than two trials come first. Then trials go where they reduce the posterior variance most:
    to questions whose value is uncertain, and not to those that always fail or always succeed. Posteriors are those of
    ``prior="learned"``, which stay valid when outcomes decide where trials go; raw means become biased, so mark the
    results with ``as_adaptive()``. Where as much spent evenly is expected to make the interval of one model no wider,
    it is spent evenly. Outcomes pass or fail.

    Trials are taken as independent; with ``runs="auto"``, a ``RunsWarning`` says where runs differ. What more
    runs give is in ``analyze_runs(..).half_width``.

    >>> R = [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    >>> next_trials("pass@1", R, spend=12).trials.tolist()
    [[0, 2, 10, 0]]
    """
    spend = float(positive("spend", spend))
    named, models = entrants(metric, outcomes, runs, task_weights)
    rows = [(name, part) for name, parts in models.items() for part in parts]
    _check_outcomes([part for _, part in rows])
    level = Level(confidence)
    z, costs = level.critical(), costs_of(cost, outcomes, models)
    trials = np.concatenate([part.outcomes.trials for _, part in rows]).astype(np.int64)
    everything = _Models([Knowledge.of(parts, level) for parts in models.values()], costs, trials)
    more, few = everything.allocated(spend)
    even = everything.even(spend)
    width, width_even = (everything.half_width(each, z) for each in (more, even))
    if len(models) == 1 and even.all() and not few and width_even <= width:
        more, width = even, width_even
    some = f"{pluralize(few, 'trial')} go to questions with fewer than {_AT_LEAST} trials so far"
    allocation = Allocation(
        metric=str(named),
        goal={1: "interval", 2: "comparison"}.get(len(models), "leaderboard"),
        confidence=confidence,
        rows=tuple(_of_questions(rows, more, costs)),
        spend=spend,
        unit=cost if isinstance(cost, str) else "trials",
        half_width_now=everything.half_width(np.zeros_like(more), z),
        half_width=width,
        half_width_even=width_even,
        notes=(some,) if few else (),
    )
    return replace(allocation, notes=(*allocation.notes, _ADAPTIVE)) if allocation.is_adaptive else allocation


def _of_questions(rows: Sequence[tuple[str, TaskPart]], more: Counts, costs: Vector) -> Iterator[NextTrials]:
    """Yield a row for each question of each model and task, in the order of the further trials."""
    numbers = zip(more.tolist(), costs.tolist(), strict=True)
    for name, part in rows:
        labels = part.outcomes.questions or range(part.outcomes.n_questions)
        for label, so_far in zip(labels, part.outcomes.trials.tolist(), strict=True):
            yield NextTrials(name, label, so_far, *next(numbers), part.task or None)


def _check_outcomes(parts: Sequence[TaskPart]) -> None:
    """Check that counts of passes say all about a question: by them trials are given to it."""
    for part in parts:
        if isinstance(part.metric, SampleMetric) or not part.outcomes.has_two_categories:
            problem = f"what more trials of single questions do to {part.metric} is not known"
            if not part.outcomes.has_two_categories:
                problem = "trials are given to single questions whose outcomes pass or fail, and these have rewards"
            raise OutcomeError(problem, hint="plan_trials plans trials of all questions")


_LEAST = 1e-9  # trials: the least that a posterior is worth
_FUTURES, _FEWEST_FUTURES = 12, 2  # simulated over all tasks of a model, and of each task


@dataclass(frozen=True)
class Knowledge:
    """The posterior of one model's score under the learned prior, the weighted sum over its tasks.

    ``variance`` is the part of the variance of the score that comes from each question, task after task, and ``trials``
    the number of trials that the posterior of the question's success rate is worth: ``T`` for which ``m (1 - m) /
    (T + 1)`` is its variance. ``level`` is that of the interval.
    """

    parts: Sequence[TaskPart]
    mean: float
    variance: Vector
    trials: Vector
    level: Level

    @classmethod
    def of(cls, parts: Sequence[TaskPart], level: Level) -> Knowledge:
        """Fit the learned prior on every task."""
        means = [part.weight * part.metric.law_of(part.outcomes, LEARNED, "questions").mean for part in parts]
        variances, trials = [], []
        for part in parts:
            share = part.weight / part.outcomes.n_questions
            variances.append(share**2 * _value_variance(part.metric, part.outcomes))
            mean, variance = PassAtK(1).moments(part.outcomes, prior=LEARNED)
            single = mean * (1.0 - mean)
            worth = np.divide(single, variance, out=np.full_like(single, np.inf), where=variance > 0.0) - 1.0
            trials.append(np.maximum(worth, _LEAST))
        return cls(parts, float(sum(means)), np.concatenate(variances), np.concatenate(trials), level)

    def expected(self, more: Counts) -> float:
        """Return the variance of the score that is expected after ``more`` trials of each question.

        It is the mean over simulated futures. That every posterior narrows as if its question had a fixed variance, as
        water-filling takes it, would be too wide: the posterior of Pass@k narrows faster where it is curved, and all
        posteriors narrow as well because more trials show the prior better.
        """
        futures = range(max(-(-_FUTURES // len(self.parts)), _FEWEST_FUTURES))
        ends, total = np.cumsum([part.outcomes.n_questions for part in self.parts])[:-1], 0.0
        for part, trials in zip(self.parts, np.split(more, ends), strict=True):
            future = Futures(part.metric, part.outcomes, as_prior(LEARNED), futures, self.level)
            total += part.weight**2 * future.variance(trials)
        return total


def _value_variance(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the posterior variance of each question's value; of a blend of dataset means, a first-order bound."""
    terms = None if metric.is_mean_over_questions else metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        return metric.moments(outcomes, prior=LEARNED).variance
    spreads = [np.abs(gain) * np.sqrt(part.moments(outcomes, prior=LEARNED).variance) for gain, part in terms]
    return np.asarray(np.sum(spreads, axis=0) ** 2)
