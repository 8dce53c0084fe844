"""Counts of labeled questions, and the distinct counts among them, each computed once, on first use."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self, TypeVar

import numpy as np

from .._arrays import Counts, Indices, Vector, read_only
from .._display.exports import Exports
from .._display.table import Table
from .._kernels.distinct import distinct, distinct_rows, highest, locate
from .._kernels.states import Groups, States
from ..errors import OutcomeError
from ._exports import matrix_as_dict, matrix_as_table, matrix_records
from ._from_arrays import widen
from ._labels import Labels, check_labels, taken
from ._outcome_values import PASS_FAIL, Levels, check_total
from ._trial_runs import NAME_RUNS, UNKNOWN_RUNS, TrialRuns
from ._trial_samples import KEEP_ANSWERS, NAME_ANSWERS, NO_SAMPLES, TrialSamples

T = TypeVar("T")
DistinctRows = tuple[Vector, Groups, Indices]
_TRIALS = {"counts", "summary"}  # the parts that hold trials


class CountTable(Exports):
    """Counts (M, C+1) of recorded and of prior trials; metrics sum over the distinct rows of the counts.

    The distinct rows of binary outcomes are the states (successes, trials); those of other outcomes are profiles.
    """

    __slots__ = (
        "__weakref__",
        "_adaptive",
        "_cache",
        "_clusters",
        "_counts",
        "_levels",
        "_planned",
        "_prior",
        "_questions",
        "_runs",
        "_samples",
    )

    _counts: Counts
    _prior: Counts | None
    _cache: dict[str, Any]
    _planned: int | Counts
    _questions: Labels | None
    _clusters: Labels | None
    _levels: Levels | None
    _adaptive: bool
    _runs: TrialRuns | None
    _samples: TrialSamples | None

    def _fill(
        self,
        counts: Counts,
        planned: int | Counts,
        prior: Counts | None = None,
        questions: Iterable[Hashable] | None = None,
        clusters: Iterable[Hashable] | None = None,
        levels: Levels | None = None,
        adaptive: bool = False,
        runs: TrialRuns | None = None,
        samples: TrialSamples | None = None,
    ) -> None:
        """Take over counts that are checked already, and check their sum and the labels."""
        check_total(planned, len(counts))
        if prior is not None:
            check_total(prior, len(counts))
        self._cache = {}
        self._runs, self._samples = runs, samples
        if prior is not None:
            width = max(counts.shape[1], prior.shape[1])
            counts, prior = widen(counts, width), read_only(widen(prior, width))
        counts.setflags(write=False)
        self._counts = counts
        self._prior = prior
        self._planned = planned
        self._levels = None if levels == PASS_FAIL else levels
        self._adaptive = adaptive
        self._questions = self._clusters = None
        if questions is not None:
            self._questions = check_labels(questions, len(counts), "questions", unique=True)
        if clusters is not None:
            self._clusters = check_labels(clusters, len(counts), "clusters", unique=False)

    @classmethod
    def _of_table(cls, *parts: Any) -> Self:
        """Return outcomes of the parts that ``_parts`` names; the counts are checked already, and not copied."""
        matrix = cls.__new__(cls)
        matrix._fill(*parts)
        return matrix

    def _complete(
        self, planned: int | Counts, questions: Labels | None, clusters: Labels | None, *, adaptive: bool
    ) -> None:
        """Set what all models of a file share, checked already, in outcomes that nobody else has seen."""
        check_total(planned, len(self._counts))
        self._planned, self._questions, self._clusters, self._adaptive = planned, questions, clusters, adaptive

    def _replaced(self, **parts: Any) -> Self:
        """Return the same outcomes with some parts replaced by others that are checked already.

        Of other trials, the runs and the samples are not known, unless they are given, too.
        """
        if (self._runs is not None or self._samples is not None) and not parts.keys().isdisjoint(_TRIALS):
            parts = {"runs": None, "samples": None} | parts
        return self._of_table(*(self._parts() | parts).values())

    def _reordered(self, order: Indices) -> Self:
        """Return the questions at these positions."""
        return self._replaced(
            counts=self._counts[order],
            planned=self.planned_trials[order],
            prior=None if self._prior is None else self._prior[order],
            questions=taken(self._questions, order),
            clusters=taken(self._clusters, order),
            **self._of_trials(order),
        )

    def _parts(self) -> dict[str, Any]:
        return {
            "counts": self._counts,
            "planned": self._planned,
            "prior": self._prior,
            "questions": self._questions,
            "clusters": self._clusters,
            "levels": self._levels,
            "adaptive": self._adaptive,
            "runs": self._runs,
            "samples": self._samples,
        }

    def _of_trials(self, order: Indices) -> dict[str, Any]:
        """Return what is known of single trials of the questions at these positions, by the name of the part."""
        known = {"runs": self._runs, "samples": self._samples}
        return {name: None if each is None else each.take(order, self.trials) for name, each in known.items()}

    def _own_attributes(self) -> tuple[dict[str, Any] | None, dict[str, Any]] | None:
        """Return the attributes that a user's subclass adds, in the form that copy and pickle set again."""
        own = [kind for kind in type(self).__mro__ if not kind.__module__.startswith(f"{__package__}.")]
        listed = (kind.__dict__.get("__slots__", ()) for kind in own)
        names = [name for slots in listed for name in ([slots] if isinstance(slots, str) else slots)]
        slots = {name: getattr(self, name) for name in names if not name.startswith("__") and hasattr(self, name)}
        attributes: dict[str, Any] = getattr(self, "__dict__", {})
        return (attributes or None, slots) if attributes or slots else None

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, or for continuous rewards the means and variances, and all labels, ready for JSON."""
        return matrix_as_dict(self)

    def _records(self) -> list[dict[str, Any]]:
        return matrix_records(self)

    def _display_table(self) -> Table:
        return matrix_as_table(self)

    @property
    def counts(self) -> Counts:
        """Trials of each question in each category, (M, C+1)."""
        return self._counts

    @property
    def prior_counts(self) -> Counts | None:
        """Prior outcomes of each question in each category, (M, C+1), or None."""
        return self._prior

    @property
    def n_questions(self) -> int:
        """The number of questions, M."""
        return len(self._counts)

    @property
    def n_categories(self) -> int:
        """The number of categories, C + 1: at least 2, whether or not all of them occur."""
        return int(self._counts.shape[1])

    @property
    def _max_category(self) -> int:
        """The largest category that occurs, in R or in R0."""
        found: int | None = self._cache.get("max_category")
        if found is None:
            parts = [self._counts] if self._prior is None else [self._counts, self._prior]
            found = self._cache["max_category"] = max(map(highest, parts))
        return found

    @property
    def has_two_categories(self) -> bool:
        """Whether no category above 1 occurs, in R or in R0."""
        return self._counts.shape[1] == 2 or self._max_category <= 1

    @property
    def is_pass_fail(self) -> bool:
        """Whether the outcomes are binary: categories 0 and 1, or rewards of 0 and 1."""
        return self._levels is None and self.has_two_categories

    @property
    def questions(self) -> Labels | None:
        """The label of each question, or None."""
        return self._questions

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each question, or None."""
        return self._clusters

    @property
    def levels(self) -> Levels | None:
        """The reward of each category, ascending; None for categories, and for rewards of 0 and 1 only."""
        return self._levels

    @property
    def runs(self) -> Labels | None:
        """The runs that trials belong to, sorted; None if they are not known. ``counts_by_run`` has their trials.

        Runs describe outcomes; two matrices with the same outcomes are equal whatever their runs are.
        """
        return None if self._runs is None else self._runs.labels

    @property
    def answers(self) -> Labels | None:
        """The distinct answers of all trials; None if they are not known. ``answer_counts`` has their trials.

        Answers describe outcomes; two matrices with the same outcomes are equal whatever their answers are.
        """
        return None if self._samples is None else self._samples.answers

    @property
    def answer_counts(self) -> list[dict[Any, int]]:
        """The trials of each question with each answer; trials without an answer are left out.

        >>> from scorio import OutcomeMatrix
        >>> OutcomeMatrix([[1, 0, 1]], answers=[["4", "5", "4.0"]]).answer_counts
        [{'4': 2, '5': 1}]
        """
        return self._known_answers.answer_counts(self.trials)

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores that are known of every trial, such as that of a verifier."""
        return () if self._samples is None else tuple(self._samples.scores)

    @property
    def _known_answers(self) -> TrialSamples:
        samples = self._samples
        if samples is None or samples.answers is None:
            problem = "the answers of the trials are not known"
            raise OutcomeError(problem, remedies=[KEEP_ANSWERS], hint=NAME_ANSWERS)
        return samples

    def _known_scores(self, name: str | None = None) -> tuple[str, Vector]:
        """Return a score of every trial by its name, or the only one, with its name."""
        return (self._samples or NO_SAMPLES).score(name)

    @property
    def _without_runs(self) -> Self:
        """The same trials, taken as independent; what is computed from them is shared."""
        if self._runs is None:
            return self
        plain = self._replaced(runs=None)
        plain._cache = self._cache
        return plain

    @property
    def counts_by_run(self) -> Counts:
        """Trials of each run, question and category, (runs, M, C+1)."""
        return read_only(self._known_runs.counts(self._counts))

    def _trials_by_run(self) -> list[dict[Hashable, float | None]] | None:
        """Return the outcome of each question by run, None where it is missing.

        None if runs are not known, if a question was tried twice in one, or if more trials are missing than runs.

        >>> from scorio import OutcomeMatrix
        >>> OutcomeMatrix([[1, 0], [1, None]], runs=["mon", "tue"], missing="omit")._trials_by_run()
        [{'mon': 1.0, 'tue': 0.0}, {'mon': 1.0, 'tue': None}]
        """
        if self._runs is None or (self.planned_trials > len(self._runs.labels)).any():
            return None
        row, outcomes = self._trials_at(np.arange(self.n_questions))
        found: list[dict[Hashable, float | None]] = [{} for _ in range(self.n_questions)]
        for question, outcome, run in zip(row.tolist(), outcomes.tolist(), self._runs.of_trial.tolist(), strict=True):
            if run in found[question]:
                return None
            found[question][run] = outcome
        labels, planned = self._runs.labels, self.planned_trials.tolist()
        return [_by_label(own, labels, count) for own, count in zip(found, planned, strict=True)]

    @property
    def _has_trial_in_every_run(self) -> bool:
        """Whether each run has planned one trial of every question, so that the number of a trial can say its run."""
        runs = self.runs
        return runs is not None and bool((self.planned_trials == len(runs)).all()) and bool(self._trials_by_run())

    def _trials_at(self, rows: Indices) -> tuple[Indices, Vector]:
        """Return the row of every trial, if questions go to these rows, and a number that orders its outcome."""
        scale = np.array(self._levels or range(self.n_categories), np.float64)
        outcomes = np.repeat(np.tile(scale, self.n_questions), self._counts.ravel())
        return np.repeat(rows, self.trials), outcomes

    @property
    def _known_runs(self) -> TrialRuns:
        if self._runs is None:
            raise OutcomeError(UNKNOWN_RUNS, hint=NAME_RUNS)
        return self._runs

    @property
    def is_adaptive(self) -> bool:
        """Whether outcomes decided which questions got more trials; see ``as_adaptive``."""
        return self._adaptive

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
        return self._cached("completeness", lambda: int(self._counts.sum()) / self.planned)

    @property
    def trials(self) -> Counts:
        """Trials of each question that have an outcome, (M,)."""
        return self._cached("trials", lambda: read_only(sum(self._counts.T[1:], self._counts[:, 0])))

    @property
    def successes(self) -> Counts:
        """Successes of each question, (M,); for binary outcomes only."""
        self._check_binary()
        return self._cached("successes", lambda: read_only(self._counts[:, 1].copy()))

    @property
    def min_trials(self) -> int:
        """The smallest number of trials of a question."""
        return (self._cache.get("groups") or self._groups).min_trials

    @property
    def max_trials(self) -> int:
        """The largest number of trials of a question."""
        return (self._cache.get("groups") or self._groups).max_trials

    @property
    def mean_trials(self) -> float:
        """The mean number of trials per question."""
        low = self._groups.min_trials
        return low if low == self._groups.max_trials else self._cached("mean_trials", lambda: float(self.trials.mean()))

    @property
    def _groups(self) -> Groups:
        """The questions grouped by their counts: states for binary outcomes, else profiles."""
        groups: Groups | None = self._cache.get("groups")
        if groups is None:
            groups = self._states if self.has_two_categories else self._distinct_rows()[1]
            self._cache["groups"] = groups
        return groups

    @property
    def _states(self) -> States:
        """The distinct pairs (successes, trials) with their multiplicity; for binary outcomes only."""
        states: States | None = self._cache.get("states")
        if states is None:
            counts = self._counts
            if counts.shape[1] != 2:  # two columns are binary
                self._check_binary()
            states = self._cache["states"] = distinct(counts)
        return states

    @property
    def _state_of_question(self) -> Indices:
        """The index of each question's state, (M,)."""
        return self._cached("state_of_question", self._locate_states)

    @property
    def _profile_rows(self) -> Vector:
        """The distinct rows of the counts as floats, in the order of their trials, (S, C+1)."""
        if self.has_two_categories:
            return self._cached("profile_rows", self._rows_of_states)
        return self._distinct_rows()[0]

    @property
    def _profile_of_question(self) -> Indices:
        """The index of each question's row in ``_profile_rows``, (M,)."""
        return self._state_of_question if self.has_two_categories else self._distinct_rows()[2]

    def _locate_states(self) -> Indices:
        where = np.empty(len(self._counts), np.intp)
        locate(self._counts, self._states, where)
        return read_only(where)

    def _rows_of_states(self) -> Vector:
        states = self._states
        rows = np.zeros((states.n_states, self.n_categories))
        rows[:, 1] = states.successes
        rows[:, 0] = states.trials - states.successes
        return read_only(rows)

    def _distinct_rows(self) -> DistinctRows:
        return self._cached("distinct_rows", lambda: distinct_rows(self._counts))

    def _cached(self, name: str, make: Callable[[], T]) -> T:
        value: T | None = self._cache.get(name)
        if value is None:
            value = self._cache[name] = make()
        return value

    def _check_binary(self) -> None:
        if not self.has_two_categories:
            raise OutcomeError(
                f"binary outcomes (0 or 1) are needed here; category {self._max_category} occurs",
                hint="say which outcomes are right, as in R >= 2; avg and max score rewards",
            )


def _by_label(own: dict[Hashable, float | None], labels: Labels, planned: int) -> dict[Hashable, float | None]:
    """Return outcomes by the label of their run; the first runs without one are those whose trials are missing."""
    absent = [run for run in range(len(labels)) if run not in own][: planned - len(own)]
    return {label: own.get(run) for run, label in enumerate(labels) if run in own or run in absent}
