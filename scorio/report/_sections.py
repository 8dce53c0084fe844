"""Sections of a page, each made of a result: what it says, its chart and its tables."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from .._display.exports import columns_of
from .._display.numbers import number, percent, signed, signed_span
from .._display.table import Field, Table, plain
from .._display.words import SUBJECT, pluralize
from ..comparison import History, HistoryPoint, HistorySeries, describe_questions
from ..curves import Horizons
from ..errors import OutcomeError
from ..estimates import as_tasks
from ..forecasting import Forecasts, can_be_forecast, forecast, levels_up_to
from ..metrics import Metric
from ..outcomes import Suite
from ..params import check_result
from ..plot.charts import chart
from ..rank import ASSUMPTIONS, Accuracies, Leaderboard
from ._drawing import SERIES, Html, element, figure
from ._page import Part, folded, listed, paragraph, section, shown

_HARDEST, _FLAGGED = 50, 200  # questions that are listed whether flagged or not, and at most for their flags
_MOST = 20_000  # with more questions than this, none is listed: the page would take long to make
_FACTS = {"never solved", "always solved"}  # flags that come last
_OPEN = 2  # tasks of a history; of more, each is folded
_MOST_WORDS = 4  # the sentences on forecasts of more models are folded
_STEP = 4  # from one k of a forecast to the next
_NOTE = (
    "Difficulty is one minus the mean rate of the models; discrimination is the correlation over models with the other "
    "questions; disagreement is the chance that two trials of one model disagree."
)
_REASONS = Field(
    "flags and reasons", of="flags", form=lambda flags: "; ".join(f"{flag.name}: {flag.reason}" for flag in flags)
)


def questions(board: Leaderboard) -> Part:
    """Show the flagged questions with the reasons, and the hardest ones, folded."""
    more = paragraph(element("code", "scorio questions"), " lists all questions.")
    if board.outcomes.n_questions > _MOST:
        return section("questions", "Questions", paragraph(f"There are more than {_MOST:,} questions."), more)
    try:
        described = describe_questions(board.outcomes, confidence=board.settings.confidence).sorted("difficulty")
    except OutcomeError as error:
        return section("questions", "Questions", paragraph(f"No questions are listed: {error}."))
    parts = [paragraph(f"{described}. {_NOTE}")]
    flagged = sorted(described.flagged().rows, key=lambda row: all(flag.name in _FACTS for flag in row.flags))
    if flagged:
        task, question, *_ = columns_of(described)
        table = Table.of("Flagged questions", [question, _REASONS, task, *columns_of(described)[2:-1]], flagged)
        parts += shown(table.first(_FLAGGED), "question")
    rest = len(described.rows) - _HARDEST
    title = f"The {_HARDEST} hardest questions" if rest > 0 else "All questions, hardest first"
    parts.append(folded(title, *shown(described.tables()[0].first(_HARDEST)._replace(notes=[]), "question", title)))
    return section("questions", "Questions", *parts, *[more] * (rest > 0 or len(flagged) > _FLAGGED))


def history(result: History) -> Part:
    """Show the changes that are called, what else changed, and for each task a picture and the numbers."""
    check_result("scorio.analyze_history", "history", result, History)
    by_task: dict[str, list[HistorySeries]] = {}
    for series in result.series:
        by_task.setdefault(series.task, []).append(series)
    parts = [_task(task, series, result, is_open=len(by_task) <= _OPEN) for task, series in by_task.items()]
    return section("history", "History", *_called(result), *parts)


def _called(result: History) -> list[Html]:
    """Return the called changes, and what the reader has to know of them."""
    about = (
        f"{result.extent}. Each run is compared with all runs since the last called change; at most "
        f"{1.0 - result.confidence:.2g} of all histories without any change have a called one."
    )
    if result.smallest_change is not None:
        about += f" A change of less than about {number(result.smallest_change)} is rarely called from so few trials."
    changes = [
        element("li", f"{point.change} at {plain(point.run)}: {plain(series.name)}, {_difference(point)}")
        for series, point in result.changes
    ]
    calls = element("ul", *changes) if changes else paragraph("No change is called.")
    drifted = pluralize(len(dict.fromkeys(point.run for _, point in result.drift)), "run")
    drift = f"{drifted} under other circumstances than the one before (dotted lines): see the numbers."
    return [paragraph(about), calls, *[paragraph(drift)] * bool(result.drift)]


def _difference(point: HistoryPoint) -> str:
    gap, lo, hi = cast("tuple[float, float, float]", (point.difference, point.difference_lo, point.difference_hi))
    return f"{signed(gap)} {signed_span(lo, hi)}"


def _task(task: str, series: Sequence[HistorySeries], result: History, *, is_open: bool) -> Html:
    """Show one task: the picture of the models, and the numbers of their runs."""
    part = replace(result, series=tuple(replace(of_model, task="") for of_model in series))
    runs = pluralize(len({point.run for of_model in series for point in of_model.points}), "run")
    metric = ", ".join(dict.fromkeys(of_model.metric for of_model in series))
    note = f"{metric} with {percent(result.confidence)} intervals over runs.{left_out(len(series))}"
    label = f"Scores of {min(len(series), SERIES)} models over {runs}; a table follows"
    picture = figure(chart(replace(part, series=part.series[:SERIES])), note, label)
    title = f"Runs of {plain(task)}" if task else "Runs"
    numbers = folded(f"{title} in numbers", *shown(part.tables()[0]._replace(notes=[]), "run", title))
    if not task:
        return element("div", picture, numbers)
    changes = sum(len(of_model.changes) for of_model in series)
    return folded(f"{plain(task)}: {runs}, {pluralize(changes, 'change')}", picture, numbers, open_=is_open)


def left_out(models: int) -> str:
    """Say that a picture leaves out models, if there are more than it has styles."""
    return f" The first {SERIES} models are drawn; the table lists all {models}." if models > SERIES else ""


def horizons(result: Horizons) -> Part:
    """Show the horizon of every model at each rate, its curve, and behind a line that unfolds, the curve in numbers."""
    check_result("scorio.curves.horizon", "horizons", result, Horizons)
    about = (
        f"A horizon is the value of a question at which a model's success ({result.curves.metric}) crosses a rate, by a"
        f" logistic curve, for {SUBJECT[result.curves.target]}."
    )
    drawn = chart(result)
    picture = figure(drawn, f"{drawn.note[:1].upper()}{drawn.note[1:]}.", f"{drawn.title}; a table follows")
    numbers = folded("Curves in numbers", *shown(result.curves.tables()[0], "model", "Curves by value"))
    table = shown(result.tables()[0], "model", "Horizons by model")
    return section("horizons", "Horizons", paragraph(about), *table, picture, numbers)


def both_accuracies(accuracies: Accuracies) -> Part:
    """Show the accuracy on these questions beside that on questions like these, with what both assume."""
    check_result("scorio.rank.accuracies", "accuracies", accuracies, Accuracies)
    about = (
        "NIST AI 800-3 asks which accuracy is meant. The benchmark accuracy is about exactly these questions, asked"
        " again and again; the generalized accuracy is about all questions like these: questions are random too. Both"
        " assume what is listed below the table."
    )
    table = shown(accuracies.tables()[0], "model", "Both accuracies")
    return section("accuracies", "Benchmark and generalized accuracy", paragraph(about), *table, listed(ASSUMPTIONS))


def forecasts(board: Leaderboard) -> Iterator[Part]:
    """Yield a forecast for each metric, whatever its k, that takes more trials than there are."""
    families: dict[Metric, list[int]] = {}
    for ranking in board.rankings:
        metric = ranking.metric
        if isinstance(metric, Metric) and can_be_forecast(metric) and any(row.forecast for row in ranking):
            without = cast("Metric", replace(cast("Any", metric), k=1))
            families.setdefault(without, []).append(cast("int", metric.draw_size))
    for i, (metric, ks) in enumerate(families.items(), 1):
        heading = f"{metric.name.capitalize()}@k beyond the trials"
        yield section(f"forecast-{i}", heading, *_forecast(board, metric, ks), title="Forecast")


def _forecast(board: Leaderboard, metric: Metric, ks: list[int]) -> list[Html]:
    settings = board.settings
    if not settings.assumed.is_learned:
        made = f"this page was made with prior {settings.assumed}: it has the intervals above alone"
        return [paragraph(f'a forecast takes prior "learned", and {made}.')]
    most = max(min(matrix.min_trials for matrix in models.values()) for models in as_tasks(board.outcomes).values())
    within = ks_up_to(max(1, most))
    beyond = itertools.takewhile(lambda k: k < max(ks), (within[-1] * _STEP**i for i in itertools.count(1)))
    predicted = forecast(
        metric,
        board.outcomes,
        sorted({*within, *beyond, *ks}),
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
    best = models[:SERIES]
    label = f"Forecasts of {predicted.metric} of {pluralize(len(best), 'model')} against k; a table follows"
    bands = f"Bands: {', '.join(map(percent, predicted.levels))} intervals, of at most four models."
    picture = figure(chart(predicted, models=best), f"{bands}{left_out(len(models))}", label)
    table = shown(predicted.tables()[0]._replace(notes=[]), "model")
    return [paragraph(about), *_words(predicted, models), picture, folded("Forecast in numbers", *table)]


def ks_up_to(most: int) -> list[int]:
    """Return powers of two up to a number of trials, and that number itself."""
    return sorted({1 << i for i in range(most.bit_length())} | {most})


def _words(predicted: Forecasts, models: Sequence[str]) -> list[Html]:
    """Say what is left open at the largest k, of several tasks overall; the sentences on many models are folded."""
    of_each = [predicted.of(model)[-1].in_words() for model in models]
    of_all = [*predicted.cautions(), *predicted.order()]
    if len(models) <= _MOST_WORDS:
        return [listed([*of_each, *of_all])]
    return [listed(of_all), folded("Each model in words", listed(of_each))]
