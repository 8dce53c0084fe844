"""``scorio subset``: choose questions of a benchmark, estimate scores from them, and audit a given subset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import PURPOSES
from ..._display.numbers import number, percent, span
from ..._display.table import Column, Table
from ..._display.words import SUBJECT, unknown
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._context import working
from .._metric import metrics_or_default
from .._options import (
    between_option,
    choice_option,
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
    from ...judging import QuestionSample
    from ...metrics import Metric
    from ...outcomes import OutcomeMatrix, OutcomeSet


def _file(name: str, text: str, default: str) -> Any:
    path = click.Path(dir_okay=False, exists=True, path_type=Path)
    return click.option(name, type=path, metavar="FILE", show_default=default, help=text)


@declared(
    "subset",
    "logs/ --choose 20 --write-sample sample.csv",
    count_option(
        "--choose",
        text="Draw N questions to ask a new model, from the outcomes of the models of the logs, and write them to "
        "--write-sample.",
        least=2,
        show_default="none, with --estimate or --audit",
    ),
    choice_option(
        "--purpose",
        PURPOSES,
        "score",
        "What the questions are chosen for: the score of a model, the difference of any two, or that of a new version "
        "and its baseline.",
    ),
    click.option(
        "--write-sample",
        type=Writable((".csv", ".json")),
        default="sample.csv",
        show_default=True,
        help="New file that --choose writes: the questions of the benchmark, which of them to ask, and how they were "
        "drawn. CSV or JSON.",
    ),
    _file(
        "--estimate",
        "Estimate the scores on all questions of models that were asked the questions of this file, which --choose "
        "wrote.",
        "none, with --choose",
    ),
    _file(
        "--audit",
        "Say how well a subset stands for all questions of the logs, and whether it was chosen on their models: a file "
        "of --choose, or a text file (.txt) with the name of a question in each line.",
        "none, with --choose",
    ),
    click.option(
        "--chosen-on",
        multiple=True,
        metavar="MODEL",
        show_default="none",
        help="Model that the subset of --audit was chosen on, which is left out. Repeatable.",
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
    purpose: str,
    write_sample: Path,
    estimate: Path | None,
    audit: Path | None,
    chosen_on: tuple[str, ...],
    metrics: tuple[Metric, ...],
    between: tuple[str, str] | None,
    confidence: float,
    target: str,
    rng: int,
    out: Output,
) -> None:
    """Choose which questions of a benchmark to ask, estimate scores on all, or audit a given subset.

    First draw questions from logs of other models with --choose N, and ask a new model these questions. Then pass its
    logs with --estimate FILE. With --audit FILE, see how well a given subset stands for all questions.
    """
    if sum(each is not None for each in (choose, estimate, audit)) != 1:
        raise ParameterError("one of --choose N, --estimate FILE and --audit FILE is needed")
    models = load_task(logs, how)
    chosen = metrics_or_default(metrics, models)
    if choose is not None:
        check_outputs({"--write-sample": write_sample}, logs)
        _choose(models, choose, purpose, chosen, rng, write_sample, out)
    elif estimate is not None:
        _estimate(models, estimate, chosen, between, target, confidence, out)
    elif audit is not None:
        options = {"chosen_on": chosen_on, "confidence": confidence, "rng": rng}
        _audit(models, audit, chosen, options, out)


def _choose(
    models: OutcomeSet, n: int, purpose: str, metrics: Sequence[Metric], rng: int, path: Path, out: Output
) -> None:
    from ...judging import choose_questions

    if len(metrics) > 1:
        raise ParameterError("--choose draws for one metric: name one --metric")
    sample = choose_questions(models, n, purpose, metric=metrics[0], rng=rng)
    sample.write(path)
    notes = [f"{path}: ask all {n} questions with drawn = 1, then: scorio subset LOGS --estimate {path}"]
    table = sample._display_table()
    settings = {"purpose": purpose, "metric": sample.metric, "seed": rng, "history": list(sample.history)}
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


def _audit(models: OutcomeSet, path: Path, metrics: Sequence[Metric], options: dict[str, Any], out: Output) -> None:
    from ...diagnosis import audit_subset

    ids = _ids(path)
    with working("audit"):
        audits = [audit_subset(models, ids, metric=metric, **options) for metric in metrics]
    facts = [{name: value for name, value in each.to_dict().items() if name != "scores"} for each in audits]
    records = [fact | row for fact, each in zip(facts, audits, strict=True) for row in each._records()]
    out.deliver(Answer([each._display_table() for each in audits], records, options))


def _ids(path: Path) -> QuestionSample | list[str]:
    """Return the questions of a file: with their design, or only their names."""
    from ...judging import read_question_sample

    if path.suffix.lower() != ".txt":
        return read_question_sample(path)
    names = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    if not names:
        raise OutcomeError("the file names no question", where=str(path), hint="write one name in each line")
    return names
