"""Scores by an imperfect judge, corrected by labels of people; and scores of models that got only some questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Indices, Vector, finite_list, underflow_is_zero
from .._choices import TARGETS
from .._display.numbers import number
from .._display.warn import warn
from .._display.words import pluralize
from .._special import stdtr
from ..errors import LabelsWarning, OutcomeError, ParameterError
from ..inference._interval import CATEGORICAL, CONTINUOUS, Bounds
from ..metrics import Metric
from ..metrics._clusters import groups
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..outcomes._admitted import as_questions
from ..params import choice, finite, open_unit
from ._estimate import Units, estimate
from ._interval import RectifiedInterval, student
from ._trial_noise import question_values, trial_variances
from ._units import (
    Measured,
    Roster,
    check_metric,
    difference,
    judged_units,
    known_noise,
    label_chances,
    labelled,
    roster_of,
    units,
    width_of,
)

_EVIDENT = 1e-3  # p-value below which labelled questions are evidently not a random sample
_FEW = 20  # labelled questions below which Student's interval is rough


@underflow_is_zero
def rectified(
    metric: Metric | str,
    judged: Any,
    human: Any,
    *,
    minus: tuple[Any, Any] | None = None,
    target: str = "questions",
    confidence: float = 0.95,
    lam: float | None = None,
    probabilities: Any = None,
    judged_labelled: Any = None,
) -> RectifiedInterval:
    r"""Correct a judge's score by the labels of people for a random subset of questions, and return an interval.

    ``judged`` has the judge's outcomes of all questions, ``human`` those of people for whole questions, the same
    trials; ``label_sample`` draws the questions. They are matched by the labels of questions, else by place. The
    interval is valid however bad the judge is: the labelled questions show its error on the metric itself. A better
    judge makes it narrower. The metric must be a mean over questions, such as Pass@k or avg.

    ``minus=(judged, human)`` are the same of a second model: the result is the difference of the two. ``lam`` is the
    weight of the judge: by default 1 below 100 labelled questions, and the cross-fitted optimum from there on.
    ``target="questions"`` is about these questions, ``"population"`` about questions, or clusters of questions, like
    these. ``probabilities`` are those with which questions were chosen to be labelled, where they differ: a mapping, or
    one number per question. ``judged_labelled`` has the judge's outcomes of just the labelled trials, where these are
    scattered single trials; this serves Pass@1 and avg only.

    A ``LabelsWarning`` says if the labelled questions are evidently no random sample, or too few.

    >>> from scorio import OutcomeMatrix
    >>> judged = OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0]] * 10)
    >>> human = {question: [0, 1] for question in range(20)}  # of 40 questions
    >>> print(*str(rectified("pass@1", judged, human)).split("; "), sep="\n")
    0.500 [0.314, 0.686]: 95% interval for these questions, 20 of 40 questions labelled
    the judge alone 0.750, labels alone 0.500 [0.335, 0.665]
    """
    metric, judge = as_metric(metric), as_questions(judged)
    check_metric(metric)
    mine = judged_units(metric, judge, as_questions(human), probabilities, judged_labelled)
    low, high = metric.support(judge)
    if minus is not None:
        if judged_labelled is not None:
            raise ParameterError("does not go with minus: label whole questions", argument="judged_labelled")
        mine, (low, high) = _minus(metric, mine, judge, minus, probabilities), (low - high, high - low)
    if probabilities is None:
        _warn_of_sample(mine)
    _warn_of_few(mine)
    rewards = CONTINUOUS if judge.is_continuous else CATEGORICAL
    return interval_of(mine, (low, high), lam, target, confidence, rewards=rewards, source="labels")


@underflow_is_zero
def assisted(
    metric: Metric | str,
    R: Any,
    predictions: Any,
    *,
    target: str = "questions",
    confidence: float = 0.95,
    lam: float | None = None,
    probabilities: Any = None,
) -> RectifiedInterval:
    r"""Return the score on all questions of a model that was asked only a random subset of them.

    ``R`` has the outcomes of the questions that were asked. ``predictions`` have one number per question, asked or not:
    a mapping, a list in which places are questions, or an OutcomeSet of other models that answered all questions, whose
    mean value per question is then the prediction. The interval is valid whatever the predictions are, and narrower
    where they are good. The other parameters are those of ``rectified``.

    >>> R = {question: [1, 1] if question % 4 else [0, 1] for question in range(20)}  # of 40 questions
    >>> print(*str(assisted("pass@1", R, [0.4, 0.9, 0.8, 1.0] * 10)).split("; "), sep="\n")
    0.875 [0.789, 0.961]: 95% interval for these questions, 20 of 40 questions asked
    the predictions alone 0.775, the questions asked alone 0.875 [0.764, 0.986]
    """
    metric, asked = as_metric(metric), as_questions(R)
    check_metric(metric)
    roster, predicted = _predictions(metric, predictions, asked)
    some = labelled(roster, asked, "R")
    value = question_values(metric, some.outcomes)
    measured = Measured(value, known_noise(trial_variances(metric, some.outcomes), value), some.place)
    chance = label_chances(probabilities, roster, some.place)
    is_even = probabilities is None
    mine = units(roster, predicted, measured, chance, width_of(metric, asked), is_even=is_even)
    if is_even:
        _warn_of_sample(mine)
    _warn_of_few(mine)
    rewards = CONTINUOUS if asked.is_continuous else CATEGORICAL
    return interval_of(mine, metric.support(asked), lam, target, confidence, rewards=rewards, source="asked")


def _minus(metric: Metric, mine: Units, judge: OutcomeMatrix, minus: tuple[Any, Any], probabilities: Any) -> Units:
    """Return the units of the difference from a second model on the same questions."""
    if not isinstance(minus, (tuple, list)) or len(minus) != 2:
        raise ParameterError("must be a pair: the judge's outcomes and those of people", argument="minus")
    other = as_questions(minus[0])
    if other.n_questions != judge.n_questions or other.questions != judge.questions:
        raise OutcomeError(
            "the two models have different questions, or in another order",
            hint="put both into one OutcomeSet, which aligns them",
        )
    return difference(mine, judged_units(metric, other, as_questions(minus[1]), probabilities, None))


def _predictions(metric: Metric, predictions: Any, asked: OutcomeMatrix) -> tuple[Roster, Vector]:
    """Return all questions, and a prediction for each."""
    if isinstance(predictions, OutcomeSet):
        models = list(predictions.values())
        mean = np.mean([question_values(metric, each) for each in models], axis=0)
        return roster_of(models[0]), np.asarray(mean)
    names = tuple(predictions) if isinstance(predictions, Mapping) else None
    listed = finite_list(list(predictions.values() if isinstance(predictions, Mapping) else predictions))
    if listed is None:
        raise ParameterError("must be one finite number per question, asked or not", argument="predictions")
    has_all = asked.n_questions == len(listed) and asked.clusters is not None
    return Roster(names, groups(asked) if has_all and names is None else np.arange(len(listed))), listed


def interval_of(
    mine: Units, bounds: Bounds, lam: float | None, target: str, confidence: float, **about: Any
) -> RectifiedInterval:
    """Return the interval, with that of the labels alone."""
    choice("target", target, TARGETS)
    open_unit("confidence", confidence)
    weight = None if lam is None else finite("lam", lam)
    if target == "population" and len(np.unique(mine.group[mine.place])) < 2:
        raise OutcomeError('target="population" needs labelled questions of at least two clusters')
    about |= {"target": target, "n_labelled": len(mine.place), "n_questions": len(mine.predicted)}
    about["predicted"] = float(mine.predicted.mean())
    alone = student(estimate(mine, 0.0, target), confidence, bounds, **about)
    return student(estimate(mine, weight, target), confidence, bounds, labels_alone=alone, **about)


def _warn_of_sample(mine: Units) -> None:
    """Warn if the labelled questions differ evidently from the others by their predictions."""
    labelled_groups = mine.group[mine.place]
    rest = np.setdiff1d(np.arange(len(mine.predicted)), mine.place)
    if len(rest) < 2:
        return
    one, other = mine.predicted[mine.place], mine.predicted[rest]
    squares = sum(_clustered(part, group) for part, group in ((one, labelled_groups), (other, mine.group[rest])))
    gap = float(one.mean() - other.mean())
    p = 0.0 if squares == 0.0 and gap else 1.0
    if squares > 0.0:
        p = 2.0 * float(stdtr(len(np.unique(labelled_groups)) - 1.0 or 1.0, -abs(gap) / np.sqrt(squares)))
    if p < _EVIDENT:
        warn(
            f"the labelled questions do not look like a random sample: their predicted mean is {number(one.mean())}, "
            f"that of the other questions is {number(other.mean())} (p = {p:.1g}). The interval is valid for random "
            "samples only: draw the questions with label_sample, or pass the probabilities of choosing them.",
            LabelsWarning,
        )


def _clustered(values: Vector, group: Indices) -> float:
    """Return the squared standard error of the mean, by clusters."""
    codes = np.unique(group, return_inverse=True)[1]
    sums = np.bincount(codes, values - values.mean())
    return float(sums @ sums) * len(sums) / max(len(sums) - 1, 1) / len(values) ** 2


def _warn_of_few(mine: Units) -> None:
    """Warn if there are too few labelled questions, or clusters of them, for Student's interval."""
    count = len(np.unique(mine.group[mine.place]))
    if count < _FEW:
        unit = "question" if len(np.unique(mine.group)) == len(mine.group) else "cluster"
        warn(
            f"{pluralize(count, f'labelled {unit}')}: the interval is rough. Label at least {_FEW} for one that holds.",
            LabelsWarning,
        )
