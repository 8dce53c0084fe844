"""``scorio judge``: scores by an imperfect judge, corrected by labels of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.numbers import number, percent, signed, span
from ..._display.table import Column, Table
from ..._display.words import shorten, unknown
from ...errors import OutcomeError, ParameterError
from .._judge_trials import JudgedTrials, has_classes, single_trials
from .._options import between_option, confidence_option, metrics_option, metrics_or_default, seed_option, target_option
from .._output import Answer, deliver, output_options
from .._reading import Reading, check_renamed, gathered, load_part, reading_options
from .._writing import Writable

if TYPE_CHECKING:
    from ...judging import Agreement, Labels, RectifiedInterval, SampledInterval
    from ...metrics import Metric
    from ...outcomes import OutcomeSet

_Judge = Mapping[str, Sequence[float] | None]


@click.command("judge", epilog="Example: scorio judge logs/ --sample 20 --write labels.csv")
@reading_options
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    show_default="none, with --sample",
    help="File with the labels of people, as --sample writes it.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=2),
    metavar="N",
    show_default="none, with --labels",
    help="Number of questions to draw for people to label, written to --write.",
)
@click.option(
    "--write",
    type=Writable(),
    default="labels.csv",
    show_default=True,
    help="File for annotators, CSV or JSON lines (.jsonl), for --sample.",
)
@between_option("Models to compare.", "none")
@click.option(
    "--rank", is_flag=True, help="Ranks, ties and differences of the labelled models, by their corrected scores."
)
@click.option(
    "--by", metavar="COLUMN", show_default="none", help="Column of the labels to break the judge's bias down by."
)
@metrics_option
@target_option
@confidence_option
@seed_option
@output_options
def command(
    logs: tuple[str, ...],
    labels: Path | None,
    sample: int | None,
    write: Path,
    between: tuple[str, str] | None,
    rank: bool,
    by: str | None,
    metrics: tuple[Metric, ...],
    target: str,
    confidence: float,
    rng: int,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Correct the scores of an imperfect judge by labels of people.

    The intervals hold however good or bad the judge is. First draw questions with --sample N and let people fill the
    column label; then pass the file as --labels.
    """
    if rank and between is not None:
        raise ParameterError("--rank compares all labelled models: leave out --between")
    if (labels is None) == (sample is None):
        raise ParameterError("either --sample N, to draw questions, or --labels FILE is needed")
    how = gathered(options)
    models, judge = _load(logs, how)
    if sample is not None:
        _draw(models, judge, sample, rng, write)
        return
    from ...judging import read_labels

    assert labels is not None
    read = read_labels(labels)
    names = _model_names(read, models)
    known = {model: judge.of_labels(read, model, name) for model, name in names.items()}
    chosen = metrics_or_default(metrics, models)
    if rank:
        tables, records = _ranked(chosen, models, read, names, target, confidence)
    else:
        tables, records = _scored(chosen, models, read, names, known, between, target, confidence)
    tables += _agreement(read, names, known, confidence)
    if by is not None:
        tables.append(_biases(read, names, known, by, confidence))
    settings = {"target": target, "confidence": confidence, "between": between}
    deliver(Answer(tables, records, settings), form, output)


def _load(logs: Sequence[str], how: Reading) -> tuple[OutcomeSet, JudgedTrials]:
    from ...io._tasks import one_task

    part = load_part(logs, how)
    check_renamed(how, [part])
    return one_task(part.outcomes), JudgedTrials.of(part, how.options["missing"])


def _draw(models: OutcomeSet, judge: JudgedTrials, count: int, rng: int, path: Path) -> None:
    """Write the file for annotators."""
    from ...judging import label_sample

    drawn = label_sample(models, count, rng)
    drawn.write(path, judge.names())
    click.echo(f"{path}: {drawn}. Fill the column label from the top; then: scorio judge LOGS --labels {path}")


def _model_names(labels: Labels, models: OutcomeSet) -> dict[str, str]:
    """Return the labelled models, each with its name in the file, which is empty without a column of models."""
    if "" in labels.human:
        if len(models) > 1:
            raise OutcomeError(
                f"the labels have no column model, and the logs hold several: {shorten(models)}",
                hint="add the column, or choose one model",
            )
        return {next(iter(models)): ""}
    for name in labels.human:
        if name not in models:
            raise OutcomeError(unknown("model", name, models))
    return {model: model for model in models if model in labels.human}


def _corrected(
    metric: Metric,
    models: OutcomeSet,
    labels: Labels,
    names: Mapping[str, str],
    known: _Judge,
    between: tuple[str, str] | None,
    target: str,
    confidence: float,
) -> dict[str, RectifiedInterval]:
    """Return the interval of each labelled model, or of the difference of two."""
    from ...judging import rectified

    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    if between is not None:
        for name in between:
            if name not in names:
                raise ParameterError(unknown("labelled model", name, names))
        one, other = ((models[name], labels.human[names[name]]) for name in between)
        return {" - ".join(between): rectified(metric, *one, minus=other, **about)}
    return {
        model: rectified(
            metric,
            models[model],
            labels.human[name],
            judged_labelled=single_trials(labels, known[model], models[model], name),
            **about,
        )
        for model, name in names.items()
    }


def _scored(
    metrics: Sequence[Metric],
    models: OutcomeSet,
    labels: Labels,
    names: Mapping[str, str],
    known: _Judge,
    *about: Any,
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Return the table and the rows of corrected scores, or of the difference of two models."""
    answers = {
        (str(metric), model): result
        for metric in metrics
        for model, result in _corrected(metric, models, labels, names, known, *about).items()
    }
    return [_table(answers, labels)], [_record(*key, each) for key, each in answers.items()]


def _ranked(
    metrics: Sequence[Metric],
    models: OutcomeSet,
    labels: Labels,
    names: Mapping[str, str],
    target: str,
    confidence: float,
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Return the tables and the rows of the leaderboard of each metric."""
    from ...judging import rectified_leaderboard

    human = {model: labels.human[name] for model, name in names.items()}
    judged = {model: models[model] for model in names}
    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    boards = [rectified_leaderboard(metric, judged, human, **about) for metric in metrics]
    rows = [{"metric": str(board.metric), **row} for board in boards for row in board._records()]
    return [table for board in boards for table in board.tables()], rows


def _record(metric: str, model: str, result: RectifiedInterval) -> dict[str, Any]:
    return {"metric": metric, "model": model, **result._records()[0]}


def _table(answers: Mapping[tuple[str, str], RectifiedInterval], labels: Labels) -> Table:
    heads = ("judge alone", "bias", "corrected", "interval", "labels alone")
    columns = [Column("metric"), Column("model"), *(Column(head, right=True) for head in heads)]
    cells = []
    for (metric, model), each in answers.items():
        alone = each.labels_alone
        numbers = [number(each.predicted), signed(each.bias), number(each.mu), span(each.lo, each.hi)]
        cells.append([metric, model, *numbers, span(alone.lo, alone.hi) if alone else "-"])
    first = next(iter(answers.values()))
    subject = "these questions" if first.target == "questions" else "questions like these"
    note = f"{percent(first.confidence)} intervals for {subject}; labels alone: without the judge"
    return Table(f"{labels}, out of {first.n_questions} questions", columns, cells, [note])


def _trials(labels: Labels, name: str) -> tuple[list[float], list[Any]]:
    """Return the labels of a model, and the question of each."""
    rows = [row for row in labels.rows if row["model"] == name]
    return [row["label"] for row in rows], [row["question"] for row in rows]


def _agreement(labels: Labels, names: Mapping[str, str], known: _Judge, confidence: float) -> list[Table]:
    """Return the table of agreements of the models whose labelled trials are those of the logs."""
    from ...judging import judge_agreement

    found: dict[str, Agreement] = {}
    for model, name in names.items():
        judge, (human, questions) = known[model], _trials(labels, name)
        if judge is not None and has_classes(judge, human):
            found[model] = judge_agreement(judge, human, questions=questions, confidence=confidence)
    if not found:
        return []
    classes = list(dict.fromkeys(label for each in found.values() for label in each.rates))
    heads = ("agreement", "kappa", "alpha", *(f"same if {label:g}" for label in classes))
    cells = [
        [model, *map(_estimate, (each.share, each.kappa, each.alpha)), *(_estimate(each.rates.get(c)) for c in classes)]
        for model, each in found.items()
    ]
    columns = [Column("model"), *(Column(head, right=True) for head in heads)]
    note = "same if 1: how often the judge says 1 where people do (sensitivity); same if 0: specificity"
    return [Table("agreement of judge and people, trial by trial", columns, cells, [note])]


def _estimate(interval: SampledInterval | None) -> str:
    return "-" if interval is None else f"{number(interval.mu)} {span(interval.lo, interval.hi)}"


def _biases(labels: Labels, names: Mapping[str, str], known: _Judge, by: str, confidence: float) -> Table:
    """Return the judge's bias in each group of a column."""
    from ...judging import judge_bias

    if not all(by in row for row in labels.rows):
        raise ParameterError(unknown("column", by, labels.rows[0]), argument="by")
    cells = []
    for model, name in names.items():
        judge, (human, questions) = known[model], _trials(labels, name)
        if judge is None:
            raise OutcomeError(
                f"the trials of {model!r} in the labels are not those of the logs, so the judge's error is unknown",
                hint="keep the column trial as --sample wrote it",
            )
        values = [row[by] for row in labels.rows if row["model"] == name]
        found = judge_bias(judge, human, values, questions=questions, confidence=confidence)
        cells += [[model, group, signed(each.mu), span(each.lo, each.hi)] for group, each in found.items()]
    columns = [Column("model"), Column(by), Column("bias", right=True), Column("interval", right=True)]
    return Table(f"bias of the judge by {by}: its mean reward less that of people", columns, cells)
