"""Models under crossed conditions: margins, interactions and variance components of factors such as prompts."""

from ._analysis import FactorAnalysis, analyze_factors

__all__ = ["FactorAnalysis", "analyze_factors"]
