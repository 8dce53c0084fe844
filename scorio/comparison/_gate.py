"""Gate: may a new model replace the baseline, on every task and overall?"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import underflow_is_zero
from .._choices import DECIDED_BY, OVERALL, RANDOM
from .._display.words import shorten
from ..errors import OutcomeError, ParameterError
from ..estimates import (
    ONLY,
    TaskMetrics,
    as_tasks,
    at_task,
    check_tasks,
    default_metric,
    holm,
    metrics_of_tasks,
    pair_of_models,
    shares_of,
)
from ..inference import PriorLike
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._comparison import Comparison
from ._cost_comparison import Pair, cost_limit
from ._costs import Costs
from ._gate_coverage import Coverage, covered, warn_of_rare_kinds
from ._gate_result import MODES, GateCheck, GateResult
from ._question_diff import new_failures
from ._question_limits import Limits, question_limits
from ._ratios import Limit, RatioLaw, ratio_laws
from ._two_models import Pairs, PairTerms, compared
from ._verdicts import CHANCE, EQUIVALENT, MOST_EFFORT, WORSE, error_of

_LEFT_OPEN = (
    "{metric} takes more trials than there are, and these leave open whether it dropped: run more of them, or decide by"
    " a metric of fewer"
)
Drops = float | str | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class _GateTerms(PairTerms):
    """What is asked of a gate: its mode, the probability ``error`` of each one-sided statement, and which data do."""

    advice: ClassVar[str] = "run the missing ones, or compare the shared ones only (shared_only=True)"
    mode: str
    error: float
    allow_missing: bool

    def __post_init__(self) -> None:
        if not isinstance(self.allow_missing, bool):
            raise ParameterError(f"must be True or False; got {self.allow_missing!r}", argument="allow_missing")
        super().__post_init__()


@underflow_is_zero
def gate(
    metric: Metric | str | Iterable[Metric | str] | Mapping[str, Metric | str] | None,
    new: Any,
    baseline: Any = None,
    *,
    max_drop: Drops = 0.02,
    mode: str = "worse",
    confidence: float = 0.95,
    target: str = "questions",
    task_weights: str | Mapping[str, float] | None = None,
    decided_by: str = "all",
    model: str | tuple[str, str] | None = None,
    prior: PriorLike | None = None,
    shared_only: bool = False,
    allow_missing: bool = False,
    runs: str = "auto",
    per_question: Limits | None = None,
    question_rule: str = "posterior",
    no_new_failures: bool = False,
    allow: int | Collection[Any] = 0,
    max_cost_rise: float | str | None = None,
    cost: Costs = None,
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

    Parameters
    ----------
    metric
        One metric or several, or a mapping from tasks to metrics; None is Pass@1, or avg@N for rewards.
    new, baseline, model
        Outcomes, an ``OutcomeSet``, or a ``Suite``; ``model`` names one of several models, or one of each.
    max_drop
        The largest accepted drop of the score; as a text such as ``"5%"``, a share of the baseline's score. Or a
        mapping from tasks, and ``"overall"``, to drops of either kind; or from metrics to any of these.
    mode, confidence, decided_by
        What to do in doubt; one minus the error rate; the checks that decide: ``"all"``, ``"tasks"`` or ``"overall"``.
    task_weights, target, prior, shared_only, runs
        As in ``compare``.
    allow_missing
        Let a check pass although a side lacks over 10% of its trials, or ``new`` has under a quarter of the baseline's.
    per_question, question_rule
        The probability with which every question is to be solved, or a mapping from questions (or from tasks) to it;
        it needs no ``baseline``. All verdicts about questions hold together with ``confidence``. They are those of each
        question's posterior, which borrows strength from the others, or of the exact ``"binomial"`` test.
    no_new_failures, allow
        Fail if a question got worse since the baseline, as ``diff_questions`` tests it, at a family-wise error; so many
        questions are allowed to, or these.
    max_cost_rise, cost
        The largest accepted rise of the cost per success: an amount, or as a text such as ``"10%"`` a share of the
        baseline's. ``cost`` is that of ``cost_table``, and the outcomes are sets that know the costs of trials.

    Examples
    --------
    >>> gate("pass@1", *(OutcomeMatrix.from_counts(each, 10) for each in ([4, 1, 6, 0], [9, 5, 10, 2]))).verdict
    'failed'

    """
    _check_failures(no_new_failures, allow)
    _check_costs(max_cost_rise, cost, runs)
    asks = "no_new_failures" if no_new_failures else "" if max_cost_rise is None else "max_cost_rise"
    if baseline is None and (per_question is None or asks):
        problem = f"is missing, and {asks or 'a gate without per_question'} compares with one"
        raise ParameterError(problem, argument="baseline")
    about: dict[str, Any] = {"confidence": confidence, "prior": prior, "allow_missing": allow_missing}
    questions = None if per_question is None else question_limits(new, model, per_question, question_rule, **about)
    if baseline is None and questions is not None:
        shares = dict.fromkeys(as_tasks(new, "new"), 1.0)
        return GateResult((questions.model, ""), (), mode, 0.0, confidence, target, decided_by, shares, questions)

    error = error_of(confidence)
    about |= {"mode": choice("mode", mode, MODES), "target": target, "shared_only": shared_only, "runs": runs}
    about["confidence"] = 1.0 - 2.0 * error  # of an interval whose ends are both bounds
    terms = _GateTerms(error=error, names=("new", "baseline"), **about)
    names, given = pair_of_models(new, baseline, model, terms.names)
    pairs, coverage = _covered(given, terms)
    choice("decided_by", decided_by, DECIDED_BY)
    shares = shares_of(task_weights, {task: old.n_questions for task, (_, old) in pairs.items()})
    checks, limit = _by_metric(metric, max_drop, pairs, coverage, shares, decided_by, terms)
    problem = next((seen.problem for seen in coverage.values() if seen.problem), "")
    failures = new_failures(pairs, allow=allow, confidence=confidence, problem=problem) if no_new_failures else None
    costs = None
    if max_cost_rise is not None:
        sides = Pair.of(new, baseline, names, shared_only=shared_only)
        costs = cost_limit(sides, cost, max_cost_rise, mode=mode, terms=terms, shares=shares, problem=problem)
    return GateResult(names, checks, mode, limit, confidence, target, decided_by, shares, questions, failures, costs)


def _check_failures(no_new_failures: Any, allow: int | Collection[Any]) -> None:
    if not isinstance(no_new_failures, bool):
        raise ParameterError(f"must be True or False; got {no_new_failures!r}", argument="no_new_failures")
    if not no_new_failures and (not isinstance(allow, int) or allow):
        raise ParameterError("goes with no_new_failures", argument="allow")


def _check_costs(max_cost_rise: float | str | None, cost: Costs, runs: str) -> None:
    if max_cost_rise is None and cost is not None:
        raise ParameterError("goes with max_cost_rise", argument="cost")
    if max_cost_rise is not None and runs == RANDOM:
        raise ParameterError("is 'random', and costs per success take trials as independent", argument="runs")


def _covered(given: Pairs, terms: _GateTerms) -> tuple[Pairs, dict[str, Coverage]]:
    """Return the outcomes to compare by task, and what they cover."""
    if OVERALL in given and len(given) > 1:
        raise OutcomeError(f"a task is named {OVERALL!r}, as is the check of all tasks", hint="give it another name")
    pairs, coverage = {}, {}
    for task, pair in given.items():
        with at_task(task):
            pairs[task], coverage[task] = covered(*pair, terms.shared_only, terms.allow_missing)
    return pairs, coverage


def _by_metric(
    metric: Metric | str | Iterable[Metric | str] | Mapping[str, Metric | str] | None,
    max_drop: Drops,
    pairs: Pairs,
    coverage: Mapping[str, Coverage],
    shares: Mapping[str, float],
    decided_by: str,
    terms: _GateTerms,
) -> tuple[tuple[GateCheck, ...], float | str | Mapping[str, Any]]:
    """Return the checks of all metrics with their verdicts, and the largest accepted drop as it was given."""
    asked = default_metric(outcomes for pair in pairs.values() for outcomes in pair) if metric is None else metric
    each_metric = metrics_of_tasks(asked, pairs)
    drops = _drops_by_metric(max_drop, [str(metric) for metric, _ in each_metric], shares)
    unjudged = [
        one
        for of_tasks, limits in zip(each_metric, drops, strict=True)
        for one in _checks(*of_tasks, pairs, coverage, shares, limits, decided_by, terms)
    ]
    limit = dict(max_drop) if isinstance(max_drop, Mapping) else drops[0][OVERALL].written
    checks = tuple(_judged(unjudged, terms))
    if terms.target == "population":
        of_metric = {str(metric): dict(zip(pairs, of_tasks, strict=True)) for metric, of_tasks in each_metric}
        for check in checks:
            if check.excludes and check.task in pairs:
                warn_of_rare_kinds(of_metric[check.metric][check.task], pairs[check.task], check.accepted, terms.error)
    return checks, limit


def _drops_by_metric(max_drop: Drops, metrics: Sequence[str], shares: Mapping[str, float]) -> list[dict[str, Limit]]:
    """Return the accepted drops for each metric: the same for all, or by the names of the metrics."""
    if not (isinstance(max_drop, Mapping) and any(name in max_drop and name not in shares for name in metrics)):
        return [drops_of(max_drop, shares)] * len(metrics)
    unknown = [*set(metrics).symmetric_difference(max_drop)]
    if unknown:
        problem = f"by metric must name {shorten(list(metrics))}, each once; {shorten(unknown)} is missing or too much"
        raise ParameterError(problem, argument="max_drop")
    return [drops_of(max_drop[name], shares) for name in metrics]


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
    pairs: Pairs,
    coverage: Mapping[str, Coverage],
    shares: Mapping[str, float],
    drops: Mapping[str, Limit],
    decided_by: str,
    terms: _GateTerms,
) -> list[GateCheck]:
    """Return the checks without their verdicts: one per task, and one overall if there are several."""
    _check_drops(of_tasks, pairs, shares, drops)
    comparison = compared(metric, of_tasks, pairs, shares, terms)
    whole, several = comparison.result, len(pairs) > 1
    ratios = ratio_laws(comparison) if any(drops[task].is_relative for task in [*pairs, OVERALL]) else {}
    checks, is_any_open = [], False
    for (task, result), rule in zip((whole.tasks or {ONLY: whole}).items(), of_tasks, strict=True):
        is_open = terms.mode == WORSE and _is_open(rule, pairs[task], terms)
        is_any_open = is_any_open or is_open
        data = (coverage[task], terms, is_open)
        checks.append(_check(result, drops[task], ratios.get(task), task, not several or decided_by != OVERALL, *data))
    if several:
        total = Coverage.of_all(coverage.values())
        data = (total, terms, is_any_open)
        checks.append(_check(whole, drops[OVERALL], ratios.get(OVERALL), OVERALL, decided_by != "tasks", *data))
    return checks


def _is_open(metric: Metric, pair: Sequence[OutcomeMatrix], terms: _GateTerms) -> bool:
    """Return whether the metric takes more trials than a model has, and what these leave open is in the interval."""
    return terms.assumed.is_learned and any(metric.share_left_open(metric.admit(outcomes)) > 0.0 for outcomes in pair)


def _check_drops(
    of_tasks: Sequence[Metric], pairs: Pairs, shares: Mapping[str, float], drops: Mapping[str, Limit]
) -> None:
    """Check that no limit accepts whatever the new model does, as 2 does for a score from 0 to 1."""
    ranges = {}
    for metric, (task, pair) in zip(of_tasks, pairs.items(), strict=True):
        supports = [metric.support(outcomes) for outcomes in pair]
        ranges[task] = max(high for _, high in supports) - min(low for low, _ in supports)
    ranges[OVERALL] = math.fsum(shares[task] * ranges[task] for task in pairs)
    for task, width in ranges.items():
        if not drops[task].is_relative and drops[task].amount >= max(width, 1.0):
            named = " overall" if task == OVERALL else f" on {task!r}" if task else ""
            problem = f"of {drops[task]} accepts every drop: the score{named} can fall by {width:g} at most"
            hint = "2 points of 100 are 0.02 where the score is from 0 to 1"
            raise ParameterError(problem, argument="max_drop", hint=hint)


def _check(
    result: Comparison,
    limit: Limit,
    ratio: RatioLaw | None,
    task: str,
    decides: bool,
    coverage: Coverage,
    terms: _GateTerms,
    is_open: bool,
) -> GateCheck:
    """Return a check without its verdict; it is undecided where data lack, or leave open what would decide it."""
    law, ratio = result.law, ratio if limit.is_relative else None
    lower = (law, -limit.amount) if ratio is None else (ratio.difference(limit.least), 0.0)
    upper = (law, limit.amount) if ratio is None else (ratio.difference(1.0 / limit.least), 0.0)
    p_passed = lower[0].p_at_most(lower[1])
    p_failed = law.p_at_least(0.0) if terms.mode == WORSE else lower[0].p_at_least(lower[1])
    if terms.mode == EQUIVALENT:
        p_passed = max(p_passed, upper[0].p_at_least(upper[1]))
        p_failed = min(p_failed, upper[0].p_at_most(upper[1]))
    baseline, bounds = result.scores[1], (0.0, math.inf) if ratio is None else ratio.bounds()
    is_nothing = baseline == 0.0 or (baseline is None and math.isinf(bounds[1]))  # too few trials for a score
    near = upper if terms.mode == EQUIVALENT and law.mean > 0.0 else lower
    effort = near[0].effort(near[1], CHANCE)
    problem = coverage.problem or (_cannot_fail(result, terms.error) if terms.mode == WORSE else "")
    if is_open and not problem and min(p_passed, p_failed) > terms.error:  # a drop is neither shown nor excluded
        problem = _LEFT_OPEN.format(metric=result.metric)
    return GateCheck(
        task=task,
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
        decides=decides,
        effort=effort if effort <= MOST_EFFORT else None,
        max_drop=limit.written,
        ratio=None if ratio is None else (math.nan, math.nan, math.nan) if is_nothing else (ratio.ratio, *bounds),
    )


def _cannot_fail(result: Comparison, error: float) -> str:
    """Return why a drop that was seen passes nothing: so few questions could not show it; empty where they could."""
    count = result.degrees  # of one task: that of its questions, or clusters, of which each could be another sign
    if result.target != "population" or result.tasks or not result.paired or result.difference >= 0.0:
        return ""
    if not 2.0**-count > error:
        return ""
    return f"{count:.3g} questions or clusters of a population are too few to show any drop: run at least 8"


def _judged(checks: Sequence[GateCheck], terms: _GateTerms) -> list[GateCheck]:
    """Return the checks with their verdicts; those that decide, and the others, are corrected for their number."""
    corrected: dict[int, float] = {}
    for decides in (True, False):
        family = [i for i, check in enumerate(checks) if check.decides == decides]
        corrected |= zip(family, holm([checks[i].p_failed for i in family]), strict=True)
    return [check.judged(terms.mode, terms.error, corrected[i]) for i, check in enumerate(checks)]
