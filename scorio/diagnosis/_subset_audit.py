"""What a given subset of a benchmark's questions is worth, and whether it was chosen on the models that it ranks.

A subset that was chosen because it gives these models about their full scores fits them better than a random one
could, and other models worse. So it is compared with random subsets that have as many questions of every stratum.
Strata are those that the subset was drawn from, if they are known. Otherwise questions are cut by rate and
discrimination over the same models, so that a subset that was balanced by difficulty does not look chosen. Four
statistics of the errors ``e_j``, the score of model ``j`` on the subset less that on all questions, are compared:

- the sum of squares of ``e_j`` is too small: the subset reproduces the scores;
- so is their squared Mahalanobis distance from zero: it reproduces what is particular to each model, which a subset
  that was chosen on other models cannot;
- too few pairs of models change places: it reproduces the order;
- one model's error is too far from those of the others: it favors that model, or the reverse.

Every statistic has a rank among the random subsets, and the smallest of the four ranks is compared with the smallest
ranks of the random subsets. Under the hypothesis that the subset is one of them, the p-value is valid exactly.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Flags, Indices, Vector
from .._display.exports import Exports
from .._display.numbers import number, signed
from .._display.table import Column, Table
from .._display.words import pluralize, shorten, unknown
from .._special import ndtri
from ..comparison import default_metric, discrimination
from ..errors import OutcomeError, ParameterError
from ..judging import QuestionSample, check_metric, question_values, strata_of, trial_variances
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeSet, Suite
from ..params import count, generator, open_unit
from ..rank import rank_agreement

Matrix = NDArray[np.float64]
_PER_STRATUM = 5  # questions of the subset in each stratum, on average, at least
_MOST = 12  # strata
_REASONS = (
    "the scores are closer to those on all questions",
    "what is particular to each model is reproduced more closely",
    "fewer pairs of models change places",
    "one model's score is further from those of the others",
)


@dataclass(frozen=True)
class SubsetScore:
    """A model's score on all questions and on the subset, and its place by both.

    ``error`` is the difference. ``left_out_error`` is what is left of it when the subset's score is corrected by the
    mean error of the other models, as one would for a model that was only asked the subset.
    """

    model: str
    full: float
    subset: float
    error: float
    left_out_error: float
    full_rank: int
    rank: int


class Chosen(NamedTuple):
    """The test of whether a subset was chosen on these models: its p-value, and what is unlike random subsets."""

    p: float
    reason: str


@dataclass(frozen=True)
class SubsetAudit(Exports):
    """How well a subset of the questions stands for all of them, over the models of ``scores``.

    ``rms_error`` is the root of the mean square of the errors of the scores, ``left_out_rms_error`` that of the
    corrected ones, and ``random_rms_error`` what random subsets of the same strata have on average. ``tau`` is
    Kendall's tau-b with the ranking on all questions. ``swapped`` of ``pairs`` of models change places, a tie being
    half a change; random subsets swap ``random_swapped`` on average. ``max_drop`` is the smallest drop of a gate that
    the subset can carry: with it, a model as good as its baseline passes with probability ``power``;
    ``full_max_drop`` is that of all questions. Both are infinite where even the largest drop that a score can have is
    too small, so that no gate is carried. ``p_chosen`` is the p-value of the hypothesis that the subset was not
    chosen on these models, and ``reason`` says what is unlike random subsets. ``p_random`` is that of a random draw
    from all questions, judged by their difficulty; NaN for a known design.
    """

    metric: str
    n_questions: int
    n_all: int
    scores: tuple[SubsetScore, ...]
    rms_error: float
    left_out_rms_error: float
    random_rms_error: float
    tau: float
    swapped: float
    random_swapped: float
    pairs: int
    max_drop: float
    full_max_drop: float
    p_chosen: float
    reason: str
    p_random: float
    confidence: float
    power: float

    @property
    def is_chosen(self) -> bool:
        """Whether the subset was evidently chosen on these models; false in at most ``1 - confidence`` of all cases."""
        return self.p_chosen <= 1.0 - self.confidence

    @property
    def verdict(self) -> str:
        """What the test says, in words."""
        if self.is_chosen:
            told = (
                f"chosen on the models that it ranks (p = {self.p_chosen:.2g}): {self.reason} than random subsets allow"
            )
            return f"{told}. Its errors for other models are larger"
        told = f"not evidently chosen on these models (p = {self.p_chosen:.2g})"
        if self.p_random <= 1.0 - self.confidence:
            told += f"; but its questions are not as hard as those of a random draw (p = {self.p_random:.2g})"
        return told

    def __str__(self) -> str:
        told = (
            f"{self.n_questions} of {self.n_all} questions, {pluralize(len(self.scores), 'model')}: scores are off by "
        )
        told += f"{number(self.rms_error)} (random subsets: {number(self.random_rms_error)}), tau-b {number(self.tau)}"
        gates = "no gate" if math.isinf(self.max_drop) else f"gates with a drop of {number(self.max_drop)} or more"
        return f"{told}; carries {gates}; {self.verdict}"

    def _records(self) -> list[dict[str, Any]]:
        return [{**each.__dict__} for each in self.scores]

    def _display_table(self) -> Table:
        heads = ("all questions", "subset", "error", "left-out error", "rank", "rank on subset")
        columns = [Column("model"), *(Column(head, right=True) for head in heads)]
        cells = [
            [
                *(each.model, number(each.full), number(each.subset), signed(each.error)),
                *(signed(each.left_out_error), str(each.full_rank), str(each.rank)),
            ]
            for each in self.scores
        ]
        passes = f"for an equally good model to pass with probability {self.power:g}"
        full = "too few as well" if math.isinf(self.full_max_drop) else number(self.full_max_drop)
        drop = f"a gate on the subset needs a drop of at least {number(self.max_drop)}"
        if math.isinf(self.max_drop):
            drop = "the subset carries no gate: no drop that a score can have is enough"
        drop += f" (all questions: {full}) {passes}"
        swapped = (
            f"{self.swapped:g} of {self.pairs} pairs of models change places (random subsets: "
            f"{self.random_swapped:.3g}); tau-b {number(self.tau)}"
        )
        notes = ["left-out error: after correction by the mean error of the other models", swapped, drop]
        return Table(str(self).partition("; carries")[0], columns, cells, [*notes, self.verdict])


def audit_subset(
    full: Any,
    ids: Any,
    *,
    metric: Metric | str | None = None,
    chosen_on: Collection[str] = (),
    confidence: float = 0.95,
    power: float = 0.8,
    draws: int = 1999,
    rng: int | np.random.Generator | None = 0,
) -> SubsetAudit:
    """Say how well a subset of the questions stands for all of them, and whether it was chosen on these models.

    ``full`` has the outcomes of several models on all questions: an ``OutcomeSet``, or what it takes. ``ids`` are the
    questions of the subset: their names, or a ``QuestionSample``, whose strata and probabilities are then used. Models
    that the subset was chosen on do not show how good it is: leave them out with ``chosen_on``.

    The test compares the subset with ``draws`` random subsets of the same strata. A subset that was drawn at random is
    called chosen with a probability of at most ``1 - confidence``.

    >>> import numpy as np
    >>> from scorio import OutcomeSet
    >>> R = np.random.default_rng(0).random((4, 60, 2)) < np.linspace(0.1, 0.9, 60)[:, None]
    >>> audit = audit_subset(OutcomeSet({name: rows for name, rows in zip("abcd", R)}), range(0, 60, 3))
    >>> audit.n_questions, audit.is_chosen
    (20, False)
    """
    open_unit("confidence", confidence)
    open_unit("power", power)
    models = _models(full, chosen_on)
    chosen = default_metric(models.values()) if metric is None else as_metric(metric)
    check_metric(chosen)
    values = np.array([question_values(chosen, each) for each in models.values()])
    inside = _inside(models, ids)
    random = _Subsets.drawn(values, inside, *_design(values, inside, ids), count("draws", draws), generator(rng))
    found = random.chosen()
    scores = _scores(values, random.errors[0], tuple(models))
    swaps = random.swapped()
    tau = rank_agreement([each.full for each in scores], [each.subset for each in scores]).kendall
    drops = _limits_with_power(chosen, models, values, random, -float(ndtri(1.0 - confidence)) + float(ndtri(power)))
    return SubsetAudit(
        metric=str(chosen),
        n_questions=int(inside.sum()),
        n_all=len(inside),
        scores=scores,
        rms_error=_rms(np.array([each.error for each in scores])),
        left_out_rms_error=_rms(np.array([each.left_out_error for each in scores])),
        random_rms_error=_rms(random.errors[1:]),
        tau=tau,
        swapped=float(swaps[0]),
        random_swapped=float(swaps[1:].mean()),
        pairs=len(models) * (len(models) - 1) // 2,
        max_drop=drops[0],
        full_max_drop=drops[1],
        p_chosen=found.p,
        reason=found.reason,
        p_random=np.nan if isinstance(ids, QuestionSample) else _p_random(values, inside, draws, generator(rng)),
        confidence=confidence,
        power=power,
    )


def _models(full: Any, chosen_on: Collection[str]) -> OutcomeSet:
    """Return the models to look at, of which there must be two."""
    if isinstance(full, Suite):
        raise OutcomeError("the outcomes are of several tasks", hint="audit each task by itself: full[task]")
    models = full if isinstance(full, OutcomeSet) else OutcomeSet(full)
    for name in chosen_on:
        if name not in models:
            raise ParameterError(unknown("model", name, tuple(models)), argument="chosen_on")
    left = {name: each for name, each in models.items() if name not in chosen_on}
    if len(left) < 2:
        raise OutcomeError(f"{pluralize(len(left), 'model')} to judge the subset by; at least 2 are needed")
    return OutcomeSet(left)


def _inside(models: OutcomeSet, ids: Any) -> Flags:
    """Return which questions are in the subset."""
    names = [str(name) for name in models.questions or range(models.n_questions)]
    wanted: tuple[Hashable, ...] = ids.questions if isinstance(ids, QuestionSample) else tuple(ids)
    times = Counter(map(str, wanted))
    twice = [name for name, each in times.items() if each > 1]
    if twice:
        hint = "a question counts once in a subset: name each question once"
        raise ParameterError(f"names questions more than once: {shorten(twice)}", argument="ids", hint=hint)
    missing = [name for name in wanted if str(name) not in set(names)]
    if missing:
        raise ParameterError(f"has questions that the outcomes lack: {shorten(missing)}", argument="ids")
    inside = np.array([name in times for name in names])
    if not 2 <= int(inside.sum()) < len(names):
        problem = f"must be at least 2 and not all of the {len(names)} questions; got {int(inside.sum())}"
        raise ParameterError(problem, argument="ids")
    return inside


def _design(values: Matrix, inside: Flags, ids: Any) -> tuple[Indices, Vector]:
    """Return the stratum of every question, and its weight in a score on the subset."""
    if isinstance(ids, QuestionSample):
        if len(ids.benchmark) != len(inside):
            problem = f"was drawn from {len(ids.benchmark)} questions, and the outcomes have {len(inside)}"
            raise ParameterError(problem, argument="ids")
        return np.array(ids.stratum, np.intp), 1.0 / ids.chances / len(inside)
    told = np.nan_to_num(discrimination(values.T, 0.95).r)
    most = max(1, min(_MOST, int(inside.sum()) // _PER_STRATUM))
    return strata_of(values.mean(axis=0), told, np.ones(len(inside)), most), np.full(len(inside), 1.0 / inside.sum())


@dataclass(frozen=True, eq=False)
class _Subsets:
    """The errors of the models' scores (draws + 1, models): those of the subset first, then of random ones."""

    full: Vector
    errors: Matrix

    @classmethod
    def drawn(
        cls, values: Matrix, inside: Flags, stratum: Indices, weight: Vector, draws: int, random: np.random.Generator
    ) -> "_Subsets":
        """Draw subsets with as many questions of every stratum."""
        full = values.mean(axis=1)
        sums = np.zeros((draws + 1, len(values)))
        sums[0] = values[:, inside] @ weight[inside]
        for h in range(int(stratum.max()) + 1):
            here = np.flatnonzero(stratum == h)
            size = int(inside[here].sum())
            if size:
                order = np.argpartition(random.random((draws, len(here))), size - 1, axis=1)[:, :size]
                taken = np.zeros((draws, len(here)))
                np.put_along_axis(taken, order, 1.0, axis=1)
                sums[1:] += taken @ (values[:, here] * weight[here]).T
        return cls(full, sums - full)

    def chosen(self) -> Chosen:
        """Return the p-value of the smallest rank of four statistics, and the one that has it."""
        centred = self.errors - self.errors[1:].mean(axis=0)
        sd = np.maximum(centred[1:].std(axis=0), 1e-12)
        unit = centred / sd
        correlation = unit[1:].T @ unit[1:] / (len(unit) - 1)
        ridge = correlation + 0.05 * np.eye(len(correlation))
        distances = np.einsum("ij,ij->i", unit, np.linalg.solve(ridge, unit.T).T)
        odd = -np.abs(unit - np.median(unit, axis=1, keepdims=True)).max(axis=1)
        statistics = [(self.errors**2).sum(axis=1), distances, self.swapped(), odd]
        ranks = np.array([_rank(each) for each in statistics])
        least = ranks.min(axis=0)
        p = float(np.mean(least <= least[0] + 1e-12))
        return Chosen(p, _REASONS[int(np.argmin(ranks[:, 0]))])

    def swapped(self) -> Vector:
        """Return how many pairs of models change places in each subset; a tie is half a change."""
        one, other = np.triu_indices(len(self.full), 1)
        truth = np.sign(np.round(self.full[one] - self.full[other], 12))
        scores = self.full + self.errors
        total = np.zeros(len(scores))
        for i in range(0, len(one), 64):
            part = slice(i, i + 64)
            signs = np.sign(np.round(scores[:, one[part]] - scores[:, other[part]], 12))
            total += np.abs(signs - truth[part]).sum(axis=1) / 2.0
        return total


def _rank(statistic: Vector) -> Vector:
    """Return the share of subsets with a statistic that is as small, for every subset."""
    ordered = np.sort(np.round(statistic, 12))
    return np.asarray(np.searchsorted(ordered, np.round(statistic, 12), side="right") / len(ordered))


def _scores(values: Matrix, errors: Vector, names: tuple[str, ...]) -> tuple[SubsetScore, ...]:
    full = values.mean(axis=1)
    found = full + errors
    left = errors - (errors.sum() - errors) / (len(errors) - 1)
    places = [1 + (each[None, :] > each[:, None] + 1e-12).sum(axis=1) for each in (full, found)]
    columns = (full, found, errors, left, *places)
    rows = zip(names, *(each.tolist() for each in columns), strict=True)
    return tuple(SubsetScore(*row) for row in rows)


def _rms(errors: Vector) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _drops(values: Matrix, random: _Subsets, noise: Vector) -> tuple[float, float]:
    """Return the standard error of the difference of two models like neighbours: on the subset, and on all questions.

    That of the subset is that of a random one of the same strata, or the error that these models show if it is larger.
    """
    order = np.argsort(values.mean(axis=1), kind="stable")
    pairs = list(pairwise(order))
    trials = float(np.mean([noise[i] + noise[j] for i, j in pairs]))
    drawn = float(np.mean([np.mean((random.errors[1:, i] - random.errors[1:, j]) ** 2) for i, j in pairs]))
    seen = float(np.mean([(random.errors[0, i] - random.errors[0, j]) ** 2 for i, j in pairs]))
    return float(np.sqrt(max(drawn, seen) + trials)), float(np.sqrt(trials))


def _limits_with_power(
    metric: Metric, models: OutcomeSet, values: Matrix, random: _Subsets, errors: float
) -> list[float]:
    """Return the smallest limits of a gate that the subset, and all questions, can show to be kept.

    They are so many standard errors of a difference; infinite where no score can fall by as much.
    """
    noise = np.array([np.nanmean(trial_variances(metric, each)) for each in models.values()]) / values.shape[1]
    ends = np.array([metric.support(each) for each in models.values()])
    largest = float(ends[:, 1].max() - ends[:, 0].min())
    return [math.inf if errors * each >= largest else errors * each for each in _drops(values, random, noise)]


def _p_random(values: Matrix, inside: Flags, draws: int, random: np.random.Generator) -> float:
    """Return the p-value of the subset's mean rate and of its mean square among random draws from all questions."""
    rate = values.mean(axis=0)
    features = np.array([rate, (rate - rate.mean()) ** 2])
    everything = np.zeros(len(rate), np.intp)
    weight = np.full(len(rate), 1.0 / inside.sum())
    errors = _Subsets.drawn(features, inside, everything, weight, draws, random).errors
    sd = np.maximum(errors[1:].std(axis=0), 1e-12)
    furthest = np.round(-np.abs(errors / sd).max(axis=1), 12)
    return float(np.mean(furthest <= furthest[0]))
