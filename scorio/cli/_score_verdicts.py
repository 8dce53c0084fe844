"""What scores say in sentences: the error rate of the intervals, and one verdict on a model that is alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._choices import OVERALL
from .._display.numbers import number, percent
from .._display.table import plain
from ..errors import OutcomeError

if TYPE_CHECKING:
    from ..inference import Interval
    from ..metrics import Metric

_SUBJECT = {"questions": "on these questions", "population": "on questions like these"}


def error_of(interval: Interval) -> str:
    """Say how often such intervals are wrong.

    >>> from scorio import PassAtK
    >>> error_of(PassAtK(1).interval([[1, 0], [1, 1]], 0.9))
    'error 10%: how often such an interval does not contain the true value'
    """
    rate = percent(round(1.0 - interval.confidence, 12))
    return f"error {rate}: how often such an interval does not contain the true value"


def verdict(model: str, metric: Any, outcomes: Any, interval: Interval, weights: Any = None) -> str:
    """Say where the value of a model is, and what would halve its interval; ``outcomes`` may be a suite of the model.

    >>> from scorio import PassAtK
    >>> R = [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> verdict("a", PassAtK(1), R, PassAtK(1).interval(R, prior="learned"))
    'a: pass@1 is between 0.338 and 0.798 on these questions; 12 more trials per question would halve the interval'
    """
    from ..metrics import Metric
    from ..outcomes import Suite

    name = f"{OVERALL} {metric}" if isinstance(outcomes, Suite) and str(metric) != OVERALL else str(metric)
    sentence = f"{plain(model)}: {name} is between {number(interval.lo)} and {number(interval.hi)}"
    plan = _plan(metric, outcomes, interval, weights) if isinstance(metric, Metric) else ""
    return f"{sentence} {_SUBJECT[interval.target]}{plan}"


def _plan(metric: Metric, outcomes: Any, interval: Interval, weights: Any) -> str:
    """Say how many trials, or for the population questions, would halve the interval; nothing if there is no plan."""
    from ..planning import plan_questions, plan_trials

    half = (interval.hi - interval.lo) / 4.0
    if half <= 0.0:
        return ""
    planner = plan_trials if interval.target == "questions" else plan_questions
    try:
        plan = planner(metric, outcomes, half, interval.confidence, weights=weights, prior=interval.prior)
    except OutcomeError:
        return ""
    if plan.more is None:
        return f"; no number of {plan.unit} would halve the interval"
    by_task = ", ".join(f"{task} {more:,}" for task, more in plan.by_task.items())
    return f"; {plan.more:,} more {plan.unit}{f' ({by_task})' if by_task else ''} would halve the interval"
