"""From a data frame with one row per trial to the outcomes of every model, with the same levels for all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._display.warn import warn
from ..errors import OutcomeError, ParameterError, PoolingWarning, Remedy
from ._column_names import pooled_text, usual_factors
from ._frame_counts import Rows, continuous_rows, count_rows, read_once, repeated, unused_columns, unused_times
from ._from_rewards import RewardTrials
from ._labels import Labels
from ._outcome_values import FAIL, MOST_LEVELS, RAISE, REMEDIES, ColumnReader, missing_code
from ._row_names import MODEL, row_name

_ONLY_MODEL = "model-0"
Values = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True)
class Columns:
    """The columns that hold the outcome of each trial, its question, its model, its name and its cluster.

    ``times`` is the column that says how many trials a row stands for; ``factors`` are the columns whose levels make
    rows of their own.
    """

    question: str
    outcome: str
    model: str | None = None
    trial: str | None = None
    cluster: str | None = None
    times: str | None = None
    factors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        others = (self.question, self.outcome, self.model, self.trial, self.cluster, self.times)
        if len(set(self.factors)) < len(self.factors) or any(name in others for name in self.factors):
            raise ParameterError(
                f"must be different columns, each without another role; got {list(self.factors)!r}", argument="factors"
            )
        if self.times is not None and self.trial is not None:
            raise ParameterError(
                "cannot be combined with trial: a row that counts several times is no single trial", argument="times"
            )

    @property
    def keys(self) -> list[str]:
        """The columns that identify a question of a model under the levels of factors."""
        return [self.question, *([] if self.model is None else [self.model]), *self.factors]

    @property
    def counted(self) -> list[str]:
        """The columns by which rows are counted."""
        return [self.outcome, *self.keys, *([] if self.cluster is None else [self.cluster])]


class Parts(NamedTuple):
    """The arguments of ``OutcomeMatrix._of_reduced`` for every row of a set, and the conditions of each."""

    outcomes: dict[str, tuple[Any, ...]]
    conditions: dict[str, dict[str, str]]


def outcome_parts(frame: Any, columns: Columns, levels: Mapping[Any, float] | None, missing: str) -> Parts:
    """Return the parts of a set with a row for every model, and level of factors; rows and questions are sorted."""
    code, stated, frame = missing_code(missing), _stated_levels(levels), read_once(frame)
    if columns.trial is not None:
        _check_single_trials(frame, columns)
    values, rewards, times = _rows(frame, columns, stated)
    names, model, conditions = _models(values, columns, len(times))
    questions, question = _coded(values[columns.question], columns.question)
    clusters = None if columns.cluster is None else _clusters(values, columns, questions)
    here, cells, shape = ~np.isnan(rewards), model * len(questions) + question, (len(names), len(questions))
    planned, recorded = _totals(cells, times, shape), _totals(cells[here], times[here], shape)
    # A question that a model has no row of is planned as often as the question that the model has most rows of.
    planned = np.where(planned > 0, planned, planned.max(axis=1, keepdims=True))
    absent = planned - recorded
    trials = RewardTrials(rewards[here], cells[here], planned.size, f"column {columns.outcome!r}", times[here])
    if code == FAIL and absent.any():
        trials, recorded = trials.with_failures(absent.ravel()), planned
    reduced = trials.of_models(len(names))
    for i, name in enumerate(names):
        _check_outcomes(recorded[i], planned[i], name, questions, code)
    return Parts({name: (reduced[i], planned[i], questions, clusters) for i, name in enumerate(names)}, conditions)


def _rows(frame: Any, columns: Columns, levels: Mapping[Any, float]) -> tuple[Values, Vector, Counts]:
    """Return the labels of each distinct row, its reward, and how often it occurs; every row of continuous rewards."""
    labels = columns.counted[1:]
    every = None if levels or columns.times else continuous_rows(frame, columns.outcome, labels, MOST_LEVELS)
    if every is not None:
        rewards, values = every
        return dict(zip(labels, values, strict=True)), rewards, np.ones(rewards.size, np.int64)
    rows = count_rows(frame, columns.counted, columns.times)
    if not rows:
        raise OutcomeError("the data frame has no rows")
    _check_one_row_per_trial(frame, columns, rows)
    _warn_of_pooled(frame, columns)
    counted_values = dict(zip(columns.counted, zip(*rows, strict=True), strict=True))
    times = np.fromiter(rows.values(), np.int64, len(rows))
    return counted_values, _rewards(counted_values[columns.outcome], levels, columns.outcome), times


def _check_one_row_per_trial(frame: Any, columns: Columns, rows: Rows) -> None:
    """Check that a table in which no row occurs twice is no table of counts."""
    if columns.times is not None or columns.trial is not None or max(rows.values()) > 1:
        return
    times = unused_times(frame, columns.counted)
    if times is not None:
        raise OutcomeError(
            f"no row occurs twice, and column {times!r} seems to say how many trials a row stands for",
            hint="if it does not, pass the table without this column; if the outcomes are numbers of successes, use"
            " OutcomeMatrix.from_counts",
            remedies=[Remedy("times", times, "counts each row as often")],
        )


def _warn_of_pooled(frame: Any, columns: Columns) -> None:
    """Warn if rows of one question differ in an unused column that is named as factors usually are."""
    used = [*columns.counted, *filter(None, [columns.trial, columns.times])]
    pooled = []
    for name in usual_factors(unused_columns(frame, used)):
        keys = Counter(row[:-1] for row in count_rows(frame, [*columns.keys, name]))
        if max(keys.values(), default=0) > 1:
            pooled.append(name)
    if pooled:
        warn(pooled_text(pooled), PoolingWarning)


def _stated_levels(levels: Mapping[Any, float] | None) -> dict[Any, float]:
    """Return the rewards that the user states, also by the text that some engines make of a value."""
    if levels is None:
        return {}
    try:
        rewards = {value: float(reward) for value, reward in levels.items()}
    except (AttributeError, TypeError, ValueError):
        rewards = {"": math.nan}
    if not all(map(math.isfinite, rewards.values())):
        raise ParameterError(f"must map outcomes to finite rewards; got {levels!r}", argument="levels")
    return {str(value): reward for value, reward in rewards.items()} | rewards


def _check_single_trials(frame: Any, columns: Columns) -> None:
    keys = repeated(frame, columns.keys, str(columns.trial))
    if keys is not None:
        question, *rest = keys
        names = [*([] if columns.model is None else ["model"]), *columns.factors]
        of_model = "".join(f" of {name} {value!r}" for name, value in zip(names, rest, strict=True))
        raise OutcomeError(
            f"column {columns.trial!r} is null, or the same twice, for question {question!r}{of_model}",
            remedies=[Remedy("factors", ["..."], "names the columns, such as a prompt, whose levels are kept apart")],
        )


def _models(values: Values, columns: Columns, rows: int) -> tuple[list[str], Indices, dict[str, dict[str, str]]]:
    """Return the names of the models, sorted, the model of each row, and the conditions of each if there are factors.

    With factors, every model under every combination of levels is a row of the set.
    """
    names: list[str] = [_ONLY_MODEL]
    model = np.zeros(rows, np.intp)
    if columns.model is not None:
        labels, model = _coded([name if name is None else str(name) for name in values[columns.model]], columns.model)
        names = list(map(str, labels))
    if not columns.factors:
        return names, model, {}
    levels, place = zip(*(_coded(values[name], name) for name in columns.factors), strict=True)
    combined, row = np.unique(np.column_stack([model, *place]), axis=0, return_inverse=True)
    conditions = {}
    for own, *at in combined.tolist():
        settings = {name: str(each[i]) for name, each, i in zip(columns.factors, levels, at, strict=True)}
        conditions[row_name(names[own], settings)] = {MODEL: names[own], **settings}
    if len(conditions) < len(combined):
        raise OutcomeError("two combinations of models and levels have the same name", hint="rename some levels")
    return list(conditions), np.asarray(row).reshape(-1), conditions


def _coded(values: Sequence[Hashable], column: str) -> tuple[Labels, Indices]:
    """Return the distinct labels, sorted, and the index of each value among them."""
    different = set(values)
    if None in different:
        raise OutcomeError(f"column {column!r} is null in some row: every trial needs its label")
    try:
        labels = tuple(sorted(different))  # type: ignore[type-var]
    except TypeError:
        labels = tuple(sorted(different, key=lambda label: (type(label).__name__, str(label))))
    where = {label: i for i, label in enumerate(labels)}
    return labels, np.fromiter(map(where.__getitem__, values), np.intp, len(values))


def _clusters(values: Values, columns: Columns, questions: Labels) -> Labels:
    """Return the cluster of each question, which has only one."""
    known: dict[Hashable, Hashable] = {}
    for question, cluster in zip(values[columns.question], values[str(columns.cluster)], strict=True):
        if cluster is None:
            raise OutcomeError(f"column {columns.cluster!r} is null for question {question!r}")
        if known.setdefault(question, cluster) != cluster:
            both = f"{known[question]!r} and {cluster!r}"
            raise OutcomeError(f"column {columns.cluster!r} has question {question!r} in two clusters, {both}")
    return tuple(known[question] for question in questions)


def _rewards(values: Sequence[Hashable], levels: Mapping[Any, float], column: str) -> Vector:
    """Return the reward of each outcome, NaN where an outcome is missing."""
    reader = ColumnReader(levels)
    try:
        rewards = {(type(value), value): reader(value) for value in set(values)}
    except OutcomeError as error:
        raise error.at(f"column {column!r}") from None
    return np.array([math.nan if (known := rewards[type(value), value]) is None else known for value in values])


def _totals(cells: Indices, times: Counts, shape: tuple[int, int]) -> Counts:
    """Return the trials by model and question."""
    total = np.zeros(math.prod(shape), np.int64)
    np.add.at(total, cells, times)
    return total.reshape(shape)


def _check_outcomes(present: Counts, planned: Counts, name: str, questions: Labels, missing: int) -> None:
    """Check that one model has some outcome, and every outcome that was planned unless they may be left out."""
    if not present.any():
        raise OutcomeError("no trial of any question has an outcome", where=f"model {name!r}")
    if missing == RAISE and (present < planned).any():
        label = questions[int(np.argmax(present < planned))]
        raise OutcomeError(
            f"question {label!r} has a trial without an outcome", where=f"model {name!r}", remedies=REMEDIES
        )
