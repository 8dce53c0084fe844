"""Seeds in a column of a table: trials of one question that have the same seed."""

from __future__ import annotations

from ast import literal_eval
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .._display.words import pluralize
from ..errors import OutcomeError
from ..io import Source
from ..io._files import LogFile
from ..io._tabular.rows import columns, is_table, rows
from ..outcomes._column_names import plain
from ._findings import SEED, Finding

_NAMES = ("seed", "randomseed", "rngseed", "samplingseed")
_ADVICE = "Give each trial a seed of its own: where the seed is honored, such trials are copies"
_MOST = 1_000_000  # trials of tables that are looked at


class _Question(NamedTuple):
    task: str | None
    model: str
    levels: tuple[str | None, ...]
    name: str | None


def column_seeds(sources: Sequence[Source], tasks: Collection[str]) -> Iterator[Finding]:
    """Yield the models of tables in which several trials of a question have one seed; ``tasks`` are all tasks."""
    tables = [each for each in sources if each.format == "table" and each.run.notes.get("form") == "long"]
    if sum(each.present for each in tables) > _MOST:
        return
    trials: dict[tuple[_Question, str], set[str]] = defaultdict(set)
    for path, source in {path: each for each in tables for path in each.paths}.items():
        try:
            for question, seed, trial in _seeds(path, source):
                trials[question, seed].add(trial)
        except (OutcomeError, OSError):  # a table within a database or an archive, or a file that is gone
            continue
    every: dict[tuple[str | None, str], set[_Question]] = defaultdict(set)
    repeated: dict[tuple[str | None, str], dict[_Question, int]] = defaultdict(dict)
    for (question, _), names in trials.items():
        place = (question.task, question.model)
        every[place].add(question)
        if len(names) > 1:
            repeated[place][question] = max(len(names), repeated[place].get(question, 0))
    for (task, model), questions in repeated.items():
        most = pluralize(max(questions.values()), "trial")
        where = f"on {len(questions):,} of {pluralize(len(every[task, model]), 'question')}"
        what = f"several trials of {model} have one seed, up to {most} of a question, {where}"
        yield Finding(SEED, what, _ADVICE, _among(tasks, task), (model,))


def _among(tasks: Collection[str], task: str | None) -> str:
    """Return the task as the outcomes name it: the only one has no name."""
    if task is not None and task in tasks:
        return task
    return next(iter(tasks)) if len(tasks) == 1 else ""


def _seeds(path: Path, source: Source) -> Iterator[tuple[_Question, str, str]]:
    """Yield the question, the seed and the name of every trial that has a seed."""
    file = LogFile(path)
    roles = _roles(source.run.notes)
    seed = _seed_column(columns(file), roles.values()) if is_table(file) else None
    if seed is None:
        return
    factors = source.run.notes.get("factors")
    crossed = [literal_eval(name) for name in factors.split(", ")] if factors else []
    names = {role: roles[role] for role in ("model", "task", "question", "trial") if role in roles}
    for number, row in enumerate(rows(file, [*names.values(), *crossed, seed])):
        values = dict(zip(names, row.values, strict=False))
        levels, value = row.values[len(names) : -1], row.values[-1]
        if value is None or not value.strip():
            continue
        model = values.get("model") or source.run.model
        question = _Question(values.get("task"), model, tuple(levels), values.get("question"))
        if "trial" in names:
            yield question, value, str(values["trial"])
        else:  # equal rows may come as one
            yield from ((question, value, f"{path} {number} {i}") for i in range(row.times))


def _roles(notes: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a table by role, as its notes have them."""
    return {role: literal_eval(notes[role]) for role in ("model", "task", "question", "trial") if role in notes}


def _seed_column(names: Iterable[str], used: Collection[str]) -> str | None:
    """Return the column of seeds that is not used otherwise."""
    return next((name for name in names if name not in used and _flat(name) in _NAMES), None)


def _flat(name: str) -> str:
    return plain(name).replace("_", "").replace(" ", "").replace("-", "")
