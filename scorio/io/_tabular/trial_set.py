"""Sets of trials: one bit per trial whose name is a small number, a name for any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

MOST_NUMBER = 9_999  # the largest number that is stored as a bit


class TrialSet:
    """A set of trial names that takes one bit per trial if the trials are numbered.

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

    def __iter__(self) -> Iterator[str]:
        """Yield the numbered trials in order, then the others."""
        yield from (str(i) for i, bit in enumerate(reversed(f"{self._bits:b}")) if bit == "1")
        yield from sorted(self._names)

    def add(self, name: str) -> bool:
        """Add a trial; return False if the set has it already."""
        bit = _bit(name)
        if self._bits & bit or name in self._names:
            return False
        if bit:
            self._bits |= bit
        else:
            self._names.add(name)
        return True

    def update(self, other: TrialSet) -> None:
        """Add the trials of another set."""
        self._bits |= other._bits
        self._names |= other._names

    def shared(self, other: TrialSet) -> str | None:
        """Return a trial that is in both sets, or None."""
        if bits := self._bits & other._bits:
            return str(bits.bit_length() - 1)
        return min(self._names & other._names) if self._names and not self._names.isdisjoint(other._names) else None


@lru_cache(1 << 14)
def _bit(name: str) -> int:
    """Return the bit of a small number as it is usually written; 0 for any other name."""
    usual = name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0")
    return 1 << int(name) if usual and len(name) <= len(str(MOST_NUMBER)) else 0
