"""Which questions a model answers better or worse than before: at a false-discovery rate, or a family-wise error.

The latter says whether anything broke since a baseline.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import underflow_is_zero
from .._display.exports import Exports
from .._display.numbers import DIGITS, chance, percent, rate, signed
from .._display.table import Field, Table
from .._display.words import pluralize, shorten, tally
from ..errors import ParameterError
from ..estimates import Weights, at_task, default_metric, pair_of_models, shares_of
from ..params import open_unit
from ._change_tests import BETTER, Change, Sides, call_power, changes, counts_of, fisher_tests, trials_to_call
from ._comparison import Comparison
from ._two_models import Pairs, PairTerms, compared, shared_questions
from ._verdicts import CHANCE, FAILED, PASSED, UNDECIDED


@dataclass(frozen=True)
class QuestionChange:
    """One question in both runs, and what is said of it, ``change``.

    ``p_better`` is the probability that its rate is higher now, ``p_value`` that of the test of no change, and
    ``q_value`` the false-discovery rate at which it would just be called.
    """

    task: str
    question: Any
    old: float
    new: float
    old_trials: int
    new_trials: int
    p_better: float
    p_value: float
    q_value: float
    change: str


KINDS = ("improved", "worse", "flaky", "flipped", "same")
_NOTES = (
    "improved, worse: called with this false-discovery rate",
    "flipped: the runs differ and all trials of each agree, but there are too few to call it",
)
_FROM, _TO = 0.25, 0.75  # a large change of one question
_STEP = 0.05  # of the rates that are tried for the smallest fall that would be seen
_MOST_TRIALS = 200  # for which that is computed


@dataclass(frozen=True)
class QuestionDiff(Exports):
    """The questions of both runs, with what changed; ``only_old`` and ``only_new`` are in one run only.

    ``overall`` compares the mean of all questions that both runs have; None if some has no trial in one of them.
    """

    names: tuple[str, str]
    rows: tuple[QuestionChange, ...]
    fdr: float
    only_old: tuple[tuple[str, Any], ...] = ()
    only_new: tuple[tuple[str, Any], ...] = ()
    overall: Comparison | None = None
    _columns: ClassVar = (
        Field("change", of="change"),
        Field("task", of="task", unless=""),
        Field("question", of="question"),
        Field("{0.names[0]}", True, "old", rate),
        Field("{0.names[1]}", True, "new", rate),
        Field("trials", True, "old_trials new_trials", "{}, {}".format),
        Field("P(better)", True, "p_better", chance),
        Field("q", True, "q_value", chance),
    )

    def of_kind(self, *kinds: str) -> tuple[QuestionChange, ...]:
        """Return the questions that improved, are worse, flaky, flipped or the same; clearest first."""
        chosen = [row for row in self.rows if row.change in kinds]
        return tuple(sorted(chosen, key=lambda row: (kinds.index(row.change), row.q_value, -abs(row.new - row.old))))

    @property
    def improved(self) -> tuple[QuestionChange, ...]:
        """The questions that are called better than before."""
        return self.of_kind("improved")

    @property
    def worse(self) -> tuple[QuestionChange, ...]:
        """The questions that are called worse than before."""
        return self.of_kind("worse")

    def __str__(self) -> str:
        called = f"{len(self.improved)} improved and {len(self.worse)} are worse"
        rest = tally((row.change for row in self.rows), KINDS[2:])
        about = f"of {pluralize(len(self.rows), 'question')}, {called} (false-discovery rate {self.fdr:g})"
        lone = len(self.only_old) + len(self.only_new)
        more = [f"{pluralize(lone, 'question')} in one run only"] if lone else []
        return "; ".join(filter(None, [*self._overall(), about, rest, *more, *self._needed()]))

    def _overall(self) -> list[str]:
        """Say how the mean of all questions changed."""
        if self.overall is None:
            return []
        whole = self.overall
        change = "better by" if whole.difference > 0 else "worse by"
        change = change if whole.winner else "not significantly different,"
        reach = f"{percent(whole.confidence)} interval {signed(whole.lo)} to {signed(whole.hi)}"
        return [f"overall {change} {signed(whole.difference)} ({reach})"]

    def _needed(self) -> list[str]:
        """Say how many trials it takes to call single questions, if none is called."""
        most = max((min(row.old_trials, row.new_trials) for row in self.rows), default=0)
        if self.improved or self.worse or not self.rows or self.trials_needed <= most:
            return []
        example = f"a question that changes from {_FROM:g} to {_TO:g} is called with probability {CHANCE:g}"
        return [f"{example} from {self.trials_needed} trials in each run, and there are at most {most}"]

    @property
    def trials_needed(self) -> int:
        """The trials of a question in each run from which a change from 0.25 to 0.75 is called with probability 0.8."""
        return trials_to_call(self.fdr / max(len(self.rows), 1), _FROM, _TO, CHANCE)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table of the questions that changed."""
        changed = self.of_kind("improved", "worse", "flipped")
        return [self._changes(str(self), changed, _NOTES if changed else (), digits)]

    def _changes(self, title: str, rows: Iterable[QuestionChange], notes: Sequence[str], digits: int = DIGITS) -> Table:
        names = self.names if self.names[0] != self.names[1] else ("old", "new")
        return Table.of(title, self._columns, rows, notes, digits, replace(self, names=names))

    def flaky_table(self, limit: int = 20) -> Table:
        """Return the flaky questions as a table, those with the clearest difference first."""
        flaky = self.of_kind("flaky")
        return self._changes(f"flaky: {pluralize(len(flaky), 'question')}", flaky, ()).first(limit)


@underflow_is_zero
def diff_questions(
    new: Any,
    baseline: Any,
    *,
    model: str | tuple[str, str] | None = None,
    fdr: float = 0.1,
    runs: str = "auto",
) -> QuestionDiff:
    r"""Say which questions a model answers better or worse than before, at a false-discovery rate.

    Of the questions that are called ``improved`` or ``worse``, a share of at most ``fdr`` is expected not to have
    changed. Pass/fail outcomes are compared by Fisher's exact test per question, and the correction for the number of
    questions knows which p-values these numbers of trials can give. Rewards are compared by a permutation test with a
    normal approximation. Questions that are not called are ``flaky`` if the outcome differs between trials of one run,
    ``flipped`` if it does not and the runs differ (too few trials to call it), and else the ``same``.

    ``p_better`` is the probability that the rate is higher now, from independent posteriors under Jeffreys' prior; it
    is about one question alone. ``new`` and ``baseline`` are outcomes of one model, an ``OutcomeSet`` or a ``Suite``;
    ``model`` chooses the model, or the pair of models, the new one first. Questions are matched by label. ``runs`` is
    that of ``compare``, for the difference over all questions; calls of single questions take trials as independent.

    >>> from scorio import OutcomeMatrix
    >>> old = OutcomeMatrix.from_counts([8, 8, 0, 4], 8, questions=["a", "b", "c", "d"])
    >>> new = OutcomeMatrix.from_counts([0, 8, 0, 5], 8, questions=["a", "b", "c", "d"])
    >>> diff = diff_questions(new, old)
    >>> print(*str(diff).split("; "), sep="\n")
    overall worse by -0.219 (95% interval -0.347 to -0.041)
    of 4 questions, 0 improved and 1 are worse (false-discovery rate 0.1)
    1 flaky, 2 same
    >>> diff.worse[0].question
    'a'
    """
    open_unit("fdr", fdr)
    (name, before), pairs = pair_of_models(new, baseline, model, ("new", "baseline"))
    both = _of_both_runs(pairs)
    questions = _names_of_questions(both)
    rows = zip(questions, _values(changes(both.values(), fdr), fdr), strict=True)
    shared = set(questions)
    only_new, only_old = (
        tuple(
            (task, label)
            for task, pair in pairs.items()
            for label in pair[side].questions or ()
            if (task, label) not in shared
        )
        for side in (0, 1)
    )
    changed = tuple(QuestionChange(*question, *values) for question, values in rows)
    return QuestionDiff((before, name), changed, fdr, only_old, only_new, _compared(both, (name, before), runs))


def _compared(pairs: Pairs, names: tuple[str, str], runs: str) -> Comparison | None:
    """Compare the means of all questions, new against old; None if a question has no trial in some run."""
    matrices = [outcomes for pair in pairs.values() for outcomes in pair]
    if any(outcomes.min_trials < 1 for outcomes in matrices):
        return None
    metric = default_metric(matrices)
    weights: Weights = None if len(pairs) == 1 else "questions"
    shares = shares_of(weights, {task: new.n_questions for task, (new, _) in pairs.items()})
    terms = PairTerms(names=names if names[0] != names[1] else ("new", "old"), runs=runs)
    return compared(metric, [metric] * len(pairs), pairs, shares, terms).result


def _of_both_runs(pairs: Pairs) -> Pairs:
    """Return the outcomes of two runs by task on the questions that both have, in the order of the old ones."""
    both = {}
    for task, (new, old) in pairs.items():
        with at_task(task):
            earlier, later = shared_questions(old, new)
        both[task] = (later, earlier)
    return both


def _names_of_questions(pairs: Pairs) -> list[tuple[str, Any]]:
    """Return the task and the label, or the number, of every question of the pairs."""
    return [(task, label) for task, (new, _) in pairs.items() for label in new.questions or range(new.n_questions)]


def _values(change: Change, fdr: float) -> list[tuple[Any, ...]]:
    """Return the numbers of each question, and what is said of it."""
    called = change.corrected <= fdr
    kind = np.where(change.mixed, 2, np.where(change.sign == 0, 4, 3))
    kind = np.where(called, np.where(change.sign == BETTER, 0, 1), kind)
    numbers: list[Any] = [change.old, change.new, change.old_trials, change.new_trials]
    columns = [*numbers, change.p_better, change.p, change.corrected, kind]
    return [(*line[:-1], KINDS[line[-1]]) for line in zip(*(column.tolist() for column in columns), strict=True)]


@dataclass(frozen=True)
class BrokenQuestion:
    """A question that got worse: its rates and trials in both runs.

    ``p_value`` is that of this question alone, ``p_corrected`` counts all questions, and ``allowed`` says that it may
    get worse.
    """

    task: str
    question: Any
    old: float
    new: float
    old_trials: int
    new_trials: int
    p_value: float
    p_corrected: float
    allowed: bool = False


@dataclass(frozen=True)
class NewFailures(Exports):
    """The questions that got worse, at a family-wise error: the part of a gate that asks ``no_new_failures``.

    It is failed if more of them got worse than ``most``, which are allowed; ``allowed`` questions do not count. It is
    undecided if the trials are so few that no fall of any question would be seen. ``seen`` is the largest rate to
    which a question that was always solved must fall to be called with 80% probability, at the typical number of
    trials; None if no fall would be seen.
    """

    rows: tuple[BrokenQuestion, ...]
    n_questions: int
    n_trials: int
    confidence: float
    most: int
    seen: float | None
    problem: str = ""
    _also: ClassVar = ("verdict",)
    _columns: ClassVar = (
        Field("task", of="task"),
        Field("question", of="question"),
        Field("baseline", True, "old", rate),
        Field("new", True, "new", rate),
        Field("trials", True, "old_trials new_trials", "{}, {}".format),
        Field("p corrected", True, "p_corrected", chance),
        Field("", of="allowed", form=("", "allowed").__getitem__),
    )

    @property
    def broken(self) -> tuple[BrokenQuestion, ...]:
        """The questions that got worse and may not."""
        return tuple(row for row in self.rows if not row.allowed)

    @property
    def verdict(self) -> str:
        """Whether nothing broke, something did, or it cannot be told."""
        if self.problem:
            return UNDECIDED
        if len(self.broken) > self.most:
            return FAILED
        return UNDECIDED if self.seen is None else PASSED

    @property
    def limit_of_sight(self) -> str:
        """Which fall of a question would not be seen, in words."""
        trials = pluralize(self.n_trials, "trial")
        if self.seen is None:
            return f"with {trials} of a question in each run, no fall would be seen, not even from 1 to 0"
        told = f"a question that was always solved is called with {CHANCE:.0%} probability if its rate falls to "
        return f"with {trials} in each run, {told}{self.seen:.2g} or below; smaller falls would not be seen"

    def __str__(self) -> str:
        allowed = f", {self.most} allowed" if self.most else ""
        about = f"{len(self.broken)} of {pluralize(self.n_questions, 'question')} got worse{allowed}"
        names = f" ({shorten([row.question for row in self.broken])})" if self.broken else ""
        return "; ".join(filter(None, [f"no new failures {self.verdict}: {about}{names}", self.problem]))

    def _notes(self) -> list[str]:
        error = percent(1.0 - self.confidence)
        return [self.limit_of_sight, f"Fisher's exact test per question; any false call in at most {error} of gates"]


def new_failures(pairs: Pairs, *, allow: int | Collection[Any], confidence: float, problem: str) -> NewFailures:
    """Return the questions that got worse from the second to the first outcomes of each task."""
    most, listed = _allowed(allow)
    both = _of_both_runs(pairs)
    names, parts = _names_of_questions(both), list(both.values())
    absent = sorted(listed - {str(label) for _, label in names})
    if absent:
        raise ParameterError(f"names no question of both runs: {shorten(absent)}", argument="allow")
    change = changes(parts)
    called = np.flatnonzero((change.corrected <= 1.0 - confidence) & (change.sign == -BETTER))
    order = called[np.argsort(change.corrected[called], kind="stable")]
    columns = (change.old, change.new, change.old_trials, change.new_trials, change.p, change.corrected)
    rows: list[Any] = [
        [*names[i], *(column[i].item() for column in columns), str(names[i][1]) in listed] for i in order.tolist()
    ]
    broken = tuple(BrokenQuestion(*row) for row in rows)
    trials, seen = _sight(parts, change, 1.0 - confidence)
    return NewFailures(broken, len(names), trials, confidence, most, seen, problem)


def _allowed(allow: Any) -> tuple[int, frozenset[str]]:
    """Return how many questions may get worse, and which."""
    if isinstance(allow, (int, np.integer)) and not isinstance(allow, bool) and allow >= 0:
        return int(allow), frozenset()
    if isinstance(allow, Collection) and not isinstance(allow, (str, bytes, Mapping)):
        return 0, frozenset(map(str, allow))
    raise ParameterError(f"must be a whole number, at least 0, or a list of questions; got {allow!r}", argument="allow")


def _sight(parts: Sequence[Sides], change: Change, error: float) -> tuple[int, float | None]:
    """Return the typical number of trials, and the largest rate to which a fall from 1 would be called."""
    trials = int(np.median(np.minimum(change.old_trials, change.new_trials)))
    if not trials:
        return 0, None
    many = min(trials, _MOST_TRIALS)
    error = _level_of_call(parts, many, error, len(change.p))
    rates = np.arange(0.0, 1.0, _STEP)
    is_seen = [call_power(many, error, 1.0, float(rate)) >= CHANCE for rate in rates]
    return trials, float(rates[np.flatnonzero(is_seen)[-1]]) if any(is_seen) else None


def _level_of_call(parts: Sequence[Sides], trials: int, error: float, questions: int) -> float:
    """Return the p-value up to which a fall of one question would be called at this family-wise error."""
    if not all(outcomes.is_pass_fail for pair in parts for outcomes in pair):
        return error / questions
    tests = fisher_tests(*counts_of(parts))
    after = np.arange(trials + 1)
    always = np.full(len(after), trials)
    levels = np.unique(fisher_tests(always, always, after, always).p)
    enough = levels[tests.chance_of_any(levels) + levels <= error]  # with its own
    return float(enough.max(initial=error / questions))
