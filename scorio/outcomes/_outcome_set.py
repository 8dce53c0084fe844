"""OutcomeSet: the outcomes of several models on the same questions. Suite: those of models on several tasks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._display.words import pluralize
from ..errors import OutcomeError
from ._alignment import aligned, rearranged, widened
from ._axes import warn_of_axes
from ._by_condition import groups_by_condition, split_tasks
from ._exports import SuiteExports
from ._from_arrays import category_count
from ._from_names import by_model
from ._grouping import check_none_missing, groups_of, known, of_models
from ._labels import check_labels, selected
from ._matrix import OutcomeMatrix
from ._outcome_values import missing_code
from ._pooling import pooled
from ._set_facts import Conditions, SetFacts, facts_of
from ._set_parts import informed, items_of, matrix_of, names_of, priors_of, scanned
from ._set_storage import SetStorage, SuiteStorage
from ._suite_facts import SuiteFacts
from ._trial_costs import Costs, selected_costs


class OutcomeSet(SetFacts, SetStorage):
    """An immutable ordered mapping from model names to their outcomes on the same questions.

    ``models`` is a mapping from names to anything OutcomeMatrix takes, a sequence of those, or a tensor
    (models, questions, trials); or a table, as OutcomeMatrix takes it, with a column of models. Questions are matched
    by label where there are labels, and put in the first model's order. ``prior`` is R0: one for all models, or a
    tensor (models, questions, trials) or a mapping with one each, questions in the set's order. ``conditions`` are
    settings under which models were run: ``{"a": {"temperature": 0.5}}``; ``costs`` are means per trial:
    ``{"a": {"dollars": 0.02}}``, or the costs of all trials, one row per question (NaN if not known).

    >>> models = OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]})
    >>> models
    OutcomeSet(2 models x 2 questions, binary)
    >>> models["b"].successes
    array([0, 1])
    """

    __slots__ = ()

    def __init__(
        self,
        models: Any,
        *,
        names: Iterable[str] | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        categories: int | None = None,
        prior: Any = None,
        missing: str = "raise",
        conditions: Conditions | None = None,
        costs: Costs | None = None,
    ) -> None:
        width = category_count(categories)
        items, own_names = items_of(by_model(models))
        chosen = names_of(names, own_names, len(items))
        priors = priors_of(prior, chosen)
        if isinstance(items, np.ndarray):
            counted = scanned(items, missing_code(missing), width)
            if counted is not None and questions is None:
                warn_of_axes(*items.shape[1:])
            items = counted or items
        made = [matrix_of(item, name, width, missing) for item, name in zip(items, chosen, strict=True)]
        is_continuous = any(matrix.is_continuous for matrix in made)
        if is_continuous:
            made = [matrix.as_continuous() for matrix in made]
        count = made[0].n_questions
        lined_up = aligned(
            made,
            chosen,
            check_labels(questions, count, "questions", unique=True),
            check_labels(clusters, count, "clusters", unique=False),
        )
        code = missing_code(missing)
        complete = [informed(*each, width, code) for each in zip(lined_up, chosen, priors, strict=True)]
        self._models = dict(zip(chosen, complete if is_continuous else widened(complete, width), strict=True))
        own = models if names is None else None
        self._conditions, self._costs = facts_of(own, conditions, costs, self._models)

    @classmethod
    def _of(cls, models: dict[str, OutcomeMatrix], conditions: Any = None, costs: Any = None) -> OutcomeSet:
        """Return a set of models that are aligned already."""
        made = cls.__new__(cls)
        made._models, made._conditions, made._costs = models, conditions or {}, costs or {}
        return made

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        question: str,
        outcome: str,
        model: str | None = None,
        trial: str | None = None,
        cluster: str | None = None,
        levels: Mapping[Any, float] | None = None,
        missing: str = "raise",
        times: str | None = None,
        factors: Iterable[str] = (),
    ) -> OutcomeSet:
        """Make a set from a data frame with one row per trial: pandas, Polars, PyArrow, DuckDB, Dask, PySpark and more.

        The arguments name columns. Rows are counted by the frame's own engine; models and questions come sorted.
        Outcomes are numbers, truth values or words such as C/P/I/N and pass/fail; 0 and 1 are binary. ``levels`` gives
        other values a reward: ``levels={"good": 0.75}``. With ``trial``, a trial that occurs twice is an error.
        ``missing`` says what becomes of a null outcome, and of a question that a model has no row of: ``"raise"`` an
        error, ``"omit"`` left out, ``"fail"`` counted as a failure. In a table of counts, ``times`` is the column that
        says how many trials a row stands for. ``factors`` are columns such as prompts or judges: every model under
        every combination of their levels is a row of its own, and ``conditions`` has its model and levels.

        >>> import pyarrow
        >>> rows = {"model": ["a", "a", "b", "b"], "task": [1, 1, 1, 1], "passed": [True, False, True, True]}
        >>> frame = pyarrow.table(rows)
        >>> OutcomeSet.from_frame(frame, question="task", outcome="passed", model="model")["b"].successes
        array([2])
        """
        from ._from_frames import Columns, outcome_parts

        names = (factors,) if isinstance(factors, str) else tuple(factors)
        columns = Columns(question, outcome, model, trial, cluster, times, names)
        parts = outcome_parts(frame, columns, levels, missing)
        models = {name: OutcomeMatrix._of_reduced(*each) for name, each in parts.outcomes.items()}
        return cls._of(models, parts.conditions)

    def select(self, questions: Any) -> OutcomeSet:
        """Some of the questions, as ``OutcomeMatrix.select`` takes them, of every model.

        >>> OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}).select([1])["a"].successes
        array([2])
        """
        order = selected(questions, self.n_questions, self.questions)
        models = {name: rearranged(matrix, order) for name, matrix in self._models.items()}
        for name, matrix in models.items():
            if not matrix.trials.any():
                raise OutcomeError(f"{name}: the selection has no trial")
        return self._of(models, self._conditions, selected_costs(self._costs, order))

    def split(self, by: Any = None) -> Suite:
        """Break the questions or the models down into groups, and return a suite with one task per group.

        ``by`` is a mapping from the labels of questions to groups, or a sequence with the group of each question; by
        default, groups are the clusters. Every question has a group, and groups stand in the order of their first
        question. A model without a trial in a group lacks that task.

        ``by`` can also be the name of a condition, such as ``"temperature"``: a task has the models that were run under
        one value of it, and their names no longer tell it.

        >>> models = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]], "b": [[0, 0], [0, 1], [1, 1]]})
        >>> suite = models.split(["easy", "easy", "hard"])
        >>> suite, suite["hard"]["b"].successes
        (Suite(2 tasks x 2 models, 3 questions), array([2]))
        >>> conditions = {"a [t=0]": {"t": "0"}, "a [t=1]": {"t": "1"}}
        >>> suite = OutcomeSet({"a [t=0]": [[0, 1]], "a [t=1]": [[1, 1]]}, conditions=conditions).split("t")
        >>> suite.tasks, suite.models
        (('t=0', 't=1'), ('a',))
        """
        if isinstance(by, str):
            facts = (self._models, self._conditions, self._costs)
            return Suite._of_sets(groups_by_condition(by, *facts))
        parts: dict[str, OutcomeSet] = {}
        for group, order in groups_of(by, self.n_questions, self.questions, self.clusters).items():
            models = {name: rearranged(matrix, order) for name, matrix in self._models.items()}
            asked = {name: matrix for name, matrix in models.items() if matrix.trials.any()}
            if asked:
                costs = selected_costs(of_models(self._costs, asked), order)
                parts[group] = self._of(asked, of_models(self._conditions, asked), costs)
        return Suite(parts)

    def _of_models(self, names: Iterable[str]) -> OutcomeSet | None:
        """Return those of the models that are in the set, in this order, with their questions; None for no model."""
        models = {name: self._models[name] for name in names if name in self._models}
        if not models:
            return None
        return self._of(models, of_models(self._conditions, models), of_models(self._costs, models))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeSet):
            return NotImplemented
        return list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._models, self._conditions, self._costs)


class Suite(Mapping[str, OutcomeSet], SuiteFacts, SuiteExports, SuiteStorage):
    """An immutable ordered mapping from tasks to the outcomes of models on the questions of that task.

    ``tasks`` is a mapping from names to anything that OutcomeSet takes. A model may lack a task: what needs every task
    of every model raises an error, and ``select`` leaves out models or tasks. Tasks have questions of their own: two
    questions with the same label in two tasks are two questions.

    >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "chess": {"a": [[0, 1]]}})
    >>> suite, suite.missing
    (Suite(2 tasks x 2 models, 3 questions), {'b': ('chess',)})
    """

    __slots__ = ("_tasks",)

    def __init__(self, tasks: Mapping[str, Any]) -> None:
        if not isinstance(tasks, Mapping) or not tasks or not all(isinstance(name, str) for name in tasks):
            raise OutcomeError(
                'a suite maps the names of tasks to outcomes, as in Suite({"algebra": {"model-a": R}, "chess": {..}})',
            )
        self._tasks: dict[str, OutcomeSet] = {}
        for name, outcomes in tasks.items():
            try:
                self._tasks[name] = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
            except OutcomeError as error:
                raise error.at(f"task {name}") from None

    @classmethod
    def from_frame(cls, frame: Any, *, task: str, **columns: Any) -> Suite:
        """Make a suite of a data frame with one row per trial and a column of tasks.

        ``task`` names that column; the other arguments are those of ``OutcomeSet.from_frame``. Tasks come sorted. A
        model without a row of a task lacks that task.

        >>> import pyarrow
        >>> rows = {"task": ["add", "add", "mul"], "model": ["a", "b", "a"], "q": [1, 1, 1], "passed": [1, 0, 1]}
        >>> suite = Suite.from_frame(pyarrow.table(rows), task="task", model="model", question="q", outcome="passed")
        >>> suite.tasks, suite.missing
        (('add', 'mul'), {'b': ('mul',)})
        """
        from ._frame_tasks import frames_by_task

        parts: dict[str, OutcomeSet] = {}
        for name, part in frames_by_task(frame, task).items():
            try:
                parts[name] = OutcomeSet.from_frame(part, **columns)
            except OutcomeError as error:
                raise error.at(f"task {name}") from None
        return cls(parts)

    @classmethod
    def _of_sets(cls, tasks: Mapping[str, Any]) -> Suite:
        return cls({task: OutcomeSet._of(*parts) for task, parts in tasks.items()})

    def __getitem__(self, task: str) -> OutcomeSet:
        return self._tasks[task]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def check_complete(self) -> None:
        """Check that every model has every task."""
        check_none_missing(self.missing, self.tasks, self.models)

    def select(self, *, tasks: Iterable[str] | None = None, models: Iterable[str] | None = None) -> Suite:
        """Return some of the tasks or models, in the given order; tasks without such models are left out."""
        chosen = self.tasks if tasks is None else known("task", tasks, self.tasks)
        kept = self.models if models is None else known("model", models, self.models)
        parts = {task: self[task]._of_models(kept) for task in chosen}
        if not any(parts.values()):
            raise OutcomeError("the selection has no outcomes")
        return Suite({task: part for task, part in parts.items() if part is not None})

    def split(self, by: Any) -> Suite:
        """Break every task down, as ``OutcomeSet.split`` does, and return a suite with one task per task and group.

        >>> settings = {"a [t=0]": {"t": "0"}, "a [t=1]": {"t": "1"}}
        >>> algebra = OutcomeSet({"a [t=0]": [[0, 1]], "a [t=1]": [[1, 1]]}, conditions=settings)
        >>> Suite({"algebra": algebra}).split("t").tasks
        ('algebra [t=0]', 'algebra [t=1]')
        """
        return Suite(split_tasks(self, by))

    def pooled(self) -> OutcomeSet:
        """Return all tasks as one set, in which every question counts the same; questions are named ``task/question``.

        Every model must have every task. Clusters stay apart by task; with a task that has clusters, a question of a
        task without them is a cluster of its own.

        >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1]]}, "chess": {"a": [[0, 1]]}})
        >>> suite.pooled()["a"].questions
        ('algebra/0', 'algebra/1', 'chess/0')
        """
        self.check_complete()
        conditions = {name: each for outcomes in self.values() for name, each in outcomes.conditions.items() if each}
        models = {model: pooled({task: each[model] for task, each in self.items()}) for model in self.models}
        return OutcomeSet(models, conditions=conditions, costs=self.costs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Suite):
            return NotImplemented
        return list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._tasks,)

    def __repr__(self) -> str:
        sizes = [pluralize(len(self), "task"), pluralize(len(self.models), "model")]
        return f"Suite({' x '.join(sizes)}, {pluralize(self.n_questions, 'question')})"
