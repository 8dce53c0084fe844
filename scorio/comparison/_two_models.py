"""Compare two models on one metric: which is better, and with what uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arrays import underflow_is_zero
from ..errors import ParameterError
from ..inference import Looks
from ..inference._prior import PriorLike
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import Suite
from ._comparison import Comparison
from ._one_task import Terms, compared
from ._task_metrics import Weights
from ._two_suites import compare_suites


@underflow_is_zero
def compare(
    metric: Metric | str | Mapping[str, Metric | str],
    A: Any,
    B: Any,
    *,
    weights: Weights = None,
    target: str = "questions",
    paired: bool | None = None,
    rule: str = "interval",
    prior: PriorLike | None = None,
    shape: str | None = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
    looks: Looks | None = None,
    questions: str = "all",
) -> Comparison:
    r"""Compare two models by a metric or its name.

    ``target="questions"`` compares them on the questions at hand: only trials are random, and the difference is that
    of the two posteriors under ``prior``, each with an interval of this ``shape``. One trial per question does not show
    how much trials vary; with the learned prior and the same questions, the difference is then Student's t of the
    paired differences, whose variance is at least that of the trials on average. ``target="population"`` compares
    them on the questions that these were drawn from, and adds the spread between questions. If both models have the
    same questions (``paired``; found out by default), that is the spread of the differences per question or cluster,
    as Student's t: the difficulty of a question cancels. Otherwise it is the spread of each model's own questions.

    ``rule="interval"`` calls a model better if the interval of the difference excludes zero, so that one of two equal
    models is called in ``1 - confidence`` of all comparisons; ``prior`` is then ``"learned"`` and ``shape``
    ``"quantile"`` by default. ``rule="published"`` calls it if ``z`` reaches ``Phi^-1(confidence)``, a one-sided
    threshold, with the uniform prior and the normal shape by default; it is meant to call equal models in
    ``2 (1 - confidence)`` of all comparisons, and calls far fewer on hard questions with few trials.

    If the models have different questions, a ``QuestionsWarning`` says how many they share, because the difference may
    be one of questions; ``questions="shared"`` compares the models on the shared questions only, and ``paired=False``
    accepts that they differ.

    With ``looks`` the winner and the interval are valid however often the comparison is repeated while trials come in:
    of two equal models one is called at any look in at most ``1 - confidence`` of all runs. The interval is the same
    one at another tail probability, at the number of trials per question of the model with fewer.

    Two suites of one model each, such as ``suite.select(models=["a"])``, are compared by their overall scores, and on
    every task: ``result.tasks``. ``weights`` of tasks are equal by default, ``"questions"`` (proportional to their
    number of questions) or a mapping; ``metric`` may map tasks to metrics. With ``looks``, the tasks may get their
    trials in any order; the boundary is that of the task with the fewest trials.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> print(*str(compare(PassAtK(1), A, B)).split(": "), sep="\n")
    A is better on pass@1 for these questions (confidence 0.95)
    scores 0.750 and 0.333, difference +0.384 [+0.039, +0.652], P(A > B) = 0.985
    """
    terms = Terms(target, paired, rule, prior, shape, confidence, names, looks, questions)
    if isinstance(A, Suite) or isinstance(B, Suite):
        return compare_suites(metric, A, B, terms, weights)
    if weights is not None:
        raise ParameterError("are those of tasks, and these outcomes are no suites", argument="weights")
    if isinstance(metric, Mapping):
        raise ParameterError("maps tasks to metrics, and these outcomes are no suites", argument="metric")
    return compared(as_metric(metric), A, B, terms.checked()).result
