"""``forecast``: a metric for k up to far more than the trials, with intervals and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from .._choices import TARGETS
from .._display.words import warn
from ..errors import ForecastWarning, ParameterError
from ..estimates import Family, Weights, as_tasks, estimate, shares_of
from ..metrics import Metric, PassHatK, as_metric
from ..outcomes import OutcomeMatrix, Suite
from ..params import choice, count, open_unit
from ._beyond import Unsolved
from ._far import can_be_forecast, forecast_of, unsolved_questions
from ._forecasts import Forecast, ForecastComparison, Forecasts

_LEVELS = (0.5, 0.8, 0.95)


def levels_up_to(confidence: float) -> tuple[float, ...]:
    """Return the usual confidences of a fan of intervals below this one, and this one.

    >>> levels_up_to(0.9)
    (0.5, 0.8, 0.9)
    """
    level = open_unit("confidence", confidence)
    return (*(usual for usual in _LEVELS[:-1] if usual < level), level)


def forecast(
    metric: Metric | str,
    outcomes: Any,
    k: int | Iterable[int],
    *,
    levels: Iterable[float] = _LEVELS,
    target: str = "questions",
    task_weights: Weights = None,
) -> Forecasts:
    """Say what ``k`` trials of every question would give, for k up to far more than there are.

    ``metric`` is Pass@k, Pass^k (the reliability over k uses), or Max@k of binary outcomes; its own k is replaced by
    each of ``k``. ``outcomes`` are those of one model, of several (an ``OutcomeSet`` or what makes one), or a suite, of
    which there are overall values too. ``levels`` are the confidences of the intervals.

    Where ``metric.interval`` says what the trials leave open, a forecast says what is probable. Up to 4 times the
    trials its intervals come from the learned prior, and from 16 times on from a law of the rates below one over the
    trials, which rests on the questions of few successes alone and lets a share of the questions be hopeless. Two
    models are compared at every k. A ``ForecastWarning`` says where most of an interval comes from questions never
    solved.

    >>> import warnings
    >>> from scorio import OutcomeMatrix
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = forecast("pass@1", OutcomeMatrix.from_counts([1, 2, 2, 3, 5, 8, 13, 16, 16], 16), [16, 1000])
    >>> [point.is_forecast for point in found.points], found.points[0].score
    ([False, True], 1.0)
    >>> found.points[1].in_words().partition(":")[0]
    'every question was solved at least once'
    """
    chosen, budgets = _family(metric), _budgets(k)
    confidences = tuple(sorted({open_unit("levels", level) for level in levels}))
    if not confidences:
        raise ParameterError("must have at least one confidence; got none", argument="levels")
    choice("target", target, TARGETS)
    tasks = as_tasks(outcomes)
    family = [_at(chosen, k) for k in budgets]
    points = [
        _point(metric_at, matrix, name, task or None, confidences, target)
        for task, models in tasks.items()
        for name, matrix in models.items()
        for metric_at in family
    ]
    about: dict[str, Any] = {"task_weights": task_weights, "target": target, "confidence": confidences[-1]}
    boards = {
        k: estimate(forecast_of(metric_at), outcomes, prior="learned", **about)
        for k, metric_at in zip(budgets, family, strict=True)
    }
    if isinstance(outcomes, Suite):
        shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
        points += _overall(boards, points, shares)
    compared = _compared(boards) if len(boards[budgets[0]]) == 2 else ()
    name = f"{chosen.name or type(chosen).__name__}@k"
    forecasts = Forecasts(name, budgets, confidences, target, tuple(points), compared)
    for caution in forecasts.cautions():
        warn(caution, ForecastWarning)
    return forecasts


def _family(metric: Metric | str) -> Metric:
    chosen = as_metric(metric)
    if can_be_forecast(chosen):
        return chosen
    problem = f"must be pass@k, passhat@k or max@k, whose value far beyond the trials is known; got {chosen}"
    raise ParameterError(problem, argument="metric")


def _at(metric: Metric, k: int) -> Metric:
    return cast("Metric", replace(cast("Any", metric), k=k))


def _budgets(k: Any) -> tuple[int, ...]:
    given = [*k] if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    numbers = tuple(sorted({count("k", k) for k in given}))
    if not numbers:
        raise ParameterError("must have at least one number of trials; got none", argument="k")
    return numbers


def _point(
    metric: Metric, outcomes: OutcomeMatrix, model: str, task: str | None, levels: tuple[float, ...], target: str
) -> Forecast:
    """Return one value of one model."""
    admitted, k, law = metric.admit(outcomes), cast("int", metric.draw_size), forecast_of(metric)
    intervals = {level: law.interval(admitted, level, target=target) for level in levels}
    mu, sigma = intervals[levels[-1]][:2]
    is_forecast = k > admitted.min_trials
    what = unsolved_questions(law, admitted) if is_forecast and admitted.has_two_categories else None
    return Forecast(
        model=model,
        task=task,
        metric=str(metric),
        k=k,
        mu=mu,
        sigma=sigma,
        intervals={level: (interval.lo, interval.hi) for level, interval in intervals.items()},
        is_forecast=is_forecast,
        score=None if is_forecast else metric.score(admitted),
        n_questions=admitted.n_questions,
        trials_each=(admitted.min_trials, admitted.max_trials),
        of_failures=isinstance(metric, PassHatK),
        **({} if what is None else what._asdict()),
    )


def _overall(boards: Mapping[int, Family], points: list[Forecast], shares: Mapping[str, float]) -> list[Forecast]:
    """Return the weighted mean over tasks for each model and k."""
    overall_points = []
    for name in boards[points[0].k]:
        for k, board in boards.items():
            parts = [point for point in points if (point.model, point.k) == (name, k)]
            overall = board[name]
            scores = [part.score for part in parts]
            told: dict[str, Any] = dict.fromkeys(Unsolved._fields)
            told |= {"mu": overall.value, "sigma": overall.sd}
            told["intervals"] = {level: tuple(overall.interval(level)[2:]) for level in parts[0].intervals}
            parts_of_sum = [w * score for w, score in zip(shares.values(), scores, strict=True) if score is not None]
            told["score"] = sum(parts_of_sum) if len(parts_of_sum) == len(scores) else None
            told["trials_each"] = min(p.trials_each[0] for p in parts), max(p.trials_each[1] for p in parts)
            told |= {"is_forecast": any(p.is_forecast for p in parts), "n_questions": sum(p.n_questions for p in parts)}
            overall_points.append(replace(parts[0], task="", **told))
    return overall_points


def _compared(boards: Mapping[int, Family]) -> tuple[ForecastComparison, ...]:
    """Return the differences of two models."""
    differences = []
    for k, board in boards.items():
        (first, one), (second, other) = board.items()
        gap = one - other
        _, _, lo, hi = gap.interval()
        differences.append(ForecastComparison((first, second), k, gap.value, lo, hi, gap.p_above(), board.confidence))
    return tuple(differences)
