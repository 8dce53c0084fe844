"""What every metric is: a frozen object with a score, an interval, covariances and a curve."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, Unpack

import numpy as np

from .._base.arrays import Indices, Vector, underflow_is_zero
from .._base.choices import AUTO, LEARNED, RANDOM, TARGETS, UNIFORM
from .._base.options import accepted, takes
from ..errors import OutcomeError, ParameterError, without_exit
from ..inference import Interval, Looks, Mixture, Prior
from ..inference._interval import Bounds, BoundsLike, within
from ..inference._law import SkewedT
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior, beta_priors, learn
from ..inference._terms import EstimateOptions, LookOptions, Terms
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import check_fields, choice
from ._checks import (
    PUBLISHED,
    budgets_of,
    warn_of_biased_interval,
    warn_of_contradiction,
    warn_of_fixed_prior,
    warn_of_trials,
)
from ._names import parse, register, spell
from ._runs import noise_of_runs
from ._shapes import (
    NO_REACH,
    Request,
    binomial_interval,
    left_open,
    limits_of,
    normal_interval,
    profile_interval,
    quantile_interval,
    range_of_fits,
    shape_or_default,
    students_interval,
    widened,
)
from ._shared_prior import between_questions, check_clusters, clustered, for_few_clusters, groups, share_beyond
from ._worth import Worth, covariance

if TYPE_CHECKING:
    from ._worth import CovarianceTerms


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

    **Hooks for authors.** Methods: ``per_question`` and ``moments``, or ``credit`` of a ``CountMetric``; ``support``,
    the range, if it is not 0 to 1. Class attributes: ``name``; ``aliases``, further names; ``parameter_aliases``,
    further names of fields; ``required_trials``, how many trials of each question a score needs (``k``, or 1);
    ``is_mean_over_questions = False`` where the score is not that mean; ``takes_rewards = True`` where categories have
    rewards.
    """

    name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()  # further names
    parameter_aliases: ClassVar[Mapping[str, str]] = {}  # further names of fields: {"w": "weights"}
    is_mean_over_questions: ClassVar[bool] = True  # whether the score is the mean over questions
    takes_rewards: ClassVar[bool] = False  # whether categories have rewards, not only successes and failures
    is_of_samples: ClassVar[bool] = False  # whether it looks at the answers or scores of trials, not only at counts
    _has_biased_score: ClassVar[bool] = False  # whether its bias stays however many questions there are
    _estimate_ignores_prior: ClassVar[bool] = False  # whether the interval is around the raw mean, whatever the prior
    _default_prior: ClassVar[str] = LEARNED
    _trend: ClassVar[int] = 0  # 1 if the true value of a question never falls as k grows, -1 if it never rises, else 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:  # its own: that of a dataclass is made later
            raise TypeError(
                f"{cls.__name__} defines __init__, but a metric's parameters are fields, which copies and names read: "
                "declare each, as in k: int = param(count), decorate the class with @dataclass(frozen=True), and "
                "prepare anything else in a cached_property"
            )
        cls.name, cls.aliases = cls.__dict__.get("name", ""), cls.__dict__.get("aliases", ())
        if cls.name:
            register(cls)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:  # a user's metric: an exit in it is an error
            for name, method in [*cls.__dict__.items()]:
                if isinstance(method, FunctionType):
                    setattr(cls, name, without_exit(method))

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
        """The number of trials that the score needs of each question: ``k``, or 1 without it."""
        return getattr(self, "k", 1)

    @property
    def draw_size(self) -> int | None:
        """The field ``k``, the number of trials in a draw; None for a metric without one."""
        return getattr(self, "k", None)

    def is_success_rate(self, models: Iterable[OutcomeMatrix]) -> bool:
        """Return whether the metric of these models is about the success rates of single trials."""
        is_of_one_trial = self.is_mean_over_questions and self.required_trials <= 1 and not self.is_of_samples
        return is_of_one_trial and all(model.is_pass_fail for model in models)

    def support(self, R: Any) -> Bounds:  # noqa: ARG002 - a subclass may look at R
        """Return the smallest and the largest possible value of the metric."""
        return (0.0, 1.0)

    # Derived from these.

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the metric of the recorded trials: the mean over questions.

        If a question has too few trials, ``too_few="raise"`` raises an error that names it, ``"omit"`` omits the
        question, and ``"nan"`` returns NaN.
        """
        return mean_of(self.per_question(R, too_few=too_few))

    @takes(LookOptions, Terms)
    def interval(
        self,
        R: Any,
        confidence: float = 0.95,
        *,
        shape: str | None = None,
        prior: PriorLike | None = None,
        target: str = "questions",
        bounds: BoundsLike = "support",
        **options: Unpack[LookOptions],
    ) -> Interval:
        """Return the posterior mean and standard deviation of the metric's true value, and an interval for it.

        By default the prior is ``"learned"``: how the success rates of questions are distributed is learned from the
        outcomes, and intervals have about their nominal coverage. ``prior="uniform"`` gives the published definitions,
        those of ``scorio.eval``. With few trials per question, and many questions that are very easy or very hard, that
        prior biases the mean towards the middle, however many questions there are, and a 95% interval may rarely
        contain the true value. ``BayesMetric`` is a published definition together with its prior, which is therefore
        its default, without a warning; ``AvgMetric`` is the mean that learns.

        ``shape="normal"`` is ``mu -+ z sigma``, clipped to ``bounds`` (None: not clipped); ``"quantile"`` has equal
        tails inside the bounds. ``"binomial"``, for Pass@1 and means of binary outcomes, takes all trials as draws of
        one rate: these questions vary less, whatever their difficulties, which one trial of each does not show.
        ``"profile"``, for metrics of a number of successes, reaches to the least and the largest value of all
        distributions of difficulties that fit the outcomes, which matters for ``k`` above the number of trials. By
        default, the shape is ``"quantile"`` for a learned prior where the bounds are finite, ``"normal"``
        otherwise. Under a learned prior, what the trials leave open of a metric that needs more of them than there are
        widens it: both ends go from these to those of ``"profile"``, by the share ``log(k/N) / log 4``, and single
        trials leave all of it open. ``target="questions"`` is about the questions at hand, ``"population"`` about
        those that they, or their clusters, are a sample of. For these, a prior that is not learned is replaced: the
        variance between questions becomes a number of Bernoulli draws, with Jeffreys' prior.

        Continuous rewards always have the learned prior. Their ``"normal"`` interval is Student's, and the
        ``"quantile"`` interval reaches further on the side where rewards have the longer tail.

        ``runs="independent"`` takes all trials as independent. ``"random"``, for outcomes that know which run each
        trial belongs to, is about runs like these: how much they differ is learned from them, at least two. ``"auto"``
        is ``"independent"`` with a ``RunsWarning`` if runs differ by more than trials explain (1 in 100 wrongly).

        With ``looks`` the interval, whose confidence is theirs, stays valid at every look at the trials so far. The
        bias of a fixed prior breaks the promise.
        """
        outcomes = self.admit(R)
        looks, runs = None, AUTO
        if options:
            accepted(options, Metric.interval)
            looks, runs = options.get("looks"), options.get("runs", AUTO)
        in_runs = None
        if runs != AUTO or outcomes.runs is not None:
            in_runs, outcomes = outcomes, outcomes.without_runs
        limits = limits_of(bounds, self.support, outcomes)
        chosen = self._prior_of(outcomes) if prior is None else prior
        if looks is not None:
            Terms(confidence=confidence, looks=looks)  # checks both
        level = Level(confidence) if looks is None else looks.level(outcomes.mean_trials)
        interval = self._interval(outcomes, Request(level, chosen, target, shape, limits, looks))
        self._warn_of_interval(outcomes, interval, chosen)
        noise = None if in_runs is None else noise_of_runs(self, in_runs, runs)
        interval = interval if noise is None else noise.widened(interval, level, runs=RANDOM)
        interval.__dict__["measured"] = self, outcomes.n_questions, outcomes.min_trials, outcomes.max_trials
        return interval

    def interval_at(
        self, outcomes: OutcomeMatrix, level: Level, *, prior: PriorLike, shape: str, target: str
    ) -> Interval:
        """Return the interval at a level, such as that of one of many looks at several models."""
        admitted = self.admit(outcomes)
        return self._interval(admitted, Request(level, prior, target, shape, self.support(admitted)))

    def measured(
        self, models: Mapping[str, OutcomeMatrix], confidence: float, *, too_few: str, **options: Any
    ) -> list[tuple[float, Interval]]:
        """Return the score and the interval of each model, whose trials are independent; an error names the model.

        ``options`` are those of ``interval``.
        """
        values = []
        for name, outcomes in models.items():
            try:
                score = self.score(outcomes, too_few=too_few)
                values.append((score, self.interval(outcomes.without_runs, confidence, **options)))
            except OutcomeError as error:
                raise error.at(name) from None
        return values

    @takes(EstimateOptions, Terms)
    def estimate(self, R: Any, *, task: str = "", model: str = "", **options: Unpack[EstimateOptions]) -> Any:
        """Return the score as an ``Estimate``, which adds, subtracts and compares with others.

        ``task`` and ``model`` are names: the values of one model on several tasks belong together, and estimates of
        two tasks share no questions. The other arguments are those of ``interval``.

        >>> from scorio import PassAtK
        >>> print(PassAtK(1).estimate([[1, 1, 0, 1], [1, 1, 1, 1]]) - 0.5)
        +0.337 [+0.046, +0.489], P(above 0) = 0.988, for these questions (confidence 0.95)
        """
        terms = Terms(**accepted(options, Metric.estimate))
        made = import_module("scorio.estimates._family")  # which stands above
        return made.of_model(self, R, terms, model, task)

    def _warn_of_interval(self, outcomes: OutcomeMatrix, interval: Interval, prior: PriorLike) -> None:
        """Warn where outcomes contradict what an interval assumes, or where they cannot tell what it says."""
        if interval.looks is not None:
            warn_of_fixed_prior(self, outcomes, prior, interval.target)
        if not outcomes.is_continuous and as_prior(prior).is_learned:
            warn_of_trials(outcomes, interval.target)
        elif self._has_biased_score:
            warn_of_biased_interval(self, outcomes, interval)

    def check_looks(self, looks: Looks | None) -> None:  # noqa: B027 - most metrics have looks
        """Raise a ParameterError if no statement about the metric stays valid at every look."""

    def _prior_of(self, outcomes: OutcomeMatrix) -> str:
        return LEARNED if outcomes.is_continuous else self._default_prior

    def published(
        self, R: Any, confidence: float = 0.95, bounds: BoundsLike = None, prior: PriorLike = PUBLISHED
    ) -> Interval:
        """Return the interval of the published definition; warn where outcomes contradict its uniform prior."""
        outcomes = self.admit(R)
        limits = limits_of(bounds, self.support, outcomes)
        interval = self._interval(outcomes, Request(Level(confidence), prior, "questions", None, limits))
        if prior == PUBLISHED and not outcomes.is_continuous:
            warn_of_contradiction(self, outcomes)
        return interval

    def _interval(self, outcomes: OutcomeMatrix, request: Request) -> Interval:
        level, prior, target, shape, _, _ = request
        assumed, completeness = as_prior(prior), outcomes.completeness
        has_given_prior = target == "questions" and not (assumed.is_learned or outcomes.is_continuous)
        if has_given_prior and shape in (None, "normal"):
            return normal_interval(*self._estimate(outcomes, assumed), request, completeness)
        if shape == "binomial":
            return binomial_interval(self, outcomes, request, completeness=completeness)
        is_single = outcomes.max_trials == 1 and assumed.is_learned and not outcomes.is_continuous
        may_be_open = assumed.is_learned and shape != "profile" and outcomes.min_trials < self.required_trials
        opening = left_open(self, outcomes, level, target) if may_be_open else None
        about = {"completeness": completeness, "single_trials": is_single}
        if shape == "profile" or (opening and opening.share == 1.0):
            ends = opening.ends if opening else self._range(outcomes, level, target)
            return profile_interval(self, outcomes, request, ends, **about)
        about["single_trials"] = is_single and target == "questions"
        interval = self._interval_of_posterior(outcomes, request, assumed, about)
        return interval if opening is None else widened(interval, opening, level)

    def share_left_open(self, outcomes: OutcomeMatrix) -> float:
        """Return how far the ends of an interval go towards those of the range of all that fits the outcomes.

        >>> from scorio import PassAtK
        >>> outcomes = OutcomeMatrix.from_counts([1, 5, 8], 8)
        >>> [PassAtK(k).share_left_open(outcomes) for k in (8, 16, 32, 1000)]
        [0.0, 0.5, 1.0, 1.0]
        """
        if self.required_trials <= max(1, outcomes.min_trials) or outcomes.is_continuous:
            return 0.0
        recorded = outcomes.with_prior_counts
        share = share_beyond(self.required_trials, recorded.mean_trials)
        return 1.0 if share > 0.0 and recorded.max_trials <= 1 else share

    def _range(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds | None:
        """Return the least and the largest value that fits the outcomes; None if it is not known how."""
        return range_of_fits(self, outcomes, level, target)

    @underflow_is_zero
    def _interval_of_posterior(
        self, outcomes: OutcomeMatrix, request: Request, prior: Prior, about: dict[str, Any]
    ) -> Interval:
        level, _, target, shape, limits, _ = request
        ends = limits or self.support(outcomes)
        # Student's t, for continuous rewards, needs no bounds
        shape = shape_or_default(shape, prior, (0.0, 1.0) if outcomes.is_continuous else ends)
        posterior = self.law_of(outcomes, prior, target)
        if isinstance(posterior, SkewedT):
            return students_interval(posterior, request, shape, **about)
        if shape == "normal":
            mu = within(self.support(outcomes), posterior.mean)  # rounding can leave it
            return normal_interval(mu, posterior.sd, request, **about)
        reach = self._reach(outcomes, level, target) if prior.is_learned else NO_REACH
        return quantile_interval(posterior, request, ends, reach, **about)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:  # noqa: ARG002 - for subclasses
        """Return the least and the largest value that the trials do not rule out, whatever the prior says."""
        return NO_REACH

    def observed(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the metric of the recorded trials alone, which leaderboards show: the score, unless a prior enters it.

        >>> from scorio import BayesMetric
        >>> BayesMetric().observed([[1, 1, 1, 0]]), round(BayesMetric().score([[1, 1, 1, 0]]), 3)
        (0.75, 0.667)
        """
        return self.score(R, too_few=too_few)

    def _questions_behind(self, outcomes: OutcomeMatrix) -> int | None:  # noqa: ARG002 - for blends of means
        """Return the fewest questions that a mean of which a power is taken rests on; None without such means."""
        return None

    def _exact_mean(self, outcomes: OutcomeMatrix, prior: Prior) -> float | None:  # noqa: ARG002 - for expansions
        """Return the posterior mean under a given prior where intervals have an approximation of it; else None."""
        return None

    @property
    def _worth(self) -> Worth | None:
        """What a question is worth at each success rate; None where it needs more than that rate."""
        return None

    def _rewards_of_categories(self, outcomes: OutcomeMatrix) -> Vector | None:  # noqa: ARG002 - for rewards
        """Return the reward of each category; None for successes and failures."""
        return None

    def admit(self, R: Any) -> OutcomeMatrix:
        """Return ``R`` as outcomes that this metric is defined for, or raise."""
        return as_outcomes(R)

    def posterior(
        self, R: Any, *, prior: PriorLike | None = None, target: str = "questions", runs: str = "auto"
    ) -> Mixture | SkewedT:
        """Return the law of the metric's true value that ``interval`` is made from; the arguments are those of it.

        With ``runs="random"`` it is a mixture over how much runs differ. That of continuous rewards is refused.
        """
        outcomes = self.admit(R)
        noise = noise_of_runs(self, outcomes, runs) if runs != AUTO or outcomes.runs is not None else None
        law = self.law_of(outcomes.without_runs, prior, target)
        return law if noise is None else noise.of_law(law)

    @underflow_is_zero
    def law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> Mixture | SkewedT:
        """Return the posterior, with trials as independent."""
        population = choice("target", target, TARGETS) == "population"
        assumed = as_prior(self._prior_of(outcomes) if prior is None else prior)
        if population:
            check_clusters(outcomes)
        if assumed.is_learned:
            if not population:
                return self._learned_law(outcomes, target)
            return for_few_clusters(self._learned_law(outcomes, target), outcomes, self.support(outcomes))
        if population:
            assumed.pair() if outcomes.has_two_categories else assumed.checked_counts(outcomes.n_categories)
            return for_few_clusters(between_questions(self, outcomes), outcomes, self.support(outcomes))
        return Mixture.single(*self._estimate(outcomes, assumed))

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Return the posterior covariance with another metric on the same outcomes; for blends, to first order.

        The prior is a fixed one, and unless both metrics are the same, outcomes must be binary.
        """
        return covariance(self, other, as_outcomes(R), prior)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms | None:  # noqa: ARG002 - for subclasses
        """Return the metric, for binary outcomes and to first order, as count metrics with their factors, or None."""
        return None

    def curve(self, R: Any, ks: Iterable[int] | None = None, *, too_few: str = "raise") -> Vector:
        """Return the score for each budget in ``ks``; by default for every k up to the fewest trials of a question."""
        if self.draw_size is None:
            raise TypeError(f"{type(self).__name__} has no curve, because it has no budget k")
        outcomes = self.admit(R)
        at_k: Any = partial(dataclasses.replace, self)
        return np.array([at_k(k=k).score(outcomes, too_few=too_few) for k in budgets_of(outcomes, ks)])

    # The posterior of the mean over questions.

    @underflow_is_zero
    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        mean, variance = self.moments(outcomes, prior=prior)
        return float(np.mean(mean)), _root_of_sum(np.sqrt(variance)) / len(mean)

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        """Return the posterior under the prior learned from the outcomes, of these questions or of the population."""
        weight, at_nodes = self._at_nodes(outcomes)
        count = outcomes.n_questions
        mean = np.array([float(moments.mean.mean()) for moments in at_nodes])
        law = Mixture(weight, mean, np.array([float(moments.variance.sum()) / count**2 for moments in at_nodes]))
        return law if target == "questions" else self._widened(law, outcomes)

    def _widened(self, law: Mixture, outcomes: OutcomeMatrix) -> Mixture:
        """Return the law of these questions, widened by what another draw of questions would change."""
        mean, variance = self._learned_moments(outcomes)
        spread = clustered(mean, groups(outcomes)) + float(variance.sum()) / len(mean) ** 2
        return Mixture(law.weights, law.means, law.variances + spread)

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        weight, at_nodes = self._at_nodes(outcomes)
        mean, variance = (weight @ np.array(part) for part in zip(*at_nodes, strict=True))
        between = weight @ (np.array([moments.mean for moments in at_nodes]) - mean) ** 2
        return Moments(mean, variance + between)

    def _without_each(self, outcomes: OutcomeMatrix, group: Indices) -> Vector:
        """Return the score without each group of questions, numbered 0, 1, ..; (groups,)."""
        return np.array([self.score(outcomes.select(group != number)) for number in range(int(group.max()) + 1)])

    def _at_nodes(self, outcomes: OutcomeMatrix) -> tuple[Vector, list[Moments]]:
        """Return the moments at the nodes of a learned Beta: point masses have no pseudo-counts to pass on."""
        prior = learn(outcomes.with_prior_counts.states, point_masses=False, grid=False)
        return prior.weight, [self.moments(outcomes, prior=pair) for pair in beta_priors(prior)]

    # Text, parameters and copies.

    @classmethod
    def from_string(cls, text: str) -> Self:
        """Return the metric that a short text names: ``"pass@8"``, ``"gpass@8:tau=.5"``, ``"bayes:w=0,.5,1"``.

        Registered classes and entry points ``scorio.metrics`` are known.

        >>> Metric.from_string("gpass@8:tau=.5"), Metric.from_string("accuracy")
        (GPassTau(k=8, tau=0.5), AvgMetric(weights=None))
        """
        if not isinstance(text, str):
            raise ParameterError(f"a metric's name must be text; got {text!r}")
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


def mean_of(values: Vector) -> float:
    """Return the mean of one number or more, as ``numpy.mean`` does and in a third of its time."""
    return float(np.add.reduce(values, dtype=np.float64)) / len(values)


def _rebuild(metric: type[Metric], params: dict[str, Any]) -> Metric:
    return metric(**params)


def _root_of_sum(sd: Vector) -> float:
    """Return ``sqrt(sum sd^2)``, scaled so that squares do not underflow."""
    scale = float(sd.max())
    return 0.0 if scale == 0.0 else scale * float(np.sqrt(np.sum((sd / scale) ** 2)))
