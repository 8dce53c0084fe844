"""Worlds with known truth: outcomes drawn from rates that one has, so that what is said of them can be checked."""

from .rates import category_rates, rates
from .truth import question_truth
from .worlds import World, categorical, coins

__all__ = ["World", "categorical", "category_rates", "coins", "question_truth", "rates"]
