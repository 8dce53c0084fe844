"""Running jobs one after the other, or by joblib where the caller asks for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")
_PATIENCE = 1.0  # seconds before anything is shown
_UPDATES = 20  # at most, where joblib runs the jobs


class Progress:
    """A share on stderr, shown on a terminal once a second has passed."""

    def __init__(self, what: str, total: int, wanted: bool) -> None:
        self._what, self._total, self._done = what, total, 0
        self.wanted: bool = wanted and sys.stderr.isatty()
        self._start = time.monotonic()
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            sys.stderr.write("\n")

    def add(self, done: int) -> None:
        """So many more are done."""
        self._done += done
        if self.wanted and time.monotonic() - self._start > _PATIENCE:
            sys.stderr.write(f"\r{self._what}: {self._done / self._total:.0%}")
            sys.stderr.flush()
            self._shown = True


def run(jobs: Sequence[tuple[Any, ...]], work: Callable[..., T], n_jobs: int | None, progress: Progress) -> list[T]:
    """``work(*job)`` of every job, in order.

    ``n_jobs=None`` is one job at a time, unless ``joblib.parallel_config`` says otherwise.
    """
    if n_jobs is None and "joblib" not in sys.modules:
        return list(_one_by_one(jobs, work, progress))
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise ImportError(f'n_jobs={n_jobs} needs joblib: pip install "scorio[parallel]"') from None
    found: list[T] = []
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for some in _rounds(jobs, _UPDATES if progress.wanted else 1):
            found += parallel(delayed(work)(*job) for job in some)
            progress.add(len(some))
    return found


def _one_by_one(jobs: Iterable[tuple[Any, ...]], work: Callable[..., T], progress: Progress) -> Iterator[T]:
    for job in jobs:
        yield work(*job)
        progress.add(1)


def _rounds(jobs: Sequence[tuple[Any, ...]], rounds: int) -> Iterator[Sequence[tuple[Any, ...]]]:
    size = -(-len(jobs) // rounds) or 1
    return (jobs[start : start + size] for start in range(0, len(jobs), size))
