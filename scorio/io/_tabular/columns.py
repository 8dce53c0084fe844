"""The roles of a table's columns: as the user names them, or recognised by their usual names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from ..._display.words import shorten, unknown
from ...errors import OutcomeError, Remedy
from ...outcomes._column_names import KEYS, candidates, numbered, plain
from .exports import Export, export_of

_SHARES = {"correct", "is_correct", "passed", "pass", "success", "solved", "resolved", "accuracy", "acc"}  # from 0 to 1
NESTED_QUESTIONS = frozenset(
    ["question", "problem", "item", "input", "inputs", "prompt", "request", "user_input"]
)  # read as JSON text
FACTOR = "factor {}"  # the role of a column whose levels are kept apart
UNNAMED = re.compile(r"\s*|Unnamed: \d+")  # the names that pandas writes for an index


class UnknownColumnsError(OutcomeError):
    """Columns that do not make a table of outcomes."""


class NotATableError(UnknownColumnsError):
    """Text whose rows have other numbers of fields than the first line, and unknown columns."""


class NoSingleTableError(NotATableError):
    """A database without tables, or with several of which none was chosen."""


@dataclass(frozen=True)
class TableLayout:
    """The form of a table and the columns that play a role in it."""

    form: str  # long: one row per trial; wide: one column per trial; counts and lists: one row per question
    roles: Mapping[str, str]
    wide: tuple[str, ...] = ()
    share: str = ""  # the column of outcomes, if its name alone says that they are from 0 to 1
    export: Export | None = None  # the tool that wrote the table, if the columns tell
    factors: tuple[str, ...] = ()  # the columns whose levels make runs of their own

    @property
    def key_roles(self) -> list[str]:
        """The roles that identify a row."""
        return [*(role for role in KEYS if role in self.roles), *map(FACTOR.format, self.factors)]

    @property
    def keys(self) -> list[str]:
        """The columns that identify a row."""
        return [*(self.roles[role] for role in KEYS if role in self.roles), *self.factors]

    @property
    def failed(self) -> list[str]:
        """The column that marks failed runs, if there is one."""
        return [self.roles["failed"]] if "failed" in self.roles else []

    @property
    def row_columns(self) -> list[str]:
        """The columns by which rows are counted: those that identify a row, and that of failed runs and outcomes."""
        return [*self.keys, *self.failed, self.roles["outcome"]]

    @property
    def nested(self) -> list[str]:
        """The columns whose values may be lists or objects."""
        question = self.roles["question"]
        texts = [question] if question.rpartition(".")[2] in NESTED_QUESTIONS else []
        return texts + ([self.roles["outcome"]] if self.form == "lists" else [])

    @property
    def notes(self) -> dict[str, str]:
        """What was recognised, to be shown to the user."""
        tool = {"tool": self.export.tool} if self.export else {}
        shown = tool | {role: repr(column) for role, column in self.roles.items()}
        trials = {"trials": f"{self.wide[0]!r} to {self.wide[-1]!r}"} if self.wide else {}
        factors = {"factors": ", ".join(map(repr, self.factors))} if self.factors else {}
        return {"form": self.form, **shown, **trials, **factors}


def recognise_columns(
    columns: Sequence[str], fields: Mapping[str, str | None], metric: str | None, factors: Sequence[str] = ()
) -> TableLayout:
    """Return how to read a table with these columns; ``metric`` is the column of outcomes."""
    if factors:
        _check_known(factors, columns)
        rest = [column for column in columns if column not in factors]
        return replace(recognise_columns(rest, fields, metric), factors=tuple(factors))
    columns = [column for column in columns if not UNNAMED.fullmatch(column)]
    if len(set(columns)) < len(columns):
        twice = next(name for i, name in enumerate(columns) if name in columns[:i])
        raise OutcomeError(f"two columns are called {twice!r}")
    export = export_of(columns) if "outcome" not in fields else None
    if export is not None:
        return _exported(export, columns, fields, metric)
    named = dict(fields) | ({"outcome": metric} if metric is not None else {})
    pattern = named.get("trial") or ""
    series = [column for column in columns if "*" in pattern and fnmatchcase(column, pattern)]
    _check_known([column for column in named.values() if not (column == pattern and series)], columns)
    keys = {role: _find(role, columns, named) for role in KEYS}
    if keys["question"] is None:
        raise UnknownColumnsError(
            f"no column of questions was found; the columns are {shorten(columns)}",
            remedies=[Remedy("fields", {"question": "..."}, "names it")],
        )
    roles = {role: column for role, column in keys.items() if column is not None}
    rest = [column for column in columns if column not in roles.values()]
    if series:
        return TableLayout("wide", roles, tuple(column for column in series if column in rest))
    return _counts(rest, named, roles) or _long(rest, named, roles) or _wide(rest, named, roles)


def _check_known(names: Iterable[str | None], columns: Sequence[str]) -> None:
    for name in names:
        if name not in (None, *columns):
            raise UnknownColumnsError(unknown("column", name, columns))


def _exported(
    export: Export, columns: Sequence[str], fields: Mapping[str, str | None], metric: str | None
) -> TableLayout:
    """Return the layout of a tool's export, which the user may change."""
    usual = {"question": export.question, "model": export.step or _find("model", columns, fields)}
    outcome = export.outcome(columns, metric)
    if outcome is None:
        problem = f"no column of outcomes was found; the columns are {shorten(columns)}"
        raise UnknownColumnsError(problem, remedies=[Remedy("metric", "...", "names it")])
    named = usual | dict(fields) | {"outcome": outcome}
    _check_known(named.values(), columns)
    if export.failed in columns:
        named["failed"] = export.failed
    is_step = bool(export.step) and named["model"] == export.step
    roles = {role: column for role, column in named.items() if column is not None}
    return TableLayout("long", roles, export=export if is_step or not export.step else replace(export, step=""))


def _find(role: str, columns: Sequence[str], named: Mapping[str, str | None]) -> str | None:
    """Return the column of a role: the one that the user named (None: there is none), or one with a usual name."""
    if role in named:
        return named[role]
    matches = candidates(role, columns)
    if len(matches) > 1:
        argument, value = ("metric", "...") if role == "outcome" else ("fields", {role: "..."})
        problem = f"several columns may be the {role}, {shorten(matches)}"
        raise OutcomeError(problem, remedies=[Remedy(argument, value, "chooses one")])
    return matches[0] if matches else None


def _counts(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout | None:
    trials = _find("trials", rest, named)
    if trials is None or "outcome" in named or _find("trial", rest, named) is not None:
        return None
    successes = _find("successes", [column for column in rest if column != trials], named)
    if successes is None:
        return None
    return TableLayout("counts", roles | {"trials": trials, "successes": successes})


def _long(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout | None:
    outcome = _find("outcome", rest, named)
    if outcome is None:
        return None
    trial = _find("trial", [column for column in rest if column != outcome], named)
    roles = roles | ({"trial": trial} if trial is not None else {}) | {"outcome": outcome}
    if "outcome" in named:
        return TableLayout("long", roles)
    several = next((names for names in numbered(rest).values() if len(names) > 1), None)
    if several is not None and trial is None:
        raise OutcomeError(
            f"{outcome!r} may be the outcome, or {shorten(several)} may be the outcomes of one trial each",
            remedies=[
                Remedy("metric", outcome, "chooses the first"),
                Remedy("fields", {"trial": "..*"}, "chooses the others by a pattern"),
            ],
        )
    return TableLayout("long", roles, share=outcome if plain(outcome) in _SHARES else "")


def _wide(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout:
    """Return the layout of a table with one series of numbered columns."""
    series = numbered(rest)
    if len(series) != 1 or _find("trial", rest, named) is not None:
        raise UnknownColumnsError(
            f"no column of outcomes was found; the columns are {shorten(rest) or 'none'}",
            remedies=[
                Remedy("metric", "...", "names it, in a table with one row per trial"),
                Remedy("fields", {"trial": "..*"}, "is a pattern for them, in a table with one column per trial"),
            ],
        )
    [(stem, columns)] = series.items()
    return TableLayout("wide", roles, tuple(columns), columns[0] if plain(stem) in _SHARES else "")
