"""The page: everything in one file, with nothing loaded and nothing run."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files

from ..rank import Leaderboard
from . import findings, sections, words
from .markup import Html, element, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_report(board: Leaderboard, *, title: str = "Leaderboard") -> str:
    """A leaderboard as a page: ranks, intervals, Pass@k curves, coverage, more trials to run, and what it all means.

    The page is one file that loads nothing; it follows the reader's light or dark, and reads well on a phone, by
    keyboard and aloud.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> html_report(board).startswith("<!doctype html>")
    True
    """
    covered = findings.coverage(board.outcomes)
    boards = [(f"board-{i}", str(each.metric)) for i, each in enumerate(board.standings, 1)]
    curves = findings.curves(board)
    rest = [("curves", f"{curves.family}@k"), ("coverage", "Coverage"), ("more", "More trials")]
    links = [*boards, *rest, ("meaning", "What this means")]
    body = [
        element("a", "Skip to the leaderboard", href="#board-1", class_="skip"),
        element("header", element("h1", title), element("p", words.extent(board, covered), class_="extent")),
        sections.contents(links),
        element(
            "main",
            *(sections.board(each, anchor) for each, (anchor, _) in zip(board.standings, boards, strict=True)),
            sections.curves(curves, board.settings.percent),
            sections.coverage(covered),
            sections.more(board),
            sections.meaning(board),
        ),
        element("footer", element("p", f"{board.settings}. Made with scorio {version('scorio')}.")),
    ]
    return f"<!doctype html>\n{element('html', _head(title), element('body', *body), lang='en')}\n"


def _head(title: str) -> Html:
    style = files("scorio.report").joinpath("style.css").read_text(encoding="utf-8")
    metas = (
        {"charset": "utf-8"},
        {"http_equiv": "Content-Security-Policy", "content": _POLICY},
        {"name_": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name_": "color-scheme", "content": "light dark"},
    )
    parts = [*(element("meta", **each) for each in metas), element("title", title), element("style", Html(style))]
    return element("head", joined(parts))
