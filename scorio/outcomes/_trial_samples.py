"""What is known of each trial beside its outcome: its answer, and scores that say how good a verifier thinks it is.

They are kept beside the counts, in the order of ``TrialRuns``: trials in the order of their questions, and those of a
question in the order of their outcomes, failures first. The counts say which outcome each trial has.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from .._arrays import Codes, Counts, Flags, Indices, Vector, read_only
from .._display.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ._answers import Normalize, coded_answers
from ._from_rewards import RewardTrials
from ._labels import Labels
from ._outcome_values import is_missing
from ._table import is_row
from ._trial_runs import ListedTrials, listed_trials, places_of

NO_ANSWER = -1
_SHAPE = "must have the shape of the outcomes, one value per trial"


@dataclass(frozen=True, eq=False)
class TrialSamples:
    """The distinct ``answers`` and the number of that of every trial, -1 for none; and scores of every trial by name.

    A score is NaN where a trial has none. ``answers`` is None where answers are not known.

    >>> samples = TrialSamples(("4", "5"), np.array([0, 1, 1], np.int32), {"judge": np.array([0.2, 0.9, 0.4])})
    >>> samples.answer_counts(np.array([1, 2]))
    [{'4': 1}, {'5': 2}]
    """

    answers: Labels | None
    answer_of_trial: Codes | None
    scores: Mapping[str, Vector]

    @classmethod
    def of(
        cls, answers: Labels | None, codes: Codes | None, scores: Mapping[str, Vector], order: Indices
    ) -> TrialSamples | None:
        """Return what is known of the trials in this order; None where nothing is known of them.

        Answers of no trial are left out.
        """
        if codes is None and not scores:
            return None
        if answers is not None and codes is not None:
            answers, codes = _present(answers, codes[order])
        return cls(answers, codes, {name: read_only(score[order]) for name, score in scores.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.answers, self.answer_of_trial, dict(self.scores))

    def take(self, order: Indices, trials: Counts) -> TrialSamples:
        """Return the samples of the questions at these positions; ``trials`` are those of each question before."""
        return self.at(places_of(order, trials))

    def at(self, places: Indices) -> TrialSamples:
        """Return the samples of the trials at these places."""
        return TrialSamples.of(self.answers, self.answer_of_trial, self.scores, places) or self

    def answer_counts(self, trials: Counts) -> list[dict[Any, int]]:
        """Return the trials with each answer, question by question; those without an answer are left out."""
        answers, codes = self.answers or (), self.answer_of_trial
        if codes is None:
            return [{} for _ in trials]
        found = []
        for start, end in itertools.pairwise([0, *np.cumsum(trials).tolist()]):
            own, times = np.unique(codes[start:end], return_counts=True)
            found.append({answers[i]: n for i, n in zip(own.tolist(), times.tolist(), strict=True) if i != NO_ANSWER})
        return found

    def score(self, name: str | None) -> tuple[str, Vector]:
        """Return a score by its name, or the only one, with its name; an error unless every trial has it."""
        if not self.scores:
            raise OutcomeError("the trials have no scores", remedies=[KEEP_SCORES], hint=NAME_SCORES)
        if name is None and len(self.scores) > 1:
            raise OutcomeError("trials have several scores", remedies=[Remedy.choice("by", list(self.scores))])
        chosen = next(iter(self.scores)) if name is None else name
        if chosen not in self.scores:
            raise OutcomeError(unknown("score", chosen, self.scores), argument="by")
        found = self.scores[chosen]
        absent = int(np.isnan(found).sum())
        if absent:
            problem = f"{absent} of {found.size} trials have no score {chosen!r}, and a choice by it is not known there"
            raise OutcomeError(problem, hint="give each trial a score, the lowest where a verifier failed on it")
        return chosen, found


NAME_ANSWERS = "for arrays, OutcomeMatrix(R, answers=..) takes one answer per trial, in the shape of R"
NAME_SCORES = 'for arrays, OutcomeMatrix(R, scores={"judge": ..}) takes one number per trial, in the shape of R'
KEEP_ANSWERS = Remedy("keep", "answers", "keeps the answers of logs that have them")
KEEP_SCORES = Remedy("keep", "NAME", "keeps a score of logs that have it")
NO_SAMPLES = TrialSamples(None, None, {})


def restored(answers: Labels | None, codes: Codes | None, scores: Mapping[str, Vector]) -> TrialSamples:
    """Return samples whose arrays cannot be written to."""
    kept = {name: read_only(score) for name, score in scores.items()}
    return TrialSamples(answers, None if codes is None else read_only(codes), kept)


def _present(answers: Labels, codes: Codes) -> tuple[Labels, Codes]:
    """Return the answers that occur, and their new numbers."""
    own = np.unique(codes)
    own = own[own != NO_ANSWER]
    if len(own) == len(answers):
        return answers, read_only(np.ascontiguousarray(codes, np.int32))
    number = np.full(len(answers) + 1, NO_ANSWER, np.int32)  # the last is that of no answer
    number[own] = np.arange(len(own))
    return tuple(answers[i] for i in own.tolist()), read_only(number[codes])


def order_of(rows: Any, outcomes: Any) -> Indices:
    """Return the order in which trials are kept: that of their questions, and of their outcomes in each."""
    return np.lexsort((outcomes, rows))


def drawn_places(trials: Counts, n: int, rng: np.random.Generator) -> Indices:
    """Return the places of ``n`` trials of each question, drawn without replacement, in order."""
    rows = np.repeat(np.arange(len(trials)), trials)
    order = np.lexsort((rng.random(len(rows)), rows))
    place = np.arange(len(rows)) - np.repeat(np.cumsum(trials) - trials, trials)
    return np.sort(order[place < n])


# Samples of arrays.


def samples_of_trials(
    values: Any,
    answers: Any,
    scores: Any,
    normalize: Normalize | None,
    missing: int,
    name: str = "R",
) -> TrialSamples | None:
    """Return the samples of outcomes or rewards by question, each in the shape of the outcomes.

    >>> made = samples_of_trials([[0, 1], [1, 1]], [["5", "4"], [" 4 ", None]], None, lambda each: each.strip(), 0)
    >>> made.answers, made.answer_of_trial.tolist()
    (('5', '4'), [0, 1, 1, -1])
    """
    if answers is None and scores is None:
        return None
    trials = listed_trials(values, missing, name)
    labels, codes = (None, None)
    if answers is not None:
        labels, codes = coded_answers(_flat(answers, trials, "answers"), normalize)
        codes = codes[trials.kept]
    kept = {own: _numbers(each, trials, own)[trials.kept] for own, each in _named(scores).items()}
    return TrialSamples.of(labels, codes, kept, order_of(trials.rows[trials.kept], trials.rewards[trials.kept]))


def _named(scores: Any) -> Mapping[str, Any]:
    """Return scores by name."""
    if scores is None:
        return {}
    if not isinstance(scores, Mapping) or not all(isinstance(name, str) and name for name in scores):
        problem = f'must be numbers by the name of the score, as in {{"judge": [..]}}; got {shorten([scores])}'
        raise ParameterError(problem, argument="scores")
    return scores


def _flat(values: Any, trials: ListedTrials, argument: str) -> list[Any]:
    """Return one value per trial, from rows of values in the shape of the outcomes."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, (str, bytes, Mapping)) or not np.iterable(listed):
        raise OutcomeError(f"{_SHAPE}; got {shorten([values])}", argument=argument)
    rows = [each.tolist() if isinstance(each, np.ndarray) else each for each in listed]
    if len(trials.lengths) == 1 and not any(is_row(each) for each in rows):
        rows = [rows]
    found = [len(each) if is_row(each) else -1 for each in rows]
    if found != trials.lengths.tolist():
        wanted = f"{len(trials.lengths)} rows of {shorten(trials.lengths.tolist())}"
        raise OutcomeError(f"{_SHAPE}: {wanted}; got {len(rows)} rows of {shorten(found)}", argument=argument)
    return [value for each in rows for value in each]


def _numbers(values: Any, trials: ListedTrials, name: str) -> Vector:
    return score_values(_flat(values, trials, "scores"), name)


def score_values(values: Iterable[Any], name: str) -> Vector:
    """Return scores as numbers, NaN where a trial has none."""
    listed = list(values)
    try:
        if {float, int, NoneType}.issuperset(map(type, listed)):
            found = np.array(listed, np.float64)  # None becomes NaN
        else:
            found = np.array([np.nan if is_missing(each) else float(each) for each in listed], np.float64)
    except (TypeError, ValueError, OverflowError):
        wrong = next(each for each in listed if not _is_number(each))
        raise OutcomeError(f"score {name!r} has {wrong!r}, which is no number", argument="scores") from None
    if np.isinf(found).any():
        raise OutcomeError(f"score {name!r} has an infinite value", argument="scores")
    return found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return is_missing(value)
    return True


# Samples of several parts, and of several models.


def samples_together(
    parts: Iterable[tuple[TrialSamples | None, Indices, Any]],
) -> TrialSamples | None:
    """Return what is known of all trials of several parts.

    Each part has its samples, and the question and a number that orders the outcome of each of its trials.
    """
    listed = [part for part in parts if len(part[1])]
    known = [samples for samples, _, _ in listed if samples is not None]
    if not known or len(known) < len(listed):
        return None
    rows = np.concatenate([rows for _, rows, _ in listed])
    outcomes = np.concatenate([outcomes for _, _, outcomes in listed])
    labels, codes = _all_answers(known)
    names = [name for name in known[0].scores if all(name in each.scores for each in known)]
    scores = {name: np.concatenate([each.scores[name] for each in known]) for name in names}
    return TrialSamples.of(labels, codes, scores, order_of(rows, outcomes))


def _all_answers(known: Sequence[TrialSamples]) -> tuple[Labels | None, Codes | None]:
    number: dict[Any, int] = {}
    codes = []
    for samples in known:
        if samples.answers is None or samples.answer_of_trial is None:
            return None, None
        own = [number.setdefault(answer, len(number)) for answer in samples.answers]
        codes.append(np.array([*own, NO_ANSWER], np.int32)[samples.answer_of_trial])
    return tuple(number), np.concatenate(codes)


def samples_of_models(samples: TrialSamples, trials: RewardTrials, models: int) -> list[TrialSamples | None]:
    """Return the samples of each of several models, whose rows are the questions of one model after another.

    ``samples`` are of the ``trials`` in their order, as often as each occurs. Trials after
    these, which count as failures, have neither an answer nor scores.
    """
    times = 1 if trials.times is None else trials.times
    rows, rewards = (np.repeat(each, times) for each in (trials.rows, trials.rewards))
    full = _padded(samples, len(rows))
    order = order_of(rows, rewards)
    ends = np.searchsorted(rows[order], np.arange(models + 1) * (trials.n_rows // models)).tolist()
    return [full.at(order[start:end]) if end > start else None for start, end in itertools.pairwise(ends)]


def _padded(samples: TrialSamples, count: int) -> TrialSamples:
    def extended(values: Any, fill: float) -> Any:
        return np.append(values, np.full(count - len(values), fill, values.dtype)) if len(values) < count else values

    codes = None if samples.answer_of_trial is None else extended(samples.answer_of_trial, NO_ANSWER)
    scores = {name: extended(each, np.nan) for name, each in samples.scores.items()}
    return TrialSamples(samples.answers, codes, scores)


def contradictions(codes: Codes, rows: Indices, outcomes: Vector) -> Flags:
    """Return for each trial whether its answer has different outcomes among the trials of its question."""
    width = int(codes.max(initial=0)) + 2
    cells = rows.astype(np.int64) * width + codes + 1
    _, inverse = np.unique(cells, return_inverse=True)
    count = int(inverse.max(initial=-1)) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, inverse, outcomes)
    np.maximum.at(high, inverse, outcomes)
    return np.asarray((low < high)[inverse] & (codes != NO_ANSWER))
