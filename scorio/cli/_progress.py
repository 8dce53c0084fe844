"""Progress of the commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from .._display.progress import Progress

T = TypeVar("T")


def working(what: str) -> Progress:
    """Show that work goes on, if it takes long."""
    return Progress(what)


def tracked(what: str, items: Iterable[T]) -> Iterator[T]:
    """Yield the items, and show which share of them is done."""
    listed = list(items)
    with Progress(what, len(listed)) as shown:
        for item in listed:
            yield item
            shown.add()
