"""The interval of a score that people's labels correct: an ``Interval`` with what it rests on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._display.numbers import number, percent, span
from .._special import stdtrit
from ..inference import Interval
from ..inference._interval import CATEGORICAL, Bounds, within
from ..params import budget, generator, open_unit
from ._estimate import Estimate

_SUBJECT = {"questions": "these questions", "population": "questions like these"}


class SampledInterval(Interval):
    """An estimate with an interval over questions, without a prior: unpacks as ``(mu, sigma, lo, hi)``.

    >>> from scorio import judge_bias
    >>> print(judge_bias([1, 1, 0, 1], [0, 1, 0, 1])["all"])
    0.250 [-0.546, 1.046]: 95% interval over questions
    """

    @property
    def about(self) -> str:
        """The confidence, and over what."""
        return f"{percent(self.confidence)} interval over questions"

    def __repr__(self) -> str:
        return Interval.__repr__(self).replace("Interval(", f"{type(self).__name__}(", 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers and all parameters, ready for JSON."""
        values = super().to_dict()
        return {name: value for name, value in values.items() if name not in ("prior", "looks", "completeness")}

    def _records(self) -> list[dict[str, Any]]:
        return [self.to_dict()]


class RectifiedInterval(SampledInterval):
    """A score with a Student interval from labels and predictions: unpacks as ``(mu, sigma, lo, hi)``.

    Besides what an Interval carries: ``n_labelled`` of ``n_questions`` were labelled (or asked), ``lam`` is the weight
    of the predictions, ``degrees`` are those of Student's t, ``predicted`` is the score by the judge (or the
    predictions) alone, and ``labels_alone`` is the interval without predictions. No prior enters.

    >>> from scorio import OutcomeMatrix, rectified
    >>> judged = OutcomeMatrix([[1, 1], [0, 1], [1, 1], [1, 0], [0, 0]] * 8)
    >>> human = {question: [0, 1] for question in range(20)}
    >>> interval = rectified("pass@1", judged, human)
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
        start = f"{percent(self.confidence)} interval for {_SUBJECT[self.target]}"
        return f"{start}, {self.n_labelled} of {self.n_questions} questions {done}; {self._others()}"

    def _others(self) -> str:
        who = "the judge" if self.source == "labels" else "the predictions"
        alone = self.labels_alone
        if alone is None:
            return f"{who} alone {number(self.predicted)}"
        mine = "labels" if self.source == "labels" else "the questions asked"
        return f"{who} alone {number(self.predicted)}, {mine} alone {number(alone.mu)} {span(alone.lo, alone.hi)}"

    def _records(self) -> list[dict[str, Any]]:
        values = self.to_dict()
        alone = values.pop("labels_alone") or {}
        return [values | {f"labels_alone_{name}": alone.get(name) for name in ("mu", "sigma", "lo", "hi")}]

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws from Student's t with this mean, scale and degrees of freedom."""
        count, random = budget("n", n), generator(rng)
        return np.asarray(self.mu + self.sigma * random.standard_t(self.degrees, count))


def student(estimate: Estimate, confidence: float, bounds: Bounds, **about: Any) -> RectifiedInterval:
    """Return Student's interval; the estimate and both ends are clipped to the bounds."""
    reach = float(stdtrit(estimate.degrees, (1.0 + open_unit("confidence", confidence)) / 2.0)) * estimate.sigma
    lo, hi = (within(bounds, end) for end in (estimate.mu - reach, estimate.mu + reach))
    extras: dict[str, Any] = {
        "lam": estimate.lam,
        "degrees": estimate.degrees,
        "confidence": confidence,
        "rewards": CATEGORICAL,
    }
    return RectifiedInterval(within(bounds, estimate.mu), estimate.sigma, lo, hi, **(extras | about))
