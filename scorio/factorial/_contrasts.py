"""Cells of a design as estimates, and what sums of them say: means, differences, interactions, and tests of terms.

A sum over these levels is an ``Estimate``: trials of different cells are independent, and for the population, cells
share their questions. For levels like these, the levels are a sample: the interval is Student's, from mean squares of
levels, to whose variance that of questions is added for the population.

The test of a main effect asks whether its levels differ; that of an interaction, whether one factor's effect depends on
another.

An array with one value per combination of levels of some dimensions, all of them random, has for every set ``S`` of
dimensions a mean square ``MS_S`` with ``prod_(i in S) (n_i - 1)`` degrees of freedom. With ``N`` values in all and
``n_S`` combinations of the levels of ``S``,

    E[MS_S] = sum_(T contains S) N/n_T sigma_T^2
    sigma_S^2 = n_S/N sum_(T contains S) (-1)^(|T| - |S|) E[MS_T]
    Var(mean) = sum_S sigma_S^2/n_S = 1/N sum_T (-1)^(|T| + 1) E[MS_T]

(Cornfield and Tukey 1956). The noise of the trials is part of the component of all dimensions.
"""

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Vector
from .._base.special import chdtrc, fdtrc
from .._base.words import pluralize
from ..errors import OutcomeError
from ..estimates import Estimate
from ..estimates._estimate import joint_effects
from ..estimates._family import holm
from ..inference._interval import within
from ..inference._level import Level, Student, satterthwaite
from ..judging._trial_noise import question_values, trial_variances
from ..metrics import Metric
from ..outcomes import OutcomeMatrix

Axes = tuple[int, ...]
Weights = Mapping[str, Vector]  # by dimension; a dimension that is absent is averaged over
QUESTION, TRIAL = "question", "trial"
_ROUNDING = 1e-12  # smaller differences and effects are none
_DRAWS = 20_000  # of the generalized confidence intervals
_SEED = 20261122
_LEAST_QUESTIONS = 2


class Contrast(NamedTuple):
    """A mean or a difference of cells with its interval, and its two-sided p-value against 0.

    ``p_corrected`` is that by Holm's method for the differences of one factor, or the interactions of two; NaN of a
    score.
    """

    mu: float
    lo: float
    hi: float
    p_value: float
    p_corrected: float = math.nan


class Margin(NamedTuple):
    """The score of a ``level`` of a factor, or of a model, averaged over all other factors.

    If there is an ``other`` level, it is the difference to its score. ``like`` is the same if the levels of the random
    factors are a sample; None if none of them is averaged over.
    """

    factor: str
    level: str
    other: str | None
    these: Contrast
    like: Contrast | None


class Cell(NamedTuple):
    """A level of each of two factors: its score, and how far that is from what the two margins add up to."""

    factors: tuple[str, str]
    levels: tuple[str, str]
    score: Contrast
    effect: Contrast


class FactorTest(NamedTuple):
    """A test of a main effect or an interaction: chi2, or F if there are ``error_degrees``."""

    term: str
    statistic: float
    degrees: float
    error_degrees: float | None
    p_value: float


class Component(NamedTuple):
    """A variance component, which may be negative by chance; ``share`` is its share of all positive ones."""

    name: str
    variance: float
    lo: float | None
    hi: float | None
    share: float


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a design: ``levels`` by dimension, and the outcomes and estimate of each cell, in their order."""

    metric: Metric
    levels: Mapping[str, tuple[str, ...]]
    outcomes: Sequence[OutcomeMatrix]
    estimates: Sequence[Estimate]
    scores: Vector

    @classmethod
    def of(
        cls,
        metric: Metric,
        levels: Mapping[str, tuple[str, ...]],
        outcomes: Sequence[OutcomeMatrix],
        target: str,
        confidence: float,
    ) -> "Cells":
        """Return the cells of a design, checked."""
        named = dict(zip(itertools.product(*levels.values()), outcomes, strict=True))
        _check_trials(metric, named)
        about: dict[str, Any] = {"target": target, "confidence": confidence}
        estimates = [metric.estimate(cell, model=", ".join(names), **about) for names, cell in named.items()]
        return cls(metric, levels, outcomes, estimates, np.array([metric.score(cell) for cell in outcomes]))

    @property
    def dimensions(self) -> list[str]:
        """The model, if there are several, and the factors."""
        return [name for name, levels in self.levels.items() if len(levels) > 1]

    @property
    def interactions(self) -> list[tuple[str, str]]:
        """Every two dimensions."""
        return list(itertools.combinations(self.dimensions, 2))

    def flat(self, weights: Weights) -> Vector:
        """Return the weight of every cell."""
        product = np.ones(())
        for name, levels in self.levels.items():
            product = np.multiply.outer(product, weights.get(name, np.full(len(levels), 1.0 / len(levels))))
        return np.asarray(product.ravel())

    def sum(self, weights: Vector) -> Estimate:
        """Return the sum of all cells with these weights."""
        rows = zip(weights.tolist(), self.estimates, strict=True)
        parts = {
            key: (measured, weight * factor) for weight, cell in rows for key, (measured, factor) in cell.parts.items()
        }
        return Estimate(parts, self.estimates[0].terms)

    def score(self, weights: Vector) -> float:
        """Return the sum of the scores."""
        total = float(weights @ self.scores)
        return total if abs(total) > _ROUNDING * float(np.abs(self.scores).max()) else 0.0

    def margins(self, name: str, random: Sequence[str]) -> list[Margin]:
        """Return the margins of a dimension's levels."""
        levels = self.levels[name]
        rows = [({name: unit}, level) for unit, level in zip(np.eye(len(levels)), levels, strict=True)]
        return [Margin(name, level, None, self.these(unit), self.like(unit, random)) for unit, level in rows]

    def differences(self, name: str, random: Sequence[str]) -> list[Margin]:
        """Return all differences of two of these margins."""
        levels = self.levels[name]
        units, both = np.eye(len(levels)), list(itertools.combinations(range(len(levels)), 2))
        gaps: list[Weights] = [{name: units[i] - units[j]} for i, j in both]
        these = corrected([self.these(gap) for gap in gaps])
        like = corrected([contrast for gap in gaps if (contrast := self.like(gap, random))])
        rows = itertools.zip_longest(both, these, like)
        return [Margin(name, levels[i], levels[j], near, far) for (i, j), near, far in rows]

    def crossed(self, pair: tuple[str, str]) -> list[Cell]:
        """Return the cells of two dimensions, averaged over the others, with their interaction effects."""
        one, other = (list(zip(self.levels[name], np.eye(len(self.levels[name])), strict=True)) for name in pair)
        names, scores, effects = [], [], []
        for (first, unit), (second, unit_of_other) in itertools.product(one, other):
            at = dict(zip(pair, (unit, unit_of_other), strict=True))
            names.append((first, second))
            scores.append(self.these(at))
            effects.append(self.these({name: weights - 1.0 / len(weights) for name, weights in at.items()}))
        return [Cell(pair, *row) for row in zip(names, scores, corrected(effects), strict=True)]

    def these(self, weights: Weights) -> Contrast:
        """Return the sum of cells for these levels."""
        flat = self.flat(weights)
        estimate, score = self.sum(flat), self.score(flat)
        _, _, lo, hi = estimate.interval()
        return Contrast(score, min(lo, score), max(hi, score), estimate.p_value() if score else 1.0)

    def like(self, weights: Weights, random: Sequence[str]) -> Contrast | None:
        """Return the same if the levels of ``random`` factors are a sample; None if none of them is averaged over."""
        drawn = [name for name in random if name not in weights]
        if not drawn:
            return None
        flat, array = self.flat(weights), self.scores.reshape([len(levels) for levels in self.levels.values()])
        for place, (name, levels) in reversed(list(enumerate(self.levels.items()))):
            if name not in drawn:
                array = np.tensordot(array, weights.get(name, np.full(len(levels), 1.0 / len(levels))), (place, 0))
        estimate, these, parts = self.sum(flat), self.these(weights), [spread_of_mean(array)]
        if estimate.terms.target == "population":
            parts.append((estimate.sd**2, estimate.degrees))
        variance, degrees = map(float, satterthwaite(*zip(*parts, strict=True)))
        law = Student(these.mu, math.sqrt(variance), degrees)
        reach = law.reach(Level(estimate.terms.confidence))
        lo, hi = (within(estimate.bounds, end) for end in (these.mu - reach, these.mu + reach))
        return Contrast(these.mu, min(lo, these.lo), max(hi, these.hi), max(law.p_value, these.p_value))

    def test(self, term: Sequence[str]) -> FactorTest:
        """Return the test of a term.

        ``term`` names one dimension, or several for their interaction. For these questions, it is Wald's chi2. Where
        questions are replications, it is F of repeated measures, with the degrees of Greenhouse and Geisser.
        """
        contrasts = np.ones((1, 1))
        for name, levels in self.levels.items():
            count = len(levels)
            contrasts = np.kron(contrasts, _helmert(count) if name in term else np.full((1, count), 1.0 / count))
        effects = contrasts @ self.scores
        sums, rank = [self.sum(row) for row in contrasts], float(len(contrasts))
        degrees = min(estimate.degrees for estimate in sums)
        if math.isinf(degrees):
            noise = contrasts * [cell.sd for cell in self.estimates]
            chi2 = float(effects @ np.linalg.solve(noise @ noise.T, effects))
            return FactorTest(" x ".join(term), chi2, rank, None, float(chdtrc(rank, chi2)))
        shared = joint_effects(sums)
        covariance = shared @ shared.T
        trace = float(np.trace(covariance))
        statistic, epsilon = float(effects @ effects) / trace, trace**2 / (rank * float(np.sum(covariance**2)))
        first, second = epsilon * rank, epsilon * rank * degrees
        return FactorTest(" x ".join(term), statistic, first, second, float(fdtrc(first, second, statistic)))


def _check_trials(metric: Metric, cells: Mapping[Any, OutcomeMatrix]) -> None:
    """Check that the metric has a value per question, in every cell, and that there are questions to compare."""
    if not metric.is_mean_over_questions:
        raise OutcomeError(
            f"{metric} is not a mean over questions, so questions have no variance of their own",
            hint="use a metric with a value per question, such as pass@1, pass@4 or avg",
        )
    required = max(metric.required_trials, metric.draw_size or 1)
    for names, cell in cells.items():
        if cell.min_trials < required:
            place = int(np.argmin(cell.trials))
            label = place if cell.questions is None else repr(cell.questions[place])
            raise OutcomeError(
                f"{metric} needs {pluralize(required, 'trial')} of every question in every cell, and "
                f"({', '.join(names)}) has fewer of question {label}",
                hint="choose a smaller k, or leave the question out of all cells",
            )
    if next(iter(cells.values())).n_questions < _LEAST_QUESTIONS:
        raise OutcomeError(f"at least {_LEAST_QUESTIONS} questions with trials in every cell are needed")


def corrected(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Return contrasts with p-values that are corrected for their number."""
    p_values = holm([contrast.p_value for contrast in contrasts])
    return [contrast._replace(p_corrected=p) for contrast, p in zip(contrasts, p_values, strict=True)]


def _helmert(count: int) -> NDArray[np.float64]:
    """Return orthonormal contrasts of some levels, (count - 1, count)."""
    rows = np.zeros((count - 1, count))
    for i in range(1, count):
        rows[i - 1, :i], rows[i - 1, i] = 1.0, -float(i)
        rows[i - 1] /= np.sqrt(i * (i + 1.0))
    return rows


def mean_squares(values: NDArray[np.float64]) -> dict[Axes, tuple[float, float]]:
    """Return the mean square of every set of axes and its degrees of freedom, the smaller sets first.

    >>> squares = mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> [(axes, value) for axes, (value, degrees) in squares.items()]
    [((0,), 9.0), ((1,), 4.0), ((0, 1), 1.0)]
    """
    squares = {}
    for size in range(1, values.ndim + 1):
        for axes in itertools.combinations(range(values.ndim), size):
            effect = values.mean(axis=tuple(i for i in range(values.ndim) if i not in axes), keepdims=True)
            for i in axes:
                effect = effect - effect.mean(axis=i, keepdims=True)
            degrees = float(np.prod([values.shape[i] - 1 for i in axes]))
            squares[axes] = float(np.sum(effect**2)) * values.size / effect.size / degrees, degrees
    return squares


def spread_of_mean(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the variance of the mean over all dimensions, whose levels are random, and its degrees of freedom.

    It is at least what each dimension alone shows, because differences of mean squares may be too small by chance.

    >>> spread_of_mean(np.array([1.0, 2.0, 4.0, 5.0])) == (10.0 / 3 / 4, 3.0)
    True
    """
    squares = {axes: (square / values.size, degrees) for axes, (square, degrees) in mean_squares(values).items()}
    alone = [part for axes, part in squares.items() if len(axes) == 1]
    signed = [(-((-1.0) ** len(axes)) * part, df) for axes, (part, df) in squares.items()]
    variance, degrees = map(float, satterthwaite(*zip(*signed, strict=True)))
    largest = max(alone, key=operator.itemgetter(0))
    if variance <= largest[0]:
        return largest
    return variance, max(degrees, min(df for _, df in alone))


def components(cells: Cells, confidence: float) -> list[Component]:
    """Return the variance components of all main effects and interactions, and of trials.

    Intervals are generalized confidence intervals: each mean square is divided by a draw of chi2/df, and negative
    variances become 0.
    """
    metric, outcomes = cells.metric, cells.outcomes
    values = [question_values(metric, cell) for cell in outcomes]
    names = [QUESTION, *cells.dimensions]
    array = np.stack(values, axis=1).reshape(-1, *(len(cells.levels[name]) for name in cells.dimensions))
    noise = np.nan
    if all(cell.min_trials > 1 for cell in outcomes):
        noise = float(np.mean([trial_variances(metric, cell).mean() for cell in outcomes]))
    is_known, every = bool(np.isfinite(noise)), set(range(array.ndim))
    squares = mean_squares(array)
    expected = np.array(
        [
            [
                math.prod(array.shape[i] for i in every.difference(other)) * (set(axes) <= set(other))
                for other in squares
            ]
            for axes in squares
        ],
        np.float64,
    )
    trials = np.array([noise if is_known and len(axes) == array.ndim else 0.0 for axes in squares])
    rng = np.random.default_rng(_SEED)
    drawn = np.array([square * degrees / rng.chisquare(degrees, _DRAWS) for square, degrees in squares.values()])
    variances = np.linalg.solve(expected, [square for square, _ in squares.values()]) - trials
    draws = np.maximum(np.linalg.solve(expected, drawn) - trials[:, None], 0.0)
    ends = np.quantile(draws, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=1)
    terms = [" x ".join(names[i] for i in axes) for axes in squares]
    if not is_known:
        terms[-1] = f"{terms[-1]}, and {TRIAL}"
    rows = zip(terms, variances.tolist(), ends[0].tolist(), ends[1].tolist(), strict=True)
    parts = [Component(name, variance, lo, hi, 0.0) for name, variance, lo, hi in rows]
    parts += [Component(TRIAL, noise, None, None, 0.0)] * is_known
    total = sum(max(part.variance, 0.0) for part in parts) or 1.0
    return [part._replace(share=max(part.variance, 0.0) / total) for part in parts]
