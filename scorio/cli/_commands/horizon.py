"""``scorio horizon``: the values of questions at which models' success crosses rates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._context import working
from .._metric import metrics_or_default
from .._options import choice_option, confidence_option, metric_option, over_option, picture_option, target_option
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric

_MINUTES = "human_minutes"  # in METR's runs


def _dates(texts: tuple[str, ...]) -> dict[str, str]:
    """Return the date of each model."""
    found: dict[str, str] = {}
    for text in texts:
        model, equals, date = text.rpartition("=")
        if not (equals and model and date):
            raise ParameterError(f"--date is MODEL=DATE, such as gpt=2025-02-24; got {text!r}")
        found[model] = date
    return found


@declared(
    "horizon",
    "runs.jsonl --over human_minutes --target population",
    metric_option(multiple=False),
    over_option(_MINUTES, _MINUTES),
    click.option(
        *("--at", "rates"),
        type=float,
        multiple=True,
        metavar="NUMBER",
        default=(0.5, 0.8),
        show_default="0.5 and 0.8",
        help="Rate of success that is crossed; repeatable.",
    ),
    choice_option(
        "--fit",
        ("logistic", "metr"),
        "logistic",
        "Fit of the curve; metr has the weights and the ridge of METR's time horizons.",
    ),
    click.option(
        "--date",
        "dates",
        multiple=True,
        metavar="MODEL=DATE",
        show_default="no trend",
        help="Date of a model, for the trend of horizons and its doubling time; repeatable.",
    ),
    confidence_option,
    target_option,
    picture_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: Metric | None,
    over: str,
    rates: tuple[float, ...],
    dates: tuple[str, ...],
    picture: Path | None,
    out: Output,
    **options: Any,
) -> None:
    """Find the values, such as minutes of human work, at which success crosses 50% and 80%.

    Nothing is said beyond the values of the questions. With several models there is a table of ratios, paired by
    question, and with --date a trend. Clusters of questions, such as families of tasks, count with --target population.
    """
    from ...curves import horizon

    when = _dates(dates)
    with named_over():
        models = load_task(logs, keeping(how, over))
    with working("fitting"):
        metric = metrics or metrics_or_default((), models)[0]
        found = horizon(metric, models, over, at=rates, **options)
        shown = found._display_table()
        trend = found.trend(when) if when else None
        if trend is not None:
            shown = shown._replace(notes=[*shown.notes, str(trend)])
    tables = [shown] + ([found.comparisons(each) for each in found.rates] if len(models) > 1 else [])
    about: dict[str, Any] = {"over": over, "rates": list(rates), **options}
    out.deliver(Answer(tables, found._records(), about | ({} if trend is None else {"trend": trend.to_dict()})))
    write_picture(picture, lambda plot: plot.horizon(found))


@contextmanager
def named_over() -> Iterator[None]:
    """Name ``--over`` in errors about the number that it names, which is read as one of ``--keep`` is."""
    try:
        yield
    except OutcomeError as error:
        if error.argument != "keep":
            raise
        raise error.called("over") from error.__cause__


def keeping(how: Reading, over: str) -> Reading:
    """Return how logs are read with a number of each trial kept."""
    kept = list(dict.fromkeys([*how.options.get("keep", ()), over]))
    return replace(how, options={**how.options, "keep": kept})
