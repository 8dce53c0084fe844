"""Models under crossed conditions: margins, interactions and variance components of factors such as prompts."""

from ._analysis import Cell, Component, FactorAnalysis, FactorTest, Margin, MarginPair
from ._contrasts import Contrast
from ._factors import analyze_factors

__all__ = ["Cell", "Component", "Contrast", "FactorAnalysis", "FactorTest", "Margin", "MarginPair", "analyze_factors"]
