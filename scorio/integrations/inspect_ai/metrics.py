"""Metrics over every epoch of every sample: value, sd, lower, upper, coverage.

They are given unreduced scores, whatever reducer a task has. All take the same options:

- ``confidence``, ``prior``, ``method``, ``target`` as ``Metric.interval`` does;
- ``to_float`` turns a score into a number, ``success`` is the least that counts as one (metrics of successes), and
  ``levels`` are rewards that a trial may have besides those that occur (metrics of rewards);
- ``cluster`` names the sample metadata that holds a sample's cluster;
- ``epochs`` is how many were planned, for the coverage: the most that a sample has, if left out (a sample without
  any score is not shown to metrics);
- ``short`` says what becomes of samples with fewer scored epochs than the metric needs: ``"nan"`` or ``"omit"``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypedDict, Unpack

from inspect_ai.scorer import Metric, SampleScore, Value, ValueToFloat, metric, value_to_float

from ... import metrics as ours
from ...errors import OutcomeError
from ..measure import Measure


class Options(TypedDict, total=False):
    """What every metric here takes."""

    confidence: float
    prior: str | Sequence[float]
    method: str
    target: str
    to_float: ValueToFloat
    success: float
    levels: Sequence[float]
    cluster: str
    epochs: int
    short: str


def _over_epochs(
    of: ours.Metric,
    *,
    to_float: ValueToFloat | None = None,
    success: float = 1.0,
    levels: Sequence[float] = (),
    cluster: str | None = None,
    epochs: int | None = None,
    short: str = "nan",
    **interval: Any,
) -> Metric:
    """The metric as Inspect calls it."""
    measure = Measure(of, success, levels, short, interval)
    number = to_float or value_to_float()

    def measured(scores: list[SampleScore]) -> Value:
        trials: dict[Hashable, list[float]] = {}
        clusters: dict[Hashable, Hashable] = {}
        for score in scores:
            sample = str(score.sample_id)
            trials.setdefault(sample, []).append(number(score.score.value))
            if cluster is not None:
                clusters[sample] = _cluster_of(score, cluster)
        return measure.of(trials, planned=epochs, clusters=list(clusters.values()) or None)

    return measured


def _cluster_of(score: SampleScore, key: str) -> Hashable:
    found: Hashable = (score.sample_metadata or {}).get(key)
    if found is None:
        raise OutcomeError(f"sample {score.sample_id} has no metadata {key!r} to name its cluster")
    return found


@metric(scores="unreduced")
def measure(name: str, **options: Unpack[Options]) -> Metric:
    """Any metric by its short name: ``measure("gpass@8:tau=.5")``."""
    return _over_epochs(ours.Metric.from_string(name), **options)


@metric(scores="unreduced")
def bayes(**options: Unpack[Options]) -> Metric:
    """Bayes@N: the posterior mean of the reward of a trial."""
    return _over_epochs(ours.BayesMetric(), **options)


@metric(scores="unreduced")
def avg(**options: Unpack[Options]) -> Metric:
    """avg@N: the mean reward of a trial."""
    return _over_epochs(ours.AvgMetric(), **options)


@metric(scores="unreduced")
def pass_at(k: int, **options: Unpack[Options]) -> Metric:
    """Pass@k: at least one of k trials succeeds."""
    return _over_epochs(ours.PassAtK(k), **options)


@metric(scores="unreduced")
def pass_hat(k: int, **options: Unpack[Options]) -> Metric:
    """Pass^k: all of k trials succeed."""
    return _over_epochs(ours.PassHatK(k), **options)


@metric(scores="unreduced")
def g_pass(k: int, tau: float, **options: Unpack[Options]) -> Metric:
    """G-Pass@k at tau: at least ``tau k`` of k trials succeed."""
    return _over_epochs(ours.GPassTau(k, tau), **options)


@metric(scores="unreduced")
def mg_pass(k: int, **options: Unpack[Options]) -> Metric:
    """mG-Pass@k: how far more than half of k trials succeed."""
    return _over_epochs(ours.MGPass(k), **options)


@metric(scores="unreduced")
def maj_at(k: int, **options: Unpack[Options]) -> Metric:
    """Maj@k: more than half of k trials succeed."""
    return _over_epochs(ours.MajAtK(k), **options)


@metric(scores="unreduced")
def auc_at(k: int, **options: Unpack[Options]) -> Metric:
    """AUC@k: the area under Pass@1..Pass@k."""
    return _over_epochs(ours.AucAtK(k), **options)


@metric(scores="unreduced")
def max_at(k: int, **options: Unpack[Options]) -> Metric:
    """Max@k: the best reward of k trials."""
    return _over_epochs(ours.MaxAtK(k), **options)


@metric(scores="unreduced")
def spectrum(k: int, weights: Sequence[float], **options: Unpack[Options]) -> Metric:
    """Threshold spectrum: j successes among k are worth ``w_1 + ... + w_j``."""
    return _over_epochs(ours.ThresholdSpectrum(k, tuple(weights)), **options)


@metric(scores="unreduced")
def geom_at(k: int, pass_power: float = 0.5, unanimous_power: float = 0.5, **options: Unpack[Options]) -> Metric:
    """Geom@k: powers of each sample's Pass@k and Pass^k, multiplied."""
    return _over_epochs(ours.GeomAtK(k, pass_power, unanimous_power), **options)


@metric(scores="unreduced")
def geom_ds_at(k: int, pass_power: float = 0.5, unanimous_power: float = 0.5, **options: Unpack[Options]) -> Metric:
    """Geom@k of the dataset's Pass@k and Pass^k."""
    return _over_epochs(ours.GeomDsAtK(k, pass_power, unanimous_power), **options)


@metric(scores="unreduced")
def geo_spectrum(
    k: int, lam: float = 0.5, weights: Sequence[float] | None = None, **options: Unpack[Options]
) -> Metric:
    """GeoSpectrum: powers of the dataset's Pass@k and threshold spectrum, multiplied."""
    return _over_epochs(ours.GeoSpectrum(k, lam, weights), **options)
