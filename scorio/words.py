"""How numbers of things are put."""

from __future__ import annotations


def amount(count: int, noun: str) -> str:
    """A number of things.

    >>> amount(1, "model"), amount(2400, "trial")
    ('1 model', '2,400 trials')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
