"""Columns of a table that nobody asked for, and that may matter: the same rules for files and for data frames."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .._display.words import shorten, warn
from ..errors import OutcomeError, PoolingWarning, Remedy
from ._column_names import (
    NO_COUNTS,
    ROW_NUMBERS,
    TRACES,
    candidates,
    counted_by,
    labels_text,
    misspelt,
    names_runs,
    plain,
    usual_factors,
)

Row = tuple[Hashable, ...]
_RUNS = (
    "column {!r} may name runs: trials that share a server, a day or a seed. It is not used, and intervals take all"
    " trials as independent. {} reads runs; leave out the column if it names none"
)
_POOLED = (
    "the rows of one question differ in {} and are counted as repeated trials, so that intervals ignore how much scores"
    " differ by it. factors={!r} keeps them apart"
)
_COUNT = re.compile(r"\s*(\d{1,15})(?:\.0*)?\s*")  # a number of trials


@dataclass(frozen=True)
class UnusedColumns:
    """The columns of a table with one row per trial that have no role; ``keys`` identify a question of a model.

    The first of the keys is the question. ``counted`` says how often each combination of values occurs in some columns;
    lists and objects are an ``OutcomeError``. ``call`` says how a reader is told the column of a role.
    """

    counted: Callable[[Sequence[str]], Mapping[Row, int]]
    keys: Sequence[str]
    names: Sequence[str]
    call: Callable[[str, str], str]

    def tally(self, names: Sequence[str]) -> Mapping[Row, int]:
        """Return how often each combination of values occurs; nothing if some are lists or objects."""
        try:
            return self.counted(names)
        except OutcomeError:
            return {}

    def varies(self, name: str) -> bool:
        """Return whether a question of a model has several values of a column."""
        of_keys = Counter(row[:-1] for row in self.tally([*self.keys, name]))
        return max(of_keys.values(), default=0) > 1

    def check_question(self, remedy: Callable[[str], Remedy], *, has_trials: bool) -> None:
        """Check that no column seems to name the questions, where one was found to do so by its usual name.

        It does if it is a trace and each row has an id of its own, or a number and all rows have one text.
        """
        question = self.keys[0]
        usual = TRACES if plain(question) == "id" else set() if has_trials else ROW_NUMBERS
        for other in (name for name in self.names if plain(name) in usual):
            of_question, its = self.tally([question]).values(), self.tally([other]).values()
            if max(its, default=0) > max(of_question) == 1 if usual is TRACES else len(its) > len(of_question) == 1:
                problem = f"column {question!r} or {other!r} may name the questions: one has another value in each row"
                raise OutcomeError(problem, remedies=[remedy(other), remedy(question)])

    def check_no_counts(self, outcome: str, remedies: Callable[[str], Iterable[Remedy]]) -> None:
        """Check that no column counts the trials, or the failures, of each row of a table whose rows all differ."""
        for name in filter(counted_by, self.names):
            if self._holds_counts([*self.keys, outcome], name):
                counts = f"column {name!r} counts {counted_by(name)}"
                problem = f"{outcome!r} is read as the outcome of one trial, but {counts}"
                raise OutcomeError(problem, remedies=remedies(name), hint=NO_COUNTS)

    def _holds_counts(self, columns: Sequence[str], name: str) -> bool:
        """Return whether a column has whole numbers, and not at most 1 in all rows; one per question counts no row."""
        rows = self.tally([*columns, name])
        numbers = [_COUNT.fullmatch(str(row[-1])) for row in rows]
        of_question: dict[Row, set[Hashable]] = {}
        for row in rows:
            of_question.setdefault(row[: len(self.keys)], set()).add(row[-1])
        is_once = max(rows.values(), default=0) == 1 and len({row[:-1] for row in rows}) == len(rows)
        is_of_rows = len(of_question) == len(rows) or any(len(values) > 1 for values in of_question.values())
        return is_once and is_of_rows and all(numbers) and any(number and int(number[1]) > 1 for number in numbers)

    def warn_of_pooled(self, *, has_model: bool, has_run: bool) -> bool:
        """Warn of columns that may name runs, factors, models or tasks; return whether such rows may be pooled."""
        for name in [] if has_run else filter(names_runs, self.names):
            if is_crossed(self.tally([*self.keys, name])):
                warn(_RUNS.format(name, self.call("run", name)), PoolingWarning)
        pooled = [name for name in usual_factors(self.names) if self.varies(name)]
        if pooled:
            warn(_POOLED.format(shorten(pooled), pooled), PoolingWarning)
        models = [] if has_model else [*candidates("model", self.names), *misspelt("model", self.names)]
        labels = [("model", name) for name in models] + [("task", name) for name in candidates("task", self.names)]
        near = [(role, name) for role, name in labels if self.varies(name)]
        for role, name in near:
            warn(labels_text(name, role, self.call(role, name)), PoolingWarning)
        return bool(pooled or near)


def is_crossed(rows: Iterable[Row]) -> bool:
    """Return whether some label is at several questions, and a question of a model has several labels.

    A row starts with its question and ends with its label, if any; between them is its model, if there are several.

    >>> is_crossed([("q", "mon"), ("q", "tue"), ("r", "mon")]), is_crossed([("q", 1), ("q", 2), ("r", 3)])
    (True, False)
    """
    different = {row for row in rows if row[-1] not in (None, "")}
    labels = Counter(row[:-1] for row in different)
    questions = Counter(label for _, label in {(row[0], row[-1]) for row in different})
    return max(labels.values(), default=0) > 1 and max(questions.values(), default=0) > 1
