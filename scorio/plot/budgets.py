"""Pass@k and its kin for every budget k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError
from ..metrics import Metric
from ..metrics.registry import as_metric
from ..outcome_set import OutcomeSet
from ..outcomes import OutcomeMatrix
from ..params import budget
from ..prior import UNIFORM, PriorLike
from .series import band, line, panel, points
from .style import key_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART = 1.4  # ratio of neighbours that are both shown


def pass_curve(
    outcomes: Any,
    ks: Iterable[int] | None = None,
    *,
    metric: Metric | str = "pass@1",
    confidence: float = 0.95,
    prior: PriorLike = UNIFORM,
    method: str = "normal",
    target: str = "questions",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of budget k against k for each model: posterior mean (line), interval (band), scores (points).

    ``outcomes`` is an OutcomeSet, what makes one, or the OutcomeMatrix of one model. ``ks`` may go beyond the trials
    there are: scores end there, posteriors go on. If left out it is every k up to the fewest trials of a question.
    ``metric`` is the one whose budget changes (``"passhat@1"`` for Pass^k); the other options are those of
    ``Metric.interval``.

    >>> from scorio import plot
    >>> drawn = plot.pass_curve({"a": [[1, 1, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]}, ks=[1, 2, 4])
    >>> [text.get_text() for text in drawn.get_legend().get_texts()]
    ['a', 'b']
    """
    models = _models(outcomes)
    budgets = _budgets(models, ks)
    first = as_metric(metric)
    if not hasattr(first, "k"):
        raise ParameterError(f"metric must have a budget k, as pass@1 has; got {first!r}")
    of_budget = [replace(first, k=k) for k in budgets]  # type: ignore[call-arg]
    options: dict[str, Any] = {"prior": prior, "method": method, "target": target}
    ax = panel(ax, models.names, "k, trials in a draw", f"{first.name or type(first).__name__}@k")
    handles = []
    for i, bank in enumerate(models.values()):
        found = np.array([each.interval(bank, confidence, **options) for each in of_budget])
        scored = _spread([k for k in budgets if k <= bank.min_trials])
        handles.append(
            (
                band(ax, i, budgets, found[:, 2], found[:, 3]),
                line(ax, i, budgets, found[:, 0]),
                points(ax, i, scored, first.curve(bank, scored)),
            )
        )
    if len(models) > 1:
        key_beside(ax, handles, models.names)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    return ax


def _spread(ks: list[int]) -> list[int]:
    """Those of the ks whose points do not touch, and the last."""
    kept = ks[:1]
    for k in ks[1:]:
        if k >= _APART * kept[-1]:
            kept.append(k)
    return [*kept[:-1], *ks[-1:]]


def _models(outcomes: Any) -> OutcomeSet:
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    return OutcomeSet([outcomes] if isinstance(outcomes, OutcomeMatrix) else outcomes)


def _budgets(models: OutcomeSet, ks: Iterable[int] | None) -> list[int]:
    if ks is None:
        return list(range(1, max(1, min(bank.min_trials for bank in models.values())) + 1))
    found = [budget("k", k) for k in ks]
    if not found:
        raise ParameterError("ks must have at least one k; got none")
    return sorted(set(found))
