"""From a data frame with one trial a row to the counts of every model, on one scale."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import engines
from .errors import OutcomeError, ParameterError
from .intake import FAIL, OMIT, RAISE, Counts, missing_code
from .labels import Labels
from .rewards import Levels, on_scale

_TRUTHS = {"true": 1.0, "false": 0.0}
_BINARY = (0.0, 1.0)
_ONLY_MODEL = "model-0"
Values = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True)
class Columns:
    """The columns that hold the outcome of each trial and what it is a trial of."""

    question: str
    outcome: str
    model: str | None = None
    trial: str | None = None
    cluster: str | None = None

    @property
    def keys(self) -> list[str]:
        """Of a question of a model."""
        return [self.question] if self.model is None else [self.question, self.model]

    @property
    def counted(self) -> list[str]:
        """Those by which rows are counted."""
        return [self.outcome, *self.keys, *([] if self.cluster is None else [self.cluster])]


def banks(frame: Any, columns: Columns, levels: Mapping[Any, float] | None, missing: str) -> dict[str, tuple[Any, ...]]:
    """What ``OutcomeMatrix.of_table`` takes, for every model; models and questions are sorted."""
    code, given = missing_code(missing), _given_rewards(levels)
    if columns.trial is not None:
        _demand_single_trials(frame, columns)
    rows = engines.count_rows(frame, columns.counted)
    if not rows:
        raise OutcomeError("the data frame has no rows")
    values = dict(zip(columns.counted, zip(*rows, strict=True), strict=True))
    times = np.fromiter(rows.values(), np.int64, len(rows))
    names, model = _models(values, columns.model, len(rows))
    questions, question = _coded(values[columns.question], columns.question)
    clusters = None if columns.cluster is None else _clusters(values, columns, questions)
    rewards = _rewards(values[columns.outcome], given, columns.outcome)
    counts, absent, scale = _counted(rewards, (model, question), times, columns.outcome)
    planned = counts.sum(axis=2) + absent
    for i, name in enumerate(names):
        _settle(counts[i], absent[i], name, questions, code)
    return {name: (counts[i], planned[i], None, questions, clusters, scale) for i, name in enumerate(names)}


def _given_rewards(levels: Mapping[Any, float] | None) -> dict[Any, float]:
    """The rewards the user gave, also by the text some engines make of a value."""
    if levels is None:
        return {}
    try:
        rewards = {value: float(reward) for value, reward in levels.items()}
    except (AttributeError, TypeError, ValueError):
        rewards = {"": math.nan}
    if not all(map(math.isfinite, rewards.values())):
        raise ParameterError(f"levels must map outcomes to finite rewards; got {levels!r}")
    return {str(value): reward for value, reward in rewards.items()} | rewards


def _demand_single_trials(frame: Any, columns: Columns) -> None:
    found = engines.repeated(frame, columns.keys, str(columns.trial))
    if found is not None:
        question, *model = found
        of_model = f" of model {model[0]!r}" if model else ""
        raise OutcomeError(f"column {columns.trial!r} is null, or the same twice, for question {question!r}{of_model}")


def _models(values: Values, column: str | None, rows: int) -> tuple[list[str], NDArray[np.intp]]:
    """The names of the models, sorted, and whose each row is."""
    if column is None:
        return [_ONLY_MODEL], np.zeros(rows, np.intp)
    names, model = _coded([name if name is None else str(name) for name in values[column]], column)
    return list(map(str, names)), model


def _coded(values: Sequence[Hashable], column: str) -> tuple[Labels, NDArray[np.intp]]:
    """The distinct labels, sorted, and which of them each value is."""
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
    """The one cluster of each question."""
    found: dict[Hashable, Hashable] = {}
    for question, cluster in zip(values[columns.question], values[str(columns.cluster)], strict=True):
        if cluster is None:
            raise OutcomeError(f"column {columns.cluster!r} is null for question {question!r}")
        if found.setdefault(question, cluster) != cluster:
            both = f"{found[question]!r} and {cluster!r}"
            raise OutcomeError(f"column {columns.cluster!r} has question {question!r} in two clusters, {both}")
    return tuple(found[question] for question in questions)


def _rewards(values: Sequence[Hashable], given: Mapping[Any, float], column: str) -> NDArray[np.float64]:
    """The reward of each outcome, NaN where there is none."""
    known = {value: _reward(value, given, column) for value in set(values)}
    return np.array([known[value] for value in values])


def _reward(value: Any, given: Mapping[Any, float], column: str) -> float:
    if value is None:
        return math.nan
    word = given.get(value, value)
    if isinstance(word, str):
        word = _TRUTHS.get(word.strip().lower(), word)
    try:
        reward = float(word) + 0.0
    except (TypeError, ValueError, OverflowError):
        reward = math.inf
    if math.isinf(reward):
        remedy = f"give it a finite reward with levels={{{value!r}: 1.0}}"
        raise OutcomeError(f"column {column!r} has the outcome {value!r}, which is no number: {remedy}")
    return reward


def _counted(
    rewards: NDArray[np.float64], at: tuple[NDArray[np.intp], NDArray[np.intp]], times: Counts, column: str
) -> tuple[Counts, Counts, Levels | None]:
    """Trials by model, question and level; those without an outcome; and the levels, None for 0 and 1."""
    models, questions = (int(places.max()) + 1 for places in at)
    here = ~np.isnan(rewards)
    scale, level = on_scale(rewards[here], models * questions, f"column {column!r}")
    counts = np.zeros((models, questions, len(scale)), np.int64)
    absent = np.zeros((models, questions), np.int64)
    np.add.at(counts, (at[0][here], at[1][here], level), times[here])
    np.add.at(absent, (at[0][~here], at[1][~here]), times[~here])
    return counts, absent, None if scale == _BINARY else scale


def _settle(counts: Counts, absent: Counts, name: str, questions: Labels, missing: int) -> None:
    """Apply the policy for trials without an outcome to one model's counts."""
    if missing == RAISE and absent.any():
        where = f"{name!r}, question {questions[int(np.argmax(absent > 0))]!r}"
        how = 'pass missing="omit" to leave it out or missing="fail" to count it at the lowest level'
        raise OutcomeError(f"{where}: a trial without an outcome; {how}")
    if missing == FAIL:
        counts[:, 0] += absent
    empty = ~counts.any(axis=1)
    if empty.all() or (missing != OMIT and empty.any()):
        lost = "any question" if empty.all() else f"question {questions[int(np.argmax(empty))]!r}"
        raise OutcomeError(f'{name!r} has no trial of {lost}; missing="omit" keeps a question without trials, unscored')
