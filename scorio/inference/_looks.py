"""Looks: intervals and comparisons that stay valid when results are looked at while trials come in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from .._special import ndtr
from ..errors import ParameterError
from ..params import check_fields, count, open_unit, optional, param, positive
from ._boundary import boundary_constant, mixture_z
from ._level import Level

_DEFAULT = 0.95
_ROUNDING = 1e-9  # relative rounding error allowed in the mean number of trials


@dataclass(frozen=True)
class Looks:
    """A promise that holds at every look, not just at one chosen in advance.

    Pass it to ``Metric.interval``, ``compare`` or ``Leaderboard`` and call them as often as you like while trials
    come in, one or more per question at a time. At ``confidence`` 0.95, at least 95% of all runs have no look at all
    where the interval misses the truth. You may stop whenever you want to, for whatever reason.

    Give exactly one of two parameters, before the first look:

    - ``trials``: the most trials per question that you will run. After all of them, the interval is 22% wider than one
      for a single look (at 95%). Looks past this number are refused.
    - ``around``: the number of trials per question at which the interval should be tightest, without any limit. The
      interval is 55% wider there than one for a single look (at 95%), and at most 8% wider than the best choice of
      ``around`` from a quarter of it to four times as many.

    ``share`` is the number of intervals, of models or metrics, that are looked at together: each gets its part of the
    error, so that all of them hold at the same time. ``Leaderboard`` fills it in; see ``shared``.

    >>> looks = Looks(trials=64)
    >>> round(looks.z(64), 3), round(looks.z(4), 3)
    (2.383, 4.766)
    >>> print(Looks(around=16, confidence=0.9))
    valid at every look, tightest at 16 trials per question
    """

    trials: float | None = param(optional(positive), default=None)
    around: float | None = param(optional(positive), default=None)
    confidence: float = param(open_unit, default=_DEFAULT)
    share: int = param(count, default=1)

    def __post_init__(self) -> None:
        check_fields(self)
        if (self.trials is None) == (self.around is None):
            both = "got both" if self.trials is not None else "got neither"
            raise ParameterError(
                "Looks needs either trials=, the most trials per question that will be run, or around=, the number of "
                f"trials per question at which intervals should be tightest; {both}"
            )

    @property
    def alpha(self) -> float:
        """The probability that some look of one interval misses: ``1 - confidence``, divided by ``share``."""
        return (1.0 - self.confidence) / self.share

    def shared(self, intervals: int) -> Looks:
        """Return the same looks for a number of ``intervals`` that share the error equally.

        >>> print(Looks(trials=64).shared(3))
        valid at every look, at most 64 trials per question, error shared by 3 intervals
        """
        return replace(self, share=self.share * intervals)

    def z(self, n: float, alpha: float | None = None) -> float:
        """Return how many standard deviations the interval extends to either side after ``n`` trials per question.

        ``n`` is the mean number of trials per question; ``alpha`` is the two-sided probability of an error at any look,
        by default ``self.alpha``.
        """
        error = (1.0 - self.confidence) / self.share if alpha is None else open_unit("alpha", alpha)
        most = math.inf if self.trials is None else self.trials
        if not 0.0 < n <= most:
            self._check_trials(n, most)
        if self.trials is None:
            return mixture_z(n / self.around, error)  # type: ignore[operator]  # one of the two is given
        return boundary_constant(error) * (self.trials / n) ** 0.25 if n > 0.0 else math.inf

    def tail(self, n: float, alpha: float | None = None) -> float:
        """Return the two-sided tail probability of a normal distribution beyond ``z(n, alpha)``.

        >>> round(Looks(trials=64).tail(64), 5)
        0.01717
        """
        return float(2.0 * ndtr(-self.z(n, alpha)))

    def level(self, n: float, alpha: float | None = None) -> Level:
        """Return the level of an interval after ``n`` trials per question."""
        return Level(self.confidence, self.tail(n, alpha), self.z(n, alpha))

    def check_confidence(self, confidence: float) -> None:
        """Raise a ParameterError if ``confidence`` is neither that of the looks nor the default of 0.95."""
        if confidence not in (_DEFAULT, self.confidence):
            raise ParameterError(
                f"confidence is {confidence:g}, but the looks were declared at {self.confidence:g}: set it in Looks"
            )

    def _check_trials(self, n: float, most: float) -> None:
        if not n >= 0.0:
            raise ParameterError(f"n must be a number of trials per question, at least 0; got {n!r}")
        if n > most * (1.0 + _ROUNDING):
            raise ParameterError(
                f"there are {n:.6g} trials per question, but these looks were declared for at most {most:g}: "
                "nothing is promised beyond. Judge the trials up to that number; for a new run without a limit, use "
                f"Looks(around={most:g})"
            )

    def __str__(self) -> str:
        together = f", error shared by {self.share} intervals" if self.share > 1 else ""
        return f"valid at every look, {self.limit}{together}"

    @property
    def limit(self) -> str:
        """The declared number of trials, or the number of trials at which intervals are tightest, in words."""
        if self.trials is None:
            return f"tightest at {self.around:g} trials per question"
        return f"at most {self.trials:g} trials per question"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; ``Looks(**fields)`` makes an equal object."""
        named = "trials" if self.around is None else "around"
        return {named: getattr(self, named), "confidence": self.confidence, "share": self.share}
