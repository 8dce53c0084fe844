"""The result of a gate: its checks, the verdict that follows from them, and what it is written as."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

from .._base.exports import Record
from .._base.numbers import DIGITS, number, percent, score_text, signed_span, signed_within, times_as_many
from .._base.table import Field, Table
from .._base.words import SUBJECT, pluralize, tally
from ._cost_comparison import CostLimit
from ._question_diff import NewFailures
from ._question_limits import QuestionLimits
from ._verdicts import EQUIVALENT, FAILED, PASSED, UNDECIDED, VERDICTS, WORSE, Case, Judged, Limit, worst_of

MODES: Mapping[str, str] = MappingProxyType(
    {
        WORSE: "failed if the score is lower with {confidence} confidence, unless drops above {drop} are excluded with "
        "{confidence} confidence; else passed",
        "noninferior": "passed if the drop is below {drop} with {confidence} confidence, failed if it is above with "
        "{confidence} confidence, else undecided",
        EQUIVALENT: "passed if the scores differ by less than {drop} in either direction, each shown with {confidence} "
        "confidence, failed if they are shown to differ by more, else undecided",
    }
)


@dataclass(frozen=True)
class GateCheck(Record):
    """How much better the new model is than the baseline on one task, or overall, and what follows.

    ``lo`` and ``hi`` are one-sided bounds of the difference, each at the confidence of the gate. ``p_passed`` is the
    error probability at which a drop of ``max_drop`` would just be excluded, and ``p_failed`` that at which the check
    would just fail, corrected by Holm's method. ``effort`` is how many times as much data it takes to decide the check,
    or to exclude ``max_drop``, with 80% probability; None if no amount is enough, or none is needed. ``decides`` says
    whether the verdict of the gate depends on the check, and ``max_drop`` is the accepted drop. ``n_questions`` counts
    the questions with outcomes of each model, ``n_shared`` those with outcomes of both, and ``problem`` says why such
    data can pass nothing. Where ``max_drop`` is a percentage, ``ratio`` is the new score over the baseline's with its
    one-sided bounds, NaN for a baseline of 0.
    """

    task: str
    metric: str
    scores: tuple[float | None, float | None]
    difference: float
    lo: float
    hi: float
    p_passed: float
    p_failed: float
    n_questions: tuple[int, int]
    n_shared: int
    n_trials: tuple[int, int]
    problem: str = ""
    decides: bool = True
    verdict: str = UNDECIDED
    effort: float | None = None
    max_drop: float | str = 0.0
    ratio: tuple[float, float, float] | None = None
    excludes: bool = field(default=False, repr=False)
    _also: ClassVar = ("excluded_drop",)

    def judged(self, mode: str, error: float, p_failed: float) -> GateCheck:
        """Return the check with its verdict; ``p_failed`` is corrected, and a number that is not known never passes."""
        excludes = self.p_passed <= error
        verdict = PASSED if excludes or (mode == WORSE and p_failed > error) else UNDECIDED
        if not (excludes or p_failed > error):
            verdict = FAILED
        judged = replace(self, p_failed=p_failed, verdict=UNDECIDED if self.problem else verdict, excludes=excludes)
        is_below = judged.verdict == PASSED and not self._is_within  # more data would not exclude it
        is_told = excludes or self.problem or self._undefined or judged.verdict == FAILED
        return replace(judged, effort=None) if is_told or is_below else judged

    @property
    def _change(self) -> tuple[float, float]:
        """The change and its lower bound, as shares of the baseline's score where the limit is one."""
        return (self.difference, self.lo) if self.ratio is None else (self.ratio[0] - 1.0, self.ratio[1] - 1.0)

    @property
    def _is_within(self) -> bool:
        """Whether the change itself is above the limit."""
        return self._change[0] > -Limit.of(self.max_drop).amount

    @property
    def _undefined(self) -> str:
        """Why a percentage of the baseline's score means nothing; empty where it means something."""
        if self.ratio is None or self.ratio[0] >= 0.0:
            return ""
        return "the baseline has a score of 0, and no percentage of 0 is defined: give the limit as an amount"

    @property
    def excluded_drop(self) -> float:
        """The largest drop that the data do not exclude: all above it are excluded with the gate's confidence.

        It is a share of the baseline's score where ``max_drop`` is one, and then NaN for a baseline of 0.
        """
        return max(-self._change[1], 0.0)

    @property
    def excluded(self) -> str:
        """The same in words."""
        return number(self.excluded_drop) if self.ratio is None else f"{100.0 * self.excluded_drop:.3g}%"

    @property
    def seen(self) -> str:
        """The numbers of questions and trials, in words."""
        new, old = self.n_questions
        extent = pluralize(self.n_shared, "question")
        if not new == old == self.n_shared:
            extent = f"{pluralize(self.n_shared, 'shared question')} (new {new:,}, baseline {old:,})"
        mine, theirs = self.n_trials
        return (
            f"{extent}, {mine:,} trials of each model"
            if mine == theirs
            else f"{extent}, {mine:,} and {theirs:,} trials"
        )

    @property
    def limit(self) -> str:
        """The accepted drop as it is written."""
        return self.max_drop if isinstance(self.max_drop, str) else f"{self.max_drop:g}"

    def needs(self, unit: str) -> str:
        """Say what it takes to decide the check, or to exclude ``max_drop``, in ``"trials"`` or ``"questions"``."""
        if self.problem or self._undefined:
            return self.problem or self._undefined
        if self.excludes or self.verdict == FAILED:
            return ""
        aim = "" if self.verdict == UNDECIDED else f"to exclude a drop of {self.limit}: "
        if self.effort is None:
            if self.verdict == PASSED and not self._is_within:
                return f"{aim}no number of {unit} is enough if the true difference is this one"
            return f"{aim}the drop is too close to the limit to tell at any realistic cost"
        asked = self.n_shared if unit == "questions" else max(self.n_trials) / self.n_shared
        text = f"{aim}about {times_as_many(self.effort)} {unit}"
        if unit == "questions":
            return f"{text} ({math.ceil(self.effort * asked):,} instead of {asked:,})"
        return f"{text} of both models ({math.ceil(self.effort * asked):,} instead of {asked:.4g} per question)"

    def __str__(self) -> str:
        new, old = map(score_text, self.scores)
        bounds = f"one-sided bounds {signed_span(self.lo, self.hi)}"
        change = f"{old} to {new}, difference {signed_within(self.difference, self.lo, self.hi)}, {bounds},"
        subject = " by ".join(dict.fromkeys(filter(None, [self.task, self.metric])))
        asked = f"drops up to {self.limit} are accepted"
        excluded = f", and drops above {self.excluded} are excluded" if self.verdict != FAILED else ""
        excluded = "" if self._undefined else f"; {asked}{excluded}"
        return f"{self.verdict}: {subject}, {change} on {self.seen}{excluded}"

    def in_words(self, unit: str) -> str:
        """Say what was seen and what it takes to decide more."""
        return "; ".join(filter(None, [str(self), self.needs(unit)]))

    def to_dict(self) -> dict[str, Any]:
        """Return all values in one flat record."""
        values = super().to_dict()
        for name, pairs in (("score", "scores"), ("questions", "n_questions"), ("trials", "n_trials")):
            values |= dict(zip((f"new_{name}", f"baseline_{name}"), values.pop(pairs), strict=True))
        ratio = dict(zip(("ratio", "ratio_lo", "ratio_hi"), values.pop("ratio") or (None,) * 3, strict=True))
        return values | {"shared_questions": values.pop("n_shared")} | ratio


@dataclass(frozen=True)
class GateResult(Judged):
    """The ``verdict`` of a gate, ``"passed"``, ``"failed"`` or ``"undecided"``, and the ``checks`` it follows from.

    There is a check per task and metric, and one over all tasks per metric if there are several tasks. The gate fails
    if one of the checks that decide fails, and passes if all of them pass. ``questions``, ``failures`` and ``costs``
    are the parts that were asked for with ``per_question``, ``no_new_failures`` and ``max_cost_rise``, or None; the
    gate needs these as well.
    """

    names: tuple[str, str]
    checks: tuple[GateCheck, ...]
    mode: str
    max_drop: float | str | Mapping[str, Any]
    confidence: float
    target: str
    decided_by: str
    weights: Mapping[str, float]
    questions: QuestionLimits | None = None
    failures: NewFailures | None = None
    costs: CostLimit | None = None
    _also: ClassVar = ("verdict", "exit_code")
    _lists: ClassVar = ("checks",)
    _title: ClassVar = "{0.title}"
    _columns: ClassVar = (
        Field("task", of="task", unless=""),
        Field("metric", of="metric"),
        Field("baseline", True, "scores", lambda scores, digits=DIGITS: score_text(scores[1], digits)),
        Field("new", True, "scores", lambda scores, digits=DIGITS: score_text(scores[0], digits)),
        Field("difference", True, "difference lo hi", signed_within),
        Field("bounds", True, "lo hi", signed_span),
        Field("max drop", True, "limit", varies=True),
        Field("drops excluded", True, form=lambda check: "-" if check._undefined else f"above {check.excluded}"),
        Field("data", of="seen"),
        Field("verdict", form=lambda check: check.verdict if check.decides else f"({check.verdict})"),
    )

    @property
    def verdict(self) -> str:
        """Whether the gate is passed, failed, or undecided."""
        return worst_of(
            [*(check.verdict for check in self.checks if check.decides), *(part.verdict for part in self.parts)]
        )

    @property
    def parts(self) -> tuple[QuestionLimits | NewFailures | CostLimit, ...]:
        """What is asked beside the checks of scores."""
        return tuple(part for part in (self.questions, self.failures, self.costs) if part is not None)

    @property
    def passed(self) -> bool:
        """Whether the gate is passed."""
        return self.verdict == PASSED

    def __str__(self) -> str:
        """Say what the verdict follows from: the first check with this verdict, and the parts with it."""
        deciding = [check for check in self.checks if check.decides]
        counts = tally((check.verdict for check in deciding), VERDICTS)
        counted = f" ({pluralize(len(deciding), 'check')}: {counts})" if deciding else ""
        first = [check.in_words(self._unit) for check in deciding if check.verdict == self.verdict][:1]
        parts = [str(part) for part in self.parts if part.verdict == self.verdict]
        return "; ".join([self.as_title + counted, *first, *parts])

    @property
    def as_title(self) -> str:
        new, old = self.names
        names = "the new model against the baseline" if new == old else f"{new} against {old}" if old else new
        passed = [check for check in self.checks if check.decides and check.verdict == PASSED]
        left = [check for check in passed if not (check.excludes or check._undefined)]
        if self.verdict != PASSED or not left:
            return f"gate {self.verdict}: {names}"
        largest = max(left, key=lambda check: check.excluded_drop)
        return f"gate passed: {names}, not shown to be worse; drops up to {largest.excluded} are not excluded"

    @property
    def rule(self) -> str:
        """What the mode calls passed and failed, in words."""
        about = SUBJECT[self.target]
        drops = {check.limit for check in self.checks}
        drop = drops.pop() if len(drops) == 1 else "its limit"
        text = MODES[self.mode].format(drop=drop, confidence=percent(self.confidence))
        return f"{self.mode}, for {about}: {text}"

    @property
    def _unit(self) -> str:
        return "trials" if self.target == "questions" else "questions"

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed: of the checks, and of each part."""
        return [
            *(super().tables(digits) if self.checks else []),
            *(table for part in self.parts for table in part.tables(digits)),
        ]

    def _cases(self) -> list[Case]:
        cases = [
            Case(check.task or "gate", check.metric, check.verdict, check.in_words(self._unit))
            for check in self.checks
            if check.decides
        ]
        parts = [Case("gate", str(part).split(" " + part.verdict)[0], part.verdict, str(part)) for part in self.parts]
        return [*cases, *parts]

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        return super().as_records() if self.checks or not self.parts else self.parts[0].as_records()

    def _notes(self) -> list[str]:
        checks, unit = self.checks, self._unit
        needs = [
            f"{check.task or check.metric}: {check.needs(unit)}"
            for check in checks
            if check.needs(unit) and check.decides
        ]
        bounds = f"bounds: one-sided, each {percent(self.confidence)}"
        count, weighted = len(self.weights), ", weighted" if len(set(self.weights.values())) > 1 else ""
        overall = f"overall: mean of {pluralize(count, 'task')}{weighted}" if count > 1 else ""
        is_corrected = sum(check.decides for check in checks) > 1
        corrected = "failures are corrected for the number of checks (Holm)" if is_corrected else ""
        aside = "" if all(check.decides for check in checks) else "in brackets: does not decide"
        return [self.rule, *needs, "; ".join(filter(None, [bounds, overall, corrected, aside]))]
