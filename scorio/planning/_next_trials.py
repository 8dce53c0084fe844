"""Which questions, and which models, should get the next trials: a table, JSON, or a file for a runner."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Vector, underflow_is_zero
from .._display.exports import Exports, csv_text, json_lines, to_json
from .._display.numbers import percent
from .._display.table import Field
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError
from ..estimates import Weights
from ..inference import Level, Looks
from ..metrics import Metric, SampleMetric
from ..outcomes import whole_file
from ..params import positive
from ._entrants import Entrants, check_runs, costs_of, entrants, known_costs
from ._knowledge import OverallKnowledge, knowledge
from ._water_filling import fill, level_up

_FORMATS = (".json", ".jsonl", ".csv")
_COLUMNS = ("model", "task", "question", "trials")
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
        numbers: dict[tuple[str, str | None], set[int]] = {}
        for row in self.rows:
            numbers.setdefault((row.model, row.task), set()).add(row.trials)
        return any(len(each) > 1 for each in numbers.values())

    def _rows(self) -> list[NextTrials]:
        """Return the questions that get trials, those with the most first."""
        return sorted((row for row in self.rows if row.trials), key=lambda row: -row.trials)

    @property
    def _title(self) -> str:
        spent = f" for {self.spent:g} of {self.spend:g} {self.unit}" if self.unit != "trials" else ""
        return f"{self.total} further trials of {len(self._rows())} of {len(self.rows)} questions{spent}"

    def _notes(self) -> list[str]:
        what = {"interval": "interval", "comparison": "interval of the difference"}
        subject = what.get(self.goal, "intervals of the differences from the leader")
        expected = f"expected half-width of the {percent(self.confidence)} {subject}: {self.half_width:.3g}"
        others = f"now {self.half_width_now:.3g}; with as much spent evenly {self.half_width_even:.3g}"
        return [f"{expected}; {others}", *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """All numbers, ready for JSON; labels that JSON does not have are written as text."""
        known = {"spent": self.spent, "trials": self.total, "adaptive": self.is_adaptive}
        rows = [row.record() | {"question": _plain(row.question)} for row in self.rows]
        return super().to_dict() | known | {"rows": rows}

    def write(self, path: str | Path) -> Path:
        """Write a file for a runner: model, question and trials of each row that gets any, in a suite also the task.

        The suffix decides: ``.csv``, ``.jsonl`` (one object per line) or ``.json`` (a list).
        """
        target = Path(path)
        if target.suffix not in _FORMATS:
            raise ParameterError(f"the file name must end in {', '.join(_FORMATS)}; got {str(path)!r}")
        every = [row.record() | {"question": _plain(row.question)} for row in self.rows]
        columns = [name for name in _COLUMNS if name in every[0]]
        rows = [{name: row[name] for name in columns} for row in every if row["trials"]]
        if target.suffix == ".csv":
            text = csv_text(rows, columns, as_is=True)
        else:
            text = json_lines(rows) if target.suffix == ".jsonl" else to_json(rows, indent=1) + "\n"
        with whole_file(target) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
        return target


def _plain(label: Hashable) -> Any:
    if isinstance(label, np.generic):
        return label.item()
    return label if isinstance(label, (str, int, float)) else str(label)


@dataclass(frozen=True)
class _Task:
    """The questions of all models in one array: their posterior, the cost per trial and the weight of their model."""

    known: list[OverallKnowledge]
    weight: Vector
    cost: Vector
    trials: Counts

    def half_width(self, more: Counts, z: float) -> float:
        """Return the expected half-width: of one model, or the mean over the differences from the leader."""
        parts = np.split(more, len(self.known))  # models have the same questions
        variance = np.array([each.expected(part) for each, part in zip(self.known, parts, strict=True)])
        if len(variance) == 1:
            return z * math.sqrt(variance[0])
        leader = int(np.argmax([each.mean for each in self.known]))
        others = np.delete(variance, leader)
        return z * float(np.mean(np.sqrt(variance[leader] + others)))


@underflow_is_zero
def next_trials(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    spend: float,
    *,
    models: Iterable[str] | None = None,
    task_weights: Weights = None,
    cost: Any = 1.0,
    unit: str | None = None,
    confidence: float = 0.95,
    looks: Looks | None = None,
    runs: str = "auto",
) -> Allocation:
    """Allocate the next trials to questions, so that the answer becomes as precise as ``spend`` allows.

    The number of models in ``outcomes`` decides the goal. With those of one model it is a narrow interval, with an
    OutcomeSet or mapping of two models a narrow difference, with more models narrow differences from the leader. With
    a Suite it is about overall scores: trials go to the task, question and model that lower the overall variance most,
    and ``metric`` and ``task_weights`` are those of ``Leaderboard``.

    ``models`` names the models that may get trials, such as those that may be the best on a board with looks.
    ``spend`` is the amount to spend and ``cost`` the cost per trial in the same ``unit``: one number, one per question,
    or a mapping from models to either, in a suite also by task, as in ``{"model": {"task": 2.0}}``, or the name of a
    cost that the outcomes know, as in ``cost="dollars"``. Without ``cost``, it is a number of trials. With ``looks``
    that declare a number of trials, no model gets more trials per question of a task than the looks declare.

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
    chosen = entrants(metric, outcomes, models, task_weights)
    check_runs(chosen, runs)
    _check_counts(chosen)
    if isinstance(cost, str):
        cost, unit = known_costs(cost, outcomes, chosen), unit or cost
    level = Level(confidence)
    task = _task(chosen, cost, level)
    more, notes = _allocated(task, chosen, spend, looks)
    even = _whole(np.full(len(task.cost), spend / float(task.cost.sum())))
    z = level.critical()
    allocation = Allocation(
        metric=str(chosen.metric),
        goal={1: "interval", 2: "comparison"}.get(len(chosen.models), "leaderboard"),
        confidence=confidence,
        rows=_rows(chosen, more, task.cost),
        spend=spend,
        unit=unit or "trials",
        half_width_now=task.half_width(np.zeros_like(more), z),
        half_width=task.half_width(more, z),
        half_width_even=task.half_width(even, z),
        notes=tuple(notes),
    )
    return replace(allocation, notes=(*notes, _ADAPTIVE)) if allocation.is_adaptive else allocation


def _check_counts(chosen: Entrants) -> None:
    """Check that metrics are known from the counts of a question, by which trials are given to it."""
    for metric in chosen.metrics:
        if isinstance(metric, SampleMetric):
            problem = f"what more trials of single questions do to {metric} is not known, because it chooses among them"
            raise OutcomeError(problem, hint="plan_trials plans trials of all questions; or choose trials by avg")


def _whole(trials: Vector) -> Counts:
    """Return whole numbers of trials with the same sums over the first questions, as far as these are whole.

    >>> _whole(np.array([1.5, 1.5, 1.5, 1.5])).tolist()
    [1, 2, 1, 2]
    """
    return np.diff(np.floor(np.cumsum(trials) + 1e-9), prepend=0.0).astype(np.int64)


def _task(chosen: Entrants, cost: Any, level: Level) -> _Task:
    named = [zip(chosen.metrics, tasks.values(), strict=True) for tasks in chosen.models.values()]
    known = [OverallKnowledge(tuple(knowledge(*each, level) for each in parts), chosen.weights) for parts in named]
    weights = np.ones(len(known))
    weights[np.argmax([each.mean for each in known])] = max(len(known) - 1.0, 1.0)  # it is part of every difference
    return _Task(
        known,
        np.concatenate([each.variance * weight for each, weight in zip(known, weights, strict=True)]),
        costs_of(cost, chosen.parts),
        np.concatenate([each.trials for _, _, each in chosen.parts]).astype(np.int64),
    )


def _allocated(task: _Task, chosen: Entrants, spend: float, looks: Looks | None) -> tuple[Counts, list[str]]:
    """Return the further trials of every question, and notes about them."""
    notes = []
    first = level_up(task.trials, task.cost, spend, _AT_LEAST)
    left = spend - float(first @ task.cost)
    if first.any():
        some = pluralize(int(first.sum()), "trial")
        notes.append(f"{some} go to questions with fewer than {_AT_LEAST} trials so far")
    known = np.concatenate([each.known for each in task.known])
    shrunk = task.weight * known / np.maximum(known + first, 1e-300)
    more = first + fill(shrunk, known + first, task.cost, max(left, 0.0))
    if looks is None or looks.trials is None:
        return more, notes
    end = 0
    for name, place, each in chosen.parts:
        count = each.n_questions
        mine = slice(end, end + count)
        end += count
        room = max(math.floor(looks.trials * count * (1.0 + 1e-12)) - int(each.trials.sum()), 0)
        if more[mine].sum() > room:
            more[mine] = fill(task.weight[mine], known[mine], np.ones(count), room, most=more[mine])
            who = f"{name} on {place}" if place else name
            notes.append(f"{who}: the looks were declared for {looks.trials:g} trials per question: {room} are left")
    return more, notes


def _rows(chosen: Entrants, more: Counts, cost: Vector) -> tuple[NextTrials, ...]:
    numbers = zip(more.tolist(), cost.tolist(), strict=True)
    return tuple(
        NextTrials(name, label, trials, *next(numbers), task or None)
        for name, task, each in chosen.parts
        for label, trials in zip(each.questions or range(each.n_questions), each.trials.tolist(), strict=True)
    )
