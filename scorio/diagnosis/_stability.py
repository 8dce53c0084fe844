"""Stability of ranks: would another run of the same size give the same order?

The mean score of another run on the same questions is about normal around the posterior mean ``mu`` of a model, with
the variance ``sigma^2`` of the posterior plus that of the new trials, ``sum_q E[v_q] / n_q / M^2``, where ``v_q`` is
the variance of one trial of question ``q``; for binary outcomes ``E[p (1 - p)]`` is the posterior mean of Pass@1 minus
that of Pass^2.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._choices import INDEPENDENT
from .._display.exports import Exports
from .._display.numbers import chance
from ..inference import LEARNED
from ..metrics import BayesMetric, Metric, PassAtK, PassHatK
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..rank import best_probabilities
from ._reliability import means_of, noise_of

_DRAWS = 20_000


@dataclass(frozen=True)
class Stability(Exports):
    """How likely another run of the same size keeps the best model and the order of all models.

    ``order`` has the models by their present mean score, best first, and ``scores`` those scores. Without replicated
    trials (``has_replicates``), the noise of trials is that of the learned prior.
    """

    task: str
    order: tuple[str, ...]
    scores: tuple[float, ...]
    p_best: float
    p_order: float
    has_replicates: bool

    def __str__(self) -> str:
        best = f"another run of the same size has the same best model, {self.order[0]}, with probability"
        text = f"{best} {chance(self.p_best)}"
        if len(self.order) > 2:
            text += f", and the same order of all {len(self.order)} models with probability {chance(self.p_order)}"
        return text if self.has_replicates else f"{text}; one trial per question shows little of its own noise"


def stabilities(tasks: Mapping[str, OutcomeSet]) -> Iterator[Stability]:
    """Yield the stability of the ranks on every task, and of the mean over tasks if there are several."""
    if any(not matrix.is_pass_fail and matrix.max_trials < 2 for each in tasks.values() for matrix in each.values()):
        return  # nothing tells how much single rewards vary
    predicted = {task: {name: predict(matrix) for name, matrix in models.items()} for task, models in tasks.items()}
    for task, models in tasks.items():
        if len(models) > 1:
            yield _stability(task, tuple(models), [predicted[task]], [models])
    shared = [name for name in next(iter(tasks.values())) if all(name in models for models in tasks.values())]
    if len(tasks) > 1 and len(shared) > 1:
        yield _stability("overall", tuple(shared), list(predicted.values()), list(tasks.values()))


def predict(matrix: OutcomeMatrix) -> tuple[float, float]:
    """Return the mean and the variance of the score of another run with as many trials of the same questions.

    >>> mean, variance = predict(OutcomeMatrix([[0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 1, 0]]))
    >>> round(mean, 2), round(variance**0.5, 2)
    (0.66, 0.16)
    """
    metric: Metric = PassAtK(1) if matrix.is_pass_fail else BayesMetric()
    posterior = metric.interval(matrix, prior=LEARNED, runs=INDEPENDENT)
    noise = (_noise(matrix) / np.maximum(matrix.trials, 1)).sum() / matrix.n_questions**2
    return posterior.mu, posterior.sigma**2 + float(noise)


def _noise(matrix: OutcomeMatrix) -> Vector:
    """Return the variance of one trial of each question; of passes, its posterior mean."""
    if not matrix.is_pass_fail:
        return noise_of(matrix)
    return PassAtK(1).moments(matrix, prior=LEARNED).mean - PassHatK(2).moments(matrix, prior=LEARNED).mean


def _stability(
    task: str,
    names: tuple[str, ...],
    predicted: Sequence[Mapping[str, tuple[float, float]]],
    sets: Sequence[OutcomeSet],
) -> Stability:
    scores = np.array([np.mean([np.nanmean(means_of(models[name])) for models in sets]) for name in names])
    parts = np.array([[each[name] for name in names] for each in predicted], np.float64)
    mean: Vector = parts[..., 0].mean(axis=0)
    sd: Vector = np.sqrt(parts[..., 1].sum(axis=0)) / len(parts)
    order = np.argsort(-scores, kind="stable")
    drawn = np.random.default_rng(0).normal(mean[order], sd[order], (_DRAWS, len(mean)))
    has_replicates = all(models[name].max_trials > 1 for models in sets for name in names)
    return Stability(
        task,
        tuple(names[i] for i in order),
        tuple(scores[order].tolist()),
        float(best_probabilities(mean, np.maximum(sd, 1e-12))[order[0]]),
        float((np.diff(drawn, axis=1) <= 0.0).all(axis=1).mean()),
        has_replicates,
    )
