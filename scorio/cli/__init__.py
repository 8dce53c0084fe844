"""The command line ``scorio``: from logs to scores, leaderboards, comparisons, plans, pictures and reports."""

import os
import sys
from pathlib import Path

from .._base.jobs import interruptions_noted

__all__ = ["main"]


def main() -> None:
    """Run the command line; without click, say how to install it."""
    if sys.stderr is None:  # closed by the caller
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the end
    with interruptions_noted():
        try:
            from ._program import program
        except ModuleNotFoundError as error:
            if error.name != "click":
                raise
            sys.stderr.write("scorio: the command line needs click: pip install click\n")
            sys.exit(2)
        program(prog_name="scorio")
