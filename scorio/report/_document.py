"""An HTML document that loads nothing, made of sections, which reads the same where its script does not run."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import NamedTuple

from . import _sections as sections
from ._markup import Html, element, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"  # this script and no other


class Part(NamedTuple):
    """A section, its anchor and its title in the list of sections."""

    anchor: str
    title: str
    body: Html


def document(
    title: str, facts: Sequence[tuple[str, str]], note: str, parts: Sequence[Part], settings: str, first: str
) -> str:
    """Write a page; ``first`` names its first section in the link that skips to it."""
    body = [
        element("a", f"Skip to the {first}", href=f"#{parts[0].anchor}", class_="skip"),
        element(
            "header",
            element("h1", title),
            sections.facts(facts),
            *([element("p", note, class_="extent")] if note else []),
        ),
        sections.contents([(each.anchor, each.title) for each in parts]),
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
