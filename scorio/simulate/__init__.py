"""Simulated outcomes with known true rates, to check scores, intervals and rankings."""

from ._worlds import World, categorical, category_rates, coins, question_truth, rates

__all__ = ["World", "categorical", "category_rates", "coins", "question_truth", "rates"]
