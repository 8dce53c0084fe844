"""What ``scorio`` alone says: the logs that the folder holds, and the commands that fit them."""

import os
import shlex
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .._base.table import plain
from .._base.words import pluralize, shorten
from ..errors import ScorioError

_INTRODUCTION = "scorio says how good a language model is, and how sure one can be."
_LAST = "scorio --help lists all commands; scorio rank --help lists the options of one."
_DOCTOR = "scorio doctor {}", "what the logs can say, and what is suspicious"
_SCORE = "scorio score {}", "the scores with their intervals"
_PLAN = "scorio plan {} --half-width 0.02", "how many trials would make an interval of +-0.02"
_PAIR = "scorio compare {}", "which of the two models is better"
_FILES = "scorio compare old.json new.json", "which of two models is better"
_RANK = "scorio rank {}", "a leaderboard with intervals and ties"
_REPORT = "scorio report {} -o report.html", "everything on one page for a browser"
_EVERY = [_DOCTOR, _RANK, _FILES, _REPORT]
_FITTING = {1: [_DOCTOR, _SCORE, _PLAN], 2: [_DOCTOR, _PAIR, _REPORT], 3: [_DOCTOR, _RANK, _REPORT]}  # 3 models or more
_MOST_FILES, _MOST_BYTES, _MOST_SHOWN, _MOST_SECONDS = 300, 8 << 20, 8, 3.0  # what is larger is not looked into


class _Entry(NamedTuple):
    """A file or folder that holds trials."""

    name: str
    trials: int
    models: set[str]
    asked: dict[str, set[object]]  # the questions of each task
    extent: str


def first_steps(folder: Path) -> str:
    """Return what ``scorio`` alone says in a folder."""
    end, lost = time.monotonic() + _MOST_SECONDS, list[str]()
    held = sorted(_held(folder, folder, end, lost), key=lambda entry: -entry.trials)
    if not held:
        first = "First steps, with logs of an evaluation tool, or tables with one row per trial:"
        return f"{_INTRODUCTION}\n\n{first}\n\n{_steps(_EVERY, 'logs/')}\n\n{_LAST}"
    shown = held[:_MOST_SHOWN]
    width = max(len(entry.name) for entry in shown)
    lines = [f"  {entry.name.ljust(width)}  {plain(entry.extent)}" for entry in shown]
    lines += [f"  and {len(held) - len(shown)} more"] if len(held) > len(shown) else []
    lines += [f"  not read: {shorten(lost)} (scorio doctor {shlex.quote(lost[0])} says why)"] if lost else []
    logs, models = _together(folder, held)
    steps = _steps(_FITTING[min(models, 3)], shlex.join(logs))
    return "\n\n".join([_INTRODUCTION, "\n".join(["This folder holds", *lines]), "First steps:", steps, _LAST])


def _together(folder: Path, held: list[_Entry]) -> tuple[list[str], int]:
    """Return what to read at once, and its number of models: other models with the largest log's questions, if any."""
    like = [entry for entry in held if entry.asked == held[0].asked]
    chosen, models = list[_Entry](), set[str]()
    for entry in like:
        if models.isdisjoint(entry.models):
            chosen.append(entry)
            models |= entry.models
    if len(models) == 1 < len(like) and like[1].models == models:
        return [entry.name for entry in like[:2]], 2  # two versions of one model
    whole = _read(folder, ".") if len(chosen) > 2 and _is_small(folder) else None
    is_all = whole is not None and (whole.models, whole.asked) == (models, held[0].asked)
    return ["."] if is_all else [entry.name for entry in chosen], len(models)


def _steps(commands: list[tuple[str, str]], logs: str) -> str:
    """Return a line for each command, with what it is for."""
    typed = {command.format(logs).replace(" . -o ", " . -o ../"): meaning for command, meaning in commands}
    width = min(max(map(len, typed)), 60)
    return "\n".join(f"  {command.ljust(width)}  {meaning}" for command, meaning in typed.items())


def _held(folder: Path, home: Path, end: float, lost: list[str]) -> Iterator[_Entry]:
    """Return what can be read in a folder, as far as that takes a few seconds; ``lost`` gets tables that cannot."""
    for place in sorted(folder.iterdir()):
        if time.monotonic() < end and not place.name.startswith(".") and _is_small(place):
            name = place.relative_to(home).as_posix()
            if entry := _read(place, name + ("/" if place.is_dir() else "")):
                yield entry
            elif place.is_dir():
                yield from _held(place, home, end, lost)
            elif place.suffix.lower() in (".csv", ".tsv"):
                lost.append(name)


def _read(place: Path, name: str) -> _Entry | None:
    """Return what a file or folder holds if all of it can be read, and every model has every task."""
    from ..io import recognise

    try:
        with warnings.catch_warnings(action="ignore"):
            reading = recognise(place)
        reading.outcomes.check_complete()
    except (ScorioError, OSError, ImportError, ValueError):
        return None
    outcomes, models = reading.outcomes, list(reading.outcomes.models)
    trials = sum(source.present for source in reading.sources)
    amount = f"{pluralize(outcomes.n_questions, 'question')}, {pluralize(trials, 'trial')}"
    tasks = f" of {len(outcomes.by_task)} tasks" if len(outcomes.by_task) > 1 else ""
    formats = ", ".join(dict.fromkeys(source.format for source in reading.sources))
    asked = {task: set[object](of.questions or range(of.n_questions)) for task, of in outcomes.by_task.items()}
    return _Entry(name, trials, set(models), asked, f"{shorten(models)}: {amount}{tasks} ({formats})")


def _is_small(place: Path) -> bool:
    """Return whether a file, or all files in a folder, are few and small enough to look into."""
    files = size = 0
    for root, _, names in os.walk(place) if place.is_dir() else [(place.parent, (), [place.name])]:
        files += len(names) + 1
        if files > _MOST_FILES:
            return False
        size += sum(Path(root, name).lstat().st_size for name in names)
    return size <= _MOST_BYTES
