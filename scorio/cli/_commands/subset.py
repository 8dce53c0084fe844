"""``scorio subset``: choose questions of a benchmark, and estimate scores on all from them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..._display.numbers import number, percent, span
from ..._display.table import Column, Table
from ..._display.words import SUBJECT, unknown
from ...errors import ParameterError
from .._command import declared
from .._metric import metrics_or_default
from .._options import (
    between_option,
    confidence_option,
    count_option,
    metrics_option,
    seed_option,
    target_option,
)
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._writing import Writable, check_outputs

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, OutcomeSet


@declared(
    "subset",
    "logs/ --choose 20 --write-sample sample.csv",
    count_option(
        "--choose",
        text="Draw N questions to ask a new model, from the outcomes of the models of the logs, and write them to "
        "--write-sample.",
        least=2,
        show_default="none, with --estimate",
    ),
    click.option(
        "--write-sample",
        type=Writable((".csv", ".json")),
        default="sample.csv",
        show_default=True,
        help="New file that --choose writes: the questions of the benchmark, which of them to ask, and how they were "
        "drawn. CSV or JSON.",
    ),
    click.option(
        "--estimate",
        type=click.Path(dir_okay=False, exists=True, path_type=Path),
        metavar="FILE",
        show_default="none, with --choose",
        help="Estimate the scores on all questions of models that were asked the questions of this file, which "
        "--choose wrote.",
    ),
    metrics_option,
    between_option("none"),
    confidence_option,
    target_option,
    seed_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    choose: int | None,
    write_sample: Path,
    estimate: Path | None,
    metrics: tuple[Metric, ...],
    between: tuple[str, str] | None,
    confidence: float,
    target: str,
    rng: int,
    out: Output,
) -> None:
    """Choose which questions of a benchmark to ask, or estimate scores on all from them.

    First draw questions from logs of other models with --choose N, and ask a new model these questions. Then pass its
    logs with --estimate FILE.
    """
    if (choose is None) == (estimate is None):
        raise ParameterError("one of --choose N and --estimate FILE is needed")
    models = load_task(logs, how)
    chosen = metrics_or_default(metrics, models)
    if choose is not None:
        check_outputs({"--write-sample": write_sample}, logs)
        _choose(models, choose, chosen, rng, write_sample, out)
    elif estimate is not None:
        _estimate(models, estimate, chosen, between, target, confidence, out)


def _choose(models: OutcomeSet, n: int, metrics: Sequence[Metric], rng: int, path: Path, out: Output) -> None:
    from ...judging import choose_questions

    if len(metrics) > 1:
        raise ParameterError("--choose draws for one metric: name one --metric")
    sample = choose_questions(models, n, metric=metrics[0], rng=rng)
    sample.write(path)
    notes = [f"{path}: ask all {n} questions with drawn = 1, then: scorio subset LOGS --estimate {path}"]
    table = sample._display_table()
    settings = {"metric": sample.metric, "seed": rng, "history": list(sample.history)}
    out.deliver(Answer([table._replace(notes=[*table.notes, *notes])], sample._records(), settings))


def _estimate(
    models: OutcomeSet,
    path: Path,
    metrics: Sequence[Metric],
    between: tuple[str, str] | None,
    target: str,
    confidence: float,
    out: Output,
) -> None:
    from ...judging import estimate_with_predictions, read_question_sample

    sample = read_question_sample(path)
    for name in between or ():
        if name not in models:
            raise ParameterError(unknown("model", name, tuple(models)))
    asked: dict[str, tuple[OutcomeMatrix, OutcomeMatrix | None]] = {name: (models[name], None) for name in models}
    if between is not None:
        asked = {" - ".join(between): (models[between[0]], models[between[1]])}
    records, cells = [], []
    for metric in metrics:
        for name, (mine, minus) in asked.items():
            found = estimate_with_predictions(
                metric, mine, minus=minus, probabilities=sample, target=target, confidence=confidence
            )
            records.append({"metric": str(metric), "model": name, **found._records()[0]})
            alone = found.labels_alone
            cells.append([str(metric), name, number(found.mu), span(found.lo, found.hi)])
            cells[-1].append(span(alone.lo, alone.hi) if alone else "-")
    heads = ("score", "interval", "without predictions")
    columns = [Column("metric"), Column("model"), *(Column(head, right=True) for head in heads)]
    notes = [f"{percent(confidence)} intervals for {SUBJECT[target]}, all {len(sample.benchmark)} of them"]
    settings = {"target": target, "confidence": confidence, "between": between}
    out.deliver(Answer([Table(str(sample), columns, cells, notes)], records, settings))
