r"""The values of questions in every cell of a design, and the calibrated interval of every cell.

The values of several tasks become those of one, so that the weighted mean over tasks is the mean over all questions.
With ``N`` questions in all, ``n_t`` on task ``t`` of weight ``w_t``, and ``G`` and ``G_t`` clusters, a value becomes

    y' = overall + f_t (y - mean of the cell on task t),   f_t = w_t N/n_t sqrt(G_t (G - 1) / ((G_t - 1) G)).

The mean of ``y'`` in a cell is its overall score, and the variance of that mean over questions or clusters, taken as if
all were of one task, is ``sum_t w_t^2 Var_t``: tasks are fixed, and the questions of each vary around its mean. With
tasks of one size and one weight, ``f_t`` is nearly 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices, Vector
from .._choices import TOO_FEW
from .._display.words import pluralize, shorten
from ..errors import OutcomeError, Remedy
from ..inference import LEARNED, Level
from ..judging import question_values, trial_variances
from ..metrics import Metric, groups
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._design import Design
from ._mean_squares import mean_squares

_LEAST_QUESTIONS = 2


@dataclass(frozen=True, eq=False)
class Values:
    """What a metric says of every question in every cell.

    ``value`` is (questions, models, levels of each factor). ``noise`` is the mean variance of a value over repetitions
    of its trials, NaN where it is unknown, as for single trials. ``group`` numbers the cluster of each question.
    ``reach`` has the distances from each cell's score to the lower and to the upper end of its interval for these
    questions, (2, cells), at ``confidence``; ``wide`` has those for ``target``.
    """

    value: NDArray[np.float64]
    noise: float
    group: Indices
    reach: NDArray[np.float64]
    wide: NDArray[np.float64]
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
        return Level(self.confidence).critical()

    @property
    def sigma(self) -> Vector:
        """The standard error of each cell for these questions."""
        return np.asarray(self.reach.sum(axis=0) / (2.0 * self.z))


def values_of(metric: Metric, design: Design, target: str, confidence: float, too_few: str) -> Values:
    """Return the values of every cell; ``too_few="omit"`` leaves out questions with too few trials in some cell."""
    if not metric._is_mean_over_questions:
        raise OutcomeError(
            f"{metric} is not a mean over questions, so questions have no variance of their own",
            hint="use a metric with a value per question, such as pass@1, pass@4 or avg",
        )
    choice("too_few", too_few, TOO_FEW)
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
    score, of_design = value.mean(axis=0), value.reshape(len(value), *design.shape)
    known = float(np.mean(noise)) if is_known else np.nan
    least = known if np.isfinite(known) else _residual(of_design)
    near = _reach(metric, cells, score, "questions", confidence)
    near = _widened(near, least / len(value), Level(confidence).critical())
    wide = near if target == "questions" else _reach(metric, cells, score, target, confidence)
    about = (confidence, target, metric.support(cells[0]), design.levels, tuple(notes))
    return Values(of_design, known, groups(cells[0]), near, wide, *about)


def _enough(metric: Metric, design: Design, too_few: str) -> tuple[list[OutcomeMatrix], int]:
    """Return the cells with the questions that have enough trials in all of them, and how many have not."""
    cells = list(design.cells)
    required = max(metric._required_trials, metric._k or 1)
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
) -> NDArray[np.float64]:
    """Return how far the learned interval of each cell extends below and above its score."""
    intervals = [metric.interval(cell, confidence, prior=LEARNED, target=target) for cell in cells]
    lo, hi = np.array([(each.lo, each.hi) for each in intervals]).T
    return np.maximum([score - lo, hi - score], 0.0)


def _widened(reach: NDArray[np.float64], least: float, z: float) -> NDArray[np.float64]:
    """Return the reach of cells, whose mean squared standard error is at least ``least``.

    The interval of a cell takes the likely sizes of its noise into account; the sum over cells shows the noise itself.
    """
    seen = float(np.mean((reach.sum(axis=0) / (2.0 * z)) ** 2))
    return reach * float(np.sqrt(max(least / seen, 1.0))) if seen > 0.0 else reach


def _residual(value: NDArray[np.float64]) -> float:
    """Return the mean square of the interaction of questions with all other dimensions.

    A single trial does not tell noise from differences between questions, but the same questions in other cells do:
    this interaction is noise, and what questions and cells really have in common.
    """
    array = value.reshape(len(value), *(size for size in value.shape[1:] if size > 1))
    return [*mean_squares(array).values()][-1].value


def check_same_levels(designs: Mapping[str, Design]) -> None:
    """Check that models were run under the same levels on all tasks."""
    first, *others = designs
    for task in others:
        for name, levels in designs[first].levels.items():
            theirs = designs[task].levels.get(name, ())
            lacking = {first: set(theirs) - set(levels), task: set(levels) - set(theirs)}
            for where, absent in lacking.items():
                if absent:
                    raise OutcomeError(
                        f"task {where!r} lacks {name} {shorten(sorted(absent))}",
                        hint="leave out the task, as in suite.select(tasks=[..]), or what it lacks; nothing is imputed",
                    )
        if designs[task].levels != designs[first].levels:
            raise OutcomeError(f"tasks {first!r} and {task!r} do not have the same factors", hint="name factors=[..]")


def joined_values(parts: Sequence[Values], weights: Vector) -> Values:
    """Return the overall values of tasks with the same cells; the errors of tasks are independent."""
    counts = np.array([len(each.value) for each in parts], dtype=np.float64)
    clusters = np.array([each.group.max() + 1.0 for each in parts])
    few = np.maximum(clusters - 1.0, 1.0)
    factor = weights * counts.sum() / counts
    factor *= np.sqrt(clusters * max(clusters.sum() - 1.0, 1.0) / (few * clusters.sum()))
    means = np.array([each.value.mean(axis=0) for each in parts])
    overall = np.tensordot(weights, means, 1)
    moved = [overall + f * (each.value - mean) for f, each, mean in zip(factor, parts, means, strict=True)]
    starts = np.concatenate([[0.0], np.cumsum(clusters)[:-1]]).astype(np.intp)
    noise = np.array([each.noise for each in parts])
    ends = weights @ [each.support for each in parts]
    return replace(
        parts[0],
        value=np.concatenate(moved),
        noise=float((counts * factor**2) @ noise / counts.sum()),
        group=np.concatenate([each.group + start for each, start in zip(parts, starts, strict=True)]),
        reach=np.sqrt(np.tensordot(weights**2, [each.reach**2 for each in parts], 1)),
        wide=np.sqrt(np.tensordot(weights**2, [each.wide**2 for each in parts], 1)),
        support=(float(ends[0]), float(ends[1])),
        notes=(),
    )
