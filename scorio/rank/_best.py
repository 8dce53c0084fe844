"""The best of several checkpoints, prompts or budgets: its score, corrected for having been chosen."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._arrays import Vector, underflow_is_zero
from .._choices import TARGETS
from ..errors import OutcomeError, ParameterError
from ..estimates import ONLY, Weights, as_tasks
from ..inference import ChosenScore, Level, PriorLike, chosen_scores
from ..metrics import Metric, as_metrics, shifts
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._leaderboard import Leaderboard


@underflow_is_zero
def score_best(
    metric: Metric | str | Iterable[Metric | str],
    outcomes: Any,
    *,
    what: str = "model",
    task_weights: Weights = None,
    confidence: float = 0.95,
    target: str = "questions",
    prior: PriorLike | None = None,
    rng: int = 0,
    runs: str = "auto",
) -> ChosenScore:
    """Return the score of the best of several, corrected for having been chosen, with its interval.

    ``outcomes`` are those of models, checkpoints or prompts by name, as for ``Leaderboard``, or a Suite; the result is
    ``Leaderboard.leader_score``. With several metrics, such as one for each of several k, and the outcomes of one
    model, the metric with the highest score is the one that was chosen. ``what`` names in the result what was chosen.
    ``runs`` is that of ``Metric.interval``.

    >>> steps = {f"step-{n}": [[1, 1, 0, 1], [0, 1, 0, 0], [n % 2, 1, 1, 0]] * 8 for n in range(4)}
    >>> best = score_best("pass@1", steps, what="checkpoint")
    >>> best.model, round(best.observed, 3), best.score < best.observed
    ('step-1', 0.583, True)
    """
    metrics = as_metrics(metric)
    if len(metrics) == 1:
        options: dict[str, Any] = {"confidence": confidence, "target": target, "prior": prior, "rng": rng, "runs": runs}
        board = Leaderboard(metrics, outcomes, task_weights=task_weights, **options)
        return board.only._top_scores(1, what)[0]
    tasks = as_tasks(outcomes)
    if list(tasks) != [ONLY] or len(tasks[ONLY]) != 1:
        problem = "the best of several metrics is that of one model on one task"
        raise OutcomeError(problem, hint="give one metric, or the outcomes of one model")
    [matrix] = tasks[ONLY].values()
    intervals = [each.interval(matrix, confidence, target=target, prior=prior, runs=runs) for each in metrics]
    scores = np.array([each.score(matrix) for each in metrics])
    spread = np.array([each.sigma for each in intervals])
    covariance = _correlations(metrics, matrix, target) * np.outer(spread, spread)
    reach = np.full(len(metrics), Level(confidence).critical())
    return chosen_scores(list(map(str, metrics)), scores, covariance, intervals, reach, 1, rng, "metric")[0]


def _correlations(metrics: Sequence[Metric], outcomes: OutcomeMatrix, target: str) -> Vector:
    """Return the correlations of metrics of the same trials: of the noise of trials, or of values over questions."""
    if choice("target", target, TARGETS) == "population":
        effects = np.array([shifts(each, outcomes) for each in metrics])
        covariance = effects @ effects.T
    else:
        try:
            covariance = np.array([[one.cov(other, outcomes) for other in metrics] for one in metrics])
        except TypeError as error:
            raise ParameterError(str(error), argument="metric") from None
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.outer(spread, spread)
    return np.asarray(np.divide(covariance, scale, out=np.eye(len(spread)), where=scale > 0.0))
