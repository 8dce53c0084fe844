"""Pages that load nothing, made of sections, which read the same where their script does not run."""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

from .._base.exports import Exports
from .._base.table import Table, plain
from ..inference import Methods
from ..plot.charts import chart, has_chart
from ._drawing import Html, element, figure, joined, name_of

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"  # this script and no other
_LONG = 30  # characters of a cell of text that is broken over lines
_OPEN = 40  # rows of a table that is not folded
_ROW_NAMES = ("question", "run", "model", "first", "task", "metric")  # columns that name rows, the first that there is


class Part(NamedTuple):
    """A section, its anchor and its title in the list of sections."""

    anchor: str
    title: str
    body: Html


def section(anchor: str, heading: str, *parts: str, title: str = "") -> Part:
    """Make a section that folds, with a heading that can be linked to; the heading is also its title by default."""
    summary = element("summary", element("h2", heading, id=anchor))
    fold = element("details", summary, *parts, open="", class_="section")
    return Part(anchor, title or heading, element("section", fold, aria_labelledby=anchor))


def method(methods: Methods) -> Part:
    """Say how the numbers were computed, as for a paper, without the references."""
    return section("method", "Method", paragraph(plain(re.sub(r" \[@[^]]*\]", "", methods.text))))


def paragraph(*parts: str, **attributes: Any) -> Html:
    """Make a paragraph."""
    return element("p", *parts, **attributes)


def folded(line: str, *parts: str) -> Html:
    """Make a line that unfolds."""
    return element("details", element("summary", line), *parts)


def listed(sentences: Iterable[str]) -> Html:
    """List sentences, each with a full stop."""
    return element("ul", *(element("li", f"{text}.") for text in sentences), class_="verdicts")


def sentence(text: str) -> str:
    """Return the text as a sentence."""
    line = plain(text)
    return f"{line[:1].upper()}{line[1:]}."


def shown(written: Table, title: str = "", **attributes: Any) -> list[Html]:
    """Return a table that scrolls by itself where it is too wide, with its notes below.

    The column that names the rows stands on the left.
    """
    heads, *rows = written.lines()
    at = heads.index(next((name for name in _ROW_NAMES if name in heads), heads[0]))
    order = [at, *(i for i in range(len(heads)) if i != at)]
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)] or [0] * len(heads)
    looks = [
        None if column.right else "long" if most > _LONG else "text"
        for column, most in zip(written.columns, longest, strict=True)
    ]
    top = element("tr", *(element("th", heads[i], scope="col", class_=looks[i]) for i in order))
    lines = (
        [element("th", name_of(row[at]), scope="row"), *(element("td", row[i], class_=looks[i]) for i in order[1:])]
        for row in rows
    )
    body = element("tbody", *(element("tr", *cells) for cells in lines))
    parts = element("caption", caption := title or plain(written.title)), element("thead", top), body
    region = {"class_": "scroll", "tabindex": "0", "role": "region", "aria_label": caption}
    notes = (paragraph(f"{plain(note)}.") for note in written.remarks)
    return [element("div", element("table", *parts, **attributes), **region), *notes]


def result_section(anchor: str, heading: str, result: Exports, said: Sequence[str] = ()) -> Part:
    """Show any result: what it says, its picture if it has one, and its tables; a long one is folded."""
    told = list(filter(None, said or [result.as_sentence()]))
    parts = [*[listed(told)] * bool(told), *([figure(chart(result))] if has_chart(result) else [])]
    for table in result.tables():
        written = table._replace(notes=[note for note in table.notes if note not in told])
        parts += shown(written) if len(table.cells) <= _OPEN else [folded(sentence(table.title)[:-1], *shown(written))]
    return section(anchor, heading, *parts)


def document(title: str, facts: Mapping[str, str], note: str, parts: Sequence[Part], settings: str, first: str) -> str:
    """Write a page; ``facts`` are what is known of its subject, and ``first`` names its first section."""
    extent = (element("div", element("dt", name), element("dd", plain(fact))) for name, fact in facts.items() if fact)
    links = (element("li", element("a", part.title, href=f"#{part.anchor}")) for part in parts)
    about = [paragraph(note, class_="extent")] * bool(note)
    body = [
        element("a", f"Skip to the {first}", href=f"#{parts[0].anchor}", class_="skip"),
        element("header", element("h1", title), element("dl", *extent, class_="extent"), *about),
        element("nav", element("ul", *links), aria_label="Sections"),
        element("main", *(part.body for part in parts)),
        element("footer", paragraph(f"{settings}. Made with scorio {version('scorio')}.")),
        element("script", Html(_file("script.js"))),
    ]
    return f"<!doctype html>\n{element('html', _head(title), element('body', *body), lang='en')}\n"


def _head(title: str) -> Html:
    digest = base64.b64encode(sha256(_file("script.js").encode()).digest()).decode()
    metas = (
        {"charset": "utf-8"},
        {"http_equiv": "Content-Security-Policy", "content": _POLICY.format(digest=digest)},
        {"name_": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name_": "color-scheme", "content": "light dark"},
    )
    style = element("style", Html(_file("style.css")))
    return element("head", joined([*(element("meta", **meta) for meta in metas), element("title", title), style]))


def _file(name: str) -> str:
    return files("scorio.report").joinpath(name).read_text(encoding="utf-8")


def today() -> str:
    """Return the date."""
    return datetime.now().astimezone().date().isoformat()
