"""Several estimates together: how they are made, and statements about all of them at one error rate.

The statistics of the estimates are drawn from a normal law with the correlation that their shared values give them.
The critical value that the largest statistic passes in 5% of the draws makes intervals that hold together; p-values
are corrected by Holm's method, whatever the dependence.

Statements about models may be text, such as ``new - 0.95 * old > 0``: arithmetic of names and numbers, and nothing
else. Names are those of models; one that is no Python name stands in backticks. The text is parsed into a tree, of
which sums, products, quotients, numbers and names are read; no code is evaluated.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from .._base.arrays import Vector
from .._base.exports import Exports
from .._base.numbers import chance, percent, signed, signed_span
from .._base.options import accepted, takes
from .._base.table import Field
from .._base.words import pluralize, unknown
from ..errors import OutcomeError, ParameterError
from ..inference._level import Level, p_of_statistic
from ..inference._terms import EstimateOptions, Terms
from ..metrics import Metric
from ..outcomes import as_outcomes
from ._estimate import Estimate, Measured, joint_effects, mean
from ._tasks import ONLY, Weights, as_tasks, at_task, metric_of_tasks, shares_of

_DRAWS = 20_000
_SEED = 0


class Statement(NamedTuple):
    """What is known of one estimate beside a limit, with one error rate over all of its family.

    ``p_value`` is two-sided, and ``p_corrected`` counts all estimates. ``lo`` and ``hi`` hold together with all others.
    """

    name: str
    value: float
    lo: float
    hi: float
    p_value: float
    p_corrected: float
    side: str | None


@dataclass(frozen=True)
class Statements(Exports):
    """Statements about several estimates, at one error rate; prints as a table."""

    rows: tuple[Statement, ...]
    limit: float
    confidence: float
    about: str
    _columns: ClassVar = (
        Field("estimate", of="name"),
        Field("value", True, "value", signed),
        Field("interval", True, "lo hi", signed_span),
        Field("p", True, "p_value", chance),
        Field("p corrected", True, "p_corrected", chance),
        Field("call", of="side", missing="not told"),
    )

    @property
    def as_title(self) -> str:
        return f"{pluralize(len(self.rows), 'estimate')} beside {self.limit:g} {self.about}"

    def _notes(self) -> list[str]:
        error = percent(1.0 - self.confidence)
        return [f"family-wise error {error}: p-values are corrected by Holm's method, and all intervals hold together"]

    def as_sentence(self) -> str:
        told = sum(row.side is not None for row in self.rows)
        return f"{told} of {pluralize(len(self.rows), 'estimate')} differ from {self.limit:g}"


class Family(Mapping[str, Estimate], Exports):
    """Estimates by name, with statements about all of them at one error rate.

    >>> from scorio import estimate
    >>> board = estimate("pass@1", {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 0]] * 9, "c": [[0, 1, 1, 0]] * 9})
    >>> gains = Family({"b over c": board["b"] - board["c"], "a over c": board["a"] - board["c"]})
    >>> [(row.name, row.side) for row in gains.beside(0.0).rows]
    [('b over c', None), ('a over c', 'above')]
    """

    _rows_alone: ClassVar = True

    def __init__(self, estimates: Mapping[str, Estimate]) -> None:
        if not isinstance(estimates, Mapping):
            problem = f"must be a mapping from names to estimates; got {type(estimates).__name__}"
            raise ParameterError(problem, argument="estimates")
        for name, estimate in estimates.items():
            if not isinstance(estimate, Estimate):
                raise ParameterError(
                    f"has {type(estimate).__name__} as {name!r}, which is no estimate", argument="estimates"
                )
        if not estimates:
            raise ParameterError("has no estimate", argument="estimates")
        self._estimates = dict(estimates)

    def __getitem__(self, name: str) -> Estimate:
        return self._estimates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimates)

    def __len__(self) -> int:
        return len(self._estimates)

    @property
    def confidence(self) -> float:
        """The confidence of the estimates."""
        return next(iter(self.values())).terms.confidence

    def beside(self, limit: float = 0.0, confidence: float | None = None) -> Statements:
        """Return what is known of every estimate beside a limit, at one error rate over all."""
        sure = self.confidence if confidence is None else confidence
        p = [estimate.p_value(limit) for estimate in self.values()]
        corrected, level = holm(p), Level.of_error(float(p_of_statistic(self.critical(sure))))
        rows = []
        for (name, estimate), alone, among_all in zip(self.items(), p, corrected, strict=True):
            law = estimate.law(level)
            side = None if among_all > 1.0 - sure else "above" if law.mean > limit else "below"
            rows.append(Statement(name, law.mean, law.lo, law.hi, alone, among_all, side))
        return Statements(tuple(rows), limit, sure, next(iter(self.values())).about)

    def critical(self, confidence: float) -> float:
        """Return how many standard deviations all estimates are within of their truth together."""
        error = 1.0 - confidence
        separate = Level.of_error(error / len(self)).critical()
        effects = joint_effects(list(self.values()))
        length = np.sqrt((effects**2).sum(axis=1, keepdims=True))
        turned = np.divide(effects, length, out=np.zeros_like(effects), where=length > 0.0)
        deviates = np.random.default_rng(_SEED).standard_normal((_DRAWS, turned.shape[1])) @ turned.T
        return min(float(np.quantile(np.abs(deviates).max(axis=1), 1.0 - error)), separate)

    def as_records(self) -> list[dict[str, Any]]:
        return [{"name": name} | estimate.to_dict() for name, estimate in self.items()]

    def __str__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:{width}}  {estimate}" for name, estimate in self.items())

    def __repr__(self) -> str:
        return f"Family({', '.join(f'{name}: {estimate!r}' for name, estimate in self.items())})"


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(steps, 1.0)
    return [float(value) for value in corrected]


def benjamini_hochberg(p: Vector) -> Vector:
    """Return p-values corrected for their number by the method of Benjamini and Hochberg; NaN are left out.

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03]))
    array([0.03, 0.04,  nan, 0.04])
    """
    corrected = np.full(len(p), np.nan)
    given = np.flatnonzero(~np.isnan(p))
    order = given[np.argsort(p[given], kind="stable")[::-1]]
    steps = p[order] * len(given) / np.arange(len(given), 0, -1)
    corrected[order] = np.minimum(np.minimum.accumulate(steps), 1.0)
    return corrected


@takes(EstimateOptions, Terms)
def estimate(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    *,
    task_weights: Weights = None,
    **options: Unpack[EstimateOptions],
) -> Family:
    """Estimate the score of every model: a mapping from models to estimates, with their joint statements.

    ``outcomes`` are a set of models, a suite of tasks, or what makes one; scores on several tasks are averaged with
    ``task_weights``, those of ``compare``. The other arguments are those of ``Metric.interval``.

    >>> board = estimate("pass@1", {"new": [[1, 1, 1, 0]] * 9, "old": [[1, 0, 1, 0]] * 9})
    >>> print(board["new"] - 0.95 * board["old"])
    +0.260 [+0.057, +0.450], P(above 0) = 0.994, for these questions (confidence 0.95)
    """
    tasks = as_tasks(outcomes)
    _, of_tasks = metric_of_tasks(metric, tasks)
    shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
    terms = Terms(**accepted(options, estimate))
    models = list(dict.fromkeys(name for part in tasks.values() for name in part))
    estimates = {}
    for name in models:
        parts = []
        for (task, of_models), of_task in zip(tasks.items(), of_tasks, strict=True):
            if name not in of_models:
                raise OutcomeError(f"model {name!r} has no outcomes", where=f"task {task}")
            with at_task(task):
                parts.append(of_model(of_task, of_models[name], terms, str(name), task))
        estimates[name] = parts[0] if list(tasks) == [ONLY] else mean(parts, list(shares.values()))
    return Family(estimates)


def of_model(metric: Metric, R: Any, terms: Terms, model: str, task: str) -> Estimate:
    """Return the estimate of one model on one task."""
    if isinstance(R, Mapping):
        raise OutcomeError("an estimate of one metric is of one model", hint="scorio.estimate(metric, models) has all")
    outcomes = metric.admit(as_outcomes(R))
    measured = Measured(metric, outcomes, model, task, R)
    return Estimate({measured.key: (measured, 1.0)}, terms)


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
