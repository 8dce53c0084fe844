"""Gate: may a new model replace the baseline, on every task and overall?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import underflow_is_zero
from .._choices import TARGETS
from .._display.words import shorten
from ..errors import OutcomeError, ParameterError
from ..inference._prior import LEARNED, PriorLike
from ..metrics import BayesMetric, Metric, PassAtK
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix
from ..params import choice, nonnegative, open_unit
from ._comparison import Comparison
from ._difference_law import DifferenceLaw, holm, law_of, weighted_sum
from ._gate_check import MODES, OVERALL, GateCheck, check_of
from ._gate_result import GateResult
from ._questions import QUESTIONS
from ._task_sets import pair_of_models
from ._two_models import compare

DECIDED_BY = ("all", "tasks", OVERALL)
Pairs = Mapping[str, tuple[OutcomeMatrix, OutcomeMatrix]]


class _Rules(NamedTuple):
    max_drop: float
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
        drop, confidence = nonnegative("max_drop", self.max_drop), open_unit("confidence", self.confidence)
        if 1.0 - confidence >= 0.5:
            raise ParameterError(f"must be above 0.5; got {confidence!r}", argument="confidence")
        return self._replace(max_drop=drop, confidence=confidence)


@underflow_is_zero
def gate(
    new: Any,
    baseline: Any,
    metrics: Metric | str | Iterable[Metric | str] | None = None,
    *,
    max_drop: float = 0.02,
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

    Every mode asks whether the true score dropped by more than ``max_drop``; they differ in who bears the doubt.

    - ``"noninferior"``: a check passes if the drop is below ``max_drop`` with this confidence, fails if it is above
      with this confidence, and is undecided otherwise; the result then says how many more trials or questions it takes.
      A gate with a larger drop on some check passes with probability at most ``1 - confidence``.
    - ``"significant"``: a check fails if the drop is above ``max_drop`` with this confidence, and passes otherwise, so
      a gate with little data passes nearly always. With ``max_drop=0``, any significant drop fails.
    - ``"point"``: a check fails if the drop of the scores is above ``max_drop``. There is no error rate.

    A gate fails if one check fails, so the calls of failure are corrected for the number of checks by Holm's method:
    a gate without a larger drop on any check fails with probability at most ``1 - confidence``. It passes only if all
    checks pass, which needs no correction.

    Parameters
    ----------
    new, baseline, model
        Outcomes of one model, an ``OutcomeSet``, or a ``Suite``; both have the same tasks. Where they have several
        models, ``model`` is the name of one, or a pair of names.
    metrics
        One metric or several; Pass@1, or Bayes@N for rewards, if left out.
    max_drop, mode, confidence
        The largest accepted drop of the score; what to do in doubt; one minus the error rate.
    weights, decided_by
        The weights of the tasks in the overall score: equal, by the number of ``"questions"``, or by task; the checks
        that decide: ``"all"``, the ``"tasks"``, or ``"overall"`` alone.
    target, prior, questions
        As in ``compare``; the target is these ``"questions"``, or the ``"population"`` that they were drawn from.

    Examples
    --------
    >>> old = OutcomeMatrix.from_counts([9, 5, 10, 2], 10)
    >>> result = gate(OutcomeMatrix.from_counts([4, 1, 6, 0], 10), old, "pass@1")
    >>> result.verdict, result.exit_code
    ('failed', 1)

    """
    choice("decided_by", decided_by, DECIDED_BY)
    rules = _Rules(max_drop, mode, confidence, target, prior, questions).checked()
    names, pairs = pair_of_models(new, baseline, model, ("new", "baseline"))
    shares = _shares(weights, pairs)
    found = [each for metric in _metrics(metrics, pairs) for each in _checks(metric, pairs, shares, decided_by, rules)]
    return GateResult(
        names, tuple(_judged(found, rules)), mode, rules.max_drop, rules.confidence, target, decided_by, shares
    )


def _metrics(metrics: Any, pairs: Pairs) -> list[Metric]:
    if metrics is None:
        is_pass_fail = all(each.is_pass_fail for pair in pairs.values() for each in pair)
        return [PassAtK(1) if is_pass_fail else BayesMetric()]
    chosen = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    if not chosen:
        raise ParameterError("must name at least one metric", argument="metrics")
    return [as_metric(each) for each in chosen]


def _shares(weights: Any, pairs: Pairs) -> dict[str, float]:
    """Return the weight of each task; they sum to 1."""
    if weights is None:
        values = dict.fromkeys(pairs, 1.0)
    elif weights == "questions":
        values = {task: float(baseline.n_questions) for task, (_, baseline) in pairs.items()}
    elif isinstance(weights, Mapping):
        if set(weights) != set(pairs):
            raise ParameterError(f"must name every task, {shorten(pairs)}; got {shorten(weights)}", argument="weights")
        values = {task: nonnegative(f"the weight of {task!r}", weights[task]) for task in pairs}
    else:
        raise ParameterError(f'must be None, "questions" or a weight per task; got {weights!r}', argument="weights")
    total = sum(values.values())
    if total <= 0.0:
        raise ParameterError("must have a positive sum", argument="weights")
    return {task: each / total for task, each in values.items()}


def _checks(
    metric: Metric, pairs: Pairs, shares: Mapping[str, float], decided_by: str, rules: _Rules
) -> list[GateCheck]:
    """Return the checks of one metric without their verdicts: one per task, and one overall if there are several."""
    found = {task: _compared(metric, task, pair, rules) for task, pair in pairs.items()}
    checks = [
        check_of(law, rules.max_drop, task=task, decides=decided_by != OVERALL or len(pairs) == 1, **_extent([result]))
        for task, (result, law) in found.items()
    ]
    if len(pairs) == 1:
        return checks
    weights = [shares[task] for task in found]
    results, laws = zip(*found.values(), strict=True)
    scores = [_mean([each.scores[side] for each in results], weights) for side in range(2)]
    extent = _extent(results) | {"scores": tuple(scores)}
    law = weighted_sum(laws, weights)
    return [*checks, check_of(law, rules.max_drop, task=OVERALL, decides=decided_by != "tasks", **extent)]


def _compared(
    metric: Metric, task: str, pair: tuple[OutcomeMatrix, OutcomeMatrix], rules: _Rules
) -> tuple[Comparison, DifferenceLaw]:
    about: dict[str, Any] = {"target": rules.target, "prior": rules.prior}
    try:
        result = compare(metric, *pair, confidence=1.0 - 2.0 * rules.error, questions=rules.questions, **about)
    except OutcomeError as error:
        raise (error.at(f"task {task}") if task else error) from None
    sigmas = np.array([metric.posterior(each, **about).sigma for each in pair])
    total = float((sigmas**2).sum())
    share = float("nan") if rules.target == "population" or not total else float(sigmas[0] ** 2) / total
    return result, law_of(result, rules.error, share)


def _extent(results: Sequence[Comparison]) -> dict[str, Any]:
    questions = sum(max(each.n_questions) for each in results)
    trials = tuple(sum(each.n_trials[side] for each in results) for side in range(2))
    about = {"metric": str(results[0].metric), "n_questions": questions, "n_trials": trials}
    return about | {"scores": results[0].scores}


def _mean(scores: Sequence[float | None], weights: Sequence[float]) -> float | None:
    known = [each for each in scores if each is not None]
    return float(np.dot(known, weights)) if len(known) == len(scores) else None


def _judged(checks: Sequence[GateCheck], rules: _Rules) -> list[GateCheck]:
    """Return the checks with their verdicts; those that decide, and the others, are corrected for their number."""
    corrected: dict[int, float] = {}
    for decides in (True, False):
        family = [i for i, each in enumerate(checks) if each.decides == decides]
        corrected |= zip(family, holm([checks[i].p_failed for i in family]), strict=True)
    return [each.judged(rules.mode, rules.max_drop, rules.error, corrected[i]) for i, each in enumerate(checks)]
