"""What a file of saved counts holds, as one header in JSON and arrays by name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import OutcomeError
from ._saved_costs import Costs, from_header, to_header
from ._saved_layout import Arrays, Models, check, packed, unpacked
from ._saved_text import Metadata, as_text, check_metadata

FORMAT = "scorio saved counts"
VERSION = 2  # of the layout; a reader knows this version and those before it. 2 has costs of trials, 1 has none
_DAMAGES = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)


@dataclass(frozen=True, eq=False)
class SavedContent:
    """Outcomes by task (None for a set without tasks), and the metadata of each part that was merged.

    ``state`` and ``state_arrays`` are what an accumulator needs to go on; ``costs`` are those of single trials, by
    task, by the name of the cost and by model.
    """

    tasks: Mapping[str | None, Models]
    parts: Mapping[str, Metadata]
    state: dict[str, Any] | None = None
    state_arrays: Arrays = field(default_factory=dict)
    digest: str = ""
    costs: Costs = field(default_factory=dict)


def digest_of(tasks: Mapping[str | None, Mapping[str, Any]]) -> str:
    """Return a text that is the same for equal outcomes only."""
    return _digest(*_packed_tasks(tasks))


def _digest(tasks: list[dict[str, Any]], arrays: Arrays) -> str:
    hashed = hashlib.blake2b(as_text(tasks).encode(), digest_size=20)
    for name in sorted(arrays):
        hashed.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def _packed_tasks(tasks: Mapping[str | None, Mapping[str, Any]]) -> tuple[list[dict[str, Any]], Arrays]:
    described: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for number, (task, models) in enumerate(tasks.items()):
        about, own = packed(models)
        described.append({"task": task} | about)
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
    return described, arrays


def encoded(content: SavedContent) -> tuple[str, Arrays]:
    """Return the header as JSON and the arrays."""
    tasks, arrays = _packed_tasks(content.tasks)
    header = {
        "format": FORMAT,
        "version": VERSION if content.costs else 1,
        "digest": _digest(tasks, arrays),
        "parts": dict(sorted(content.parts.items())),
        "tasks": tasks,
        "state": content.state,
    } | to_header(content.costs)
    return as_text(header), arrays | {f"state/{name}": array for name, array in content.state_arrays.items()}


def decoded(header: Any, arrays: Arrays) -> SavedContent:
    """Return the content of a header and its arrays; whatever is wrong with them is an OutcomeError."""
    try:
        check_version(header)
        tasks: dict[str | None, Models] = {}
        for number, about in enumerate(header["tasks"]):
            start = f"{number}/"
            own = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
            _check_task(about["task"], tasks)
            tasks[about["task"]] = unpacked(about, own)
        check(tasks and (None not in tasks or len(tasks) == 1), "the tasks have no names")
        outcomes = {name: array for name, array in arrays.items() if not name.startswith("state/")}
        check(_digest(header["tasks"], outcomes) == header["digest"], "the counts are not those that were saved")
        parts = _parts(header["parts"], {model for models in tasks.values() for model in models})
        state = {name.removeprefix("state/"): array for name, array in arrays.items() if name.startswith("state/")}
        return SavedContent(tasks, parts, header["state"], state, header["digest"], from_header(header, tasks))
    except OutcomeError as error:
        raise damaged(error.text()) from None
    except _DAMAGES as error:
        raise damaged(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}") from None


def damaged(problem: str) -> OutcomeError:
    """Return the error of a file that is not what was saved."""
    return OutcomeError(f"the saved counts are damaged: {problem}")


def check_version(header: Any) -> None:
    """Check that this version reads the layout."""
    check(isinstance(header, dict) and header.get("format") == FORMAT, "the header is not one of saved counts")
    version: Any = header.get("version")
    check(type(version) is int and version >= 1, "the version is invalid")
    check(
        version <= VERSION,
        f"layout {version} was written by a newer scorio, this one reads up to {VERSION}: pip install -U scorio",
    )


def _check_task(task: Any, known: Mapping[str | None, Any]) -> None:
    check((task is None or isinstance(task, str)) and task not in known, "the tasks have no different names")


def _parts(parts: Any, models: set[str]) -> dict[str, Metadata]:
    check(isinstance(parts, dict) and parts, "there is no part")
    return {part: check_metadata(metadata, sorted(models)) for part, metadata in parts.items()}
