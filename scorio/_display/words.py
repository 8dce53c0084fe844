"""Numbers of things, shortened lists and unknown names, in words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_SHOWN = 5  # items of a list that are named
_CHOICES = 20  # names that may be chosen that are listed


def pluralize(count: int, noun: str) -> str:
    """Write a number of things.

    >>> pluralize(1, "model"), pluralize(2400, "trial")
    ('1 model', '2,400 trials')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shorten(items: Iterable[Any]) -> str:
    """Name the first items of a list, and say how many more there are.

    >>> shorten("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    names = list(map(repr, items))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def unknown(kind: str, value: object, choices: Iterable[str], aliases: Iterable[str] = ()) -> str:
    """Say that a name is unknown, which one or which of the aliases may be meant, and which ones exist.

    >>> unknown("metric", "pas@4", ["pass@4", "avg"])
    "unknown metric 'pas@4'. Did you mean 'pass@4'? Choose from: pass@4, avg"
    """
    known = list(choices)
    near = get_close_matches(str(value), [*known, *aliases], n=1, cutoff=0.6)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    more = f" and {len(known) - _CHOICES} more" if len(known) > _CHOICES else ""
    return f"unknown {kind} {value!r}.{guess} Choose from: {', '.join(known[:_CHOICES])}{more}"
