"""Texts of calls, made from a function, alternatives for its arguments, and alternatives for its options."""

import re

from .pairs import covering
from .worlds import MAKERS

# An option, and what the other values of a call must not be beside it: the call would be refused for this alone, and
# say nothing about its other options. What is refused has a family of its own.
APART = [
    (r"^runs='random'", r"^(?!.*runs)"),  # of data
    (r"^task_weights", r"^(?!.*(suite|alone|Suite))"),
    (r"^task_weights={", r"suite_mixed"),
    (r"^looks", r"^(prior=(?!'learned')|rule|shape|runs|confidence|paired=False)"),
    (r"^equivalent", r"^mode"),
    (r"^rule", r"^(prior|shape|looks|paired|runs)"),
]

FAMILIES: dict[str, list[str]] = {}


def family(name: str):
    """Register a function that returns the calls of a family."""

    def register(make):
        FAMILIES[name] = list(dict.fromkeys(make()))
        return make

    return register


def calls(function: str, *arguments: list[str], then: str = "", **options: list[str]) -> list[str]:
    """Return calls of a function: first with its defaults, then so that all pairs of values occur.

    ``arguments`` has alternatives for each argument by place, and ``options`` for each by name: texts in Python. An
    option may also be left out. A ``{}`` in ``function`` takes the first argument; ``then`` is what follows the call.
    """
    ways = [*arguments, *([None, *each] for each in options.values())]
    texts = []
    names = [*[""] * len(arguments), *(f"{name}=" for name in options)]

    def clash(i, one, j, other):
        first, second = (f"{names[place]}{value or ''}" for place, value in ((i, one), (j, other)))
        return None not in (one, other) and (apart(first, second) or apart(second, first))

    for row in covering(ways, clash):
        places, named = list(row[: len(arguments)]), row[len(arguments) :]
        head = function.format(places.pop(0)) if "{}" in function else function
        given = [f"{key}={value}" for key, value in zip(options, named, strict=True) if value is not None]
        texts.append(f"{head}({', '.join([*places, *given])}){then}")
    return texts


def apart(option: str, other: str) -> bool:
    """Whether an option is not asked beside another value: an option, or data."""
    is_option = re.match(r"\w+=", other)
    if not is_option and not any(name in MAKERS for name in re.findall(r"\w+", other)):
        return False
    return any(
        re.search(one, option) and re.search(two, other) and bool(is_option) == two.startswith(("^(prior", "^mode"))
        for one, two in APART
    )
