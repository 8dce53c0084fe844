"""Plans: how many more trials, questions or runs are needed for an interval or a comparison."""

from ._design import Design, plan_designs
from ._design import Designs as Designs
from ._next_trials import Allocation, next_trials
from ._plan import ModelPlans as ModelPlans
from ._plan import Plan, plan_models, plan_questions, plan_separation, plan_trials
from ._run_effects import RunEffects, analyze_runs

__all__ = [
    "Allocation",
    "Design",
    "Plan",
    "RunEffects",
    "analyze_runs",
    "next_trials",
    "plan_designs",
    "plan_models",
    "plan_questions",
    "plan_separation",
    "plan_trials",
]
