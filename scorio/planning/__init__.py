"""Plans: how many more trials or questions are needed for an interval or a comparison."""

from ._design import Design
from ._next_trials import Allocation, next_trials
from ._plan import Plan, plan_questions, plan_separation, plan_trials

__all__ = ["Allocation", "Design", "Plan", "next_trials", "plan_questions", "plan_separation", "plan_trials"]
