"""``scorio convert``: the outcomes of any logs as one plain table, or as logs of another tool."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ..._choices import SHARED, WRITERS
from ..._display.exports import json_lines, write_csv
from ..._display.words import pluralize, shorten, warn
from ...errors import FilesWarning, ParameterError, RunsWarning
from .._command import declared
from .._context import Record, working
from .._options import converting_options
from .._reading import Reading, as_suite, load_logs
from .._shared_results import RESERVED, SHARED_RESULTS
from .._writing import FILE, FORMAT, Writable, new_folder, replacing, standard_output

if TYPE_CHECKING:
    from ...outcomes import OutcomeMatrix, OutcomeSet, Suite

_Writer = Callable[[Path, "OutcomeSet | Suite"], None]
_TABLES = ("csv", "jsonl", "parquet")
_COLUMNS = ("task", "model", "question", "cluster", "trial", "run", "outcome")
_NUMBERS = {"trial": "BIGINT", "outcome": "DOUBLE", "n": "BIGINT", "c": "BIGINT"}  # the columns of Parquet with numbers


@declared(
    "convert",
    "logs/ -o outcomes.csv",
    *converting_options,
    click.option(
        "--counts",
        is_flag=True,
        help="Counts instead of trials: saved counts as npz, n trials and c successes as csv, jsonl or parquet.",
    ),
    click.option(
        *("--format", "--to", "form"),
        type=click.Choice([*_TABLES, "npz", *WRITERS, *SHARED]),
        show_default="by the ending of --output, else csv",
        help=FORMAT,
    ),
    click.option(
        *("-o", "--output"),
        type=Writable(),
        show_default="stdout",
        help=FILE,
    ),
    click.option(
        *("--dataset", "datasets"),
        metavar="[TASK=]ID",
        show_default="none",
        multiple=True,
        help="Data set of a task on the Hub, as OWNER/NAME, for hf-eval-results; repeatable.",
    ),
    answers=False,
)
def command(
    logs: tuple[str, ...], how: Reading, counts: bool, form: str | None, output: Path | None, datasets: tuple[str, ...]
) -> None:
    """Write the outcomes of any logs as one plain table.

    The table has one row per planned trial; the outcome of a missing trial is empty. The order of trials is not kept.
    Logs of Inspect and lm-evaluation-harness hold the same, without prompts and responses; --output is then the folder
    to create, as for --to eee (Every Eval Ever) and --to hf-eval-results (model pages of the Hugging Face Hub), which
    have an interval for every mean. Saved counts lose nothing: rewards, prior outcomes, conditions and costs are kept,
    and later runs read them instead of the logs.
    """
    from ...io import _written_logs

    write_logs = _writer(form, _written_logs.WRITERS, datasets)
    if write_logs and (output is None or counts):
        raise ParameterError(f"--format {form} writes a folder: name it with --output, without --counts")
    chosen = form or (output.suffix.lower().lstrip(".") if output else "csv")
    if counts and chosen == "npz":
        _save(logs, how, output)
        return
    reading = load_logs(logs, how)
    models = as_suite(reading) if write_logs else reading.outcomes
    _check_names(models)
    _warn_of_lost_runs(models, chosen, counts=counts)
    if form in SHARED:
        _written_logs.check_kept_names(models, RESERVED)
    if write_logs and output is not None:
        with working("writing"), new_folder(output) as folder:
            write_logs(folder, models)
        return
    kept = _written_logs.check_kept_names(models, _COLUMNS)
    if kept and counts:
        problem = f"counts as a table hold no answers and scores of trials, and {shorten(kept)} would be lost"
        raise ParameterError(f"{problem}: save them as npz, or leave out --counts")
    if counts:
        _warn_of_missing(models)
    rows = _rows(models, _counted if counts else partial(_trials, kept=kept))
    if chosen not in _TABLES:
        raise ParameterError(
            "npz holds counts: pass --counts"
            if chosen == "npz"
            else f"{output}: the ending must be .csv, .jsonl or .parquet, or --format must be one of them"
        )
    if chosen == "parquet":
        _write_parquet(output, rows, set(kept) - {_written_logs.ANSWER})
        return
    if output is None:
        with standard_output() as stdout:
            _write(stdout, chosen, rows)
            stdout.flush()
        return
    with (
        working("writing"),
        replacing(output) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="") as file,
    ):
        _write(file, chosen, rows)


def _writer(form: str | None, logs: Mapping[str, _Writer], datasets: Sequence[str]) -> _Writer | None:
    """Return what writes a folder of logs, or of results for others; None for tables and saved counts."""
    if form is not None and form in SHARED_RESULTS:
        return partial(SHARED_RESULTS[form], datasets=datasets)
    if datasets:
        raise ParameterError("--dataset is for --to hf-eval-results")
    return logs.get(form or "")


def _check_names(models: OutcomeSet | Suite) -> None:
    """Check that what is written can be read again under the same names."""
    from ...outcomes import OutcomeSet

    for task, each in [("a task", models)] if isinstance(models, OutcomeSet) else models.items():
        labels = each.questions or ()
        groups = {"a task": [task], "a model": list(each), "a question": labels, "a cluster": each.clusters or ()}
        for kind, names in groups.items():
            blank = next((name for name in names if not str(name).strip()), None)
            if blank is not None:
                raise ParameterError(f"{kind} is called {blank!r}, and what is blank cannot be read again")
        if len(set(map(str, labels))) < len(labels):
            raise ParameterError("two questions have names of other types and the same text: give them other names")


def _warn_of_missing(models: OutcomeSet | Suite) -> None:
    """Warn if a table of counts will not tell of trials that are missing, so that the data will seem to be complete."""
    from ...outcomes import OutcomeSet

    every = [models] if isinstance(models, OutcomeSet) else models.values()
    planned = sum(int(each[name].planned_trials.sum()) for each in every for name in each)
    lost = planned - sum(int(each[name].trials.sum()) for each in every for name in each)
    if lost:
        missing = f"{pluralize(lost, 'missing trial')} of {planned}"
        advice = "npz keeps what is missing, and so does a table without --counts"
        warn(f"a table of counts does not tell of {missing}, and will be read as complete: {advice}", FilesWarning)


def _matrices(models: OutcomeSet | Suite) -> list[OutcomeMatrix]:
    """Return the outcomes of every task and model."""
    from ...outcomes import Suite

    return [matrix for each in (models.values() if isinstance(models, Suite) else [models]) for matrix in each.values()]


def _warn_of_lost_runs(models: OutcomeSet | Suite, form: str, *, counts: bool) -> None:
    """Warn where what is written in a form does not say which run a trial belongs to."""
    known = [matrix for matrix in _matrices(models) if matrix.runs is not None and len(matrix.runs) > 1]
    if form == "lm-eval":
        is_kept = all(matrix._has_trial_in_every_run for matrix in known)
    elif form in _TABLES and not counts:
        is_kept = all(matrix._trials_by_run() or matrix.completeness == 1.0 for matrix in known)
    else:
        is_kept = form == "hf-eval-results"  # which has no trials to tell of
    if known and not is_kept:
        kept = "saved counts keep it (--counts -o NAME.npz)"
        warn(f"the run of each trial is known, and is not in what is written: {kept}", RunsWarning)


def _save(logs: tuple[str, ...], how: Reading, output: Path | None) -> None:
    """Write saved counts."""
    if output is None or output.suffix.lower() != ".npz":
        raise ParameterError("saved counts are not text: write them to a file with --output that ends with .npz")
    from ...outcomes import SavedCounts

    reading = load_logs(logs, how)
    with working("writing"):
        SavedCounts(reading.outcomes, metadata=reading.metadata).save(output)


def _write_parquet(output: Path | None, rows: Iterator[Record], scores: Collection[str]) -> None:
    from ...io import write_parquet

    if output is None:
        raise ParameterError("Parquet is not text: write it to a file with --output")
    first = next(rows)
    columns = {name: "DOUBLE" if name in scores else _NUMBERS.get(name, "VARCHAR") for name in first}
    with working("writing"), replacing(output) as unfinished:
        write_parquet(unfinished, chain([first], rows), columns)


def _write(file: IO[str], form: str, rows: Iterator[Record]) -> None:
    if form == "jsonl":
        file.writelines(json_lines([row]) for row in rows)
    else:
        write_csv(rows, file, as_is=True)


def _rows(models: OutcomeSet | Suite, rows_of: Callable[[OutcomeSet], Iterator[Record]]) -> Iterator[Record]:
    """Yield the rows; those of a suite name their task, and all have the columns of any."""
    from ...outcomes import OutcomeSet

    if isinstance(models, OutcomeSet):
        yield from rows_of(models)
        return
    has_clusters = any(each.clusters is not None for each in models.values())
    for task, each in models.items():
        for row in rows_of(each):
            names = ("model", "question", *(["cluster"] * has_clusters), *row)
            yield {"task": task} | {name: row.get(name) for name in names}


def _trials(models: OutcomeSet, kept: Sequence[str]) -> Iterator[Record]:
    """Yield one row per planned trial: with its run if it is known of every trial, and without a number if a run has
    one trial of every question.
    """
    from ...io import question_trials

    none: Record = dict.fromkeys(kept)
    by_run = {name: outcomes._trials_by_run() for name, outcomes in models.items()}
    if all(by_run.values()):  # the name of the column tells readers that its values are runs
        for name, known in by_run.items():
            in_runs = _kept_by_run(models[name])
            for labels, outcome_of, kept_of in zip(_labels(name, models[name]), known or (), in_runs, strict=True):
                for run, outcome in outcome_of.items():
                    yield {**labels, "run": run, "outcome": outcome, **none, **kept_of.get(run, {})}
        return
    has_runs = all(outcomes.runs is not None and outcomes.completeness == 1.0 for outcomes in models.values())
    for name, outcomes in models.items():
        for labels, row in zip(_labels(name, outcomes), question_trials(outcomes, str(name)), strict=True):
            own = row.kept or [{}] * len(row.outcomes)
            for trial, (outcome, known_of) in enumerate(zip(row.outcomes, own, strict=True), start=1):
                of_run: Record = {"run": row.runs[trial - 1]} if has_runs else {}
                yield {**labels, "trial": trial, **of_run, "outcome": outcome, **none, **known_of}


def _kept_by_run(matrix: OutcomeMatrix) -> list[dict[Hashable, Record]]:
    """Return the answer and scores of each question's trials by run."""
    from ...io import kept_at

    found: list[dict[Hashable, Record]] = [{} for _ in range(matrix.n_questions)]
    runs, samples = matrix._runs, matrix._samples
    if runs is not None and samples is not None:
        rows = [row for row, count in enumerate(matrix.trials.tolist()) for _ in range(count)]
        for place, (row, run) in enumerate(zip(rows, runs.of_trial.tolist(), strict=True)):
            found[row][runs.labels[run]] = kept_at(samples, place)
    return found


def _counted(models: OutcomeSet) -> Iterator[Record]:
    """Yield one row per question."""
    if not models.is_pass_fail:
        raise ParameterError("--counts needs 0/1 outcomes, but these are rewards")
    for name, outcomes in models.items():
        for labels, n, c in zip(
            _labels(name, outcomes), outcomes.trials.tolist(), outcomes.successes.tolist(), strict=True
        ):
            yield {**labels, "n": n, "c": c}


def _labels(name: str, outcomes: OutcomeMatrix) -> Iterator[Record]:
    """Yield the model, question and cluster of each question."""
    for a, question in enumerate(outcomes.questions or range(outcomes.n_questions)):
        cluster = {} if outcomes.clusters is None else {"cluster": outcomes.clusters[a]}
        yield {"model": name, "question": question, **cluster}
