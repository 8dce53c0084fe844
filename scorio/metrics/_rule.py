"""Rule@k: what a function of the outcomes, answers and scores of ``k`` trials is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb, perm
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from ..errors import OutcomeError
from ..inference import Bounds
from ..outcomes import OutcomeMatrix
from ..params import Check, param
from ._base import Metric
from ._sample_metric import SampleMetric
from ._sample_values import SampleValues, outcome_values

_MOST, _SEED = 5_000, 20_260  # draws of a question that are enumerated, and as many are drawn where there are more


class Draw(NamedTuple):
    """The ``k`` trials that a rule sees: outcomes, answers (None for none), and scores or costs by name."""

    outcomes: Vector
    answers: list[Any]
    scores: Mapping[str, Vector]


def _callable(value: Any) -> Callable[[Draw], float]:
    if callable(value):
        return value  # type: ignore[no-any-return]
    raise TypeError


def _ends(value: Any) -> Bounds:
    low, high = map(float, value)
    if not low < high:
        raise ValueError
    return low, high


@dataclass(frozen=True)
class _RuleSum:
    """A weighted sum of rules, as one rule."""

    rules: tuple[Callable[[Draw], float], ...]
    factors: tuple[float, ...]

    def __call__(self, draw: Draw) -> float:
        return float(sum(factor * rule(draw) for rule, factor in zip(self.rules, self.factors, strict=True)))


@dataclass(frozen=True)
class RuleAtK(SampleMetric):
    """Rule@k: the mean of ``rule(draw)`` over all draws of ``k`` of a question's trials, without bias.

    The rule takes a ``Draw`` and returns a number within ``ends``. With ``is_ordered``, it sees the trials in every
    order, as a rule that stops early must. Where there are more than 5,000 draws, so many are drawn at random, and the
    interval counts what that leaves open.

    >>> from scorio import OutcomeMatrix
    >>> def two_of_three(draw):
    ...     return float(draw.outcomes.sum() >= 2)
    >>> RuleAtK(3, two_of_three).score(OutcomeMatrix([[1, 1, 0, 0]]))
    0.5
    """

    rule: Callable[[Draw], float] = param(Check("a function of a Draw", _callable))
    ends: Bounds = param(Check("two numbers, the lower one first", _ends), default=(0.0, 1.0))
    is_ordered: bool = param(Check("True or False", bool), default=False)

    def support(self, R: Any) -> Bounds:  # noqa: ARG002 - the outcomes do not matter
        """Return the ends of what the rule returns."""
        return self.ends

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        worths, columns, first = outcome_values(outcomes), outcomes.trial_columns, 0
        given, parts = columns.answers, []
        for question, trials in enumerate(outcomes.trials.tolist()):
            here = slice(first, first + trials)
            codes = [-1] * trials if given is None else given.of_trial[here].tolist()
            answers = [None if given is None or code < 0 else given.labels[code] for code in codes]
            scores = {name: score[here] for name, score in columns.scores.items()}
            parts.append(self._of_question(question, worths[here], answers, scores))
            first += trials
        value, noise, excess = (np.array([part[at] for part in parts]) for at in (0, 2, 3))
        without, trials = np.concatenate([part[1] for part in parts]), outcomes.trials
        return SampleValues(value, without, trials, trials == self.k, noise, excess)

    def _of_question(
        self, question: int, worths: Vector, answers: list[Any], scores: Mapping[str, Vector]
    ) -> tuple[float, Vector, float, float]:
        """Return the value, the values without each trial, and what drawing at random adds to both variances."""
        trials, k = len(worths), self.k

        def values_of(draws: Indices) -> Vector:
            seen = []
            for places in draws:
                named = {name: score[places] for name, score in scores.items()}
                seen.append(self.rule(Draw(worths[places], [answers[i] for i in places], named)))
            return self._checked(seen)

        draws, is_whole = self._draws(question, trials, k)
        values = values_of(draws)
        noise = 0.0 if is_whole else float(values.var(ddof=1)) / len(draws)
        if trials == k:  # a value without a trial is then that of a draw of all others
            others = [np.delete(np.arange(trials), at) for at in range(trials)]
            fewer = self._draws(question, trials - 1, k - 1)[0]
            without = np.array([values_of(rest[fewer]).mean() if k > 1 else np.nan for rest in others])
            return float(values.mean()), without, noise, noise * (trials - 1)
        lacks = np.ones((len(draws), trials), dtype=bool)
        lacks[np.arange(len(draws))[:, None], draws] = False
        without = values @ lacks / lacks.sum(axis=0)
        return float(values.mean()), without, noise, noise * (trials - 1) * k / (trials - k)

    def _checked(self, returned: list[Any]) -> Vector:
        low, high = self.ends
        try:
            values = np.array(returned, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if values.ndim != 1 or not ((values >= low) & (values <= high)).all():
            problem = f"the rule must return one number from {low:g} to {high:g} for each draw"
            raise OutcomeError(problem, hint="ends=(low, high) says what it may return")
        return values

    def _draws(self, question: int, trials: int, k: int) -> tuple[Indices, bool]:
        """Return draws of places, one in each row, and whether these are all that there are."""
        every = perm(trials, k) if self.is_ordered else comb(trials, k)
        if every <= _MOST:
            listed = (permutations if self.is_ordered else combinations)(range(trials), k)
            return np.array(list(listed), dtype=np.int64).reshape(every, k), True
        random = np.random.default_rng([_SEED, question]).random((_MOST, trials))
        return np.argsort(random, axis=1)[:, :k], False


def rule_sum(metrics: Sequence[Metric], factors: Sequence[float]) -> RuleAtK | None:
    """Return a weighted sum of rules about the same draws as one metric; None if the draws are not the same.

    >>> made = [RuleAtK(2, rule) for rule in (lambda draw: draw.outcomes.max(), lambda draw: draw.outcomes.min())]
    >>> rule_sum(made, [1.0, -1.0]).score([[0, 1, 1]])
    0.6666666666666666
    """
    rules = [metric for metric in metrics if isinstance(metric, RuleAtK)]
    if len(rules) < len(metrics) or len({(rule.k, rule.is_ordered) for rule in rules}) > 1:
        return None
    reached = np.array([np.multiply(factor, rule.ends) for rule, factor in zip(rules, factors, strict=True)])
    ends = float(reached.min(axis=1).sum()), float(reached.max(axis=1).sum())
    whole = _RuleSum(tuple(rule.rule for rule in rules), tuple(factors))
    return RuleAtK(rules[0].k, whole, ends, rules[0].is_ordered)
