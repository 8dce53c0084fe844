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

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, ValueToFloat, metric

from ... import metrics as ours
from ...errors import OutcomeError
from .._measure import Measure, number_name
from ._values import functions, of_counts, outcome_value


def _over_epochs(
    own: ours.Metric,
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
    measure = Measure(own, success, levels, too_few, interval)
    number = to_float or outcome_value

    def measured(scores: list[SampleScore]) -> Value:
        trials: dict[Hashable, list[float]] = {}
        clusters: dict[Hashable, Hashable] = {}
        for score in scores:
            sample = str(score.sample_id)
            trials.setdefault(sample, []).append(number(score.score.value))
            if cluster is not None:
                clusters[sample] = _cluster_of(score, cluster)
        numbers = measure.of(trials, planned=epochs, clusters=list(clusters.values()) or None)
        return {number_name(str(own), number): value for number, value in numbers.items()}

    return measured


def _cluster_of(score: SampleScore, key: str) -> Hashable:
    cluster: Hashable = (score.sample_metadata or {}).get(key)
    if cluster is None:
        raise OutcomeError(f"sample {score.sample_id} has no metadata {key!r} with its cluster")
    return cluster


@metric(scores="unreduced")
def measure(name: str, **options: Any) -> Metric:
    """Make any metric from its short name: ``measure("gpass@8:tau=.5")``."""
    return _over_epochs(ours.Metric.from_string(name), **options)


_FUNCTIONS = {each.__name__: metric(scores="unreduced")(each) for each in functions(of_counts(), _over_epochs)}
globals().update(_FUNCTIONS, __all__=["measure", *_FUNCTIONS])


def __getattr__(name: str) -> Callable[..., Metric]:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
