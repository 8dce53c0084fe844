"""Which questions a model answers better or worse than before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import underflow_is_zero
from .._display.exports import Exports, csv_text
from .._display.numbers import DIGITS, chance, percent, rate, signed
from .._display.table import Field, Table
from .._display.words import pluralize, tally
from ..estimates import Weights, at_task, default_metric, pair_of_models, shares_of
from ..params import open_unit
from ._change_tests import BETTER, Change, changes, trials_to_call
from ._comparison import Comparison
from ._two_models import Pairs, PairTerms, compared, shared_questions


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
_FROM, _TO, _POWER = 0.25, 0.75, 0.8  # a large change of one question, and how surely it should be called


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
        change = "not significantly different" if not whole.winner else "better" if whole.difference > 0 else "worse"
        reach = f"{percent(whole.confidence)} interval {signed(whole.lo)} to {signed(whole.hi)}"
        return [f"overall {change} by {signed(whole.difference)} ({reach})".replace("different by", "different,")]

    def _needed(self) -> list[str]:
        """Say how many trials it takes to call single questions, if none is called."""
        if self.improved or self.worse or not self.rows:
            return []
        most = max(min(row.old_trials, row.new_trials) for row in self.rows)
        needed = self.trials_needed
        if needed <= most:
            return []
        example = f"a question that changes from {_FROM:g} to {_TO:g} is called with probability {_POWER:g}"
        return [f"{example} from {needed} trials in each run, and there are at most {most}"]

    @property
    def trials_needed(self) -> int:
        """The trials of a question in each run from which a change from 0.25 to 0.75 is called with probability 0.8."""
        return trials_to_call(self.fdr / max(len(self.rows), 1), _FROM, _TO, _POWER)

    def to_csv(self) -> str:
        """Return the questions as CSV; texts that a spreadsheet would take for formulas begin with an apostrophe."""
        return csv_text(self.as_records(), QuestionChange.__dataclass_fields__)

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
    both = of_both_runs(pairs)
    questions = names_of_questions(both)
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


def of_both_runs(pairs: Pairs) -> Pairs:
    """Return the outcomes of two runs by task on the questions that both have, in the order of the old ones."""
    both = {}
    for task, (new, old) in pairs.items():
        with at_task(task):
            earlier, later = shared_questions(old, new)
        both[task] = (later, earlier)
    return both


def names_of_questions(pairs: Pairs) -> list[tuple[str, Any]]:
    """Return the task and the label, or the number, of every question of the pairs."""
    return [(task, label) for task, (new, _) in pairs.items() for label in new.questions or range(new.n_questions)]


def _values(change: Change, fdr: float) -> list[tuple[Any, ...]]:
    """Return the numbers of each question, and what is said of it."""
    called = change.q <= fdr
    kind = np.where(change.mixed, 2, np.where(change.sign == 0, 4, 3))
    kind = np.where(called, np.where(change.sign == BETTER, 0, 1), kind)
    numbers: list[Any] = [change.old, change.new, change.old_trials, change.new_trials]
    columns = [*numbers, change.p_better, change.p, change.q, kind]
    return [(*line[:-1], KINDS[line[-1]]) for line in zip(*(column.tolist() for column in columns), strict=True)]
