"""Calls of a database that end when they are interrupted, or when they take too long.

A database that runs in C serves Ctrl-C late, or makes an error of its own of it. Here it runs in a thread, which Python
never gives a signal, while the calling thread waits for it: an interruption is raised there, and the database is told
to stop.

The thread and its lock are those of C: an interruption in the middle of Python's own would leave a lock that nobody
opens.
"""

import threading
import time
from _thread import LockType, start_new_thread
from collections.abc import Callable
from typing import Any, TypeVar

from ..._jobs import check_interrupted

T = TypeVar("T")
_POLL = 0.05  # seconds between looks at the clock, and between requests to stop
_PATIENCE = 1.0  # seconds for which a database is asked to stop


class LateError(Exception):
    """A call that took longer than it may."""


def interruptible(
    work: Callable[[], T], stop: Callable[[], Any], abandon: Callable[[], Any], until: float | None = None
) -> T:
    """Return what ``work`` returns; ``stop`` ends it if the wait is interrupted, or at the time ``until``.

    ``until`` is a time of ``time.monotonic``, after which a ``LateError`` is raised. Work that does not stop within a
    second goes on without anybody: ``abandon`` is called, and what the work uses must not be closed.
    """
    if until is None and threading.current_thread() is not threading.main_thread():
        return work()  # Python gives signals to the main thread only
    results: list[T] = []
    faults: list[BaseException] = []
    marks: list[str] = []  # "over" if the caller no longer waits, "ended" if the work has
    lock = threading.Lock()
    lock.acquire()

    def run() -> None:
        try:
            if not marks:
                results.append(work())
        except BaseException as fault:  # noqa: BLE001 - it is raised below
            faults.append(fault)
        finally:
            marks.append("ended")
            lock.release()

    try:
        start_new_thread(run, ())
        while not marks:
            check_interrupted()
            if not lock.acquire(timeout=_POLL):
                _check_time(until)
    except BaseException:
        marks.insert(0, "over")  # the thread may not have begun
        end = time.monotonic() + _PATIENCE
        _ask(stop, lambda: "ended" in marks or time.monotonic() > end, lock)
        if "ended" not in marks:
            abandon()
        raise
    if faults:
        raise faults[0]
    return results[0]


def _check_time(until: float | None) -> None:
    if until is not None and time.monotonic() > until:
        raise LateError


def _ask(stop: Callable[[], Any], is_enough: Callable[[], bool], lock: LockType) -> None:
    """Ask the work to stop again and again: a request that comes before a query begins has no effect."""
    while not is_enough():
        stop()
        lock.acquire(timeout=_POLL)
