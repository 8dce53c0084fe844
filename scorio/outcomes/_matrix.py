"""OutcomeMatrix: the outcomes of repeated trials of a set of questions, validated once and reduced to counts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from .._arrays import Counts
from .._display.words import pluralize, shorten
from ..errors import OutcomeError
from ..params import count, generator
from ._alignment import added_trials, merged, rearranged
from ._answers import Normalize, normalize_answer
from ._counts import CountTable
from ._from_arrays import category_count, read, read_prior
from ._from_counts import drawn, planned_of, read_counts
from ._from_names import labeled, single_run
from ._from_rewards import Reduced, RewardTrials, read_rewards
from ._labels import selected, warn_of_axes
from ._outcome_values import check_levels, missing_code
from ._trial_runs import TrialRuns, runs_of_trials
from ._trial_samples import TrialSamples, drawn_places, samples_of_trials


class OutcomeMatrix(CountTable):
    """Outcomes of every question, immutable, as counts by category.

    ``R`` is questions x trials (one dimension is one question) of categories 0, 1, ..: an array of any real dtype and
    layout, from any library; a masked array; rows of different lengths; a mapping from questions to their trials; or a
    table (a data frame, or a list of records) with one row per trial or per question, whose columns have usual names.
    Words such as C/P/I/N and pass/fail stand for their rewards.
    ``prior`` is R0, earlier outcomes of the same questions; ``categories`` is their number, where not all of them
    occur; ``questions`` and ``clusters`` are labels. ``missing`` says what becomes of a NaN or None: ``"raise"`` an
    error, ``"omit"`` left out, ``"fail"`` counted as a failure, category 0. Masked trials are always left out.
    ``runs`` says which trials share a server, a day or a seed: one label per column, or one per trial in the shape of
    ``R``. Without it, trials are taken as independent. ``answers`` has the answer of each trial in the shape of ``R``,
    None for no answer, and ``scores`` maps names of scores to one number per trial, such as that of a verifier: votes
    and choices among samples need them. ``normalize`` makes equal answers alike; None takes them as they are.

    >>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> R
    OutcomeMatrix(2 questions x 5 trials, binary)
    >>> R.successes
    array([3, 4])
    """

    __slots__ = ()

    _continuous: ClassVar[type[OutcomeMatrix]]  # RewardMatrix, which sets it

    def __init__(
        self,
        R: Any,
        *,
        prior: Any = None,
        categories: int | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
        runs: Iterable[Any] | None = None,
        answers: Any = None,
        scores: Mapping[str, Any] | None = None,
        normalize: Normalize | None = normalize_answer,
    ) -> None:
        width = 0 if categories is None else category_count(categories)
        code = missing_code(missing)
        if type(R) is not np.ndarray or R.dtype.names is not None:  # a plain array has no labels
            R, questions, clusters = labeled(R, "R", questions, clusters)
        counts, planned, levels = read(R, width, code, "R", runs is not None)
        earlier = None if prior is None else read_prior(prior, len(counts), width, code)
        if levels is not None and earlier is not None:
            raise OutcomeError(f"prior outcomes are categories, but R has rewards: {shorten(levels)}")
        of_trials = None if runs is None else runs_of_trials(R, runs, code)
        samples = samples_of_trials(R, answers, scores, normalize, code)
        self._fill(counts, planned, earlier, questions, clusters, levels, False, of_trials, samples)
        if questions is None and runs is None:
            warn_of_axes(len(counts), planned if type(planned) is int else int(np.max(planned)), R)

    @classmethod
    def from_single_run(
        cls,
        results: Any,
        questions: Iterable[Hashable] | None = None,
        *,
        categories: int | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
    ) -> Self:
        """Make outcomes of one trial per question: ``results`` has one outcome per question, in a flat list or by name.

        >>> OutcomeMatrix.from_single_run([0, 1, 1], questions=["q1", "q2", "q3"])
        OutcomeMatrix(3 questions x 1 trial, binary)
        >>> OutcomeMatrix.from_single_run({"q1": 0, "q2": 1})
        OutcomeMatrix(2 questions x 1 trial, binary)
        """
        rows, labels = single_run(results, questions)
        return cls(rows, categories=categories, questions=labels, clusters=clusters, missing=missing)

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
        """Make outcomes of counts: successes (M,) with trials, or counts by category (M, C+1).

        ``trials`` and ``planned`` (the trials that were planned) are one number or one number per question.

        >>> OutcomeMatrix.from_counts([3, 4], 5, planned=8)
        OutcomeMatrix(2 questions x 5 trials, binary, completeness 0.625)
        """
        table = read_counts(counts, trials)
        present = table.sum(axis=1)
        if not present.any():
            raise OutcomeError("counts hold no trial")
        planned_trials = planned_of(planned, present)
        prior = None if prior_counts is None else read_counts(prior_counts, None, "prior_counts")
        if prior is not None and len(prior) != len(table):
            raise OutcomeError(f"prior_counts has {len(prior)} questions, counts has {len(table)}")
        matrix = cls._of_table(table, planned_trials, prior, questions, clusters)
        return matrix if levels is None else matrix._replaced(levels=check_levels(levels, matrix.n_categories))

    @classmethod
    def from_rewards(
        cls,
        values: Any,
        *,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
        max_levels: int | None = None,
        runs: Iterable[Any] | None = None,
        answers: Any = None,
        scores: Mapping[str, Any] | None = None,
        normalize: Normalize | None = normalize_answer,
    ) -> OutcomeMatrix:
        """Make outcomes of rewards: the distinct rewards, ascending, become the categories and the default weights.

        With more than 50 distinct rewards, or with more than 10 where most trials have a reward of their own, the
        rewards are continuous: the result is a RewardMatrix, which keeps a few numbers per question and has no
        categories. With ``max_levels``, more distinct rewards than that are continuous.

        A lone level is paired with 0 (or, if it is 0 itself, with 1), so that there are always two categories;
        rewards of 0 and 1 only are pass/fail outcomes, without levels. ``missing="fail"`` counts a missing reward as 0,
        or as the lowest reward where some rewards are negative.

        >>> OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]).levels
        (0.2, 0.75, 1.0)
        >>> OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]], max_levels=2)
        RewardMatrix(2 questions x 3 trials, continuous rewards from 0.2 to 1)
        """
        rows, questions, clusters = labeled(values, "values", questions, clusters)
        code = missing_code(missing)
        trials, planned = read_rewards(rows, code)
        of_trials = None if runs is None else runs_of_trials(rows, runs, code, "values")
        samples = samples_of_trials(rows, answers, scores, normalize, code, "values")
        if questions is None and runs is None:
            warn_of_axes(trials.n_rows, int(np.max(planned)), None if trials.n_rows == 1 else rows)
        return cls._of_reduced(trials.reduced(max_levels), planned, questions, clusters, of_trials, samples)

    @classmethod
    def _of_reduced(
        cls,
        reduced: Reduced,
        planned: int | Counts,
        questions: Iterable[Hashable] | None,
        clusters: Iterable[Hashable] | None,
        runs: TrialRuns | None = None,
        samples: TrialSamples | None = None,
    ) -> OutcomeMatrix:
        """Return a RewardMatrix of continuous rewards, else outcomes counted by level."""
        content, levels = reduced
        kind = cls._continuous if levels is None else cls
        return kind._of_table(content, planned, None, questions, clusters, levels, False, runs, samples)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        question: str | None = None,
        outcome: str | None = None,
        trial: str | None = None,
        cluster: str | None = None,
        levels: Mapping[Any, float | None] | None = None,
        missing: str = "raise",
        times: str | None = None,
        run: str | None = None,
        answer: str | None = None,
        scores: Iterable[str] = (),
        normalize: Normalize | None = normalize_answer,
    ) -> OutcomeMatrix:
        """Read one model's outcomes from a data frame with one row per trial, as ``OutcomeSet.from_frame`` does."""
        from ._from_frames import read_frame

        roles = {"question": question, "outcome": outcome, "model": None, "trial": trial, "cluster": cluster}
        others: dict[str, Any] = {"times": times, "run": run, "answer": answer, "scores": scores}
        found = read_frame(frame, roles, others, levels, missing, normalize).outcomes
        if len(found) > 1:
            problem = f"the data frame holds several models, {shorten(found)}"
            raise OutcomeError(problem, hint="OutcomeSet.from_frame reads them all; or keep the rows of one")
        return cls._of_reduced(*found.popitem()[1])

    @property
    def is_continuous(self) -> bool:
        """Whether these are continuous rewards without categories: a RewardMatrix."""
        return False

    def as_continuous(self) -> OutcomeMatrix:
        """Return the rewards as a RewardMatrix, without categories.

        >>> OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]).as_continuous()
        RewardMatrix(2 questions x 3 trials, continuous rewards from 0.2 to 1)
        """
        if self._levels is None and not self.has_two_categories:
            raise OutcomeError("these are categories without rewards: pass levels=... to say what each is worth")
        if self._prior is not None:
            raise OutcomeError("continuous rewards have no prior outcomes: merge these into the trials instead")
        rows, category = np.nonzero(self._counts)
        rewards = np.array(self._levels or range(self.n_categories), np.float64)[category]
        trials = RewardTrials(rewards, rows, self.n_questions, "the outcomes", self._counts[rows, category])
        labels = (self._questions, self._clusters)
        known = (self._runs, self._samples)
        rewards_only = self._of_reduced((trials.summary(), None), self._planned, *labels, *known)
        return rewards_only.as_adaptive() if self._adaptive else rewards_only

    @property
    def without_rewards(self) -> OutcomeMatrix:
        """The same categories without rewards."""
        return self if self._levels is None else self._cached("without_rewards", lambda: self._replaced(levels=None))

    def as_adaptive(self) -> OutcomeMatrix:
        """Mark the trials as allocated by their outcomes, as ``next_trials`` does.

        Raw means of such trials are biased, and ``Metric.score`` warns of it. ``prior="learned"`` is not affected.

        >>> OutcomeMatrix([[0, 1], [1, 1]]).as_adaptive()
        OutcomeMatrix(2 questions x 2 trials, binary, adaptive)
        """
        return self if self._adaptive else self._replaced(adaptive=True)

    @property
    def with_prior_counts(self) -> OutcomeMatrix:
        """The same questions with the prior outcomes counted in."""
        prior = self._prior
        return self if prior is None else self._cached("with_prior_counts", lambda: self._with(prior))

    def _with(self, prior: Counts) -> OutcomeMatrix:
        planned = added_trials(self.planned_trials, prior.sum(axis=1), self._questions)
        return self._replaced(counts=self._counts + prior, planned=planned, prior=None)

    def merge(self, other: Any) -> OutcomeMatrix:
        """Add the trials of another matrix of the same questions: matched by label if both have labels, else by place.

        >>> OutcomeMatrix([[0, 1]]).merge([[1, 1, 1]]).counts
        array([[1, 4]])
        """
        theirs = as_outcomes(other)
        return self.as_continuous().merge(theirs) if theirs.is_continuous else merged(self, theirs)

    def select(self, questions: Any) -> OutcomeMatrix:
        """Select questions by label where there are labels, else by index; or by a boolean mask or a slice.

        >>> OutcomeMatrix([[0, 1], [1, 1]], questions=["a", "b"]).select(["b"]).successes
        array([2])
        """
        selection = rearranged(self, selected(questions, self.n_questions, self._questions))
        if not selection.trials.any():
            raise OutcomeError("the selection has no trial")
        return selection

    def draw(self, n: int, rng: int | np.random.Generator | None = None) -> OutcomeMatrix:
        """Draw ``n`` trials of each question without replacement.

        >>> OutcomeMatrix([[0, 1, 1], [1, 1, 1]]).draw(2, rng=0)
        OutcomeMatrix(2 questions x 2 trials, binary)
        """
        n = count("n", n)
        too_few = np.flatnonzero(self.trials < n)
        if too_few.size:
            names = [self._questions[i] for i in too_few] if self._questions else too_few.tolist()
            raise OutcomeError(f"draw({n}) needs {n} trials of each question; too few in {shorten(names)}")
        return self._drawn(n, generator(rng))

    def _drawn(self, n: int, rng: np.random.Generator) -> Self:
        if self._samples is None:
            return self._replaced(counts=drawn(self._counts, n, rng), planned=n)
        cells = np.repeat(np.arange(self._counts.size), self._counts.ravel())
        kept = drawn_places(self.trials, n, rng)
        counts = np.bincount(cells[kept], minlength=self._counts.size).reshape(self._counts.shape)
        return self._replaced(counts=counts, planned=n, samples=self._samples.at(kept))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeMatrix):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self) -> int:
        return self._cached("hash", lambda: hash(self._content()))

    def _content(self) -> tuple[Any, ...]:
        prior = None if self._prior is None else self._prior.tobytes()
        rest = (self.planned_trials.tobytes(), self._questions, self._clusters, self._levels, self._adaptive)
        return self._counts.shape, self._counts.tobytes(), prior, *rest

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of_table, tuple(self._parts().values()), self._own_attributes()

    def __repr__(self) -> str:
        low, high = self.min_trials, self.max_trials
        trials = pluralize(low, "trial") if low == high else f"{low}..{high} trials"
        gaps = f", completeness {self.completeness:.3g}" if self.completeness < 1 else ""
        chosen = ", adaptive" if self._adaptive else ""
        runs = "" if self._runs is None else f", {pluralize(len(self._runs.labels), 'run')}"
        name, questions = type(self).__name__, pluralize(self.n_questions, "question")
        return f"{name}({questions} x {trials}, {self._kind()}{gaps}{runs}{chosen})"

    def _kind(self) -> str:
        return "binary" if self.is_pass_fail else f"{self.n_categories} categories"


def as_outcomes(R: Any) -> OutcomeMatrix:
    """Return ``R`` itself if it is an OutcomeMatrix, else the OutcomeMatrix made of it."""
    return R if isinstance(R, OutcomeMatrix) else OutcomeMatrix(R)


def pass_fail_outcomes(R: Any) -> OutcomeMatrix:
    """Return ``as_outcomes(R)``, checked to have no rewards other than 0 and 1."""
    outcomes = as_outcomes(R)
    if outcomes._levels is not None:
        rewards = ", ".join(f"{level:g}" for level in outcomes._levels[:4])
        rewards += ", .." if len(outcomes._levels) > 4 else ""
        raise OutcomeError(
            f"right or wrong is needed here, and these are rewards of {rewards}: score them by BayesMetric, AvgMetric "
            "or MaxAtK, or say first which of them are right, as in values >= 1"
        )
    return outcomes
