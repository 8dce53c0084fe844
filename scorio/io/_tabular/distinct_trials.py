"""Check inside DuckDB that no question has a trial twice, whatever the names of its trials, in little memory.

The query that counts rows adds one number per group: its fingerprint, the exclusive or of the hashes of its trials,
64 bits each. Let a question have n trials. If they are all different, and another question has n trials with the same
fingerprint, those are all different too: were one of them there twice, fewer than n names would occur an odd number of
times there, and n here, and the hashes of the names that make the difference would have to cancel, which happens with a
chance of 2**-64. (The numbers of such names are both odd or both even, so that a hash of 0 does no harm.)

So it is enough to look at one question per fingerprint. Trials numbered from 0 or from 1 without gaps need no look at
all: the fingerprint of these numbers is computed. Where there are many fingerprints, all rows are grouped by a hash of
question and trial. DuckDB writes what does not fit into its memory to a temporary folder.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from .duck import NotThisWayError

_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_MOST_NUMBERED = 1 << 20  # trials of a question that are compared with 0, 1, 2, ..
_MOST_LOOKS = 64  # fingerprints for which one question each is looked at


@dataclass(frozen=True)
class Counted:
    """The source of a query that counts, the SQL of its questions, and that of a trial and its type."""

    source: str
    cell: Sequence[str]
    trial: str = ""
    kind: str = ""

    def with_trial(self, column: str, kind: str) -> Counted:
        """Return the same with a column of trials, as whole numbers or as text."""
        if kind in _WHOLE:
            return replace(self, trial=column, kind=kind)
        text = f"ltrim(CAST({column} AS VARCHAR), ' ')"  # blanks that a reader of CSV leaves out
        return replace(self, trial=text, kind="VARCHAR")

    @property
    def fingerprint(self) -> list[str]:
        """The SQL of a group's fingerprint, if there are trials."""
        return [f"bit_xor(hash({self.trial}))"] if self.trial else []

    @property
    def blank(self) -> str:
        """The SQL that is true for a trial without a name, or whose name may be a list or an object."""
        if self.kind != "VARCHAR":
            return f"{self.trial} IS NULL"
        starts = [f"{self.trial} < '!'", *(f"{self.trial} BETWEEN '{mark}' AND '{mark}~~~'" for mark in "[{")]
        return f"coalesce({' OR '.join(starts)}, true)"


def check_distinct(
    connection: Any,
    counted: Counted,
    cells: Sequence[tuple[Hashable, ...]],
    times: Sequence[int],
    fingerprints: Sequence[int],
) -> None:
    """Check that the trials of each cell are named and different; a cell may have several groups."""
    total: dict[tuple[Hashable, ...], tuple[int, int]] = {}
    for cell, count, fingerprint in zip(cells, times, fingerprints, strict=True):
        before, mixed = total.get(cell, (0, 0))
        total[cell] = before + count, mixed ^ fingerprint
    one_of = {mark: cell for cell, mark in total.items()}
    numbered = _marks_of_numbers(connection, counted, {count for count, _ in one_of})
    looks = [cell for mark, cell in one_of.items() if mark not in numbered]
    if looks and (
        _repeats(connection, counted, looks) if len(looks) <= _MOST_LOOKS else _any_repeats(connection, counted)
    ):
        raise NotThisWayError("a trial has no name, or is there twice")


def _marks_of_numbers(connection: Any, counted: Counted, counts: Collection[int]) -> set[tuple[int, int]]:
    """Return the counts and fingerprints of trials that are numbered from 0 or from 1 without gaps."""
    most = min(max(counts), _MOST_NUMBERED)
    number = f"TRY_CAST(i AS {counted.kind})"
    hashes = connection.execute(f"SELECT hash({number}) AS h FROM range({most + 1}) t(i) ORDER BY i").fetchnumpy()["h"]  # noqa: S608
    mixed = np.bitwise_xor.accumulate(np.concatenate([np.zeros(1, np.uint64), hashes.astype(np.uint64)]))
    usual = [count for count in counts if count <= most]
    return {(n, int(mixed[n])) for n in usual} | {(n, int(mixed[n + 1] ^ mixed[1])) for n in usual}


def _repeats(connection: Any, counted: Counted, cells: Sequence[tuple[Hashable, ...]]) -> bool:
    """Return whether a trial of some cells is there twice, or has no name."""
    names = [f"cell_{i}" for i in range(len(counted.cell))]
    row = f"({', '.join('?' * len(names))})"
    table = f"(VALUES {', '.join([row] * len(cells))}) AS looks({', '.join(names)})"
    same = " AND ".join(f"CAST({key} AS VARCHAR) = {name}" for key, name in zip(counted.cell, names, strict=True))
    query = (
        f"SELECT 1 FROM {counted.source} AS t SEMI JOIN {table} ON {same} "  # noqa: S608 - values are parameters
        f"GROUP BY {', '.join([*counted.cell, counted.trial])} HAVING count(*) > 1 OR bool_or({counted.blank}) LIMIT 1"
    )
    return bool(connection.execute(query, [*chain.from_iterable(cells)]).fetchall())


def _any_repeats(connection: Any, counted: Counted) -> bool:
    """Return whether two rows have one hash of question and trial, or a trial has no name."""
    rows = f"SELECT bool_or({counted.blank}) AS blank, count(*) AS times FROM {counted.source}"  # noqa: S608
    by = f"GROUP BY hash({', '.join([*counted.cell, counted.trial])})"
    [(blank, times)] = connection.execute(f"SELECT bool_or(blank), max(times) FROM ({rows} {by})").fetchall()  # noqa: S608
    return bool(blank) or times > 1
