"""From outcomes by a judge, labels by people and predictions to one number per question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Indices, Vector
from .._choices import CATEGORICAL, CONTINUOUS
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError, within
from ..inference import Bounds
from ..metrics import Metric, groups, warn_of_biased_score
from ..outcomes import OutcomeMatrix, as_outcomes
from ._estimate import ASKED, Units
from ._question_sample import QuestionSample, names_of, places_of
from ._trial_noise import question_values, trial_variances

_AT_LEAST = 2  # labelled questions, to estimate a variance


def check_metric(metric: Metric) -> None:
    """Check that the score is the mean of a value per question, and warn if it has a bias."""
    if not metric.is_mean_over_questions:
        problem = f"{metric} is not a mean over questions, so a judge's error on it is not one either"
        raise OutcomeError(problem, hint="use a metric with a value per question, such as pass@1, pass@4 or avg")
    warn_of_biased_score(metric)


def _labelled_places(judged: OutcomeMatrix, human: OutcomeMatrix) -> tuple[Indices, Indices]:
    """Return the places of the labelled questions among those of people and all questions: by label, else by place."""
    asked = np.flatnonzero(human.trials > 0)
    if human.questions is not None:
        names, problem = [human.questions[i] for i in asked], "human has questions that the other outcomes lack:"
        hint = "question labels must be the same in both; without labels, questions are numbered"
        place = places_of(names, names_of(judged), problem, hint=hint)
    elif human.n_questions == judged.n_questions:
        place = asked
    else:
        raise OutcomeError(
            f"human has {pluralize(human.n_questions, 'question')} and the other outcomes have {judged.n_questions}, "
            "and nothing says which is which",
            hint="pass question labels, as in OutcomeMatrix(R, questions=[..]), or a row of None per unlabelled "
            'question with missing="omit"',
        )
    if len(place) < _AT_LEAST:
        raise OutcomeError(f"human covers {pluralize(len(place), 'question')}; at least {_AT_LEAST} are needed")
    return asked, place


def judged_units(metric: Metric, judged: Any, human: Any, probabilities: Any = None) -> Units:
    """Return the units of one model: values by people, predictions by the judge."""
    check_metric(metric)
    judge, people = as_outcomes(judged), as_outcomes(human)
    asked, place = _labelled_places(judge, people)
    some = people.reordered(asked)
    _check_labels(judge, some, place)
    chance = _chances(probabilities, judge, place)
    with within("judged"):
        predicted = question_values(metric, judge)
    with within("human"):
        units = _units(metric, some, predicted, place, chance, groups(judge), metric.support(judge))
    return units if probabilities is not None else _with_whole_clusters(units)


def asked_units(metric: Metric, outcomes: Any, sample: QuestionSample, what: str = "outcomes") -> Units:
    """Return the units of a model that was asked the questions of a sample."""
    check_metric(metric)
    asked, group, place = as_outcomes(outcomes), np.arange(len(sample.benchmark)), sample.places()
    names = names_of(asked)
    if asked.clusters is not None and {*map(str, names)} == {*map(str, sample.benchmark)}:
        group = groups(asked)[places_of(sample.benchmark, names, "")]  # known only where all questions are there
    predicted, chance = np.array(sample.rate), sample.chances[place]
    units = _units(metric, sample.of(asked, what), predicted, place, chance, group, metric.support(asked))
    return replace(units, source=ASKED, stratum=np.array(sample.stratum, np.intp))


def _units(
    metric: Metric,
    some: OutcomeMatrix,
    predicted: Vector,
    place: Indices,
    chance: Vector,
    group: Indices,
    bounds: Bounds,
) -> Units:
    """Return the units; a variance over trials that is unknown is at most that of the values, which includes it."""
    value, noise = question_values(metric, some), trial_variances(metric, some)
    noise = np.where(np.isnan(noise), float(np.var(value, ddof=1)), noise)
    width = bounds[1] - bounds[0]  # infinite where it is unknown
    if not np.isfinite(width):
        width = float(np.ptp(np.concatenate([predicted, value])))
    weight, rewards = 1.0 / chance, CONTINUOUS if some.is_continuous else CATEGORICAL
    about = chance, noise, group, width, bounds, np.zeros(len(predicted), np.intp), rewards
    return Units(predicted, value, place, weight / weight.sum(), *about)


def _with_whole_clusters(units: Units) -> Units:
    """Return the units, of which clusters were labelled if those of several questions were labelled as wholes."""
    size, here = (np.bincount(group, minlength=units.group.max() + 1) for group in (units.group, units.labelled_group))
    is_whole = ((here == 0) | (here == size)).all() and (size[here > 0] > 1).any() and (here == 0).any()
    if not is_whole:
        return units
    drawn = np.count_nonzero(here)
    if drawn < _AT_LEAST:
        raise OutcomeError("all labelled questions are in one cluster", hint="label questions of two or more")
    return replace(units, has_whole_clusters=True, chance=np.full(len(units.chance), drawn / len(here)))


def _chances(probabilities: Any, judged: OutcomeMatrix, place: Indices) -> Vector:
    """Return the probability with which each labelled question was drawn; by default, all have the same."""
    count = judged.n_questions
    if probabilities is None:
        return np.full(len(place), len(place) / count)
    listed = np.array(list(probabilities.values() if isinstance(probabilities, Mapping) else probabilities), np.float64)
    if isinstance(probabilities, Mapping):
        names, problem = names_of(judged), "lacks the labelled questions"
        chance = listed[places_of([names[i] for i in place], tuple(probabilities), problem, argument="probabilities")]
    elif len(listed) in (count, len(place)):
        chance = listed[place] if len(listed) == count else listed
    else:
        problem = f"has {len(listed)} entries, but there are {count} questions, of which {len(place)} are labelled"
        raise ParameterError(problem, argument="probabilities")
    if not ((chance > 0.0) & (chance <= 1.0)).all():
        raise ParameterError("must be above 0 and at most 1 for every labelled question", argument="probabilities")
    return chance


def _check_labels(judged: OutcomeMatrix, human: OutcomeMatrix, place: Indices) -> None:
    """Check that labels are of the judge's kind, and that all trials of a labelled question are labelled."""
    kinds = [
        "rewards" if outcomes.is_continuous or outcomes.levels is not None or outcomes.is_pass_fail else "categories"
        for outcomes in (judged, human)
    ]
    if kinds[0] != kinds[1]:
        problem = f"judged has {kinds[0]} and human has {kinds[1]}"
        raise OutcomeError(problem, hint="read both with OutcomeMatrix.from_rewards")
    for i, told in zip(place.tolist(), human.trials.tolist(), strict=True):
        if (wanted := int(judged.trials[i])) != told:
            raise OutcomeError(
                f"question {names_of(judged)[i]!r} has {pluralize(wanted, 'judged trial')} and "
                f"{pluralize(told, 'label')}",
                hint="label all trials of a question, or leave out its labels: those of other questions say more",
            )
