"""A leaderboard, or two runs, as one HTML page that needs no network, and no script to be read."""

from ._changes import comparison_report
from ._leaderboard import html_report

__all__ = ["comparison_report", "html_report"]
