"""What is known of each trial beside its outcome, as columns with one entry per trial: its run, its answer, its scores.

Trials of a run share a server, a day or a seed; scores say how good a verifier thinks a trial is. Columns are kept
beside the counts. Trials are in the order of their questions, those of a question in the order of their outcomes,
failures first, and then of their runs. The counts say which outcome each trial has, so one byte per trial is enough for
up to 255 runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from types import NoneType
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Codes, Counts, Indices, Vector, read_only
from .._base.options import takes
from .._base.words import pluralize, shorten, unknown, warn
from ..errors import OutcomeError, ParameterError, Remedy, RunsWarning
from ._labels import Labels, check_texts, in_order, positions
from ._outcome_values import is_missing
from ._rewards import places_of, read_rewards
from ._table import is_row

NONE = -1  # the number of no answer
LOST_RUNS = (
    "the runs of some of the trials that are merged are known, and of others not: the merged outcomes know no runs, so"
    " that intervals take trials as independent. Give all of them their runs"
)
NAME_RUNS = (
    "in logs and tables, a run is one of several files of a model, or a value of a column of trials named run, seed or"
    " job, or of another column that fields={'run': ...} names; for arrays, OutcomeMatrix(R,"
    " runs=[..]) gives each column its run"
)
NAME_ANSWERS = "for arrays, OutcomeMatrix(R, answers=..) takes one answer per trial, in the shape of R"
NAME_SCORES = 'for arrays, OutcomeMatrix(R, scores={"judge": ..}) takes one number per trial, in the shape of R'
KEEP_ANSWERS = Remedy("keep", "answers", "keeps the answers of logs that have them")
KEEP_SCORES = Remedy("keep", "NAME", "keeps a score of logs that have it")
_CELLS = 1 << 20  # of questions times labels that are counted at a time
_SHAPE = "must have the shape of the outcomes, one value per trial"
Normalize = Callable[[Any], Hashable]  # makes an answer a label, which is equal for equal answers
_BLANKS = re.compile(r"\s+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?(/\d+)?|[+-]?\d+(\.\d*)?%")
_WRAPPED = re.compile(r"\\boxed\{(?P<boxed>[^{}]*)\}|\$(?P<math>[^$]*)\$|\\\((?P<inline>.*)\\\)")
_ENDS = " \t\r\n.,;:!"
_LONGEST = 1_000  # characters of a number; Python writes at most 4,300 digits, and longer text is compared as it is
_NONE: dict[str, None] = dict.fromkeys(["", "none", "null", "n/a", "[invalid]"])


class TrialOptions(TypedDict, total=False):
    """What is known of each trial beside its outcome, and what makes equal answers alike."""

    runs: Iterable[Any] | None
    answers: Any
    scores: Any
    normalize: Normalize | None


@dataclass(frozen=True, eq=False)
class Labelled:
    """A column of labels: the distinct ``labels``, and the number ``of_trial`` of that of each trial, -1 for none.

    >>> runs = Labelled(("mon", "tue"), np.array([1, 0, 0, 1], np.uint8))
    >>> runs.counts_by_run(np.array([[1, 1], [2, 0]])).tolist()  # by run, question and category
    [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]
    """

    labels: Labels
    of_trial: NDArray[np.integer[Any]]

    def at(self, places: Indices) -> Labelled:
        """Return the column of the trials at these places; labels that none of them has are left out."""
        codes = self.of_trial[places]
        present = np.flatnonzero(np.bincount(codes + np.int64(1), minlength=1)[1:])
        number = np.full(len(self.labels) + 1, NONE, np.int64)  # the last is that of no label
        number[present] = np.arange(len(present))
        return Labelled(tuple(self.labels[i] for i in present.tolist()), number[codes]).narrow()

    def in_order(self) -> Labelled:
        """Return the column with its labels sorted."""
        labels = in_order(self.labels)
        return Labelled(tuple(labels), positions(self.labels, labels)[self.of_trial])

    def narrow(self) -> Labelled:
        """Return the column with one byte per trial, where there are few labels."""
        ends = min(int(self.of_trial.min(initial=0)), 0), max(len(self.labels) - 1, 0)
        return Labelled(self.labels, self.of_trial.astype(np.result_type(*map(np.min_scalar_type, ends))))

    def tables(self, trials: Counts) -> Iterator[Counts]:
        """Generate how many of the ``trials`` of each question have each label, (M, T), some questions at a time."""
        ends, width = np.cumsum(trials), len(self.labels)
        some = max(_CELLS // max(width, 1), 1)
        for first in range(0, len(trials), some):
            numbers = trials[first : first + some]
            codes = self.of_trial[ends[first] - trials[first] : ends[first + len(numbers) - 1]]
            cells = np.repeat(np.arange(len(numbers)) * width, numbers) + codes
            yield np.bincount(cells, minlength=len(numbers) * width).reshape(-1, width)

    def share_questions(self, trials: Counts) -> bool:
        """Whether a question, of which each has so many ``trials``, has trials with two labels."""
        changes = self.of_trial[1:] != self.of_trial[:-1]
        ends = np.cumsum(trials)
        changes[ends[(ends > 0) & (ends < len(self.of_trial))] - 1] = False
        return bool(changes.any())

    def counts_by_run(self, counts: Counts) -> Counts:
        """Return the trials by run, question and category, (T, M, C+1); ``counts`` are those of all runs."""
        cell = np.repeat(np.arange(counts.size), counts.ravel())
        where = self.of_trial.astype(np.int64) * counts.size + cell
        return np.bincount(where, minlength=len(self.labels) * counts.size).reshape(-1, *counts.shape)


@dataclass(frozen=True, eq=False)
class TrialColumns:
    """The columns of trials: ``runs`` and ``answers`` where they are known, and ``scores`` by name, NaN for none.

    It is true if there is a column; without any, it is ``NOTHING``.

    >>> columns = TrialColumns(answers=Labelled(("4", "5"), np.array([1, 0, -1])))
    >>> answers = columns.sorted_by([1, 0, 1], [1.0, 0.0, 0.0]).answers
    >>> answers.of_trial.tolist(), answers.labels
    ([0, -1, 1], ('4', '5'))
    """

    runs: Labelled | None = None
    answers: Labelled | None = None
    scores: Mapping[str, Vector] = field(default_factory=dict)

    def __post_init__(self) -> None:
        codes = [column.of_trial for column in (self.runs, self.answers) if column is not None]
        for array in (*codes, *self.scores.values()):
            read_only(array)

    def sorted_by(self, rows: Any, outcomes: Any, places: Indices | None = None) -> TrialColumns:
        """Return the columns of trials in order, by the question of each and a number that orders outcomes.

        The trials are those at some ``places``, or all. Runs are sorted by their labels.
        """
        if not self:
            return NOTHING
        columns = self if places is None else self.at(places)
        runs = None if columns.runs is None else columns.runs.in_order()
        order = np.lexsort((outcomes, rows) if runs is None else (runs.of_trial, outcomes, rows))
        return replace(columns, runs=runs).at(order)

    def __bool__(self) -> bool:
        return self.runs is not None or self.answers is not None or bool(self.scores)

    def at(self, places: Indices) -> TrialColumns:
        """Return the columns of the trials at these places."""
        runs, answers = (None if column is None else column.at(places) for column in (self.runs, self.answers))
        return TrialColumns(runs, answers, {name: score[places] for name, score in self.scores.items()})

    def with_unknown(self, count: int) -> TrialColumns:
        """Return the columns of so many trials more, of which nothing is known, so that no runs are."""
        if not count:
            return self
        answers = self.answers
        if answers is not None:
            answers = Labelled(answers.labels, np.append(answers.of_trial, np.full(count, NONE)))
        scores = {name: np.append(score, np.full(count, np.nan)) for name, score in self.scores.items()}
        return TrialColumns(None, answers, scores)

    def take(self, order: Indices, trials: Counts) -> TrialColumns:
        """Return the columns of the questions at these positions; ``trials`` are those of each question before."""
        return self.at(places_of(order, trials)) if self else self

    @property
    def without_runs(self) -> TrialColumns:
        """The other columns."""
        return self if self.runs is None else replace(self, runs=None)

    @property
    def all_runs(self) -> Labelled:
        """The runs; an error if they are not known."""
        if self.runs is None:
            raise OutcomeError("it is not known which run each trial belongs to", hint=NAME_RUNS)
        return self.runs

    @property
    def all_answers(self) -> Labelled:
        """The answers; an error if they are not known."""
        if self.answers is None:
            problem = "the answers of the trials are not known"
            raise OutcomeError(problem, remedies=[KEEP_ANSWERS], hint=NAME_ANSWERS)
        return self.answers

    def score(self, name: str | None) -> tuple[str, Vector]:
        """Return a score by its name, or the only one, with its name; an error unless every trial has it."""
        if not self.scores:
            raise OutcomeError("the trials have no scores", remedies=[KEEP_SCORES], hint=NAME_SCORES)
        if name is None and len(self.scores) > 1:
            raise OutcomeError("trials have several scores", remedies=[Remedy.choice("by", list(self.scores))])
        chosen = next(iter(self.scores)) if name is None else name
        if chosen not in self.scores:
            raise OutcomeError(unknown("score", chosen, self.scores), argument="by")
        score = self.scores[chosen]
        absent = int(np.isnan(score).sum())
        if absent:
            problem = f"{absent} of {score.size} trials have no score {chosen!r}, and a choice by it is not known there"
            raise OutcomeError(problem, hint="give each trial a score, the lowest where a verifier failed on it")
        return chosen, score

    def __reduce__(self) -> tuple[Any, ...]:
        return TrialColumns, (self.runs, self.answers, self.scores)


NOTHING = TrialColumns()


# The trials of several matrices, and of several models.


def together(matrices: Sequence[Any], rows: Sequence[Indices] | None = None) -> TrialColumns:
    """Return what is known of the trials of all of some matrices; a column that one of them lacks is left out.

    The questions of each go to its ``rows``, or stay where they are. Trials without runs beside others are warned of.
    """
    if len({one.runs is None for one in matrices}) > 1:
        warn(LOST_RUNS, RunsWarning)
    if not any(one.trial_columns for one in matrices):
        return NOTHING
    here = [np.arange(matrix.n_questions) for matrix in matrices] if rows is None else rows
    placed = [matrix.trials_at(of_matrix) for matrix, of_matrix in zip(matrices, here, strict=True)]
    columns = [matrix.trial_columns for matrix, (at, _) in zip(matrices, placed, strict=True) if len(at)]
    if not columns:
        return NOTHING
    names = [name for name in columns[0].scores if all(name in other.scores for other in columns)]
    scores = {name: np.concatenate([other.scores[name] for other in columns]) for name in names}
    joined = TrialColumns(_joined([c.runs for c in columns]), _joined([c.answers for c in columns]), scores)
    return joined.sorted_by(*(np.concatenate(column) for column in zip(*placed, strict=True)))


def _joined(columns: Sequence[Labelled | None]) -> Labelled | None:
    """Return one column after the other; None if one is not known."""
    having = [column for column in columns if column is not None]
    if len(having) < len(columns):
        return None
    labels = tuple(dict.fromkeys(label for one in having for label in one.labels))
    codes = [np.append(positions(one.labels, labels), NONE)[one.of_trial] for one in having]
    return Labelled(labels, np.concatenate(codes))


# The trials of arrays.


def known_of_arrays(values: Any, options: TrialOptions, missing: int, name: str = "R") -> TrialColumns:
    """Return the columns of outcomes or rewards by question, of which ``missing`` says what becomes of missing ones.

    ``runs`` has one label per column of the outcomes, or one per trial; ``answers`` and ``scores`` one entry per trial.

    >>> options = {"runs": ["mon", "tue"], "answers": [["5", "4"], [" 4 ", None]], "normalize": str.strip}
    >>> made = known_of_arrays([[0, 1], [1, None]], options, 1)
    >>> made.runs.of_trial.tolist(), made.answers.labels, made.answers.of_trial.tolist()
    ([0, 1, 0], ('5', '4'), [0, 1, 1])
    """
    runs, answers, scores = options.get("runs"), options.get("answers"), options.get("scores")
    if runs is None and answers is None and scores is None:
        return NOTHING
    normalize = options.get("normalize", normalize_answer)
    trials = read_rewards(values, missing, name)
    kept, lengths = trials.kept, np.broadcast_to(trials.planned, trials.n_rows)
    run = None if runs is None else _runs_of_each(_listed(runs), lengths)
    labels, codes = ((), None) if answers is None else coded_answers(_flat(answers, lengths, "answers"), normalize)
    return TrialColumns(
        None if run is None else Labelled(run.labels, run.of_trial[kept]),
        None if codes is None else Labelled(labels, codes[kept]),
        {what: score_values(_flat(score, lengths, "scores"), what)[kept] for what, score in _named(scores).items()},
    ).sorted_by(trials.rows, trials.rewards)


def _listed(runs: Any) -> list[Any]:
    """Return the labels as a list, of lists where there is one per trial."""
    if isinstance(runs, (str, bytes, Mapping)) or not np.iterable(runs):
        problem = f"must be one label per column of the outcomes, or one per trial; got {runs!r}"
        raise OutcomeError(problem, argument="runs")
    return [plain(entry) for entry in runs]


def plain(entry: Any) -> Any:
    """Return a label, or a row of labels, without the types of arrays."""
    return entry.tolist() if isinstance(entry, (np.generic, np.ndarray)) else list(entry) if is_row(entry) else entry


def _runs_of_each(listed: list[Any], lengths: Counts) -> Labelled:
    """Return the run of every trial of questions with so many trials."""
    is_by_trial = any(isinstance(row, list) for row in listed)
    if is_by_trial:
        hint = "models in different runs: a mapping from each model to its labels"
        listed = _flat(listed, lengths, "runs", hint)
    elif len(listed) != int(lengths.max()):
        problem = f"must have one label for each of {lengths.max()} columns, or one row of labels for each question"
        raise OutcomeError(f"{problem}; got {len(listed)}", argument="runs")
    labels = tuple(dict.fromkeys(listed))
    if any(is_missing(label) for label in labels):
        raise OutcomeError("has a missing label: every trial needs its run", argument="runs")
    check_texts(labels, "runs")
    codes = positions(listed, labels)
    return Labelled(labels, codes if is_by_trial else codes[np.concatenate([*map(np.arange, lengths)])])


def _named(scores: Any) -> Mapping[str, Any]:
    """Return scores by name."""
    if scores is None:
        return {}
    if not isinstance(scores, Mapping) or not all(isinstance(name, str) and name for name in scores):
        problem = f'must be numbers by the name of the score, as in {{"judge": [..]}}; got {shorten([scores])}'
        raise ParameterError(problem, argument="scores")
    return scores


def _flat(values: Any, lengths: Counts, argument: str, hint: str | None = None) -> list[Any]:
    """Return one value per trial, from rows of values in the shape of the outcomes."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, (str, bytes, Mapping)) or not np.iterable(listed):
        raise OutcomeError(f"{_SHAPE}; got {shorten([values])}", argument=argument)
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in listed]
    if len(lengths) == 1 and not any(map(is_row, rows)):
        rows = [rows]
    sizes = [len(row) if is_row(row) else -1 for row in rows]
    if sizes != lengths.tolist():
        wanted = f"{len(lengths)} rows of {shorten(lengths.tolist())}"
        problem = f"{_SHAPE}: {wanted}; got {len(rows)} rows of {shorten(sizes)}"
        raise OutcomeError(problem, argument=argument, hint=hint)
    return [value for row in rows for value in row]


def score_values(values: Iterable[Any], name: str) -> Vector:
    """Return scores as numbers, NaN where a trial has none."""
    listed = list(values)
    is_plain = {float, int, NoneType}.issuperset(map(type, listed))  # None becomes NaN
    numbers = np.array(listed if is_plain else [_score(value, name) for value in listed], np.float64)
    if np.isinf(numbers).any():
        raise OutcomeError(f"score {name!r} has an infinite value", argument="scores")
    return numbers


def _score(value: Any, name: str) -> float:
    try:
        return np.nan if is_missing(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        raise OutcomeError(f"score {name!r} has {value!r}, which is no number", argument="scores") from None


# Answers: when two of them are equal, their numbers, and those of a question that are both right and wrong.


def normalize_answer(answer: Any) -> Hashable:
    r"""Return what is equal for equal answers: blanks, case and the way in which a number is written do not matter.

    Text loses blanks at its ends, punctuation at its end, ``$..$`` and ``\boxed{..}`` around it, and its case; runs
    of blanks become one. A number, a fraction or a percentage becomes a fraction in lowest terms, with or without
    commas between thousands. Empty text, ``none`` and ``[invalid]`` are no answer: None. Other values, and text
    with more than a number in it or of more than 1,000 characters, stay as they are: ``2x`` and ``x + x`` are different
    answers.

    >>> normalize_answer(" 0.50 "), normalize_answer("1/2"), normalize_answer("50%"), normalize_answer(0.5)
    ('1/2', '1/2', '1/2', '1/2')
    >>> normalize_answer("$1,024$"), normalize_answer("  The  Hague. "), normalize_answer("[invalid]")
    ('1024', 'the hague', None)
    """
    if isinstance(answer, (bool, np.bool_)):
        return str(answer).lower()
    if isinstance(answer, (int, float, np.integer, np.floating, Fraction)):
        return _of_number(answer)
    if not isinstance(answer, str):
        return answer  # type: ignore[no-any-return]
    text = _BLANKS.sub(" ", answer).strip().rstrip(_ENDS)
    if wrapped := _WRAPPED.fullmatch(text):
        text = next(part for part in wrapped.groups() if part is not None).strip().rstrip(_ENDS)
    text = text.casefold()
    return _number(text) if text not in _NONE else None


def _of_number(number: Any) -> str:
    """Return a number as text: a fraction in lowest terms, or ``nan`` and ``inf`` as they are."""
    if isinstance(number, (float, np.floating)):
        return str(Fraction(str(number))) if np.isfinite(number) else str(float(number))
    exact = Fraction(number)
    parts = [exact.numerator] if exact.denominator == 1 else [exact.numerator, exact.denominator]
    return "/".join(str(Decimal(int(part))) for part in parts)  # a Decimal writes any number of digits, an int does not


def _number(text: str) -> str:
    """Return a number as a fraction in lowest terms; other text as it is."""
    plain = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
    if len(plain) > _LONGEST or not _NUMBER.fullmatch(plain):
        return text
    try:
        parts = [Fraction(part) for part in plain.removesuffix("%").split("/")]
        value = parts[0] / (parts[1] if len(parts) > 1 else 1)
    except ZeroDivisionError:
        return text
    return str(value / 100 if plain.endswith("%") else value)


def coded_answers(answers: Iterable[Any], normalize: Normalize | None) -> tuple[Labels, Codes]:
    """Return the distinct answers in the order of their first place, and the number of each; -1 is no answer."""
    if not (normalize is None or callable(normalize)):
        raise ParameterError(f"must be a function of one answer, or None; got {normalize!r}", argument="normalize")
    number: dict[Hashable, int] = {}
    code_of: dict[tuple[type, Any], int] = {}  # by the answer as it was given, which saves most calls
    codes: list[int] = []
    for answer in answers:
        try:
            code = code_of.get((type(answer), answer))
            if code is None:
                made = None if is_missing(answer) else answer if normalize is None else normalize(answer)
                code = code_of[type(answer), answer] = -1 if is_missing(made) else number.setdefault(made, len(number))
        except TypeError:
            problem = f"has an answer that cannot be compared with others: {shorten([answer])}"
            hint = "give text or numbers, or a function normalize that makes such of each answer"
            raise OutcomeError(problem, argument="answers", hint=hint) from None
        codes.append(code)
    return tuple(number), np.array(codes, np.int32)


def contradictions_text(matrix: Any, model: str) -> str:
    """Say how many questions of a model have an answer that is right in one trial and wrong in another.

    Empty if none has. Rewards may well differ between trials with one answer: there is none among other outcomes.

    >>> from scorio import OutcomeMatrix
    >>> made = OutcomeMatrix([[1, 0, 0], [1, 1, 0]], answers=[["4", "4", "5"], ["6", "6", "7"]], questions=["a", "b"])
    >>> contradictions_text(made, "model-0")[:71]
    '1 question of model-0 has an answer that is both right and wrong, such '
    """
    answers = matrix.trial_columns.answers
    if answers is None or not matrix.is_pass_fail:
        return ""
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    has_answer = answers.of_trial >= 0
    pairs, which = np.unique([rows[has_answer], answers.of_trial[has_answer]], axis=1, return_inverse=True)
    right = np.bincount(which.ravel(), outcomes[has_answer], minlength=pairs.shape[1]).astype(np.int64)
    wrong = np.bincount(which.ravel(), minlength=pairs.shape[1]) - right
    both = np.flatnonzero((right > 0) & (wrong > 0))
    if not both.size:
        return ""
    (row, code), count = pairs[:, both[0]].tolist(), len({*pairs[0, both].tolist()})
    question = (matrix.questions or range(matrix.n_questions))[row]
    times = f"{pluralize(int(right[both[0]]), 'time')} right and {pluralize(int(wrong[both[0]]), 'time')} wrong"
    which_answer = f"{'has' if count == 1 else 'have'} an answer that is both right and wrong"
    example = f"{shorten([answers.labels[code]])} of question {question!r}, {times}"
    return f"{pluralize(count, 'question')} of {model} {which_answer}, such as {example}"


takes_trials = takes(TrialOptions, normalize=normalize_answer)
