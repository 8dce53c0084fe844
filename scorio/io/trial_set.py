"""Which trials of a question are there: a bit for each small number, a name for any other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

MOST_NUMBER = 9_999  # that is a bit


class TrialSet:
    """A growing set of trial names that takes a bit a trial where trials are numbered.

    >>> first, second = TrialSet(["0", "1", "seed 7"]), TrialSet(["2", "seed 7"])
    >>> first.shared(second)
    'seed 7'
    """

    __slots__ = ("_bits", "_names")

    def __init__(self, names: Iterable[str] = (), bits: int = 0) -> None:
        self._bits = bits
        self._names: set[str] = set()
        for name in names:
            self.add(name)

    def __len__(self) -> int:
        return self._bits.bit_count() + len(self._names)

    def add(self, name: str) -> bool:
        """Add a trial; False if it is there already."""
        bit = _bit(name)
        if self._bits & bit or name in self._names:
            return False
        if bit:
            self._bits |= bit
        else:
            self._names.add(name)
        return True

    def shared(self, other: TrialSet) -> str | None:
        """A trial that is in both."""
        if bits := self._bits & other._bits:
            return str(bits.bit_length() - 1)
        return min(self._names & other._names) if self._names and not self._names.isdisjoint(other._names) else None


@lru_cache(1 << 14)
def _bit(name: str) -> int:
    """The bit of a small number as it is usually written; 0 for any other name."""
    usual = name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0")
    return 1 << int(name) if usual and len(name) <= len(str(MOST_NUMBER)) else 0
