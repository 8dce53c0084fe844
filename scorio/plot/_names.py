"""Names that fit beside a picture."""

from collections.abc import Sequence

from .._display.table import plain

LONGEST = 60  # characters of a name


def short_name(name: str) -> str:
    """Write a name on one line, without its middle if it is long.

    >>> short_name("a" * 40 + "b" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    """
    line = plain(name)
    half = (LONGEST - 1) // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[-half:]}"


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten names that are shown together; those that would then be equal stay as they are."""
    lines = list(map(plain, names))
    shown = list(map(short_name, lines))
    return [
        short if shown.count(short) == lines.count(line) else line for line, short in zip(lines, shown, strict=True)
    ]
