"""Columns in a path (Hive partitions): a file in the folders ``model=a/task=b`` has the columns model and task.

Writers of such folders encode ``=`` in a value, so a folder whose name has several ``=`` is an ordinary one.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from ...errors import OutcomeError
from .._files import LogFile

_FOLDER = re.compile(r"([^=]+)=([^=]*)")
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # how the value of a missing cell is written


def path_columns(path: Path) -> dict[str, str | None]:
    """Return the values of the columns in a file's path, as the path is given.

    >>> path_columns(Path("runs/model=gpt%2Fx/task=__HIVE_DEFAULT_PARTITION__/part-0.parquet"))
    {'model': 'gpt/x', 'task': None}
    """
    values: dict[str, str | None] = {}
    for match in filter(None, map(_FOLDER.fullmatch, path.parts[:-1])):
        name, text = map(_decoded, match.groups())
        value = None if text == _MISSING else text
        if values.setdefault(name, value) != value:
            problem = f"its path has column {name!r} twice, as {values[name]!r} and as {value!r}"
            raise OutcomeError(problem, hint="read a folder below the first of them, or rename one")
    return values


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise OutcomeError(f"the name of folder {text!r} is not UTF-8 text in percent encoding") from None


def identity(file: LogFile) -> str:
    """Return a text that is equal for two copies of a file in folders of the same columns."""
    values = path_columns(file.path)
    return f"{file.digest} {sorted(values.items())}" if values else file.digest


def check_equal(name: str, inside: str | None, outside: str | None) -> None:
    """Check that a column has the value in a file that its path says."""
    if inside != outside:
        in_file, in_path = ("missing" if value is None else repr(value) for value in (inside, outside))
        hint = "rename the folder, or leave the column out of the file"
        raise OutcomeError(f"column {name!r} is {in_file} in the file, and {in_path} in its path", hint=hint)
