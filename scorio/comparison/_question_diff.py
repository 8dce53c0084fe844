"""Which questions a model answers better or worse than before: at a false-discovery rate, or a family-wise error.

The latter says whether anything broke since a baseline. Successes of two runs of a question are compared by Fisher's
exact test, given their sum. With few trials, a p-value takes few values, and far fewer than 5% of them are below .05.
The corrections for the number of questions use these distributions (for the false-discovery rate step-up; Doehler,
Durand and Roquain 2018), and so call more than those for uniform p-values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Counts, Indices, Vector, underflow_is_zero
from .._base.exports import Exports
from .._base.numbers import DIGITS, chance, percent, rate, signed
from .._base.special import gammaln
from .._base.table import Field, Table
from .._base.words import pluralize, shorten, tally
from ..errors import ParameterError
from ..estimates._family import benjamini_hochberg, holm
from ..estimates._tasks import Weights, at_task, default_metric, pair_of_models, shares_of
from ..inference._level import p_of_statistic
from ..outcomes import OutcomeMatrix
from ..params import open_unit
from ._comparison import Comparison
from ._two_models import Pairs, PairTerms, compared, shared_questions
from ._verdicts import CHANCE, FAILED, PASSED, UNDECIDED

Sides = tuple[OutcomeMatrix, OutcomeMatrix]  # the new outcomes and the old ones, on the same questions
KINDS = IMPROVED, WORSE, FLAKY, FLIPPED, SAME = ("improved", "worse", "flaky", "flipped", "same")
_ALLOWED = "allowed"  # a question that got worse, and may
_NOTES = (
    "improved, worse: called with this false-discovery rate",
    "flipped: the runs differ and all trials of each agree, but there are too few to call it",
)
_FLAKY = 0.16  # of the squared range: the variance of trials at a rate of .2 or .8
_FROM, _TO = 0.25, 0.75  # a large change of one question
_STEP = 0.05  # of the rates that are tried for the smallest fall that would be seen
_MOST_TRIALS = 200  # for which that is computed
_TIE = 1.0 + 1e-9  # probabilities that differ by less are equal
_COLUMNS = (
    Field("change", of="change"),
    Field("task", of="task", unless=""),
    Field("question", of="question"),
    Field("{0.names[0]}", True, "old", rate),
    Field("{0.names[1]}", True, "new", rate),
    Field("trials", True, "old_trials new_trials", "{}, {}".format),
    Field("p corrected", True, "p_corrected", chance),
)


@dataclass(frozen=True)
class QuestionChange:
    """One question in both runs, and what is said of it, ``change``.

    ``p_value`` is that of the test of no change, and ``p_corrected`` the error rate over all questions at which it
    would just be called.
    """

    task: str
    question: Any
    old: float
    new: float
    old_trials: int
    new_trials: int
    p_value: float
    p_corrected: float
    change: str


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
    _columns: ClassVar = _COLUMNS

    def of_kind(self, *kinds: str) -> tuple[QuestionChange, ...]:
        """Return the questions that improved, are worse, flaky, flipped or the same; clearest first."""
        chosen = [row for row in self.rows if row.change in kinds]
        order = lambda row: (kinds.index(row.change), row.p_corrected, -abs(row.new - row.old))
        return tuple(sorted(chosen, key=order))

    @property
    def improved(self) -> tuple[QuestionChange, ...]:
        """The questions that are called better than before."""
        return self.of_kind(IMPROVED)

    @property
    def worse(self) -> tuple[QuestionChange, ...]:
        """The questions that are called worse than before."""
        return self.of_kind(WORSE)

    def __str__(self) -> str:
        called = f"{len(self.improved)} improved and {len(self.worse)} are worse"
        rest = tally((row.change for row in self.rows), KINDS[2:])
        about = f"of {pluralize(len(self.rows), 'question')}, {called} (false-discovery rate {self.fdr:g})"
        lone = len(self.only_old) + len(self.only_new)
        more = f"{pluralize(lone, 'question')} in one run only" if lone else ""
        return "; ".join(filter(None, [self._overall(), about, rest, more, self._needed()]))

    def _overall(self) -> str:
        whole = self.overall
        if whole is None:
            return ""
        change = "better by" if whole.difference > 0 else "worse by"
        change = change if whole.winner else "not significantly different,"
        reach = f"{percent(whole.confidence)} interval {signed(whole.lo)} to {signed(whole.hi)}"
        return f"overall {change} {signed(whole.difference)} ({reach})"

    def _needed(self) -> str:
        """Say how many trials it takes to call single questions, if none is called."""
        most = max((min(row.old_trials, row.new_trials) for row in self.rows), default=0)
        if self.improved or self.worse or not self.rows or self.trials_needed <= most:
            return ""
        example = f"a question that changes from {_FROM:g} to {_TO:g} is called with probability {CHANCE:g}"
        return f"{example} from {self.trials_needed} trials in each run, and there are at most {most}"

    @property
    def trials_needed(self) -> int:
        """The trials of a question in each run from which a change from 0.25 to 0.75 is called with probability 0.8."""
        return trials_to_call(self.fdr / max(len(self.rows), 1), _FROM, _TO, CHANCE)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table of the questions that changed, and of the flaky ones if there are any, clearest first."""
        named = replace(self, names=self.names if self.names[0] != self.names[1] else ("old", "new"))
        changed, flaky = self.of_kind(IMPROVED, WORSE, FLIPPED), self.of_kind(FLAKY)
        parts = [(str(self), changed, _NOTES if changed else ())]
        about = f"flaky: {pluralize(len(flaky), 'question')}, whose trials disagree more than at a rate of .2 or .8"
        parts += [(about, flaky, ())] if flaky else []
        return [Table.of(title, self._columns, rows, notes, digits, named) for title, rows, notes in parts]


@underflow_is_zero
def diff_questions(
    new: Any, baseline: Any, *, model: str | tuple[str, str] | None = None, fdr: float = 0.1, runs: str = "auto"
) -> QuestionDiff:
    r"""Say which questions a model answers better or worse than before, at a false-discovery rate.

    Of the questions that are called ``improved`` or ``worse``, a share of at most ``fdr`` is expected not to have
    changed. Pass/fail outcomes are compared by Fisher's exact test per question, and the correction for the number of
    questions knows which p-values these numbers of trials can give. Rewards are compared by a permutation test with a
    normal approximation. Questions that are not called are ``flaky`` if the trials of one run disagree more than at a
    success rate of .2 or .8, ``flipped`` if all trials of each run agree and the runs differ (too few trials to call
    it), and else the ``same``.

    ``new`` and ``baseline`` are outcomes of one model, an ``OutcomeSet`` or a ``Suite``;
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
    rows = _changes(both, fdr)
    shared = {(row.task, row.question) for row in rows}
    only_new, only_old = (
        tuple(
            (task, label)
            for task, pair in pairs.items()
            for label in pair[side].questions or ()
            if (task, label) not in shared
        )
        for side in (0, 1)
    )
    return QuestionDiff((before, name), rows, fdr, only_old, only_new, _compared(both, (name, before), runs))


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


@dataclass(frozen=True)
class NewFailures(Exports):
    """The questions that got worse, at a family-wise error: the part of a gate that asks for ``new_failures``.

    It is failed if more of them got worse than ``most``, which are allowed; questions whose change is ``"allowed"`` do
    not count. It is undecided if the trials are so few that no fall of any question would be seen. ``seen`` is the
    largest rate to which a question that was always solved must fall to be called with 80% probability, at the typical
    number of trials; None if no fall would be seen.
    """

    rows: tuple[QuestionChange, ...]
    n_questions: int
    n_trials: int
    confidence: float
    most: int
    seen: float | None
    problem: str = ""
    names: ClassVar[tuple[str, str]] = ("baseline", "new")
    _also: ClassVar = ("verdict",)
    _columns: ClassVar = _COLUMNS

    @property
    def broken(self) -> tuple[QuestionChange, ...]:
        """The questions that got worse and may not."""
        return tuple(row for row in self.rows if row.change != _ALLOWED)

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
    both, error = _of_both_runs(pairs), 1.0 - confidence
    rows = _changes(both, error, is_family=True)
    absent = sorted(listed - {str(row.question) for row in rows})
    if absent:
        raise ParameterError(f"names no question of both runs: {shorten(absent)}", argument="allow")
    worse = [
        replace(row, change=_ALLOWED if str(row.question) in listed else WORSE) for row in rows if row.change == WORSE
    ]
    worse.sort(key=lambda row: row.p_corrected)
    trials = int(np.median([min(row.old_trials, row.new_trials) for row in rows]))
    seen = _largest_seen(list(both.values()), min(trials, _MOST_TRIALS), error) if trials else None
    return NewFailures(tuple(worse), len(rows), trials, confidence, most, seen, problem)


def _allowed(allow: Any) -> tuple[int, frozenset[str]]:
    if isinstance(allow, (int, np.integer)) and not isinstance(allow, bool) and allow >= 0:
        return int(allow), frozenset()
    if isinstance(allow, Collection) and not isinstance(allow, (str, bytes, Mapping)):
        return 0, frozenset(map(str, allow))
    raise ParameterError(f"must be a whole number, at least 0, or a list of questions; got {allow!r}", argument="allow")


def _largest_seen(sides: Sequence[Sides], trials: int, error: float) -> float | None:
    """Return the largest rate to which a fall from 1 would be called, in so many trials of each run."""
    error = _level_of_call(sides, trials, error)
    rates = np.arange(0.0, 1.0, _STEP).tolist()
    return max((rate for rate in rates if call_power(trials, error, 1.0, rate) >= CHANCE), default=None)


def _level_of_call(sides: Sequence[Sides], trials: int, error: float) -> float:
    """Return the p-value up to which a fall of one question would be called at this family-wise error."""
    least = error / sum(new.n_questions for new, _ in sides)
    if not _are_pass_fail(sides):
        return least
    tests = fisher_tests(*_counts_of(sides))
    after = np.arange(trials + 1)
    always = np.full(len(after), trials)
    levels = np.unique(fisher_tests(always, always, after, always).p)
    enough = levels[tests.questions @ tests.chances(levels) + levels <= error]  # with its own
    return float(enough.max(initial=least))


# The tests of single questions.


def _changes(pairs: Pairs, error: float, *, is_family: bool = False) -> tuple[QuestionChange, ...]:
    sides = list(pairs.values())
    by = _by_counts if _are_pass_fail(sides) else _by_rewards
    *numbers, corrected, spread = by(sides, None if is_family else error)
    old, new, *_ = numbers
    gap, called = np.nan_to_num(new - old), corrected <= error
    flipped = (spread == 0.0) & (gap != 0.0)
    kind = np.select([called & (gap > 0.0), called, spread > _FLAKY, flipped], KINDS[:-1], SAME)
    names = [(task, label) for task, (new, _) in pairs.items() for label in new.questions or range(new.n_questions)]
    lines = zip(*(column.tolist() for column in (*numbers, corrected, kind)), strict=True)
    return tuple([QuestionChange(*name, *values) for name, values in zip(names, lines, strict=True)])


def _are_pass_fail(sides: Iterable[Sides]) -> bool:
    return all(outcomes.is_pass_fail for pair in sides for outcomes in pair)


def _counts_of(sides: Collection[Sides]) -> tuple[Counts, Counts, Counts, Counts]:
    """Return the successes and trials of all questions in the old run, and in the new one."""
    new, old = (
        np.concatenate([[outcomes.successes, outcomes.trials] for outcomes in side], axis=1)
        for side in zip(*sides, strict=True)
    )
    return (*old, *new)


def _by_counts(sides: Sequence[Sides], fdr: float | None) -> tuple[Any, ...]:
    """Return the rates and trials of both runs, what the tests say, and the larger variance of the trials of a run."""
    old, old_trials, new, new_trials = counts = _counts_of(sides)
    tests = fisher_tests(*counts)
    runs = ((old, old_trials), (new, new_trials))
    rates = [np.divide(s, n, out=np.full(len(n), np.nan), where=n > 0) for s, n in runs]
    spread = np.max([s * (n - s) / np.maximum(n * (n - 1.0), 1.0) for s, n in runs], axis=0)
    corrected = discrete_family(tests) if fdr is None else discrete_q_values(tests, fdr)
    return *rates, old_trials, new_trials, tests.p, corrected, spread


def _by_rewards(sides: Sequence[Sides], fdr: float | None) -> tuple[Any, ...]:
    """Return the same of rewards: by a permutation test in its normal approximation, which p cannot pass."""
    (m, b, v), (n, a, u) = (
        np.hstack([outcomes.question_rewards() for outcomes in side]) for side in zip(*sides, strict=True)
    )
    total, both = n + m, (n > 0) & (m > 0)
    gap = np.where(both, b - a, 0.0)
    pooled = (u + v + gap**2 * np.divide(n * m, total, out=np.zeros_like(n), where=total > 0)) / np.maximum(
        total - 1.0, 1.0
    )
    sd = np.sqrt(pooled * np.divide(total, n * m, out=np.zeros_like(n), where=both))
    z = np.divide(gap, sd, out=np.zeros_like(gap), where=sd > 0)
    ways = np.exp(np.minimum(gammaln(total + 1.0) - gammaln(n + 1.0) - gammaln(m + 1.0), 600.0))
    p = np.where(sd > 0, np.minimum(np.maximum(p_of_statistic(z), 2.0 / ways), 1.0), 1.0)
    corrected = np.asarray(holm(p.tolist())) if fdr is None else benjamini_hochberg(p)
    spread = np.maximum(u / np.maximum(n - 1.0, 1.0), v / np.maximum(m - 1.0, 1.0))
    width = max(float(np.nanmax([a, b]) - np.nanmin([a, b])), 1e-150)  # of the mean rewards of questions
    return a, b, n.astype(np.int64), m.astype(np.int64), p, corrected, spread / width**2


class ExactTests(NamedTuple):
    """P-values, the number of the ``margin`` of each, and per margin the ``attainable`` p-values, ascending."""

    p: Vector
    margin: Indices
    attainable: list[Vector]

    @property
    def questions(self) -> Counts:
        """How many questions have each margin."""
        return np.bincount(self.margin, minlength=len(self.attainable))

    def chances(self, levels: Vector) -> Vector:
        """Return P(p <= level) of each margin if nothing changed: the largest attainable p-value up to each level."""
        places = [np.searchsorted(values, levels * _TIE, side="right") for values in self.attainable]
        return np.array([np.append(0.0, values)[at] for values, at in zip(self.attainable, places, strict=True)])


def fisher_tests(old: Counts, old_trials: Counts, new: Counts, new_trials: Counts) -> ExactTests:
    """Return Fisher's two-sided p-values.

    >>> one = np.array([1])
    >>> fisher_tests(0 * one, 5 * one, 5 * one, 5 * one).p.round(4)
    array([0.0079])
    """
    margins = np.column_stack([old_trials, new_trials, old + new])
    kinds, margin = np.unique(margins, axis=0, return_inverse=True)
    p = np.empty(len(old))
    attainable = []
    for i, (n, m, total) in enumerate(kinds.tolist()):
        first, values = _two_sided(n, m, total)
        mine = margin == i
        p[mine] = values[new[mine] - first]
        attainable.append(np.unique(values))
    return ExactTests(p, margin, attainable)


def _two_sided(old_trials: int, new_trials: int, total: int) -> tuple[int, Vector]:
    """Return the fewest successes of the new run at these margins, and the p-value of each number from there on."""
    first = max(0, total - old_trials)
    k = np.arange(first, min(new_trials, total) + 1)
    log = -(gammaln(k + 1.0) + gammaln(new_trials - k + 1.0))
    log -= gammaln(total - k + 1.0) + gammaln(old_trials - total + k + 1.0)
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    order = np.argsort(mass)
    ends = np.searchsorted(mass[order], mass * _TIE, side="right")
    return first, np.minimum(np.cumsum(mass[order])[ends - 1], 1.0)


def trials_to_call(error: float, old: float, new: float, power: float) -> int:
    """Return the trials in each run from which a change between two rates has a p-value of at most ``error``.

    ``power`` is the probability that it has.

    >>> trials_to_call(0.05, 0.25, 0.75, 0.8)
    18
    """
    high = 2
    while call_power(high, error, old, new) < power:
        high *= 2
    return next(n for n in range(high // 2 + 1, high + 1) if call_power(n, error, old, new) >= power)


def call_power(trials: int, error: float, old: float, new: float) -> float:
    """Return the probability that a change of so many trials in each run has a p-value of at most ``error``.

    >>> round(call_power(8, 0.01, 1.0, 0.2), 3)
    0.797
    """
    k = np.arange(trials + 1)
    ways = np.exp(gammaln(trials + 1.0) - gammaln(k + 1.0) - gammaln(trials - k + 1.0))
    before, after = (ways * rate**k * (1.0 - rate) ** (trials - k) for rate in (old, new))
    total = 0.0
    for successes in range(2 * trials + 1):
        first, p = _two_sided(trials, trials, successes)
        called = first + np.flatnonzero(p <= error * _TIE)
        total += float(before[successes - called] @ after[called])
    return total


def discrete_q_values(tests: ExactTests, fdr: float) -> Vector:
    """Return q-values: those of at most ``fdr`` have this false-discovery rate, for independent questions.

    >>> fives, zeros = np.full(4, 5), np.zeros(4, dtype=int)
    >>> discrete_q_values(fisher_tests(zeros, fives, np.array([5, 5, 0, 0]), fives), 0.05).round(3)
    array([0.008, 0.008, 1.   , 1.   ])
    """
    levels, place, times = np.unique(tests.p, return_inverse=True, return_counts=True)
    weight, reached = tests.questions, tests.chances(levels)
    odds = np.divide(reached, 1.0 - reached, out=np.full(reached.shape, np.inf), where=reached < 1.0)
    allowed = weight @ odds <= fdr * len(tests.p)
    if not allowed.any():
        return np.ones(len(tests.p))
    last = int(np.flatnonzero(allowed)[-1])
    expected = (weight / (1.0 - reached[:, last])) @ reached
    q = np.where(np.arange(len(levels)) <= last, expected / np.cumsum(times), 1.0)
    corrected = np.minimum(np.minimum.accumulate(q[::-1])[::-1], 1.0)
    return np.asarray(corrected[place])


def discrete_family(tests: ExactTests) -> Vector:
    """Return p-values corrected for a family-wise error, step by step, that know which p-values can occur.

    The chance of any p-value of at most ``p`` among the questions that are left is at most the sum of theirs.

    >>> fives, zeros = np.full(4, 5), np.zeros(4, dtype=int)
    >>> discrete_family(fisher_tests(zeros, fives, np.array([5, 5, 0, 0]), fives)).round(3)
    array([0.016, 0.016, 1.   , 1.   ])
    """
    levels, place = np.unique(tests.p, return_inverse=True)
    times = np.zeros((len(tests.attainable), len(levels)))
    np.add.at(times, (tests.margin, place), 1.0)
    left = np.cumsum(times[:, ::-1], axis=1)[:, ::-1]  # questions with a p-value of at least each level
    corrected = np.minimum(np.maximum.accumulate((left * tests.chances(levels)).sum(axis=0)), 1.0)
    return np.asarray(corrected[place])
