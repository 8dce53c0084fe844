"""``scorio judge``: scores by an imperfect judge, corrected by labels of people."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.numbers import number, percent, span
from ..._display.table import Column, Table
from ..._display.words import SUBJECT, shorten, unknown
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._metric import metrics_or_default
from .._options import between_option, confidence_option, count_option, metrics_option, seed_option, target_option
from .._output import Answer, Output
from .._reading import Reading, load_logs
from .._writing import Writable, check_outputs

if TYPE_CHECKING:
    from ...judging import Agreement, Labels, RectifiedInterval, SampledInterval
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, OutcomeSet

_Trials = Mapping[str, Mapping[str, Mapping[str, float]]]  # the judge's outcome by model, question and trial
_MOST_LABELS = 10  # more distinct labels are a scale, for which a kappa says little
_Judge = Mapping[str, Sequence[float] | None]


@declared(
    "judge",
    "logs/ --sample 20 --write labels.csv",
    count_option(
        "--sample",
        text="Draw N questions for people to label, and write them to --write.",
        least=2,
        show_default="none, with --labels",
    ),
    click.option(
        "--write",
        type=Writable(),
        default="labels.csv",
        show_default=True,
        help="File that --sample writes for people to label: CSV, or JSON lines (.jsonl). It must not hold labels yet.",
    ),
    click.option(
        "--labels",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        show_default="none, with --sample",
        help="File with the labels of people, in the form that --sample writes; --field label=COLUMN names another "
        "column than label.",
    ),
    metrics_option,
    between_option("none"),
    click.option(
        "--rank", is_flag=True, help="Rank the labelled models by their corrected scores, with ties and differences."
    ),
    confidence_option,
    target_option,
    seed_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    labels: Path | None,
    sample: int | None,
    write: Path,
    between: tuple[str, str] | None,
    rank: bool,
    metrics: tuple[Metric, ...],
    target: str,
    confidence: float,
    rng: int,
    out: Output,
) -> None:
    """Correct the scores of an imperfect judge by labels of people.

    The intervals hold however good or bad the judge is. First draw questions with --sample N and let people fill the
    column label; then pass the file as --labels.
    """
    if rank and between is not None:
        raise ParameterError("--rank compares all labelled models: leave out --between")
    if (labels is None) == (sample is None):
        raise ParameterError("either --sample N, to draw questions, or --labels FILE is needed")
    if sample is not None and out.path is not None:
        raise ParameterError("--sample writes the file of --write: leave out --output")
    fields = dict(how.options["fields"])
    label = {"label": fields.pop("label")} if "label" in fields else {}
    models, trials = _load(logs, replace(how, options={**how.options, "fields": fields}))
    if sample is not None:
        check_outputs({"--write": write}, logs)
        _draw(models, trials, sample, rng, write)
        return
    from ...judging import read_labels

    assert labels is not None
    read = read_labels(labels, fields | label)
    names = _model_names(read, models)
    known = {model: _outcomes_of(trials, read, model, name) for model, name in names.items()}
    chosen = metrics_or_default(metrics, models)
    if rank:
        tables, records = _ranked(chosen, models, read, names, target, confidence)
    else:
        tables, records = _scored(chosen, models, read, names, known, between, target, confidence)
    tables += _agreement(read, names, known, confidence)
    settings = {"target": target, "confidence": confidence, "between": between}
    out.deliver(Answer(tables, records, settings))


def _load(logs: Sequence[str], how: Reading) -> tuple[OutcomeSet, _Trials]:
    from ...io import one_task

    part = load_logs(logs, how)
    return one_task(part.outcomes), part.named_trials(how.options["missing"])


def _draw(models: OutcomeSet, trials: _Trials, count: int, rng: int, path: Path) -> None:
    """Write the file for annotators."""
    from ...judging import sample_to_label

    drawn = sample_to_label(models, count, rng)
    drawn.write(path, trials)
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
    from ...judging import estimate_with_judge

    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    if between is not None:
        for name in between:
            if name not in names:
                raise ParameterError(unknown("labelled model", name, names))
        one, other = ((models[name], labels.human[names[name]]) for name in between)
        return {" - ".join(between): estimate_with_judge(metric, *one, minus=other, **about)}
    return {
        model: estimate_with_judge(
            metric,
            models[model],
            labels.human[name],
            judged_labelled=single_trials(labels, known[model], models[model], name),
            **about,
        )
        for model, name in names.items()
    }


def _scored(
    metrics: Sequence[Metric], models: OutcomeSet, labels: Labels, names: Mapping[str, str], known: _Judge, *about: Any
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Return the table and the rows of corrected scores, or of the difference of two models."""
    answers = {
        (str(metric), model): result
        for metric in metrics
        for model, result in _corrected(metric, models, labels, names, known, *about).items()
    }
    rows = [{"metric": metric, "model": model, **each._records()[0]} for (metric, model), each in answers.items()]
    return [_table(answers, labels)], rows


def _ranked(
    metrics: Sequence[Metric],
    models: OutcomeSet,
    labels: Labels,
    names: Mapping[str, str],
    target: str,
    confidence: float,
) -> tuple[list[Table], list[dict[str, Any]]]:
    """Return the tables and the rows of the leaderboard of each metric."""
    from ...judging import rank_with_judge

    human = {model: labels.human[name] for model, name in names.items()}
    judged = {model: models[model] for model in names}
    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    boards = [rank_with_judge(metric, judged, human, **about) for metric in metrics]
    rows = [{"metric": str(board.metric), **row} for board in boards for row in board._records()]
    return [table for board in boards for table in board.tables()], rows


def _table(answers: Mapping[tuple[str, str], RectifiedInterval], labels: Labels) -> Table:
    first = next(iter(answers.values()))
    columns = [Column("metric"), Column("model"), *(Column(head, right=True) for head in first._HEADS)]
    cells = [[metric, model, *each._cells()] for (metric, model), each in answers.items()]
    subject = SUBJECT[first.target]
    note = f"{percent(first.confidence)} intervals for {subject}; labels alone: without the judge"
    return Table(f"{labels}, out of {first.n_questions} questions", columns, cells, [note])


def _trials(labels: Labels, name: str) -> tuple[list[float], list[Any]]:
    """Return the labels of a model, and the question of each."""
    rows = [row for row in labels.rows if row["model"] == name]
    return [row["label"] for row in rows], [row["question"] for row in rows]


def _agreement(labels: Labels, names: Mapping[str, str], known: _Judge, confidence: float) -> list[Table]:
    """Return the table of agreements of the models whose labelled trials are those of the logs."""
    from ...judging import measure_agreement

    found: dict[str, Agreement] = {}
    for model, name in names.items():
        judge, (human, questions) = known[model], _trials(labels, name)
        if judge is not None and len({*judge, *human}) <= _MOST_LABELS:
            found[model] = measure_agreement(judge, human, questions=questions, confidence=confidence)
    if not found:
        return []
    classes = list(dict.fromkeys(label for each in found.values() for label in each.rates))
    heads = ("agreement", "kappa", *(f"same if {label:g}" for label in classes))
    cells = [
        [model, *map(_estimate, (each.share, each.kappa)), *(_estimate(each.rates.get(c)) for c in classes)]
        for model, each in found.items()
    ]
    columns = [Column("model"), *(Column(head, right=True) for head in heads)]
    note = "same if 1: how often the judge says 1 where people do (sensitivity); same if 0: specificity"
    return [Table("agreement of judge and people, trial by trial", columns, cells, [note])]


def _estimate(interval: SampledInterval | None) -> str:
    return "-" if interval is None else f"{number(interval.mu)} {span(interval.lo, interval.hi)}"


def _outcomes_of(trials: _Trials, labels: Labels, model: str, label_model: str) -> list[float] | None:
    """Return the judge's outcome of each labelled trial of a model, or None if some are unknown."""
    own = trials.get(model, {})
    rows = [row for row in labels.rows if row["model"] == label_model]
    known = [own.get(str(row["question"]), {}).get(str(row.get("trial"))) for row in rows]
    return None if None in known else [float(each) for each in known if each is not None]


def single_trials(labels: Labels, outcomes: Sequence[float] | None, judged: OutcomeMatrix, model: str) -> Any:
    """Return the judge's outcomes of just the labelled trials, if only some trials of a question are labelled."""
    from ...outcomes import OutcomeMatrix

    human = labels.human[model]
    planned = dict(zip(map(str, judged.questions or ()), judged.trials.tolist(), strict=False))
    asked = zip(human.questions or (), human.trials.tolist(), strict=False)
    some = [str(name) for name, n in asked if n < planned.get(str(name), n)]
    if not some:
        return None
    if outcomes is None:
        problem = (
            f"only some trials are labelled of {shorten(some)}, and the labels do not say which of the logs' trials"
        )
        hint = "name the trials in a column trial, as the logs do, or label all trials of a question"
        raise OutcomeError(problem, hint=hint)
    by_question: dict[Hashable, list[float]] = {}
    rows = [row for row in labels.rows if row["model"] == model]
    for row, outcome in zip(rows, outcomes, strict=True):
        by_question.setdefault(row["question"], []).append(outcome)
    return OutcomeMatrix.from_rewards(by_question)
