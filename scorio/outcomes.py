"""OutcomeMatrix: the outcomes of repeated trials of a set of questions, validated once and reduced to counts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self

import numpy as np

from . import labels
from .counted import drawn, per_question, read_counts
from .errors import OutcomeError
from .grouped import GroupedCounts, frozen
from .intake import Counts, category_count, missing_code, read, read_prior, widen
from .labels import Labels
from .matching import merged, rearranged
from .params import budget, generator
from .rewards import Levels, read_rewards, scale
from .words import amount


class OutcomeMatrix(GroupedCounts):
    """Outcomes of every question, immutable, as counts by category.

    ``R`` is questions x trials (one dimension is one question) of categories 0, 1, ..: an array of any real dtype and
    layout, a masked array, a data frame, or rows of different lengths. ``prior`` is R0, earlier outcomes of the same
    questions; ``categories`` how many there are, where not all of them occur; ``questions`` and ``clusters`` are
    labels. ``missing`` says what a NaN or None is: ``"raise"`` an error, ``"omit"`` left out, ``"fail"`` category 0.
    Masked trials are always left out.

    >>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> R
    OutcomeMatrix(2 questions x 5 trials, binary)
    >>> R.successes
    array([3, 4])
    """

    __slots__ = ("_clusters", "_levels", "_planned", "_questions")

    _planned: int | Counts
    _questions: Labels | None
    _clusters: Labels | None
    _levels: Levels | None

    def __init__(
        self,
        R: Any,
        *,
        prior: Any = None,
        categories: int | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
    ) -> None:
        width = 0 if categories is None else category_count(categories)
        code = missing_code(missing)
        counts, planned = read(R, width, code)
        earlier = None if prior is None else read_prior(prior, len(counts), width, code)
        self._fill(counts, planned, earlier, questions, clusters)

    def _fill(
        self,
        counts: Counts,
        planned: int | Counts,
        prior: Counts | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        levels: Levels | None = None,
    ) -> None:
        """Take over checked counts; check the labels."""
        self._cache = {}
        if prior is not None:
            width = max(counts.shape[1], prior.shape[1])
            counts, prior = widen(counts, width), widen(prior, width)
            frozen(prior)
        self._counts = frozen(counts)
        self._prior = prior
        self._planned = planned
        self._levels = levels
        self._questions = self._clusters = None
        if questions is not None:
            self._questions = labels.checked(questions, len(counts), "questions", unique=True)
        if clusters is not None:
            self._clusters = labels.checked(clusters, len(counts), "clusters", unique=False)

    @classmethod
    def of_table(cls, *parts: Any) -> Self:
        """From parts as ``replaced`` names them, checked already; the counts are taken over, not copied."""
        matrix = cls.__new__(cls)
        matrix._fill(*parts)
        return matrix

    def replaced(self, **parts: Any) -> Self:
        """The same but for some parts: counts, planned, prior, questions, clusters or levels, checked already."""
        return self.of_table(*(self._parts() | parts).values())

    def _parts(self) -> dict[str, Any]:
        return {
            "counts": self._counts,
            "planned": self._planned,
            "prior": self._prior,
            "questions": self._questions,
            "clusters": self._clusters,
            "levels": self._levels,
        }

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        trials: Any = None,
        *,
        planned: Any = None,
        prior_counts: Any = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        levels: Iterable[float] | None = None,
    ) -> Self:
        """Outcomes that are already counted: successes (M,) with trials, or counts by category (M, C+1).

        ``trials`` and ``planned`` (trials that were meant to be run) are one number or one for each question.

        >>> OutcomeMatrix.from_counts([3, 4], 5, planned=8)
        OutcomeMatrix(2 questions x 5 trials, binary, coverage 0.625)
        """
        table = read_counts(counts, trials)
        present = table.sum(axis=1)
        if not present.any():
            raise OutcomeError("counts hold no trial")
        meant = present if planned is None else per_question(planned, len(table), "planned")
        if (meant < present).any():
            raise OutcomeError(f"planned[{np.argmax(meant < present)}] is below the trials that are present")
        prior = None if prior_counts is None else read_counts(prior_counts, None, "prior_counts")
        if prior is not None and len(prior) != len(table):
            raise OutcomeError(f"prior_counts has {len(prior)} questions, counts has {len(table)}")
        matrix = cls.of_table(table, meant, prior, questions, clusters)
        return matrix if levels is None else matrix.replaced(levels=scale(levels, matrix.n_categories))

    @classmethod
    def from_rewards(
        cls,
        values: Any,
        *,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
    ) -> Self:
        """Real-valued rewards: their distinct levels, ascending, become the categories and the default weights.

        A lone level is paired with 0 (or, if it is 0 itself, with 1), so that there are always two categories;
        ``missing="fail"`` counts a missing reward as the lowest level.

        >>> OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]).levels
        (0.2, 0.75, 1.0)
        """
        counts, planned, levels = read_rewards(values, missing_code(missing))
        return cls.of_table(counts, planned, None, questions, clusters, levels)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        question: str,
        outcome: str,
        trial: str | None = None,
        cluster: str | None = None,
        levels: Mapping[Any, float] | None = None,
        missing: str = "raise",
    ) -> Self:
        """One model's outcomes from a data frame with one trial a row, as ``OutcomeSet.from_frame`` reads it."""
        from .tabular import Columns, banks

        [parts] = banks(frame, Columns(question, outcome, None, trial, cluster), levels, missing).values()
        return cls.of_table(*parts)

    @property
    def questions(self) -> Labels | None:
        """The label of each question, or None."""
        return self._questions

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each question, or None."""
        return self._clusters

    @property
    def is_right_or_wrong(self) -> bool:
        """Whether the outcomes are binary, and worth 0 and 1 where they are rewards."""
        return self.is_binary and self._levels in (None, (0.0, 1.0))

    @property
    def ungraded(self) -> OutcomeMatrix:
        """The same categories without rewards."""
        return self if self._levels is None else self._cached("ungraded", lambda: self.replaced(levels=None))

    @property
    def levels(self) -> Levels | None:
        """The real reward of each category, or None."""
        return self._levels

    @property
    def planned_trials(self) -> Counts:
        """Trials planned for each question, present or missing, (M,)."""
        return np.broadcast_to(np.asarray(self._planned, np.int64), self.n_questions)

    @property
    def planned(self) -> int:
        """Trials planned in all."""
        return int(self.planned_trials.sum())

    @property
    def coverage(self) -> float:
        """Trials present over trials planned."""
        if type(self._planned) is int and self.min_trials == self._planned:
            return 1.0
        return self._cached("coverage", lambda: int(self._counts.sum()) / self.planned)

    @property
    def informed(self) -> OutcomeMatrix:
        """The same questions with the prior outcomes counted in."""
        prior = self._prior
        return self if prior is None else self._cached("informed", lambda: self._with(prior))

    def _with(self, prior: Counts) -> OutcomeMatrix:
        return self.replaced(counts=self._counts + prior, planned=self._planned + prior.sum(axis=1), prior=None)

    def merge(self, other: Any) -> OutcomeMatrix:
        """Both matrices' trials of the same questions, matched by label where both have labels, else by position.

        >>> OutcomeMatrix([[0, 1]]).merge([[1, 1, 1]]).counts
        array([[1, 4]])
        """
        return merged(self, as_outcomes(other))

    def select(self, questions: Any) -> OutcomeMatrix:
        """Some of the questions: labels where there are labels, else indices; or a boolean mask, or a slice.

        >>> OutcomeMatrix([[0, 1], [1, 1]], questions=["a", "b"]).select(["b"]).successes
        array([2])
        """
        found = rearranged(self, labels.chosen(questions, self.n_questions, self._questions))
        if not found.counts.any():
            raise OutcomeError("the selection has no trial")
        return found

    def draw(self, n: int, rng: int | np.random.Generator | None = None) -> OutcomeMatrix:
        """``n`` trials of each question, drawn without replacement.

        >>> OutcomeMatrix([[0, 1, 1], [1, 1, 1]]).draw(2, rng=0)
        OutcomeMatrix(2 questions x 2 trials, binary)
        """
        n = budget("n", n)
        short = np.flatnonzero(self.trials < n)
        if short.size:
            names = [self._questions[i] for i in short] if self._questions else short.tolist()
            raise OutcomeError(f"draw({n}) needs {n} trials of each question; too few in {labels.listed(names)}")
        return self.replaced(counts=drawn(self._counts, n, generator(rng)), planned=n)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeMatrix):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self) -> int:
        return self._cached("hash", lambda: hash(self._content()))

    def _content(self) -> tuple[Any, ...]:
        prior = None if self._prior is None else self._prior.tobytes()
        rest = (self.planned_trials.tobytes(), self._questions, self._clusters, self._levels)
        return self._counts.shape, self._counts.tobytes(), prior, *rest

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_table, tuple(self._parts().values())

    def __repr__(self) -> str:
        low, high = self.min_trials, self.max_trials
        trials = amount(low, "trial") if low == high else f"{low}..{high} trials"
        kind = "binary" if self.is_right_or_wrong else f"{self.n_categories} categories"
        gaps = f", coverage {self.coverage:.3g}" if self.coverage < 1 else ""
        return f"OutcomeMatrix({amount(self.n_questions, 'question')} x {trials}, {kind}{gaps})"


def right_or_wrong(R: Any) -> OutcomeMatrix:
    """``as_outcomes``, of outcomes that may have rewards of 0 and 1 but no others."""
    bank = as_outcomes(R)
    if bank._levels is not None and not bank.is_right_or_wrong:
        rewards = ", ".join(f"{level:g}" for level in bank._levels[:4]) + (", .." if len(bank._levels) > 4 else "")
        raise OutcomeError(
            f"right or wrong is needed here, and these are rewards of {rewards}: score them by BayesMetric, AvgMetric "
            "or MaxAtK, or say first which of them are right, as in values >= 1"
        )
    return bank


def as_outcomes(R: Any) -> OutcomeMatrix:
    """``R`` itself if it is an OutcomeMatrix, else the OutcomeMatrix made of it."""
    return R if isinstance(R, OutcomeMatrix) else OutcomeMatrix(R)
