"""Statements about models as text, such as ``new - 0.95 * old > 0``: arithmetic of names and numbers, and nothing else.

Names are those of models; one that is no Python name stands in backticks. The text is parsed into a tree, of which
sums, products, quotients, numbers and names are read; no code is evaluated.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from .._display.words import unknown
from ..errors import ParameterError
from ._estimate import Estimate

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST = 1000  # characters of a statement


def parse_statement(text: str, models: Mapping[str, Estimate]) -> Estimate:
    """Return the estimate that is above 0 if the statement holds: its left side minus its right side, or the reverse.

    >>> from scorio import estimate
    >>> board = estimate("pass@1", {"new": [[1, 1, 1, 0]] * 9, "old": [[1, 0, 1, 0]] * 9})
    >>> bool(parse_statement("new > 0.95 * old", board).value == (board["new"] - 0.95 * board["old"]).value)
    True
    """
    quoted: dict[str, str] = {}

    def name_of(match: re.Match[str]) -> str:
        quoted[f"_model_{len(quoted)}"] = match[1]
        return f"_model_{len(quoted) - 1}"

    if len(text) > _LONGEST:
        raise _problem(text, f"is longer than {_LONGEST} characters")
    plain = re.sub(r"`([^`]*)`", name_of, text)
    try:
        tree = ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _problem(text, "is no arithmetic that can be read") from None
    if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], (ast.Gt, ast.Lt))):
        raise _problem(text, "needs one > or <")
    sides = [_value(side, text, models, quoted) for side in (tree.left, tree.comparators[0])]
    larger, smaller = sides if isinstance(tree.ops[0], ast.Gt) else sides[::-1]
    statement = larger - smaller
    if not isinstance(statement, Estimate):
        raise _problem(text, "names no model")
    return statement


def _value(node: ast.expr, text: str, models: Mapping[str, Estimate], quoted: Mapping[str, str]) -> Any:
    """Return a number or an estimate from a part of the tree."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        name = quoted.get(node.id, node.id)
        if name not in models:
            raise _problem(text, f"names an {unknown('model', name, tuple(models))}")
        return models[name]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, text, models, quoted)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        sides = (_value(side, text, models, quoted) for side in (node.left, node.right))
        try:
            return _OPERATIONS[type(node.op)](*sides)
        except ZeroDivisionError:
            raise _problem(text, "divides by 0") from None
    raise _problem(text, "has more than names, numbers, + - * / and brackets")


def _problem(text: str, what: str) -> ParameterError:
    shown = text if len(text) <= 80 else text[:77] + ".."
    return ParameterError(
        f"{shown!r} {what}",
        argument="statement",
        hint="such as 'new - 0.95 * old > 0'; `names` with other signs stand in backticks",
    )
