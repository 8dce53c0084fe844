"""Signs of life on stderr, for whatever takes more than a second on a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ..parallel import Progress

T = TypeVar("T")
PATIENCE = 1.0  # seconds between signs


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done and for how long, once a second."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    clock = threading.Thread(target=_tick, args=(what, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()


def _tick(what: str, done: threading.Event) -> None:
    start = time.monotonic()
    shown = ""
    while not done.wait(PATIENCE):
        shown = f"{what}: {time.monotonic() - start:.0f} s"
        sys.stderr.write(f"\r{shown}")
        sys.stderr.flush()
    sys.stderr.write("\r" + " " * len(shown) + "\r" if shown else "")


def tracked(what: str, items: Iterable[T]) -> Iterator[T]:
    """The items, with the share of them that is done."""
    listed = list(items)
    with Progress(what, len(listed), wanted=True) as shown:
        for item in listed:
            yield item
            shown.add(1)
