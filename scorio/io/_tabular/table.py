"""The table in a file: named columns, and rows of text, wherever they come from.

Everything stays text, so that 001, 01 and 1 are three questions, and NA is the name of one. Folders may name columns,
too: ``model=a/task=b``, as Hive, Spark, DuckDB and Arrow write partitioned data sets. Writers of such folders encode
``=`` in a value, so a folder whose name has several ``=`` is an ordinary one.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from ..._base.arrays import cached_property
from ...errors import OutcomeError
from ...outcomes._relations import Relation, Row
from .._files import LogFile

_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at
_FOLDER = re.compile(r"([^=]+)=([^=]*)")
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # how the value of a missing cell is written


class Table(Relation):
    """The rows and columns of a file, and the columns of its path, each of which has one value.

    ``rows_of_file`` yields some columns of the file, as ``rows`` does.
    """

    columns_of_file: Sequence[str]
    rows_of_file: Callable[[Sequence[str], Sequence[str]], Iterator[Row]]

    def __init__(self, file: LogFile) -> None:
        self.file = file

    @property
    def is_small(self) -> bool:
        """Whether all columns may be looked at."""
        return self.file.size <= _MOST_BYTES

    @cached_property
    def of_path(self) -> Mapping[str, str | None]:
        """The values of the columns in the path."""
        return path_columns(self.file.path)

    @cached_property
    def columns(self) -> Sequence[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        of_file = self.columns_of_file
        return [*of_file, *(name for name in self.of_path if name not in of_file)] if self.of_path else of_file

    def rows(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Iterator[Row]:
        return self._rows_in_folders(names, nested) if self.of_path else self.rows_of_file(names, nested)

    def _rows_in_folders(self, names: Sequence[str], nested: Sequence[str]) -> Iterator[Row]:
        self.check_path(names)
        of_file = self.columns_of_file
        inside = [name for name in names if name in of_file] or of_file[:1]
        for row in self.rows_of_file(inside, nested):
            values = {**self.of_path, **dict(zip(inside, row.values, strict=True))}
            for _ in range(row.times):
                yield Row(row.place, tuple([values[name] for name in names]))

    def check_path(self, names: Sequence[str]) -> None:
        """Check that those of the columns that the file and its path have say the same in both."""
        for name in self.of_path.keys() & {*names} & {*self.columns_of_file}:
            for row in self.rows_of_file([name], ()):
                if row.values[0] != self.of_path[name]:
                    both = row.values[0], self.of_path[name]
                    in_file, in_path = ("missing" if value is None else repr(value) for value in both)
                    hint = "rename the folder, or leave the column out of the file"
                    problem = f"column {name!r} is {in_file} in the file, and {in_path} in its path"
                    raise OutcomeError(problem, where=row.place, hint=hint)


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
