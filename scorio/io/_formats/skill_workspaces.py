"""Workspaces of skill-creator: the skill they are about, their iterations, and the files beside the graded runs.

>>> task_of(Path("/runs/pdf-workspace/iteration-2")), task_of(Path("/runs/new"))
({'task': 'pdf'}, {'task': 'new', 'notes': {'task': 'from the folder'}})
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import LogFile

GRADING, BENCHMARK = "grading.json", "benchmark.json"
_WORKSPACE = "-workspace"  # the ending of their names
_OUTPUTS = "outputs"  # the folder of what a run wrote
_ITERATION = re.compile(r"iteration-\d+")
_PART = re.compile(r"runs|(iteration|\d{4})-.*")  # folders in a workspace, some of which are called by their date


def task_of(folder: Path, skill: object = None) -> dict[str, Any]:
    """Return the task of a run: the skill that its file or its workspace is named for, else the workspace itself."""
    if isinstance(skill, str) and skill[:1] not in ("", "<"):  # skill-creator writes <skill-name> for none
        return {"task": skill}
    workspace = next((place for place in (folder, *folder.parents) if not _PART.fullmatch(place.name)), folder)
    name = workspace.name.removesuffix(_WORKSPACE)
    return {"task": name} if name != workspace.name else {"task": name or None, "notes": {"task": "from the folder"}}


def iteration_of(file: LogFile) -> Path | None:
    """Return the folder of the iteration that a file belongs to; None if there is none."""
    return next((place for place in (file.folder, *file.folder.parents) if _ITERATION.fullmatch(place.name)), None)


def older_iterations(files: Iterable[LogFile]) -> dict[Path, str]:
    """Return the files of iterations of a workspace but the newest, and why they are not read."""
    folders = {file.path: folder for file in files if (folder := iteration_of(file)) is not None}
    newest: dict[Path, int] = {}
    for folder in folders.values():
        newest[folder.parent] = max(newest.get(folder.parent, 0), _number(folder))
    return {
        path: f"of an older iteration than iteration-{newest[folder.parent]}: name its folder, or --factor iteration"
        for path, folder in folders.items()
        if _number(folder) < newest[folder.parent]
    }


def _number(folder: Path) -> int:
    return int(folder.name.partition("-")[2])


def has_gradings(folder: Path) -> bool:
    """Return whether there are graded runs in a folder, or below it."""
    return next(folder.glob(f"**/{GRADING}"), None) is not None


def is_output(file: LogFile) -> bool:
    """Return whether a run wrote a file that was not graded, as another run of the same eval was."""
    run = next((place.parent for place in (file.folder, *file.folder.parents) if place.name == _OUTPUTS), None)
    if run is None or not (run.name.startswith("run-") or (run / "timing.json").is_file()):
        return False
    others = (run.parent.glob(f"*/{GRADING}"), run.parent.parent.glob(f"*/*/{GRADING}"))
    return any(next(gradings, None) for gradings in others)
