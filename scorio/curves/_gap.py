"""A gap: the difference between two sets of questions for one model, less the same difference for other models.

Questions from before a cut-off, or as they were published, may be in a model's training data; those from after it, or
rewritten ones, are not. A model's own difference between the two sets does not show that, because one set may be
harder. The other models say how much harder it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np

from .._base.exports import Exports, Record
from .._base.numbers import chance, difference_span, percent, signed, signed_span, signed_within
from .._base.options import accepted, takes
from .._base.table import Field
from .._base.words import SUBJECT, pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError
from ..estimates import estimate, mean
from ..estimates._family import holm
from ..estimates._tasks import as_tasks
from ..inference._level import Level
from ..inference._terms import SubjectOptions, Terms
from ..io._files import file_rows
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeSet
from ._curve import as_days, as_numbers, is_numeric, listed, one_set

BEFORE, AFTER = "before", "after"
NOT_TOLD = "not told"
_FEWEST = 3  # clusters of questions in each set
_NOTHING = 1e-12  # of a number that is 0 but for rounding
_FEWEST_OTHERS = 3  # models that show how much models differ


@dataclass(frozen=True)
class Gap(Record):
    """How much more a model is ahead on the first set of questions than other models are.

    ``differences`` are those between the two sets by model: the first set less the second. ``gap`` is that of ``model``
    less the mean over the ``others``, by the arithmetic of ``Estimate``. ``call`` is ``"larger"``, ``"smaller"`` or
    ``"not told"``. The interval is about these models. ``among_lo`` and ``among_hi`` are for models like the others,
    which differ in how much harder the second set is for them: if they exclude 0, the gap is more than such differences
    between models; None with fewer than three others. The call follows ``p_corrected``: ``p_value``, corrected where
    ``gaps`` asks for several.
    """

    metric: str
    model: str
    others: tuple[str, ...]
    sets: tuple[str, str]
    questions: tuple[int, int]
    is_paired: bool
    target: str
    confidence: float
    differences: dict[str, float]
    gap: float
    lo: float
    hi: float
    p_value: float
    call: str
    among_lo: float | None
    among_hi: float | None
    p_corrected: float

    def __str__(self) -> str:
        sets, gap = f"{self.sets[0]} less {self.sets[1]}", difference_span(self.gap, self.lo, self.hi)
        about = f"{percent(self.confidence)} interval, {SUBJECT[self.target]}"
        return f"{self.metric} of {self.model}, {sets}: gap {gap}, {self.call} ({about})"

    @property
    def own(self) -> float:
        """The difference between the sets of the model."""
        return self.differences[self.model]

    @property
    def mean_of_others(self) -> float:
        """The mean of that difference over the other models."""
        return sum(self.differences[name] for name in self.others) / len(self.others)


@dataclass(frozen=True)
class Gaps(Exports):
    """The gaps of several models, with calls that hold together; prints as a table."""

    rows: tuple[Gap, ...]
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("own", True, "own", signed),
        Field("others", True, "mean_of_others", signed),
        Field("gap", True, "gap lo hi", signed_within),
        Field("interval", of="lo hi", form=signed_span),
        Field("among models", of="among_lo among_hi", form=signed_span),
        Field("p", True, "p_corrected", chance),
        Field("gap is", of="call"),
    )

    @property
    def as_title(self) -> str:
        one, *others = self.rows
        sizes = f"{one.sets[0]} ({one.questions[0]} questions) less {one.sets[1]} ({one.questions[1]})"
        return f"{one.metric}, {sizes}: {pluralize(1 + len(others), 'gap')}"

    def _notes(self) -> list[str]:
        rows, one = self.rows, self.rows[0]
        about = f"{percent(one.confidence)} intervals, {SUBJECT[one.target]}{', paired' if one.is_paired else ''}"
        notes = ["own, others: the difference between the sets of a model, and the mean of the other models"]
        notes += [f"{about}; p and calls: corrected by Holm's method"] if len(rows) > 1 else [about]
        if any(row.among_lo is not None for row in rows):
            notes += [
                "among models: the interval if models like the others differ in how much harder a set is for them"
            ]
        if {"larger", "smaller"} <= {row.call for row in rows}:
            notes += ["a model that has seen a set is among the others of all models but itself: ask for it alone"]
        return notes


def gap(metric: str | Metric, outcomes: Any, sets: Any = None, *, model: str, **options: Any) -> Gap:
    """Return how much more a model is ahead on one of two sets of questions than other models are, as ``gaps`` does.

    >>> from scorio import OutcomeSet
    >>> rows = {"a": [[1, 1]] * 8 + [[1, 0]] * 8, "b": [[1, 0]] * 16, "c": [[1, 1], [0, 0]] * 8}
    >>> one = gap("pass@1", OutcomeSet(rows), ["before"] * 8 + ["after"] * 8, model="a")
    >>> round(one.gap, 3), one.call
    (0.474, 'larger')
    """
    return gaps(metric, outcomes, sets, models=[model], **options).rows[0]


@takes(SubjectOptions, Terms)
def gaps(
    metric: str | Metric,
    outcomes: Any,
    sets: Any = None,
    *,
    models: Sequence[str] | None = None,
    others: Sequence[str] | None = None,
    cut: Any = None,
    pairs: Any = None,
    first: str | None = None,
    **options: Unpack[SubjectOptions],
) -> Gaps:
    """Return the gaps of several models in ``rows``: how much more each is ahead on one of two sets of questions.

    ``models`` are asked about one by one, by default all but the ``others``, which serve as a control; without these,
    all models but itself are the control of each. The calls hold together: their p-values are corrected by Holm's
    method.

    ``sets`` names the set of each question, by label or in their order: ``"before"`` and ``"after"``, or ``"original"``
    and ``"rewritten"``; None leaves a question out. With ``cut``, it has the number or date of each question, or is the
    name of a number that logs were read with: questions below ``cut`` are ``"before"``, the others ``"after"``. A suite
    of two tasks needs no ``sets``: its tasks are the sets. The difference is that of the ``first`` set, by default that
    of the first question (with ``cut``, ``"before"``), less the other. ``pairs`` names what a question and its
    rewriting have in common: for the population they are then one cluster. ``pairs=True`` pairs the questions of two
    tasks by their labels.

    >>> from scorio import OutcomeSet
    >>> rows = {"a": [[1, 1]] * 8 + [[1, 0]] * 8, "b": [[1, 0]] * 16, "c": [[1, 1], [0, 0]] * 8}
    >>> several = gaps("pass@1", OutcomeSet(rows), ["before"] * 8 + ["after"] * 8)
    >>> [(row.model, round(row.gap, 3), round(row.p_corrected, 3), row.call) for row in several.rows]
    [('a', 0.474, 0.006, 'larger'), ('b', -0.237, 0.176, 'not told'), ('c', -0.237, 0.103, 'not told')]
    """
    terms = Terms(**accepted(options, gaps))
    joined, sets, pairs = _questions_of(outcomes, sets, pairs)
    controls = _controls(joined, models, others)
    joined = joined.select(
        models=list(dict.fromkeys(name for control in controls.items() for name in (control[0], *control[1])))
    )
    chosen, given = as_metric(metric), listed(sets, joined, "sets")
    if cut is not None:
        given, first = _divided(given, cut), first or BEFORE
    names, used, of_sets = _sets(joined, given, pairs, first, chosen)
    board = estimate(chosen, used, runs="independent", **options)
    scores = {name: score.by(of_sets) for name, score in board.items()}
    differences = {name: of_set[names[0]] - of_set[names[1]] for name, of_set in scores.items()}
    laws = {model: differences[model] - mean(differences[name] for name in controls[model]) for model in controls}
    about = names, (of_sets.count(names[0]), of_sets.count(names[1])), pairs is not None, terms.target, terms.confidence
    rows = []
    for (model, law), p in zip(laws.items(), holm([difference.p_value() for difference in laws.values()]), strict=True):
        value, (lo, hi) = law.value if abs(law.value) > _NOTHING else 0.0, law.interval()[2:]
        among = _among(value, [differences[name].value for name in controls[model]], terms.level, (lo, hi))
        call = NOT_TOLD if p > 1.0 - terms.confidence else "larger" if value > 0.0 else "smaller"
        of_models = {name: differences[name].value for name in (model, *controls[model])}
        told = value, lo, hi, law.p_value(), call
        rows.append(Gap(str(chosen), model, controls[model], *about, of_models, *told, *among, p))
    return Gaps(tuple(rows))


def _questions_of(outcomes: Any, sets: Any, pairs: Any) -> tuple[OutcomeSet, Any, Any]:
    """Return one set of models, the set of each question, and its pair; tasks are sets where none are named."""
    if sets is not None:
        if pairs is True:
            hint = "name the pair of each question, or leave out sets with a suite of two tasks"
            raise ParameterError("True goes with the tasks of a suite", argument="pairs", hint=hint)
        return one_set(outcomes), sets, pairs
    tasks = as_tasks(outcomes)
    if len(tasks) != 2:
        problem = f"are needed: only a suite of two tasks says which they are; got {pluralize(len(tasks), 'task')}"
        raise ParameterError(problem, argument="sets")
    labels = [
        (task, label) for task, models in tasks.items() for label in models.questions or range(models.n_questions)
    ]
    return outcomes.pooled(), [task for task, _ in labels], [label for _, label in labels] if pairs is True else pairs


def _controls(
    outcomes: OutcomeSet, models: Sequence[str] | None, others: Sequence[str] | None
) -> dict[str, tuple[str, ...]]:
    """Return the models that are asked about, with those that serve as a control of each."""
    asked = list(models or (name for name in outcomes if name not in (others or ())))
    if not asked:
        raise ParameterError("names every model: leave out the one whose gap is asked for", argument="others")
    for argument, names in (("models", asked), ("others", others or ())):
        for name in names:
            if name not in outcomes:
                raise ParameterError(unknown("model", name, outcomes.models), argument=argument)
    controls = {}
    for model in asked:
        control = [name for name in outcomes if name != model] if others is None else list(others)
        if not control or model in control:
            problem = f"must be models other than {model!r}" if control else "must have at least one model"
            hint = "without a control, a harder set cannot be told from a set that was seen before"
            raise ParameterError(f"{problem}; got {shorten(control) or 'none'}", argument="others", hint=hint)
        controls[model] = tuple(control)
    return controls


def _divided(values: Sequence[Any], cut: Any) -> list[str | None]:
    """Return on which side of the cut-off each question lies; all must be numbers, or texts of them, or all dates."""
    cut, *values = map(_number_or_text, (cut, *values))
    present = [value for value in values if value is not None]
    if not is_numeric([cut, *present]) or len({as_days(value) is None for value in (cut, *present)}) > 1:
        problem = f"is {cut!r}, and the questions have {shorten([*dict.fromkeys(present)])}"
        hint = "all must be numbers, or all dates such as 2024-06-01"
        raise ParameterError(problem, argument="cut", hint=hint)
    limit, *numbers = as_numbers([cut, *present], "sets").tolist()
    sides = iter([BEFORE if number < limit else AFTER for number in numbers])
    if not min(numbers, default=limit) < limit <= max(numbers, default=limit):
        values_are = (
            f"values go from {min(present)} to {max(present)}" if present else "none of the questions has a value"
        )
        raise ParameterError(f"is {cut!r}, and {values_are}: some must be below it, and some not", argument="cut")
    return [None if value is None else next(sides) for value in values]


def _number_or_text(value: Any) -> Any:
    """Return the number that a text is, if it is one; anything else as it is."""
    with suppress(ValueError):
        return float(value) if isinstance(value, str) else value
    return value


def _sets(
    models: OutcomeSet, given: Sequence[Any], pairs: Any, first: str | None, metric: Metric
) -> tuple[tuple[str, str], OutcomeSet, list[str]]:
    """Return the names of two sets, the questions of them that all models have trials of, and the set of each."""
    names = list(dict.fromkeys(str(name) for name in given if name is not None))
    if len(names) != 2:
        raise ParameterError(f"must name two sets; got {len(names)}, {shorten(names)}", argument="sets")
    if first is not None:
        if first not in names:
            raise ParameterError(unknown("set", first, names), argument="first")
        names.sort(key=lambda name: name != first)
    has_trials = np.min([outcomes.trials for outcomes in models.values()], axis=0) >= max(metric.required_trials, 1)
    keep = [i for i, name in enumerate(given) if name is not None and has_trials[i]]
    used, of_sets = models.select(np.isin(np.arange(models.n_questions), keep)), [str(given[i]) for i in keep]
    if pairs is not None:
        labels = listed(pairs, models, "pairs")
        used = OutcomeSet(dict(used), clusters=[(i, None) if labels[i] is None else labels[i] for i in keep])
    clusters = used.clusters or range(len(keep))
    for name in names:
        count = len({cluster for cluster, set_name in zip(clusters, of_sets, strict=True) if set_name == name})
        if count < _FEWEST:
            problem = f"set {name!r} has {pluralize(count, 'question or cluster')} with trials of all models"
            raise OutcomeError(f"{problem}; a gap needs {_FEWEST}")
    return (names[0], names[1]), used, of_sets


def _among(
    value: float, others: Sequence[float], level: Level, ends: tuple[float, float]
) -> tuple[float | None, float | None]:
    """Return the interval of the gap over models like the others, by how much their own differences vary.

    Where they do not vary at all, it has the ends of that of these models.
    """
    if len(others) < _FEWEST_OTHERS:
        return None, None
    sd = float(np.std(others, ddof=1)) * math.sqrt(1.0 + 1.0 / len(others))
    if sd <= _NOTHING:
        return ends
    reach = level.critical(len(others) - 1) * sd
    return value - reach, value + reach


def read_sets(path: Path, outcomes: OutcomeSet, *, is_cut: bool = False) -> dict[str, Any]:
    """Read a CSV file that says in which set each question is, as the arguments ``sets`` and ``pairs`` of ``gap``.

    The columns are ``question`` and ``set``, and ``pair`` for questions that were rewritten. With ``is_cut``, a column
    ``date`` or ``value``, which a cut divides, stands for ``set``. A question that the file lacks is left out.
    """
    rows = [row for _, row in file_rows(path)]
    names = list(rows[0]) if rows else []
    column = next((name for name in (("date", "value") if is_cut else ("set",)) if name in names), None)
    if "question" not in names or column is None:
        wanted = "question, and date or value" if is_cut else "question and set"
        hint = "dates and values are divided by a cut" if not is_cut and {"date", "value"} & {*names} else None
        raise OutcomeError(f"needs the columns {wanted}; got {shorten(names) or 'none'}", where=str(path), hint=hint)
    doubled = [name for name, count in Counter(row["question"] for row in rows).items() if count > 1]
    if doubled:
        raise OutcomeError(f"names a question twice: {shorten(doubled)}", where=str(path))
    labels = [str(label) for label in outcomes.questions or range(outcomes.n_questions)]
    if not {row["question"] for row in rows} & {*labels}:
        problem = f"names no question of the logs, which have {shorten(labels)}"
        raise OutcomeError(problem, where=str(path))

    def listed(name: str) -> list[Any]:
        given = {row["question"]: row[name] or None for row in rows}
        return [given.get(label) for label in labels]

    return {"sets": listed(column)} | ({"pairs": listed("pair")} if "pair" in names else {})
