"""OutcomeSet: the outcomes of several models on the same questions. Suite: those of models on several tasks.

Both are views of models and tasks, and answer alike what ``ModelsOnTasks`` names: a set has one task without a name.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from operator import attrgetter
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, Unpack

from .._base.arrays import Indices
from .._base.options import accepted, takes
from .._base.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, within
from ._combining import (
    SETTINGS,
    Conditions,
    align,
    chosen_names,
    groups_of,
    items_of,
    matrix_of,
    names_of,
    of_known_models,
    pooled,
    priors_of,
    trials_of_each,
    with_priors,
)
from ._exports import SetAsData, SuiteAsData
from ._from_frames import frames_by_task, only_model, read_columns, read_frame, read_table
from ._labels import Labels, check_labels, selected
from ._matrix import OutcomeMatrix
from ._outcome_values import missing_code
from ._table import check_no_suite
from ._table_layout import FrameOptions, takes_columns
from ._trial_costs import Costs, check_costs, costs_of_all, selected_costs
from ._trials import TrialOptions, normalize_answer

T = TypeVar("T")
Place = str | os.PathLike[str]


class ModelsOnTasks(Mapping[str, T]):
    """What sets and suites answer alike. A set of models is one task, whose name is empty.

    >>> models = OutcomeSet({"a": [[0, 1]]})
    >>> list(models.by_task), list(Suite({"sums": models}).by_task), models.matrix("a").successes
    ([''], ['sums'], array([1]))
    """

    __slots__ = ("__weakref__", "_items")

    _items: dict[str, T]  # outcomes by model, or by task
    _noun: ClassVar[str]
    _saved: ClassVar[Any]  # SavedCounts, which sets it

    @property
    def by_task(self) -> Mapping[str, OutcomeSet]:
        """The outcomes of each task."""
        raise NotImplementedError

    @property
    def costs(self) -> Costs:
        """The mean cost per trial of each model, by the names of its logs."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(unknown(self._noun, name, self._items)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def values(self) -> ValuesView[T]:
        """Return the outcomes, in order."""
        return self._items.values()

    def items(self) -> ItemsView[str, T]:
        """Return names and outcomes, in order."""
        return self._items.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelsOnTasks) or self._noun != other._noun:
            return NotImplemented
        return list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def matrix(self, model: str, task: str = "") -> OutcomeMatrix:
        """Return the outcomes of one model on one task."""
        if task not in self.by_task:
            raise KeyError(unknown("task", task, self.by_task))
        return self.by_task[task][model]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks, in order; a set of models has none."""
        return tuple(task for task in self.by_task if task)

    def one_model(self, model: str) -> OutcomeMatrix | Suite:
        """Return the outcomes of one model: a suite of them where there are tasks."""
        if model not in self.models:
            raise ParameterError(unknown("model", model, self.models))
        return Suite(self.by_task).select(models=[model]) if self.tasks else self.matrix(model)

    @property
    def models(self) -> tuple[str, ...]:
        """The models of any task, in the order of their first task."""
        return tuple(dict.fromkeys(model for outcomes in self.by_task.values() for model in outcomes))

    @property
    def n_questions(self) -> int:
        """The number of questions, those of all tasks together; the same for every model."""
        return sum([outcomes.first.n_questions for outcomes in self.by_task.values()])

    @property
    def trials_each(self) -> tuple[int, int]:
        """The smallest and the largest number of trials of any question."""
        matrices = [matrix for outcomes in self.by_task.values() for matrix in outcomes.values()]
        return min(map(attrgetter("min_trials"), matrices)), max(map(attrgetter("max_trials"), matrices))

    @property
    def is_pass_fail(self) -> bool:
        """Whether every model's outcomes are binary, and worth 0 and 1 where they are rewards."""
        return all(matrix.is_pass_fail for outcomes in self.by_task.values() for matrix in outcomes.values())

    @property
    def missing(self) -> dict[str, tuple[str, ...]]:
        """The tasks that each model lacks; models that have all tasks are left out."""
        lacks = {model: tuple(t for t, models in self.by_task.items() if model not in models) for model in self.models}
        return {model: tasks for model, tasks in lacks.items() if tasks}

    def check_complete(self) -> None:
        """Check that every model has every task."""
        for model, absent in self.missing.items():
            complete = {
                "models": [name for name in self.models if name not in self.missing],
                "tasks": [task for task in self.by_task if not any(task in gaps for gaps in self.missing.values())],
            }
            ways = [f"suite.select({name}={kept})" for name, kept in complete.items() if kept]
            problem = f"model {model!r} has no outcomes of {pluralize(len(absent), 'task')}: {shorten(absent)}"
            hint = f"leave out the models or the tasks with gaps: {' or '.join(ways)}"
            if not ways:
                hint = "take one task at a time, suite.select(tasks=[..]), or models that have the same tasks"
            raise OutcomeError(problem, hint=hint)

    def save(self, path: Place, *, metadata: Any = None, part: str | None = None) -> None:
        """Save the counts to an ``.npz`` file, without any loss.

        The file keeps levels, planned trials, clusters, prior outcomes, the mark of adaptive trials, conditions, costs,
        and for continuous rewards the moments and the trials. ``metadata`` maps models to dictionaries, as in
        ``{"a": {"seed": 7}}``. ``part`` names these outcomes, so that ``SavedCounts.merge`` never counts them twice;
        without a name, equal content is taken for the same part.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "counts.npz")
        >>> models = OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]})
        >>> models.save(path)
        >>> OutcomeSet.load(path) == models
        True
        """
        self._saved(self, metadata=metadata, part=part).save(path)

    @classmethod
    def load(cls, path: Place) -> Self:
        """Load saved counts; ``SavedCounts.load`` also gives the metadata."""
        outcomes = cls._saved.load(path).outcomes
        if not isinstance(outcomes, cls):
            problem = f"the file holds {'several tasks' if outcomes.tasks else 'one set of models, without tasks'}"
            raise OutcomeError(problem, hint=f"scorio.{type(outcomes).__name__}.load reads it")
        return outcomes


class SetOptions(TrialOptions, total=False):
    """What is known of each model as well: the settings of its runs, and its costs."""

    conditions: Conditions | None
    costs: Costs | None


class OutcomeSet(SetAsData, ModelsOnTasks[OutcomeMatrix]):
    """An immutable ordered mapping from model names to their outcomes on the same questions.

    ``outcomes`` is a mapping from the names of models to anything OutcomeMatrix takes, a sequence of those, or a tensor
    (models, questions, trials), which ``models`` names; or a table, as OutcomeMatrix takes it, with a column of models.
    In a table with one column per model, ``models`` are these columns: ``OutcomeSet(frame, models=["gpt", "claude"])``.
    Questions are matched by label where there are labels, and put in the first model's order. ``prior`` is R0: one for
    all models, or a tensor (models, questions, trials) or a mapping with one each, questions in the set's order.
    ``conditions`` are settings under which models were run: ``{"a": {"temperature": 0.5}}``; ``costs`` are means per
    trial: ``{"a": {"dollars": 0.02}}``, or the costs of all trials, one row per question (NaN if not known). ``runs``
    says which trials share a server, a day or a seed, as in OutcomeMatrix: the same for all models, or by model.
    ``answers`` and ``scores`` are those of OutcomeMatrix, by model, or one for each of the models.

    >>> models = OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]})
    >>> models
    OutcomeSet(2 models x 2 questions, binary)
    >>> models["b"].successes
    array([0, 1])
    """

    __slots__ = ("_conditions", "_costs")

    _noun = "model"
    _conditions: dict[str, dict[str, Any]]
    _costs: dict[str, dict[str, float]]

    @takes(SetOptions, normalize=normalize_answer)
    def __init__(
        self,
        outcomes: Any,
        *,
        models: Iterable[str] | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        prior: Any = None,
        missing: str = "raise",
        **options: Unpack[SetOptions],
    ) -> None:
        accepted(options, OutcomeSet.__init__)
        listed = None if models is None else list(models)
        check_no_suite(outcomes)
        table, costs_of_table = _of_table(outcomes, listed, missing)
        items, names = items_of(outcomes if table is None else table)
        names = names_of(listed if table is None else None, names, len(items))
        priors = priors_of(prior, names)
        trials = trials_of_each(names, options)
        given = dict(zip(names, items, strict=True))
        arguments = zip(names, items, trials, strict=True)
        made = {name: matrix_of(item, name, missing, of_model) for name, item, of_model in arguments}
        count = made[names[0]].n_questions
        lined_up = align(
            made,
            questions=check_labels(questions, count, "questions", unique=True),
            clusters=check_labels(clusters, count, "clusters", unique=False),
        )
        self._items = with_priors(lined_up, priors, missing_code(missing))
        conditions, costs = options.get("conditions"), options.get("costs")
        costs = costs_of_table if costs is None else costs
        if isinstance(outcomes, OutcomeSet) and models is None:
            conditions = outcomes.conditions if conditions is None else conditions
            costs = outcomes.costs if costs is None else costs
        self._conditions = {}
        if conditions is not None:
            self._conditions = of_known_models(conditions, self._items, "conditions", SETTINGS)
        self._costs = {} if costs is None else check_costs(costs, self._items, given)

    @classmethod
    def of(cls, models: Any, conditions: Any = None, costs: Any = None) -> OutcomeSet:
        """Return a set of models that are aligned already."""
        made = cls.__new__(cls)
        made._items, made._conditions, made._costs = models, conditions or {}, costs or {}
        return made

    @classmethod
    @takes_columns
    def from_frame(cls, frame: Any, **options: Unpack[FrameOptions]) -> OutcomeSet:
        """Make a set from a data frame with one row per trial: pandas, Polars, PyArrow, DuckDB, Dask, PySpark and more.

        The arguments name columns. If ``question`` or ``outcome`` is left out, every column that is left out is found
        by its usual name, as ``OutcomeSet(frame)`` does it. Rows are counted by the frame's own engine; models and
        questions come sorted.
        Outcomes are numbers, truth values or words such as C/P/I/N and pass/fail; 0 and 1 are binary. ``levels`` gives
        other values a reward: ``levels={"good": 0.75}``. With ``trial``, a trial that occurs twice is an error.
        ``missing`` says what becomes of a null outcome, and of a question that a model has no row of: ``"raise"`` an
        error, ``"omit"`` left out, ``"fail"`` counted as a failure; so it does of trials that failed to run by the
        column ``failed``, such as one of errors. In a table of counts, ``times`` is the column that
        says how many trials a row stands for. ``factors`` are columns such as prompts or judges: every model under
        every combination of their levels is a row of its own, and ``conditions`` has its model and levels. ``run`` is
        the column that says which trials share a server, a day or a seed; it may be that of ``trial``. A column of
        trials that is found by its name is one of runs if it is called run, seed or job, as in files; any other column
        of such a name, whose labels questions share, is warned of. ``answer`` is the column of answers, which
        ``normalize`` makes alike where they are equal, and ``scores`` are columns of numbers such as a verifier's:
        votes and choices among samples need them. Columns with usual names of costs, such as usd and
        tokens, give the costs of each model.

        >>> import pyarrow
        >>> rows = {"model": ["a", "a", "b", "b"], "task": [1, 1, 1, 1], "passed": [True, False, True, True]}
        >>> frame = pyarrow.table(rows)
        >>> OutcomeSet.from_frame(frame, question="task", outcome="passed", model="model")["b"].successes
        array([2])
        """
        return cls.of(*read_frame(frame, accepted(options, cls.from_frame)))

    @property
    def by_task(self) -> Mapping[str, OutcomeSet]:
        """The set itself, as one task without a name."""
        return {"": self}

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(self._items)

    @property
    def n_questions(self) -> int:
        """The number of questions, the same for every model."""
        return self.first.n_questions

    def check_complete(self) -> None:
        """Do nothing: every model of a set has its only task."""

    @property
    def first(self) -> OutcomeMatrix:
        """The outcomes of the first model."""
        return next(iter(self._items.values()))

    @property
    def conditions(self) -> Conditions:
        """The settings of each model's runs, such as its temperature, as logs tell them; {} for an unknown model.

        Conditions describe outcomes; two sets with the same outcomes are equal whatever their conditions are.
        """
        return MappingProxyType({name: MappingProxyType(self._conditions.get(name, {})) for name in self._items})

    @property
    def costs(self) -> Costs:
        """The mean cost per trial of each model, by the names of its logs, such as tokens, seconds and dollars.

        It is what the runs used, over the trials that have an outcome; {} for a model of which nothing is known. Where
        the cost of every trial is known, the number has an attribute ``trials``: the costs as outcomes by question.
        """
        return MappingProxyType({name: MappingProxyType(self._costs.get(name, {})) for name in self._items})

    @property
    def n_categories(self) -> int:
        """C + 1, the same for every model."""
        return self.first.n_categories

    @property
    def questions(self) -> Labels | None:
        """The label of each question, or None."""
        return self.first.questions

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each question, or None."""
        return self.first.clusters

    def select(self, questions: Any = None, *, models: Iterable[str] | None = None) -> OutcomeSet:
        """Return some of the questions of every model, chosen as in ``OutcomeMatrix.select``, or some of the models.

        >>> OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]}).select([1])["a"].successes
        array([2])
        """
        if models is not None:
            chosen = self._of_models(chosen_names("model", models, self.models))
            if chosen is None:
                raise OutcomeError("the selection has no outcomes")
            return chosen if questions is None else chosen.select(questions)
        chosen = self._reordered(selected(questions, self.n_questions, self.questions))
        for name, matrix in chosen.items():
            if not matrix.trials.any():
                raise OutcomeError(f"{name}: the selection has no trial")
        return chosen

    def split(self, by: Any = None) -> Suite:
        """Break the questions down into groups, and return a suite with one task per group.

        ``by`` is a mapping from the labels of questions to groups, or a sequence with the group of each question; by
        default, groups are the clusters. Every question has a group, and groups stand in the order of their first
        question. A model without a trial in a group lacks that task.

        >>> models = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]], "b": [[0, 0], [0, 1], [1, 1]]})
        >>> suite = models.split(["easy", "easy", "hard"])
        >>> suite, suite["hard"]["b"].successes
        (Suite(2 tasks x 2 models, 3 questions), array([2]))
        """
        parts: dict[str, OutcomeSet] = {}
        for group, order in groups_of(by, self.n_questions, self.questions, self.clusters).items():
            chosen = self._reordered(order)
            asked = chosen._of_models([name for name, matrix in chosen.items() if matrix.trials.any()])
            parts |= {} if asked is None else {group: asked}
        return Suite(parts)

    def _reordered(self, order: Indices) -> OutcomeSet:
        """Return the questions at these positions."""
        models = {name: matrix.reordered(order) for name, matrix in self._items.items()}
        return self.of(models, self._conditions, selected_costs(self._costs, order))

    def _of_models(self, names: Iterable[str]) -> OutcomeSet | None:
        """Return those of the models that are in the set, in this order, with their questions; None for no model."""
        models = {name: self._items[name] for name in names if name in self._items}
        return self.of(models, self._conditions, self._costs) if models else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self._items, self._conditions, self._costs)

    def __repr__(self) -> str:
        if self.first.is_continuous:
            kind = "continuous rewards"
        else:
            kind = "binary" if self.is_pass_fail else f"{self.n_categories} categories"
        return f"OutcomeSet({pluralize(len(self), 'model')} x {pluralize(self.n_questions, 'question')}, {kind})"


OutcomeMatrix._of_frame = staticmethod(lambda frame, columns: only_model(OutcomeSet.from_frame(frame, **columns)))


class Suite(SuiteAsData, ModelsOnTasks["OutcomeSet"]):
    """An immutable ordered mapping from tasks to the outcomes of models on the questions of that task.

    ``tasks`` is a mapping from names to anything that OutcomeSet takes. A model may lack a task: what needs every task
    of every model raises an error, and ``select`` leaves out models or tasks. Tasks have questions of their own: two
    questions with the same label in two tasks are two questions.

    >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}, "chess": {"a": [[0, 1]]}})
    >>> suite, suite.missing
    (Suite(2 tasks x 2 models, 3 questions), {'b': ('chess',)})
    """

    __slots__ = ()

    _noun = "task"
    _holds_tasks: ClassVar[bool] = True  # by which modules below this one know a suite

    def __init__(self, tasks: Mapping[str, Any]) -> None:
        if not isinstance(tasks, Mapping) or not tasks or not all(isinstance(name, str) and name for name in tasks):
            raise OutcomeError(
                'a suite maps the names of tasks to outcomes, as in Suite({"algebra": {"model-a": R}, "chess": {..}})'
            )
        self._items: dict[str, OutcomeSet] = {}
        for name, outcomes in tasks.items():
            with within(f"task {name}"):
                self._items[name] = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)

    @classmethod
    @takes_columns
    def from_frame(cls, frame: Any, *, task: str, **options: Unpack[FrameOptions]) -> Suite:
        """Make a suite of a data frame with one row per trial and a column of tasks.

        ``task`` names that column; the other arguments are those of ``OutcomeSet.from_frame``. Tasks come sorted. A
        model without a row of a task lacks that task.

        >>> import pyarrow
        >>> rows = {"task": ["add", "add", "mul"], "model": ["a", "b", "a"], "q": [1, 1, 1], "passed": [1, 0, 1]}
        >>> suite = Suite.from_frame(pyarrow.table(rows), task="task", model="model", question="q", outcome="passed")
        >>> suite.tasks, suite.missing
        (('add', 'mul'), {'b': ('mul',)})
        """
        accepted(options, cls.from_frame)
        parts: dict[str, OutcomeSet] = {}
        for name, part in frames_by_task(frame, task).items():
            with within(f"task {name}"):
                parts[name] = OutcomeSet.from_frame(part, **options)
        return cls(parts)

    @property
    def by_task(self) -> Mapping[str, OutcomeSet]:
        """The suite itself."""
        return self

    @property
    def costs(self) -> Costs:
        """The mean cost per trial of each model over all its tasks; costs that a task does not tell are left out."""
        costs: dict[str, Mapping[str, float]] = {}
        for model in self.models:
            of_tasks = {task: models for task, models in self._items.items() if model in models}
            trials = [int(models[model].trials.sum()) for models in of_tasks.values()]
            join = lambda parts, tasks=(*of_tasks,): pooled(dict(zip(tasks, parts, strict=True)))
            costs[model] = costs_of_all([models.costs[model] for models in of_tasks.values()], trials, join)
        return costs

    def select(self, *, tasks: Iterable[str] | None = None, models: Iterable[str] | None = None) -> Suite:
        """Return some of the tasks or models, in the given order; tasks without such models are left out."""
        chosen = self.tasks if tasks is None else chosen_names("task", tasks, self.tasks)
        kept = self.models if models is None else chosen_names("model", models, self.models)
        parts = {task: self[task]._of_models(kept) for task in chosen}
        if not any(parts.values()):
            raise OutcomeError("the selection has no outcomes")
        return Suite({task: part for task, part in parts.items() if part is not None})

    def split(self, by: Any) -> Suite:
        """Break every task down, as ``OutcomeSet.split`` does, and return a suite with one task per task and group.

        >>> algebra = OutcomeSet({"a": [[0, 1], [1, 1]]}, questions=["q1", "q2"])
        >>> Suite({"algebra": algebra}).split({"q1": "easy", "q2": "hard"}).tasks
        ('algebra [easy]', 'algebra [hard]')
        """
        parts: dict[str, OutcomeSet] = {}
        for task, outcomes in self.items():
            try:
                groups = outcomes.split(by)
            except (OutcomeError, ParameterError) as error:
                raise error.at(f"task {task}") from None
            parts |= {f"{task} [{group}]": part for group, part in groups.items()}
        return Suite(parts)

    def pooled(self) -> OutcomeSet:
        """Return all tasks as one set, in which every question counts the same; questions are named ``task/question``.

        Every model must have every task. Clusters stay apart by task; with a task that has clusters, a question of a
        task without them is a cluster of its own.

        >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1]]}, "chess": {"a": [[0, 1]]}})
        >>> suite.pooled()["a"].questions
        ('algebra/0', 'algebra/1', 'chess/0')
        """
        self.check_complete()
        conditions = {name: told for outcomes in self.values() for name, told in outcomes.conditions.items() if told}
        models = {model: pooled({task: outcomes[model] for task, outcomes in self.items()}) for model in self.models}
        return OutcomeSet(models, conditions=conditions, costs=self.costs)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._items,)

    def __repr__(self) -> str:
        sizes = [pluralize(len(self), "task"), pluralize(len(self.models), "model")]
        return f"Suite({' x '.join(sizes)}, {pluralize(self.n_questions, 'question')})"


def _of_table(outcomes: Any, models: list[str] | None, missing: str) -> tuple[Any, Costs | None]:
    """Return the outcomes of each model of a table, which may have a column each, and costs; None for anything else."""
    if models is not None:
        return read_columns(outcomes, models, missing), None
    read = read_table(outcomes, missing, of_models=True)
    return (None, None) if read is None else (read[0], read[2] or None)
