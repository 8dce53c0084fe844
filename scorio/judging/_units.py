"""From outcomes by a judge, labels by people and predictions to one number per question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ..metrics import AvgMetric, BayesMetric, Metric
from ..metrics._clusters import groups
from ..outcomes import OutcomeMatrix
from ..outcomes._admitted import as_questions
from ._estimate import Units
from ._trial_noise import question_values, trial_variances

_AT_LEAST = 2  # labelled questions, to estimate a variance


class Labelled(NamedTuple):
    """Outcomes of the labelled questions only, and their positions among all questions."""

    outcomes: OutcomeMatrix
    place: Indices


class Roster(NamedTuple):
    """All questions: their labels or None, and the cluster of each, numbered from 0."""

    questions: tuple[Hashable, ...] | None
    group: Indices

    @property
    def size(self) -> int:
        """The number of questions."""
        return len(self.group)

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The labels of the questions, or their places."""
        return self.questions or tuple(range(self.size))


def roster_of(outcomes: OutcomeMatrix) -> Roster:
    """Return the questions of outcomes."""
    return Roster(outcomes.questions, groups(outcomes))


def check_metric(metric: Metric) -> None:
    """Check that the score is the mean of a value per question."""
    if not metric.is_mean_over_questions:
        raise OutcomeError(
            f"{metric} is not a mean over questions, so a judge's error on it is not one either",
            hint="use a metric with a value per question, such as pass@1, pass@4 or avg",
        )


def labelled(every: Roster, human: OutcomeMatrix, what: str) -> Labelled:
    """Match the labelled questions with all questions: by label, else by place."""
    asked = np.flatnonzero(human.trials > 0)
    if human.questions is not None:
        position: dict[Hashable, int] = {str(name): i for i, name in enumerate(every.names)}
        position |= {name: i for i, name in enumerate(every.names)}  # files hold names as text
        names = [human.questions[i] for i in asked]
        unknown = [name for name in names if name not in position]
        if unknown:
            raise OutcomeError(
                f"{what} has questions that the other outcomes lack: {shorten(unknown)}",
                hint="question labels must be the same in both; without labels, questions are numbered from 0",
            )
        place = np.array([position[name] for name in names], np.intp)
    elif human.n_questions == every.size:
        place = asked
    else:
        raise OutcomeError(
            f"{what} has {pluralize(human.n_questions, 'question')} and the other outcomes have {every.size}, "
            "and nothing says which is which",
            hint="pass question labels, as in OutcomeMatrix(R, questions=[..]), or a row of None per unlabelled "
            'question with missing="omit"',
        )
    if len(place) < _AT_LEAST:
        raise OutcomeError(f"{what} covers {pluralize(len(place), 'question')}; at least {_AT_LEAST} are needed")
    return Labelled(_some(human, asked), place)


def _some(outcomes: OutcomeMatrix, rows: Indices) -> OutcomeMatrix:
    return outcomes if len(rows) == outcomes.n_questions else outcomes._reordered(rows)


def judged_units(
    metric: Metric, judged: OutcomeMatrix, human: OutcomeMatrix, probabilities: Any, judged_labelled: Any
) -> Units:
    """Return the units of one model: values by people, predictions by the judge."""
    roster = roster_of(judged)
    some = labelled(roster, human, "human")
    _check_same_kind(judged, some.outcomes)
    chance = label_chances(probabilities, roster, some.place)
    predicted = _values(metric, judged, "judged")
    if judged_labelled is not None:
        single = _single_trials(metric, judged, some, judged_labelled, predicted)
        if probabilities is None:
            chance = np.full(len(chance), some.outcomes.trials.sum() / judged.trials.sum())
        made = units(roster, predicted, single.measured, chance, width_of(metric, judged), is_even=False)
        weight = single.share / chance
        return replace(made, weight=weight / weight.sum())
    _check_whole(judged, some)
    value = _values(metric, some.outcomes, "human")
    measured = Measured(value, known_noise(trial_variances(metric, some.outcomes), value), some.place)
    return units(roster, predicted, measured, chance, width_of(metric, judged), is_even=probabilities is None)


def width_of(metric: Metric, outcomes: OutcomeMatrix) -> float:
    """Return the largest possible difference of two values of a question, infinite where it is unknown."""
    low, high = metric.support(outcomes)
    return high - low


class Measured(NamedTuple):
    """What people say of the labelled questions: values, their variances over trials, and positions."""

    value: Vector
    noise: Vector
    place: Indices


def units(
    roster: Roster, predicted: Vector, measured: Measured, chance: Vector, width: float, *, is_even: bool
) -> Units:
    """Return the units; ``is_even`` says that all questions had the same chance to be labelled."""
    group, place = roster.group, measured.place
    whole = is_even and _has_whole_clusters(group, place)
    if whole:
        drawn = len(np.unique(group[place]))
        if drawn < _AT_LEAST:
            raise OutcomeError("all labelled questions are in one cluster", hint="label questions of two or more")
        chance = np.full(len(chance), drawn / (int(group.max()) + 1))
    if not np.isfinite(width):
        width = float(np.ptp(np.concatenate([predicted, measured.value])))
    weight = 1.0 / chance
    parts = (measured.value, place, weight / weight.sum(), chance, measured.noise)
    return Units(predicted, *parts, group, whole, width)


def difference(one: Units, other: Units) -> Units:
    """Return the units of the difference of two models with the same labelled questions."""
    if not np.array_equal(one.place, other.place):
        order = {place: i for i, place in enumerate(other.place.tolist())}
        if set(order) != set(one.place.tolist()):
            raise OutcomeError(
                "the two models have different labelled questions",
                hint="label the same questions of both, so that their difficulty cancels",
            )
        again = np.array([order[place] for place in one.place.tolist()])
    else:
        again = np.arange(len(one.place))
    return replace(
        one,
        predicted=one.predicted - other.predicted,
        value=one.value - other.value[again],
        noise=one.noise + other.noise[again],
        width=one.width + other.width,
    )


def label_chances(probabilities: Any, every: Roster, place: Indices) -> Vector:
    """Return the probability with which each labelled question was drawn; by default, all have the same."""
    count, names = every.size, every.names
    if probabilities is None:
        return np.full(len(place), len(place) / count)
    if isinstance(probabilities, Mapping):
        by_text = {str(name): value for name, value in probabilities.items()}
        missing = [names[i] for i in place if str(names[i]) not in by_text]
        if missing:
            raise ParameterError(f"lacks the labelled questions {shorten(missing)}", argument="probabilities")
        chosen = [by_text[str(names[i])] for i in place]
    else:
        listed = list(probabilities)
        if len(listed) not in (count, len(place)):
            problem = f"has {len(listed)} entries, but there are {count} questions, of which {len(place)} are labelled"
            raise ParameterError(problem, argument="probabilities")
        chosen = [listed[i] for i in place] if len(listed) == count else listed
    chance = np.array(chosen, np.float64)
    if not ((chance > 0.0) & (chance <= 1.0)).all():
        raise ParameterError("must be above 0 and at most 1 for every labelled question", argument="probabilities")
    return chance


def known_noise(noise: Vector, value: Vector) -> Vector:
    """Return the variances; one that is unknown is at most the variance of the values, which includes it."""
    return np.where(np.isnan(noise), float(np.var(value, ddof=1)), noise)


def _values(metric: Metric, outcomes: OutcomeMatrix, what: str) -> Vector:
    try:
        return question_values(metric, outcomes)
    except OutcomeError as error:
        raise error.at(what) from None


def _check_same_kind(judged: OutcomeMatrix, human: OutcomeMatrix) -> None:
    """Check that labels are not categories on one side and rewards on the other."""
    has_rewards = [each.is_continuous or each.levels is not None or each.is_pass_fail for each in (judged, human)]
    if has_rewards[0] != has_rewards[1]:
        which = (
            ("judged has categories", "human has rewards")
            if has_rewards[1]
            else (
                "judged has rewards",
                "human has categories",
            )
        )
        raise OutcomeError(f"{which[0]} and {which[1]}", hint="read both with OutcomeMatrix.from_rewards")


def _check_whole(judged: OutcomeMatrix, some: Labelled) -> None:
    """Check that all trials of a labelled question are labelled."""
    trials, planned = some.outcomes.trials, judged.trials[some.place]
    wrong = np.flatnonzero(trials != planned)
    if wrong.size:
        i = int(wrong[0])
        name = judged.questions[some.place[i]] if judged.questions else int(some.place[i])
        raise OutcomeError(
            f"question {name!r} has {pluralize(int(planned[i]), 'judged trial')} and "
            f"{pluralize(int(trials[i]), 'label')}",
            hint="label all trials of a question; for scattered labels of single trials, which serve pass@1 and avg "
            "only, pass the judge's outcomes of just these trials as judged_labelled",
        )


class SingleTrials(NamedTuple):
    """Scattered labels of single trials: what they say, and the share of each question's trials that is labelled."""

    measured: Measured
    share: Vector


def _single_trials(
    metric: Metric, judged: OutcomeMatrix, some: Labelled, judged_labelled: Any, predicted: Vector
) -> SingleTrials:
    """Return the value of each question by the judge on all trials, corrected by its error on the labelled trials."""
    if not (isinstance(metric, (AvgMetric, BayesMetric)) or metric.budget == 1):
        raise OutcomeError(
            f"scattered labels of single trials serve pass@1 and avg only: {metric} needs all trials of a question",
            hint="label all trials of fewer questions",
        )
    theirs = labelled(roster_of(judged), as_questions(judged_labelled), "judged_labelled")
    if not np.array_equal(np.sort(theirs.place), np.sort(some.place)):
        raise ParameterError("must have the same questions as human", argument="judged_labelled")
    order = np.argsort(theirs.place)[np.argsort(np.argsort(some.place))]
    same, mine, place = theirs.outcomes._reordered(order), some.outcomes, some.place
    if not np.array_equal(same.trials, mine.trials):
        raise ParameterError("must have as many trials of each question as human", argument="judged_labelled")
    share = mine.trials / judged.trials[place]
    if (share > 1.0).any():
        raise OutcomeError("human has more trials of a question than judged", hint="label only judged trials")
    value = _values(metric, mine, "human")
    corrected = value - _values(metric, same, "judged_labelled") + predicted[place]
    noise = known_noise(trial_variances(metric, mine), value) * share
    return SingleTrials(Measured(corrected, noise, place), share)


def _has_whole_clusters(group: Indices, place: Indices) -> bool:
    """Return whether clusters of several questions were labelled as wholes."""
    size, here = np.bincount(group), np.bincount(group[place], minlength=int(group.max()) + 1)
    return bool(((here == 0) | (here == size)).all() and (size[here > 0] > 1).any() and len(place) < len(group))
