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
from ._base.special import betaincinv, ndtri
from ._base.table import Field
from ._base.words import pluralize, shorten, unknown
from .comparison import Comparison, CostComparison, compare, compare_costs
from .errors import OutcomeError, ParameterError, QuestionsWarning
from .estimates._tasks import ONLY, as_tasks, default_metric
from .inference._level import Level
from .inference._prior import as_prior
from .metrics import Metric
from .metrics._registry import as_metric
from .outcomes import OutcomeMatrix, OutcomeSet
from .params import nonnegative, open_unit
from .planning._design import questions_to_tell
from .planning._expected import TaskPart, expected_variance, fewest
from .planning._plan import check_in_range

__all__ = ["MARGIN", "ArmEffect", "Arms", "GraderNoise", "analyze_arms", "arm_and_baseline_of", "baseline_of"]

_BASELINES = tuple(  # words of the arm without, the surest first: the old version may be an arm beside it
    re.compile(rf"(?<![a-z])({words})(?![a-z])|^({whole})$", re.IGNORECASE)
    for words, whole in (
        ("without|no[ _-]?skills?|no[ _-]tools?|unset", "none|off"),
        ("baseline|control|vanilla", "base|default|plain"),
        ("old[ _-]?skill", "old"),
    )
)
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
    trials in which the skill was used, ``left_out`` the number of tasks that have no runs of one of both, and ``lost``
    that of runs of the others without an outcome.
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
    left_out: int = 0
    lost: int = 0

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

    @property
    def extent(self) -> str:
        """How many runs the verdict rests on, and what is missing."""
        tasks, runs = pluralize(self.these.n_questions[0], "task"), self.these.n_trials
        alike = f"{pluralize(runs[0], 'run')} of each arm"
        parts = [f"{tasks}, {alike if len(set(runs)) == 1 else f'{runs[0]:,} and {runs[1]:,} runs'}"]
        parts += [f"{pluralize(self.left_out, 'task')} left out, of which only one arm has runs"] * bool(self.left_out)
        parts += [f"{pluralize(self.lost, 'planned run')} without an outcome"] * bool(self.lost)
        return "; ".join(parts)

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
        ends = betaincinv(self.differ + 0.5, self.trials - self.differ + 0.5, np.array([0.025, 0.975]))
        wrong, low, high = (percent(round(_wrong(share), 3)) for share in (self.differ / self.trials, *ends))
        said = f"the grader contradicts itself in {self.differ} of {pluralize(self.trials, 'run')} graded twice"
        return f"{said}: if its errors are random, about {wrong} [{low}, {high}] of its single grades are wrong"


def _wrong(differ: float) -> float:
    """Return the share of wrong grades if two grades of a run differ in this share: twice the wrong times the right."""
    return 0.5 * (1.0 - math.sqrt(max(1.0 - 2.0 * differ, 0.0)))


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
        arms = dict.fromkeys(row.arm for row in self.rows)
        return f"what {shorten(arms)} change{'s' * (len(arms) == 1)}"

    def _notes(self) -> Sequence[str]:
        equal = f"practically equal: within {self.margin:g}, both sides excluded"
        together = ", together for the rows of a task" if len({row.task for row in self.rows}) < len(self.rows) else ""
        notes = [f"{percent(self.confidence)} intervals of the difference{together}; {equal}"]
        for row in self.rows:
            about = [row.extent, *map(_cost, row.costs.values())]
            about[1:1] = [f"tasks like these: {row.needed_like_these}"] if row.needed_like_these else []
            of = f"{row.arm} against {row.against}{f' on {row.task}' * bool(row.task)}: "
            notes += about if len(self.rows) == 1 else [of + "; ".join(about)]
        fewest_tasks = min(row.these.n_questions[0] for row in self.rows)
        if 1 < fewest_tasks < _FEW_TASKS:
            least = number(2.0 ** (1 - fewest_tasks))
            notes.append(f"of tasks like these, {fewest_tasks} tasks can show no p-value below {least}")
        return [*notes, *([str(self.noise)] if self.noise else [])]


def _cost(cost: CostComparison) -> str:
    sides = (amount(side.value) if math.isfinite(side.value) else "no success" for side in cost.costs)
    return f"{cost.cost} per success: {', '.join(map(' '.join, zip(cost.names, sides, strict=True)))}"


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
    arms, placebos = [model for model in models if model != reference], list(filter(_PLACEBO.search, models))
    placebo = placebos[0] if len(placebos) == 1 else reference
    others = [(arm, placebo) for arm in arms if placebo not in (arm, reference)]
    return [*((arm, reference) for arm in arms), *others]


def baseline_of(models: Sequence[str]) -> str | None:
    """Return the only model whose name says that it is the baseline of the others, or None.

    >>> baseline_of(["with_skill", "without_skill"]), baseline_of(["gpt-x", "gpt-y"])
    ('without_skill', None)
    """
    if len(models) < 2:
        return None
    named = [[model for model in models if words.search(model)] for words in _BASELINES]
    first = next(filter(None, named), [])
    return first[0] if len(first) == 1 else None


def arm_and_baseline_of(models: Sequence[str]) -> tuple[str, str] | None:
    """Return the only arm that is neither the baseline nor a placebo, and the baseline, or None.

    >>> arm_and_baseline_of(["no skill", "placebo", "skill"])
    ('skill', 'no skill')
    """
    baseline = baseline_of(models)
    arms = [model for model in models if model != baseline and not _PLACEBO.search(model)]
    return (arms[0], baseline) if baseline is not None and len(arms) == 1 else None


def _effect(
    metric: Metric, models: OutcomeSet, pair: tuple[str, str], task: str, margin: float, confidence: float
) -> ArmEffect:
    both = [models[name] for name in pair]
    arms = _on_shared_tasks(both)
    check_in_range("margin", margin, [TaskPart(task, 1.0, metric, arms[1])])
    asked: dict[str, Any] = {"names": pair, "confidence": confidence}
    these = compare(metric, *arms, **asked)
    like_these = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", QuestionsWarning)  # the notes say what few tasks can show
        if arms[0].n_questions > 1:
            like_these = compare(metric, *arms, target="population", **asked)
        verdict = _verdict(these, margin)
        like = None if like_these is None else _verdict(like_these, margin)
        wanted = _runs_needed(these, metric, arms, margin) if verdict == _UNKNOWN else ""
        wanted_like = _tasks_needed(like_these, margin) if like_these is not None and like == _UNKNOWN else ""
    used, costs = models.costs[pair[0]].get(_USED), _costs(models, pair, confidence)
    left_out = both[0].n_questions - arms[0].n_questions
    lost = sum(int((arm.planned_trials - arm.trials).sum()) for arm in arms)
    verdicts, needs = (verdict, like), (wanted, wanted_like)
    return ArmEffect(*pair, task, *verdicts, these, like_these, *needs, used, costs, left_out, lost)


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


def _runs_needed(these: Comparison, metric: Metric, arms: Sequence[OutcomeMatrix], margin: float) -> str:
    """Say how many more runs would tell, if the difference is what it seems; empty where nothing is known."""
    if max(arm.max_trials for arm in arms) == 1:
        return "one run of each task does not show how much runs vary: run each at least three times"
    room, told = _room(these.difference, margin)
    rng = np.random.default_rng(0)
    try:
        after = [expected_variance([TaskPart("", 1.0, metric, arm)], as_prior(these.prior), rng) for arm in arms]
    except OutcomeError:
        return ""
    critical = Level(these.confidence).critical()
    wider = max((these.hi - these.lo) / (2.0 * critical * these.sigma), 1.0)  # few runs allow less than posteriors say
    sd = room / (critical + float(ndtri(_POWER))) / wider
    more = fewest(lambda runs: math.fsum(variance(runs) for variance in after) <= sd**2, _MOST)
    if more is None:
        return f"not even {_MOST:,} more runs per task would tell"
    return f"{pluralize(max(more, 1), 'more run')} per task would {told} with power {_POWER:g}"


def _tasks_needed(like_these: Comparison, margin: float) -> str:
    """Say how many tasks would tell if the difference is what it seems, and tasks differ as much as these."""
    count, level = like_these.n_questions[0], Level(like_these.confidence)
    room, told = _room(like_these.difference, margin)
    sd = like_these.sigma * math.sqrt(count)
    needed = questions_to_tell(sd, room, _POWER, level.critical) if room > 0.0 else math.inf
    if needed > _MOST:
        return f"not even {_MOST:,} tasks would tell"
    return f"at most about {max(needed, count + 1)} tasks would {told} with power {_POWER:g}"


def _room(difference: float, margin: float) -> tuple[float, str]:
    """Return how far the difference is from what an interval must exclude, and what is then told.

    An interval tells that arms differ if it excludes zero, and that they are practically equal if it excludes the
    margin on both sides: it need not be narrower than the easier of both asks for.
    """
    apart, within = abs(difference), margin - abs(difference)
    return (apart, "tell") if apart >= within else (within, "show that they are practically equal")


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
