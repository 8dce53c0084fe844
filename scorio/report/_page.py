"""Pages that load nothing, made of sections, which read the same where their script does not run."""

import base64
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files

from ..comparison import History
from ..curves import Horizons
from ..outcomes import Suite
from ..params import check_result
from ..rank import Leaderboard
from . import _findings as findings
from . import _forecast as ahead
from . import _history as past
from . import _horizon as horizon
from . import _questions as questions
from . import _sections as sections
from . import _text as words
from ._drawing import Html, element, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"  # this script and no other


def document(
    title: str, facts: Sequence[tuple[str, str]], note: str, parts: Sequence[sections.Part], settings: str, first: str
) -> str:
    """Write a page; ``first`` names its first section in the link that skips to it."""
    body = [
        element("a", f"Skip to the {first}", href=f"#{parts[0].anchor}", class_="skip"),
        element(
            "header", element("h1", title), sections.facts(facts), *[element("p", note, class_="extent")] * bool(note)
        ),
        sections.contents(parts),
        element("main", *(each.body for each in parts)),
        element("footer", element("p", f"{settings}. Made with scorio {version('scorio')}.")),
        element("script", Html(_file("script.js"))),
    ]
    return f"<!doctype html>\n{element('html', _head(title), element('body', *body), lang='en')}\n"


def today() -> str:
    """Return the date."""
    return datetime.now().astimezone().date().isoformat()


def _head(title: str) -> Html:
    digest = base64.b64encode(sha256(_file("script.js").encode()).digest()).decode()
    metas = (
        {"charset": "utf-8"},
        {"http_equiv": "Content-Security-Policy", "content": _POLICY.format(digest=digest)},
        {"name_": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name_": "color-scheme", "content": "light dark"},
    )
    style = element("style", Html(_file("style.css")))
    return element("head", joined([*(element("meta", **each) for each in metas), element("title", title), style]))


def _file(name: str) -> str:
    return files("scorio.report").joinpath(name).read_text(encoding="utf-8")


def html_report(
    board: Leaderboard,
    *,
    history: History | None = None,
    horizons: Horizons | None = None,
    title: str = "Leaderboard",
    task: str = "",
    source: str = "",
    date: str = "",
    note: str = "",
) -> str:
    """Write a leaderboard as a page: ranks, intervals, Pass@k curves, completeness, and the method.

    Where Pass@k or Pass^k takes more trials than there are (``too_few="nan"``), a forecast shows what they would give.
    Of a suite it shows the overall ranking, the scores and rankings by task, and comparisons with the top model. The
    questions follow: those with a flag, and the hardest. A ``history`` of these models adds their scores over runs,
    and ``horizons`` the values of questions at which their success crosses rates.

    ``task`` and ``source``, where the outcomes come from, stand on top if they are given, with the ``date``, by default
    today, the number of models, questions and trials, and ``note``, a line about the data.

    The page is one file that loads nothing. Its tables sort by a click on a heading, and long ones can be filtered;
    without JavaScript it reads the same. It follows the reader's light or dark setting, and reads well on a phone, by
    keyboard and with a screen reader.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> html_report(board).startswith("<!doctype html>")
    True
    """
    check_result("scorio.Leaderboard", "board", board, Leaderboard)
    outcomes, trials = board.outcomes, findings.trials_by_task(board.outcomes)
    ranked = list(enumerate(board.rankings, 1))
    parts = [sections.board(each, f"board-{i}", board.verdicts(each.metric)) for i, each in ranked]
    if isinstance(outcomes, Suite):
        parts += [sections.by_task(each, f"tasks-{i}") for i, each in ranked]
        parts += [sections.comparisons(board, each, f"against-{i}") for i, each in ranked]
    else:
        parts.append(sections.curves(board, outcomes))
    parts += ahead.sections(board)
    parts += [] if horizons is None else [horizon.part(horizons)]
    parts.append(sections.completeness(trials))
    parts += [
        questions.section(board),
        *([past.section(history)] if history else []),
        sections.method(board.to_methods()),
    ]
    facts = words.extent(board, findings.all_trials(trials), task, source, date or today())
    return document(title, facts, note, parts, board.rankings[0].about, "leaderboard")
