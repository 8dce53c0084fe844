"""The command line ``scorio``: from logs to scores, leaderboards, comparisons, plans, pictures and reports."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; without click, say how to get it."""
    try:
        from .program import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit('scorio: the command line needs click: pip install "scorio[cli]"')
    program(prog_name="scorio")
