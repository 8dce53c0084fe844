"""A gap: the difference between two sets of questions for one model, less the same difference for other models.

Questions from before a cut-off, or as they were published, may be in a model's training data; those from after it, or
rewritten ones, are not. A model's own difference between the two sets does not show that, because one set may be
harder. The other models say how much harder it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from .._arrays import Flags, Indices, Vector
from .._choices import TARGETS
from .._display.exports import Exports
from .._display.numbers import chance, percent, signed, signed_span
from .._display.table import Field
from .._display.words import SUBJECT, pluralize, shorten, unknown
from ..comparison import compare
from ..errors import OutcomeError, ParameterError
from ..estimates import as_tasks, holm, mean_with_one_more
from ..inference import Level, Student, satterthwaite
from ..judging import question_values, trial_variances
from ..metrics import Metric, as_metric, groups
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import choice, open_unit
from ._curve import one_set
from ._values import as_days, as_numbers, is_numeric, listed

_Error = tuple[float, float]  # a variance and its degrees of freedom

BEFORE, AFTER = "before", "after"
NOT_TOLD = "not told"
RATE, LOGIT = GAP_SCALES = ("rate", "logit")
_FEWEST = 3  # clusters of questions in each set
_NOTHING = 1e-24  # of a variance that is 0 but for rounding
_FEWEST_OTHERS = 3  # models that show how much models differ


class _Table(Exports):
    """One gap, or several of them on the same sets."""

    _columns: ClassVar = (
        Field("model", of="model"),
        Field("own", True, "own", signed),
        Field("others", True, "mean_of_others", signed),
        Field("gap", True, "gap", signed),
        Field("interval", of="lo hi", form=signed_span),
        Field("among models", of="among_lo among_hi", form=signed_span),
        Field("p", True, "p_corrected", chance),
        Field("gap is", of="call"),
    )

    @property
    def _title(self) -> str:
        one, *others = self._rows()
        sizes = f"{one.sets[0]} ({one.questions[0]} questions) less {one.sets[1]} ({one.questions[1]})"
        unit = " in log-odds" if one.scale == LOGIT else ""
        return f"{one.metric}, {sizes}{unit}: {pluralize(1 + len(others), 'gap')}"

    def _notes(self) -> list[str]:
        rows = list(self._rows())
        one = rows[0]
        about = f"{percent(one.confidence)} intervals, {SUBJECT[one.target]}{', paired' if one.is_paired else ''}"
        notes = ["own, others: the difference between the sets of a model, and the mean of the other models"]
        notes += [f"{about}; p and calls: corrected by Holm's method"] if len(rows) > 1 else [about]
        if any(each.among_lo is not None for each in rows):
            notes += [
                "among models: the interval if models like the others differ in how much harder a set is for them"
            ]
        if {"larger", "smaller"} <= {each.call for each in rows}:
            notes += ["a model that has seen a set is among the others of all models but itself: ask for it alone"]
        return notes


@dataclass(frozen=True)
class Gap(_Table):
    """How much more a model is ahead on the first set of questions than other models are; prints as a table.

    ``differences`` are those between the two sets by model: the first set less the second. ``gap`` is that of ``model``
    less the mean over the ``others``, for a population with one more question in each set that could be anything;
    ``call`` is ``"larger"``, ``"smaller"`` or ``"not told"``. The interval is about these models. ``among_lo`` and
    ``among_hi`` are for models like the others, which differ in how much harder the second set is for them: if they
    exclude 0, the gap is more than such differences between models; None with fewer than three others. The call follows
    ``p_corrected``: ``p_value``, corrected where ``gaps`` asks for several.
    """

    metric: str
    model: str
    others: tuple[str, ...]
    sets: tuple[str, str]
    questions: tuple[int, int]
    is_paired: bool
    target: str
    scale: str
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

    def _rows(self) -> tuple[Gap, ...]:
        return (self,)

    @property
    def own(self) -> float:
        """The difference between the sets of the model."""
        return self.differences[self.model]

    @property
    def mean_of_others(self) -> float:
        """The mean of that difference over the other models."""
        return sum(self.differences[name] for name in self.others) / len(self.others)


@dataclass(frozen=True)
class Gaps(_Table):
    """The gaps of several models, with calls that hold together; prints as a table."""

    rows: tuple[Gap, ...]


@dataclass(frozen=True)
class _Sets:
    """The questions that are used: whether each is in the second set, and its cluster."""

    names: tuple[str, str]
    is_used: Flags
    is_second: Flags
    clusters: Indices
    is_paired: bool

    @property
    def masks(self) -> tuple[Flags, Flags]:
        """Which of the questions are in the first and in the second set."""
        return ~self.is_second, self.is_second

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of questions."""
        return int((~self.is_second).sum()), int(self.is_second.sum())

    @property
    def shares(self) -> Vector:
        """What a question adds to the difference of the means: ``1 / n`` in the first set, ``-1 / n`` in the second."""
        return np.where(self.is_second, -1.0 / self.sizes[1], 1.0 / self.sizes[0])


def gap(
    metric: str | Metric,
    outcomes: Any,
    sets: Any = None,
    *,
    model: str,
    others: Sequence[str] | None = None,
    cut: Any = None,
    pairs: Any = None,
    first: str | None = None,
    target: str = "questions",
    scale: str = RATE,
    confidence: float = 0.95,
) -> Gap:
    """Return how much more a model is ahead on one of two sets of questions than other models are.

    ``sets`` names the set of each question, by label or in their order: ``"before"`` and ``"after"``, or ``"original"``
    and ``"rewritten"``; None leaves a question out. With ``cut``, it has the number or date of each question, or is the
    name of a number that logs were read with: questions below ``cut`` are ``"before"``, the others ``"after"``. A suite
    of two tasks needs no ``sets``: its tasks are the sets. The difference is that of the ``first`` set, by default that
    of the first question (with ``cut``, ``"before"``), less the other. ``others`` are the models that serve as a
    control, by default all. ``pairs`` names what a question and its rewriting have in common; differences are then
    taken within pairs. ``pairs=True`` pairs the questions of two tasks by their labels. ``scale="logit"`` compares
    log-odds instead of rates: where one set is much harder, models of different strength lose different shares. The
    call is that of this gap alone: ``gaps`` asks for those of several models, at one error rate.

    >>> from scorio import OutcomeSet
    >>> rows = {"a": [[1, 1]] * 8 + [[1, 0]] * 8, "b": [[1, 0]] * 16, "c": [[1, 1], [0, 0]] * 8}
    >>> found = gap("pass@1", OutcomeSet(rows), ["before"] * 8 + ["after"] * 8, model="a")
    >>> round(found.gap, 3), found.call
    (0.5, 'larger')
    """
    models, sets, pairs = _questions_of(outcomes, sets, pairs)
    choice("scale", scale, GAP_SCALES)
    choice("target", target, TARGETS)
    open_unit("confidence", confidence)
    control = _control(models, model, others)
    known = as_metric(metric)
    given = listed(sets, models, "sets")
    if cut is not None:
        given, first = _divided(given, cut), first or BEFORE
    used = _sets(models, given, pairs, first, [model, *control], known)
    parts = [models[name].select(used.is_used)._without_runs for name in (model, *control)]
    values = np.array([question_values(known, part) for part in parts])
    weights = np.array([1.0, *[-1.0 / len(control)] * len(control)])
    means, slopes = _on_scale(values, used, scale)
    noise = _noise(known, parts, used) if target == "questions" else None
    if noise is not None:
        law = _over_trials(float(weights @ means @ [1.0, -1.0]), used.shares * slopes * weights[:, None], noise)
    else:
        width = math.inf if target == "questions" else float(np.ptp(known.support(parts[0])))
        unseen = partial(_unseen, known, parts)
        law = _over_questions(weights @ (slopes * values), weights @ means, used, slopes, width, unseen)
    value, reach = law.value, law.reach(Level(confidence))
    call = NOT_TOLD if abs(value) <= reach else "larger" if value > 0.0 else "smaller"
    differences = means @ [1.0, -1.0]
    about = (used.is_paired, target, scale, confidence)
    own = dict(zip((model, *control), differences.tolist(), strict=True))
    among = _among(differences, confidence, reach)
    return Gap(
        *(str(known), model, control, used.names, used.sizes, *about, own, value),
        *(value - reach, value + reach, law.p_value, call, *among, law.p_value),
    )


def _over_trials(value: float, factors: Vector, noise: Vector) -> Student:
    """Return the law of a gap about these questions: only the trials of each are random."""
    variance, degrees = satterthwaite((each, 1.0) for each in (factors**2 * noise).flat)
    return Student(value, math.sqrt(variance), degrees)


def gaps(
    metric: str | Metric,
    outcomes: Any,
    sets: Any = None,
    *,
    models: Sequence[str] | None = None,
    others: Sequence[str] | None = None,
    **options: Any,
) -> Gaps:
    """Return the gap of each of several models, by default of every one in turn, as ``scorio gap`` does.

    The calls hold together: their p-values are corrected by Holm's method. The other arguments are those of ``gap``;
    models that ``others`` names are not asked about themselves.

    >>> from scorio import OutcomeSet
    >>> rows = {"a": [[1, 1]] * 8 + [[1, 0]] * 8, "b": [[1, 0]] * 16, "c": [[1, 1], [0, 0]] * 8}
    >>> found = gaps("pass@1", OutcomeSet(rows), ["before"] * 8 + ["after"] * 8)
    >>> [(each.model, round(each.p_value, 3), round(each.p_corrected, 3), each.call) for each in found.rows]
    [('a', 0.038, 0.115, 'not told'), ('b', 0.362, 0.362, 'not told'), ('c', 0.146, 0.292, 'not told')]
    """
    names = list(outcomes.models if isinstance(outcomes, (OutcomeSet, Suite)) else OutcomeSet(outcomes).models)
    asked = list(models or (name for name in names if name not in (others or ())))
    if not asked:
        raise ParameterError("names every model: leave out the one whose gap is asked for", argument="others")
    for name in asked:
        if name not in names:
            raise ParameterError(unknown("model", name, names), argument="models")
    found = [gap(metric, outcomes, sets, model=name, others=others, **options) for name in asked]
    corrected = holm([each.p_value for each in found])
    rows = [
        replace(each, p_corrected=p, call=each.call if p <= 1.0 - each.confidence else NOT_TOLD)
        for each, p in zip(found, corrected, strict=True)
    ]
    return Gaps(tuple(rows))


def _questions_of(outcomes: Any, sets: Any, pairs: Any) -> tuple[OutcomeSet, Any, Any]:
    """Return one set of models, the set of each question, and its pair; tasks are sets where none are named."""
    if sets is not None:
        if pairs is True:
            hint = "name the pair of each question, or leave out sets with a suite of two tasks"
            raise ParameterError("True goes with the tasks of a suite", argument="pairs", hint=hint)
        return one_set(outcomes), sets, pairs
    tasks = as_tasks(outcomes)
    if not isinstance(outcomes, Suite) or len(tasks) != 2:
        problem = f"are needed: only a suite of two tasks says which they are; got {pluralize(len(tasks), 'task')}"
        raise ParameterError(problem, argument="sets")
    labels = [(task, label) for task, each in tasks.items() for label in each.questions or range(each.n_questions)]
    return outcomes.pooled(), [task for task, _ in labels], [label for _, label in labels] if pairs is True else pairs


def _control(models: OutcomeSet, model: str, others: Sequence[str] | None) -> tuple[str, ...]:
    chosen = [name for name in models if name != model] if others is None else list(others)
    for name in (model, *chosen):
        if name not in models:
            raise ParameterError(unknown("model", name, models.models), argument="model" if name == model else "others")
    if not chosen or model in chosen:
        problem = f"must be models other than {model!r}" if chosen else "must have at least one model"
        hint = "without a control, a harder set cannot be told from a set that was seen before"
        raise ParameterError(f"{problem}; got {shorten(chosen) or 'none'}", argument="others", hint=hint)
    return tuple(chosen)


def _divided(values: Sequence[Any], cut: Any) -> list[str | None]:
    """Return on which side of the cut-off each question lies; all must be numbers, or all dates."""
    known = [each for each in values if each is not None]
    if not is_numeric([cut, *known]) or len({as_days(each) is None for each in (cut, *known)}) > 1:
        problem = f"is {cut!r}, and the questions have {shorten([*dict.fromkeys(known)])}"
        hint = "all must be numbers, or all dates such as 2024-06-01"
        raise ParameterError(problem, argument="cut", hint=hint)
    limit, *numbers = as_numbers([cut, *known], "sets").tolist()
    sides = iter([BEFORE if each < limit else AFTER for each in numbers])
    if not min(numbers, default=limit) < limit <= max(numbers, default=limit):
        values_are = f"values go from {min(known)} to {max(known)}" if known else "none of the questions has a value"
        raise ParameterError(f"is {cut!r}, and {values_are}: some must be below it, and some not", argument="cut")
    return [None if each is None else next(sides) for each in values]


def _sets(
    models: OutcomeSet, given: Sequence[Any], pairs: Any, first: str | None, names: Sequence[str], metric: Metric
) -> _Sets:
    """Return the questions of two sets that all models have trials of."""
    labels = list(dict.fromkeys(str(each) for each in given if each is not None))
    if len(labels) != 2:
        raise ParameterError(f"must name two sets; got {len(labels)}, {shorten(labels)}", argument="sets")
    if first is not None:
        if first not in labels:
            raise ParameterError(unknown("set", first, labels), argument="first")
        labels.sort(key=lambda each: each != first)
    required = max(metric._required_trials, 1)
    has_trials = np.min([models[name].trials for name in names], axis=0) >= required
    keep = [i for i, each in enumerate(given) if each is not None and has_trials[i]]
    clusters = groups(next(iter(models.values())))
    if pairs is not None:
        keep, clusters = _paired(models, given, pairs, keep, clusters)
    is_used = np.isin(np.arange(models.n_questions), keep)
    is_second = np.array([str(each) == labels[1] for each in given])[is_used]
    for is_here, name in zip((~is_second, is_second), labels, strict=True):
        if (count := len(np.unique(clusters[is_used][is_here]))) < _FEWEST:
            problem = f"set {name!r} has {pluralize(count, 'question or cluster')} with trials of all models"
            raise OutcomeError(f"{problem}; a gap needs {_FEWEST}")
    return _Sets((labels[0], labels[1]), is_used, is_second, clusters[is_used], pairs is not None)


def _paired(
    models: OutcomeSet, given: Sequence[Any], pairs: Any, keep: Sequence[int], clusters: Indices
) -> tuple[list[int], Indices]:
    """Return the questions of complete pairs, and clusters that hold both questions of a pair."""
    names = listed(pairs, models, "pairs")
    of_pair: dict[Any, dict[str, int]] = {}
    for i in keep:
        if names[i] is None:
            continue
        own = of_pair.setdefault(names[i], {})
        if str(given[i]) in own:
            raise ParameterError(f"has two questions of set {given[i]!r} in pair {names[i]!r}", argument="pairs")
        own[str(given[i])] = i
    complete = [sorted(own.values()) for own in of_pair.values() if len(own) == 2]
    joined = np.array(clusters)
    for one, other in complete:
        joined[joined == joined[other]] = joined[one]
    return sorted(i for pair in complete for i in pair), joined


def _on_scale(values: Vector, used: _Sets, scale: str) -> tuple[Vector, Vector]:
    """Return the mean of each model on both sets, (L, 2), and by how much a question's value moves its set's mean."""
    means = np.column_stack([values[:, of].mean(axis=1) for of in used.masks])
    if scale == RATE:
        return means, np.ones_like(values)
    if (means <= 0.0).any() or (means >= 1.0).any():
        raise OutcomeError("a model solves all or none of a set, whose log-odds are infinite", hint='use scale="rate"')
    slopes = 1.0 / (means * (1.0 - means))
    return np.log(means / (1.0 - means)), slopes[:, used.is_second.astype(int)]


def _noise(metric: Metric, parts: Sequence[OutcomeMatrix], used: _Sets) -> Vector | None:
    """Return the variance of each model's value of each question over its trials; None where single trials hide it.

    Where all trials of a model agree with each other on every question of a set, they show no noise. What they leave
    open is then the posterior of the model's mean on that set, whose variance is shared among the questions.
    """
    if any(part.min_trials < 2 for part in parts):
        return None
    found = np.array([trial_variances(metric, part) for part in parts])
    for part, noise in zip(parts, found, strict=True):
        for of in used.masks:
            if not noise[of].any():
                some = part.select(of)
                law = metric.posterior(some)
                score = float(question_values(metric, some).mean())
                noise[of] = (law.sd**2 + (law.mean - score) ** 2) * of.sum()
    return None if np.isnan(found).any() else found


def _over_questions(
    combined: Vector, means: Vector, used: _Sets, slopes: Vector, width: float, unseen: Callable[[Flags], _Error]
) -> Student:
    """Return the gap with its error over questions, from what a question adds to it.

    Where ``width``, the largest difference of two models, is finite, each set has one more cluster that could be any.
    ``unseen`` returns what a set leaves open on which all questions add the same.
    """
    centers = [combined[of].mean() for of in used.masks]
    parts = used.shares * (combined - np.where(used.is_second, centers[1], centers[0]))
    _, member = np.unique(used.clusters, return_inverse=True)
    counts = [len(np.unique(member[of])) for of in used.masks]
    scaled = [
        np.asarray(np.bincount(member, np.where(of, parts, 0.0)) * math.sqrt(n / (n - 1)), np.float64)
        for of, n in zip(used.masks, counts, strict=True)
    ]
    steepest = [float(slopes[:, of].max()) for of in used.masks]
    if is_shared := counts[0] + counts[1] > int(member.max()) + 1:  # clusters with questions of both sets
        reach = width * math.hypot(*steepest)
        found = [mean_with_one_more(means[0] - means[1], scaled[0] + scaled[1], min(counts) - 1.0, reach)]
    else:
        signed = zip((means[0], -means[1]), scaled, counts, steepest, strict=True)
        found = [mean_with_one_more(mean, own, count - 1.0, width * slope) for mean, own, count, slope in signed]
    known = [(variance, degrees) for _, variance, degrees in found]
    is_silent = is_shared and float(((scaled[0] + scaled[1]) ** 2).sum()) < _NOTHING
    for which, of in enumerate(used.masks):
        if is_silent or float(np.ptp(combined[of])) ** 2 < _NOTHING:
            variance, degrees = unseen(of)
            place = slice(len(known), None) if is_shared else slice(which, which + 1)
            known[place] = [(variance * steepest[which] ** 2, degrees)]
    variance, degrees = satterthwaite(known)
    return Student(float(sum(mean for mean, *_ in found)), math.sqrt(variance), degrees)


def _unseen(metric: Metric, parts: Sequence[OutcomeMatrix], of: Flags) -> _Error:
    """Return what a set leaves open on which the differences between the models are equal on every question.

    It is the variance that ``compare`` has for the model and another one, and its degrees of freedom; deviations of
    several others are taken to be alike, so that their mean is no more certain than each.
    """
    mine, *others = (part.select(of) for part in parts)
    found = [compare(metric, mine, other, target="population") for other in others]
    return float(np.mean([each.sigma for each in found])) ** 2, min(each.degrees for each in found)


def _among(found: Vector, confidence: float, least: float) -> tuple[float | None, float | None]:
    """Return the interval of the gap over models like the others, by how much their own differences vary.

    Where they do not vary at all, it reaches as far as that of these models.
    """
    others = found[1:]
    if len(others) < _FEWEST_OTHERS:
        return None, None
    sd = float(others.std(ddof=1)) * math.sqrt(1.0 + 1.0 / len(others))
    reach = Level(confidence).critical(len(others) - 1) * sd if sd**2 > _NOTHING else least
    value = float(found[0] - others.mean())
    return value - reach, value + reach
