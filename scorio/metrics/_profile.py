"""The values of a metric under every distribution of success rates that fits the outcomes: a profile likelihood.

``N`` trials of each question determine the first ``N`` moments of the distribution of success rates and nothing else.
For ``k`` above ``N``, the learned prior fills the rest with a shape that is smooth, and its interval can be narrow
although other shapes, with gaps or with few values, fit as well and have other values. The range of these values needs
no shape: with ``l(F)`` the likelihood of the counts under the distribution ``F`` of rates, it holds every value ``v``
for which some ``F`` of this value has

    log l(F) >= max log l - z^2 / 2

(Lindsay 1995, chapter 7). All distributions on a fine grid of rates are allowed, so that ``log l`` is concave and the
value linear. The distributions with the highest likelihood for their value are those that maximize
``log l(F) - penalty/2 (value(F) - end)^2`` for some penalty, where the end is the least or the largest value there is;
the penalty is found by bisection, and each maximum by Newton steps whose quadratic problem is one of least squares with
weights that are not negative, on the rates in use and those of steepest ascent (Wang 2007).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Protocol

import numpy as np

from .._arrays import Flags, Vector, cached_property
from .._display.numbers import span
from .._display.words import warn
from .._special import nnls, xlog1py, xlogy
from ..errors import OutcomeError, ParameterError, PriorWarning, Remedy
from ..inference import Bounds, Interval, Level, Mixture, PriorLike, SkewedT, Terms, as_prior, within
from ..outcomes import OutcomeMatrix

_FEWEST_POINTS = 120  # of the grid of rates
_MOST_POINTS = 1500
_EXACT = 5e-3  # of a log-likelihood
_GAIN = 2e-4  # of a log-likelihood that a whole step foretells: less is not worth a step
_STEPS = 100  # of Newton, of which few are needed
_SHORTEST = 1e-4  # part of a step that is tried
_NONE = 1e-12  # a share that is as good as none
_STRIDE = 2.0  # in the logarithm of a penalty
_STRIDES = 60  # after which a penalty is as good as none or as infinite
_SECANTS = 20  # of which few are needed
_EXACT_END = 0.005  # of the standard errors that an end is away from the best fit
_LEVEL = 1e-9  # a difference of two ascents, relative to the largest, that is none
_STIFF = (1e2, 1e4, 1e6)  # penalties, per question; with the last one, a value is as good as given
_CLOSE = 0.02  # change of the value between two rates, as a part of its range, where trials tell no difference
_LEAST_WIDTH = 1e-100  # of values, whose square a number holds
_NEVER = 1e-40  # a likelihood relative to the largest of the same outcomes; smaller numbers take long to multiply
_SUM = 1e3  # how many times as heavy as the questions it weighs that the shares add to 1
_AS_WELL = Level.of_error(0.3173)  # what fits within one standard error
_BEYOND = 0.1  # of an interval's width: what fits so far beyond its ends is more than it says
_OF_CONSEQUENCE = 1e-3  # the same as a share of the metric's range
_ENOUGH_QUESTIONS = 50
_FEW_QUESTIONS = (
    "k is above half of the trials of few questions: if their difficulties have few values,"
    ' intervals are too narrow, and shape="profile" holds'
)
_RESTS_ON_SHAPE = (
    "{metric} takes {k} trials, and some questions have {trials}. These outcomes leave open how difficulties are"
    " distributed beyond that: every value in {wide} fits them, and {whose} {narrow} takes the distribution as smooth."
    ' shape="profile" gives an interval for any distribution'
)


def rates_between(trials: int, k: int) -> Vector:
    """Return rates from 0 to 1, closer where so many trials, or draws of k, tell them apart better."""
    points = min(max(_FEWEST_POINTS, math.ceil(10.0 * math.sqrt(max(trials, k)))), _MOST_POINTS)
    angle = np.linspace(0.0, 0.5 * np.pi, points + 1)
    rates: Vector = np.sin(angle) ** 2
    rates[-1] = 1.0
    return rates


def _telling(rates: Vector, values: Vector, trials: int) -> Flags:
    """Return which rates to keep: as close as so many trials tell apart, and closer where the value changes."""
    angle = np.arcsin(np.sqrt(rates))
    far = 0.5 * np.pi / min(max(_FEWEST_POINTS, math.ceil(10.0 * math.sqrt(trials))), _MOST_POINTS) * (1.0 - _LEVEL)
    steps = np.concatenate([[0.0], np.diff(angle) / far + np.abs(np.diff(values)) / (_CLOSE * np.ptp(values) or 1.0)])
    part = np.floor(np.cumsum(steps) + _LEVEL)
    kept = np.append(True, part[1:] > part[:-1])
    kept[-1] = True
    return kept


@dataclass(frozen=True, eq=False)
class FittingLaws:
    """Distributions of success rates on a grid, with the likelihood of each state at each rate, (S, rates).

    A factor common to all rates of a state makes no difference.

    >>> likelihood = np.array([[1.0, 0.25, 0.0], [0.0, 0.5, 0.0], [0.0, 0.25, 1.0]])  # of 0, 1, 2 of 2 successes
    >>> laws = FittingLaws(likelihood, np.array([100.0, 100.0, 100.0]))
    >>> laws.best[0].round(3).tolist()
    [0.167, 0.667, 0.167]
    >>> [round(end, 3) for end in laws.range_of(np.array([0.0, 0.9, 1.0]), 1.96)]
    [0.703, 0.828]
    """

    likelihood: Vector
    questions: Vector

    @cached_property
    def best(self) -> tuple[Vector, float]:
        """The shares of the distribution that fits best, and its log-likelihood."""
        points = self.likelihood.shape[1]
        return self._fit(np.full(points, 1.0 / points), np.zeros(points), 0.0, 0.0, from_everywhere=True)

    def _fit(
        self, share: Vector, values: Vector, penalty: float, end: float, *, from_everywhere: bool = False
    ) -> tuple[Vector, float]:
        """Return the shares that maximize the log-likelihood less the penalty, from a start, and their log-likelihood.

        Every step is at most as long as it is better: the first half, quarter .. of it that is. The rates in use are
        those of the last step; what a start had elsewhere fades with the steps, and is left out at the end.
        """
        root, sums = math.sqrt(penalty), _SUM * math.sqrt(float(self.questions.sum()))
        weight = np.sqrt(self.questions)
        mixed, value = self.likelihood @ share, float(values @ share)
        fit = self._fit_of(mixed)
        in_use = np.zeros(len(share), dtype=bool) if from_everywhere else share > _NONE
        for _ in range(_STEPS):
            ascent = (self.questions / mixed) @ self.likelihood - penalty * (value - end) * values
            ascent = ascent - float(ascent @ share)
            if ascent.max() < _EXACT:
                break
            used = np.flatnonzero(in_use | _peaks(ascent))
            columns = self.likelihood[:, used]
            rows = [(weight / mixed)[:, None] * columns, np.full((1, len(used)), sums), root * values[None, used]]
            found, _ = nnls(np.vstack(rows), np.concatenate([2.0 * weight, [sums, root * end]]))
            found /= found.sum()
            in_use[:] = False
            in_use[used[found > _NONE]] = True
            towards, ahead = columns @ found - mixed, float(values[used] @ found) - value
            step, now = 1.0, fit - 0.5 * penalty * (value - end) ** 2
            if (self.questions / mixed) @ towards - penalty * (value - end) * ahead < _GAIN:
                break
            while step > _SHORTEST:
                better = self._fit_of(mixed + step * towards)
                if better - 0.5 * penalty * (value + step * ahead - end) ** 2 > now:
                    break
                step *= 0.5
            else:
                break
            share = (1.0 - step) * share
            share[used] += step * found
            mixed, value, fit = mixed + step * towards, value + step * ahead, better
        kept = np.where(in_use, share, 0.0)
        kept /= max(float(kept.sum()), _LEAST_WIDTH)
        kept_fit, lost = self._fit_of(self.likelihood @ kept), (float(values @ kept) - end) ** 2 - (value - end) ** 2
        return (kept, kept_fit) if kept_fit - 0.5 * penalty * lost > fit - _EXACT else (share, fit)

    def _fit_of(self, mixed: Vector) -> float:
        """Return the log-likelihood of these chances of the states."""
        return float(self.questions @ np.log(mixed)) if mixed.min() > 0.0 else -math.inf

    def range_of(self, values: Vector, z: float) -> Bounds:
        """Return the least and the largest mean of ``values`` of the rates that fit within ``z`` standard errors."""
        low, high = (self._end(values, z, float(end)) for end in (values.min(), values.max()))
        return low, high

    def reaches(self, values: Vector, value: float, z: float) -> bool:
        """Return whether some distribution whose mean of ``values`` is this one fits within ``z`` standard errors."""
        if not values.min() <= value <= values.max():
            return False
        if not self.questions.size:
            return True
        share, most = self.best
        now = float(values @ share)
        if value == now or values.min() == values.max():
            return True
        end = float(values.max() if value > now else values.min())
        part = (value - now) / (end - now)
        start = (1.0 - part) * share + part * (values == end) / float((values == end).sum())
        fit = -math.inf
        for stiff in _STIFF:
            penalty = stiff * float(self.questions.sum()) / max(float(np.ptp(values)), _LEAST_WIDTH) ** 2
            start, fit = self._fit(start, values, penalty, value)
        return most - fit <= 0.5 * z**2

    def _end(self, values: Vector, z: float, end: float) -> float:
        """Return the value nearest to ``end`` that fits, by the logarithm of the penalty at which it does just so."""
        share, most = self.best

        def beyond(fit: float) -> float:
            return math.sqrt(max(2.0 * (most - fit), 0.0)) - z

        extreme = (values == end) / float((values == end).sum())
        if beyond(self._fit_of(self.likelihood @ extreme)) <= 0.0:
            return end
        width = max(float(np.ptp(values)), _LEAST_WIDTH)
        at = math.log(float(self.questions.sum()) / width**2)
        share, fit = self._fit(share, values, math.exp(at), end)
        last = found = beyond(fit)
        step = -_STRIDE if found > 0.0 else _STRIDE
        for _ in range(_STRIDES):
            if found * last < 0.0:
                break
            last, at = found, at + step
            share, fit = self._fit(share, values, math.exp(at), end)
            found = beyond(fit)
        before = at - step
        for _ in range(_SECANTS):
            if abs(found) < _EXACT_END * z or found * last >= 0.0:
                break
            between = at - found * (at - before) / (found - last)
            share, fit = self._fit(share, values, math.exp(between), end)
            new = beyond(fit)
            if new * found < 0.0:
                before, last = at, found
            else:
                last *= 0.5  # the method of Illinois: no end of the bracket stays for long
            at, found = between, new
        return float(values @ share)


def _peaks(ascent: Vector) -> Any:
    """Return which points are higher than both neighbors, and above 0; of a level stretch, its last point."""
    level = _LEVEL * float(ascent.max())
    padded = np.concatenate([[-np.inf], np.floor(ascent / level) if level > 0.0 else ascent, [-np.inf]])
    return (padded[1:-1] >= padded[:-2]) & (padded[1:-1] > padded[2:]) & (ascent > 0.0)


class Profiled(Protocol):
    """The part of a metric that these functions use."""

    _is_mean_over_questions: ClassVar[bool]

    @property
    def _required_trials(self) -> int: ...

    @property
    def _means(self) -> tuple[Profiled, ...]: ...

    def _admit(self, R: Any) -> OutcomeMatrix: ...

    def _values_at(self, rates: Vector) -> Vector | None: ...

    def _rests_on_shape(self, outcomes: OutcomeMatrix) -> bool: ...

    def _interval(
        self, outcomes: OutcomeMatrix, level: Level, shape: str | None, prior: PriorLike, target: str, limits: Bounds
    ) -> Interval: ...

    def _law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> Mixture | SkewedT: ...

    def support(self, R: Any) -> Bounds: ...


def range_of_fits(metric: Profiled, outcomes: OutcomeMatrix, level: Level) -> Bounds | None:
    """Return the least and the largest value that fits the outcomes at this level, or None if it is not known how.

    >>> from scorio import PassAtK
    >>> outcomes = OutcomeMatrix.from_counts([0] * 40 + [1] * 20 + [2] * 40, 2)
    >>> [round(end, 2) for end in range_of_fits(PassAtK(4), outcomes, Level(0.95))]
    [0.52, 0.84]
    """
    found = _fitting_laws(metric, outcomes)
    if found is None:
        return None
    values, laws = found
    if not laws.questions.size:
        return float(values.min()), float(values.max())
    return laws.range_of(values, level.critical())


def _fitting_laws(metric: Profiled, outcomes: OutcomeMatrix) -> tuple[Vector, FittingLaws] | None:
    """Return the metric at rates on a grid, and the distributions on it, or None if it is not known how."""
    if not outcomes.has_two_categories:
        return None
    states = outcomes.with_prior_counts._states
    c, n = (each.astype(np.float64)[:, None] for each in (states.successes, states.trials))
    rates = rates_between(int(states.trials.max()), metric._required_trials)
    values = metric._values_at(rates)
    if values is None:
        return None
    telling = _telling(rates, values, int(states.trials.max()))
    rates, values = rates[telling], values[telling]
    likelihood = xlogy(c, rates) + xlog1py(n - c, -rates)
    likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    likelihood[likelihood < _NEVER] = 0.0
    kept = n[:, 0] > 0.0
    return values, FittingLaws(likelihood[kept], states.multiplicity[kept].astype(np.float64))


def profile_interval(
    metric: Profiled,
    outcomes: OutcomeMatrix,
    level: Level,
    prior: PriorLike,
    target: str,
    limits: Bounds | None,
    about: dict[str, Any],
) -> Interval:
    """Return the range of fitting values within the limits, around the posterior mean, or say why there is none."""
    if target == "population" and outcomes.clusters is not None:
        problem = '"profile" takes questions as independent draws, and these are in clusters'
        raise OutcomeError(problem, remedies=[Remedy("shape", "quantile", "takes a cluster as one draw")])
    ends = range_of_fits(metric, outcomes, level)
    if ends is None:
        problem = f'"profile" is for metrics of a number of successes; {metric} of these outcomes is none'
        raise ParameterError(problem, argument="shape", hint="use pass@k, pass^k or gpass@k and binary outcomes")
    mu = within(ends, metric._law_of(outcomes, prior, target).mean)
    sigma = (ends[1] - ends[0]) / (2.0 * level.critical())
    bounds = limits or metric.support(outcomes)
    lo, hi = (within(bounds, end) for end in ends)
    about |= {"prior": prior, "target": target, "shape": "profile", "bounds": bounds}
    return Interval(mu, sigma, lo, hi, confidence=level.confidence, **about)


def warn_of_shape(metric: Profiled, outcomes: OutcomeMatrix, interval: Interval, whose: str = "the interval") -> bool:
    """Issue a PriorWarning where more trials are asked about than there are and the interval says more than they do.

    Returns whether it did.
    """
    if metric._required_trials <= outcomes.min_trials or interval.shape == "profile" or _told(metric, outcomes):
        return False
    if not metric._rests_on_shape(outcomes):
        return False
    if len(metric._means) > 1:
        prior, target, level = interval.prior, interval.target, Level(interval.confidence)
        return any(
            warn_of_shape(part, outcomes, part._interval(outcomes, level, None, prior, target, part.support(outcomes)))
            for part in metric._means
        )
    found = _fitting_laws(metric, outcomes)
    if found is None:
        return False
    values, laws = found
    low, high = metric.support(outcomes)
    beyond = max(_BEYOND * (interval.hi - interval.lo), _OF_CONSEQUENCE * (high - low))
    if not any(laws.reaches(values, end, _AS_WELL.critical()) for end in (interval.lo - beyond, interval.hi + beyond)):
        return False
    ends = range_of_fits(metric, outcomes, Level(interval.confidence)) or (low, high)
    texts = {"wide": span(*ends), "narrow": span(interval.lo, interval.hi), "whose": whose}
    numbers = {"k": metric._required_trials, "trials": outcomes.min_trials}
    warn(_RESTS_ON_SHAPE.format(metric=metric, **numbers, **texts), PriorWarning)
    return True


def few_questions_note(metric: object, questions: int, trials: int, intervals: Iterable[Interval]) -> list[str]:
    """Return a note where few questions hardly show how their values vary: k is above half of their trials."""
    k, values_at = getattr(metric, "_required_trials", 1), getattr(metric, "_values_at", None)
    if values_at is None or not 1 < k <= trials < 2 * k or questions >= _ENOUGH_QUESTIONS:
        return []
    is_learned = any(each.shape == "quantile" and as_prior(each.prior).is_learned for each in intervals)
    return [_FEW_QUESTIONS] if is_learned and values_at(np.array([0.5])) is not None else []


def warn_of_shapes(family: Sequence[Profiled], models: Iterable[OutcomeMatrix], terms: Terms) -> None:
    """Issue one warning, for the first of several models whose interval, as it is asked for, says too much.

    ``family`` is a metric, or several that differ by their k: the warning is about the largest of which there is
    something to say. One is enough: what is computed of the same models later does not repeat it, for none of them.
    Only the learned prior has a shape that outcomes leave open.
    """
    if not terms.assumed.is_learned:
        return
    known = [each for each in models if not each.is_continuous]
    for metric in sorted(family, key=lambda each: -each._required_trials):
        short = [metric._admit(each) for each in known if metric._required_trials > each.min_trials]
        if short and (all(_told(metric, each) for each in short) or _is_warned(metric, short, terms)):
            for model, other in product(short, family):
                _told(other, model).add(metric)
            return


@contextmanager
def warned_of_shapes(family: Sequence[Profiled], models: Iterable[OutcomeMatrix], terms: Terms) -> Iterator[None]:
    """Warn of shapes by ``warn_of_shapes``, and no more within the block, whose intervals may have lower levels."""
    known = [*models]
    warn_of_shapes(family, known, terms)
    untold = [
        each for each in (_told(metric, metric._admit(model)) for metric in family for model in known) if not each
    ]
    for each in untold:
        each.add("within the block")
    try:
        yield
    finally:
        for each in untold:
            each.clear()


def _is_warned(metric: Profiled, models: Iterable[OutcomeMatrix], terms: Terms) -> bool:
    """Warn of the first of the models for which there is something to say; return whether there is one."""
    for each in models:
        about: Any = (terms.shape, terms.given, terms.target, metric.support(each))
        if warn_of_shape(metric, each, metric._interval(each, terms.level, *about), "a model's interval"):
            return True
    return False


def _told(metric: Profiled, outcomes: OutcomeMatrix) -> set[Any]:
    """Return a set that holds the metric once a user was told of its shape for all of several models."""
    told: set[Any] = outcomes._cached(f"told of the shape of {metric}", set)
    return told
