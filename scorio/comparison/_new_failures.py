"""Did anything break? The questions that got worse since a baseline, called at a family-wise error."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._display.exports import Exports
from .._display.numbers import chance, percent, rate
from .._display.table import Field
from .._display.words import pluralize, shorten
from ..errors import ParameterError
from ._change_tests import BETTER, Change, Sides, call_power, changes, counts_of, fisher_tests
from ._question_diff import names_of_questions, of_both_runs
from ._two_models import Pairs
from ._verdicts import CHANCE, FAILED, PASSED, UNDECIDED

_STEP = 0.05  # of the rates that are tried for the smallest fall that would be seen
_MOST_TRIALS = 200  # for which that is computed


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
    both = of_both_runs(pairs)
    names, parts = names_of_questions(both), list(both.values())
    absent = sorted(listed - {str(label) for _, label in names})
    if absent:
        raise ParameterError(f"names no question of both runs: {shorten(absent)}", argument="allow")
    change = changes(parts, 1.0 - confidence)
    called = np.flatnonzero((change.p_family <= 1.0 - confidence) & (change.sign == -BETTER))
    order = called[np.argsort(change.p_family[called], kind="stable")]
    columns = (change.old, change.new, change.old_trials, change.new_trials, change.p, change.p_family)
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
