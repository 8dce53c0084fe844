"""Pass@k and other metrics with a budget, for every budget k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display.numbers import percent, trials_each
from .._display.words import pluralize
from ..errors import ParameterError
from ..inference._prior import LEARNED, PriorLike
from ..metrics import Metric
from ..metrics._batch import intervals_of_set
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import budget
from ._labels import caption, label_ends
from ._series import band, line, panel, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BANDS = 8  # more models than this are drawn without bands, which would hide each other


def pass_curve(
    outcomes: Any,
    ks: Iterable[int] | None = None,
    *,
    metric: Metric | str = "pass@1",
    confidence: float = 0.95,
    prior: PriorLike = LEARNED,
    shape: str | None = None,
    target: str = "questions",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of budget k against k for each model: posterior mean (line), interval (band), scores (points).

    ``outcomes`` is an OutcomeSet, anything that makes one, or the OutcomeMatrix of one model. ``ks`` are the budgets,
    by default every k up to the fewest trials of a question; beyond that number posteriors go on, but scores end.
    ``metric`` is the metric whose budget varies (``"passhat@1"`` for Pass^k). ``confidence``, ``prior``, ``shape`` and
    ``target`` are the arguments of ``Metric.interval``.

    >>> from scorio import plot
    >>> drawn = plot.pass_curve({"a": [[1, 1, 0], [0, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]}, ks=[1, 2, 4])
    >>> [text.get_text() for text in drawn.texts][:2]
    ['a', 'b']
    """
    models = models_of(outcomes)
    budgets = budgets_of(models, ks)
    first = as_metric(metric)
    if first.budget is None:
        raise ParameterError(f"metric must have a budget k, as pass@1 has; got {first!r}")
    of_budget = [replace(first, k=k) for k in budgets]  # type: ignore[call-arg]
    options: dict[str, Any] = {"prior": prior, "shape": shape, "target": target}
    ax = panel(ax, models.names, "k, trials per draw", f"{first.name or type(first).__name__}@k")
    ends = []
    for i, matrix in enumerate(models.values()):
        intervals = np.array(intervals_of_set(of_budget, matrix, confidence, **options))
        scored = [k for k in budgets if k <= matrix.min_trials]
        if len(models) <= MOST_BANDS:
            band(ax, i, budgets, intervals[:, 2], intervals[:, 3])
        line(ax, i, budgets, intervals[:, 0])
        points(ax, i, scored, first.curve(matrix, scored))
        ends.append((float(budgets[-1]), float(intervals[-1, 0])))
    ax.set_xscale("log", base=2)
    _mark_budgets(ax, budgets)
    if len(models) > 1:
        label_ends(ax, models.names, ends)
    bands = f"bands: {percent(confidence)} intervals; " if len(models) <= MOST_BANDS else ""
    extent = f"{pluralize(models.n_questions, 'question')}, {trials_each(*models.trials_each)}"
    caption(ax, f"points: scores; lines: posterior means; {bands}{extent}")
    return ax


def _mark_budgets(ax: Axes, budgets: list[int]) -> None:
    """Mark powers of two, and the ends, with whole numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    powers = [1 << i for i in range(budgets[-1].bit_length()) if budgets[0] <= 1 << i <= budgets[-1]]
    kept = [k for k in powers if k == budgets[-1] or 1.4 * k <= budgets[-1]]
    ax.xaxis.set_major_locator(FixedLocator(sorted({budgets[0], *kept, budgets[-1]})))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")


def models_of(outcomes: Any) -> OutcomeSet:
    """Return the models of a set, of one model, or of anything that makes a set."""
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    return OutcomeSet([outcomes] if isinstance(outcomes, OutcomeMatrix) else outcomes)


def budgets_of(models: OutcomeSet, ks: Iterable[int] | None) -> list[int]:
    """Return the budgets to draw: by default every k up to the fewest trials of a question."""
    if ks is None:
        return list(range(1, max(1, min(outcomes.min_trials for outcomes in models.values())) + 1))
    budgets = {budget("k", k) for k in ks}
    if not budgets:
        raise ParameterError("must have at least one k; got none", argument="ks")
    return sorted(budgets)
