"""HTML elements, whose text is always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

_VOID = {"meta", "br", "line", "circle", "path", "polygon", "polyline"}


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Join parts; those that are not HTML are escaped."""
    return Html(between.join(part if isinstance(part, Html) else escape(part) for part in parts))


def element(name: str, *children: str, **attributes: Any) -> Html:
    """Make an element; None and False omit an attribute, and underscores in its name become hyphens or are stripped.

    >>> element("p", "a < b", class_="note", hidden=False)
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}/>" if name in _VOID else f"<{name}{written}>{joined(children)}</{name}>")


def table(caption: str, heads: Iterable[str], rows: Iterable[tuple[str, ...]], **attributes: Any) -> Html:
    """Make a table that scrolls by itself where it is too wide; the first cell of a row is its heading."""
    top = joined(element("th", head, scope="col") for head in heads)
    body = joined(
        element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))
        for first, *rest in rows
    )
    inside = element(
        "table", element("caption", caption), element("thead", element("tr", top)), element("tbody", body), **attributes
    )
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=caption)
