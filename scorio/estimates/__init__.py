"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._estimate import Estimate, mean
from ._family import Family, Statement as Statement, Statements as Statements, estimate, parse_statement

__all__ = ["Estimate", "Family", "estimate", "mean", "parse_statement"]
