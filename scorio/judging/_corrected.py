"""Scores by an imperfect judge, corrected by labels of people; and scores of models that got only some questions."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import underflow_is_zero
from .._base.choices import TARGETS
from .._base.numbers import number, percent, span
from .._base.special import betaincinv
from .._base.words import SUBJECT, pluralize, warn
from ..errors import LabelsWarning, OutcomeError
from ..inference import Interval
from ..inference._interval import Bounds, within
from ..inference._level import Level, Student
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..metrics._shared_prior import clustered
from ..params import choice, count, generator, open_unit
from ._estimate import LABELS, CorrectedMean, Units, estimate, judged_units

_EVIDENT = 1e-3  # p-value below which labelled questions are evidently not a random sample
_FEW = 20  # labelled questions below which Student's interval is rough
_OF_PRIORS = ("prior", "looks", "completeness", "single_trials")  # what these intervals lack
_WORDS = {  # what was done to questions, who predicts, and whose values there are
    "labels": ("labelled", "the judge", "labels"),
    "asked": ("asked", "the predictions", "the questions asked"),
}


@dataclass(frozen=True, init=False)
class SampledInterval(Interval):
    """An estimate with an interval over questions, without a prior: unpacks as ``(mu, sigma, lo, hi)``.

    >>> from scorio.judging import measure_agreement
    >>> print(measure_agreement([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15).kappa)
    0.400 [0.117, 0.623]: 95% interval over questions
    """

    has_prior: ClassVar[bool] = False

    @property
    def about(self) -> str:
        """The confidence, and over what."""
        return f"{percent(self.confidence)} interval over questions"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and all parameters, ready for JSON."""
        return {name: value for name, value in super().to_dict().items() if name not in _OF_PRIORS}

    def as_records(self) -> list[dict[str, Any]]:
        return [self.to_dict()]


@dataclass(frozen=True)
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

    _: KW_ONLY
    n_labelled: int = 0
    n_questions: int = 0
    lam: float = 1.0
    degrees: float = np.inf
    predicted: float = np.nan
    labels_alone: Interval | None = None
    source: str = LABELS

    @property
    def bias(self) -> float:
        """How much higher the score by the judge alone is."""
        return self.predicted - self.mu

    @property
    def about(self) -> str:
        """The confidence, target, and what the interval rests on, in words."""
        done, predictor, values = _WORDS[self.source]
        told = f"{percent(self.confidence)} interval for {SUBJECT[self.target]}"
        told += f", {self.n_labelled} of {self.n_questions} questions {done}"
        if (alone := self.labels_alone) is None:
            return told
        told += f"; {predictor} alone {number(self.predicted)}"
        return f"{told}, {values} alone {number(alone.mu)} {span(alone.lo, alone.hi)}"

    def as_records(self) -> list[dict[str, Any]]:
        values = self.to_dict()
        alone = values.pop("labels_alone") or {}
        return [values | {f"labels_alone_{name}": alone.get(name) for name in ("mu", "sigma", "lo", "hi")}]

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws from Student's t with this mean, scale and degrees of freedom."""
        size, drawn = count("n", n), generator(rng)
        return np.asarray(self.mu + self.sigma * drawn.standard_t(self.degrees, size))


def _interval_around(estimate: CorrectedMean, confidence: float, bounds: Bounds, **about: Any) -> RectifiedInterval:
    """Return Student's interval, or that of a bounded law without predictions; all is clipped to the bounds."""
    critical = Level(confidence).critical(estimate.degrees)
    ends = estimate.mu - critical * estimate.below, estimate.mu + critical * estimate.above
    if estimate.lam == 0.0 and bounds[1] > bounds[0] and np.isfinite(bounds).all():
        ends = _bounded_ends(estimate, critical, confidence, bounds)
    lo, hi = (within(bounds, end) for end in ends)
    about |= {"lam": estimate.lam, "degrees": estimate.degrees, "confidence": confidence}
    return RectifiedInterval(within(bounds, estimate.mu), estimate.sigma, lo, hi, **about)


def _bounded_ends(estimate: CorrectedMean, critical: float, confidence: float, bounds: Bounds) -> tuple[float, float]:
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
    metric: Metric | str, judged: Any, human: Any, *, target: str = "questions", confidence: float = 0.95
) -> RectifiedInterval:
    r"""Correct a judge's score by the labels of people for a random subset of questions, and return an interval.

    ``judged`` has the judge's outcomes of all questions, ``human`` those of people for whole questions, the same
    trials; ``sample_to_label`` draws the questions. They are matched by the labels of questions, else by place. The
    interval is valid however bad the judge is: the labelled questions show its error on the metric itself. A better
    judge makes it narrower. The metric must be a mean over questions, such as Pass@k or avg.

    The weight of the judge is 1 below 100 labelled questions, and the cross-fitted optimum from there on.
    ``target="questions"`` is about these questions, ``"population"`` about questions, or clusters of questions, like
    these. ``judge_models`` has the differences of several models.

    A ``LabelsWarning`` says if the labelled questions are evidently no random sample, or too few.

    >>> from scorio import OutcomeMatrix
    >>> judged = OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0]] * 10)
    >>> human = {question: [0, 1] for question in range(20)}  # of 40 questions
    >>> print(*str(estimate_with_judge("pass@1", judged, human)).split("; "), sep="\n")
    0.500 [0.314, 0.686]: 95% interval for these questions, 20 of 40 questions labelled
    the judge alone 0.750, labels alone 0.500 [0.340, 0.660]
    """
    mine = judged_units(as_metric(metric), judged, human)
    warn_of_labels(mine)
    return interval_of(mine, target, confidence)


def interval_of(mine: Units, target: str, confidence: float) -> RectifiedInterval:
    """Return the interval, with that of the labels alone."""
    choice("target", target, TARGETS)
    open_unit("confidence", confidence)
    if target == "population" and len(np.unique(mine.labelled_group)) < 2:
        raise OutcomeError('target="population" needs labelled questions of at least two clusters')
    about: dict[str, Any] = {"target": target, "n_labelled": len(mine.place), "n_questions": len(mine.predicted)}
    about |= {"predicted": float(mine.predicted.mean()), "rewards": mine.rewards, "source": mine.source}
    alone = _interval_around(estimate(mine, 0.0, target), confidence, mine.bounds, **about)
    if mine.source != LABELS and not mine.predicted.any():
        return alone  # of a difference, in which the predictions cancel
    return _interval_around(estimate(mine, None, target), confidence, mine.bounds, labels_alone=alone, **about)


def warn_of_labels(mine: Units, model: str = "") -> None:
    """Warn if the labelled questions are evidently no random sample, or too few (or their clusters) for Student's t."""
    about = f"{model}: " if model else ""
    if mine.source == LABELS:
        _warn_of_sample(mine, about)
    count = len(np.unique(mine.labelled_group))
    if count < _FEW:
        unit = "question" if len(np.unique(mine.group)) == len(mine.group) else "cluster"
        warn(
            f"{about}{pluralize(count, f'labelled {unit}')}: the interval is rough. "
            f"Label at least {_FEW} for one that holds.",
            LabelsWarning,
        )


def _warn_of_sample(mine: Units, about: str) -> None:
    """Warn if the labelled questions differ evidently from the others by their predictions."""
    is_labelled = np.isin(np.arange(len(mine.predicted)), mine.place)
    if (~is_labelled).sum() < 2:
        return
    one, other = (mine.predicted[questions] for questions in (is_labelled, ~is_labelled))
    groups = [np.unique(mine.group[questions], return_inverse=True)[1] for questions in (is_labelled, ~is_labelled)]
    squares = clustered(one, groups[0]) + clustered(other, groups[1])
    gap = Student(float(one.mean() - other.mean()), float(np.sqrt(squares)), max(float(groups[0].max()), 1.0))
    if gap.p_value < _EVIDENT:
        warn(
            f"{about}the labelled questions do not look like a random sample: their predicted mean is "
            f"{number(one.mean())}, that of the other questions is {number(other.mean())} (p = {gap.p_value:.1g}). The "
            "interval is valid for random samples only: draw the questions with sample_to_label.",
            LabelsWarning,
        )
