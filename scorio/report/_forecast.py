"""What many more trials would give, where a leaderboard's metric takes more than there are: fans, words and numbers."""

from dataclasses import replace
from typing import Any, NamedTuple, cast

from .._display.numbers import percent
from .._display.words import SUBJECT
from ..comparison import as_tasks
from ..forecasting import Forecasts, can_be_forecast, forecast, forecast_curves, levels_up_to
from ..metrics import Metric
from ..outcomes import Suite
from ..rank import Leaderboard
from . import _drawing as drawing
from ._drawing import Html, element
from ._findings import ks_of
from ._sections import Part
from ._sections import section as section_of
from ._sections import shown as shown_table

_MOST_FANS = 2  # more models than these have a picture each: fans would hide each other
_LOW = 150  # pixels high: pictures of one model
_MOST_WORDS = 4  # the sentences on more models than these are folded
_STEPS = 6  # at most so many steps lead from the trials to the largest k
_LEARNED = (
    'a forecast takes prior "learned", and this page was made with prior {prior}: it has the intervals above alone'
)


class _Family(NamedTuple):
    """A metric without its k, and the numbers of trials that the leaderboards of it take."""

    metric: Metric
    ks: list[int]


def sections(board: Leaderboard) -> list[Part]:
    """Show a forecast for each metric, whatever its k, that takes more trials than there are."""
    families: dict[str, _Family] = {}
    for each in board.rankings:
        metric = each.metric
        if isinstance(metric, Metric) and can_be_forecast(metric) and any(row.forecast for row in each):
            without = cast("Metric", replace(cast("Any", metric), k=1))
            families.setdefault(str(without), _Family(without, [])).ks.append(cast("int", metric._k))
    return [_section(board, each, f"forecast-{i}") for i, each in enumerate(families.values(), 1)]


def _section(board: Leaderboard, family: _Family, anchor: str) -> Part:
    settings = board.settings
    heading = f"{family.metric.name.capitalize()}@k beyond the trials"
    if not settings.assumed.is_learned:
        said = element("p", f"{_LEARNED.format(prior=settings.assumed)}.")
        return section_of(anchor, heading, said, title="Forecast")
    found = forecast(
        family.metric,
        board.outcomes,
        _budgets(board, family.ks),
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
    parts = (element("p", about), *_words(found, models), *_picture(found, models), _numbers(found))
    return section_of(anchor, heading, *parts, title="Forecast")


def _budgets(board: Leaderboard, ks: list[int]) -> list[int]:
    """Return powers of two up to the trials, and from there a few steps of equal ratio to the largest k."""
    within = sorted({k for models in as_tasks(board.outcomes).values() for k in ks_of(models)})
    fewest, step = within[-1], 4
    while fewest * step**_STEPS < max(ks):
        step *= 2
    beyond = [fewest * step**i for i in range(1, _STEPS) if fewest * step**i < max(ks)]
    return sorted({*within, *beyond, *ks})


def _words(found: Forecasts, models: list[str]) -> list[Html]:
    """Say what is left open at the largest k, of several tasks overall; the sentences on many models are folded."""
    each_model = [found.of(model)[-1].in_words() for model in models]
    about_all = [*found.cautions(), *found.order()]
    if len(models) <= _MOST_WORDS:
        return [_listed([*each_model, *about_all])]
    return [_listed(about_all), element("details", element("summary", "Each model in words"), _listed(each_model))]


def _listed(sentences: list[str]) -> Html:
    return element("ul", *(element("li", f"{each}.") for each in sentences), class_="verdicts")


def _picture(found: Forecasts, models: list[str]) -> list[Html]:
    shown = models[: drawing.SERIES]
    bands, widest = f"Bands: {', '.join(map(percent, found.levels))} intervals.", percent(found.levels[-1])
    left_out = f" The best {len(shown)} models are drawn." * (len(shown) < len(models))
    curves = forecast_curves(found, found.levels, shown)
    key = drawing.legend(shown)
    what = f"Forecasts of {found.metric} of {{}} against k, with {widest} intervals; a table follows"
    if len(shown) <= _MOST_FANS:
        drawn = drawing.curves(curves, what.format(f"{len(shown)} models"))
        return [element("figure", element("figcaption", bands + left_out), drawn, key, class_="forecast")]
    lines = [each._replace(bands=()) for each in curves]
    drawn = drawing.curves(lines, what.format(f"{len(shown)} models"), like=curves)
    style: dict[str, Any] = {"like": curves, "height": _LOW}
    alone = [
        element(
            "div",
            drawing.legend([each.name], i),
            drawing.curves([each], what.format(each.name), **style, first=i),
        )
        for i, each in enumerate(curves)
    ]
    every = f"Means of all models; each with its intervals is below.{left_out}"
    return [
        element("figure", element("figcaption", every), drawn, key, class_="forecast"),
        element("figure", element("figcaption", bands), element("div", *alone, class_="each"), class_="forecast"),
    ]


def _numbers(found: Forecasts) -> Html:
    """Fold the table of the forecast."""
    table = shown_table(found.tables()[0]._replace(notes=[]), "model")
    return element("details", element("summary", "Forecast in numbers"), *table)
