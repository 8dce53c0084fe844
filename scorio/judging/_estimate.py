"""The estimate of a mean over questions from some labelled questions and a prediction for all of them.

Every question ``i`` of ``M`` has a prediction ``F_i``; the labelled ones, a random sample of ``n``, also have a value
``Y_i``. With ``e_i = Y_i - lam_i (F_i - mean(F))`` and weights ``w_i`` that sum to 1 (``1/n``, or proportional to
``1/pi_i`` for labels drawn with known probabilities ``pi_i``),

    theta = sum_i w_i e_i,                   these questions: V = n/(n-1) sum_i (1 - pi_i) w_i^2 (e_i - theta)^2

With one ``lam`` this is ``lam mean(F) + mean_labelled(Y - lam F)``, whose mean over all samples is the mean of ``Y``,
whatever the predictions are. Written with the mean over the unlabelled questions only, it is the same family: that
form has the weight ``lam (1 - n/M)``. For the population, the variance is that of cluster sums of
``lam (F_i - mean(F))/M + w_i (e_i - theta)``. Without clusters it is, up to factors ``1 + O(1/M)``, the sum
``l^2 s^2(F)/(M - n) + s^2(Y - l F)/n`` with ``l = lam (1 - n/M)``.

The optimum of ``lam`` for both targets is the slope of ``Y`` on ``F``. It is computed for each labelled question from
the other ones (or the other clusters), so that no question decides on its own weight.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._arrays import Indices, Vector

MANY = 100  # labelled questions from which on the weight of the predictions is estimated
FEW_DISAGREEMENTS = 10  # below these, one more is assumed: see ``_unseen``
_ROUNDING = 1e-12  # smaller differences are none


@dataclass(frozen=True, eq=False)
class Units:
    """The values of questions: ``predicted`` for all (M,), and for the labelled ones ``value``, ``place``, and so on.

    ``place`` is the position of each labelled question; ``weight`` sums to 1; ``chance`` is the probability with which
    each was labelled; ``noise`` is the variance of the value over trials; ``group`` numbers the cluster of each of all
    questions. ``has_whole_clusters`` says that clusters were labelled, not questions. ``width`` is the largest
    possible disagreement.
    """

    predicted: Vector
    value: Vector
    place: Indices
    weight: Vector
    chance: Vector
    noise: Vector
    group: Indices
    has_whole_clusters: bool
    width: float


class Estimate(NamedTuple):
    """The estimate, its standard deviation, the degrees of freedom, and the weight of the predictions."""

    mu: float
    sigma: float
    degrees: float
    lam: float


def estimate(units: Units, lam: float | None, target: str) -> Estimate:
    """Return the estimate; without ``lam``, it is 1 below ``MANY`` labelled questions, and the optimum above."""
    there = units.predicted[units.place]
    centre = float(units.predicted.mean())
    group = np.unique(units.group[units.place], return_inverse=True)[1]  # 0, 1, .. in order
    weights = _slopes(units, there, group) if lam is None and len(there) >= MANY else None
    each = np.full(len(there), 1.0 if lam is None else lam) if weights is None else weights
    adjusted = units.value - each * (there - centre)
    mu = float(units.weight @ adjusted)
    moved = units.weight * (adjusted - mu)
    mean_lam = float(each[0] if weights is None else units.weight @ each)
    spread = _of_population if target == "population" else _of_these
    variance = spread(units, moved, group, mean_lam)
    has_groups = target == "population" or units.has_whole_clusters
    degrees = (int(group.max()) if has_groups else len(there) - 1) * 1.0
    return Estimate(mu, float(np.sqrt(variance)), degrees, mean_lam)


def _of_these(units: Units, moved: Vector, group: Indices, lam: float) -> float:
    """Return the variance over samples of labels, and that of the trials of these questions."""
    chance, unseen = units.chance, _unseen(units, group if units.has_whole_clusters else np.arange(len(moved)), lam)
    if units.has_whole_clusters:
        chance = np.asarray(np.bincount(group, chance) / np.bincount(group), np.float64)
        moved = np.bincount(group, moved).astype(np.float64)
    count = len(moved)
    squares = float((1.0 - chance) @ moved**2) + float(np.mean(1.0 - chance)) * unseen
    noise = float(units.weight @ units.noise) / len(units.predicted)
    return float(count / (count - 1.0) * squares + noise)


def _of_population(units: Units, moved: Vector, group: Indices, lam: float) -> float:
    """Return the variance over samples of questions, or of clusters of them, and over samples of labels."""
    count, clusters = int(group.max()) + 1, int(units.group.max()) + 1
    shared = lam * (units.predicted - units.predicted.mean()) / len(units.predicted)
    scale = np.sqrt(count / (count - 1.0))
    sums = np.bincount(units.group, shared, clusters) * np.sqrt(clusters / (clusters - 1.0))
    sums += np.bincount(units.group[units.place], moved, clusters) * scale
    return float(sums @ sums + scale**2 * _unseen(units, group, lam))


def _unseen(units: Units, group: Indices, lam: float) -> float:
    """Return the square that one more disagreement would add: disagreements too rare to be seen have a variance too.

    It is the mean square of those that were seen, or that of the largest possible one if there are none. From
    ``FEW_DISAGREEMENTS`` questions (or clusters of them) on, it is left out.
    """
    gap = units.value - units.predicted[units.place]
    differs = np.abs(gap) > _ROUNDING
    has_any = np.bincount(group, differs) > 0
    seen = int(np.count_nonzero(has_any))
    if lam == 0.0 or seen >= min(FEW_DISAGREEMENTS, len(has_any)):
        return 0.0
    if not seen:
        return float((units.width / len(has_any)) ** 2)
    sums = np.bincount(group, np.where(differs, units.weight * gap, 0.0))
    return float(sums @ sums) / seen


def _slopes(units: Units, there: Vector, group: Indices) -> Vector:
    """Return the slope of the values on the predictions without each question's own cluster, per labelled question."""
    weight = units.weight * len(there)
    x, y = there - there.mean(), units.value - units.value.mean()
    parts = np.array([np.bincount(group, weight * part) for part in (np.ones_like(x), x, y, x * y, x * x)])
    total, sum_x, sum_y, products, squares = parts.sum(axis=1, keepdims=True) - parts
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (products - sum_x * sum_y / total) / (squares - sum_x**2 / total)
    has_spread = squares - sum_x**2 / total > 1e-12 * (x @ x + 1e-300)
    return np.asarray(np.where(has_spread, slope, 0.0)[group])
