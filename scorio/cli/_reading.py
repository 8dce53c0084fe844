"""The one way from the sources on the command line to outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._base.table import plain
from .._base.words import pluralize, shorten
from ..errors import OutcomeError, ParameterError
from ._context import reading_logs, session
from ._metric import MetricChoice
from ._options import CONVERTING_KEYS, READING_KEYS
from ._spelling import spelled
from ._values import ALL

if TYPE_CHECKING:
    from ..comparison import PastRun
    from ..io import Reading as LogReading
    from ..outcomes import OutcomeSet, Suite


_MOST_REASONS = 5  # why files were skipped that are shown
Reading = Mapping[str, Any]  # how logs are to be read: the options of ``scorio.read``


def load(sources: Sequence[str], reading_options: Reading, *, by_task: bool = False) -> OutcomeSet | Suite:
    """Read the outcomes of logs and tables, a suite if there are several tasks; formats are logged to stderr.

    ``by_task``, a single task that the logs name is a suite as well.
    """
    return on_one_footing(load_logs(sources, reading_options), by_task=by_task)[0]


def load_task(sources: Sequence[str], reading_options: Reading) -> OutcomeSet:
    """Read the outcomes of one task."""
    return as_task(load(sources, reading_options))


def as_task(outcomes: OutcomeSet | Suite) -> OutcomeSet:
    """Return the outcomes of the only task that was read."""
    from ..io._assemble import one_task

    with reading_logs(shown=False):
        return one_task(outcomes)


def load_logs(sources: Sequence[str], reading_options: Reading) -> LogReading:
    """Read logs that hold every model that is renamed."""
    reading = load_part(sources, reading_options)
    check_renamed(reading_options, [reading])
    return reading


def load_over(sources: Sequence[str], reading_options: Reading, over: str | None) -> LogReading:
    """Read logs with a number of each trial kept, if one is named; errors about it name ``--over``."""
    kept = dict.fromkeys([*reading_options["keep"], *filter(None, [over])])
    try:
        return load_logs(sources, {**reading_options, "keep": [*kept]})
    except OutcomeError as error:
        if over is None or error.argument != "keep":
            raise
        raise error.called("over") from error.__cause__


def load_part(sources: Sequence[str], reading_options: Reading, *, again: bool = False) -> LogReading:
    """Read some of the logs, which need not hold every model that is renamed; ``again`` repeats no words."""
    from ..io import recognise

    with reading_logs(shown=not again):
        reading = recognise(sources[0] if len(sources) == 1 else sources, **reading_options)
    running = session()
    running.runs |= {model: count for model, count in reading.runs.items() if count > 1}
    running.differing |= reading.differing
    running.names |= {source.run.task: "task" for source in reading.sources if source.run.task}
    running.names |= dict.fromkeys(reading.outcomes.models, "model")
    running.inputs |= dict.fromkeys(path for source in reading.sources for path in source.paths)
    if again:
        return reading
    lines = [f"skipped {path}: {reading.skipped[path]}" for path in reading.bad]
    lines += [f"left out task {task}: {reason}" for task, reason in reading.bad_tasks.items()]
    lines += [f"left out {model}: {reason}" for model, reason in reading.bad_models.items()]
    left_out = [plain(spelled(line)) for line in lines]
    running.left_out += left_out
    for line in left_out:
        click.echo(line, err=True)
    if not running.is_quiet:
        for line in _formats(reading):
            click.echo(plain(line), err=True)
    return reading


def load_runs(
    sources: Sequence[str], reading_options: Reading, *, by_day: bool = False
) -> dict[tuple[str, str], dict[str, PastRun]]:
    """Read the runs of each task and model, oldest first, by date; ``by_day`` takes those of one day together."""
    from ..comparison import PastRun
    from ..io import read_runs
    from ..io._dated_runs import dated_runs

    with reading_logs():
        all_runs = read_runs(list(sources), **reading_options)
        parts = dated_runs(all_runs, reading_options["missing"], reading_options["pool"], by_day=by_day)
    return {key: {label: PastRun(*run) for label, run in runs.items()} for key, runs in parts.items()}


def _as_suite(reading: LogReading) -> OutcomeSet | Suite:
    """Return the outcomes as a suite where the logs name the task, also if there is only one."""
    from ..outcomes import Suite

    tasks = {source.run.task for source in reading.sources}
    if isinstance(reading.outcomes, Suite) or len(tasks) != 1 or not all(tasks):
        return reading.outcomes
    return Suite({str(task): reading.outcomes for task in tasks})


def load_pair(
    logs: Sequence[str], baseline: Sequence[str], reading_options: Reading, between: tuple[str, str] | None
) -> tuple[LogReading, LogReading]:
    """Read the new logs and those of the baseline; without the latter, the new logs hold both.

    They are checked to be of the same questions and score, as those of one reading are.
    """
    if between and between[0] == between[1] and not baseline:
        problem = f"names {between[0]!r} twice: name two models, or with --baseline the logs of an earlier run"
        raise ParameterError(problem, argument="between")
    new = load_part(logs, reading_options)
    old = load_part(baseline, reading_options) if baseline else new
    check_renamed(reading_options, [new, old])
    for part, read, name in zip((new, old), (logs, baseline), between or ("", ""), strict=True):
        models = part.outcomes.models
        if name and name not in models:
            raise ParameterError(f"has {name!r}, which is no model of its logs: {shorten(models)}", argument="between")
        if baseline and not name and len(models) > 1:
            problem = f"{' '.join(read)}: there are {pluralize(len(models), 'model')}, {shorten(models)}"
            raise ParameterError(f"{problem}: keep one with --only, or name one of each side with --between")
    check_pair(new, old, between)
    return new, old


def check_pair(new: LogReading, old: LogReading, between: tuple[str, str] | None) -> None:
    """Check that two readings have the same questions and score, and warn of other versions and of copies.

    One reading holds both sides if the two are the same object. ``between`` names the models that are compared.
    """
    from ..io._doubts import check_together, warn_of_doubtful_sides

    are_apart = new is not old
    if are_apart:
        with reading_logs(shown=False):
            check_together(new.sources, old.sources)
    names = between or (*new.outcomes.models, *(old.outcomes.models if are_apart else ()))
    if len(names) != 2 or names[0] not in new.outcomes.models or names[1] not in old.outcomes.models:
        return
    mine, theirs = ([s for s in r.sources if s.run.model == name] for r, name in zip((new, old), names, strict=True))
    outcomes = new.outcomes.one_model(names[0]), old.outcomes.one_model(names[1])
    warn_of_doubtful_sides(mine, theirs, *outcomes, are_apart=are_apart)


def new_and_baseline(reading: LogReading) -> tuple[str, str]:
    """Return the two models of logs that hold both, the new one first: what is called a baseline is the other.

    There may be a placebo beside them.
    """
    from ..arms import arm_and_baseline_of

    models = reading.outcomes.models
    pair = arm_and_baseline_of(models)
    if pair is None and len(models) != 2:
        problem = f"the logs hold {pluralize(len(models), 'model')}, {shorten(models)}"
        raise ParameterError(f"{problem}: name the baseline's logs with --baseline, or both models with --between")
    return pair or (models[0], models[1])


def on_one_footing(*readings: LogReading, by_task: bool = False) -> list[OutcomeSet | Suite]:
    """Return the outcomes: as suites if any of them is one, or ``by_task``, so that a single task keeps its name."""
    from ..outcomes import Suite

    is_suite = by_task or any(isinstance(reading.outcomes, Suite) for reading in readings)
    return [_as_suite(reading) if is_suite else reading.outcomes for reading in readings]


def check_renamed(reading_options: Reading, parts: Sequence[LogReading]) -> None:
    """Check that every name and pattern of a model is known: a misspelt one would have no effect."""
    names = reading_options["model"]
    renamed = names.items() if isinstance(names, Mapping) else ()
    said = [
        (old, f"--model {new}={old}: {old!r} is neither a model nor a path; the models are") for old, new in renamed
    ]
    said += [
        (pattern, f"--only {pattern} matches no model; the other patterns choose")
        for pattern in reading_options["only"]
    ]
    for name, problem in said:
        if all(name in part.unknown_models for part in parts):
            models = dict.fromkeys(source.run.model for part in parts for source in part.sources)
            raise ParameterError(f"{problem} {shorten(models)}")


def _formats(reading: LogReading) -> list[str]:
    """Describe the detected formats, one line for all files of one kind."""
    from ..io._assemble import NO_TASK

    kinds: dict[str, set[Path]] = {}
    for source in reading.sources:
        if (source.run.task or NO_TASK) in reading.bad_tasks:
            continue
        notes = ", ".join(f"{name} {note}" for name, note in source.notes.items())
        kind = f"{source.format} ({notes})" if notes else source.format
        kinds.setdefault(kind, set()).update(source.paths)
    lines = [f"read {pluralize(len(paths), 'file')}: {kind}" for kind, paths in kinds.items()]
    reasons = Counter(reason for path, reason in reading.skipped.items() if path not in reading.bad)
    lines += [f"skipped {pluralize(count, 'file')}: {why}" for why, count in reasons.most_common(_MOST_REASONS)]
    others = len(reasons) - _MOST_REASONS
    lines += [f"skipped other files for {pluralize(others, 'other reason')}"] * (others > 0)
    return [*lines, *reading.named_runs, *filter(None, [session().added_up(reading.runs)])]


def gathered(options: dict[str, Any]) -> Reading:
    """Take the reading options out of the options of the running command."""
    values = {key: options.pop(key) for key in (*READING_KEYS, *CONVERTING_KEYS) if key in options}
    session().is_quiet = values.pop("quiet")
    values["model"] = _models(values["model"])
    values["pool"] = True if ALL in values["pool"] else list(values["pool"])
    values["fields"] = _columns(values["fields"])
    values["levels"] = _levels(values["levels"])
    values["keep"] = list(dict.fromkeys([*values.get("keep", ()), *_kept_for(options.get("metrics", MetricChoice()))]))
    return values


def _kept_for(metrics: MetricChoice) -> Iterator[str]:
    """Yield what metrics on the command line need of logs beside outcomes: answers, and scores by their names."""
    for metric in metrics.every:
        if "vote" in str(metric.name):
            yield "answers"
        if by := metric.get_params().get("by"):
            yield by


def _models(texts: Sequence[str]) -> str | dict[str, str] | None:
    """One name for all models, or names by model or path pattern."""
    if len(texts) == 1 and "=" not in texts[0].partition("[")[0]:
        return texts[0]
    names: dict[str, str] = {}
    for text in texts:
        if "=" not in text:
            raise ParameterError(f"--model is NAME=MODEL, a new name; got {text!r}: --only {text} chooses models")
        new, old = _pair("--model", text)
        names[old] = new
    return names or None


def _columns(texts: Sequence[str]) -> dict[str, str | list[str] | None]:
    """The column of each role, or several columns of costs and models; ``trial=`` says that there is none."""
    from ..outcomes._column_names import SEVERAL

    columns: dict[str, str | list[str] | None] = {}
    several: dict[str, list[str]] = {}
    for text in texts:
        if text.endswith("="):
            columns[text.removesuffix("=")] = None
        else:
            role, column = _pair("--field", text)
            columns[role] = column
            several.setdefault(role, []).append(column)
    return columns | {role: names for role, names in several.items() if role in SEVERAL}


def _levels(texts: Sequence[str]) -> dict[str, float | None]:
    """The reward of each word; ``none`` marks missing trials."""
    levels: dict[str, float | None] = {}
    for text in texts:
        word, value = _pair("--level", text)
        try:
            levels[word] = None if value.lower() == "none" else float(value)
        except ValueError:
            raise ParameterError(f"--level {word} must be a number, or none; got {value!r}") from None
    return levels


def _pair(option: str, text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise ParameterError(f"{option} must be of the form NAME=VALUE; got {text!r}")
    return name, value
