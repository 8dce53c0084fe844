"""Results as data: dictionaries, strict JSON, data frames and HTML for notebooks, the same methods for every result."""

import csv
import dataclasses
import html
import importlib.util
import io
import itertools
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any, ClassVar, Literal, cast, get_args

from .numbers import DIGITS
from .table import Field, Table, no_formula, plain
from .words import unknown

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
SHOWN = 8  # rows of a table in a notebook
_VALUES = ("score", "value", "mu")  # the number that a record is about: the first of them that it has
_last_read: dict[str, Backend] = {}  # the library of the last data frame that was read
_UNUSUAL = re.compile(r"[^ -~\n]")


class Record:
    """A part of a result, or a single number: data and a sentence, without tables.

    ``_also`` names what the dictionary has beside the fields, ``_if_any`` what it lacks where that is empty, and
    ``_lists`` the fields that hold rows.
    """

    __slots__ = ()
    _also: ClassVar[tuple[str, ...]] = ()
    _lists: ClassVar[tuple[str, ...]] = ("rows",)
    _if_any: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON: NaN and infinity become None."""
        named = cast("Any", self)
        names = [*(field.name for field in dataclasses.fields(named) if field.repr), *self._also]
        names = [name for name in names if name not in self._if_any or getattr(named, name)]
        values: dict[str, Any] = strict({
            name: list(map(record_of, getattr(named, name))) if name in self._lists else getattr(named, name)
            for name in names
        })  # fmt: skip
        return values

    def to_json(self, indent: int | None = None) -> str:
        """Return all values and parameters as strict JSON."""
        return to_json(self.to_dict(), indent)

    def to_metrics(self, prefix: str = "", at: str = "@", below: str = "/") -> dict[str, float]:
        """Return the numbers of the records as one flat dictionary, as experiment trackers take them.

        The value of a metric has its name, ``"pass@8"``, and what belongs to it stands below, ``"pass@8/lo"``. Before
        it are the ``prefix`` and what tells several records apart: ``"val/model-a/pass@8"``. ``at`` replaces the ``@``
        for trackers that refuse it, as MLflow does, and ``below`` the ``/`` before ``lo``. Missing ones are left out.
        """
        return numbers_of(self.as_records(), prefix, at, below)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the rows as a data frame of ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default that of the data.

        Without data frames among the data, it is one that is imported already, else one that is installed.
        """
        return frame(self.as_records(), backend)

    def to_csv(self) -> str:
        """Return the same rows as CSV; texts that a spreadsheet would take for formulas begin with an apostrophe."""
        return csv_text(strict(self.as_records()))

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the data frame: by default one, with everything."""
        return [self.to_dict()]

    def _repr_html_(self) -> str:
        return headline(str(self))


class Exports(Record):
    """A result with tables; a class declares its columns, its sentence and its notes.

    ``_columns`` are those of the table of ``rows``, which has the first ``_most`` of them, where that is not 0, and the
    ``_title``, in which ``{0.name}`` is an attribute of the result. The first of the ``_lists`` are the records. With
    ``_rows_alone``, the dictionary has nothing but the records.
    """

    __slots__ = ()
    _columns: ClassVar[tuple[Field, ...]] = ()
    _title: ClassVar[str] = ""
    _rows_alone: ClassVar[bool] = False
    _most: ClassVar[int] = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON: NaN and infinity become None."""
        return {"rows": strict(list(self.as_records()))} if self._rows_alone else super().to_dict()

    def to_markdown(self, digits: int = DIGITS) -> str:
        """Return the tables in Markdown."""
        return "\n\n".join(table.markdown() for table in self.tables(digits))

    def to_latex(self, digits: int = DIGITS) -> str:
        r"""Return the tables in LaTeX, which need ``\usepackage{booktabs}``."""
        return "\n\n".join(table.latex() for table in self.tables(digits))

    def to_html(self) -> str:
        """Return the tables in HTML."""
        return "\n".join(table.html() for table in self.tables())

    def __str__(self) -> str:
        return "\n\n".join([table.text() for table in self.tables()]) if self._columns else repr(self)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed; by default one, of all rows."""
        if not self._columns:
            return [Table(str(self), [], [])]
        table = Table.of(self.as_title, self._columns, self._rows(), self._notes(), digits, self)
        return [table.first(self._most) if self._most else table]

    def _rows(self) -> Iterable[Any]:
        """Return the rows of the table: by default the listed ones, else the records."""
        rows: Iterable[Any] = getattr(self, self._lists[0], None) or self.as_records()
        return rows

    @property
    def as_title(self) -> str:
        return self._title.format(self) if self._title else str(self)

    def _notes(self) -> Sequence[str]:
        return ()

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the data frame: those of the first list, if there is one."""
        if not hasattr(self, self._lists[0]):
            return super().as_records()
        return [strict(record_of(row)) for row in getattr(self, self._lists[0])]

    def as_sentence(self) -> str:
        """Return what a notebook shows first, large; if it is empty, that is the title of the first table."""
        return ""

    def _repr_html_(self) -> str:
        tables = self.tables()
        sentence = self.as_sentence() or tables[0].title
        untitled = (table._replace(title="") if table.title == sentence else table for table in tables)
        return headline(sentence) + "\n".join(table.first(SHOWN).html() for table in untitled)


def columns_of(result: Exports) -> Sequence[Field]:
    """Return the columns that the class of a result declares."""
    return result._columns


def record_of(row: Any) -> dict[str, Any]:
    """Return the values of a row by name: as its class says, or all its fields."""
    if isinstance(row, Mapping):
        return dict(cast("Mapping[str, Any]", row))
    for name in ("record", "to_dict", "_asdict"):
        if made := getattr(row, name, None):
            values: Mapping[str, Any] = cast("Any", made)() if callable(made) else made
            return dict(values)
    return dict(vars(row))


def numbers_of(records: Sequence[Mapping[str, Any]], prefix: str, at: str, below: str = "/") -> dict[str, float]:
    """Return the numbers of records by name, as ``Exports.to_metrics`` has them.

    >>> numbers_of([{"metric": "pass@8", "model": "a", "score": 0.5, "lo": 0.25, "rank": None}], "val", "@")
    {'val/pass@8': 0.5, 'val/pass@8/lo': 0.25}
    """
    chosen, numbers = _telling_apart(records), dict[str, float]()
    for record in records:
        labels = {name: record[name] for name in chosen if record.get(name) is not None}
        told = (label if isinstance(label, str) else f"{name}_{label}" for name, label in labels.items())
        base = "/".join(filter(None, [prefix, *told, str(record.get("metric", ""))])).replace("@", at)
        value_name = next((name for name in _VALUES if name in record), "")
        for name, value in record.items():
            if name not in chosen and isinstance(value, (bool, int, float)) and math.isfinite(value):
                key = base if base and name == value_name else f"{base}{below if base else ''}{name}"
                numbers[key] = int(value) if isinstance(value, bool) else value
    return numbers


def _telling_apart(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the fields that tell records of a metric apart: what names them, other texts, and then numbers."""
    names = dict.fromkeys(name for record in records for name in record if name not in ("metric", *_VALUES))
    kinds = {name: {type(record.get(name)) for record in records} for name in names}
    texts = [name for name in names if kinds[name] <= {str, type(None)}]
    whole = [name for name in names if kinds[name] == {int}]
    chosen: list[str] = []
    told: list[tuple[Any, ...]] = [(record.get("metric"),) for record in records]
    for name in dict.fromkeys([*(n for n in ("task", "model", "question") if n in kinds), *texts, *whole, *names]):
        more = [(*labels, str(record.get(name))) for labels, record in zip(told, records, strict=True)]
        if len(set(more)) > len(set(told)):
            chosen, told = [*chosen, name], more
    return chosen


class ByContent(Exports):  # noqa: PLW1641 - what can change has no hash
    """A result that equals every other with the same dictionary, also where that has arrays or numbers that are NaN."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        is_alike = isinstance(other, ByContent) and type(self) is type(other)
        return self is other or (is_alike and self.to_dict() == cast("ByContent", other).to_dict())


def headline(text: str) -> str:
    """Return a sentence in HTML as the large first line of a result."""
    return f'<p style="font-size:1.2em;margin:0.4em 0">{html.escape(plain(text))}</p>' if text else ""


def strict(value: Any) -> Any:
    """Return the value as what JSON has: None for NaN and infinity, lists for arrays, text for anything unknown.

    >>> import numpy as np
    >>> strict({"n": np.arange(2), "sd": float("nan"), 3: (True, None)})
    {'n': [0, 1], 'sd': None, '3': [True, None]}
    """
    if value is None or isinstance(value, (bool, int, str, float)):
        return None if isinstance(value, float) and not math.isfinite(value) else value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return strict(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): strict(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [strict(part) for part in value]
    return str(value)


def to_json(value: Any, indent: int | None = None) -> str:
    """Return a value as strict JSON: None for NaN and infinity, and escapes for what cannot be seen."""
    return _escaped(json.dumps(strict(value), indent=indent, allow_nan=False, ensure_ascii=False))


def _escaped(text: str) -> str:
    r"""Return JSON with escapes for characters that are invisible, or control a terminal or the direction of writing.

    >>> print(_escaped('"caf\u00e9 \u202e"'))
    "café \u202e"
    """
    return _UNUSUAL.sub(lambda unusual: unusual[0] if unusual[0].isprintable() else json.dumps(unusual[0])[1:-1], text)


def write_csv(
    records: Iterable[Mapping[str, Any]], file: IO[str], columns: Iterable[str] | None = None, *, as_is: bool = False
) -> None:
    """Write records as CSV; the columns are by default those of the first.

    Texts that a spreadsheet would take for formulas begin with an apostrophe, unless they are written ``as_is``.
    """
    rows = iter(records)
    first = next(rows, None)
    names = list(columns if columns is not None else first or ())
    writer = csv.writer(file, lineterminator="\n")
    quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(names)
    for row in () if first is None else itertools.chain([first], rows):
        cells = [row[name] if as_is else no_formula(row[name]) for name in names]
        # Without quotes, where the writer of Python sets none, these would be read as other texts.
        needs_quotes = any(isinstance(cell, str) and (cell[:1].isspace() or "\r" in cell) for cell in cells)
        (quoting if needs_quotes else writer).writerow(cells)


def csv_text(records: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None, *, as_is: bool = False) -> str:
    r"""Return records as CSV: see ``write_csv``.

    >>> csv_text([{"model": "=a", "score": 0.5}])
    "model,score\n'=a,0.5\n"
    """
    text = io.StringIO()
    write_csv(records, text, columns, as_is=as_is)
    return text.getvalue()


def frame(records: Sequence[Mapping[str, Any]], backend: Backend | None = None) -> Any:
    """Return a data frame with one row per record; all records have the same names. Without any it has no column."""
    try:
        import narwhals as nw
    except ImportError:
        raise ImportError("a data frame needs narwhals: pip install narwhals") from None
    if backend is not None and backend not in BACKENDS:
        raise ValueError(unknown("backend", backend, BACKENDS))
    columns = {name: [record[name] for record in records] for name in (records[0] if records else ())}
    return nw.from_dict(columns, backend=cast("Any", backend or _in_use())).to_native()


def note_library(frame: Any) -> None:
    """Remember the library of a data frame that was read: by default results are frames of the same library."""
    name = type(frame).__module__.partition(".")[0]
    if name in BACKENDS:
        _last_read["library"] = name


def _in_use() -> Backend:
    """Return the library of the last data frame that was read, else an imported one, else an installed one."""
    if _last_read:
        return _last_read["library"]
    for is_available in (lambda name: name in sys.modules, importlib.util.find_spec):
        for name in BACKENDS:
            if is_available(name):
                return name
    raise ImportError("a data frame needs pandas, polars or pyarrow: none is installed")
