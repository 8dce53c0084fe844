"""Counting the rows of files: each by DuckDB, all of them one after the other or side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..engines import Row, Rows, added
from ..errors import OutcomeError
from ..parallel import Progress, run
from .duck import connected, quoted, table

_MOST = 1023  # trials numbered up to here are told apart by one bit each
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}


class Asked(NamedTuple):
    """The columns by which rows are counted: what a trial is of, and the outcome.

    Where ``trial`` names a column too, it must name each trial of a question once.
    """

    keys: tuple[str, ...]
    outcome: str
    trial: str | None = None

    @property
    def columns(self) -> list[str]:
        """All columns, each once."""
        return list(dict.fromkeys([*self.keys, self.outcome, *([] if self.trial is None else [self.trial])]))

    @property
    def names(self) -> list[str]:
        """What the keys are called here."""
        return [f"key{i}" for i in range(len(self.keys))]

    def select(self, source: str, kind: str | None = None) -> str:
        """The columns by the names they have here, in SQL; all of one type if asked for."""
        given = [*zip(self.keys, self.names, strict=True), (self.outcome, "outcome")]
        if self.trial is not None:
            given.append((self.trial, "trial"))
        typed = "{}" if kind is None else f"CAST({{}} AS {kind})"
        chosen = ", ".join(f"{typed.format(quoted(column))} AS {name}" for column, name in given)
        return f"SELECT {chosen} FROM {source}"  # noqa: S608 - quoted


def count_table(
    paths: Sequence[str | Path],
    keys: Sequence[str],
    outcome: str,
    *,
    trial: str | None = None,
    delimiter: str = ",",
    n_jobs: int | None = None,
) -> Rows:
    r"""How often each combination of keys and outcome occurs in all files together, every value as text or None.

    With ``n_jobs``, or under ``joblib.parallel_config``, files are counted side by side, on other machines too.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("id,ok\n001,1\n01,1\n001,1\n")
    >>> _ = (folder / "b.jsonl").write_text('{"id": "001", "ok": 1}\n{"id": "NA", "ok": null}\n')
    >>> sorted(count_table([folder / "a.csv", folder / "b.jsonl"], ["id"], "ok").items())
    [(('001', '1'), 3), (('01', '1'), 1), (('NA', None), 1)]
    """
    asked = Asked(tuple(keys), outcome, trial)
    jobs = [(str(path), asked, delimiter) for path in paths]
    found: Rows = Counter()
    files: Counter[Row] = Counter()
    for part in run(jobs, count_file, n_jobs, Progress("counting files", len(jobs), wanted=False)):
        found.update(part)
        files.update({row[:-1] for row in part} if trial is not None else ())
    if any(several > 1 for several in files.values()):
        _demand_single_trials_over(jobs, asked)
    return found


def count_file(path: str, asked: Asked, delimiter: str = ",") -> Rows:
    """The counts of one file, sorted."""
    names = ", ".join(asked.names)
    with connected(path) as connection:
        source = table(connection, path, asked.columns, delimiter)
        connection.execute(f"CREATE TEMP VIEW trials AS {asked.select(source)}")
        bits = "" if asked.trial is None else _bits(connection)
        counts = f"SELECT {names}, outcome, count(*) AS times{bits} FROM trials GROUP BY ALL"  # noqa: S608 - quoted
        connection.execute(f"CREATE TEMP TABLE cells AS {counts}")
        if asked.trial is not None:
            _demand_single_trials(connection, asked, path)
        texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in [*asked.names, "outcome"])
        found = connection.execute(f"SELECT {texts}, times FROM cells ORDER BY ALL").fetchnumpy()  # noqa: S608
    return added([column.tolist() for column in found.values()])


def _bits(connection: Any) -> str:
    """What to find out of each cell besides its count: trials with small numbers, as bits, and how many others."""
    [(kind,)] = connection.execute("SELECT typeof(trial) FROM trials LIMIT 1").fetchall() or [("VARCHAR",)]
    number = "trial" if kind in _WHOLE else "TRY_CAST(trial AS INTEGER)"
    plain = f"{number} BETWEEN 0 AND {_MOST}"
    if kind not in _WHOLE:
        plain += f" AND CAST({number} AS VARCHAR) = CAST(trial AS VARCHAR)"
    numbered = f"CASE WHEN {plain} THEN {number} END"
    return f", bitstring_agg(CAST({numbered} AS INTEGER), 0, {_MOST}) AS bits, count(*) - count({numbered}) AS others"


def _demand_single_trials(connection: Any, asked: Asked, what: str) -> None:
    names = ", ".join(asked.names)
    twice = "sum(others) = 0 AND bit_count(bit_or(bits)) < sum(times)"
    _refuse(connection, f"SELECT {names} FROM cells GROUP BY {names} HAVING {twice} LIMIT 1", asked, what)  # noqa: S608
    if connection.execute("SELECT true FROM cells WHERE others > 0 LIMIT 1").fetchall():
        _refuse(connection, _repeats(asked), asked, what)


def _repeats(asked: Asked) -> str:
    """A question that has one trial twice, or one without a name, in SQL."""
    names = ", ".join(asked.names)
    wrong = "count(*) > 1 OR trial IS NULL"
    return f"SELECT {names} FROM trials GROUP BY {names}, trial HAVING {wrong} LIMIT 1"  # noqa: S608


def _demand_single_trials_over(jobs: Sequence[tuple[str, Asked, str]], asked: Asked) -> None:
    """Check that no trial is in two files."""
    what = f"{jobs[0][0]} and {len(jobs) - 1} more"
    with connected(what) as connection:
        sources = [table(connection, path, asked.columns, delimiter) for path, _, delimiter in jobs]
        rows = " UNION ALL ".join(asked.select(source, "VARCHAR") for source in sources)
        connection.execute(f"CREATE TEMP VIEW trials AS {rows}")
        _refuse(connection, _repeats(asked), asked, what)


def _refuse(connection: Any, query: str, asked: Asked, what: str) -> None:
    """An error about the first row of a query, if it has one."""
    for row in connection.execute(query).fetchall():
        of = ", ".join(f"{name} {value!r}" for name, value in zip(asked.keys, row, strict=True))
        raise OutcomeError(f"{what}: column {asked.trial!r} is null, or the same twice, for {of}")
