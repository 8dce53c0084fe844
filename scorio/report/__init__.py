"""A leaderboard as one page for people: HTML that needs no network and no script."""

from .page import html_report

__all__ = ["html_report"]
