"""``scorio convert``: outcomes of any logs as one plain table."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click

from ...errors import ParameterError
from ...outcome_set import OutcomeSet
from ...outcomes import OutcomeMatrix
from ..output import Record, debug_option
from ..progress import working
from ..reading import gathered, load, reading_options
from ..writing import Writable, replacing

_FORMS = ("csv", "jsonl")


@click.command("convert")
@reading_options
@click.option("--counts", is_flag=True, help="A row a question: n trials, c successes.")
@click.option("--format", "form", type=click.Choice(_FORMS), help="csv, unless the file's ending says otherwise.")
@click.option("-o", "--output", type=Writable(), help="Write to a file.")
@debug_option
def command(logs: tuple[str, ...], counts: bool, form: str | None, output: Path | None, **options: Any) -> None:
    """Write the outcomes of any logs as one plain table: a row a trial, empty where a planned trial is missing.

    The order of the trials is not kept.

    scorio convert logs/ -o outcomes.csv
    """
    models = load(logs, gathered(options))
    rows = _counted(models) if counts else _trials(models)
    chosen = form or (output.suffix.lower().lstrip(".") if output else "csv")
    if chosen not in _FORMS:
        raise ParameterError(f"{output}: the ending must be .csv or .jsonl, or --format says which of them")
    if output is None:
        _write(sys.stdout, chosen, rows)
        return
    with (
        working("writing"),
        replacing(output) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="") as file,
    ):
        _write(file, chosen, rows)


def _write(file: IO[str], form: str, rows: Iterator[Record]) -> None:
    if form == "jsonl":
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return
    first = next(rows)
    writer = csv.DictWriter(file, fieldnames=list(first), lineterminator="\n")
    writer.writeheader()
    writer.writerow(first)
    writer.writerows(rows)


def _trials(models: OutcomeSet) -> Iterator[Record]:
    """A row for every trial that was planned."""
    for name, bank in models.items():
        rewards = _rewards(bank)
        for labels, counts, planned in zip(_labels(name, bank), bank.counts, bank.planned_trials, strict=True):
            outcomes = [reward for reward, count in zip(rewards, counts, strict=True) for _ in range(count)]
            missing = [None] * (int(planned) - len(outcomes))
            for trial, outcome in enumerate([*outcomes, *missing], start=1):
                yield {**labels, "trial": trial, "outcome": outcome}


def _counted(models: OutcomeSet) -> Iterator[Record]:
    """A row for every question."""
    if not models.is_right_or_wrong:
        raise ParameterError("--counts needs outcomes that are successes or failures; these are rewards")
    for name, bank in models.items():
        for labels, n, c in zip(_labels(name, bank), bank.trials.tolist(), bank.successes.tolist(), strict=True):
            yield {**labels, "n": n, "c": c}


def _rewards(bank: OutcomeMatrix) -> list[float]:
    """What each category is worth, whole numbers as such."""
    levels = bank.levels or range(bank.n_categories)
    return [int(level) if float(level).is_integer() else level for level in levels]


def _labels(name: str, bank: OutcomeMatrix) -> Iterator[Record]:
    """Model, question and cluster of each row."""
    for a, question in enumerate(bank.questions or range(bank.n_questions)):
        cluster = {} if bank.clusters is None else {"cluster": bank.clusters[a]}
        yield {"model": name, "question": question, **cluster}
