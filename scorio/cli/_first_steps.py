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


def first_steps(folder: Path) -> str:
    """Return what ``scorio`` alone says in a folder."""
    held = sorted(_held(folder), key=lambda entry: -entry.trials)[:_MOST_SHOWN]
    if not held:
        first = "First steps, with logs of an evaluation tool, or tables with one row per trial:"
        return f"{_INTRODUCTION}\n\n{first}\n\n{_steps(_EVERY, 'logs/')}\n\n{_LAST}"
    width = max(len(entry.name) for entry in held)
    lines = [f"  {entry.name.ljust(width)}  {plain(entry.extent)}" for entry in held]
    of_one_model = [entry.name for entry in held if entry.models == 1][:2]
    is_pair = held[0].models == 1 and len(of_one_model) == 2
    logs, models = (of_one_model, 2) if is_pair else ([held[0].name], min(held[0].models, 3))
    steps = _steps(_FITTING[models], shlex.join(logs))
    return "\n\n".join([_INTRODUCTION, "\n".join(["This folder holds", *lines]), "First steps:", steps, _LAST])


def _steps(commands: list[tuple[str, str]], logs: str) -> str:
    """Return a line for each command, with what it is for."""
    typed = {command.format(logs): meaning for command, meaning in commands}
    width = min(max(map(len, typed)), 60)
    return "\n".join(f"  {command.ljust(width)}  {meaning}" for command, meaning in typed.items())


class _Entry(NamedTuple):
    """A file or folder that holds trials."""

    name: str
    trials: int
    models: int
    extent: str


def _held(folder: Path) -> Iterator[_Entry]:
    """Return what can be read in a folder, as far as that takes a few seconds."""
    from ..io import recognise

    end = time.monotonic() + _MOST_SECONDS
    for place in sorted(folder.iterdir()):
        if time.monotonic() > end:
            return
        if place.name.startswith(".") or not _is_small(place):
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                reading = recognise(place, skip_bad=True)
        except (ScorioError, OSError, ImportError, ValueError):
            continue
        outcomes, models = reading.outcomes, list(reading.outcomes.models)
        trials = sum(source.present for source in reading.sources)
        amount = f"{pluralize(outcomes.n_questions, 'question')}, {pluralize(trials, 'trial')}"
        tasks = f" of {len(outcomes.by_task)} tasks" if len(outcomes.by_task) > 1 else ""
        formats = ", ".join(dict.fromkeys(source.format for source in reading.sources))
        extent = f"{shorten(models)}: {amount}{tasks} ({formats})"
        yield _Entry(place.name + ("/" if place.is_dir() else ""), trials, len(models), extent)


def _is_small(place: Path) -> bool:
    """Return whether a file, or all files in a folder, are few and small enough to look into."""
    files = size = 0
    for root, _, names in os.walk(place) if place.is_dir() else [(place.parent, (), [place.name])]:
        files += len(names) + 1
        if files > _MOST_FILES:
            return False
        size += sum(Path(root, name).lstat().st_size for name in names)
    return size <= _MOST_BYTES
