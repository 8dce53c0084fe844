"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._estimate import Estimate, mean
from ._family import Family, Statements, estimate, parse_statement
from ._family import Statement as Statement

__all__ = [
    "Estimate",
    "Family",
    "Statements",
    "estimate",
    "mean",
    "parse_statement",
]
