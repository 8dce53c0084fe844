"""Progress of work that takes more than a second: on a terminal and in notebooks, by rich where it is installed."""

import importlib
import sys
import threading
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self

PATIENCE = 1.0  # seconds before progress is shown


class Progress:
    """Show how much of the work is done, from ``PATIENCE`` seconds on; without a ``total``, only that it goes on.

    Work inside other work gets a line of its own. Nothing is shown where nobody watches, as in a file or a log.
    """

    def __init__(self, what: str, total: int | None = None, enabled: bool = True) -> None:
        self._what, self._total, self._done = what, total, 0
        self.enabled: bool = enabled and _is_watched()
        self._timer: threading.Timer | None = None
        self._line: Any = None

    def __enter__(self) -> Self:
        if self.enabled:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._line is not None:
            _SCREEN.close(self._line)

    def add(self, done: int = 1) -> None:
        """Count ``done`` more parts of the work as done."""
        self._done += done
        if self._line is not None:
            _SCREEN.advance(self._line, self._done)

    def _show(self) -> None:
        self._line = _SCREEN.open(self._what, self._total, self._done)


def _is_watched() -> bool:
    """Return whether stderr is a terminal, or this is a notebook."""
    return (sys.stderr is not None and sys.stderr.isatty()) or _is_notebook()


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Screen:
    """The lines of all work in progress: one display for the process, which is gone when the last line is closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._display: Any = None
        self._lines = 0

    def open(self, what: str, total: int | None, done: int) -> Any:
        with self._lock:
            if self._display is None:
                self._display = _display()
                self._display.start()
            self._lines += 1
            return self._display.add_task(what, total=total, completed=done)

    def advance(self, line: Any, done: int) -> None:
        with self._lock:
            self._display.update(line, completed=done)

    def close(self, line: Any) -> None:
        with self._lock:
            self._display.remove_task(line)
            self._lines -= 1
            if not self._lines:
                self._display.stop()
                self._display = None


def _display() -> Any:
    if _is_notebook() and find_spec("ipywidgets") is None:  # which rich needs there
        return _Cell()
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    except ImportError:
        return _Plain()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(file=sys.stderr), transient=True)


class _Plain:
    """What is shown without rich: the line that changed last, in plain text."""

    def __init__(self) -> None:
        self._tasks: list[tuple[str, int | None]] = []
        self._width = 0

    def start(self) -> None:
        """Show nothing yet."""

    def stop(self) -> None:
        self._write("")

    def add_task(self, what: str, total: int | None, completed: int) -> int:
        self._tasks.append((what, total))
        self.update(len(self._tasks) - 1, completed)
        return len(self._tasks) - 1

    def update(self, task: int, completed: int) -> None:
        what, total = self._tasks[task]
        self._write(f"{what}: {completed / total:.0%}" if total else f"{what} ..")

    def remove_task(self, task: int) -> None:
        self._tasks[task] = ("", None)

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
        sys.stderr.flush()
        self._width = len(text)


class _Cell(_Plain):
    """The same as an output of a notebook's cell, which is empty in the end."""

    _output: Any = None

    def _write(self, text: str) -> None:
        display = importlib.import_module("IPython.display").display
        content = {"text/plain": text}
        if self._output is None:
            self._output = display(content, raw=True, display_id=True)
        else:
            self._output.update(content, raw=True)


_SCREEN = _Screen()
