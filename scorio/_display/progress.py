"""Progress of work that takes more than a second: a line on a terminal or in a notebook's cell, gone in the end."""

import importlib
import sys
import threading
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 1.0  # seconds before progress is shown


class Progress:
    """Show how much of the work is done, from ``PATIENCE`` seconds on; without a ``total``, only that it goes on.

    Of work inside other work, what changed last is shown. Nothing is shown where nobody watches, as in a file or a log.
    """

    def __init__(self, what: str, total: int | None = None, enabled: bool = True) -> None:
        self._what, self._total, self._done, self._start = what, total, 0, time.monotonic()
        self.enabled: bool = enabled and _is_watched()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if self.enabled:
            self._timer = threading.Timer(PATIENCE, _LINE.show, [self])
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            _LINE.close(self)

    def add(self, done: int = 1) -> None:
        """Count ``done`` more parts of the work as done."""
        self._done += done
        if self._timer is not None and self._timer.finished.is_set():
            _LINE.show(self)

    def __str__(self) -> str:
        part = f": {self._done / self._total:.0%}, {time.monotonic() - self._start:.0f} s" if self._total else " .."
        return f"{self._what}{part}"


def _is_watched() -> bool:
    """Return whether stderr is a terminal, or this is a notebook."""
    return (sys.stderr is not None and sys.stderr.isatty()) or _is_notebook()


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Line:
    """The line of the process: the work that changed last, and in the end nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._works: list[Progress] = []
        self._width = 0
        self._cell: Any = None

    def show(self, work: Progress) -> None:
        with self._lock:
            if work not in self._works:
                self._works.append(work)
            self._write(str(work))

    def close(self, work: Progress) -> None:
        with self._lock:
            if work in self._works:
                self._works.remove(work)
                self._write(str(self._works[-1]) if self._works else "")

    def _write(self, text: str) -> None:
        if not _is_notebook():
            sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            sys.stderr.flush()
            self._width = len(text)
        elif self._cell is not None:
            self._cell.update({"text/plain": text}, raw=True)
        else:
            display = importlib.import_module("IPython.display").display
            self._cell = display({"text/plain": text}, raw=True, display_id=True)
        if not text:
            self._cell = None


_LINE = _Line()
