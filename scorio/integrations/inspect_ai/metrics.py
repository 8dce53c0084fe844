"""Metrics over every epoch of every sample: ``pass@8``, ``pass@8_sd``, ``_lower``, ``_upper`` and ``_completeness``.

There is one function per built-in metric: ``bayes()``, ``pass_at(8)``, ``gpass_at(8, tau=0.5)``; ``measure`` makes any
other metric from its name. They get the unreduced scores, whatever reducer a task has. All take the same options:

- ``confidence``, ``prior``, ``shape`` and ``target`` are the arguments of ``Metric.interval``;
- ``to_float`` converts a score to a number;
- ``success`` is the smallest number that counts as a success (metrics of successes);
- ``levels`` are rewards that a trial may have, besides those that occur (metrics of rewards);
- ``cluster`` is the key of the sample metadata that holds the cluster of a sample;
- ``epochs`` is the number of planned epochs, for the completeness; by default the largest number of any sample (Inspect
  does not show metrics the samples without any score);
- ``too_few`` is the value for samples with fewer scored epochs than the metric needs: ``"nan"``, or ``"omit"`` to leave
  such samples out.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, ValueToFloat, metric, value_to_float

from ... import metrics as ours
from ...errors import OutcomeError
from ...outcomes._outcome_values import reward
from .._measure import Measure

_of_inspect = value_to_float()


def outcome_value(value: Value) -> float:
    """Return the reward of a value, NaN where it is missing; what scorio cannot read, Inspect reads, with a warning."""
    try:
        number = reward(value)
    except OutcomeError:
        number = float(_of_inspect(value))
    return math.nan if number is None else number


def _over_epochs(
    our_metric: ours.Metric,
    *,
    to_float: ValueToFloat | None = None,
    success: float = 1.0,
    levels: Sequence[float] = (),
    cluster: str | None = None,
    epochs: int | None = None,
    too_few: str = "nan",
    **interval: Any,
) -> Metric:
    """Wrap a metric as Inspect calls it."""
    measure = Measure(our_metric, success, levels, too_few, interval)
    number = to_float or outcome_value

    def measured(scores: list[SampleScore]) -> Value:
        trials: dict[Hashable, list[float]] = {}
        clusters: dict[Hashable, Hashable] = {}
        for score in scores:
            sample = str(score.sample_id)
            trials.setdefault(sample, []).append(number(score.score.value))
            if cluster is not None:
                clusters[sample] = (score.sample_metadata or {}).get(cluster)
                if clusters[sample] is None:
                    raise OutcomeError(f"sample {score.sample_id} has no metadata {cluster!r} with its cluster")
        numbers = measure.of(trials, planned=epochs, clusters=list(clusters.values()) or None)
        name = str(our_metric)
        return {name if what == "value" else f"{name}_{what}": value for what, value in numbers.items()}

    return measured


@metric(scores="unreduced")
def measure(name: str, **options: Any) -> Metric:
    """Make any metric from its short name: ``measure("gpass@8:tau=.5")``."""
    return _over_epochs(ours.Metric.from_string(name), **options)


def _function(kind: type[ours.Metric]) -> Callable[..., Any]:
    """Return a function of the metric's parameters and the options of all metrics.

    It has the name of the metric, with ``_at`` if the metric has a ``k``: ``pass@8`` is ``pass_at(8)``.
    """
    parameters = inspect.signature(kind).parameters

    def made(*args: Any, **named: Any) -> Any:
        of_metric = {name: named.pop(name) for name in parameters if name in named}
        return _over_epochs(kind(*args, **of_metric), **named)

    options = [*inspect.signature(_over_epochs).parameters.values()][1:]
    made.__name__ = made.__qualname__ = f"{kind.name}_at" if "k" in parameters else kind.name
    made.__doc__ = (kind.__doc__ or "").partition("\n")[0]
    made.__dict__["__signature__"] = inspect.Signature([*parameters.values(), *options])
    return made


_MADE = [_function(kind) for kind in ours.METRICS.values() if not kind.is_of_samples]  # others need answers
_FUNCTIONS = {function.__name__: metric(scores="unreduced")(function) for function in _MADE}
globals().update(_FUNCTIONS, __all__=["measure", *_FUNCTIONS])


def __getattr__(name: str) -> Callable[..., Metric]:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
