"""The values of questions in every cell of a design, and the calibrated interval of every cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices, Vector
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference._interval import two_sided_z
from ..inference._prior import LEARNED
from ..judging._trial_noise import question_values, trial_variances
from ..metrics import Metric
from ..metrics._clusters import groups
from ..outcomes import OutcomeMatrix
from ._design import Design
from ._mean_squares import mean_squares

_LEAST_QUESTIONS = 2


@dataclass(frozen=True, eq=False)
class Values:
    """What a metric says of every question in every cell.

    ``value`` is (questions, models, levels of each factor). ``noise`` is the mean variance of a value over repetitions
    of its trials, NaN where it is unknown, as for single trials. ``group`` numbers the cluster of each question.
    ``down`` and ``up`` are the distances from each cell's score to the ends of its interval for these questions,
    (cells,), at ``confidence``; ``wide_down`` and ``wide_up`` are those for ``target``.
    """

    value: NDArray[np.float64]
    noise: float
    group: Indices
    down: Vector
    up: Vector
    wide_down: Vector
    wide_up: Vector
    confidence: float
    target: str
    support: tuple[float, float]
    levels: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]

    @property
    def flat(self) -> NDArray[np.float64]:
        """The values with one column per cell."""
        return self.value.reshape(len(self.value), -1)

    @property
    def score(self) -> Vector:
        """The score of each cell."""
        return np.asarray(self.flat.mean(axis=0))

    @property
    def z(self) -> float:
        """The normal quantile of the confidence."""
        return two_sided_z(self.confidence)

    @property
    def sigma(self) -> Vector:
        """The standard error of each cell for these questions."""
        return (self.down + self.up) / (2.0 * self.z)


def values_of(metric: Metric, design: Design, target: str, confidence: float, too_few: str) -> Values:
    """Return the values of every cell; ``too_few="omit"`` leaves out questions with too few trials in some cell."""
    if not metric.is_mean_over_questions:
        raise OutcomeError(
            f"{metric} is not a mean over questions, so questions have no variance of their own",
            hint="use a metric with a value per question, such as pass@1, pass@4 or avg",
        )
    if too_few not in ("raise", "omit"):
        raise ParameterError(f"must be 'raise' or 'omit'; got {too_few!r}", argument="too_few")
    cells, left_out = _enough(metric, design, too_few)
    notes = [*design.notes]
    if left_out:
        notes.append(f"left out, because some cell has too few trials: {pluralize(left_out, 'question')}")
    columns, noise = [], []
    is_known = all(cell.min_trials > 1 for cell in cells)
    for name, cell in zip(design.names, cells, strict=True):
        try:
            columns.append(question_values(metric, cell))
        except OutcomeError as error:
            raise error.at(name) from None
        noise.append(float(trial_variances(metric, cell).mean()) if is_known else np.nan)
    value = np.stack(columns, axis=1)
    score, support = value.mean(axis=0), metric.support(cells[0])
    near = _reach(metric, cells, score, "questions", confidence)
    known = float(np.mean(noise)) if is_known else np.nan
    least = known if np.isfinite(known) else _residual(value.reshape(len(value), *design.shape))
    near = _widened(near, least / len(value), two_sided_z(confidence))
    wide = near if target == "questions" else _reach(metric, cells, score, target, confidence)
    return Values(
        value.reshape(len(value), *design.shape),
        known,
        groups(cells[0]),
        *near,
        *wide,
        confidence,
        target,
        support,
        design.levels,
        tuple(notes),
    )


def _enough(metric: Metric, design: Design, too_few: str) -> tuple[list[OutcomeMatrix], int]:
    """Return the cells with the questions that have enough trials in all of them, and how many have not."""
    cells = list(design.cells)
    required = max(metric.required_trials, metric.budget or 1)
    enough = np.all([cell.trials >= required for cell in cells], axis=0)
    kept, left_out = np.flatnonzero(enough), int((~enough).sum())
    if left_out and too_few == "raise":
        place = int(np.argmin(enough))
        label = place if cells[0].questions is None else cells[0].questions[place]
        short = next(name for name, cell in zip(design.names, cells, strict=True) if cell.trials[place] < required)
        raise OutcomeError(
            f"{metric} needs {pluralize(required, 'trial')} of every question in every cell,"
            f" and ({short}) has fewer of question {label!r}",
            remedies=[Remedy("too_few", "omit", "leaves such questions out of all cells")],
        )
    if len(kept) < _LEAST_QUESTIONS:
        raise OutcomeError(f"at least {_LEAST_QUESTIONS} questions with trials in every cell are needed")
    return [cell._reordered(kept) for cell in cells] if left_out else cells, left_out


def _reach(
    metric: Metric, cells: list[OutcomeMatrix], score: Vector, target: str, confidence: float
) -> tuple[Vector, Vector]:
    """Return how far the learned interval of each cell extends below and above its score."""
    intervals = [metric.interval(cell, confidence, prior=LEARNED, target=target) for cell in cells]
    lo, hi = (np.array([getattr(each, end) for each in intervals]) for end in ("lo", "hi"))
    return np.maximum(score - lo, 0.0), np.maximum(hi - score, 0.0)


def _widened(reach: tuple[Vector, Vector], least: float, z: float) -> tuple[Vector, Vector]:
    """Return the reach of cells, whose mean squared standard error is at least ``least``.

    The interval of a cell takes the likely sizes of its noise into account; the sum over cells shows the noise itself.
    """
    seen = float(np.mean(((reach[0] + reach[1]) / (2.0 * z)) ** 2))
    factor = float(np.sqrt(max(least / seen, 1.0))) if seen > 0.0 else 1.0
    return reach[0] * factor, reach[1] * factor


def _residual(value: NDArray[np.float64]) -> float:
    """Return the mean square of the interaction of questions with all other dimensions.

    A single trial does not tell noise from differences between questions, but the same questions in other cells do:
    this interaction is noise, and what questions and cells really have in common.
    """
    array = value.reshape(len(value), *(size for size in value.shape[1:] if size > 1))
    return [*mean_squares(array).values()][-1].value
