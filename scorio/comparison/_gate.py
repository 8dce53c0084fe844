"""Gate: may a new model replace the baseline, on every task and overall?

A relative limit is about the ratio of two scores, which is at least ``c`` if ``new - c baseline`` is at least 0, and
the law of that difference is known. The interval of the ratio is the set of all ``c`` for which the interval of this
difference includes 0 (Fieller 1954), so it agrees with every gate by a relative limit. It has no upper end where the
baseline may be 0.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypedDict, Unpack

from .._base.arrays import underflow_is_zero
from .._base.choices import DECIDED_BY, OVERALL, RANDOM
from .._base.numbers import number
from .._base.options import accepted, takes
from .._base.words import pluralize, warn
from ..errors import OutcomeError, ParameterError, QuestionsWarning, Remedy
from ..estimates._difference_law import DifferenceLaw
from ..estimates._family import holm
from ..estimates._stack import Stack
from ..estimates._tasks import (
    ONLY,
    TaskMetrics,
    as_tasks,
    at_task,
    check_tasks,
    default_metric,
    metrics_of_tasks,
    pair_of_models,
    shares_of,
)
from ..inference._prior import PriorLike
from ..metrics import Metric
from ..metrics._shared_prior import cluster_count, shifts
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._comparison import Comparison
from ._cost_comparison import CostLimit, compare_costs
from ._costs import Costs
from ._gate_result import MODES, GateCheck, GateResult
from ._question_diff import Sides, new_failures
from ._question_limits import ALLOW_MISSING, Limits, question_limits, trials_problem
from ._two_models import (
    Compared,
    Pairs,
    PairTerms,
    asked_questions,
    compared,
    nearly_shared,
    shared_questions,
    shares_questions,
    warn_of_copies,
)
from ._verdicts import CHANCE, EQUIVALENT, MOST_EFFORT, WORSE, Limit, error_of

_FEW = 0.25  # of the baseline's trials per question: with fewer, the new run counts as one that ended early
_MOST = 0.5  # of the baseline's questions: where fewer are shared, a warning says so
_FEW_EFFECTS = 3.0  # equal effects that the variance of a difference must rest on to be known
_LEFT_OPEN = (
    "{metric} takes more trials than there are, and these leave open whether it dropped: run more of them, or decide by"
    " a metric of fewer"
)
Metrics = Metric | str | Iterable[Metric | str] | Mapping[str, Metric | str] | None
Drops = float | str | Mapping[str, Any]


class GateOptions(TypedDict, total=False):
    """What else a gate may be told.

    ``target``, ``prior``, ``task_weights``, ``shared_only`` and ``runs`` are as in ``compare``. ``model`` names one of
    several models, or one of each side. The checks that decide are ``decided_by`` ``"all"``, ``"tasks"`` or
    ``"overall"``. With ``allow_missing`` a check may pass although a side lacks over 10% of its trials, or ``new`` has
    under a quarter of the baseline's.

    ``per_question`` is the probability with which every question is to be solved, or a mapping from questions (or from
    tasks) to it; it needs no ``baseline``. All verdicts about questions hold together with ``confidence``. They are
    those of each question's posterior, which borrows strength from the others, or with the ``question_rule``
    ``"binomial"`` of the exact test of its own trials.

    With ``no_new_failures`` a gate fails if a question got worse since the baseline, as ``diff_questions`` tests it, at
    a family-wise error; so many questions are allowed to (``allow``), or these.

    ``max_cost_rise`` is the largest accepted rise of the cost per success: an amount, or as a text such as ``"10%"`` a
    share of the baseline's. ``cost`` is that of ``cost_table``; the outcomes are sets that know the costs of trials.
    """

    target: str
    prior: PriorLike | None
    task_weights: str | Mapping[str, float] | None
    shared_only: bool
    runs: str
    model: str | tuple[str, str] | None
    decided_by: str
    allow_missing: bool
    per_question: Limits | None
    question_rule: str
    no_new_failures: bool
    allow: int | Collection[Any]
    max_cost_rise: float | str | None
    cost: Costs


@dataclass(frozen=True, kw_only=True)
class _GateTerms(PairTerms):
    """What is asked of a gate, checked; ``error`` is the probability of each one-sided statement to be wrong."""

    names: tuple[str, str] = ("new", "baseline")
    mode: str
    error: float
    task_weights: str | Mapping[str, float] | None = None
    model: str | tuple[str, str] | None = None
    decided_by: str = "all"
    allow_missing: bool = False
    per_question: Limits | None = None
    question_rule: str = "posterior"
    no_new_failures: bool = False
    allow: int | Collection[Any] = 0
    max_cost_rise: float | str | None = None
    cost: Costs = None

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("mode", self.mode, MODES)
        choice("decided_by", self.decided_by, DECIDED_BY)
        for name in ("allow_missing", "no_new_failures"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ParameterError(f"must be True or False; got {value!r}", argument=name)
        if not self.no_new_failures and (not isinstance(self.allow, int) or self.allow):
            raise ParameterError("goes with no_new_failures", argument="allow")
        if self.max_cost_rise is None and self.cost is not None:
            raise ParameterError("goes with max_cost_rise", argument="cost")
        if self.max_cost_rise is not None and self.runs == RANDOM:
            raise ParameterError("is 'random', and costs per success take trials as independent", argument="runs")

    @classmethod
    def of(cls, mode: str, confidence: float, options: GateOptions) -> "_GateTerms":
        """Return the terms of a gate, of which a two-sided interval has both bounds at its confidence as ends."""
        error = error_of(confidence)
        return cls(**accepted(options, gate), mode=mode, error=error, confidence=1.0 - 2.0 * error)

    def check_baseline(self, baseline: Any) -> None:
        """Check that there is a baseline if anything asked for compares with one."""
        asks = "no_new_failures" if self.no_new_failures else "" if self.max_cost_rise is None else "max_cost_rise"
        if baseline is None and (self.per_question is None or asks):
            problem = f"is missing, and {asks or 'a gate without per_question'} compares with one"
            raise ParameterError(problem, argument="baseline")


@takes(GateOptions, _GateTerms)
@underflow_is_zero
def gate(
    metric: Metrics,
    new: Any,
    baseline: Any = None,
    *,
    max_drop: Drops = 0.02,
    mode: str = "worse",
    confidence: float = 0.95,
    **options: Unpack[GateOptions],
) -> GateResult:
    """Say whether a new model may replace a baseline: per task and overall, by one or more metrics, and per question.

    - ``"worse"``: a check fails if the new model is shown to be worse, unless drops above ``max_drop`` are excluded.
    - ``"noninferior"``: a check passes if larger drops are excluded, fails if one is shown, and is undecided otherwise.
    - ``"equivalent"``: a check passes if the scores are shown to differ by less than ``max_drop`` in either direction
      (two one-sided tests), fails if they are shown to differ by more, and is undecided otherwise.

    A gate fails if one check fails, and passes if all pass. Failures are corrected by Holm's method, so that a gate
    without a larger drop (for ``"worse"``, without any) fails with probability at most ``1 - confidence``. A check is
    undecided where one side lacks questions of the other, where a run seems to have ended early, or where a metric
    takes more trials than there are and these leave it open.

    ``metric`` is one metric or several, or a mapping from tasks to metrics; None is Pass@1, or avg@N for rewards.
    ``new`` and ``baseline`` are outcomes, an ``OutcomeSet``, or a ``Suite``. ``max_drop`` is the largest accepted drop
    of the score; as a text such as ``"5%"``, a share of the baseline's score. Or a mapping from tasks, and
    ``"overall"``, to drops of either kind. ``options`` are those of ``GateOptions``.

    >>> gate("pass@1", *(OutcomeMatrix.from_counts(each, 10) for each in ([4, 1, 6, 0], [9, 5, 10, 2]))).verdict
    'failed'
    """
    terms = _GateTerms.of(mode, confidence, options)
    terms.check_baseline(baseline)
    about: dict[str, Any] = {"mode": mode, "confidence": confidence, "target": terms.target}
    about["decided_by"], questions = terms.decided_by, None
    if terms.per_question is not None:
        rules: dict[str, Any] = {
            "rule": terms.question_rule,
            "prior": terms.prior,
            "allow_missing": terms.allow_missing,
        }
        questions = question_limits(new, terms.model, terms.per_question, confidence=confidence, **rules)
        if baseline is None:
            shares = dict.fromkeys(as_tasks(new, "new"), 1.0)
            return GateResult((questions.model, ""), (), max_drop=0.0, weights=shares, questions=questions, **about)
    sides = _Sides.of(new, baseline, terms)
    message = "the new outcomes and those of the baseline are the same, so nothing can have changed"
    advice = "give those of an earlier run, or name two models with model=(new, baseline)"
    warn_of_copies(sides.pairs, f"{message}: {advice}", also_one=True)
    checks, limit = _by_metric(metric, max_drop, sides, terms)
    problem = next((seen.problem for seen in sides.coverage.values() if seen.problem), "")
    failures = None
    if terms.no_new_failures:
        failures = new_failures(sides.pairs, allow=terms.allow, confidence=confidence, problem=problem)
    costs = None if terms.max_cost_rise is None else _cost_limit(new, baseline, sides.names, terms, problem)
    parts: dict[str, Any] = {"questions": questions, "failures": failures, "costs": costs}
    return GateResult(sides.names, checks, max_drop=limit, weights=sides.shares, **about, **parts)


def _cost_limit(new: Any, baseline: Any, names: tuple[str, str], terms: _GateTerms, problem: str) -> CostLimit:
    """Return the verdict about the cost per success; both bounds of the comparison are at the gate's confidence."""
    limit = Limit.of(terms.max_cost_rise, "max_cost_rise", math.inf)
    about: dict[str, Any] = {"task_weights": terms.task_weights, "shared_only": terms.shared_only}
    about |= {"confidence": terms.confidence, "prior": terms.prior, "target": terms.target}
    both = compare_costs(new, baseline, terms.cost, model=names, **about)
    both = replace(both, names=(f"{names[0]} (new)", f"{names[1]} (baseline)"))
    return CostLimit(both, limit.written, terms.mode, 1.0 - terms.error, problem)


class Coverage(NamedTuple):
    """How many questions have outcomes of the new model, of the baseline, and of both, and what is wrong with that."""

    n_questions: tuple[int, int]
    n_shared: int
    problem: str = ""

    @classmethod
    def of_all(cls, tasks: Sequence["Coverage"]) -> "Coverage":
        """Return the coverage of several tasks; one with a problem is a problem of all."""
        new, old = (sum(task.n_questions[side] for task in tasks) for side in (0, 1))
        problem = next((task.problem for task in tasks if task.problem), "")
        return cls((new, old), sum(task.n_shared for task in tasks), problem)


def _covered(new: OutcomeMatrix, old: OutcomeMatrix, shared_only: bool, allow_missing: bool) -> tuple[Sides, Coverage]:
    """Return the outcomes of the questions that both models have trials of, and what they cover."""
    one, other = (new, old) if min(new.min_trials, old.min_trials) else asked_questions((new, old))
    if None in (one.questions, other.questions) and not shares_questions(one, other):
        remedy = Remedy("questions", "...", "names them, on both sides")
        problem = "the questions of the new model and of the baseline cannot be matched without labels"
        raise OutcomeError(f"{problem}: there are {one.n_questions} and {other.n_questions}", remedies=[remedy])
    mine, theirs = (set(side.questions or range(side.n_questions)) for side in (one, other))
    shared = len(mine & theirs)
    if not shared:
        problem = f"share no question{nearly_shared(mine, theirs)}: they have outcomes of {len(mine)} and {len(theirs)}"
        hint = "a gate compares models on the same questions"
        raise OutcomeError(f"the new model and the baseline {problem}", hint=hint)
    if shared_only and shared < _MOST * len(theirs):
        message = f"the gate rests on {shared} of the {len(theirs)} questions of the baseline"
        warn(f"{message}, because only the shared questions are asked for", QuestionsWarning)
    if shared < max(len(mine), len(theirs)):
        one, other = shared_questions(one, other)
    problem = "" if shared_only else _of_questions(len(mine), len(theirs), shared)
    if not problem and not allow_missing:
        problem = _of_trials(one, other) if shared_only else _of_trials(new, old)
    return (one, other), Coverage((len(mine), len(theirs)), shared, problem)


def _of_questions(mine: int, theirs: int, shared: int) -> str:
    """Say which side lacks questions; empty if both have the same."""
    sides = (("new model", "baseline", theirs), ("baseline", "new model", mine))
    lacks = [
        f"the {side} lacks {count - shared} of the {pluralize(count, 'question')} of the {other}"
        for side, other, count in sides
        if shared < count
    ]
    advice = "run them, or compare the shared questions only (shared_only=True)"
    return f"{', and '.join(lacks)}: {advice}" if lacks else ""


def _of_trials(new: OutcomeMatrix, old: OutcomeMatrix) -> str:
    """Say which run looks as if it ended early; empty if none does."""
    ended = trials_problem("the new model", new) or trials_problem("the baseline", old)
    if ended:
        return ended
    if not new.mean_trials >= _FEW * old.mean_trials:
        numbers = f"fewer trials per question ({new.mean_trials:.3g}) than a quarter of the baseline's"
        return f"the new model has {numbers} ({old.mean_trials:.3g}), as if its run had ended early: {ALLOW_MISSING}"
    return ""


class _Sides(NamedTuple):
    """Both models by task, what they cover, and the share of each task in the overall score."""

    names: tuple[str, str]
    pairs: Pairs
    coverage: Mapping[str, Coverage]
    shares: Mapping[str, float]

    @classmethod
    def of(cls, new: Any, baseline: Any, terms: _GateTerms) -> "_Sides":
        """Return the outcomes to compare by task, with the coverage of all of them if there are several."""
        names, given = pair_of_models(new, baseline, terms.model, terms.names)
        if OVERALL in given and len(given) > 1:
            raise OutcomeError(
                f"a task is named {OVERALL!r}, as is the check of all tasks", hint="give it another name"
            )
        pairs, coverage = {}, {}
        for task, pair in given.items():
            with at_task(task):
                pairs[task], coverage[task] = _covered(*pair, terms.shared_only, terms.allow_missing)
        shares = shares_of(terms.task_weights, {task: old.n_questions for task, (_, old) in pairs.items()})
        if len(coverage) > 1:
            coverage[OVERALL] = Coverage.of_all([*coverage.values()])
        return cls(names, pairs, coverage, shares)


def _by_metric(
    metric: Metrics, max_drop: Drops, sides: _Sides, terms: _GateTerms
) -> tuple[tuple[GateCheck, ...], float | str | Mapping[str, Any]]:
    """Return the checks of all metrics with their verdicts, and the largest accepted drop as it was given."""
    asked = default_metric(outcomes for pair in sides.pairs.values() for outcomes in pair) if metric is None else metric
    each_metric = metrics_of_tasks(asked, sides.pairs)
    drops = drops_of(max_drop, sides.shares)
    checks = [check for of_tasks in each_metric for check in _checks(*of_tasks, sides, drops, terms)]
    corrected: dict[int, float] = {}
    for decides in (True, False):  # each of these is a family
        family = [i for i, check in enumerate(checks) if check.decides == decides]
        corrected |= zip(family, holm([checks[i].p_failed for i in family]), strict=True)
    judged = tuple(check.judged(terms.mode, terms.error, corrected[i]) for i, check in enumerate(checks))
    return judged, dict(max_drop) if isinstance(max_drop, Mapping) else drops[OVERALL].written


def drops_of(max_drop: Drops, shares: Mapping[str, float]) -> dict[str, Limit]:
    """Return the accepted drop of every task, and of the overall score.

    >>> drops = drops_of({"algebra": 0.02, "chess": 0.06}, {"algebra": 0.5, "chess": 0.5})
    >>> {task: str(drop) for task, drop in drops.items()}
    {'algebra': '0.02', 'chess': '0.06', 'overall': '0.04'}
    """
    if not isinstance(max_drop, Mapping):
        return dict.fromkeys([*shares, OVERALL], Limit.of(max_drop))
    check_tasks(
        "max_drop", {task: drop for task, drop in max_drop.items() if task != OVERALL or task in shares}, shares
    )
    drops = {task: Limit.of(drop, f"the limit of {task!r}") for task, drop in max_drop.items()}
    return {task: drops[task] for task in shares} | {OVERALL: drops.get(OVERALL) or _overall_drop(drops, shares)}


def _overall_drop(drops: Mapping[str, Limit], shares: Mapping[str, float]) -> Limit:
    """Return the drop of the overall score if every task drops by exactly its limit."""
    kinds = {drops[task].is_relative for task in shares}
    if kinds == {False}:
        return Limit(sum(share * drops[task].amount for task, share in shares.items()))
    if len({drops[task] for task in shares}) == 1:
        return next(drops[task] for task in shares)
    problem = "has percentages that differ, or numbers beside them, which imply no limit of the overall score"
    raise ParameterError(problem, argument="max_drop", hint=f"name that too: {{.., {OVERALL!r}: 0.02}}")


def _checks(
    metric: Metric | TaskMetrics,
    of_tasks: Sequence[Metric],
    sides: _Sides,
    drops: Mapping[str, Limit],
    terms: _GateTerms,
) -> list[GateCheck]:
    """Return the checks without their verdicts: one per task, and one overall if there are several."""
    rules = dict(zip(sides.pairs, of_tasks, strict=True))
    _check_drops(rules, sides, drops)
    comparison = compared(metric, of_tasks, sides.pairs, sides.shares, terms)
    whole, several = comparison.result, len(rules) > 1
    stacks = _stacks(comparison) if any(drops[task].is_relative for task in [*rules, OVERALL]) else {}
    is_open = {task: terms.mode == WORSE and _is_open(rule, sides.pairs[task], terms) for task, rule in rules.items()}
    checks = []
    for task, result in ({**(whole.tasks or {ONLY: whole})} | ({OVERALL: whole} if several else {})).items():
        decides = not several or terms.decided_by in ("all", OVERALL if task == OVERALL else "tasks")
        leaves_open = any(is_open.values()) if task == OVERALL else is_open[task]
        stack = stacks.get(task) if drops[task].is_relative else None
        check = _check(result, drops[task], stack, sides.coverage[task], terms, is_open=leaves_open)
        checks.append(replace(check, task=task, decides=decides))
        if terms.target == "population" and task in rules and check.p_passed <= terms.error:
            _warn_of_rare_kinds(rules[task], sides.pairs[task], drops[task], terms.error)
    return checks


def _is_open(metric: Metric, pair: Sequence[OutcomeMatrix], terms: _GateTerms) -> bool:
    """Return whether the metric takes more trials than a model has, and what these leave open is in the interval."""
    return terms.assumed.is_learned and any(metric.share_left_open(metric.admit(outcomes)) > 0.0 for outcomes in pair)


def _check_drops(rules: Mapping[str, Metric], sides: _Sides, drops: Mapping[str, Limit]) -> None:
    """Check that no limit accepts whatever the new model does, as 2 does for a score from 0 to 1."""
    ranges = {}
    for task, metric in rules.items():
        supports = [metric.support(outcomes) for outcomes in sides.pairs[task]]
        ranges[task] = max(high for _, high in supports) - min(low for low, _ in supports)
    ranges[OVERALL] = math.fsum(sides.shares[task] * ranges[task] for task in rules)
    for task, width in ranges.items():
        if not drops[task].is_relative and drops[task].amount >= max(width, 1.0):
            named = " overall" if task == OVERALL else f" on {task!r}" if task else ""
            problem = f"of {drops[task]} accepts every drop: the score{named} can fall by {width:g} at most"
            hint = "2 points of 100 are 0.02 where the score is from 0 to 1"
            raise ParameterError(problem, argument="max_drop", hint=hint)


def _check(
    result: Comparison, limit: Limit, stack: Stack | None, coverage: Coverage, terms: _GateTerms, *, is_open: bool
) -> GateCheck:
    """Return a check without its verdict; it is undecided where data lack, or leave open what would decide it."""
    law = result.law
    lower, upper = (law, -limit.amount), (law, limit.amount)
    if stack is not None:
        lower, upper = ((_less(stack, c), 0.0) for c in (1.0 - limit.amount, 1.0 / (1.0 - limit.amount)))
    p_passed = lower[0].p_at_most(lower[1])
    p_failed = law.p_at_least(0.0) if terms.mode == WORSE else lower[0].p_at_least(lower[1])
    if terms.mode == EQUIVALENT:
        p_passed = max(p_passed, upper[0].p_at_least(upper[1]))
        p_failed = min(p_failed, upper[0].p_at_most(upper[1]))
    baseline, ends = result.scores[1], None if stack is None else _ratio(stack)
    if ends and (baseline == 0.0 or (baseline is None and math.isinf(ends[2]))):  # None: too few trials for a score
        ends = (math.nan, math.nan, math.nan)
    near = upper if terms.mode == EQUIVALENT and law.mean > 0.0 else lower
    effort = near[0].effort(near[1], CHANCE)
    problem = coverage.problem or (_cannot_fail(result, terms.error) if terms.mode == WORSE else "")
    if is_open and not problem and min(p_passed, p_failed) > terms.error:  # a drop is neither shown nor excluded
        problem = _LEFT_OPEN.format(metric=result.metric)
    return GateCheck(
        task=ONLY,
        metric=str(result.metric),
        scores=result.scores,
        difference=law.mean,
        lo=law.lo,
        hi=law.hi,
        p_passed=p_passed,
        p_failed=p_failed,
        n_questions=coverage.n_questions,
        n_shared=coverage.n_shared,
        n_trials=result.n_trials,
        problem=problem,
        effort=effort if effort <= MOST_EFFORT else None,
        max_drop=limit.written,
        ratio=ends,
    )


def _cannot_fail(result: Comparison, error: float) -> str:
    """Return why a drop that was seen passes nothing: so few questions could not show it; empty where they could."""
    count = result.degrees  # of one task: that of its questions, or clusters, of which each could be another sign
    if result.target != "population" or result.tasks or not result.paired or result.difference >= 0.0:
        return ""
    if not 2.0**-count > error:
        return ""
    return f"{count:.3g} questions or clusters of a population are too few to show any drop: run at least 8"


def _less(stack: Stack, c: float) -> DifferenceLaw:
    """Return the law of the first score minus ``c`` times the second."""
    return stack.widest_law(((1.0, 0), (-c, 1)))


def _ratio(stack: Stack) -> tuple[float, float, float]:
    """Return the ratio of the posterior means, infinite if the second is 0, and its one-sided bounds."""
    first, second = stack.joint.mu[:2].tolist()
    lo, hi = DifferenceLaw.ends_of_ratio(partial(_less, stack), 1.0)
    return first / second if second > 0.0 else math.inf, max(lo, 0.0), max(hi, 0.0)


def _stacks(compared: Compared) -> dict[str, Stack]:
    """Return the values of both models on each task, and overall if there are several, for ratios of scores."""
    contest, tasks = compared.contest, compared.result.tasks or {ONLY: compared.result}
    terms = contest.tasks[0].terms
    if terms.runs == RANDOM:
        raise ParameterError("is 'random', and relative limits take trials as independent", argument="runs")
    for part in contest.tasks:
        if part.supports().min() < 0.0:
            raise ParameterError(f"is relative, and {part.metric} can be negative", argument="max_drop")
    return dict(zip(tasks, compared.values, strict=True)) | {OVERALL: contest.summed(compared.values)}


def _warn_of_rare_kinds(metric: Metric, pair: Sides, limit: Limit, error: float) -> None:
    """Issue a QuestionsWarning where a passed gate rests on too few questions that tell the models apart.

    A kind of question with the share ``s`` is missing from ``C`` questions (or clusters) with the probability
    ``(1 - s)^C``, so shares up to ``1 - error^(1/C)`` may be (for an error of .05, about ``3/C``). The variance of the
    difference allows for kinds that were not seen if it comes from several questions, and not if it comes from one or
    two. How many equal effects it comes from is ``(sum d^2)^2 / sum d^4`` of the effects ``d``.
    """
    new, old = shared_questions(*pair)
    if cluster_count(new) < 2 or min(new.min_trials, old.min_trials) < metric.required_trials:
        return
    effects = shifts(metric, new) - shifts(metric, old)
    total = float(effects @ effects)
    behind = total**2 / float((effects**4).sum()) if total > 0.0 else 0.0
    count = cluster_count(new)
    share = 1.0 - error ** (1.0 / count)
    low, high = metric.support(new)
    drop = limit.amount * (metric.score(old) if limit.is_relative else 1.0)
    if behind >= _FEW_EFFECTS or not share * (high - low) > drop:
        return
    telling = f"about {behind:.1f}" if behind else "none"
    units = pluralize(count, "question" if new.clusters is None else "cluster")
    warn(
        f"the gate passes for questions like these, but on {metric} only {telling} of {units} tell the models"
        f" apart: a kind of question that makes up as much as {share:.0%} may not be among them, and the new"
        f" model may lose more there than the accepted {number(drop)}. Run more questions, or ask about these questions"
        ' (target="questions")',
        QuestionsWarning,
    )
