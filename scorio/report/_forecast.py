"""What many more trials would give, where a leaderboard's metric takes more than there are: fans, words and numbers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from .._display.charts import Axis
from .._display.numbers import percent
from .._display.words import SUBJECT
from ..estimates import as_tasks
from ..forecasting import Forecasts, can_be_forecast, forecast, levels_up_to
from ..metrics import Metric
from ..outcomes import Suite
from ..plot.charts import forecast_chart
from ..rank import Leaderboard
from ._drawing import SERIES, Html, element, figure
from ._page import Part, folded, listed, paragraph, section, shown

_MOST_FANS = 2  # more models than these have a picture each: fans would hide each other
_MOST_WORDS = 4  # the sentences on more models than these are folded
_STEPS = 6  # at most so many steps lead from the trials to the largest k
_LEARNED = (
    'a forecast takes prior "learned", and this page was made with prior {prior}: it has the intervals above alone'
)


def sections(board: Leaderboard) -> list[Part]:
    """Show a forecast for each metric, whatever its k, that takes more trials than there are."""
    families: dict[Metric, list[int]] = {}
    for each in board.rankings:
        metric = each.metric
        if isinstance(metric, Metric) and can_be_forecast(metric) and any(row.forecast for row in each):
            without = cast("Metric", replace(cast("Any", metric), k=1))
            families.setdefault(without, []).append(cast("int", metric._k))
    return [_section(board, metric, ks, f"forecast-{i}") for i, (metric, ks) in enumerate(families.items(), 1)]


def _section(board: Leaderboard, metric: Metric, ks: list[int], anchor: str) -> Part:
    settings = board.settings
    heading = f"{metric.name.capitalize()}@k beyond the trials"
    if not settings.assumed.is_learned:
        said = paragraph(f"{_LEARNED.format(prior=settings.assumed)}.")
        return section(anchor, heading, said, title="Forecast")
    found = forecast(
        metric,
        board.outcomes,
        _budgets(board, ks),
        levels=levels_up_to(settings.confidence),
        target=settings.target,
        task_weights=dict(board.weights) or None,
    )
    models = [row.model for row in board.rankings[0]]
    overall = " overall," * isinstance(board.outcomes, Suite)
    about = (
        f"What k trials of every question would give,{overall} for {SUBJECT[settings.target]}. Lines are means: solid"
        " up to the trials, with the scores as points; dashed beyond, where points are hollow: that is a forecast."
    )
    table = shown(found.tables()[0]._replace(notes=[]), "model")
    parts = paragraph(about), *_words(found, models), *_pictures(found, models), folded("Forecast in numbers", *table)
    return section(anchor, heading, *parts, title="Forecast")


def ks_up_to(most: int) -> list[int]:
    """Return powers of two up to a number of trials, and that number itself."""
    return sorted({1 << i for i in range(most.bit_length())} | {most})


def _budgets(board: Leaderboard, ks: Sequence[int]) -> list[int]:
    """Return powers of two up to the trials, and from there a few steps of equal ratio to the largest k."""
    most = max(min(each.min_trials for each in models.values()) for models in as_tasks(board.outcomes).values())
    within, step = ks_up_to(max(1, most)), 4
    while within[-1] * step**_STEPS < max(ks):
        step *= 2
    beyond = [within[-1] * step**i for i in range(1, _STEPS) if within[-1] * step**i < max(ks)]
    return sorted({*within, *beyond, *ks})


def _words(found: Forecasts, models: Sequence[str]) -> list[Html]:
    """Say what is left open at the largest k, of several tasks overall; the sentences on many models are folded."""
    each_model = [found.of(model)[-1].in_words() for model in models]
    about_all = [*found.cautions(), *found.order()]
    if len(models) <= _MOST_WORDS:
        return [listed([*each_model, *about_all])]
    return [listed(about_all), folded("Each model in words", listed(each_model))]


def _pictures(found: Forecasts, models: Sequence[str]) -> list[Html]:
    """Draw all models, and of more than two each with its fan, on one scale."""
    best = models[:SERIES]
    left_out = f" The best {len(best)} models are drawn." * (len(best) < len(models))
    bands = f"Bands: {', '.join(map(percent, found.levels))} intervals."
    label = f"Forecasts of {found.metric} of {{}} against k; a table follows"
    together, several = forecast_chart(found, best), label.format(f"{len(best)} models")
    if len(best) <= _MOST_FANS:
        return [figure(together, f"{bands}{left_out}", several)]
    ends = [end for model in best for each in found.of(model) for end in each.intervals[found.levels[-1]]]
    up = Axis(low=min(ends), high=max(ends))
    alone = [figure(forecast_chart(found, [each])._replace(y=up), "", label.format(each)) for each in best]
    every = f"Means of all models; each with its intervals is below.{left_out}"
    return [figure(together, every, several), folded(f"Each model. {bands}", element("div", *alone, class_="each"))]
