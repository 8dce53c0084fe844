"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._estimate import Estimate, mean
from ._family import Family, estimate, parse_statement
from ._family import Statement as Statement
from ._family import Statements as Statements

__all__ = ["Estimate", "Family", "estimate", "mean", "parse_statement"]
