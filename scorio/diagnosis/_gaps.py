"""Gaps in outcomes: missing trials, whether they depend on the outcome, saturated questions and duplicates."""

from collections.abc import Hashable, Iterable, Iterator, Mapping

import numpy as np

from .._arrays import Vector
from .._display.numbers import is_chance, number
from .._display.words import pluralize, shorten
from ..io import LogFile, Source, column_names
from ..outcomes import OutcomeSet, contradictions_text, plain
from ._diagnosis import Finding
from ._reliability import means_of, varies

_PERMUTATIONS = 1999
_SATURATED = 0.5  # share of questions from which on it is worth a finding
_ANSWERS = {"pred", "prediction", "predicted", "answer", "response", "output", "model_answer", "completion", "guess"}
_ENOUGH = 8  # trials of all models that must agree before a question counts as saturated


def gaps(models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models with missing trials, and those whose missing trials depend on the outcome."""
    incomplete = {name: matrix for name, matrix in models.items() if matrix.completeness < 1.0}
    for name, matrix in incomplete.items():
        missing = matrix.planned_trials - matrix.trials
        empty = int((matrix.trials == 0).sum())
        lost = f", {pluralize(empty, 'question')} without any trial" if empty else ""
        what = f"{int(missing.sum()):,} of {matrix.planned:,} planned trials of {name} have no outcome{lost}"
        means = means_of(matrix)
        tried = ~np.isnan(means)
        means, missing, planned = means[tried], missing[tried], matrix.planned_trials[tried]
        chance = min(1.0, len(incomplete) * dependence(missing.astype(np.float64), means))
        if chance > error:
            yield Finding.of("missing trials", what, name)
            continue
        lower = np.corrcoef(missing / np.maximum(planned, 1), means)[0, 1] < 0.0
        side = "fails" if lower else "succeeds"
        where = (
            f"{what}, more of them on questions that the model {side} on: mean "
            f"{number(float(np.average(means, weights=missing)))} where trials are missing, "
            f"{number(float(means.mean()))} on all questions (p {is_chance(chance)})"
        )
        advice = "" if lower else "Find out why they are missing before trusting the score"
        yield Finding.of("missing by outcome", where, name, chance=chance, advice=advice)


def dependence(missing: Vector, means: Vector) -> float:
    """Return the p-value, by permutation, of a correlation between missing trials and means over questions.

    >>> dependence(np.array([0.0, 0, 0, 0, 0, 2, 2, 2]), np.array([0.9, 1, 0.8, 0.9, 1, 0.1, 0, 0.2])) < 0.05
    True
    """
    if len(missing) < 2 or np.ptp(missing) == 0.0 or np.ptp(means) == 0.0:
        return 1.0
    centered = means - means.mean()
    observed = abs(float(missing @ centered))
    rng = np.random.default_rng(0)
    drawn = rng.permuted(np.broadcast_to(centered, (_PERMUTATIONS, len(means))), axis=1) @ missing
    return float(1 + (np.abs(drawn) >= observed * (1.0 - 1e-9)).sum()) / (1 + _PERMUTATIONS)


def saturated(models: OutcomeSet) -> Iterator[Finding]:
    """Yield the questions that every model always solves, or never, if there are many of them."""
    never, always = saturation(models)
    count = models.n_questions
    if never + always < _SATURATED * count or never + always == 0:
        return
    parts = [f"{always} always" * bool(always), f"{never} never" * bool(never)]
    what = (
        f"{never + always} of {pluralize(count, 'question')} are saturated: solved "
        f"{' and '.join(filter(None, parts))}, by all models in all trials"
    )
    yield Finding.of("saturated questions", what)


def saturation(models: OutcomeSet) -> tuple[int, int]:
    """Return how many questions all models never and always solve, in at least so many trials."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    variances = np.array([varies(matrix) for matrix in models.values()])
    trials = np.sum([matrix.trials for matrix in models.values()], axis=0)
    tried = ~np.isnan(means)
    low, high = _support(models)
    enough = (trials >= _ENOUGH) & ~variances.any(axis=0)
    never, always = (int((((means == end) | ~tried).all(axis=0) & enough).sum()) for end in (low, high))
    return never, always


def _support(models: OutcomeSet) -> tuple[float, float]:
    """Return the smallest and the largest reward of a trial that occurs, at most 0 and at least 1."""
    ends = []
    for matrix in models.values():
        if matrix.is_continuous:
            means = means_of(matrix)
            ends += [float(np.nanmin(means)), float(np.nanmax(means))]
        else:
            rewards = matrix.levels or range(matrix.n_categories)
            ends += [float(min(rewards)), float(max(rewards))]
    return min([0.0, *ends]), max([1.0, *ends])


def duplicates(models: OutcomeSet, sources: Iterable[Source]) -> Iterator[Finding]:
    """Yield questions that may be the same under two names: by their label, or by their text."""
    labels = models.questions
    if labels is None:
        return
    alike: dict[Hashable, list[Hashable]] = {}
    for label in labels:
        alike.setdefault(" ".join(label.casefold().split()) if isinstance(label, str) else label, []).append(label)
    yield from _twice(alike, "differ in case or blanks only")
    texts: dict[Hashable, dict[Hashable, None]] = {}
    for source in sources:
        for label, mark in source.run.fingerprints.items():
            texts.setdefault(mark, {})[label] = None
    yield from _twice(texts, "have the same text")


def answers_as_outcomes(models: OutcomeSet, sources: Iterable[Source]) -> Iterator[Finding]:
    """Yield the columns of outcomes that may hold the right answers: no model and no trial has another value there."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    constant = not any(varies(matrix).any() for matrix in models.values()) and not np.isnan(means).any()
    several = len(models) > 1 or models.first.max_trials > 1
    if not (constant and several and (means == means[0]).all() and np.ptp(means[0]) > 0.0):
        return
    for outcome, answers in dict.fromkeys(filter(None, map(_outcome_and_answers, sources))):
        what = f"the column {outcome!r} has one value per question, for all models and trials, beside {answers!r}"
        advice = f"If it holds the right answers, write a column that says whether {answers!r} is right, and read that"
        yield Finding.of("answers as outcomes", what, advice=advice)


def contradictory(models: OutcomeSet) -> Iterator[Finding]:
    """Yield the models with answers that are both right and wrong among the trials of one question."""
    for name, matrix in models.items():
        if text := contradictions_text(matrix, name):
            yield Finding.of("contradictory answers", text, name)


def _outcome_and_answers(source: Source) -> tuple[str, str] | None:
    """Return the column of outcomes of a table, and that of the models' answers, if it has one."""
    outcome = source.run.notes.get("outcome")
    if source.format != "table" or outcome is None:
        return None
    answers = (name for name in column_names(LogFile(source.path)) if plain(name) in _ANSWERS and repr(name) != outcome)
    answer = next(answers, None)
    return None if answer is None else (outcome[1:-1], answer)


def _twice(alike: Mapping[Hashable, Iterable[Hashable]], likeness: str) -> Iterator[Finding]:
    pairs = [names for names in map(list, alike.values()) if len(names) > 1]
    if pairs:
        more = f", and {pluralize(len(pairs) - 1, 'more such group')}" if len(pairs) > 1 else ""
        what = f"questions {shorten(pairs[0])} {likeness}{more}"
        yield Finding.of("duplicate questions", what)
