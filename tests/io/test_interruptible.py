"""Work in a thread that ends with its caller, also if it has not begun or does not listen."""

import random
import signal
import threading
import time

import pytest

from scorio import _jobs
from scorio.io._tabular import interruptible as module
from scorio.io._tabular.interruptible import interruptible


def unexpected():
    raise AssertionError


def test_an_interruption_before_the_thread_begins(monkeypatch):
    """The thread begins late, after its caller was interrupted: it must do nothing."""
    begin, did = module.start_new_thread, []

    def interrupted(run, values):
        threading.Timer(0.1, begin, [run, values]).start()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "start_new_thread", interrupted)
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: did.append(1), lambda: None, unexpected)
    time.sleep(0.2)
    assert did == []


def test_an_interruption_that_a_library_swallowed_ends_the_wait(monkeypatch):
    asked, stopped = [], threading.Event()

    def stop():
        asked.append(1)
        stopped.set()

    monkeypatch.setattr(_jobs, "_noted", [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: stopped.wait(60), stop, unexpected)
    assert asked


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that send signals")
def test_interruptions_at_any_moment():
    """Thousands of them in the middle of waiting: none is lost, and none leaves a lock that nobody opens."""
    chance, counted = random.Random(0), 0

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(500):
            end, abandoned = threading.Lock(), []
            end.acquire()
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + 1e-3 * chance.random())
                interruptible(lambda lock=end: lock.acquire(timeout=5), end.release, lambda: abandoned.append(1))
            except (KeyboardInterrupt, RuntimeError):  # a lock that is asked to open twice
                counted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert abandoned == []
    finally:
        signal.signal(signal.SIGALRM, before)
    assert counted == 500
