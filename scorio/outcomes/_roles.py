"""Which column of a table plays which role: those that the user names, and others by their names and values.

Columns that nobody asked for may matter, too. The rules are the same for files and for data frames.
"""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from .._base.arrays import cached_property
from .._base.words import shorten, unknown, warn
from ..errors import FilesWarning, OutcomeError, PoolingWarning, Remedy
from ._column_names import (
    NO_COUNTS,
    ROW_NUMBERS,
    TRACES,
    candidates,
    columns_apart,
    counted_by,
    in_frames,
    kinds_of_failures,
    likely_outcomes,
    may_tell_failures,
    misspelt,
    names_runs,
    plain,
    says_failure,
    usual_factors,
)
from ._outcome_values import reward
from ._table_layout import (
    UNNAMED,
    Asked,
    NotATableError,
    SummaryError,
    TableLayout,
    UnknownColumnsError,
    kept_columns,
    recognise_columns,
)

Row = tuple[Hashable, ...]
_MEAN = re.compile(r"(pass|avg|maj|cons|mean)[@_^]")  # names of means over trials
_RUNS = (
    "column {!r} may name runs: trials that share a server, a day or a seed. It is not used, and intervals take all"
    " trials as independent. {} reads runs; leave out the column if it names none"
)
_LESS = re.compile(r"((is|has)_?)?(error|wrong|incorrect|fail|failed|failure)s?(_?rate)?|loss|latency|wer|cer")
_LESS_IS_BETTER = (
    "the name of the outcomes, {!r}, says that less is better, but more is taken as better: levels={{'1': 0, '0': 1}}"
    " turns 0 and 1 around; for other numbers, write the negative of each"
)
_FAILED = (
    "column {!r} has {} in {} of the {} trials with the outcome 0, which count as wrong answers: if these trials failed"
    " to run, {}"
)
_POOLED = (
    "the rows of one question differ in {} and are counted as repeated trials, so that intervals ignore how much scores"
    " differ by it. factors={!r} keeps them apart"
)
_LABELS = (
    "the rows of one question differ in {0!r}, which may name {1}s, and are counted as repeated trials. {2} reads {1}s;"
    " factors=[{0!r}] keeps conditions apart"
)
_MODELS = "column {!r} may name models, and all rows are taken for those of one model. {} reads models"
_COUNT = re.compile(r"\s*(\d{1,15})(?:\.0*)?\s*")  # a number of trials
_MOST_LEVELS = 12  # of a column that may tell conditions apart
_RARELY = 0.1  # of the trials that failed to run have another outcome than 0
_MOSTLY = 0.8  # of the questions are there for every model


@dataclass(frozen=True)
class UnusedColumns:
    """The columns of a table that have no role in its layout."""

    relation: Any
    layout: TableLayout

    @cached_property
    def keys(self) -> list[str]:
        """The columns that identify a question of a model, that of the questions first."""
        question = self.layout.roles["question"]
        return [question, *(name for name in self.layout.keys.values() if name not in (question, self.layout.run))]

    @cached_property
    def names(self) -> list[str]:
        """The columns without a role."""
        layout = self.layout
        used = {*layout.roles.values(), *layout.wide, *layout.factors, *layout.costs.values(), *layout.kept.values()}
        return [name for name in self.relation.columns if name not in used and not UNNAMED.fullmatch(name)]

    def tally(self, names: Sequence[str]) -> Mapping[Row, int]:
        """Return how often each combination of values occurs; nothing if some are lists or objects."""
        try:
            return self.relation.tally(names, self.layout.nested)  # type: ignore[no-any-return]
        except OutcomeError:
            return {}

    def varies(self, name: str) -> bool:
        """Return whether a question of a model has several values of a column."""
        of_keys = Counter(row[:-1] for row in self.tally([*self.keys, name]))
        return max(of_keys.values(), default=0) > 1

    def _call(self, role: str, column: str) -> str:
        """Return how a reader is told the column of a role, in words."""
        return in_frames(role, column) if self.relation.is_frame else f"fields={{{role!r}: {column!r}}}"

    def check_models(self) -> None:
        """Check that no part of an object names models of which each has its own questions, where no column does.

        Where they share questions, a warning says that they are pooled.
        """
        if "model" in self.layout.roles:
            return
        parts = [name for name in self.relation.columns if "." in name]
        for model in (name for name in parts if candidates("model", [name.rpartition(".")[2]])):
            if len(self.tally([model])) > 1 and not self.varies(model):
                inside = f"{model.rpartition('.')[0]}."
                ids = [name for name in parts if name.startswith(inside) and plain(name.rpartition(".")[2]) == "id"]
                fields = {"question": ids[0], "model": model} if ids else {"model": model}
                raise OutcomeError(
                    f"column {model!r} may name models, which would be pooled",
                    remedies=[Remedy("fields", fields, f"reads {'questions and models' if ids else 'models'}")],
                )

    def check_question(self) -> None:
        """Check that no column seems to name the questions, where one was found to do so by its usual name.

        It does if it is a trace and each row has an id of its own, or a number and all rows have one text.
        """
        question, has_trials = self.keys[0], "trial" in self.layout.roles
        usual = TRACES if plain(question) == "id" else set() if has_trials else ROW_NUMBERS
        for other in (name for name in self.names if plain(name) in usual):
            of_question, its = self.tally([question]).values(), self.tally([other]).values()
            if max(its, default=0) > max(of_question) == 1 if usual is TRACES else len(its) > len(of_question) == 1:
                problem = f"column {question!r} or {other!r} may name the questions: one has another value in each row"
                remedies = [Remedy("fields", {"question": name}, f"takes {name!r}") for name in (other, question)]
                raise OutcomeError(problem, remedies=remedies)

    def check_no_counts(self) -> None:
        """Check that no column counts the trials, or the failures, of each row of a table whose rows all differ."""
        layout = self.layout
        if layout.form != "long" or layout.export is not None or "trial" in layout.roles:
            return
        outcome = layout.roles["outcome"]
        for name in filter(counted_by, self.names):
            if self._holds_counts([*self.keys, outcome], name):
                counts = f"column {name!r} counts {counted_by(name)}"
                problem = f"{outcome!r} is read as the outcome of one trial, but {counts}"
                raise OutcomeError(problem, remedies=self._remedies_of_counts(name, outcome), hint=NO_COUNTS)

    def _remedies_of_counts(self, name: str, outcome: str) -> list[Remedy]:
        of_trials = counted_by(name) == "trials"
        if self.relation.is_frame:
            return (
                [Remedy("times", name, "counts each row as often")] if of_trials and not self._successes(name) else []
            )
        columns = {"trials": name, "successes": outcome}
        reads = [Remedy("fields", columns, "reads numbers of trials and of successes")]
        one = Remedy("score", outcome, "if each row is one trial")
        return [*(reads if of_trials and candidates("successes", [outcome]) else []), one]

    def _successes(self, times: str) -> bool:
        """Return whether the outcomes are numbers of successes, of as many trials as another column says."""
        outcome = self.layout.roles["outcome"]
        pairs = [[_COUNT.fullmatch(str(value)) for value in row] for row in self.tally([outcome, times])]
        whole = [(int(c[1]), int(n[1])) for c, n in pairs if c and n] if candidates("successes", [outcome]) else []
        return len(whole) == len(pairs) and all(c <= n for c, n in whole) and any(c > 1 for c, _ in whole)

    def check_times(self, times: str) -> None:
        """Check that the column of times is not one of trials, of which the outcomes are the successes."""
        if self._successes(times):
            problem = f"{self.layout.roles['outcome']!r} has numbers of successes, {times!r} those of the trials"
            raise OutcomeError(problem, hint="rename the columns to c and n, which are read as such numbers")

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

    def warn_of_less(self) -> None:
        """Warn of outcomes whose name says that less of them is better."""
        outcome = self.layout.roles.get("outcome", "")
        if _LESS.fullmatch(plain(outcome)):
            warn(_LESS_IS_BETTER.format(outcome), FilesWarning)

    def warn_of_failed(self) -> None:
        """Warn of a column that says that trials failed to run whose outcome is 0: missing is not wrong."""
        layout, outcome = self.layout, self.layout.roles.get("outcome", "")
        is_open = layout.form == "long" and layout.may_fail and layout.export is None
        for name in filter(may_tell_failures, self.names if is_open else ()):
            of_zero, of_others, wrong = Counter[Any](), 0, 0
            for (text, value), times in self.tally([name, outcome]).items():
                reward_of_row, failed = _reward(value), says_failure(name, text) * times
                wrong += times * (reward_of_row == 0.0)
                if failed and reward_of_row == 0.0:
                    of_zero[text] += failed
                of_others += failed * (reward_of_row not in (0.0, None))
            are_failures, some_are_answers = kinds_of_failures(name, of_zero, are_all=of_zero.total() == wrong)
            if are_failures and of_others <= _RARELY * of_zero.total():
                none = "" if self.relation.is_frame else ", fields={'failed': None} says that they are wrong"
                advice = f"{self._call('failed', name)} makes them missing{none}"
                advice = "leave out the outcomes of those that did" if some_are_answers else advice
                warn(_FAILED.format(name, shorten(of_zero), of_zero.total(), wrong, advice), FilesWarning)

    def warn_of_pooled(self, *, are_stated: bool = False) -> None:
        """Warn of columns that may name runs, factors, models or tasks, so that their rows may be pooled by mistake.

        Where neither models nor trials have a column, another one whose levels are there once per question may hold
        them, unless the user states which columns matter (``are_stated``).
        """
        layout = self.layout
        if layout.export is not None:
            return
        self.warn_of_failed()
        for name in [] if layout.run else filter(names_runs, self.names):
            if is_crossed(self.tally([*self.keys, name])):
                warn(_RUNS.format(name, self._call("run", name)), PoolingWarning)
        pooled = [name for name in usual_factors(self.names) if self.varies(name)]
        if pooled:
            warn(_POOLED.format(shorten(pooled), pooled), PoolingWarning)
        has_model = layout.form != "long" or "model" in layout.roles
        nearly = [] if has_model else misspelt("model", self.names)
        models = [] if has_model else [*candidates("model", self.names), *nearly]
        labels = [("model", name) for name in models] + [("task", name) for name in candidates("task", self.names)]
        near = [(role, name) for role, name in labels if self.varies(name)]
        for name in (name for name in nearly if ("model", name) not in near and len(self.tally([name])) > 1):
            warn(_MODELS.format(name, self._call("model", name)), PoolingWarning)
        if not (pooled or near or has_model or "trial" in layout.roles or are_stated):
            near = [("model", name) for name in self._models() if not candidates("trial", [name])]
        for role, name in near:
            warn(_LABELS.format(name, role, self._call(role, name)), PoolingWarning)
        told = {*pooled, *(name for _, name in near)}
        others = [name for name in self.names if name not in told and not candidates("trial", [name])]
        crossed = [name for name in others if self.relation.is_small and self._is_condition(name)]
        if crossed:
            warn(_POOLED.format(shorten(crossed), crossed), PoolingWarning)

    def _is_condition(self, name: str) -> bool:
        """Return whether all questions have as many rows, two or more, at every level of a column."""
        levels = len(self.tally([name]))
        if not 1 < levels <= _MOST_LEVELS:
            return False
        cells = self.tally([*self.keys, name])
        questions, numbers = {row[:-1] for row in cells}, {*cells.values()}
        return len(questions) > 1 and len(numbers) == 1 and min(numbers) > 1 and len(cells) == levels * len(questions)

    def _models(self) -> list[str]:
        """Return the column whose levels are there once for nearly every question."""
        names = self.telling_apart() if self.relation.is_small else []
        if len(names) != 1:
            return []
        rows = self.tally([*self.keys, *names])
        questions, levels = len({row[:-1] for row in rows}), {row[-1] for row in rows}
        crossed = len(levels) * questions  # rows if every model has every question
        return names if questions > 1 and None not in levels and len(rows) >= _MOSTLY * crossed else []

    def telling_apart(self) -> list[str]:
        """Return the fewest columns by which no trial of a question is there twice."""
        trial = [name for name in (self.layout.run, self.layout.roles.get("trial")) if name]
        levels: dict[str, int] = {}
        for name in self.names:
            rows = self.tally([name])
            if 1 < len(rows) <= max(sum(rows.values()) // 2, 2):
                levels[name] = len(rows)
        for several in (*([name] for name in sorted(levels, key=levels.__getitem__)), [*levels]):
            if several and max(self.tally([*self.keys, *trial, *several]).values(), default=0) == 1:
                return several
        return []

    def advised(self, error: OutcomeError) -> OutcomeError:
        """Return the error about a trial that is there twice, with the columns that would keep the two apart.

        Where such a column is found, the advice to ignore the numbers of trials is left out: it would take, say,
        answers to different prompts for repeated trials.
        """
        names = self.telling_apart()
        remedies: list[Remedy] = []
        if self.layout.form == "wide" and candidates("trial", names):
            remedies = [Remedy("fields", {"models": [*self.layout.wide]}, "reads a model from each of these columns")]
            return error.changed(remedies=remedies, hint=None)
        may_be_model = len(names) == 1 and "model" not in self.layout.roles and not usual_factors(names)
        if may_be_model:
            remedies.append(Remedy("fields", {"model": names[0]}, "reads the models, which it seems to name"))
        remedies += [Remedy("fields", {"run": name}, "reads runs") for name in names if names_runs(name)]
        if names and not (may_be_model and misspelt("model", names)):
            factors = [name for name in self.layout.factors if name != self.layout.run]
            remedies.append(Remedy("factors", [*factors, *names], "keeps their levels apart"))
        remedies += [one for one in error.remedies if not names or one.value not in ({"trial": None}, ["..."])]
        return OutcomeError(error.problem, where=error.where, remedies=remedies, hint=error.hint)


def _reward(value: Any) -> float | None:
    """Return the reward of an outcome; None for one that is missing or unknown."""
    try:
        return reward(value)
    except OutcomeError:
        return None


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


def layout_of(table: Any, asked: Asked) -> TableLayout:
    """Return the layout of a table, in which turns and metrics are kept apart; ``score`` may choose one metric."""
    run, metric = asked.fields.get("run") or "", _metric(table, asked.score)
    fields = {role: name for role, name in asked.fields.items() if role not in ("answer", "run")}
    trials = candidates("trial", table.columns) if "trial" not in fields else []
    if len(trials) > 1 and len(table.tally(trials)) == len(table.tally(trials[:1])) == len(table.tally(trials[1:])):
        fields["trial"] = trials[0]  # of columns that number the trials alike
    score, factors = None if metric else asked.score, (*asked.factors, *metric, *filter(None, [run]))
    layout = _layout_of_outcomes(table, Asked(fields, score, factors, asked.several))
    layout = replace(layout, run=run, metric=metric) if run or metric else layout
    rest = UnusedColumns(table, layout)
    is_long = layout.form == "long" and layout.export is None
    if is_long and score is None and not {"trials", "outcome"} & fields.keys():
        rest.check_no_counts()
    if is_long and "model" not in asked.fields:
        rest.check_models()
    if is_long and "question" not in asked.fields:
        rest.check_question()
    if asked.keep:
        layout = replace(layout, kept=kept_columns(table.columns, layout, asked.keep, asked.fields.get("answer")))
        rest = replace(rest, layout=layout)
    apart = tuple(filter(rest.varies, columns_apart(rest.names)))
    return replace(layout, factors=layout.factors + apart) if apart else layout


def _metric(table: Any, score: str | None) -> dict[str, str]:
    """Return the column that names metrics with the one that is read, if it is a metric that the user chose."""
    names = [] if score is None or score in table.columns else columns_apart(table.columns)
    return next(({name: str(score)} for name in names if (score,) in table.tally([name])), {})


def _layout_of_outcomes(table: Any, asked: Asked) -> TableLayout:
    """Return the layout of a table, whose outcomes are no means."""
    try:
        layout = recognise_columns(table.columns, asked)
    except UnknownColumnsError as error:
        lists = [] if asked.score else _lists_of_flags(table)
        if len(lists) == 1:
            layout = recognise_columns(table.columns, replace(asked, score=lists[0]))
        elif _is_summary(table):
            raise SummaryError(error.problem, remedies=error.remedies, hint=error.hint) from None
        elif not table.is_rectangular:
            raise NotATableError(error.problem, remedies=error.remedies, hint=error.hint) from None
        else:
            raise
    is_list = layout.form == "long" and holds_lists(table, layout.roles["outcome"])
    layout = replace(layout, form="lists", share="", costs={}) if is_list else layout
    if _MEAN.match(layout.roles.get("outcome", "")) and (lists := _lists_of_flags(table)):
        problem = f"{layout.roles['outcome']!r} is a mean over trials, whose outcomes are in {lists[0]!r}"
        raise OutcomeError(problem, where="record 0", remedies=[Remedy("score", lists[0], "reads these")])
    return layout


def _is_summary(table: Any) -> bool:
    """Return whether a table has no questions, and one row with a score for each model, or for each on every task."""
    keys = [*candidates("model", table.columns), *candidates("task", table.columns)]
    has_scores = bool(likely_outcomes(table.columns)) and not candidates("question", table.columns)
    return bool(keys) and has_scores and {*table.tally(keys).values()} == {1}


def _lists_of_flags(table: Any) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    if table.kinds is not None:
        return [name for name, kind in table.kinds.items() if kind == "BOOLEAN[]"]
    first = {name: table.first_values(name) for name in table.columns}
    lists = {name: values for name, values in first.items() if values and all(isinstance(v, list) for v in values)}
    return [name for name, values in lists.items() if all(values) and {*map(type, chain(*values))} == {bool}]


def holds_lists(table: Any, name: str) -> bool:
    """Return whether the first value of a column is a list."""
    if table.kinds is not None:
        return str(table.kinds.get(name, "")).endswith("]")
    return isinstance(next((value for value in table.first_values(name) if value is not None), None), list)


def choose(name: str | None, offered: Collection[str], argument: str, noun: str) -> str:
    """Return the one of the ``offered`` names that ``name`` stands for, or the only one if ``name`` is None."""
    if not offered:
        raise OutcomeError(f"there is no {noun}")
    if name is None:
        if len(offered) > 1:
            problem = f"there are several {noun}s, {shorten(offered)}"
            raise OutcomeError(problem, remedies=[Remedy.choice(argument, offered)])
        return next(iter(offered))
    matches = [candidate for candidate in offered if candidate == name] or [
        candidate for candidate in offered if candidate.rpartition("/")[2] == name
    ]
    if len(matches) > 1:
        raise OutcomeError(f"names {len(matches)} {noun}s: {shorten(matches)}", argument=f"{argument}={name!r}")
    if not matches:
        raise OutcomeError(unknown(noun, name, offered))
    return matches[0]
