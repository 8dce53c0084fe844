"""From outcomes by a judge, labels by people and predictions to one number per question."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from .._choices import CATEGORICAL, CONTINUOUS
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError, within
from ..metrics import AvgMetric, BayesMetric, Metric, groups, warn_of_biased_score
from ..outcomes import OutcomeMatrix, as_outcomes
from ._estimate import ASKED, Units
from ._question_sample import QuestionSample
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
    def names(self) -> tuple[Hashable, ...]:
        """The labels of the questions, or their places."""
        return self.questions or tuple(range(len(self.group)))

    def places(self, names: Iterable[Hashable], problem: str, argument: str | None = None) -> list[int]:
        """Return the places of questions; files hold names as texts, so names are compared as texts."""
        where, asked = {str(name): i for i, name in enumerate(self.names)}, list(names)
        if missing := [name for name in asked if str(name) not in where]:
            hint = (
                None if argument else "question labels must be the same in both; without labels, questions are numbered"
            )
            raise OutcomeError(f"{problem} {shorten(missing)}", argument=argument, hint=hint)
        return [where[str(name)] for name in asked]


def roster_of(outcomes: OutcomeMatrix) -> Roster:
    """Return the questions of outcomes."""
    return Roster(outcomes.questions, groups(outcomes))


def check_metric(metric: Metric) -> None:
    """Check that the score is the mean of a value per question, and warn if it has a bias."""
    if not metric.is_mean_over_questions:
        problem = f"{metric} is not a mean over questions, so a judge's error on it is not one either"
        raise OutcomeError(problem, hint="use a metric with a value per question, such as pass@1, pass@4 or avg")
    warn_of_biased_score(metric)


def labelled(every: Roster, human: OutcomeMatrix, what: str) -> Labelled:
    """Match the labelled questions with all questions: by label, else by place."""
    asked = np.flatnonzero(human.trials > 0)
    if human.questions is not None:
        names = [human.questions[i] for i in asked]
        place = np.array(every.places(names, f"{what} has questions that the other outcomes lack:"), np.intp)
    elif human.n_questions == len(every.group):
        place = asked
    else:
        raise OutcomeError(
            f"{what} has {pluralize(human.n_questions, 'question')} and the other outcomes have {len(every.group)}, "
            "and nothing says which is which",
            hint="pass question labels, as in OutcomeMatrix(R, questions=[..]), or a row of None per unlabelled "
            'question with missing="omit"',
        )
    if len(place) < _AT_LEAST:
        raise OutcomeError(f"{what} covers {pluralize(len(place), 'question')}; at least {_AT_LEAST} are needed")
    return Labelled(human if len(asked) == human.n_questions else human.reordered(asked), place)


def judged_units(
    metric: Metric, judged: Any, human: Any, probabilities: Any = None, judged_labelled: Any = None
) -> Units:
    """Return the units of one model: values by people, predictions by the judge."""
    check_metric(metric)
    judge = as_outcomes(judged)
    roster = roster_of(judge)
    some = labelled(roster, as_outcomes(human), "human")
    _check_same_kind(judge, some.outcomes)
    chance = label_chances(probabilities, roster, some.place)
    with within("judged"):
        predicted = question_values(metric, judge)
    if judged_labelled is not None:
        single, share = _single_trials(metric, judge, some, judged_labelled, predicted)
        if probabilities is None:
            chance = np.full(len(chance), some.outcomes.trials.sum() / judge.trials.sum())
        weight = share / chance
        made = units(metric, judge, roster, predicted, single, chance, is_even=False)
        return replace(made, weight=weight / weight.sum())
    _check_whole(judge, some)
    with within("human"):
        told = measured(metric, some)
    return units(metric, judge, roster, predicted, told, chance, is_even=probabilities is None)


def asked_units(metric: Metric, outcomes: Any, sample: QuestionSample, what: str = "outcomes") -> Units:
    """Return the units of a model that was asked the questions of a sample."""
    check_metric(metric)
    asked = as_outcomes(outcomes)
    predicted, roster = np.array(sample.rate), Roster(sample.benchmark, _clusters_of(asked, sample))
    some = Labelled(sample.of(asked, what), sample.places())
    told, chance = measured(metric, some), sample.chances[some.place]
    made = units(metric, asked, roster, predicted, told, chance, is_even=False)
    return replace(made, source=ASKED, stratum=np.array(sample.stratum, np.intp))


def _clusters_of(outcomes: OutcomeMatrix, sample: QuestionSample) -> Indices:
    """Return the cluster of each question of the benchmark, known only where the outcomes have all questions."""
    every = roster_of(outcomes)
    if outcomes.clusters is None or {*map(str, every.names)} != {*map(str, sample.benchmark)}:
        return np.arange(len(sample.benchmark))
    return np.asarray(every.group[every.places(sample.benchmark, "")], np.intp)


class Measured(NamedTuple):
    """What people say of the labelled questions: values, their variances over trials, and positions."""

    value: Vector
    noise: Vector
    place: Indices


def measured(metric: Metric, some: Labelled) -> Measured:
    """Return the values; a variance that is unknown is at most that of the values, which includes it."""
    value, noise = question_values(metric, some.outcomes), trial_variances(metric, some.outcomes)
    return Measured(value, np.where(np.isnan(noise), float(np.var(value, ddof=1)), noise), some.place)


def units(
    metric: Metric,
    outcomes: OutcomeMatrix,
    roster: Roster,
    predicted: Vector,
    told: Measured,
    chance: Vector,
    *,
    is_even: bool,
) -> Units:
    """Return the units; ``is_even`` says that all questions had the same chance to be labelled."""
    group, place, support = roster.group, told.place, metric.support(outcomes)
    whole = is_even and _has_whole_clusters(group, place)
    if whole:
        drawn = len(np.unique(group[place]))
        if drawn < _AT_LEAST:
            raise OutcomeError("all labelled questions are in one cluster", hint="label questions of two or more")
        chance = np.full(len(chance), drawn / (int(group.max()) + 1))
    width = support[1] - support[0]  # infinite where it is unknown
    if not np.isfinite(width):
        width = float(np.ptp(np.concatenate([predicted, told.value])))
    weight = 1.0 / chance
    of_labels = told.value, place, weight / weight.sum(), chance, told.noise
    rewards = CONTINUOUS if outcomes.is_continuous else CATEGORICAL
    return Units(predicted, *of_labels, group, whole, width, support, rewards)


def label_chances(probabilities: Any, every: Roster, place: Indices) -> Vector:
    """Return the probability with which each labelled question was drawn; by default, all have the same."""
    count = len(every.group)
    if probabilities is None:
        return np.full(len(place), len(place) / count)
    listed = np.array(list(probabilities.values() if isinstance(probabilities, Mapping) else probabilities), np.float64)
    if isinstance(probabilities, Mapping):
        given = Roster(tuple(probabilities), np.arange(len(listed)))
        named = given.places((every.names[i] for i in place), "lacks the labelled questions", "probabilities")
        chance = listed[named]
    elif len(listed) in (count, len(place)):
        chance = listed[place] if len(listed) == count else listed
    else:
        problem = f"has {len(listed)} entries, but there are {count} questions, of which {len(place)} are labelled"
        raise ParameterError(problem, argument="probabilities")
    if not ((chance > 0.0) & (chance <= 1.0)).all():
        raise ParameterError("must be above 0 and at most 1 for every labelled question", argument="probabilities")
    return chance


def _check_same_kind(judged: OutcomeMatrix, human: OutcomeMatrix) -> None:
    """Check that labels are not categories on one side and rewards on the other."""
    has_rewards = [
        outcomes.is_continuous or outcomes.levels is not None or outcomes.is_pass_fail for outcomes in (judged, human)
    ]
    if has_rewards[0] != has_rewards[1]:
        one, other = ("categories", "rewards") if has_rewards[1] else ("rewards", "categories")
        problem = f"judged has {one} and human has {other}"
        raise OutcomeError(problem, hint="read both with OutcomeMatrix.from_rewards")


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
            hint="label all trials of a question; scattered labels of single trials serve pass@1 and avg of one model "
            "only, and they must say which trials they are of, as judged_labelled does in Python",
        )


def _single_trials(
    metric: Metric, judged: OutcomeMatrix, some: Labelled, judged_labelled: Any, predicted: Vector
) -> tuple[Measured, Vector]:
    """Return the value of each question by the judge on all trials, corrected by its error on the labelled trials.

    The second part is the share of each question's trials that is labelled.
    """
    if not (isinstance(metric, (AvgMetric, BayesMetric)) or metric.draw_size == 1):
        raise OutcomeError(
            f"scattered labels of single trials serve pass@1 and avg only: {metric} needs all trials of a question",
            hint="label all trials of fewer questions",
        )
    theirs = labelled(roster_of(judged), as_outcomes(judged_labelled), "judged_labelled")
    if not np.array_equal(np.sort(theirs.place), np.sort(some.place)):
        raise ParameterError("must have the same questions as human", argument="judged_labelled")
    order = np.argsort(theirs.place)[np.argsort(np.argsort(some.place))]
    same, mine, place = theirs.outcomes.reordered(order), some.outcomes, some.place
    if not np.array_equal(same.trials, mine.trials):
        raise ParameterError("must have as many trials of each question as human", argument="judged_labelled")
    share = mine.trials / judged.trials[place]
    if (share > 1.0).any():
        raise OutcomeError("human has more trials of a question than judged", hint="label only judged trials")
    with within("human"):
        value, noise, _ = measured(metric, some)
    with within("judged_labelled"):
        corrected = value - question_values(metric, same) + predicted[place]
    return Measured(corrected, noise * share, place), share


def _has_whole_clusters(group: Indices, place: Indices) -> bool:
    """Return whether clusters of several questions were labelled as wholes."""
    size, here = np.bincount(group), np.bincount(group[place], minlength=int(group.max()) + 1)
    return bool(((here == 0) | (here == size)).all() and (size[here > 0] > 1).any() and len(place) < len(group))
