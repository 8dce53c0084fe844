"""Models under crossed conditions: margins, interactions and variance components of factors such as prompts."""

from ._analysis import FactorAnalysis as FactorAnalysis
from ._analysis import analyze_factors

__all__ = ["analyze_factors"]
