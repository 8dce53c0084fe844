"""The result of ``interval``: four numbers that also carry their confidence, prior, shape and target."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np

from .._base.choices import BEYOND, CATEGORICAL, CONTINUOUS, INDEPENDENT, SAMPLES, UNIFORM
from .._base.exports import Exports
from .._base.numbers import number, percent, span, trials_each
from .._base.words import pluralize, spread_of, subject
from ..errors import OutcomeError
from ._looks import Looks
from ._methods import Methods
from ._prior import PriorLike, as_prior

Bounds = tuple[float, float]
BoundsLike = Bounds | Literal["support"] | None
OPEN = "not determined by single trials: the range "  # of k > 1, whose ends need no guess of difficulties
DIFFICULTIES_OF_SHAPE = {  # shapes that do not take difficulties for learned, in words
    BEYOND: "their difficulties learned from these, widened by what fewer trials than k leave open",
    "binomial": "whatever their difficulties",
    "profile": "for any distribution of their difficulties that fits these outcomes",
}


_NO_ENDS = "run more trials, or give bounds; looks that were declared for far more trials than there are reach too far"


@dataclass(frozen=True)
class Interval(Exports):
    """A posterior mean, its standard deviation and an interval: unpacks as ``(mu, sigma, lo, hi)``.

    It also carries ``confidence``, ``prior`` (as it was given), ``shape``, ``target``, ``completeness``, the trials
    present divided by the trials planned, ``rewards``, ``"categorical"``, ``"continuous"`` or ``"samples"`` among which
    a rule chooses, ``looks``, with which it is valid at every look, or None, ``bounds``, the range that its ends are
    clipped to, or None, ``single_trials``, whether there is one trial of each of these questions, which does not show
    the difficulties that were learned or left open, and ``runs``, ``"random"`` if the statement is about runs like
    these, or ``"independent"``, and ``measured``, if it is of one metric: this, and the numbers of questions and of
    the fewest and most trials. The shape is ``"beyond"`` where a metric needs more trials than there are, and what
    these leave open has widened it. Its text says what the interval is about, and ``value in interval`` whether a
    number is between its ends.

    >>> from scorio import PassAtK
    >>> interval = PassAtK(k=2).interval([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> mu, sigma, lo, hi = interval
    >>> round(lo, 3), round(hi, 3)
    (0.638, 0.997)
    >>> print(interval)
    0.880 [0.638, 0.997]: 95% interval for these questions, their difficulties learned from these
    """

    mu: float
    sigma: float
    lo: float
    hi: float
    _: KW_ONLY
    confidence: float = 0.95
    prior: PriorLike = field(default=UNIFORM, compare=False)  # one law may be given as several things
    completeness: float = 1.0
    shape: str = "normal"
    target: str = "questions"
    rewards: str = CATEGORICAL
    looks: Looks | None = None
    bounds: Bounds | None = None
    single_trials: bool = False
    runs: str = INDEPENDENT
    measured: tuple[Any, int, int, int] | None = field(default=None, repr=False, compare=False)
    has_prior: ClassVar[bool] = True

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the same as a call of the class, in half of the time: it counts in small calls."""
        interval = cls.__new__(cls)
        interval.__dict__.update(_DEFAULTS)
        interval.__dict__.update(values)
        if not -math.inf < values["lo"] <= values["hi"] < math.inf:
            interval.__post_init__()
        return interval

    def __post_init__(self) -> None:
        """Check the numbers: ends that are not finite, or the wrong way round, are an error."""
        if not -math.inf < self.lo <= self.hi < math.inf:
            numbers = f"mean {self.mu:g}, sigma {self.sigma:g}, ends {self.lo:g} and {self.hi:g}"
            raise OutcomeError(f"there is no interval with finite ends: {numbers}", hint=_NO_ENDS)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """The mean, the standard deviation and both ends."""
        return self.mu, self.sigma, self.lo, self.hi

    def __iter__(self) -> Iterator[float]:
        return iter(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        return self.numbers[place]

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, value: object) -> bool:
        """Return whether a number lies between the ends, which belong to the interval.

        >>> 0.34 in Interval(0.35, 0.01, 0.33, 0.37), 0.01 in Interval(0.35, 0.01, 0.33, 0.37)
        (True, False)
        """
        if not isinstance(value, (Real, np.number)):
            raise TypeError(f"a number may lie in an interval; got {value!r}")
        return bool(self.lo <= value <= self.hi)  # type: ignore[operator]

    def __float__(self) -> float:
        """Return the mean.

        >>> float(Interval(0.35, 0.01, 0.33, 0.37))
        0.35
        """
        return float(self.mu)

    def __format__(self, form: str) -> str:
        """Return the mean and both ends, each in the format of a number; without a format, the whole text.

        >>> f"{Interval(0.35, 0.01, 0.33, 0.37):.1%}"
        '35.0% [33.0%, 37.0%]'
        """
        return f"{self.mu:{form}} [{self.lo:{form}}, {self.hi:{form}}]" if form else str(self)

    def __str__(self) -> str:
        gaps = f", from {100 * self.completeness:.3g}% of the planned trials" if self.completeness < 1 else ""
        return f"{number(self.mu)} {span(self.lo, self.hi)}: {self.about}{gaps}"

    def as_records(self) -> list[dict[str, Any]]:
        looks = None if self.looks is None else str(self.looks)
        bounds = None if self.bounds is None else "{:g} to {:g}".format(*self.bounds)
        return [self.to_dict() | {"prior": str(as_prior(self.prior)), "looks": looks, "bounds": bounds}]

    @property
    def about(self) -> str:
        """The confidence, target and prior in words."""
        always = "" if self.looks is None else f", {self.looks}"
        about = subject(self.target, self.runs)
        return f"{percent(self.confidence)} interval for {about}, {self._difficulties()}{always}"

    def to_methods(self) -> Methods:
        """Return a short paragraph for the method section of a paper, with its references.

        >>> from scorio import PassAtK
        >>> PassAtK(1).interval([[0, 1, 1], [1, 1, 0]]).to_methods().text.split(": ")[0]
        'The value of pass@1 [@chen2021evaluating] on 2 questions, 3 trials each, is estimated as 0.634 [0.286, 0.911]'
        """
        errors = Methods.of_errors(self.prior, self.target, [self.rewards]) if self.has_prior else []
        said = "The value"
        if self.measured is not None:
            metric, questions, *trials = self.measured
            extent = f"{pluralize(questions, 'question')}, {trials_each(*trials)}"
            said += f" of {Methods.cited_metrics([metric])} on {extent},"
        return Methods.of([f"{said} is estimated as {self}", *errors, Methods.of_runs(self.runs)])

    def _difficulties(self) -> str:
        if self.rewards == CONTINUOUS:
            low, high = self.bounds or (-math.inf, math.inf)
            rewards = f"rewards between {low:.4g} and {high:.4g}" if high - low < math.inf else "continuous rewards"
            return f"from the mean and spread of {rewards}"
        if self.rewards == SAMPLES:
            return spread_of(self.target)
        if self.shape in DIFFICULTIES_OF_SHAPE:
            return f"{OPEN if self.single_trials else ''}{DIFFICULTIES_OF_SHAPE[self.shape]}"
        if self.single_trials:
            return "their difficulties guessed from one trial each; the binomial shape needs no guess"
        prior = as_prior(self.prior)
        if prior.is_learned:
            return "their difficulties learned from these"
        return "from the spread between questions" if self.target == "population" else f"difficulties taken as {prior}"


_DEFAULTS = {of_class.name: of_class.default for of_class in fields(Interval)}


def within(bounds: Bounds, value: float) -> float:
    """Return the number inside ``bounds`` that is nearest to ``value``."""
    low, high = bounds
    return low if value < low else min(value, high)
