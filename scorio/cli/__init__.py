"""The command line ``scorio``: from logs to scores, leaderboards, comparisons, plans, pictures and reports."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line; without click, say how to install it."""
    if sys.stderr is None:  # closed by the caller
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
    try:
        from ._program import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write('scorio: the command line needs click: pip install "scorio[cli]"\n')
        sys.exit(2)
    program(prog_name="scorio")
