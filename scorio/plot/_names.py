"""Names that fit beside a picture."""

from collections import Counter
from collections.abc import Sequence
from os.path import commonprefix

from .._display.table import plain

LONGEST = 60  # characters of a name
_BEFORE = 15  # characters shown before the place where names differ


def short_name(name: str) -> str:
    """Write a name on one line, without its middle if it is long.

    >>> short_name("a" * 40 + "b" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb'
    """
    line = plain(name)
    half = (LONGEST - 1) // 2
    return line if len(line) <= LONGEST else f"{line[:half]}…{line[-half:]}"


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten names that are shown together; names that ``short_name`` would make equal keep the part that differs.

    >>> for name in short_names([f"{'maker/' * 6}model-{size}-{'tuned-' * 6}" for size in ("7b", "70b")]):
    ...     print(name)
    …r/maker/model-7b-tuned-tuned-tuned-tuned-tuned-tuned-
    …r/maker/model-70b-tuned-tuned-tuned-tuned-tuned-tuned-
    """
    lines = list(map(plain, names))
    shown = list(map(short_name, lines))
    counts = Counter(map(short_name, set(lines)))
    equal = {name: [line for line in lines if short_name(line) == name] for name, count in counts.items() if count > 1}
    return [
        _from_difference(line, equal[name]) if name in equal else name for line, name in zip(lines, shown, strict=True)
    ]


def _from_difference(line: str, equal: Sequence[str]) -> str:
    """Return the name from shortly before it differs from the others, or all of it if that is the same for two."""

    def part(name: str) -> str:
        rest = name[start:]
        return f"…{rest}" if len(rest) < LONGEST else f"…{rest[: LONGEST - 2]}…"

    start = max(len(commonprefix(equal)) - _BEFORE, 1)  # noqa: RUF071 - of characters
    return part(line) if len(set(map(part, equal))) == len(set(equal)) else line
