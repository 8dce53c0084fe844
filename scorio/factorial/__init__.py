"""Models under crossed conditions: margins, interactions and variance components of factors such as prompts."""

from ._analysis import FactorAnalysis
from ._contrasts import Estimate
from ._factors import factors
from ._parts import Cell, Component, FactorTest, Margin, MarginPair

__all__ = ["Cell", "Component", "Estimate", "FactorAnalysis", "FactorTest", "Margin", "MarginPair", "factors"]
