"""Progress: shown on a terminal or in a notebook for long work, cleaned up afterwards, silent elsewhere."""

import io
import sys
import time
from types import SimpleNamespace

import pytest

from scorio import Leaderboard, analyze_convergence, plan_trials
from scorio._display import progress
from scorio._display.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watch(monkeypatch, stderr):
    """Give the module a stderr of its own; pytest sets that of the process anew for each phase of a test."""
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr, modules=sys.modules))


@pytest.fixture(params=["rich", "plain"])
def terminal(request, monkeypatch):
    """A stderr that is a terminal, with rich or without it, and no patience."""
    screen = Terminal()
    watch(monkeypatch, screen)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    if request.param == "rich":
        pytest.importorskip("rich")
    else:
        monkeypatch.setitem(sys.modules, "rich.console", None)
    return screen


def wait_for(screen, text):
    for _ in range(1000):
        if text in screen.getvalue():
            return True
        time.sleep(0.01)
    return False


def test_long_work_is_shown_with_its_share_and_cleaned_up(terminal):
    with Progress("reading", 4) as shown:
        assert wait_for(terminal, "reading")
        shown.add(2)
        assert wait_for(terminal, "50%")
    assert progress._SCREEN._display is None


def test_work_inside_other_work_has_a_line_of_its_own(terminal):
    with Progress("outside"):
        assert wait_for(terminal, "outside")
        with Progress("inside", 2) as inside:
            assert wait_for(terminal, "inside")
            inside.add()
        assert progress._SCREEN._display is not None
    assert progress._SCREEN._display is None


def test_short_work_and_files_are_left_alone(monkeypatch):
    screen = Terminal()
    watch(monkeypatch, screen)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with Progress("short", 1) as shown:
        shown.add()
    assert screen.getvalue() == ""
    watch(monkeypatch, io.StringIO())
    assert not Progress("file").enabled
    watch(monkeypatch, None)
    assert not Progress("closed").enabled


def test_an_interrupt_ends_the_display(terminal):
    with pytest.raises(KeyboardInterrupt), Progress("stuck"):
        wait_for(terminal, "stuck")
        raise KeyboardInterrupt
    assert progress._SCREEN._display is None


R = {"a": [[1, 0, 1], [1, 1, 0]], "b": [[0, 0, 1], [1, 0, 0]]}


@pytest.mark.parametrize(
    ("what", "work"),
    [
        ("ranking", lambda: Leaderboard("pass@1", R)),
        ("convergence", lambda: analyze_convergence("avg", R, replicates=8, rng=0)),
        ("planning", lambda: plan_trials("pass@1", R["a"], 0.1)),
    ],
)
def test_the_library_shows_its_own_long_work(what, work, monkeypatch):
    started = []
    watch(monkeypatch, Terminal())
    monkeypatch.setattr(Progress, "__enter__", lambda self: started.append(self._what) or self)
    work()
    assert what in started
