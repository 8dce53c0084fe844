"""What a comparison of two models can show, before any trial was run.

For these questions, only trials are random: ``sigma^2 = (E[noise_A] + E[noise_B]) / n``, where the noise of a question
is the variance of its value over draws of its trials. For the population, the spread between questions is added:
``Var[V_A] + Var[V_B] - 2 rho sd[V_A] sd[V_B]`` for paired questions, and the same without the last term for unpaired
ones. Single trials of the same questions are compared by Student's t of their paired differences
(``comparison/_few_trials``), whose variance has the spread of paired questions for both targets. Expectations are over
the profile of difficulties. The power is that of the two-sided test at ``1 - confidence``.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import Vector, cached_property, underflow_is_zero
from .._base.choices import PROFILES, TARGETS
from .._base.exports import Exports, Record
from .._base.numbers import number, percent, trials_each
from .._base.special import betaincinv, binomial, ndtr, ndtri
from .._base.table import Field
from .._base.words import SUBJECT
from ..errors import OutcomeError, ParameterError
from ..inference._level import Level
from ..metrics import BayesMetric, Metric, PassAtK
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix
from ..params import check_fields, count, one_of, open_unit, param, positive
from ._expected import fewest

_POINTS = 400
# The shares of questions that are never and always solved, and the Beta distribution of the others.
_NAMED: Mapping[str, tuple[float, float, float, float]] = MappingProxyType(
    {"typical": (0.10, 0.15, 0.8, 0.6), "hard": (0.35, 0.0, 0.5, 2.0), "two-sided": (0.30, 0.30, 1.0, 1.0)}
)
_GRID = (np.arange(_POINTS) + 0.5) / _POINTS
_MOST = 10_000_000  # questions
_ROUNDS = 50
_MOST_TRIALS = 1_000


def questions_to_tell(sd: float, difference: float, power: float, critical: Callable[[int], float]) -> int:
    """Return the number of questions from which a difference is called with this power.

    ``sd`` is the standard deviation of a question's difference, and ``critical`` says how many standard errors from
    zero a difference of so many questions is called.
    """
    margin, count = float(ndtri(open_unit("power", power))), 2
    for _ in range(_ROUNDS):
        needed = min(max(math.ceil((sd * (critical(count) + margin) / difference) ** 2), 2), _MOST)
        if needed == count:
            break
        count = needed
    return count


def _first(is_enough: Callable[[float], bool], most: float, halvings: int) -> float:
    low, high = 0.0, most
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Design(Record):
    """A comparison that is planned: two models on ``n_questions`` questions with ``n_trials`` trials each.

    ``profile`` says how difficult the questions are: ``"typical"``, ``"hard"`` (a third never solved, the others
    rarely) or ``"two-sided"`` (30% never, 30% always solved).
    ``correlation`` is that of the two models' true values over questions; it counts for ``paired`` questions, with
    ``target="population"`` and with one trial per question.

    >>> design = Design(n_questions=200, n_trials=4)
    >>> print(design)
    200 questions x 4 trials, pass@1 for these questions: a difference of 0.046 is detected with power 0.8
    >>> round(design.power(0.05), 2), design.questions_for(0.03)
    (0.86, 471)
    """

    n_questions: int = param(count)
    n_trials: int = param(count)
    metric: Metric | str = "pass@1"
    profile: str = param(one_of(PROFILES), default="typical")
    correlation: float = 0.7
    target: str = param(one_of(TARGETS), default="questions")
    paired: bool = True
    confidence: float = param(open_unit, default=0.95)
    _rates: Vector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        metric = as_metric(self.metric)
        if isinstance(metric, BayesMetric) and metric.weights is None:
            metric = PassAtK(1)
        object.__setattr__(self, "metric", metric)
        check_fields(self)
        never, always, alpha, beta = _NAMED[self.profile]
        inner = np.clip((_GRID - never) / (1.0 - never - always), 0.0, 1.0)
        with np.errstate(under="ignore"):
            object.__setattr__(self, "_rates", np.asarray(betaincinv(alpha, beta, inner)))
        if not -1.0 <= self.correlation <= 1.0:
            raise ParameterError(f"must be between -1 and 1; got {self.correlation}", argument="correlation")
        if not metric.is_mean_over_questions or metric.takes_rewards:
            hint = "use a metric of binary outcomes, such as pass@4"
            raise OutcomeError(f"{metric} has no plan without a pilot", hint=hint)
        if self.n_trials < metric.required_trials:
            raise ParameterError(f"must be at least {metric.required_trials} for {metric}", argument="n_trials")
        if self.n_questions < 2:
            raise ParameterError("must be at least 2", argument="n_questions")

    @property
    def _metric(self) -> Metric:
        return as_metric(self.metric)

    def __str__(self) -> str:
        how = "" if self.target == "questions" else ", paired" if self.paired else ", unpaired"
        about = f"{self.metric} for {SUBJECT[self.target]}{how}"
        least = f"a difference of {number(self.detectable())} is detected with power 0.8"
        return f"{self.n_questions:,} questions x {self.n_trials} trials, {about}: {least}"

    @underflow_is_zero
    def sigma(self, difference: float = 0.0) -> float:
        """Return the standard error of the estimated difference, if the models differ by this much."""
        other = self._rates if difference == 0.0 else self._rates_of_better(abs(difference))
        (one, noise), (two, other_noise) = (
            self._values_and_noise(rates, self.n_trials) for rates in (self._rates, other)
        )
        variance = float(np.mean(noise) + np.mean(other_noise))
        if self.target == "population" or self._is_paired_by_trial:
            shared = self.correlation * float(one.std() * two.std()) if self.paired else 0.0
            variance += float(one.var() + two.var()) - 2.0 * shared
        return math.sqrt(variance / self.n_questions)

    def power(self, difference: float) -> float:
        """Return the probability that two models with this true difference are called different."""
        gap, sigma, threshold = abs(float(difference)), self.sigma(difference), self._critical(self.n_questions)
        if sigma == 0.0:
            return 1.0 if gap else 0.0
        return float(ndtr(gap / sigma - threshold) + ndtr(-gap / sigma - threshold))

    def detectable(self, power: float = 0.8) -> float:
        """Return the smallest difference that is detected with this power; NaN if none is."""
        open_unit("power", power)
        most = 1.0 - self._mean_value(self._rates)
        least = _first(lambda gap: not self.is_possible(gap) or self.power(gap) >= power, most, 30)
        return least if self.is_possible(least) and self.power(least) >= power else math.nan

    def questions_for(self, difference: float, power: float = 0.8) -> int:
        """Return the number of questions with which this difference is detected with this power."""
        gap = positive("difference", difference)
        return questions_to_tell(self.sigma(gap) * math.sqrt(self.n_questions), gap, power, self._critical)

    def trials_for(self, difference: float, power: float = 0.8) -> int | None:
        """Return the number of trials of each question with which this difference is detected with this power.

        None if 1,000 are too few, as for the population, whose questions are too few then.

        >>> Design(30, 4).trials_for(0.1), Design(30, 4, target="population").trials_for(0.1)
        (6, None)
        """
        gap, least = positive("difference", difference), self._metric.required_trials
        open_unit("power", power)
        more = fewest(lambda more: replace(self, n_trials=least + more).power(gap) >= power, _MOST_TRIALS - least)
        return None if more is None else least + more

    def is_possible(self, difference: float) -> bool:
        """Return whether a model can be better by this difference."""
        return difference < self._best_difference

    @cached_property
    def _best_difference(self) -> float:
        """How much better a model can be: it solves every question that is ever solved."""
        return self._mean_value(np.where(self._rates > 0.0, 1.0, 0.0)) - self._mean_value(self._rates)

    def _rates_of_better(self, difference: float) -> Vector:
        """Return the rates of a model that is better by this difference: ``p^c``, which keeps 0 and 1."""
        rates, most = self._rates, self._best_difference
        if difference >= most:
            problem = f"is {difference:g}, but with these difficulties no model can be better by more than {most:.3f}"
            raise ParameterError(problem, argument="difference")
        wanted = self._mean_value(rates) + difference
        power = _first(lambda power: self._mean_value(rates ** np.exp(-power)) >= wanted, 20.0, 50)
        return np.asarray(rates ** np.exp(-power))

    def _mean_value(self, rates: Vector) -> float:
        least = self._metric.required_trials  # the true values do not depend on the number of trials
        return float(self._values_and_noise(rates, least)[0].mean())

    def _values_and_noise(self, rates: Vector, n_trials: int) -> tuple[Vector, Vector]:
        """Return the true value at each rate, and the variance of its estimate from so many trials of a question."""
        counts = OutcomeMatrix.from_counts(np.arange(n_trials + 1), n_trials)
        worth = np.asarray(self._metric.per_question(counts))  # of a question, by the number of its successes
        chance = binomial(np.arange(n_trials + 1), n_trials, rates[:, None])
        value = chance @ worth
        return value, np.maximum(chance @ worth**2 - value**2, 0.0)

    def _critical(self, n_questions: int) -> float:
        """Return how many standard errors from zero a difference on so many questions is called."""
        is_student = self.paired if self.target == "population" else self._is_paired_by_trial
        return Level(self.confidence).critical(n_questions - 1.0 if is_student else math.inf)

    @property
    def _is_paired_by_trial(self) -> bool:
        """Whether the models are compared on these questions by the paired differences of single trials."""
        return self.target == "questions" and self.paired and self.n_trials == 1


_SUBJECT = {"questions": "these questions", "population": "population"}


@dataclass(frozen=True)
class Designs(Exports):
    """Designs of one comparison by several metrics, with the power and questions for a ``difference`` if one is given.

    ``goal`` is the power with which a difference counts as detected.
    """

    designs: tuple[Design, ...]
    goal: float = 0.8
    difference: float | None = None
    _rows_alone: ClassVar = True
    _columns: ClassVar = (
        Field("metric", of="metric"),
        Field("about", of="target", form=_SUBJECT.__getitem__),
        Field("detectable difference", True, "detectable", number),
        Field("power at {0.difference:g}", True, "power", number, unless=None),
        Field("questions needed", True, "questions_needed", "{:,}".format, unless=None),
        Field("trials needed", True, "trials_needed", "{:,}".format, unless=None),
    )

    @property
    def as_title(self) -> str:
        first = self.designs[0]
        each = trials_each(first.n_trials, first.n_trials)
        return f"two models on {first.n_questions:,} questions, {each}, {first.profile} difficulties"

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """A record for each design: what it shows, with the power and the questions for a given difference."""
        return tuple(map(self._row, self.designs))

    def _row(self, design: Design) -> dict[str, Any]:
        gap = self.difference
        shown = design.to_dict() | {"detectable": design.detectable(self.goal)}
        if gap is None:
            return shown
        needed = {
            "questions_needed": design.questions_for(gap, self.goal),
            "trials_needed": design.trials_for(gap, self.goal),
        }
        return shown | {"difference": gap, "power": design.power(gap), **needed}

    def as_sentence(self) -> str:
        first = self.designs[0]
        least = f"{first.metric}: a difference of {number(first.detectable(self.goal))} on {SUBJECT[first.target]}"
        return f"{least} is detected with power {self.goal:g}"

    def _notes(self) -> list[str]:
        first = self.designs[0]
        paired = f"paired with correlation {first.correlation:g}" if first.paired else "unpaired"
        at = f"power {self.goal:g} at {percent(first.confidence)} confidence"
        few = f"-: {_MOST_TRIALS:,} trials of each question are too few, so more questions are needed"
        is_few = any(row.get("trials_needed", 0) is None for row in self.rows)
        return [f"detected with {at}; for the population, {paired}", *([few] if is_few else [])]


def plan_designs(
    metrics: Sequence[Any],
    n_questions: int,
    n_trials: int,
    *,
    profile: str = "typical",
    difference: float | None = None,
    power: float = 0.8,
    **options: Any,
) -> Designs:
    """Return what a comparison of two models will show by each metric, about these questions and the population.

    ``options`` are the other arguments of ``Design``.

    >>> found = plan_designs(["pass@1"], 100, 4, difference=0.1)
    >>> [row["target"] for row in found.to_dict()["rows"]]
    ['questions', 'population']
    """
    about: dict[str, Any] = {"profile": profile, **options}
    designs = [
        Design(n_questions, n_trials, metric, target=target, **about) for metric in metrics for target in TARGETS
    ]
    return Designs(tuple(designs), power, difference)
