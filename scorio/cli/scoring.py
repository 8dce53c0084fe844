"""Models under metrics, as rows: what ``score`` and ``curve`` share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from ..errors import OutcomeError
from ..interval import Interval
from ..metrics import Metric
from ..outcome_set import OutcomeSet
from ..sheet import Column, Sheet
from .options import subject
from .output import Record
from .progress import tracked

Pair = tuple[str, Metric]


class Measured(NamedTuple):
    """One model under one metric."""

    model: str
    metric: Metric
    score: float
    interval: Interval

    def record(self) -> Record:
        """Everything, flat."""
        numbers = dict(zip(Interval._fields, self.interval, strict=True))
        names = {"model": self.model, "metric": str(self.metric), "score": self.score}
        return {**names, **numbers, "coverage": self.interval.coverage}


def measured(models: OutcomeSet, pairs: Iterable[Pair], short: str, interval: Record) -> list[Measured]:
    """Score and interval of each model under each metric."""
    return [_measured(models, *pair, short, interval) for pair in tracked("scoring", pairs)]


def _measured(models: OutcomeSet, name: str, metric: Metric, short: str, interval: Record) -> Measured:
    try:
        bank = models[name]
        return Measured(name, metric, metric.score(bank, short=short), metric.interval(bank, **interval))
    except OutcomeError as error:
        raise OutcomeError(f"{name}: {error}") from None


def sheet(found: Sequence[Measured], models: OutcomeSet) -> Sheet:
    """A row a model and metric; coverage where trials are missing."""
    left, right = Column, partial(Column, right=True)
    columns = [left("model"), left("metric"), *map(right, ("score", "mu", "sigma")), left("interval")]
    cells = [_cells(each) for each in found]
    if any(each.interval.coverage < 1.0 for each in found):
        columns.append(right("coverage"))
        cells = [[*line, f"{each.interval.coverage:.1%}"] for line, each in zip(cells, found, strict=True)]
    about = f"score: of these trials; mu, sigma, interval: {found[0].interval.about}"
    return Sheet(subject(models), columns, cells, [about])


def _cells(found: Measured) -> list[str]:
    mu, sigma, lo, hi = found.interval
    score = "-" if math.isnan(found.score) else f"{found.score:.3f}"
    return [found.model, str(found.metric), score, f"{mu:.3f}", f"{sigma:.3f}", f"[{lo:.3f}, {hi:.3f}]"]
