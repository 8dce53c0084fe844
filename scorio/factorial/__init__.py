"""Models under crossed conditions: margins, interactions and variance components of factors such as prompts."""

from ._analysis import FactorAnalysis as FactorAnalysis, analyze_factors

__all__ = ["analyze_factors"]
