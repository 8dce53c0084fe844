"""One of several things a file offers: the one the user names, or the only one there is."""

from __future__ import annotations

from collections.abc import Collection

from ..errors import OutcomeError
from ..labels import listed


def chosen(wanted: str | None, offered: Collection[str], noun: str, option: str) -> str:
    """The one of ``offered`` that is wanted, by its name or by the part after its last slash.

    >>> chosen("quality", ["judge/quality", "judge/style"], "score", "metric")
    'judge/quality'
    """
    if not offered:
        raise OutcomeError(f"there is no {noun}")
    if wanted is None and len(offered) == 1:
        return next(iter(offered))
    if wanted is None:
        raise OutcomeError(f"there are several {noun}s, choose one with {option}=...: {listed(offered)}")
    found = [name for name in offered if name == wanted] or [
        name for name in offered if name.rpartition("/")[2] == wanted
    ]
    if len(found) != 1:
        raise OutcomeError(
            f"{option}={wanted!r} names {len(found) or 'no'} {noun}{'s' if found else ''} of: {listed(offered)}"
        )
    return found[0]
