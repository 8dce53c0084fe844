"""Which questions should get the next trials of a model, by what is known of each question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Vector, underflow_is_zero
from .._base.choices import LEARNED
from .._base.exports import Exports
from .._base.table import Field
from .._base.words import pluralize
from ..errors import OutcomeError
from ..estimates._tasks import Weights
from ..inference._prior import as_prior
from ..metrics import Metric, PassAtK
from ..metrics._sample_metric import SampleMetric
from ..outcomes import OutcomeMatrix
from ..params import count
from ._expected import TaskPart, fill, level_up, one_entrant

_AT_LEAST = 2  # trials of every question before questions are treated differently
_LEAST = 1e-9  # trials: the least that a posterior is worth
_ADAPTIVE = (
    'questions get different numbers of trials because of their outcomes: use prior="learned" on the results, '
    "because raw means are biased"
)


class NextTrials(NamedTuple):
    """The number of further ``trials`` that should run on one question; ``task`` is that of the question in a suite."""

    question: Hashable
    trials_so_far: int
    trials: int
    task: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by name, the task only in a suite."""
        values = self._asdict()
        task = values.pop("task")
        return values if task is None else {"task": task} | values


@dataclass(frozen=True)
class Allocation(Exports):
    """The next trials of every question, those without further trials included; ``few`` go to untried questions.

    As text, an allocation is a table of the questions that get the most.
    """

    metric: str
    rows: tuple[NextTrials, ...]
    few: int
    _most: ClassVar = 20
    _also: ClassVar = ("total", "is_adaptive")
    _columns: ClassVar = (
        Field("task", of="task", unless=None),
        Field("question", of="question"),
        Field("so far", True, "trials_so_far"),
        Field("next", True, "trials"),
    )

    @property
    def trials(self) -> NDArray[np.int64]:
        """Further trials of every question, as an array."""
        return np.array([row.trials for row in self.rows])

    @property
    def total(self) -> int:
        """The number of further trials."""
        return sum(row.trials for row in self.rows)

    @property
    def is_adaptive(self) -> bool:
        """Whether questions of one task get different numbers: then raw means of the results are biased."""
        return len({(row.task, row.trials) for row in self.rows}) > len({row.task for row in self.rows})

    def _rows(self) -> list[NextTrials]:
        """Return the questions that get trials, those with the most first."""
        return sorted((row for row in self.rows if row.trials), key=lambda row: -row.trials)

    @property
    def as_title(self) -> str:
        return f"{self.total} further trials of {len(self._rows())} of {len(self.rows)} questions"

    def _notes(self) -> list[str]:
        some = f"{pluralize(self.few, 'trial')} go to questions with fewer than {_AT_LEAST} trials so far"
        return [some] * bool(self.few) + [_ADAPTIVE] * self.is_adaptive


@underflow_is_zero
def next_trials(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    spend: int,
    *,
    task_weights: Weights = None,
    runs: str = "auto",
) -> Allocation:
    """Allocate the next trials of a model to questions, so that its interval becomes as narrow as ``spend`` allows.

    ``spend`` is a number of trials. With a Suite of one model, the interval is that of the overall score: trials go to
    the task and question that lower its variance most, and ``metric`` and ``task_weights`` are those of
    ``Leaderboard``. Of several models, ask for each.

    Questions with fewer than two trials come first. Then trials go where they reduce the posterior variance most:
    to questions whose value is uncertain, and not to those that always fail or always succeed. Posteriors are those of
    ``prior="learned"``, which stay valid when outcomes decide where trials go; raw means become biased. Outcomes pass
    or fail.

    Trials are taken as independent; with ``runs="auto"``, a ``RunsWarning`` says where runs differ. What more
    runs give is in ``analyze_runs(..).half_width``.

    >>> R = [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    >>> next_trials("pass@1", R, spend=12).trials.tolist()
    [0, 2, 10, 0]
    """
    spend = count("spend", spend)
    named, parts = one_entrant(metric, outcomes, runs, task_weights)
    _check_outcomes(parts)
    so_far = np.concatenate([part.outcomes.trials for part in parts])
    first: Any = level_up(so_far, spend, _AT_LEAST)
    variance, worth = (np.concatenate(of_parts) for of_parts in zip(*map(_known, parts), strict=True))
    after = worth + first
    more = first + fill(variance * worth / np.maximum(after, 1e-300), after, spend - int(first.sum()))
    every = ((part, part.outcomes.questions or range(part.outcomes.n_questions)) for part in parts)
    questions = [(label, part.task or None) for part, labels in every for label in labels]
    numbers = zip(questions, so_far.tolist(), more.tolist(), strict=True)
    rows = tuple(NextTrials(label, known, trials, task) for (label, task), known, trials in numbers)
    return Allocation(str(named), rows, int(first.sum()))


def _check_outcomes(parts: Sequence[TaskPart]) -> None:
    """Check that counts of passes say all about a question: by them trials are given to it."""
    for part in parts:
        if isinstance(part.metric, SampleMetric) or not part.outcomes.has_two_categories:
            problem = f"what more trials of single questions do to {part.metric} is not known"
            if not part.outcomes.has_two_categories:
                problem = "trials are given to single questions whose outcomes pass or fail, and these have rewards"
            raise OutcomeError(problem, hint="plan_trials plans trials of all questions")


def _known(part: TaskPart) -> tuple[Vector, Vector]:
    """Return the part of the variance of the score that comes from each question of a task, and what it rests on.

    That is the number of trials that the posterior of the question's success rate is worth: ``T`` for which
    ``m (1 - m) / (T + 1)`` is its variance.
    """
    share = part.weight / part.outcomes.n_questions
    mean, variance = PassAtK(1).moments(part.outcomes, prior=LEARNED)
    single = mean * (1.0 - mean)
    worth = np.divide(single, variance, out=np.full_like(single, np.inf), where=variance > 0.0) - 1.0
    return share**2 * _value_variance(part.metric, part.outcomes), np.maximum(worth, _LEAST)


def _value_variance(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the posterior variance of each question's value; of a blend of dataset means, a first-order bound."""
    terms = None if metric.is_mean_over_questions else metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        return metric.moments(outcomes, prior=LEARNED).variance
    spreads = [np.abs(gain) * np.sqrt(part.moments(outcomes, prior=LEARNED).variance) for gain, part in terms]
    return np.asarray(np.sum(spreads, axis=0) ** 2)
