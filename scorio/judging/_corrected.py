"""Scores by an imperfect judge, corrected by labels of people; and scores of models that got only some questions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices, Vector, finite_list, underflow_is_zero
from .._choices import TARGETS
from .._display.numbers import number, percent, span
from .._display.words import SUBJECT, pluralize, shorten, warn
from .._special import betaincinv, stdtr
from ..errors import LabelsWarning, OutcomeError, ParameterError
from ..inference import CATEGORICAL, CONTINUOUS, Bounds, Interval, Level, within
from ..metrics import Metric, as_metric, groups
from ..outcomes import OutcomeMatrix, OutcomeSet, as_outcomes
from ..params import choice, count, finite, generator, open_unit
from ._estimate import Estimate, Units, estimate
from ._question_sample import QuestionSample
from ._trial_noise import question_values
from ._units import (
    Labelled,
    Roster,
    check_metric,
    difference,
    judged_units,
    label_chances,
    labelled,
    measured,
    roster_of,
    units,
)

_EVIDENT = 1e-3  # p-value below which labelled questions are evidently not a random sample
_FEW = 20  # labelled questions below which Student's interval is rough


class SampledInterval(Interval):
    """An estimate with an interval over questions, without a prior: unpacks as ``(mu, sigma, lo, hi)``.

    >>> from scorio.judging import measure_agreement
    >>> print(measure_agreement([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15).kappa)
    0.400 [0.117, 0.623]: 95% interval over questions
    """

    has_prior = False

    @property
    def about(self) -> str:
        """The confidence, and over what."""
        return f"{percent(self.confidence)} interval over questions"

    def __repr__(self) -> str:
        return Interval.__repr__(self).replace("Interval(", f"{type(self).__name__}(", 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and all parameters, ready for JSON."""
        values = super().to_dict()
        return {
            name: value
            for name, value in values.items()
            if name not in ("prior", "looks", "completeness", "single_trials")
        }

    def _records(self) -> list[dict[str, Any]]:
        return [self.to_dict()]


class RectifiedInterval(SampledInterval):
    """A score with a Student interval from labels and predictions: unpacks as ``(mu, sigma, lo, hi)``.

    Besides what an Interval carries: ``n_labelled`` of ``n_questions`` were labelled (or asked), ``lam`` is the weight
    of the predictions, ``degrees`` are those of Student's t, ``predicted`` is the score by the judge (or the
    predictions) alone, and ``labels_alone`` is the interval without predictions. No prior enters.

    >>> from scorio import OutcomeMatrix, estimate_with_judge
    >>> judged = OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0], [0, 0]] * 8)
    >>> human = {question: [0, 1] for question in range(20)}
    >>> interval = estimate_with_judge("pass@1", judged, human)
    >>> round(interval.mu, 4), round(interval.bias, 4), interval.n_labelled
    (0.5, 0.1, 20)
    """

    n_labelled: int
    n_questions: int
    lam: float
    degrees: float
    predicted: float
    labels_alone: Interval | None
    source: str

    def __new__(
        cls,
        mu: float,
        sigma: float,
        lo: float,
        hi: float,
        *,
        n_labelled: int = 0,
        n_questions: int = 0,
        lam: float = 1.0,
        degrees: float = np.inf,
        predicted: float = np.nan,
        labels_alone: Interval | None = None,
        source: str = "labels",
        **about: Any,
    ) -> Self:
        """Collect the numbers without checks."""
        self = super().__new__(cls, mu, sigma, lo, hi, **about)
        own = {"n_labelled": n_labelled, "n_questions": n_questions, "lam": lam, "degrees": degrees}
        self.__dict__.update(own, predicted=predicted, labels_alone=labels_alone, source=source)
        return self

    @property
    def bias(self) -> float:
        """How much higher the score by the judge alone is."""
        return self.predicted - self.mu

    @property
    def about(self) -> str:
        """The confidence, target, and what the interval rests on, in words."""
        done = "labelled" if self.source == "labels" else "asked"
        told = f"{percent(self.confidence)} interval for {SUBJECT[self.target]}"
        told += f", {self.n_labelled} of {self.n_questions} questions {done}"
        if self.source == "difference":
            return told
        told += f"; {'the judge' if self.source == 'labels' else 'the predictions'} alone {number(self.predicted)}"
        alone, mine = self.labels_alone, "labels" if self.source == "labels" else "the questions asked"
        return f"{told}, {mine} alone {number(alone.mu)} {span(alone.lo, alone.hi)}" if alone else told

    def _records(self) -> list[dict[str, Any]]:
        values = self.to_dict()
        alone = values.pop("labels_alone") or {}
        return [values | {f"labels_alone_{name}": alone.get(name) for name in ("mu", "sigma", "lo", "hi")}]

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws from Student's t with this mean, scale and degrees of freedom."""
        size, drawn = count("n", n), generator(rng)
        return np.asarray(self.mu + self.sigma * drawn.standard_t(self.degrees, size))


def interval_around(estimate: Estimate, confidence: float, bounds: Bounds, **about: Any) -> RectifiedInterval:
    """Return Student's interval, or that of a bounded law without predictions; all is clipped to the bounds."""
    critical = Level(confidence).critical(estimate.degrees)
    ends = estimate.mu - critical * estimate.below, estimate.mu + critical * estimate.above
    if estimate.lam == 0.0 and bounds[1] > bounds[0] and np.isfinite(bounds).all():
        ends = _bounded_ends(estimate, critical, confidence, bounds)
    lo, hi = (within(bounds, end) for end in ends)
    about |= {"lam": estimate.lam, "degrees": estimate.degrees, "confidence": confidence}
    return RectifiedInterval(within(bounds, estimate.mu), estimate.sigma, lo, hi, **about)


def _bounded_ends(estimate: Estimate, critical: float, confidence: float, bounds: Bounds) -> tuple[float, float]:
    """Return the ends for a mean of values between bounds, which is skewed near either of them.

    The mean has the error of a number of Bernoulli draws, at least the degrees of freedom because no values vary more,
    and fewer by as much as Student's quantile exceeds the normal one. Their share has Jeffreys' prior.
    """
    width = bounds[1] - bounds[0]
    share, spread = (within(bounds, estimate.mu) - bounds[0]) / width, (estimate.sigma / width) ** 2
    room = share * (1.0 - share)
    draws = max(room / spread, estimate.degrees) if spread > 0.0 else estimate.degrees
    draws *= (Level(confidence).critical() / critical) ** 2
    tail = Level(confidence).tail
    lo, hi = betaincinv(draws * share + 0.5, draws * (1.0 - share) + 0.5, [tail, 1.0 - tail]).tolist()
    return bounds[0] + width * min(lo, share), bounds[0] + width * max(hi, share)


@underflow_is_zero
def estimate_with_judge(
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
    trials; ``sample_to_label`` draws the questions. They are matched by the labels of questions, else by place. The
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
    >>> print(*str(estimate_with_judge("pass@1", judged, human)).split("; "), sep="\n")
    0.500 [0.314, 0.686]: 95% interval for these questions, 20 of 40 questions labelled
    the judge alone 0.750, labels alone 0.500 [0.340, 0.660]
    """
    metric, judge = as_metric(metric), as_outcomes(judged)
    check_metric(metric)
    mine = judged_units(metric, judge, as_outcomes(human), probabilities, judged_labelled)
    low, high = metric.support(judge)
    if minus is not None:
        if judged_labelled is not None:
            raise ParameterError("does not go with minus: label whole questions", argument="judged_labelled")
        mine, (low, high) = _minus(metric, mine, judge, minus, probabilities), (low - high, high - low)
    _warn(mine, is_even=probabilities is None)
    rewards = CONTINUOUS if judge.is_continuous else CATEGORICAL
    return interval_of(mine, (low, high), lam, target, confidence, rewards=rewards, source="labels")


@underflow_is_zero
def estimate_with_predictions(
    metric: Metric | str,
    outcomes: Any,
    predictions: Any = None,
    *,
    minus: Any = None,
    target: str = "questions",
    confidence: float = 0.95,
    lam: float | None = None,
    probabilities: Any = None,
) -> RectifiedInterval:
    r"""Return the score on all questions of a model that was asked only a random subset of them.

    ``outcomes`` are those of the questions that were asked. ``predictions`` have one number per question, asked or not:
    a mapping, a list in which places are questions, or an OutcomeSet of other models that answered all questions, whose
    mean value per question is then the prediction. The interval is valid whatever the predictions are, and narrower
    where they are good. The other parameters are those of ``estimate_with_judge``.

    ``probabilities`` may be the result of ``choose_questions``, which knows the strata that questions were drawn from:
    the score is then unbiased, and its interval that of the strata. All its questions must have been asked; others are
    not looked at. ``predictions`` are then by default the mean values of the models that the sample was learned from.

    ``minus`` has the outcomes of a second model on the same sample, made by ``choose_questions``: the result is the
    difference of the two models on all questions.

    >>> R = {question: [1, 1] if question % 4 else [0, 1] for question in range(20)}  # of 40 questions
    >>> print(*str(estimate_with_predictions("pass@1", R, [0.4, 0.9, 0.8, 1.0] * 10)).split("; "), sep="\n")
    0.875 [0.789, 0.961]: 95% interval for these questions, 20 of 40 questions asked
    the predictions alone 0.775, the questions asked alone 0.875 [0.735, 0.955]
    """
    metric, asked = as_metric(metric), as_outcomes(outcomes)
    check_metric(metric)
    support = metric.support(asked)
    rewards = CONTINUOUS if asked.is_continuous else CATEGORICAL
    about: dict[str, Any] = {"rewards": rewards, "source": "asked"}
    if isinstance(probabilities, QuestionSample):
        mine = _drawn_units(metric, asked, predictions, probabilities, support)
        if minus is not None:
            if predictions is not None:
                raise ParameterError("cancel in a difference: leave them out with minus", argument="predictions")
            other = _drawn_units(metric, as_outcomes(minus), None, probabilities, support, "minus")
            mine, support = difference(mine, other), (support[0] - support[1], support[1] - support[0])
            about["source"] = "difference"
        _warn(mine, is_even=False)
        return interval_of(mine, support, lam, target, confidence, **about)
    if minus is not None:
        raise ParameterError("needs probabilities=choose_questions(..), by which both were asked", argument="minus")
    if predictions is None:
        raise ParameterError("are needed, unless probabilities is a QuestionSample", argument="predictions")
    roster, predicted = _predictions(metric, predictions, asked)
    some = labelled(roster, asked, "outcomes")
    told, chance = measured(metric, some), label_chances(probabilities, roster, some.place)
    mine = units(roster, predicted, told, chance, support, is_even=probabilities is None)
    _warn(mine, is_even=probabilities is None)
    return interval_of(mine, support, lam, target, confidence, **about)


def _drawn_units(
    metric: Metric,
    outcomes: OutcomeMatrix,
    predictions: Any,
    sample: QuestionSample,
    support: Bounds,
    what: str = "outcomes",
) -> Units:
    """Return the units of a sample that was drawn within strata."""
    asked, place = sample.of(outcomes, what), sample.places()
    group = _clusters_of(outcomes, sample)
    predicted = np.array(sample.rate)
    if predictions is not None:
        given, values = _predictions(metric, predictions, outcomes)
        predicted = _in_order(given, values, sample)
    told = measured(metric, Labelled(asked, place))
    mine = units(Roster(sample.benchmark, group), predicted, told, sample.chances[place], support, is_even=False)
    return replace(mine, stratum=np.array(sample.stratum, np.intp), bounds=support)


def _clusters_of(outcomes: OutcomeMatrix, sample: QuestionSample) -> Indices:
    """Return the cluster of each question of the benchmark, known only where the outcomes have all questions."""
    names = tuple(map(str, outcomes.questions or range(outcomes.n_questions)))
    if outcomes.clusters is None or set(names) != set(map(str, sample.benchmark)):
        return np.arange(len(sample.benchmark))
    where = {name: i for i, name in enumerate(names)}
    return np.asarray(groups(outcomes)[[where[str(name)] for name in sample.benchmark]], np.intp)


def _in_order(given: Roster, values: Vector, sample: QuestionSample) -> Vector:
    """Return predictions in the order of the benchmark; without names, places are questions."""
    where = {str(name): i for i, name in enumerate(given.names)}
    if given.questions is None and len(values) == len(sample.benchmark):
        return values
    missing = [name for name in sample.benchmark if str(name) not in where]
    if missing:
        raise ParameterError(f"lack questions of the benchmark: {shorten(missing)}", argument="predictions")
    return np.asarray(values[[where[str(name)] for name in sample.benchmark]])


def _minus(metric: Metric, mine: Units, judge: OutcomeMatrix, minus: tuple[Any, Any], probabilities: Any) -> Units:
    """Return the units of the difference from a second model on the same questions."""
    if not isinstance(minus, (tuple, list)) or len(minus) != 2:
        raise ParameterError("must be a pair: the judge's outcomes and those of people", argument="minus")
    other = as_outcomes(minus[0])
    if other.n_questions != judge.n_questions or other.questions != judge.questions:
        hint = "put both into one OutcomeSet, which aligns them"
        raise OutcomeError("the two models have different questions, or in another order", hint=hint)
    return difference(mine, judged_units(metric, other, as_outcomes(minus[1]), probabilities, None))


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
    alone = interval_around(estimate(mine, 0.0, target), confidence, bounds, **about)
    if about["source"] == "difference":
        return alone
    return interval_around(estimate(mine, weight, target), confidence, bounds, labels_alone=alone, **about)


def _warn(mine: Units, *, is_even: bool) -> None:
    """Warn if the labelled questions are evidently no random sample, or too few (or their clusters) for Student's t."""
    if is_even:
        _warn_of_sample(mine)
    count = len(np.unique(mine.group[mine.place]))
    if count < _FEW:
        unit = "question" if len(np.unique(mine.group)) == len(mine.group) else "cluster"
        warn(
            f"{pluralize(count, f'labelled {unit}')}: the interval is rough. Label at least {_FEW} for one that holds.",
            LabelsWarning,
        )


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
            "samples only: draw the questions with sample_to_label, or pass the probabilities of choosing them.",
            LabelsWarning,
        )


def _clustered(values: Vector, group: Indices) -> float:
    """Return the squared standard error of the mean, by clusters."""
    codes = np.unique(group, return_inverse=True)[1]
    sums = np.bincount(codes, values - values.mean())
    return float(sums @ sums) * len(sums) / max(len(sums) - 1, 1) / len(values) ** 2
