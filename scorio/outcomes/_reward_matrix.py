"""RewardMatrix: continuous rewards, of which a few numbers per question are kept instead of counts by category."""

from collections.abc import Hashable, Iterable
from typing import Any, NoReturn, Self, Unpack

import numpy as np

from .._base.arrays import Counts, Indices, Vector, read_only, stored
from .._base.options import accepted
from ..errors import OutcomeError, Remedy
from ._labels import Labels
from ._matrix import PARTS, LabelPair, OutcomeMatrix
from ._outcome_values import missing_code
from ._rewards import RewardSummary, Support, check_support, read_rewards, summarize
from ._trials import NOTHING, TrialColumns, TrialOptions, known_of_arrays, takes_trials


class RewardMatrix(OutcomeMatrix):
    """Continuous rewards of every question, immutable: judge scores, F1, log-probabilities, every value distinct.

    Each question keeps its number of trials, their mean and the sums of squared and cubed deviations. There are no
    categories: metrics of rewards (AvgMetric, BayesMetric, MaxAtK) take the matrix, metrics that count successes
    refuse it. ``OutcomeMatrix.from_rewards`` makes one where the rewards have too many distinct values to count.

    ``values``, ``missing``, ``questions``, ``clusters``, ``runs``, ``answers`` and ``scores`` are those of
    ``OutcomeMatrix``.
    ``support`` is the smallest and largest value that a reward can have, if that is known; intervals are clipped to it.
    With ``keep_values=False`` the trials are not kept, and Max@k and ``at_least`` are not available.

    >>> R = RewardMatrix([[0.12, 0.55, 0.31], [0.78, 0.93, 0.66]], support=(0, 1))
    >>> R
    RewardMatrix(2 questions x 3 trials, continuous rewards from 0.12 to 0.93)
    >>> R.means.round(4)
    array([0.3267, 0.79  ])
    """

    __slots__ = ("_summary", "_support")

    is_continuous = True
    _names_of_parts = tuple({"counts": "summary", "levels": "support"}.get(name, name) for name in PARTS)

    _summary: RewardSummary

    summary: RewardSummary = stored("_summary", "What is kept of the rewards of every question.")
    support: Support | None = stored(
        "_support", "The smallest and largest value that a reward can have, or None if it is not known."
    )
    means: Vector = stored("_summary.mean", "The mean reward of each question, (M,); NaN without trials.")

    @takes_trials
    def __init__(
        self,
        values: Any,
        *,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
        support: Iterable[float] | None = None,
        keep_values: bool = True,
        **options: Unpack[TrialOptions],
    ) -> None:
        accepted(options, RewardMatrix.__init__)
        code = missing_code(missing)
        trials = read_rewards(values, code)
        columns = known_of_arrays(values, options, code, "values")
        summary = trials.summary()
        limits = None if support is None else check_support(support, summary)
        kept = summary if keep_values else summary.without_values()
        self._fill(kept, trials.planned, None, (questions, clusters), limits, False, columns)

    def _fill(  # type: ignore[override]
        self,
        summary: RewardSummary,
        planned: int | Counts,
        prior: Counts | None,
        labels: LabelPair,
        support: Support | None = None,
        adaptive: bool = False,
        columns: TrialColumns = NOTHING,
    ) -> None:
        if columns and summary.values is None:
            problem = "the run, answer or score of each trial says nothing without the trials, and they were not kept"
            raise OutcomeError(problem, remedies=[Remedy("keep_values", True, "keeps them")])
        if prior is not None:
            raise OutcomeError("continuous rewards have no prior outcomes: merge these into the trials instead")
        counts = np.zeros((len(summary.trials), 0), np.int64)
        super()._fill(counts, planned, prior, labels, None, adaptive, columns)
        self._summary, self._support = summary, support

    @classmethod
    def of_trials(cls, values: Vector, rows: Indices, count: int, questions: Labels | None = None) -> Self:
        """Make continuous rewards, which are not kept, of trials with the question of each; some may have none.

        >>> RewardMatrix.of_trials(np.array([1.0, 3.0]), np.array([1, 1]), 2).trials.tolist()
        [0, 2]
        """
        summary = summarize(values, rows, count).without_values()
        return cls.of_parts(summary, summary.trials, None, questions)

    @classmethod
    def of_moments(cls, trials: Counts, mean: Vector, squares: Vector, questions: Iterable[Hashable] | None) -> Self:
        """Make continuous rewards of the trials of each question, their mean and their squared deviations from it."""
        return cls.of_parts(RewardSummary(trials, mean, squares, np.full(len(trials), np.nan)), trials, None, questions)

    # The rewards.

    def as_continuous(self) -> OutcomeMatrix:
        """Return the matrix itself."""
        return self

    @property
    def has_two_categories(self) -> bool:
        """Whether the outcomes are 0 or 1: never, as rewards have no categories."""
        return False

    @property
    def trials(self) -> Counts:
        """Trials of each question that have a reward, (M,)."""
        return self._summary.trials

    @property
    def min_trials(self) -> int:  # type: ignore[override]
        """The smallest number of trials of a question."""
        return int(self.trials.min())

    @property
    def max_trials(self) -> int:  # type: ignore[override]
        """The largest number of trials of a question."""
        return int(self.trials.max())

    @property
    def mean(self) -> float:
        """The mean reward of all trials; NaN without any."""
        asked = self.trials > 0
        return float(np.dot(self.trials[asked], self.means[asked]) / self.trials.sum())

    @property
    def variances(self) -> Vector:
        """The variance of each question's rewards, with divisor ``n - 1``, (M,); NaN below two trials."""
        freedom = self.trials - 1.0
        unknown = np.full(len(freedom), np.nan)
        return read_only(np.divide(self._summary.squares, freedom, out=unknown, where=freedom > 0))

    @property
    def ordered(self) -> Vector:
        """The rewards of one question after another, ascending in each, (trials,)."""
        values = self._summary.ordered
        if values is None:
            problem = "the trials of these rewards were not kept, and Max@k and at_least need them"
            raise OutcomeError(problem, remedies=[Remedy("keep_values", True, "keeps them")])
        return values

    def at_least(self, threshold: float) -> OutcomeMatrix:
        """Return binary outcomes: a trial succeeds if its reward is at least ``threshold``.

        >>> RewardMatrix([[0.12, 0.55, 0.31], [0.78, 0.93, 0.66]]).at_least(0.5).successes
        array([1, 3])
        """
        reached = np.bincount(self._summary.rows, self.ordered >= threshold, minlength=self.n_questions)
        counts = np.stack([self.trials - reached, reached], axis=1).astype(np.int64)
        about = (self._questions, self._clusters, None, self._adaptive, self._trial_columns)
        return OutcomeMatrix.of_parts(counts, self._planned, None, *about)

    # The same operations as for counts.

    def question_rewards(self) -> tuple[Vector, Vector, Vector]:
        return self.trials.astype(np.float64), self.means, self._summary.squares

    def trials_at(self, rows: Indices) -> tuple[Indices, Vector]:
        return rows[self._summary.rows], self.ordered

    def _content_at(self, order: Indices) -> dict[str, Any]:
        return {"summary": self._summary.take(order)}

    # What takes counts is refused.

    @property
    def counts(self) -> NoReturn:  # type: ignore[override]
        """Refused: continuous rewards have no categories."""
        raise OutcomeError(
            "0/1 outcomes or categories are needed here, and these are continuous rewards",
            hint="use avg, bayes or max@k (AvgMetric, BayesMetric, MaxAtK), or say first which rewards count as a"
            " success, as in R.at_least(0.5)",
        )

    def _content(self) -> tuple[Any, ...]:
        summary = self._summary
        rewards = (self.ordered,) if summary.values is not None else (summary.mean, summary.squares, summary.cubes)
        numbers = tuple(array.tobytes() for array in (summary.trials, *rewards, self.planned_trials))
        return (*numbers, self._questions, self._clusters, self._support, self._adaptive)

    def _kind(self) -> str:
        values = self._summary.values
        return "continuous rewards" + ("" if values is None else f" from {values.min():.4g} to {values.max():.4g}")


OutcomeMatrix._continuous = RewardMatrix
