"""Plans: how many more trials, questions or runs are needed for an interval or a comparison."""

from ._design import Design, plan_designs
from ._design import Designs as Designs
from ._next_trials import Allocation as Allocation
from ._next_trials import next_trials
from ._plan import ModelPlans as ModelPlans
from ._plan import Plan as Plan
from ._plan import plan_models, plan_questions, plan_separation, plan_trials
from ._run_effects import RunEffects as RunEffects
from ._run_effects import analyze_runs

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
