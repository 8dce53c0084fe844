"""Texts of calls, read from ``calls/FAMILY.txt``: which functions are asked, on which data, with which options.

A statement of these files is a call in Python, such as ``suite.pooled()``; or a function with alternatives for its
arguments and options, as in

    compare; 'pass@1' | 'avg'; binary, better | few, few_more; target='population'; confidence=0.8 | 0.99

which stands for calls in which all pairs of alternatives occur, the first with the defaults of all options. A ``{}`` in
the function takes the first argument, ``with`` is before an option that is always given, and ``then`` before what
follows the call. ``<a | b>`` writes a statement once with
each. Names in capitals are those of ``calls/_names.txt``. A line that is indented goes on with the statement before.
"""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

from .pairs import covering
from .worlds import MAKERS

FOLDER = Path(__file__).parent / "calls"
FAMILIES = sorted(path.stem for path in FOLDER.glob("[a-z]*.txt"))

# An option, and what the other values of a call must not be beside it: the call would be refused for this alone, and
# say nothing about its other options. What is refused has a family of its own.
APART_OF_DATA = {
    r"^runs='random'": r"^(?!.*runs)",
    r"^task_weights": r"^(?!.*(suite|alone|Suite))",
    r"^task_weights={": r"suite_mixed",
}
APART_OF_OPTIONS = {
    r"^looks": r"^(prior=(?!'learned')|rule|shape|runs|confidence|paired=False)",
    r"^equivalent": r"^mode",
    r"^rule": r"^(prior|shape|looks|paired|runs)",
}


@functools.cache
def texts_of(family: str) -> tuple[str, ...]:
    """Return the calls of a family, each once."""
    found = (text for statement in statements(family) for text in calls(statement))
    return tuple(dict.fromkeys(found))


def statements(family: str) -> Iterator[str]:
    for statement in lines_of(FOLDER / f"{family}.txt"):
        yield from each(re.sub(r"\b[A-Z][A-Z_\d]+\b", lambda found: names().get(found[0], found[0]), statement))


def lines_of(path: Path) -> list[str]:
    """Return the statements of a file, without comments."""
    lines = (line for line in path.read_text(encoding="utf-8").split("\n") if line and line[0] != "#")
    return "\n".join(lines).replace("\n    ", " ").split("\n")


@functools.cache
def names() -> dict[str, str]:
    """Return what names in capitals stand for; those of later lines may use those of earlier ones."""
    found: dict[str, str] = {}
    for line in lines_of(FOLDER / "_names.txt"):
        name, _, meaning = line.partition(": ")
        found[name] = re.sub(r"\b[A-Z][A-Z_\d]+\b", lambda used: found.get(used[0], used[0]), meaning)
    return found


def each(statement: str) -> Iterator[str]:
    """Yield a statement once with every alternative of ``<a | b>``."""
    before, opened, rest = statement.partition("<")
    if not opened:
        yield statement
        return
    alternatives, _, after = rest.partition(">")
    for alternative in alternatives.split(" | "):
        yield from each(before + alternative + after)


def calls(statement: str) -> Iterator[str]:
    """Yield the calls that a statement stands for."""
    function, *parts = statement.split("; ")
    if not parts:
        yield function
        return
    ending = parts.pop().removeprefix("then ") if parts[-1].startswith("then ") else ""
    options = {part.split("=")[0]: part.partition("=")[2] for part in parts if is_option(part)}
    arguments = [part.removeprefix("with ").split(" | ") for part in parts if not is_option(part)]
    named = [f"{name}=" for name in options]
    ways = [*arguments, *([None, *values.split(" | ")] for values in options.values())]

    def clash(i, one, j, other):
        kinds = ([""] * len(arguments) + named)[i], ([""] * len(arguments) + named)[j]
        return None not in (one, other) and (
            apart(kinds[0] + one, kinds[1] + other) or apart(kinds[1] + other, kinds[0] + one)
        )

    for row in covering(ways, clash):
        places = list(row[: len(arguments)])
        head = function.format(places.pop(0)) if "{}" in function else function
        given = [
            f"{name}{value}" for name, value in zip(named, row[len(arguments) :], strict=True) if value is not None
        ]
        yield f"{head}({', '.join([*places, *given])}){ending}"


def is_option(part: str) -> bool:
    return re.match(r"\w+=[^|]*( \| (?!\w+=)|$)", part) is not None


def apart(option: str, other: str) -> bool:
    """Whether an option is not asked beside another value: an option, or data."""
    if is_option(other):
        rules = APART_OF_OPTIONS
    elif any(name in MAKERS for name in re.findall(r"\w+", other)):
        rules = APART_OF_DATA
    else:
        return False
    return any(re.search(one, option) and re.search(two, other) for one, two in rules.items())
