r"""The ratio of two scores: which share of the baseline's score the new model reaches.

The ratio is at least ``c`` if ``new - c baseline`` is at least 0, and that is a difference whose law is known: the
baseline's mean, standard deviation and reach are multiplied by ``c``. The interval of the ratio is the set of all ``c``
for which the interval of this difference includes 0 (Fieller 1954), so it agrees with every gate by a relative limit.
It has no upper end where the baseline may be 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from .._choices import OVERALL, RANDOM
from ..errors import ParameterError
from ..estimates import ONLY, DifferenceLaw, Stack, ends_of_ratio
from ._two_models import Compared


@dataclass(frozen=True)
class RatioLaw:
    """What is known of the ratio of two scores, on one task or overall."""

    stack: Stack
    posteriors: Stack  # no reach is shorter than that of these

    def difference(self, c: float) -> DifferenceLaw:
        """Return the law of the first score minus ``c`` times the second."""
        form = ((1.0, 0), (-c, 1))
        law, least = self.stack.law(form), self.posteriors.reach(form)
        return replace(law, below=max(law.below, float(least[0])), above=max(law.above, float(least[1])))

    @property
    def ratio(self) -> float:
        """The ratio of the posterior means; infinite if the second is 0."""
        first, second = self.stack.joint.mu[:2].tolist()
        return first / second if second > 0.0 else math.inf

    def bounds(self) -> tuple[float, float]:
        """Return the one-sided bounds of the ratio, each at the error of one tail."""
        lo, hi = ends_of_ratio(self.difference, 1.0)
        return max(lo, 0.0), max(hi, 0.0)


def ratio_laws(compared: Compared) -> dict[str, RatioLaw]:
    """Return the law of the ratio on each task, and overall if there are several."""
    contest, tasks = compared.contest, compared.result.tasks or {ONLY: compared.result}
    terms = contest.tasks[0].terms
    if terms.runs == RANDOM:
        raise ParameterError("is 'random', and relative limits take trials as independent", argument="runs")
    for part in contest.tasks:
        if part.supports().min() < 0.0:
            raise ParameterError(f"is relative, and {part.metric} can be negative", argument="max_drop")
    posteriors = [
        task.stack_of_posteriors(terms.level) or values
        for task, values in zip(contest.tasks, compared.values, strict=True)
    ]
    both = zip(tasks, compared.values, posteriors, strict=True)
    laws = {task: RatioLaw(values, least) for task, values, least in both}
    return laws | {OVERALL: RatioLaw(contest.summed(compared.values), contest.summed(posteriors))}


@dataclass(frozen=True)
class Limit:
    """An accepted drop: an amount of the score, or where it ``is_relative`` a share of the baseline's score.

    >>> Limit.of("5%"), Limit.of(0.02)
    (Limit(amount=0.05, is_relative=True), Limit(amount=0.02, is_relative=False))
    """

    amount: float
    is_relative: bool = False

    @classmethod
    def of(cls, value: Any, name: str = "max_drop", most: float = 1.0) -> Limit:
        """Return the limit that a number or a text such as ``"5%"`` means; a share is below ``most``."""
        text = value.strip() if isinstance(value, str) else ""
        try:
            amount = float(text.removesuffix("%")) / 100.0 if text.endswith("%") else float(value)
        except (TypeError, ValueError):
            amount = math.nan
        if isinstance(value, bool) or not 0.0 <= amount < math.inf or (text.endswith("%") and amount >= most):
            below = "" if math.isinf(most) else f" below {100.0 * most:g}"
            problem = f'must be a number, at least 0, or a percentage{below} such as "5%"; got {value!r}'
            raise ParameterError(problem, argument=name)
        return cls(amount, text.endswith("%"))

    @property
    def least(self) -> float:
        """The least accepted ratio."""
        return 1.0 - self.amount

    def __str__(self) -> str:
        return f"{100.0 * self.amount:g}%" if self.is_relative else f"{self.amount:g}"

    def undefined(self, value: float, what: str = "score") -> str:
        """Say why the limit means nothing beside this value of the baseline; empty where it means something."""
        if math.isinf(value):
            return f"the baseline has no success: its {what} is unbounded, and no change of it is defined"
        if self.is_relative and value == 0.0:
            return f"the baseline has a {what} of 0, and no percentage of 0 is defined: give the limit as an amount"
        return ""

    @property
    def written(self) -> float | str:
        """The limit as it is given: a number, or a text with a percentage."""
        return str(self) if self.is_relative else self.amount
