"""``scorio rank``: a leaderboard."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import RANKINGS
from ...errors import ParameterError
from .._conditions import Condition, check_conditions, fail_under
from .._family_options import check_by_task, family_options
from .._options import (
    bars_option,
    interval_options,
    seed_option,
    tie_option,
    too_few_option,
    weights_option,
)
from .._output import Answer, deliver, deliver_text, drawn, output_options
from .._progress import working
from .._reading import gathered, load, reading_options
from .._task_metrics import MetricChoice, task_metrics_option

if TYPE_CHECKING:
    from ..._display.table import Table
    from ...rank import Leaderboard, MetricRanking


@click.command("rank", epilog="Example: scorio rank logs/ -m pass@1 --target population --format md")
@reading_options
@task_metrics_option
@interval_options
@too_few_option("raise", "omit")
@weights_option
@tie_option
@click.option(
    "--ranking",
    type=click.Choice(RANKINGS),
    default="competition",
    show_default=True,
    help="Numbering of models that share a rank.",
)
@family_options("all pairs of models")
@click.option(
    "--draws", type=int, default=20_000, show_default=True, help="Number of draws of ranks, with --target population."
)
@click.option(
    "--methods",
    is_flag=True,
    help="Paragraph for the method section of a paper that says what was done, with BibTeX, instead of the tables.",
)
@click.option(
    "--costs",
    is_flag=True,
    help="Mean costs per trial beside the scores, with intervals if logs tell those of trials.",
)
@seed_option
@bars_option
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: MetricChoice,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    family: str | None,
    by_task: bool,
    methods: bool,
    costs: bool,
    bars: bool | None,
    **options: Any,
) -> None:
    """Rank models, with intervals, ties and the probability of being the best."""
    from ...rank import Leaderboard
    from ...rank._cost_interval import with_costs

    if methods and (form or family or conditions):
        raise ParameterError("--methods is a text: leave out --format, --family and --fail-under")
    models = load(logs, gathered(options))
    check_by_task(by_task, family, models)
    with working("ranking"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        if methods:
            deliver_text(str(board.to_methods()), output)
            return
        records = _with_costs(board._records(), board) if costs else board._records()
        pairs = None if family is None else board.pairs(family, tasks=by_task)
        tables = []
        for ranking in board.rankings:
            first, *rest = _tables(board, ranking)
            if costs:
                first = with_costs(first, board.costs, board.settings.confidence, board.settings.target)
            spreads = [(row.lo, row.score, row.hi) for row in ranking.rows]
            tables += [drawn(first, spreads, bars, form, output), *rest]
    settings = dataclasses.asdict(board.settings)
    if board.weights:
        settings["weights"] = dict(board.weights)
    if pairs is not None:
        tables.append(pairs.table())
        settings["pairs"] = pairs.to_dict()
    deliver(Answer(tables, records, settings), form, output)
    check_conditions(conditions, records)


def _with_costs(records: list[dict[str, Any]], board: Leaderboard) -> list[dict[str, Any]]:
    """Return the records with the costs of their models, which are those of all tasks."""
    fields: dict[str, dict[str, dict[str, Any]]] = {
        model: {name: each._asdict() for name, each in own.items()} for model, own in board.costs.items()
    }
    names = dict.fromkeys(name for own in fields.values() for name in own)
    none: dict[str, Any] = dict.fromkeys(("mean", "sigma", "lo", "hi"))
    return [
        record
        | {
            f"{name}{end}": fields[record["model"]].get(name, none)[part]
            for name in names
            for part, end in (("mean", "_per_trial"), ("lo", "_per_trial_lo"), ("hi", "_per_trial_hi"))
        }
        for record in records
    ]


def _tables(board: Leaderboard, ranking: MetricRanking) -> list[Table]:
    """Return the tables of one metric, the first with the verdicts on its models."""
    first, *rest = ranking.tables()
    return [first._replace(notes=[*first.notes, *board.verdicts(ranking.metric)]), *rest]
