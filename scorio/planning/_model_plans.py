"""Plans for every model of a leaderboard, or to tell two of its models apart, by several metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._display.exports import Exports
from .._display.numbers import number
from .._display.table import Field
from .._display.words import shorten
from ..errors import ParameterError
from ..estimates import Weights, as_tasks, extent_of, of_model, shares_of
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeSet, Suite
from ..params import choice
from ._plan import Plan, plan_questions, plan_separation, plan_trials

UNITS = _TRIALS, _ = ("trials", "questions")


@dataclass(frozen=True)
class ModelPlan:
    """A plan by one metric for a model, or for two as ``"A > B"``, and the goal of it in words."""

    metric: Metric
    model: str
    goal: str
    plan: Plan

    def record(self) -> dict[str, Any]:
        """Return all values as one record."""
        plan = self.plan
        values: dict[str, Any] = {"metric": str(self.metric), "model": self.model, "goal": self.goal}
        values |= {"more": plan.more, "unit": plan.unit, "expected": plan.expected, "reason": plan.reason}
        return values | ({"by_task": dict(plan.by_task)} if plan.by_task else {})


def _result(plan: Plan) -> str:
    by_task = ", ".join(f"{task} {count}" for task, count in plan.by_task.items())
    unit = f"{plan.unit} ({by_task})" if by_task else plan.unit
    return plan.reason or f"{unit}, expected to reach {number(plan.expected)}"


def _for_all(rows: Sequence[ModelPlan]) -> str:
    """Say how many trials or questions are enough for the goal of all models."""
    first = rows[0]
    who = "every model" if len(rows) > 1 else first.model
    if without := [row.model for row in rows if row.plan.more is None]:
        return f"no number of {first.plan.unit} is enough for {shorten(without)} to have a {first.goal}"
    most = max(row.plan.more or 0 for row in rows)
    return f"{most:,} more {first.plan.unit} are enough for {who} to have a {first.goal}"


@dataclass(frozen=True)
class ModelPlans(Exports):
    """What to run next for several models or metrics: ``plans`` has one plan for each; ``extent`` is what there is."""

    plans: tuple[ModelPlan, ...]
    extent: str
    _lists: ClassVar = ("plans",)
    _rows_alone: ClassVar = True
    _title: ClassVar = "{0.extent}"
    _columns: ClassVar = (
        Field("metric", of="metric"),
        Field("model", of="model"),
        Field("goal", of="goal"),
        Field("more", True, "plan.more", "{:,}".format),
        Field("unit, expected result", of="plan", form=_result),
    )

    def as_sentence(self) -> str:
        """Say what would tell two models apart by each metric, or give every model a narrow interval."""
        if "power" in self.plans[0].plan.settings:
            return "; ".join(f"{row.model}: {row.plan.separation}" for row in self.plans)
        by_metric: dict[str, list[ModelPlan]] = {}
        for row in self.plans:
            by_metric.setdefault(str(row.metric), []).append(row)
        return "; ".join(f"{metric}: {_for_all(rows)}" for metric, rows in by_metric.items())


def plan_models(
    metrics: Sequence[Any],
    outcomes: OutcomeSet | Suite,
    *,
    half_width: float | None = None,
    unit: str = "trials",
    between: tuple[str, str] | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    difference: float | None = None,
    **options: Any,
) -> ModelPlans:
    """Plan how many more trials or questions narrow the interval of every model, or tell two models apart.

    With ``half_width``, the plans are those of ``plan_trials``, or with ``unit="questions"`` of ``plan_questions``.
    Without, they are those of ``plan_separation``, for the two models of ``between`` or the two best, and for the
    ``difference`` that is given or observed. ``options`` are ``task_weights`` and ``runs``, those of these functions.
    """
    chosen = [as_metric(metric) for metric in metrics]
    choice("unit", unit, UNITS)
    plans = []
    if half_width is None:
        if unit != _TRIALS:
            raise ParameterError(f"is {unit!r}, which needs a half_width", argument="unit")
        goal = f"{100 * confidence:g}% confidence, power {power:g}" + (
            "" if difference is None else f", true difference {difference:g}"
        )
        about: dict[str, Any] = {"confidence": confidence, "power": power, "difference": difference}
        for metric in chosen:
            first, second = between or two_best(metric, outcomes, options.get("task_weights"))
            one, other = (outcomes.one_model(name) for name in (first, second))
            paired = None if metric.is_mean_over_questions else False
            plan = plan_separation(metric, one, other, paired=paired, **about, **options)
            plans.append(ModelPlan(metric, f"{first} > {second}", goal, plan))
        return ModelPlans(tuple(plans), extent_of(outcomes))
    if difference is not None:
        raise ParameterError(
            "is that of two models, and a plan for the interval of each has none", argument="difference"
        )
    planner = plan_trials if unit == _TRIALS else plan_questions
    goal = f"{100 * confidence:g}% interval of +-{half_width:g}"
    for metric in chosen:
        for name in outcomes.models:
            plan = planner(metric, outcomes.one_model(name), half_width, confidence, **options)
            plans.append(ModelPlan(metric, name, goal, plan))
    return ModelPlans(tuple(plans), extent_of(outcomes))


def two_best(metric: Metric, outcomes: OutcomeSet | Suite, task_weights: Weights = None) -> tuple[str, str]:
    """Return the two best models, the best first."""
    names = outcomes.models
    if len(names) < 2:
        raise ParameterError(
            "one model cannot be separated from another", hint="plan for the half-width of its interval"
        )
    tasks = as_tasks(outcomes)
    shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
    scores = {
        name: sum(shares[task] * metric.score(matrix) for task, matrix in of_model(tasks, name, "known").items())
        for name in names
    }
    first, second, *_ = sorted(names, key=lambda name: -scores[name])
    return first, second
