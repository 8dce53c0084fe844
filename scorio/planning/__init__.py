"""Plans: how many more trials, questions or runs are needed for an interval or a comparison."""

from ._design import Design, Designs as Designs, plan_designs
from ._next_trials import Allocation as Allocation, next_trials
from ._plan import ModelPlans as ModelPlans, Plan as Plan, plan_models, plan_questions, plan_separation, plan_trials
from ._run_effects import RunEffects as RunEffects, analyze_runs

__all__ = [
    "Design",
    "analyze_runs",
    "next_trials",
    "plan_designs",
    "plan_models",
    "plan_questions",
    "plan_separation",
    "plan_trials",
]
