"""A pytest plugin: calls of every kernel are made once more by eight threads at a time, which must all get the same.

    PYTHONPATH=tests python -m pytest -p helpers.crowd

What a call may write to is copied for each thread; states and read-only arrays are shared. Of each entry the first
``CALLS`` calls are repeated, and of the later ones those whose number is a square: calls of all tests are among them.
Where a test traces its memory, no call is repeated. An entry that no test called is an error at the end.
"""

import functools
import importlib
import inspect
import math
import pkgutil
import sys
import threading
import tracemalloc
from collections import Counter

import numpy as np
import pytest

import scorio._kernels
from scorio._kernels.shared_prior import SharedPrior
from scorio._kernels.states import Groups, States

THREADS = 8
CALLS = 20

calls = Counter()  # of each entry, by its name


def entries():
    """Every public function of every kernel, by the names of its module and its own."""
    found = {}
    for module in pkgutil.iter_modules(scorio._kernels.__path__):
        kernel = importlib.import_module(f"scorio._kernels.{module.name}")
        for name, entry in vars(kernel).items():
            if type(inspect.unwrap(entry)).__name__ == "cython_function_or_method" and not name.startswith("_"):
                found[f"{module.name}.{name}"] = entry
    return found


def replace_everywhere(old, new):
    """Put ``new`` wherever a loaded module has ``old`` by a name."""
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is old:
                setattr(module, name, new)


def own(value):
    """A value that one thread may write to; an array has the same order and direction of its axes in memory."""
    if not (isinstance(value, np.ndarray) and value.flags.writeable):
        return value
    ascending = tuple(slice(None, None, -1 if stride < 0 else 1) for stride in value.strides)
    return value[ascending].copy(order="K")[ascending]


def same(one, other):
    """Whether two results, or the arguments after two calls, are equal to the last bit."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Groups):
        names = ("multiplicity", "successes", "trials") if isinstance(one, States) else ("multiplicity",)
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, SharedPrior):
        names = ("alpha", "beta", "weight", "trusted", "point_mass_weight", "grid_weight", "grid_density")
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return one == other or (one != one and other != other)


def crowded(entry, threads=THREADS):
    """The same function; each call is repeated by many threads, which have to agree with the one whose result it is."""

    @functools.wraps(entry)
    def call(*args, **kwargs):
        sets = [([own(x) for x in args], {name: own(x) for name, x in kwargs.items()}) for _ in range(threads)]
        result = entry(*args, **kwargs)
        found = [None] * threads
        barrier = threading.Barrier(threads)

        def work(i):
            barrier.wait()
            found[i] = entry(*sets[i][0], **sets[i][1])

        crew = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
        for (positional, named), value in zip(sets, found, strict=True):
            assert same(result, value), f"{entry.__name__} gave a thread {value}, not {result}"
            assert same(list(args), positional), f"{entry.__name__} wrote something else in a thread"
            assert same(list(kwargs.values()), list(named.values()))
        return result

    return call


def counted(name, entry):
    """``crowded`` for some calls of an entry, the entry itself for the others."""
    together = crowded(entry)

    @functools.wraps(entry)
    def call(*args, **kwargs):
        calls[name] += 1
        is_due = calls[name] <= CALLS or math.isqrt(calls[name]) ** 2 == calls[name]
        return (together if is_due and not tracemalloc.is_tracing() else entry)(*args, **kwargs)

    return call


def pytest_collection_finish():
    for name, entry in entries().items():
        calls[name] = 0
        replace_everywhere(entry, counted(name, entry))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add up the calls of a worker process, where pytest-xdist runs the tests in several."""
    for name, times in node.workeroutput["calls"].items():
        calls[name] += times


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["calls"] = dict(calls)
    elif 0 in calls.values():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{len(calls)} kernel entries, each repeated by {THREADS} threads")
    for name in (name for name, times in calls.items() if not times):
        terminalreporter.write_line(f"no test called {name}", red=True)
