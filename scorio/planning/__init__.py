"""Plans: how many more trials, questions or runs are needed for an interval or a comparison."""

from ._design import Design, Designs, plan_designs, questions_to_tell
from ._next_trials import Allocation, next_trials
from ._plan import ModelPlans, Plan, plan_models, plan_questions, plan_separation, plan_trials
from ._run_effects import RunEffects, analyze_runs

__all__ = [
    "Allocation",
    "Design",
    "Designs",
    "ModelPlans",
    "Plan",
    "RunEffects",
    "analyze_runs",
    "next_trials",
    "plan_designs",
    "plan_models",
    "plan_questions",
    "plan_separation",
    "plan_trials",
    "questions_to_tell",
]
