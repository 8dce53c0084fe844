"""What a comparison of two models can show, before any trial was run.

For these questions, only trials are random: ``sigma^2 = (E[noise_A] + E[noise_B]) / n``, where the noise of a question
is the variance of its value over draws of its trials. For the population, the spread between questions is added:
``Var[V_A] + Var[V_B] - 2 rho sd[V_A] sd[V_B]`` for paired questions, and the same without the last term for unpaired
ones. Single trials of the same questions are compared by Student's t of their paired differences
(``comparison/_single_trials``), whose variance is that of the noise plus ``Var[V_A - V_B]``. Expectations are over the
profile of difficulties. The power is that of the two-sided test at ``1 - confidence``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._choices import TARGETS
from .._display.exports import Exports
from .._display.numbers import number
from .._special import ndtr, ndtri, stdtrit
from ..errors import OutcomeError, ParameterError
from ..metrics import BayesMetric, Metric, PassAtK
from ..metrics._registry import as_metric
from ..params import budget, choice, open_unit, positive
from ._profile import best_difference, better_by, rates_of, values_and_noise

_MOST = 10_000_000  # questions


@dataclass(frozen=True)
class Design(Exports):
    """A comparison that is planned: two models on ``questions`` questions with ``trials`` trials each.

    ``profile`` says how difficult the questions are: ``"typical"``, ``"hard"`` (a third never solved, the others
    rarely), ``"two-sided"`` (30% never, 30% always solved), or the outcomes of a model on another benchmark.
    ``correlation`` is that of the two models' true values over questions; it counts for ``target="population"`` with
    ``paired`` questions. For these questions, pairing counts with one trial per question only.

    >>> design = Design(questions=200, trials=4)
    >>> print(design)
    200 questions x 4 trials, pass@1 for these questions: a difference of 0.046 is detected with power 0.8
    >>> round(design.power(0.05), 2), design.questions_for(0.03)
    (0.86, 471)
    """

    questions: int
    trials: int
    metric: Metric | str = "pass@1"
    profile: Any = "typical"
    correlation: float = 0.7
    target: str = "questions"
    paired: bool = True
    confidence: float = 0.95

    def __post_init__(self) -> None:
        metric = as_metric(self.metric)
        if isinstance(metric, BayesMetric) and metric.weights is None:
            metric = PassAtK(1)
        object.__setattr__(self, "metric", metric)
        budget("questions", self.questions)
        choice("target", self.target, TARGETS)
        open_unit("confidence", self.confidence)
        if not -1.0 <= self.correlation <= 1.0:
            raise ParameterError(f"must be between -1 and 1; got {self.correlation}", argument="correlation")
        if not metric.is_mean_over_questions or metric.takes_rewards:
            raise OutcomeError(
                f"{metric} has no plan without a pilot", hint="use a metric of binary outcomes, such as pass@4"
            )
        if budget("trials", self.trials) < metric.required_trials:
            raise ParameterError(f"must be at least {metric.required_trials} for {metric}", argument="trials")
        if self.questions < 2:
            raise ParameterError("must be at least 2", argument="questions")
        object.__setattr__(self, "_rates", rates_of(self.profile))

    def __str__(self) -> str:
        goal = "these questions" if self.target == "questions" else "questions like these"
        how = "" if self.target == "questions" else ", paired" if self.paired else ", unpaired"
        return (
            f"{self.questions:,} questions x {self.trials} trials, {self.metric} for {goal}{how}: a difference of "
            f"{number(self.detectable())} is detected with power 0.8"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters, ready for JSON."""
        return super().to_dict() | {"profile": self.profile if isinstance(self.profile, str) else "outcomes"}

    @underflow_is_zero
    def sigma(self, difference: float = 0.0) -> float:
        """Return the standard error of the estimated difference, if the models differ by this much."""
        metric: Any = self.metric
        rates: Any = vars(self)["_rates"]
        other = rates if difference == 0.0 else better_by(metric, rates, self.trials, abs(difference))
        (one, noise), (two, other_noise) = (values_and_noise(metric, each, self.trials) for each in (rates, other))
        variance = float(np.mean(noise) + np.mean(other_noise))
        if self.target == "population":
            shared = self.correlation * float(one.std() * two.std()) if self.paired else 0.0
            variance += float(one.var() + two.var()) - 2.0 * shared
        elif self._is_paired_by_trial:
            variance += float((two - one).var())
        return math.sqrt(variance / self.questions)

    def power(self, difference: float) -> float:
        """Return the probability that two models with this true difference are called different."""
        gap, sigma = abs(float(difference)), self.sigma(difference)
        if sigma == 0.0:
            return 1.0 if gap else 0.0
        return float(ndtr(gap / sigma - self._threshold) + ndtr(-gap / sigma - self._threshold))

    def detectable(self, power: float = 0.8) -> float:
        """Return the smallest difference that is detected with this power; NaN if none is."""
        open_unit("power", power)
        rates: Any = vars(self)["_rates"]
        low, high = 0.0, 1.0 - float(values_and_noise(self.metric, rates, self.trials)[0].mean())  # type: ignore[arg-type]
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._reaches(middle, power) else (middle, high)
        return high if self.is_possible(high) and self._reaches(high, power) else math.nan

    def questions_for(self, difference: float, power: float = 0.8) -> int:
        """Return the number of questions with which this difference is detected with this power."""
        gap = positive("difference", difference)
        margin = float(ndtri(open_unit("power", power)))
        single = self.sigma(gap) ** 2 * self.questions
        count = 2
        for _ in range(50):
            threshold = replace(self, questions=max(count, 2), profile=self.profile)._threshold
            needed = min(max(math.ceil(single * ((threshold + margin) / gap) ** 2), 2), _MOST)
            if needed == count:
                break
            count = needed
        return count

    def _reaches(self, difference: float, power: float) -> bool:
        return not self.is_possible(difference) or self.power(difference) >= power

    def is_possible(self, difference: float) -> bool:
        """Return whether a model can be better by this difference."""
        rates: Any = vars(self)["_rates"]
        return difference < best_difference(self.metric, rates, self.trials)  # type: ignore[arg-type]

    @property
    def _threshold(self) -> float:
        """How many standard errors from zero a difference is called."""
        chance = (1.0 + self.confidence) / 2.0
        is_student = self.paired if self.target == "population" else self._is_paired_by_trial
        return float(stdtrit(self.questions - 1.0, chance) if is_student else ndtri(chance))

    @property
    def _is_paired_by_trial(self) -> bool:
        """Whether the models are compared on these questions by the paired differences of single trials."""
        return self.target == "questions" and self.paired and self.trials == 1
