"""What every metric is: a frozen object with a score, an interval, covariances and a curve."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError, ParameterError
from ..hierarchy import learn
from ..interval import (
    METHODS,
    TARGETS,
    Bounds,
    BoundsLike,
    Interval,
    check_bounds,
    check_choice,
    is_range,
    normal_interval,
    quantile_interval,
)
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import budget, check_fields
from ..prior import UNIFORM, PriorLike, beta_prior, dirichlet_prior, is_learnt
from .naming import parse, spell
from .population import between_questions, clustered, groups

Vector = NDArray[np.float64]
SHORT = ("raise", "omit", "nan")


class Moments(NamedTuple):
    """Posterior mean and variance of each question's value."""

    mean: Vector
    variance: Vector


@dataclass(frozen=True)
class Metric(ABC):
    """A number for a bank of questions, with its posterior.

    A subclass gives ``per_question`` and ``moments``, and the score is the mean over questions; fields declared with
    ``param`` are checked when the object is made.
    """

    name: ClassVar[str] = ""
    aliases: ClassVar[Mapping[str, str]] = {}
    additive: ClassVar[bool] = True  # whether the score is the mean over questions

    def __post_init__(self) -> None:
        check_fields(self)

    # What a subclass says.

    @abstractmethod
    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The score of each question alone, (M,); ``short`` as for ``score``, but NaN only where it applies."""

    @abstractmethod
    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Posterior mean and variance of each question alone, (M,) each."""

    @property
    def needs(self) -> int:
        """The fewest trials of a question that a score needs."""
        return 1

    def range(self, R: Any) -> Bounds:  # noqa: ARG002 - a subclass may look at R
        """The smallest and the largest value the metric can take."""
        return (0.0, 1.0)

    # What follows from it.

    def score(self, R: Any, *, short: str = "raise") -> float:
        """The metric of the trials as they are: the mean over questions.

        Questions with too few trials: ``short="raise"`` names them, ``"omit"`` leaves them out, ``"nan"`` gives NaN.
        """
        return float(np.mean(self.per_question(R, short=short)))

    def interval(
        self,
        R: Any,
        confidence: float = 0.95,
        *,
        method: str = "normal",
        prior: PriorLike = UNIFORM,
        target: str = "questions",
        bounds: BoundsLike = "range",
    ) -> Interval:
        """Posterior mean and standard deviation of the metric's latent value, and an interval.

        ``prior="eb"`` learns from the bank which difficulties its questions share: use it with ``method="quantile"``
        for an interval that covers. The default prior, uniform on [0, 1], is the published one; where real difficulties
        crowd at 0 and 1 and trials are few, it pulls the mean towards the middle, more questions do not undo that, and
        a 95% interval can cover the truth hardly ever.

        ``method`` is ``"normal"``, ``mu -+ z sigma`` clipped to ``bounds`` (None: not clipped), or ``"quantile"``,
        equal-tailed inside them. ``target`` is these ``"questions"`` or the ``"population"`` they were drawn from, by
        whole clusters where the outcomes have clusters; without ``"eb"`` that is the spread between questions as an
        effective number of Bernoulli draws, with Jeffreys' prior.
        """
        bank = self._admit(R)
        limits = self.range(bank) if is_range(bounds) else None if bounds is None else check_bounds(bounds)
        if method == "normal" and target == "questions" and not is_learnt(prior):
            mu, sigma = self._estimate(bank, prior)
            return normal_interval(mu, sigma, confidence, limits, prior=prior, coverage=bank.coverage)
        check_choice("method", method, METHODS)
        posterior = self.posterior(bank, prior=prior, target=target)
        about: dict[str, Any] = {"prior": prior, "coverage": bank.coverage, "target": target}
        if method == "normal":
            return normal_interval(posterior.mu, posterior.sigma, confidence, limits, **about)
        return quantile_interval(posterior, confidence, limits or self.range(bank), **about)

    def _admit(self, R: Any) -> OutcomeMatrix:
        """The outcomes, if this metric can judge them."""
        return as_outcomes(R)

    def posterior(self, R: Any, *, prior: PriorLike = UNIFORM, target: str = "questions") -> Mixture:
        """What is known of the latent value: components with weights, means and variances."""
        bank = self._admit(R)
        population = check_choice("target", target, TARGETS) == "population"
        if is_learnt(prior):
            return self._of_population(bank) if population else self._calibrated(bank)
        if population:
            beta_prior(prior) if bank.is_binary else dirichlet_prior(prior, bank.n_categories)
            return between_questions(self, bank)
        return Mixture.single(*self._estimate(bank, prior))

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Posterior covariance of this metric and another on the same outcomes; ``sigma**2`` with itself."""
        if other == self:
            return self.interval(R, prior=prior).sigma ** 2
        raise TypeError(f"no joint posterior is known of {self!r} and {other!r}")

    def curve(self, R: Any, ks: Iterable[int] | None = None, *, short: str = "raise") -> Vector:
        """The score for each budget in ``ks``; every k up to the fewest trials of a question if left out."""
        if not hasattr(self, "k"):
            raise TypeError(f"{type(self).__name__} has no budget k: it has no curve")
        bank = self._admit(R)
        budgets = self._budgets(bank, ks)
        check_short(short)
        of_budget: list[Metric] = [type(self)(**self.get_params() | {"k": k}) for k in budgets]
        return np.array([metric.score(bank, short=short) for metric in of_budget])

    # How the posterior of the mean comes about.

    def _estimate(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        """Posterior mean and standard deviation under a fixed prior."""
        mean, variance = self.moments(bank, prior=prior)
        return float(np.mean(mean)), _root_of_sum(np.sqrt(variance)) / len(mean)

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        """The posterior under the prior learnt from the bank."""
        weight, found = self._at_nodes(bank)
        count = bank.n_questions
        mean = np.array([float(each.mean.mean()) for each in found])
        return Mixture(weight, mean, np.array([float(each.variance.sum()) / count**2 for each in found]))

    def _of_population(self, bank: OutcomeMatrix) -> Mixture:
        """The posterior of the questions at hand, widened by what another draw of questions would change."""
        mine = self._calibrated(bank)
        mean, variance = self._learnt_moments(bank)
        spread = clustered(mean, groups(bank)) + float(variance.sum()) / len(mean) ** 2
        return Mixture(mine.weight, mine.mean, mine.variance + spread)

    def _learnt_moments(self, bank: OutcomeMatrix) -> Moments:
        """Mean and variance of each question's value under the learnt prior."""
        weight, found = self._at_nodes(bank)
        mean, variance = (weight @ np.array(part) for part in zip(*found, strict=True))
        between = weight @ (np.array([each.mean for each in found]) - mean) ** 2
        return Moments(mean, variance + between)

    def without_each(self, bank: OutcomeMatrix, group: NDArray[np.intp]) -> Vector:
        """The score without each group of questions, numbered 0, 1, ..; (groups,)."""
        return np.array([self.score(bank.select(group != each)) for each in range(int(group.max()) + 1)])

    def _at_nodes(self, bank: OutcomeMatrix) -> tuple[Vector, list[Moments]]:
        """Moments at the nodes of a learnt Beta: point masses have no pseudo-counts to pass on."""
        branch = learn(bank.informed.states, spikes=False).branches[0]
        return branch.weight[:, 0], [self.moments(bank, prior=pair) for pair in branch.priors]

    # What surrounds it.

    @classmethod
    def from_string(cls, text: str) -> Metric:
        """The metric that a short text names: ``"pass@8"``, ``"gpass@8:tau=.5"``, ``"bayes:w=0,.5,1"``.

        >>> Metric.from_string("gpass@8:tau=.5")
        GPassTau(k=8, tau=0.5)
        """
        from .registry import METRICS

        metric = parse(text, METRICS)
        if not isinstance(metric, cls):
            raise ParameterError(f"{text!r} is a {type(metric).__name__}, not a {cls.__name__}")
        return metric

    def __str__(self) -> str:
        return spell(self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - the name scikit-learn passes
        """The fields by name, as scikit-learn's ``clone`` asks for them."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.get_params())

    # What subclasses in this package share.

    @staticmethod
    def _budgets(bank: OutcomeMatrix, ks: Iterable[int] | None) -> list[int]:
        if ks is None:
            return list(range(1, bank.min_trials + 1))
        if not np.iterable(ks):
            raise ParameterError(f"ks must be a list of budgets k; got {ks!r}")
        return [budget("k", k) for k in ks]

    def _long_enough(self, bank: OutcomeMatrix, short: str) -> OutcomeMatrix | None:
        """The questions with enough trials; None where there are others and ``short`` is ``"nan"``."""
        check_short(short)
        if bank.min_trials >= self.needs:
            return bank
        if short == "nan":
            return None
        if short == "raise":
            raise OutcomeError(self._short_message(bank))
        keep = bank.trials >= self.needs
        if not keep.any():
            raise OutcomeError(f"no question has the {self.needs} trials that {self} needs")
        return bank.select(keep)

    def _short_message(self, bank: OutcomeMatrix) -> str:
        limit = f"k must satisfy 1 <= k <= N (N={bank.min_trials}); got k={self.needs}"
        if not hasattr(self, "k"):
            limit = f"{self} needs {self.needs} trial of every question"
        if bank.min_trials == bank.max_trials:
            return limit
        short = np.flatnonzero(bank.trials < self.needs)
        named = ", ".join(repr(bank.questions[a]) if bank.questions else str(a) for a in short[:5])
        more = f" and {len(short) - 5} more" if len(short) > 5 else ""
        return f'{limit}: too few trials in question {named}{more} (short="omit" leaves them out)'

    def _spread(self, bank: OutcomeMatrix, short: str, values: Callable[[OutcomeMatrix], Vector]) -> Vector:
        """``values(bank)`` of the questions with enough trials; with ``short="nan"``, NaN at the others."""
        enough = self._long_enough(bank, short)
        if enough is not None:
            return values(enough)
        out = np.full(bank.n_questions, np.nan)
        keep = bank.trials >= self.needs
        if keep.any():
            out[keep] = values(bank.select(keep))
        return out


def check_short(short: str) -> None:
    """Raise a ParameterError unless ``short`` is a way with questions of too few trials."""
    if short not in SHORT:
        raise ParameterError(f"short must be one of {SHORT}; got {short!r}")


def _rebuild(metric: type[Metric], params: dict[str, Any]) -> Metric:
    return metric(**params)


def _root_of_sum(sd: Vector) -> float:
    """``sqrt(sum sd^2)``, scaled so that squares do not vanish."""
    scale = float(sd.max())
    return 0.0 if scale == 0.0 else scale * float(np.sqrt(np.sum((sd / scale) ** 2)))
