"""Gate: may a new model replace the baseline, on every task and overall?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Vector, underflow_is_zero
from .._choices import DECIDED_BY, OVERALL, TARGETS
from ..errors import OutcomeError, ParameterError
from ..inference._prior import LEARNED, PriorLike
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, Suite
from ..params import choice, nonnegative, open_unit
from ._comparison import Comparison
from ._difference_law import holm, law_of
from ._gate_check import MODES, GateCheck, check_of
from ._gate_result import GateResult
from ._questions import QUESTIONS
from ._task_metrics import check_tasks, default_metric, metrics_of_tasks, shares_of
from ._task_sets import pair_of_models
from ._two_models import compare

Drops = float | Mapping[str, float]
Pairs = Mapping[str, tuple[OutcomeMatrix, OutcomeMatrix]]


class _Rules(NamedTuple):
    mode: str
    confidence: float
    target: str
    prior: PriorLike
    questions: str

    @property
    def error(self) -> float:
        return 1.0 - self.confidence

    def checked(self) -> _Rules:
        """Return the rules, if they are in their domains."""
        choice("mode", self.mode, MODES)
        choice("target", self.target, TARGETS)
        choice("questions", self.questions, QUESTIONS)
        confidence = open_unit("confidence", self.confidence)
        if 1.0 - confidence >= 0.5:
            raise ParameterError(f"must be above 0.5; got {confidence!r}", argument="confidence")
        return self._replace(confidence=confidence)


@underflow_is_zero
def gate(
    new: Any,
    baseline: Any,
    metrics: Metric | str | Iterable[Metric | str] | Mapping[str, Metric | str] | None = None,
    *,
    max_drop: Drops = 0.02,
    mode: str = "noninferior",
    confidence: float = 0.95,
    target: str = "questions",
    weights: str | Mapping[str, float] | None = None,
    decided_by: str = "all",
    model: str | tuple[str, str] | None = None,
    prior: PriorLike = LEARNED,
    questions: str = "all",
) -> GateResult:
    """Say whether a new model may replace a baseline: per task and overall, by one or more metrics.

    - ``"noninferior"``: a check passes if the drop is below ``max_drop`` with this confidence, fails if it is above,
      and is undecided otherwise. A gate with a larger drop passes with probability at most ``1 - confidence``.
    - ``"significant"``: a check fails if the drop is above ``max_drop`` with this confidence; with few data few do.
    - ``"point"``: a check fails if the drop of the scores is above ``max_drop``. There is no error rate.

    A gate fails if one check fails, and passes if all pass. Failures are corrected for the number of checks by Holm's
    method: a gate without a larger drop on any check fails with probability at most ``1 - confidence``.

    Parameters
    ----------
    new, baseline, model
        Outcomes, an ``OutcomeSet``, or a ``Suite``; ``model`` names one of several models, or one of each.
    metrics
        One metric or several, or a mapping from tasks to metrics; Pass@1, or Bayes@N for rewards, if left out.
    max_drop
        The largest accepted drop of the score, or a mapping from tasks to drops. The overall score may then drop by
        their weighted mean, or by the entry ``"overall"``.
    mode, confidence
        What to do in doubt; one minus the error rate.
    decided_by
        The checks that decide: ``"all"``, the ``"tasks"``, or ``"overall"`` alone.
    weights, target, prior, questions
        As in ``compare``.

    Examples
    --------
    >>> old = OutcomeMatrix.from_counts([9, 5, 10, 2], 10)
    >>> result = gate(OutcomeMatrix.from_counts([4, 1, 6, 0], 10), old, "pass@1")
    >>> result.verdict, result.exit_code
    ('failed', 1)

    """
    rules = _Rules(mode, confidence, target, prior, questions).checked()
    names, pairs = pair_of_models(new, baseline, model, ("new", "baseline"))
    _check_deciding(decided_by, pairs)
    shares = shares_of(weights, {task: old.n_questions for task, (_, old) in pairs.items()})
    drops = drops_of(max_drop, shares)
    if metrics is None:
        metrics = default_metric(each for pair in pairs.values() for each in pair)
    chosen = metrics_of_tasks(metrics, pairs)
    found = [each for _, of_tasks in chosen for each in _checks(of_tasks, pairs, shares, drops, decided_by, rules)]
    limit = dict(max_drop) if isinstance(max_drop, Mapping) else drops[OVERALL]
    return GateResult(names, tuple(_judged(found, rules)), mode, limit, rules.confidence, target, decided_by, shares)


def _check_deciding(decided_by: str, tasks: Collection[str]) -> None:
    """Check what decides, and refuse a task that has the name of the check of all tasks."""
    choice("decided_by", decided_by, DECIDED_BY)
    if OVERALL in tasks and len(tasks) > 1:
        raise OutcomeError(f"a task is named {OVERALL!r}, as is the check of all tasks", hint="give it another name")


def drops_of(max_drop: Drops, shares: Mapping[str, float]) -> dict[str, float]:
    """Return the accepted drop of every task, and of the overall score.

    >>> drops_of({"algebra": 0.02, "chess": 0.06}, {"algebra": 0.5, "chess": 0.5})
    {'algebra': 0.02, 'chess': 0.06, 'overall': 0.04}
    """
    if not isinstance(max_drop, Mapping):
        return dict.fromkeys([*shares, OVERALL], float(nonnegative("max_drop", max_drop)))
    check_tasks(
        "max_drop", {task: drop for task, drop in max_drop.items() if task != OVERALL or task in shares}, shares
    )
    drops = {task: float(nonnegative(f"the max_drop of {task!r}", drop)) for task, drop in max_drop.items()}
    mean = sum(share * drops[task] for task, share in shares.items())
    return {task: drops[task] for task in shares} | {OVERALL: drops.get(OVERALL, mean)}


def _checks(
    metrics: Sequence[Metric],
    pairs: Pairs,
    shares: Mapping[str, float],
    drops: Mapping[str, float],
    decided_by: str,
    rules: _Rules,
) -> list[GateCheck]:
    """Return the checks without their verdicts: one per task, and one overall if there are several."""
    whole = _compared(metrics, pairs, shares, rules)
    variances = {task: _variances(each, *pairs[task], rules) for each, task in zip(metrics, pairs, strict=True)}
    if not whole.tasks:
        ((task, own),) = variances.items()
        return [_check(whole, own, drops[task], task, True, rules)]
    decides = decided_by != OVERALL
    checks = [_check(each, variances[task], drops[task], task, decides, rules) for task, each in whole.tasks.items()]
    summed = np.sum([shares[task] ** 2 * own for task, own in variances.items()], axis=0)
    return [*checks, _check(whole, summed, drops[OVERALL], OVERALL, decided_by != "tasks", rules)]


def _compared(metrics: Sequence[Metric], pairs: Pairs, shares: Mapping[str, float], rules: _Rules) -> Comparison:
    """Compare both models on the one task, or on all tasks and overall."""
    about: dict[str, Any] = {name: getattr(rules, name) for name in ("target", "prior", "questions")}
    about["confidence"] = 1.0 - 2.0 * rules.error
    if len(pairs) == 1:
        ((task, pair),) = pairs.items()
        try:
            return compare(metrics[0], *pair, **about)
        except OutcomeError as error:
            raise (error.at(f"task {task}") if task else error) from None
    sides = [Suite({task: {"model": pair[side]} for task, pair in pairs.items()}) for side in range(2)]
    return compare(dict(zip(pairs, metrics, strict=True)), *sides, weights=shares, **about)


def _variances(metric: Metric, new: OutcomeMatrix, old: OutcomeMatrix, rules: _Rules) -> Vector:
    """Return the variance of the posterior of each model."""
    posteriors = [metric.posterior(each, target=rules.target, prior=rules.prior) for each in (new, old)]
    return np.array([each.sigma for each in posteriors]) ** 2


def _check(
    result: Comparison, variances: Vector, max_drop: float, task: str, decides: bool, rules: _Rules
) -> GateCheck:
    total = float(variances.sum())
    share = float("nan") if rules.target == "population" or not total else float(variances[0]) / total
    return check_of(
        law_of(result, rules.error, share),
        max_drop,
        task=task,
        metric=str(result.metric),
        scores=result.scores,
        n_questions=sum(max(each.n_questions) for each in (result.tasks or {task: result}).values()),
        n_trials=result.n_trials,
        decides=decides,
    )


def _judged(checks: Sequence[GateCheck], rules: _Rules) -> list[GateCheck]:
    """Return the checks with their verdicts; those that decide, and the others, are corrected for their number."""
    corrected: dict[int, float] = {}
    for decides in (True, False):
        family = [i for i, each in enumerate(checks) if each.decides == decides]
        corrected |= zip(family, holm([checks[i].p_failed for i in family]), strict=True)
    return [each.judged(rules.mode, rules.error, corrected[i]) for i, each in enumerate(checks)]
