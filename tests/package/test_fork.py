"""A process that is forked while other threads compute goes on: it inherits no lock that nobody will ever release."""

import ast
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import scorio
from scorio import Leaderboard, OutcomeMatrix, PassAtK
from scorio._base.arrays import cached_property

ROOT = Path(scorio.__file__).parent
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def ends_in_child(job, seconds=30):
    """Run a job in a forked process, and return whether it ended well in this time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of threads
        child = os.fork()
    if not child:
        status = 1
        try:
            job()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


class Slow:
    """Has a property that waits until it may go on."""

    def __init__(self, started, may_end):
        self.started, self.may_end = started, may_end

    @cached_property
    def value(self):
        """A value of its own."""
        self.started.set()
        assert self.may_end.wait(60)
        return object()


def ready():
    event = threading.Event()
    event.set()
    return event


@forks
def test_a_child_computes_what_a_thread_of_its_parent_is_computing():
    started, may_end = threading.Event(), threading.Event()
    one, other = Slow(started, may_end), Slow(ready(), ready())
    thread = threading.Thread(target=lambda: one.value)
    thread.start()
    assert started.wait(60)
    try:
        assert ends_in_child(lambda: other.value)
    finally:
        may_end.set()
        thread.join()


def test_threads_get_one_value():
    may_end = threading.Event()
    shared, found = Slow(threading.Event(), may_end), []
    threads = [threading.Thread(target=lambda: found.append(shared.value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    may_end.set()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert set(map(id, found)) == {id(shared.value)}
    assert Slow.value.__doc__ == "A value of its own."


@forks
@pytest.mark.slow
@pytest.mark.parametrize("call", ["interval", "leaderboard"])
def test_a_child_of_a_process_that_fits_in_threads(call):
    rng = np.random.default_rng(0)
    tables = rng.random((3, 60, 8)) < rng.beta(1, 1, (3, 60, 1))

    def fit():
        if call == "interval":
            PassAtK(2).interval(OutcomeMatrix(tables[0]), prior="learned")
        else:
            Leaderboard("pass@2", dict(zip("abc", tables, strict=True)))

    stop = threading.Event()

    def fit_on():
        while not stop.is_set():
            fit()

    threads = [threading.Thread(target=fit_on) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        assert all(ends_in_child(fit) for _ in range(6))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@forks
@pytest.mark.slow
def test_a_child_that_is_forked_while_a_thread_loads_scipy():
    """The child needs the module that the thread is loading. Forks at several moments of the load."""
    program = """
import os, signal, threading, time
import scorio
from scorio._base.special import ndtr
threading.Thread(target=ndtr, args=(0.0,)).start()
time.sleep(float({pause}))
child = os.fork()
if not child:
    signal.alarm(20)
    ndtr(0.0)
    os._exit(0)
raise SystemExit(os.waitpid(child, 0)[1])
"""
    for pause in (0.001, 0.02, 0.05, 0.1):
        code = program.format(pause=pause)
        ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=60, check=False)
        assert ended.returncode == 0, pause


def test_no_module_uses_the_property_that_holds_a_lock():
    users = [
        path.name
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "functools"
        if any(alias.name == "cached_property" for alias in node.names)
    ]
    assert users == ["arrays.py"]  # for type checkers only
