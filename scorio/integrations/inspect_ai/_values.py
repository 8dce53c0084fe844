"""Score values as numbers, and one function per built-in metric, for the names by which Inspect finds them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

from inspect_ai.scorer import Value, value_to_float

from ...errors import OutcomeError
from ...metrics import METRICS, Metric
from ...outcomes import reward

_of_inspect = value_to_float()


def outcome_value(value: Value) -> float:
    """Return the reward of a value, NaN where it is missing; what scorio cannot read, Inspect reads, with a warning."""
    try:
        number = reward(value)
    except OutcomeError:
        number = float(_of_inspect(value))
    return math.nan if number is None else number


def of_counts() -> list[type[Metric]]:
    """Return the metrics that need no answers, which these functions do not see."""
    return [each for each in METRICS.values() if not each._is_of_samples]


def functions(metrics: Iterable[type[Metric]], wrap: Callable[..., Any]) -> Iterable[Callable[..., Any]]:
    """Yield a function per metric: it takes the metric's parameters and the options of ``wrap``.

    The function has the name of the metric, with ``_at`` if the metric has a ``k``: ``pass@8`` is ``pass_at(8)``.
    """
    options = list(inspect.signature(wrap).parameters.values())[1:]
    return (_function(metric, wrap, options) for metric in metrics)


def _function(metric: type[Metric], wrap: Callable[..., Any], options: list[inspect.Parameter]) -> Callable[..., Any]:
    parameters = inspect.signature(metric).parameters

    def made(*args: Any, **named: Any) -> Any:
        own = {name: named.pop(name) for name in parameters if name in named}
        return wrap(metric(*args, **own), **named)

    made.__name__ = made.__qualname__ = f"{metric.name}_at" if "k" in parameters else metric.name
    made.__doc__ = (metric.__doc__ or "").partition("\n")[0]
    made.__dict__["__signature__"] = inspect.Signature([*parameters.values(), *options])
    return made
