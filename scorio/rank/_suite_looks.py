"""Looks at a leaderboard of several tasks: how the error is shared, and overall intervals at a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Vector
from .._special import ndtri
from ..comparison._suite_contest import span_of, tail_of
from ..inference import Interval
from ..metrics import Metric
from ..metrics._batch import interval_of_error
from ..outcomes import Suite
from ._settings import LeaderboardSettings


def of_each_task(settings: LeaderboardSettings, tasks: int) -> LeaderboardSettings:
    """Return the settings of the rankings by task, which share the error of the looks."""
    return settings if settings.looks is None else replace(settings, looks=settings.looks.shared(tasks))


def intervals_at_look(
    of_tasks: Sequence[Metric], suite: Suite, settings: LeaderboardSettings
) -> tuple[list[list[Interval]], Vector]:
    """Return the interval of each model by task, at the boundary of its overall score, and the models' boundaries."""
    assert settings.looks is not None
    looks = settings.looks.shared(len(suite.models))
    about: dict[str, Any] = {"prior": settings.prior, "shape": settings.shape, "target": settings.target}
    errors = [tail_of(looks, span_of([each[model] for each in suite.values()])) for model in suite.models]
    parts = [
        [
            interval_of_error(metric, outcomes[model], settings.confidence, error, **about)._replace(looks=looks)
            for model, error in zip(suite.models, errors, strict=True)
        ]
        for metric, outcomes in zip(of_tasks, suite.values(), strict=True)
    ]
    return parts, -ndtri(np.array(errors) / 2.0)
