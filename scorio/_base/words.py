"""Words of messages: numbers of things, shortened lists, unknown names, targets; and warnings at the user's line."""

import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any

_SHOWN = 5  # items of a list that are named
_CHOICES = 20  # names that may be chosen that are listed
_PACKAGE = __name__.partition(".")[0]
_FOLDER = str(Path(__file__).parents[1]) + os.sep
_MADE = "<string>"  # the file of functions that dataclasses make
SUBJECT: Mapping[str, str] = MappingProxyType(  # what an interval is about, by its target
    {"questions": "these questions", "population": "questions like these"}
)


def spread_of(target: str) -> str:
    """Say what the error of a choice among samples is estimated from.

    >>> spread_of("questions")
    "from how each question's trials vary"
    """
    return "from the spread between questions" if target == "population" else "from how each question's trials vary"


def subject(target: str, runs: str) -> str:
    """Say what an interval is about.

    >>> subject("questions", "random")
    'these questions and runs like these'
    """
    return SUBJECT[target] + " and runs like these" * (runs == "random")


def from_planned(names: Iterable[str], completeness: Iterable[float]) -> str:
    """Say of which models trials that were planned have no outcome; empty if that is none.

    >>> from_planned(["a", "b"], [1.0, 0.488])
    ', from 48.8% of the planned trials of b'
    """
    gaps = [(share, name) for name, share in zip(names, completeness, strict=True) if share < 1.0]
    if len(gaps) > 1:
        return f", and {len(gaps)} models lack up to {100.0 - 100.0 * min(gaps)[0]:.3g}% of their planned trials"
    return f", from {100.0 * gaps[0][0]:.3g}% of the planned trials of {gaps[0][1]}" if gaps else ""


def pluralize(count: int, noun: str) -> str:
    """Write a number of things.

    >>> pluralize(1, "model"), pluralize(2400, "trial")
    ('1 model', '2,400 trials')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def tally(values: Iterable[str], kinds: Iterable[str]) -> str:
    """Count the values of each kind that occurs.

    >>> tally(["failed", "passed", "passed"], ["passed", "failed", "undecided"])
    '2 passed, 1 failed'
    """
    counts = Counter(values)
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])


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
    names = list(choices)
    near = get_close_matches(str(value), [*names, *aliases], n=1, cutoff=0.6)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    more = f" and {len(names) - _CHOICES} more" if len(names) > _CHOICES else ""
    return f"unknown {kind} {value!r}.{guess} Choose from: {', '.join(names[:_CHOICES])}{more}"


def text_fault(text: str) -> str | None:
    r"""Say why no file can hold a text, or return None.

    >>> text_fault("\ud83d"), text_fault("q1")
    ('holds half of a character (a lone surrogate)', None)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds half of a character (a lone surrogate)"
    return "holds a NUL character" if "\0" in text else None


def in_order(lists: Iterable[Sequence[str]]) -> list[str]:
    """Return the names of all lists: each new name stands behind the one that comes before it in its list.

    >>> in_order([["May", "July"], ["May", "June", "July"]])
    ['May', 'June', 'July']
    """
    names: list[str] = []
    for listed_names in lists:
        at = 0
        for name in listed_names:
            if name in names:
                at = names.index(name) + 1
            else:
                names.insert(at, name)
                at += 1
    return names


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning; its place is the first caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None:
        file, names = frame.f_code.co_filename, frame.f_globals
        is_made_here = file == _MADE and str(names.get("__name__")).partition(".")[0] == _PACKAGE
        if not (is_made_here or file.startswith(_FOLDER)):
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
