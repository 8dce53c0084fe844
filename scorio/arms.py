"""Whether an arm helps: one verdict for these tasks and one for tasks like these, from the comparisons of two models.

An arm is a model in the sense of the rest of the package. Everything that is said here rests on ``compare``: for these
tasks on the posteriors of both arms and the exact law of few trials, for tasks like these on the spread of the
differences over the tasks and one more task that could be anything. What is added is the third answer, that both arms
are practically equal, and what would tell where nothing can be said.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ._base.exports import Exports, Record
from ._base.numbers import amount, number, percent, score_text, signed_span
from ._base.table import Field
from ._base.words import pluralize, shorten, unknown
from .comparison import Comparison, CostComparison, compare, compare_costs
from .errors import OutcomeError, ParameterError, QuestionsWarning
from .estimates._tasks import ONLY, as_tasks, default_metric
from .inference._level import Level
from .metrics import Metric
from .metrics._registry import as_metric
from .outcomes import OutcomeMatrix, OutcomeSet
from .params import nonnegative, open_unit
from .planning import plan_separation
from .planning._design import questions_to_tell

__all__ = ["MARGIN", "ArmEffect", "Arms", "GraderNoise", "analyze_arms", "baseline_of"]

_WORDS = "without|baseline|control|vanilla|unset|no[ _-]?skills?|old[ _-]?skill"
_BASELINE = re.compile(rf"(?<![a-z])({_WORDS})(?![a-z])", re.IGNORECASE)
_PLACEBO = re.compile(r"(?<![a-z])(placebo|dummy|sham)(?![a-z])", re.IGNORECASE)
_HELPS, _HURTS, _EQUAL, _UNKNOWN = "helps", "hurts", "practically equal", "cannot tell"
_USED = "skill_used"  # the cost that is the share of trials in which the skill was used
_REGRADED = "regraded"  # the usual name of the second grade of a trial
MARGIN = 0.05  # the largest difference that does not matter, unless another is given
_POWER, _DECIMALS = 0.8, 6
_FEW_TASKS = 8  # below, they can hardly show anything of tasks like these
_MOST = 1_000  # runs per task, or tasks, that anybody would do


@dataclass(frozen=True)
class ArmEffect(Record):
    """What an arm changes against another on one task of a suite, or on the only one.

    ``verdict`` is about these tasks, ``verdict_like_these`` about tasks like these, which one task says nothing of:
    each is ``"helps"``, ``"hurts"``, ``"practically equal"`` or ``"cannot tell"``. ``these`` and ``like_these`` are the
    comparisons behind them, ``needed`` and ``needed_like_these`` say in words what would tell where they cannot.
    ``costs`` has what a success costs with each of both, by the name of the cost. ``used`` is the share of the arm's
    trials in which the skill was used.
    """

    arm: str
    against: str
    task: str
    verdict: str
    verdict_like_these: str | None
    these: Comparison
    like_these: Comparison | None
    needed: str
    needed_like_these: str
    used: float | None
    costs: Mapping[str, CostComparison] = field(default_factory=dict)

    def __str__(self) -> str:
        count = self.these.n_questions[0]
        tasks = "this task" if count == 1 else f"these {count} tasks"
        said = {
            _HELPS: f"{self.arm} helps on {tasks}",
            _HURTS: f"{self.arm} hurts on {tasks}",
            _EQUAL: f"{self.arm} and {self.against} are practically equal on {tasks}",
            _UNKNOWN: f"{tasks} cannot tell whether {self.arm} helps",
        }[self.verdict]
        after, before = map(score_text, self.these.scores)
        place = f"{self.task}: " if self.task else ""
        moved = f"{self.these.metric} {after} against {before} of {self.against}, difference {_span(self.these)}"
        return "; ".join(filter(None, [f"{place}{said} ({moved})", self.needed]))

    def record(self) -> dict[str, Any]:
        """Return all values as one flat record."""
        values: dict[str, Any] = {"arm": self.arm, "against": self.against, "task": self.task, "verdict": self.verdict}
        values |= {"score": self.these.scores[0], "score_against": self.these.scores[1]}
        values |= {"difference": self.these.difference, "lo": self.these.lo, "hi": self.these.hi}
        values |= {"needed": self.needed, "verdict_like_these": self.verdict_like_these}
        lo, hi = (None, None) if self.like_these is None else (self.like_these.lo, self.like_these.hi)
        values |= {"lo_like_these": lo, "hi_like_these": hi, "needed_like_these": self.needed_like_these}
        values["used"] = self.used
        for name, cost in self.costs.items():
            of_arm, of_other = (None if math.isinf(side.value) else side.value for side in cost.costs)
            values |= {f"{name}_per_success": of_arm, f"{name}_per_success_against": of_other}
        return values


@dataclass(frozen=True)
class GraderNoise(Record):
    """How often a grader contradicts itself: ``differ`` of the ``trials`` that were graded twice."""

    differ: int
    trials: int

    def __str__(self) -> str:
        flips = 0.5 * (1.0 - math.sqrt(max(1.0 - 2.0 * self.differ / self.trials, 0.0)))
        said = f"the grader contradicts itself in {self.differ} of {pluralize(self.trials, 'run')} graded twice"
        return f"{said}: about {percent(round(flips, 3))} of its grades are chance"


def _span(comparison: Comparison) -> str:
    return signed_span(round(comparison.lo, _DECIMALS), round(comparison.hi, _DECIMALS))


def _like_these(row: ArmEffect) -> str:
    if row.like_these is None:
        return "needs more tasks"
    return f"{row.verdict_like_these} {_span(row.like_these)}"


@dataclass(frozen=True)
class Arms(Exports):
    """What the arms change: ``rows`` has an ``ArmEffect`` for each arm and task, and ``noise`` the grader's noise.

    The verdicts of all rows of a task are false together in at most ``1 - confidence`` of the cases where no arm
    changes anything.
    """

    rows: tuple[ArmEffect, ...]
    margin: float
    confidence: float
    noise: GraderNoise | None = None
    _columns: ClassVar = (
        Field("arm", of="arm"),
        Field("against", of="against", varies=True),
        Field("task", of="task", unless=""),
        Field("these tasks", of="verdict"),
        Field("score", True, of="these.scores", form=lambda scores: score_text(scores[0])),
        Field("against", True, of="these.scores", form=lambda scores: score_text(scores[1])),
        Field("difference", True, of="these", form=_span),
        Field("tasks like these", form=_like_these),
        Field("skill used", True, of="used", form="{:.0%}".format, unless=None),
    )

    def verdicts(self) -> tuple[str, ...]:
        """Say of each arm what it does."""
        return tuple(map(str, self.rows))

    def as_sentence(self) -> str:
        return "; ".join(self.verdicts())

    @property
    def as_title(self) -> str:
        return f"what {shorten(dict.fromkeys(row.arm for row in self.rows))} changes"

    def _notes(self) -> Sequence[str]:
        fewest = min(row.these.n_questions[0] for row in self.rows)
        equal = f"practically equal: within {self.margin:g}, both sides excluded"
        wanted = {f"tasks like these: {row.needed_like_these}" for row in self.rows if row.needed_like_these}
        together = ", together for the rows of a task" if len({row.task for row in self.rows}) < len(self.rows) else ""
        notes = [f"{percent(self.confidence)} intervals of the difference{together}; {equal}", *sorted(wanted)[:1]]
        if fewest < _FEW_TASKS:
            least = number(2.0 ** (1 - fewest))
            notes.append(f"of tasks like these, {pluralize(fewest, 'task')} can show no p-value below {least}")
        notes += [f"{row.arm}, {_cost(cost)}" for row in self.rows for cost in row.costs.values()]
        return [*notes, *([str(self.noise)] if self.noise else [])]


def _cost(cost: CostComparison) -> str:
    mine, theirs = (amount(side.value) if math.isfinite(side.value) else "no success" for side in cost.costs)
    return f"{cost.cost} per success: {mine}, {cost.names[1]} {theirs}"


def analyze_arms(
    outcomes: Any,
    metric: Metric | str | None = None,
    *,
    baseline: str | None = None,
    margin: float = MARGIN,
    confidence: float = 0.95,
    regraded: str = _REGRADED,
) -> Arms:
    """Say whether each arm helps against the baseline, hurts, is practically equal, or what would tell.

    Parameters
    ----------
    outcomes
        An ``OutcomeSet`` with an arm as a model, or a ``Suite``, each task of which is about something of its own.
    metric
        A metric or its name; by default Pass@1, or avg@N for rewards.
    baseline
        The arm without; by default the one whose name says so, such as ``without_skill`` or ``baseline``. An arm called
        placebo is an arm like the others, and the others are set against it too.
    margin
        The largest difference that does not matter.
    confidence
        Of all verdicts about a task together.
    regraded
        The score of each trial that is a second grade of the same run, where there is one.

    Examples
    --------
    >>> from scorio.arms import analyze_arms
    >>> runs = {"with_skill": [[1, 1, 1], [1, 1, 1], [1, 0, 1]], "without_skill": [[0, 0, 0], [0, 1, 0], [0, 0, 1]]}
    >>> print(analyze_arms(runs).verdicts()[0])
    with_skill helps on these 3 tasks (pass@1 0.889 against 0.222 of without_skill, difference [+0.153, +0.841])

    """
    nonnegative("margin", margin)
    open_unit("confidence", confidence)
    rows, graded = list[ArmEffect](), list[GraderNoise]()
    for task, models in as_tasks(outcomes).items():
        name = "" if task == ONLY else task
        chosen = default_metric(models.values()) if metric is None else as_metric(metric)
        pairs = _pairs(tuple(models), baseline)
        level = 1.0 - (1.0 - confidence) / len(pairs)
        rows += [_effect(chosen, models, pair, name, margin, level) for pair in pairs]
        graded += [noise for runs in models.values() if (noise := _noise(runs, regraded)) is not None]
    together = GraderNoise(sum(part.differ for part in graded), sum(part.trials for part in graded)) if graded else None
    return Arms(tuple(rows), margin, confidence, together)


def _pairs(models: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return each arm with what it is set against: the baseline, and the placebo if there is one."""
    reference = baseline_of(models) if baseline is None else baseline
    if reference is None:
        raise ParameterError(f"name the arm without: none of {shorten(models)} says that it is", argument="baseline")
    if reference not in models:
        raise ParameterError(unknown("model", reference, models), argument="baseline")
    if len(models) < 2:
        raise OutcomeError(f"an effect needs two arms; there is only {reference!r}")
    arms, placebo = [model for model in models if model != reference], _only(_PLACEBO, models)
    others = [(arm, placebo) for arm in arms if placebo not in (arm, reference)] if placebo else []
    return [*((arm, reference) for arm in arms), *others]


def baseline_of(models: Sequence[str]) -> str | None:
    """Return the only model whose name says that it is the baseline of the others, or None.

    >>> baseline_of(["with_skill", "without_skill"]), baseline_of(["gpt-x", "gpt-y"])
    ('without_skill', None)
    """
    return _only(_BASELINE, models) if len(models) > 1 else None


def _only(words: re.Pattern[str], models: Sequence[str]) -> str | None:
    """Return the only model whose name has one of the words, or None."""
    named = [model for model in models if words.search(model)]
    return named[0] if len(named) == 1 else None


def _effect(
    metric: Metric, models: OutcomeSet, pair: tuple[str, str], task: str, margin: float, confidence: float
) -> ArmEffect:
    arms = _on_shared_tasks([models[name] for name in pair])
    asked: dict[str, Any] = {"names": pair, "confidence": confidence}
    these = compare(metric, *arms, **asked)
    like_these = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuestionsWarning)  # the notes say what few tasks can show
        if arms[0].n_questions > 1:
            like_these = compare(metric, *arms, target="population", **asked)
        verdict = _verdict(these, margin)
        like = None if like_these is None else _verdict(like_these, margin)
        wanted = _runs_needed(metric, arms, confidence) if verdict == _UNKNOWN else ""
        wanted_like = _tasks_needed(like_these) if like_these is not None and like == _UNKNOWN else ""
    used, costs = models.costs[pair[0]].get(_USED), _costs(models, pair, confidence)
    return ArmEffect(*pair, task, verdict, like, these, like_these, wanted, wanted_like, used, costs)


def _on_shared_tasks(arms: list[OutcomeMatrix]) -> list[OutcomeMatrix]:
    """Return both arms on the tasks that both have runs of."""
    shared = np.all([arm.trials > 0 for arm in arms], axis=0)
    if not shared.any():
        raise OutcomeError("no task has runs of both arms")
    return arms if shared.all() else [arm.select(shared) for arm in arms]


def _verdict(comparison: Comparison, margin: float) -> str:
    """Return what a comparison of an arm with another says, where differences below the margin do not matter."""
    if -margin < comparison.lo and comparison.hi < margin:
        return _EQUAL
    if comparison.winner is None:
        return _UNKNOWN
    return _HELPS if comparison.difference > 0.0 else _HURTS


def _runs_needed(metric: Metric, arms: Sequence[OutcomeMatrix], confidence: float) -> str:
    """Say how many more runs would tell if the difference is what it seems; empty where nothing is known."""
    try:
        plan = plan_separation(metric, *arms, confidence=confidence, power=_POWER)
    except OutcomeError:
        return ""
    if plan.more is not None and 0 < plan.more <= _MOST:
        return f"{pluralize(plan.more, 'more run')} per task would tell with power {_POWER:g}"
    return f"not even {_MOST:,} more runs per task would tell: the difference is too small"


def _tasks_needed(like_these: Comparison) -> str:
    """Say how many tasks would tell if the difference is what it seems, and tasks differ as much as these."""
    count, level = like_these.n_questions[0], Level(like_these.confidence)
    if like_these.difference == 0.0:
        return ""
    sd = like_these.sigma * math.sqrt(count)
    needed = questions_to_tell(sd, abs(like_these.difference), _POWER, level.critical)
    if needed > _MOST:
        return f"not even {_MOST:,} tasks would tell: the difference is too small"
    return f"about {max(needed, count + 1)} tasks would tell with power {_POWER:g}"


def _costs(models: OutcomeSet, pair: tuple[str, str], confidence: float) -> dict[str, CostComparison]:
    """Return what a success costs with both, by each cost whose single trials are known."""
    shared = [name for name in models.costs[pair[0]] if name in models.costs[pair[1]] and name != _USED]
    compared = {}
    for name in shared:
        try:
            compared[name] = compare_costs(models, models, name, model=pair, confidence=confidence)
        except OutcomeError:
            continue
    return compared


def _noise(outcomes: OutcomeMatrix, regraded: str) -> GraderNoise | None:
    """Return how often the second grade of a trial is another, if there is one."""
    if regraded not in outcomes.scores:
        return None
    _, first = outcomes.trials_at(np.arange(outcomes.n_questions))
    second = outcomes.trial_columns.scores[regraded]
    has_second = np.isfinite(second)
    return GraderNoise(int((first[has_second] != second[has_second]).sum()), int(has_second.sum()))
