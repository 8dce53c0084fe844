"""OutcomeMatrix: the outcomes of repeated trials of a set of questions, validated once and reduced to counts.

Metrics sum over the distinct rows of the counts. Those of binary outcomes are the states (successes, trials), those of
other outcomes profiles; each is computed once, on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar, Self, TypeVar, Unpack

import numpy as np

from .._base.arrays import Counts, Indices, Vector, read_only, stored
from .._base.options import accepted
from .._base.words import pluralize
from .._kernels.distinct import distinct, distinct_rows, highest, locate
from .._kernels.states import Groups, States
from ..errors import OutcomeError
from ._exports import MatrixAsData
from ._from_arrays import planned_of, read, read_counts, read_prior, widen
from ._labels import Labels, check_labels, look_swapped, order_of_questions, selected, taken, warn_of_axes
from ._outcome_values import PASS_FAIL, Levels, added_trials, check_levels, check_total, missing_code
from ._rewards import Reduced, RewardTrials, read_rewards
from ._table import labeled, single_run
from ._table_layout import FrameOptions, takes_columns
from ._trials import NOTHING, TrialColumns, TrialOptions, known_of_arrays, takes_trials

T = TypeVar("T")
DistinctRows = tuple[Vector, Groups, Indices]
PARTS = ("counts", "planned", "prior", "questions", "clusters", "levels", "adaptive", "trial_columns")
LabelPair = tuple[Iterable[Hashable] | None, Iterable[Hashable] | None]  # of the questions, and of their clusters
_TRIALS = {"counts", "summary"}  # the parts that hold trials


class OutcomeMatrix(MatrixAsData):
    """Outcomes of every question, immutable, as counts by category.

    ``R`` is questions x trials (one dimension is one question) of categories 0, 1, ..: an array of any real dtype and
    layout, from any library; a masked array; rows of different lengths; a mapping from questions to their trials; or a
    table (a data frame, or a list of records) whose columns have usual names, which is read as ``from_frame`` does.
    Words such as C/P/I/N and pass/fail stand for their rewards.
    ``prior`` is R0, earlier outcomes of the same questions; ``questions`` and ``clusters`` are labels. ``missing`` says
    what becomes of a NaN or None: ``"raise"`` an error, ``"omit"`` left out, ``"fail"`` counted as a failure, category
    0. Masked trials are always left out.
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

    __slots__ = ("__weakref__", "_cache", "_groups", "_n_questions", "_states", *(f"_{name}" for name in PARTS))

    _cache: dict[Hashable, Any]
    _planned: int | Counts
    _groups: Groups
    _states: States

    counts: Counts = stored("_counts", "Trials of each question in each category, (M, C+1).")
    prior_counts: Counts | None = stored("_prior", "Prior outcomes of each question by category, (M, C+1), or None.")
    n_questions: int = stored("_n_questions", "The number of questions, M.")
    questions: Labels | None = stored("_questions", "The label of each question, or None.")
    clusters: Labels | None = stored("_clusters", "The cluster of each question, or None.")
    levels: Levels | None = stored(
        "_levels", "The reward of each category, ascending; None for categories, and for rewards of 0 and 1 only."
    )
    is_adaptive: bool = stored(
        "_adaptive", "Whether outcomes decided which questions got more trials; see ``as_adaptive``."
    )
    trial_columns: TrialColumns = stored(
        "_trial_columns", "The run, the answer and the scores of every trial, where they are known."
    )
    groups: Groups = stored(
        "_groups", "The questions grouped by their counts: states for binary outcomes, else profiles."
    )
    states: States = stored(
        "_states", "The distinct pairs (successes, trials) with their multiplicity; for binary outcomes only."
    )
    min_trials: int = stored("_groups.min_trials", "The smallest number of trials of a question.")
    max_trials: int = stored("_groups.max_trials", "The largest number of trials of a question.")

    is_continuous: ClassVar[bool] = False  # whether these are continuous rewards without categories: a RewardMatrix
    _names_of_parts: ClassVar[tuple[str, ...]] = PARTS
    _continuous: ClassVar[type[OutcomeMatrix]]  # RewardMatrix, whose module sets it
    _of_table: ClassVar[Callable[..., OutcomeMatrix | None]]  # that of the only model, as is the next
    _of_frame: ClassVar[Callable[..., OutcomeMatrix]]
    _merged: ClassVar[Callable[..., OutcomeMatrix]]  # the trials of two, whose module sets it

    @takes_trials
    def __init__(
        self,
        R: Any,
        *,
        prior: Any = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
        **options: Unpack[TrialOptions],
    ) -> None:
        if options:
            accepted(options, OutcomeMatrix.__init__)
        code = missing_code(missing)
        table = columns = None
        if type(R) is not np.ndarray or R.dtype.names is not None:  # a plain array has no labels
            beside = {"questions": questions, **options, "normalize": None}
            table = self._of_table(R, beside, missing=missing)
            R, questions = labeled(R, "R", questions)
        if table is None:
            counts, levels, planned = read(R, code, "R", options.get("runs") is not None)
        elif table.is_continuous:
            raise OutcomeError("the outcomes are continuous rewards", hint="OutcomeMatrix.from_frame reads them")
        else:
            counts, planned, levels, columns = table.counts, table._planned, table.levels, table.trial_columns
            questions, clusters = table.questions, table.clusters if clusters is None else clusters
        earlier = None if prior is None else read_prior(prior, len(counts), code, levels)
        if columns is None:
            columns = known_of_arrays(R, options, code) if options else NOTHING
        self._fill(counts, planned, earlier, (questions, clusters), levels, False, columns)
        if questions is None and options.get("runs") is None:
            warn_of_axes(len(counts), planned if type(planned) is int else int(np.max(planned)), R)

    @classmethod
    def from_single_run(
        cls,
        results: Any,
        questions: Iterable[Hashable] | None = None,
        *,
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
        return cls(rows, questions=labels, clusters=clusters, missing=missing)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        trials: Any = None,
        *,
        planned: Any = None,
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
        matrix = cls.of_parts(table, planned_trials, None, questions, clusters)
        return matrix if levels is None else matrix.replaced(levels=check_levels(levels, matrix.n_categories))

    @classmethod
    @takes_trials
    def from_rewards(
        cls,
        values: Any,
        *,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        missing: str = "raise",
        max_levels: int | None = None,
        **options: Unpack[TrialOptions],
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
        accepted(options, cls.from_rewards)
        if type(values) is not np.ndarray:
            beside = {"questions": questions, "clusters": clusters, **options, "normalize": None}
            table = cls._of_table(values, beside, missing=missing, max_levels=max_levels)
            if table is not None:
                return table
        rows, questions = labeled(values, "values", questions)
        code = missing_code(missing)
        trials = read_rewards(rows, code)
        columns = known_of_arrays(rows, options, code, "values")
        if questions is None and options.get("runs") is None:
            warn_of_axes(trials.n_rows, int(np.max(trials.planned)), None if trials.n_rows == 1 else rows)
        reduced = (trials.summary(), None) if issubclass(cls, cls._continuous) else trials.reduced(max_levels)
        return cls.of_reduced(reduced, trials.planned, questions, clusters, columns)

    @classmethod
    def of_reduced(
        cls,
        reduced: Reduced,
        planned: int | Counts,
        questions: Iterable[Hashable] | None,
        clusters: Iterable[Hashable] | None,
        columns: TrialColumns = NOTHING,
    ) -> OutcomeMatrix:
        """Return a RewardMatrix of continuous rewards, else outcomes counted by level."""
        content, levels = reduced
        kind = cls._continuous if levels is None else cls
        return kind.of_parts(content, planned, None, questions, clusters, levels, False, columns)

    @classmethod
    @takes_columns
    def from_frame(cls, frame: Any, **options: Unpack[FrameOptions]) -> OutcomeMatrix:
        """Read one model's outcomes from a data frame with one row per trial; see ``OutcomeSet.from_frame``."""
        return cls._of_frame(frame, accepted(options, cls.from_frame))

    def _fill(
        self,
        counts: Counts,
        planned: int | Counts,
        prior: Counts | None,
        labels: LabelPair,
        levels: Levels | None = None,
        adaptive: bool = False,
        columns: TrialColumns = NOTHING,
    ) -> None:
        """Take over counts that are checked already, and check their sum and the labels."""
        check_total(planned, len(counts))
        if prior is not None:
            check_total(prior, len(counts))
        self._cache = {}
        if prior is not None:
            width = max(counts.shape[1], prior.shape[1])
            counts, prior = widen(counts, width), read_only(widen(prior, width))
        counts.setflags(write=False)
        self._counts, self._n_questions = counts, len(counts)
        self._prior = prior
        self._planned = planned
        self._levels = None if levels == PASS_FAIL else levels
        self._adaptive = adaptive
        self._trial_columns = columns
        self._questions = self._clusters = None
        questions, clusters = labels
        if questions is not None:
            self._questions = check_labels(questions, len(counts), "questions", unique=True)
        if clusters is not None:
            self._clusters = check_labels(clusters, len(counts), "clusters", unique=False)

    @classmethod
    def of_parts(
        cls, content: Any, planned: Any, prior: Any = None, questions: Any = None, clusters: Any = None, *parts: Any
    ) -> Self:
        """Return outcomes of the parts that ``_parts`` names; the counts are checked already, and not copied."""
        matrix = cls.__new__(cls)
        matrix._fill(content, planned, prior, (questions, clusters), *parts)
        return matrix

    def replaced(self, **parts: Any) -> Self:
        """Return the same outcomes with some parts replaced by others that are checked already.

        Of other trials, nothing is known unless it is given, too.
        """
        if not parts.keys().isdisjoint(_TRIALS):
            parts = {"trial_columns": NOTHING} | parts
        return self.of_parts(*(self._parts() | parts).values())

    def reordered(self, order: Indices) -> Self:
        """Return the questions at these positions."""
        return self.replaced(
            **self._content_at(order),
            planned=self.planned_trials[order],
            questions=taken(self._questions, order),
            clusters=taken(self._clusters, order),
            trial_columns=self._trial_columns.take(order, self.trials) if self._trial_columns else NOTHING,
        )

    def _content_at(self, order: Indices) -> dict[str, Any]:
        return {"counts": self._counts[order], "prior": None if self._prior is None else self._prior[order]}

    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, f"_{name}") for name in self._names_of_parts}

    def as_continuous(self) -> OutcomeMatrix:
        """Return the rewards as a RewardMatrix, without categories.

        >>> OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]).as_continuous()
        RewardMatrix(2 questions x 3 trials, continuous rewards from 0.2 to 1)
        """
        if self._levels is None and not self.has_two_categories:
            raise OutcomeError("these are categories without rewards: pass levels=... to say what each is worth")
        if self._prior is not None:
            raise OutcomeError("continuous rewards have no prior outcomes: merge these into the trials instead")
        trials = self.as_trials("the outcomes")
        parts = (self._planned, self._questions, self._clusters, self._trial_columns)
        rewards_only = self.of_reduced((trials.summary(), None), *parts)
        return rewards_only.as_adaptive() if self._adaptive else rewards_only

    def as_trials(self, name: str) -> RewardTrials:
        """Return the reward or category of every trial; errors call the outcomes by their name."""
        rows, category = np.nonzero(self._counts)
        rewards = np.array(self._levels or range(self.n_categories), np.float64)[category]
        return RewardTrials(rewards, rows, self.n_questions, name, self._counts[rows, category])

    @property
    def n_categories(self) -> int:
        """The number of categories, C + 1: at least 2, whether or not all of them occur."""
        return int(self.counts.shape[1])

    @property
    def max_category(self) -> int:
        """The largest category that occurs, in R or in R0."""
        largest: int | None = self._cache.get("max_category")
        if largest is None:
            tables = [self.counts] if self._prior is None else [self.counts, self._prior]  # continuous rewards refuse
            largest = self._cache["max_category"] = max(map(highest, tables))
        return largest

    @property
    def has_two_categories(self) -> bool:
        """Whether no category above 1 occurs, in R or in R0."""
        return self._counts.shape[1] == 2 or self.max_category <= 1

    def is_even_and_whole(self, k: int) -> bool:
        """Whether these are as many successes and failures of every question as planned, at least ``k`` together."""
        is_plain = type(self) is OutcomeMatrix and self._counts.shape[1] == 2 and self._levels is None
        if not is_plain or self._adaptive or self._prior is not None or type(self._planned) is not int:
            return False
        states = self.states
        return k <= states.min_trials == states.max_trials == self._planned

    @property
    def is_pass_fail(self) -> bool:
        """Whether the outcomes are binary: categories 0 and 1, or rewards of 0 and 1."""
        return self._levels is None and self.has_two_categories

    @property
    def planned_trials(self) -> Counts:
        """Trials planned for each question, present or missing, (M,)."""
        return np.broadcast_to(np.asarray(self._planned, np.int64), self.n_questions)

    @property
    def planned(self) -> int:
        """The number of planned trials, over all questions."""
        return int(self.planned_trials.sum())

    @property
    def completeness(self) -> float:
        """The share of the planned trials that have an outcome."""
        planned = self._planned
        if type(planned) is int and self.min_trials == planned:
            return 1.0
        return self.cached("completeness", lambda: int(self.trials.sum()) / self.planned if self.planned else 1.0)

    @property
    def trials(self) -> Counts:
        """Trials of each question that have an outcome, (M,)."""
        return self.cached("trials", lambda: read_only(sum(self._counts.T[1:], self._counts[:, 0])))

    @property
    def successes(self) -> Counts:
        """Successes of each question, (M,); for binary outcomes only."""
        self._check_binary()
        return self.cached("successes", lambda: read_only(self._counts[:, 1].copy()))

    @property
    def looks_swapped(self) -> bool:
        """Whether questions without labels have so many trials each that the axes may be swapped."""
        return self._questions is None and look_swapped(self._n_questions, self.max_trials)

    @property
    def mean_trials(self) -> float:
        """The mean number of trials per question."""
        low = self.min_trials
        return low if low == self.max_trials else self.cached("mean_trials", lambda: float(self.trials.mean()))

    @property
    def runs(self) -> Labels | None:
        """The runs that trials belong to, sorted; None if they are not known. ``counts_by_run`` has their trials.

        Runs describe outcomes; two matrices with the same outcomes are equal whatever their runs are.
        """
        return None if self._trial_columns.runs is None else self._trial_columns.runs.labels

    @property
    def answers(self) -> Labels | None:
        """The distinct answers of all trials; None if they are not known.

        Answers describe outcomes; two matrices with the same outcomes are equal whatever their answers are.
        """
        return None if self._trial_columns.answers is None else self._trial_columns.answers.labels

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores that are known of every trial, such as that of a verifier."""
        return tuple(self._trial_columns.scores)

    @property
    def without_runs(self) -> Self:
        """The same trials, taken as independent; what is computed from them is shared."""
        if self._trial_columns.runs is None:
            return self
        plain = self.replaced(trial_columns=self._trial_columns.without_runs)
        plain._cache = self._cache
        if self.has_two_categories:
            plain._states = plain._groups = self.states
        return plain

    @property
    def counts_by_run(self) -> Counts:
        """Trials of each run, question and category, (runs, M, C+1)."""
        return read_only(self._trial_columns.all_runs.counts_by_run(self._counts))

    def trials_at(self, rows: Indices) -> tuple[Indices, Vector]:
        """Return the row of every trial, if questions go to these rows, and a number that orders its outcome."""
        scale = np.array(self._levels or range(self.n_categories), np.float64)
        outcomes = np.repeat(np.tile(scale, self.n_questions), self._counts.ravel())
        return np.repeat(rows, self.trials), outcomes

    def question_rewards(self) -> tuple[Vector, Vector, Vector]:
        """Return the trials of each question, their mean reward, NaN without any, and the sum of squared deviations.

        >>> [numbers.round(3).tolist() for numbers in OutcomeMatrix([[0, 1, 1, 1], [0, 0, 0, 0]]).question_rewards()]
        [[4.0, 4.0], [0.75, 0.0], [0.75, 0.0]]
        """
        n = self.trials.astype(np.float64)
        levels = np.array(self._levels or range(self.n_categories), np.float64)
        mean = np.divide(self._counts @ levels, n, out=np.full(len(n), np.nan), where=n > 0)
        return n, mean, (self._counts * (levels - np.nan_to_num(mean)[:, None]) ** 2).sum(axis=1)

    # The distinct rows of the counts.

    def __getattr__(self, name: str) -> Any:
        """Return the states or the groups, which are computed when they are first asked for."""
        if name not in ("_groups", "_states"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        if self._counts.shape[1] == 2 or self.has_two_categories:
            states = self._states = self._groups = distinct(self._counts)
            return states
        if name == "_states":
            self._check_binary()
        groups = self._groups = self._distinct_rows()[1]
        return groups

    @property
    def state_of_question(self) -> Indices:
        """The index of each question's state, (M,)."""
        where = self._cache.get("state_of_question")
        if where is None:
            where = np.empty(len(self._counts), np.intp)
            locate(self._counts, self.states, where)
            self._cache["state_of_question"] = read_only(where)
        return where

    @property
    def profile_rows(self) -> Vector:
        """The distinct rows of the counts as floats, in the order of their trials, (S, C+1)."""
        if self.has_two_categories:
            return self.cached("profile_rows", self._rows_of_states)
        return self._distinct_rows()[0]

    @property
    def profile_of_question(self) -> Indices:
        """The index of each question's row in ``profile_rows``, (M,)."""
        return self.state_of_question if self.has_two_categories else self._distinct_rows()[2]

    def _rows_of_states(self) -> Vector:
        states = self.states
        rows = np.zeros((states.n_states, self.n_categories))
        rows[:, 1] = states.successes
        rows[:, 0] = states.trials - states.successes
        return read_only(rows)

    def _distinct_rows(self) -> DistinctRows:
        return self.cached("distinct_rows", distinct_rows, self.counts)

    def cached(self, name: Hashable, make: Callable[..., T], *of: Any) -> T:
        try:
            value: T | None = self._cache.get(name)
        except TypeError:  # a metric that cannot be a key, such as one with an array for a parameter
            return make(*of)
        if value is None:
            value = self._cache[name] = make(*of)
        return value

    def _check_binary(self) -> None:
        if not self.has_two_categories:
            raise OutcomeError(
                f"binary outcomes (0 or 1) are needed here; category {self.max_category} occurs",
                hint="say which outcomes are right, as in R >= 2; avg and max score rewards",
            )

    @property
    def without_rewards(self) -> OutcomeMatrix:
        """The same categories without rewards."""
        return self if self._levels is None else self.cached("without_rewards", lambda: self.replaced(levels=None))

    def as_adaptive(self) -> OutcomeMatrix:
        """Mark the trials as allocated by their outcomes, as ``next_trials`` does.

        Raw means of such trials are biased, and ``Metric.score`` warns of it. ``prior="learned"`` is not affected.

        >>> OutcomeMatrix([[0, 1], [1, 1]]).as_adaptive()
        OutcomeMatrix(2 questions x 2 trials, binary, adaptive)
        """
        return self if self._adaptive else self.replaced(adaptive=True)

    @property
    def with_prior_counts(self) -> OutcomeMatrix:
        """The same questions with the prior outcomes counted in."""
        prior = self._prior
        if prior is None:
            return self
        planned = added_trials(self.planned_trials, prior.sum(axis=1), self._questions)
        counted = {"counts": self._counts + prior, "planned": planned, "prior": None}
        return self.cached("with_prior_counts", lambda: self.replaced(**counted))

    def merge(self, other: Any) -> OutcomeMatrix:
        """Add the trials of another matrix of the same questions: matched by label if both have labels, else by place.

        Rewards of both have the levels of either.

        >>> OutcomeMatrix([[0, 1]]).merge([[1, 1, 1]]).counts
        array([[1, 4]])
        """
        return self._merged(self, other if isinstance(other, OutcomeMatrix) else type(self)(other))

    def in_order_of(self, questions: Labels | None, n_questions: int, whose: str) -> Self:
        """Return the questions in a given order, by label where there are labels on both sides."""
        order = order_of_questions(questions, n_questions, self._questions, self.n_questions, whose)
        return self if order is None else self.reordered(order)

    def labelled(self, questions: Labels | None, clusters: Labels | None) -> Self:
        """Return the outcomes with these labels and clusters."""
        is_same = (self._questions, self._clusters) == (questions, clusters)
        return self if is_same else self.replaced(questions=questions, clusters=clusters)

    def select(self, questions: Any) -> OutcomeMatrix:
        """Select questions by label where there are labels, else by index; or by a boolean mask or a slice.

        >>> OutcomeMatrix([[0, 1], [1, 1]], questions=["a", "b"]).select(["b"]).successes
        array([2])
        """
        selection = self.reordered(selected(questions, self.n_questions, self._questions))
        if not selection.trials.any():
            raise OutcomeError("the selection has no trial")
        return selection

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeMatrix):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self) -> int:
        return self.cached("hash", lambda: hash(self._content()))

    def _content(self) -> tuple[Any, ...]:
        prior = None if self._prior is None else self._prior.tobytes()
        rest = (self.planned_trials.tobytes(), self._questions, self._clusters, self._levels, self._adaptive)
        return self._counts.shape, self._counts.tobytes(), prior, *rest

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_parts, tuple(self._parts().values())

    def __repr__(self) -> str:
        low, high = self.min_trials, self.max_trials
        trials = pluralize(low, "trial") if low == high else f"{low}..{high} trials"
        gaps = f", completeness {self.completeness:.3g}" if self.completeness < 1 else ""
        chosen = ", adaptive" if self._adaptive else ""
        runs = "" if self.runs is None else f", {pluralize(len(self.runs), 'run')}"
        name, questions = type(self).__name__, pluralize(self.n_questions, "question")
        return f"{name}({questions} x {trials}, {self._kind()}{gaps}{runs}{chosen})"

    def _kind(self) -> str:
        return "binary" if self.is_pass_fail else f"{self.n_categories} categories"


def as_outcomes(R: Any) -> OutcomeMatrix:
    """Return ``R`` itself if it is an OutcomeMatrix, else the OutcomeMatrix made of it."""
    return R if isinstance(R, OutcomeMatrix) else OutcomeMatrix(R)
