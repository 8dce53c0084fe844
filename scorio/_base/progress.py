"""Progress of work that takes more than a second: a line on a terminal or in a notebook's cell, gone in the end."""

import importlib
import sys
import threading
import time
from typing import Any, Self

PATIENCE = 1.0  # seconds before progress is shown


class Progress:
    """Show how much of the work is done, from ``PATIENCE`` seconds on; without a ``total``, only that it goes on.

    Of work inside other work, what changed last is shown. Nothing is shown where nobody watches, as in a file or a log.
    """

    def __init__(self, what: str, total: int | None = None, enabled: bool = True) -> None:
        self._what, self._total, self._done, self._start = what, total, 0, time.monotonic()
        self.enabled: bool = enabled and (_is_notebook() or (sys.stderr is not None and sys.stderr.isatty()))
        self._timer = threading.Timer(PATIENCE, lambda: self._write(str(self)))
        self._timer.daemon = True
        self._width = 0
        self._cell: Any = None

    def __enter__(self) -> Self:
        if self.enabled:
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            self._timer.cancel()
            self._timer.join()
            self._write("")

    def add(self, done: int = 1) -> None:
        """Count ``done`` more parts of the work as done."""
        self._done += done
        if self._timer.finished.is_set():
            self._write(str(self))

    def __str__(self) -> str:
        part = f": {self._done / self._total:.0%}, {time.monotonic() - self._start:.0f} s" if self._total else " .."
        return f"{self._what}{part}"

    def _write(self, text: str) -> None:
        """Write a text over the one before; an empty one leaves nothing."""
        if not (text or self._width):
            return
        if not _is_notebook():
            sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            sys.stderr.flush()
        elif self._cell is not None:
            self._cell.update({"text/plain": text}, raw=True)
        else:
            display: Any = importlib.import_module("IPython.display").display
            self._cell = display({"text/plain": text}, raw=True, display_id=True)
        self._width = len(text)


def _is_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
