"""Jobs, run one after the other, or by joblib if the user wants that, and Ctrl-C while they run.

On the command line, Ctrl-C is noted, so that no run that was interrupted ends with an answer. It raises a
KeyboardInterrupt as always. Libraries may swallow that, for example in a callback or in a destructor: then the next job
does not begin, a wait for a database ends, nothing is written any more, and the exit code says that the run was
interrupted.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NoReturn, TypeVar

from ..errors import ParameterError
from .progress import Progress

T = TypeVar("T")
INTERRUPTED = 130  # the exit code: 128 and the number of the signal, as shells do
_noted: list[int] = []
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
    _check_jobs(n_jobs)
    results: list[T] = []
    if n_jobs is None and sys.modules.get("joblib") is None:
        for job in jobs:
            check_interrupted()
            results.append(work(*job))
            progress.add(1)
        return results
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise ImportError(f"n_jobs={n_jobs} needs joblib: pip install joblib") from None
    size = -(-len(jobs) // (_UPDATES if progress.enabled else 1)) or 1
    with Parallel(n_jobs=n_jobs, prefer=prefer) as parallel:
        for start in range(0, len(jobs), size):
            some = jobs[start : start + size]
            results += parallel(delayed(work)(*job) for job in some)
            progress.add(len(some))
    return results


def in_parallel(n_jobs: int | None) -> bool:
    """Return whether ``run`` would run several jobs at once."""
    _check_jobs(n_jobs)
    if n_jobs is None and sys.modules.get("joblib") is None:
        return False
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs)) != 1


def _check_jobs(n_jobs: Any) -> None:
    """Check that ``n_jobs`` is None or a number as joblib takes it: -1 stands for all processors."""
    whole = hasattr(n_jobs, "__index__") and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (whole and n_jobs != 0):
        problem = f"must be None, a whole number of jobs, at least 1, or -1 for all processors; got {n_jobs!r}"
        raise ParameterError(problem, argument="n_jobs")


@contextmanager
def interruptions_noted() -> Iterator[None]:
    """Note Ctrl-C in the block, unless it is ignored or handled already; if there was one, exit with 130."""
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    _noted.clear()
    signal.signal(signal.SIGINT, _note)
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit:
        if _noted:
            sys.exit(INTERRUPTED)
        raise


def check_interrupted() -> None:
    """Raise a KeyboardInterrupt if the run was interrupted."""
    if _noted:
        raise KeyboardInterrupt


def _note(number: int, _: Any) -> NoReturn:
    _noted.append(number)
    raise KeyboardInterrupt
