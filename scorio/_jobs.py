"""Jobs, run one after the other, or by joblib if the user wants that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeVar

from ._display.progress import Progress

T = TypeVar("T")
_UPDATES = 20  # how often at most the progress is shown while joblib runs the jobs


def run(
    jobs: Sequence[tuple[Any, ...]],
    work: Callable[..., T],
    n_jobs: int | None,
    progress: Progress,
    prefer: Literal["threads", "processes"] = "threads",
) -> list[T]:
    """Return ``work(*job)`` for every job, in order.

    ``n_jobs=None`` runs one job at a time, unless ``joblib.parallel_config`` says otherwise. Work that is done in
    Python gains only from processes.
    """
    if n_jobs is None and sys.modules.get("joblib") is None:
        return list(_one_by_one(jobs, work, progress))
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise ImportError(f'n_jobs={n_jobs} needs joblib: pip install "scorio[parallel]"') from None
    results: list[T] = []
    with Parallel(n_jobs=n_jobs, prefer=prefer) as parallel:
        for some in _rounds(jobs, _UPDATES if progress.enabled else 1):
            results += parallel(delayed(work)(*job) for job in some)
            progress.add(len(some))
    return results


def in_parallel(n_jobs: int | None) -> bool:
    """Return whether ``run`` would run several jobs at once."""
    if n_jobs is None and sys.modules.get("joblib") is None:
        return False
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs)) != 1


def _one_by_one(jobs: Iterable[tuple[Any, ...]], work: Callable[..., T], progress: Progress) -> Iterator[T]:
    for job in jobs:
        yield work(*job)
        progress.add(1)


def _rounds(jobs: Sequence[tuple[Any, ...]], rounds: int) -> Iterator[Sequence[tuple[Any, ...]]]:
    size = -(-len(jobs) // rounds) or 1
    return (jobs[start : start + size] for start in range(0, len(jobs), size))
