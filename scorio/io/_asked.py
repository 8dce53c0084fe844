"""The questions that were asked, for logs that do not list what failed: names, names by task, or a file of names."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError, within
from ._files import LogFile

_EXPECTED = "must be the names of all questions, these by task, or a file that has them as JSON or one per line"
Asked = Sequence[str] | Mapping[str, Sequence[str]] | str | PathLike[str]


def asked_questions(given: Asked | None) -> Mapping[str | None, tuple[str, ...]] | None:
    """Return the names of all questions by task; the task None stands for every task.

    >>> asked_questions(["q1", "q2"]), asked_questions({"lite": ["q1"]})
    ({None: ('q1', 'q2')}, {'lite': ('q1',)})
    """
    if given is None:
        return None
    named = _of_file(Path(fspath(given))) if isinstance(given, (str, PathLike)) else given
    by_task = named if isinstance(named, Mapping) else {None: named}
    return {task: _names(names) for task, names in by_task.items()}


def _names(named: Any) -> tuple[str, ...]:
    is_list = isinstance(named, Sequence) and not isinstance(named, (str, bytes))
    if not is_list or not named or not all(isinstance(name, str) and name for name in named):
        raise ParameterError(_EXPECTED, argument="questions")
    names = list[str](named)
    twice = (
        next((name for i, name in enumerate(names) if name in names[:i]), None) if len({*names}) < len(names) else None
    )
    if twice is not None:
        raise ParameterError(f"names {twice!r} twice", argument="questions")
    return tuple(names)


def _of_file(path: Path) -> Any:
    """Return the JSON of a file, or its lines."""
    if not path.is_file():
        raise ParameterError(f"there is no file {path}", argument="questions")
    file = LogFile(path)
    with within(path):
        if file.head.lstrip().startswith((b"[", b"{")):
            document = file.document
            if document is None:
                raise OutcomeError("a list of names was expected, or an object with such a list for each task")
            return document
        return [text.strip() for _, text in file.lines() if text.strip()]
