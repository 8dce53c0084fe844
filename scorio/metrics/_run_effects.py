"""Intervals about runs like these, and the warning where runs differ by more than their trials explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import Vector
from .._choices import RANDOM
from .._display.numbers import number
from .._display.words import warn
from ..errors import OutcomeError, RunsWarning
from ..inference import (
    Interval,
    Level,
    Mixture,
    RunNoise,
    SkewedT,
    posterior_of_sizes,
)
from ..outcomes import OutcomeMatrix
from ._run_sums import RunSums, run_sums

if TYPE_CHECKING:
    from ._base import Metric

_LEAST_WEIGHT = 1e-12  # of a size of runs that a posterior keeps
FALSE_ALARMS = 0.01  # the share of runs that do not differ and are called different
_DIFFERENT = (
    "the scores of {whose} runs differ by more than their trials explain (p = {p:.2g}): by trials alone the score has a"
    " standard error of {narrow}, about runs like these of {wide}. Trials are taken as independent{therefore}:"
    ' runs="random" makes statements about runs like these, and runs="independent" is about these runs alone, without'
    " this warning"
)
_SHARDS = (
    "no question has trials in two of the runs, so how much runs differ cannot be told from questions: shards, parts of"
    " one run, are no runs. Trials are taken as independent; try the same questions in each run, or say"
    ' runs="independent", which is about these runs alone, without this warning'
)


def interval_with_runs(metric: Metric, outcomes: OutcomeMatrix, plain: Interval, runs: str) -> Interval:
    """Return the interval about runs like these, or the plain one with a warning where runs differ."""
    if runs != RANDOM:
        warn_of_runs(metric, [outcomes])
        return plain
    level = Level(plain.confidence) if plain.looks is None else plain.looks.level(outcomes.mean_trials)
    return noise_of_models([run_sums(metric, outcomes)])[0].widened(plain, level, runs=RANDOM)


def law_with_runs(metric: Metric, outcomes: OutcomeMatrix, law: Mixture | SkewedT, runs: str) -> Mixture | SkewedT:
    """Return the posterior about runs like these, or the plain one with a warning where runs differ."""
    if runs != RANDOM:
        warn_of_runs(metric, [outcomes])
        return law
    noise = noise_of_models([run_sums(metric, outcomes)])[0]
    if isinstance(law, SkewedT):
        problem = "the posterior of continuous rewards is Student's t, which has no form with the noise of runs"
        raise OutcomeError(problem, hint="interval(.., runs='random') has its mean, its deviation and its ends")
    sizes = noise.weights > _LEAST_WEIGHT * noise.weights.max()
    weights = np.outer(law.weights, noise.weights[sizes] / noise.weights[sizes].sum()).ravel()
    variances = np.add.outer(law.variances, noise.variances[sizes]).ravel()
    means = np.repeat(law.means, int(sizes.sum()))
    return replace(law, weights=weights, means=means, variances=variances)


def warn_of_runs(metric: Metric, models: Sequence[OutcomeMatrix]) -> None:
    """Issue a RunsWarning where the runs of a model differ, or what are called its runs have no question in common."""
    with_runs = [sums for model in models if model.runs is not None and (sums := _sums_or_none(metric, model))]
    if not with_runs:
        return
    if any(len(sums.labels) > 1 and not sums.is_crossed for sums in with_runs):
        warn(_SHARDS, RunsWarning)
    clearest = min(with_runs, key=lambda sums: sums.p_value)
    if clearest.p_value >= FALSE_ALARMS / len(with_runs):
        return
    narrow, wide = map(number, clearest.standard_errors)
    words = ("some model's", ", so equal models may be called different") if len(models) > 1 else ("its", "")
    about = {"whose": words[0], "therefore": words[1], "p": clearest.p_value, "narrow": narrow, "wide": wide}
    warn(_DIFFERENT.format(**about), RunsWarning)


def _sums_or_none(metric: Metric, outcomes: OutcomeMatrix) -> RunSums | None:
    """Return the effects of runs; None if it is not known how a trial moves the metric."""
    try:
        return run_sums(metric, outcomes)
    except OutcomeError:
        return None


def noise_of_models(sums: Sequence[RunSums], *, of_differences: bool = False) -> list[RunNoise]:
    """Return the noise that runs add to each model's metric; how much runs differ is learned from all models.

    >>> import scorio
    >>> R = scorio.OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 1]], runs=["mon", "tue", "wed"])
    >>> round(noise_of_models([run_sums(scorio.PassAtK(1), R)])[0].unit, 4)
    0.0165
    """
    for model in sums:
        model.check()
    weights = posterior_of_sizes(np.asarray(sum(model.log_likelihood for model in sums)), of_differences=of_differences)
    return [RunNoise(weights, model.unit) for model in sums]


def noise_of_differences(sums: Sequence[RunSums]) -> list[RunNoise]:
    """Return the noise that runs add to differences between models, as that of each model.

    Where all models ran in the same runs, an effect that they share cancels: only what a model's runs add to the mean
    effect of all models counts.
    """
    if len(sums) == 1 or any(model.labels != sums[0].labels for model in sums):
        return noise_of_models(sums, of_differences=True)
    for model in sums:
        model.check()
    weights = posterior_of_sizes(_own_likelihood(sums), of_differences=True)
    return [RunNoise(weights, model.unit) for model in sums]


def _own_likelihood(sums: Sequence[RunSums]) -> Vector:
    """Return the log likelihood of the sizes of effects that models do not share.

    Deviations of ``L`` models from their mean effect have ``L - 1`` degrees of freedom, so each is scaled by
    ``sqrt(L / (L - 1))`` and counts as ``(L - 1) / L``. The mean effect is in the unit of each model.
    """
    models = len(sums)
    units = np.array([max(np.sqrt(model.unit), 1e-300) for model in sums])
    shared = np.mean([model.effects / unit for model, unit in zip(sums, units, strict=True)], axis=0)
    growth = np.sqrt(models / (models - 1.0))
    apart = [
        replace(model, effects=growth * (model.effects - unit * shared))
        for model, unit in zip(sums, units, strict=True)
    ]
    return np.asarray((models - 1.0) / models * np.sum([model.log_likelihood for model in apart], axis=0))
