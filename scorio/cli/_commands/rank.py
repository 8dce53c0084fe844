"""``scorio rank``: a leaderboard."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import ParameterError
from .._command import declared
from .._conditions import fail_under_option
from .._context import working
from .._metric import MetricChoice
from .._options import (
    bars_option,
    check_one_metric,
    family_option,
    interval_options,
    picture_option,
    runs_option,
    task_metrics_option,
    task_weight_option,
    tie_option,
    too_few_option,
)
from .._output import Answer, Output
from .._reading import Reading, load
from .._writing import write_picture

if TYPE_CHECKING:
    from ..._display.table import Table
    from ...rank import Leaderboard, MetricRanking


@declared(
    "rank",
    "logs/ -m pass@1 --target population --format md",
    task_metrics_option,
    task_weight_option,
    *interval_options,
    runs_option,
    tie_option,
    family_option,
    too_few_option,
    bars_option,
    click.option(
        "--costs",
        is_flag=True,
        help="Show mean costs per trial beside the scores, with intervals if the logs tell the costs of single trials.",
    ),
    click.option(
        "--methods",
        is_flag=True,
        help="Write a paragraph for the methods section of a paper, with BibTeX, instead of the tables.",
    ),
    picture_option,
    fail_under_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    out: Output,
    family: str | None,
    methods: bool,
    costs: bool,
    bars: bool | None,
    picture: Path | None,
    **options: Any,
) -> None:
    """Rank models, with intervals, ties and the probability of being the best."""
    from ...rank import Leaderboard, with_costs

    check_one_metric(picture, metrics.plain)
    if methods and (out.form or family or out.conditions):
        raise ParameterError("--methods is a text: leave out --format, --family and --fail-under")
    models = load(logs, how, by_task=bool(metrics.by_task))
    with working("ranking"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        if methods:
            out.deliver_text(str(board.to_methods()))
            return
        records = _with_costs(board._records(), board) if costs else board._records()
        pairs = None if family is None else board.pairs(family)
        tables = []
        for ranking in board.rankings:
            first, *rest = _tables(board, ranking)
            if costs:
                first = with_costs(first, board.costs, board.settings.confidence, board.settings.target)
            spreads = [(row.lo, row.score, row.hi) for row in ranking.rows]
            tables += [out.drawn(first, spreads, bars), *rest]
    write_picture(picture, lambda plot: plot.leaderboard(board))
    settings = dataclasses.asdict(board.settings)
    if board.weights:
        settings["task_weights"] = dict(board.weights)
    if len(board.models) > 1:
        settings["leader"] = {str(each.metric): each.leader_score.to_dict() for each in board.rankings}
    if pairs is not None:
        tables.append(pairs.table())
        settings["pairs"] = pairs.to_dict()
    out.deliver(Answer(tables, records, settings))


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
