"""What every metric is: a frozen object with a score, an interval, covariances and a curve."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .._arrays import Indices, Vector, underflow_is_zero
from .._choices import TARGETS
from ..errors import ParameterError
from ..inference import Looks, Mixture
from ..inference._interval import (
    Bounds,
    BoundsLike,
    Interval,
    check_bounds,
    check_choice,
    is_support,
    normal_interval,
    quantile_interval,
    shape_or_default,
)
from ..inference._learned_prior import beta_priors, learn
from ..inference._prior import UNIFORM, PriorLike, beta_prior, dirichlet_prior, is_learned
from ..inference._skewed_t import SkewedT
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import check_fields
from ._clusters import between_questions, clustered, groups
from ._names import register
from ._prior_check import warn_of_fixed_prior, warn_of_prior
from ._text import parse, spell
from ._too_few import budgets_of, check_too_few


class Moments(NamedTuple):
    """Posterior mean and variance of each question's value."""

    mean: Vector
    variance: Vector


@dataclass(frozen=True)
class Metric(ABC):
    """A number that outcomes are reduced to, with its posterior.

    A subclass defines ``per_question`` and ``moments``; the score is the mean over questions. Fields declared with
    ``param`` are checked when the object is made. A subclass with a ``name`` of its own is registered: the name works
    wherever a metric may be named, as in ``Metric.from_string``. Two classes cannot share a name or an alias.
    """

    name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()  # further names
    parameter_aliases: ClassVar[Mapping[str, str]] = {}  # further names of fields: {"w": "weights"}
    is_mean_over_questions: ClassVar[bool] = True  # whether the score is the mean over questions
    estimate_ignores_prior: ClassVar[bool] = False  # whether the interval is around the raw mean, whatever the prior
    takes_rewards: ClassVar[bool] = False  # whether categories have rewards, not only successes and failures

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:  # its own: that of a dataclass is made later
            raise TypeError(
                f"{cls.__name__} defines __init__, but a metric's parameters are fields, which copies and names read: "
                "declare each, as in k: int = param(budget), decorate the class with @dataclass(frozen=True), and "
                "prepare anything else in a cached_property"
            )
        cls.name, cls.aliases = cls.__dict__.get("name", ""), cls.__dict__.get("aliases", ())
        if cls.name:
            register(cls)

    def __post_init__(self) -> None:
        check_fields(self)

    # Defined by subclasses.

    @abstractmethod
    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the score of each question, (M,); ``too_few="nan"`` gives NaN for single questions."""

    @abstractmethod
    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""

    @property
    def required_trials(self) -> int:
        """The number of trials that the score needs of each question."""
        return 1

    @property
    def budget(self) -> int | None:
        """The field ``k``, the number of trials in a draw; None for a metric without one."""
        return self.get_params().get("k")

    def support(self, R: Any) -> Bounds:  # noqa: ARG002 - a subclass may look at R
        """Return the smallest and the largest possible value of the metric."""
        return (0.0, 1.0)

    # Derived from these.

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the metric of the recorded trials: the mean over questions.

        If a question has too few trials, ``too_few="raise"`` raises an error that names it, ``"omit"`` omits the
        question, and ``"nan"`` returns NaN.
        """
        return float(np.mean(self.per_question(R, too_few=too_few)))

    @underflow_is_zero
    def interval(
        self,
        R: Any,
        confidence: float = 0.95,
        *,
        shape: str | None = None,
        prior: PriorLike | None = None,
        target: str = "questions",
        bounds: BoundsLike = "support",
        looks: Looks | None = None,
    ) -> Interval:
        """Return the posterior mean and standard deviation of the metric's true value, and an interval for it.

        ``prior="learned"`` is recommended: it learns from the outcomes how the success rates of the questions are
        distributed, and its intervals have about their nominal coverage. Without ``prior``, the interval is that of the
        published definition, under the uniform prior. With few trials per question, and many questions that are very
        easy or very hard, that prior biases the mean towards the middle, however many questions there are, and a 95%
        interval may rarely contain the true value. A ``PriorWarning`` says so if the outcomes contradict the uniform
        prior (on uniform questions, once in 1,000 sets of outcomes) or if the interval excludes the observed score.
        ``prior="uniform"`` gives the same numbers without the check.

        ``shape="normal"`` is ``mu -+ z sigma``, clipped to ``bounds`` (None: not clipped); ``"quantile"`` has equal
        tails inside the bounds. By default, the shape is ``"quantile"`` for a learned prior where the bounds are
        finite, and ``"normal"`` otherwise. ``target="questions"`` is about the questions at hand, ``"population"``
        about the population that they, or their clusters, are a sample of. For the population, a prior that is not
        learned is replaced: the variance between questions becomes a number of Bernoulli draws, with Jeffreys' prior.

        Continuous rewards always have the learned prior. Their ``"normal"`` interval is Student's, and the
        ``"quantile"`` interval reaches further on the side where rewards have the longer tail.

        With ``looks`` the interval stays valid when it is looked at again and again while trials come in; the
        confidence is that of the looks. Use ``prior="learned"``: the bias of a fixed prior breaks the promise.
        """
        outcomes = self._admit(R)
        limits = self.support(outcomes) if is_support(bounds) else None if bounds is None else check_bounds(bounds)
        chosen = UNIFORM if prior is None else prior
        if looks is not None:
            looks.check_confidence(confidence)
            warn_of_fixed_prior(self, outcomes, chosen, target)
            error = looks.tail(outcomes.mean_trials)
            return self._interval(outcomes, looks.confidence, shape, chosen, target, limits, looks, error)
        interval = self._interval(outcomes, confidence, shape, chosen, target, limits)
        if prior is None and target == "questions" and not outcomes.is_continuous:
            warn_of_prior(self, outcomes, interval)
        return interval

    def _interval(
        self,
        outcomes: OutcomeMatrix,
        confidence: float,
        shape: str | None,
        prior: PriorLike,
        target: str,
        limits: Bounds | None,
        looks: Looks | None = None,
        error: float | None = None,
    ) -> Interval:
        is_fixed = not is_learned(prior) and not outcomes.is_continuous
        if is_fixed and target == "questions" and shape in (None, "normal"):
            mu, sigma = self._estimate(outcomes, prior)
            about: dict[str, Any] = {"prior": prior, "completeness": outcomes.completeness, "looks": looks}
            return normal_interval(mu, sigma, confidence, limits, error, **about)
        ends = limits or self.support(outcomes)
        shape = shape_or_default(shape, prior, (0.0, 1.0) if outcomes.is_continuous else ends)
        posterior = self.posterior(outcomes, prior=prior, target=target)
        about = {"prior": prior, "completeness": outcomes.completeness, "target": target, "looks": looks}
        if isinstance(posterior, SkewedT):
            return posterior.interval(confidence, shape, limits, error, **about)
        if shape == "normal":
            return normal_interval(posterior.mu, posterior.sigma, confidence, limits, error, **about)
        at_bounds = self._is_at_bounds(outcomes) if target == "population" and is_learned(prior) else (False, False)
        return quantile_interval(posterior, confidence, ends, error, at_bounds, **about)

    def _is_at_bounds(self, outcomes: OutcomeMatrix) -> tuple[bool, bool]:  # noqa: ARG002 - for subclasses
        """Return whether every question scored the least possible, and whether every one scored the most."""
        return False, False

    def observed(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the metric of the recorded trials alone, which leaderboards show: the score, unless a prior enters it.

        >>> from scorio import BayesMetric
        >>> BayesMetric().observed([[1, 1, 1, 0]]), round(BayesMetric().score([[1, 1, 1, 0]]), 3)
        (0.75, 0.667)
        """
        return self.score(R, too_few=too_few)

    def _rewards_of_categories(self, outcomes: OutcomeMatrix) -> Vector | None:  # noqa: ARG002 - for rewards
        """Return the reward of each category; None for successes and failures."""
        return None

    def _admit(self, R: Any) -> OutcomeMatrix:
        """Return ``R`` as outcomes that this metric is defined for, or raise."""
        return as_outcomes(R)

    @underflow_is_zero
    def posterior(self, R: Any, *, prior: PriorLike = UNIFORM, target: str = "questions") -> Mixture:
        """Return the posterior of the metric's true value: components with weights, means and variances."""
        outcomes = self._admit(R)
        population = check_choice("target", target, TARGETS) == "population"
        if is_learned(prior):
            return self._of_population(outcomes) if population else self._calibrated(outcomes)
        if population:
            beta_prior(prior) if outcomes.has_two_categories else dirichlet_prior(prior, outcomes.n_categories)
            return between_questions(self, outcomes)
        return Mixture.single(*self._estimate(outcomes, prior))

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Return the posterior covariance with another metric on the same outcomes; ``sigma**2`` with itself."""
        if other == self:
            return self.interval(R, prior=prior).sigma ** 2
        raise TypeError(f"the covariance of {self!r} and {other!r} is not known")

    def curve(self, R: Any, ks: Iterable[int] | None = None, *, too_few: str = "raise") -> Vector:
        """Return the score for each budget in ``ks``; by default for every k up to the fewest trials of a question."""
        if self.budget is None:
            raise TypeError(f"{type(self).__name__} has no curve, because it has no budget k")
        outcomes = self._admit(R)
        check_too_few(too_few)
        metrics: list[Metric] = [type(self)(**self.get_params() | {"k": k}) for k in budgets_of(outcomes, ks)]
        return np.array([metric.score(outcomes, too_few=too_few) for metric in metrics])

    # The posterior of the mean over questions.

    def _estimate(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        """Return the posterior mean and standard deviation under a prior that is not learned."""
        mean, variance = self.moments(outcomes, prior=prior)
        return float(np.mean(mean)), _root_of_sum(np.sqrt(variance)) / len(mean)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        """Return the posterior under the prior learned from the outcomes."""
        weight, at_nodes = self._at_nodes(outcomes)
        count = outcomes.n_questions
        mean = np.array([float(each.mean.mean()) for each in at_nodes])
        return Mixture(weight, mean, np.array([float(each.variance.sum()) / count**2 for each in at_nodes]))

    def _of_population(self, outcomes: OutcomeMatrix) -> Mixture:
        """Return the posterior of these questions, widened by what another draw of questions would change."""
        mine = self._calibrated(outcomes)
        mean, variance = self._learned_moments(outcomes)
        spread = clustered(mean, groups(outcomes)) + float(variance.sum()) / len(mean) ** 2
        return Mixture(mine.weight, mine.mean, mine.variance + spread)

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        """Return the mean and variance of each question's value under the learned prior."""
        weight, at_nodes = self._at_nodes(outcomes)
        mean, variance = (weight @ np.array(part) for part in zip(*at_nodes, strict=True))
        between = weight @ (np.array([each.mean for each in at_nodes]) - mean) ** 2
        return Moments(mean, variance + between)

    def without_each(self, outcomes: OutcomeMatrix, group: Indices) -> Vector:
        """Return the score without each group of questions, numbered 0, 1, ..; (groups,)."""
        return np.array([self.score(outcomes.select(group != each)) for each in range(int(group.max()) + 1)])

    def _at_nodes(self, outcomes: OutcomeMatrix) -> tuple[Vector, list[Moments]]:
        """Return the moments at the nodes of a learned Beta: point masses have no pseudo-counts to pass on."""
        prior = learn(outcomes.with_prior_counts._states, point_masses=False, grid=False)
        return prior.weight, [self.moments(outcomes, prior=pair) for pair in beta_priors(prior)]

    # Text, parameters and copies.

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Return the metric that a short text names: ``"pass@8"``, ``"gpass@8:tau=.5"``, ``"bayes:w=0,.5,1"``.

        Registered classes and entry points ``scorio.metrics`` are known.

        >>> Metric.from_string("gpass@8:tau=.5"), Metric.from_string("accuracy")
        (GPassTau(k=8, tau=0.5), AvgMetric(weights=None))
        """
        metric = parse(text, Metric)
        if not isinstance(metric, cls):
            raise ParameterError(f"{text!r} is a {type(metric).__name__}, not a {cls.__name__}")
        return metric

    def __str__(self) -> str:
        return spell(self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - the name scikit-learn passes
        """Return the fields by name, as scikit-learn's ``clone`` needs them."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.get_params())


def _rebuild(metric: type[Metric], params: dict[str, Any]) -> Metric:
    return metric(**params)


def _root_of_sum(sd: Vector) -> float:
    """Return ``sqrt(sum sd^2)``, scaled so that squares do not underflow."""
    scale = float(sd.max())
    return 0.0 if scale == 0.0 else scale * float(np.sqrt(np.sum((sd / scale) ** 2)))
