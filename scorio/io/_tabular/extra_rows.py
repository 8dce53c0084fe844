"""Rows that are no trials: means and sums over the questions of a table, and rows that another file holds as well."""

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, permutations
from pathlib import Path
from statistics import fmean

from ..._display.words import warn
from ...errors import OutcomeError, PoolingWarning
from .._files import LogFile
from .._records import Source, Trials
from . import is_table

_SUMMARIES = (
    "average avg mean total overall sum all accuracy acc score durchschnitt mittelwert mittel gesamt summe "
    "moyenne media promedio "
    "suma média soma gemiddelde totaal среднее итого 平均 合计 总计 合計 평균"
)
_MOST_WORDS = 3  # of a name such as "macro avg score"; a longer text is a question
_LETTERS = re.compile(r"[^\W\d_]+")
_SUMMARY = re.compile(rf"(?<![^\W\d_])({'|'.join(_SUMMARIES.split())})(?![^\W\d_])")
_NEAR = 0.006  # a mean is often written with two decimals
_PERCENT = 100  # times a mean
_MOST_FILES, _MOST_BYTES = 50, 1 << 25  # of all tables that are compared with each other


def check_no_summary(trials: Trials, form: str) -> None:
    """Check that no row holds the means or the sums of the other rows, as sheets often have below the questions."""
    suspects = [name for name in set(trials.questions) if _SUMMARY.search(name.casefold())]
    for name in sorted(filter(_is_short, suspects)):
        if _is_summary(trials, name, form):
            hint = "remove the row: scorio computes means itself"
            raise OutcomeError(f"the row {name!r} is no question: it holds the means or sums of the others", hint=hint)


def _is_short(name: str) -> bool:
    """Return whether a name has few words, and no number.

    >>> [_is_short(name) for name in ("Macro avg:", "sum-12", "What is the sum of these numbers?")]
    [True, False, False]
    """
    return len(_LETTERS.findall(name)) <= _MOST_WORDS and not any(map(str.isdigit, name))


def _is_summary(trials: Trials, name: str, form: str) -> bool:
    """Return whether the outcomes of a question are the means or sums of all others, column by column."""
    suspect: dict[Hashable, list[float]] = defaultdict(list)
    others: dict[Hashable, list[float]] = defaultdict(list)
    for question, key, outcome, times in zip(*trials[:3], trials.times, strict=True):
        place = key if form in ("wide", "counts") else None
        if outcome is not None:
            value = [float(times)] if form == "counts" else [outcome] * times
            (suspect if question == name else others)[place] += value
    if not suspect or not suspect.keys() <= others.keys():
        return False
    means = all(_is_mean(fmean(values), fmean(others[place])) for place, values in suspect.items())
    sums = all(abs(math.fsum(values) - math.fsum(others[place])) < _NEAR for place, values in suspect.items())
    is_new = bool({*chain(*suspect.values())} - {*chain(*others.values())})
    return sums if form == "counts" else (means or sums) and (is_new or (form == "wide" and len(suspect) > 1))


def _is_mean(value: float, mean: float) -> bool:
    """Return whether a value is a mean as people write it: rounded, and perhaps as a percentage."""
    return abs(value - mean) < _NEAR or (0 < mean < 1 < value and abs(value - _PERCENT * mean) < _PERCENT * _NEAR)


def warn_of_repeated_rows(sources: Iterable[Source]) -> None:
    """Warn of tables without numbered trials all of whose rows are rows of another file, in the same order."""
    of: dict[tuple[str, str | None], dict[Path, None]] = defaultdict(dict)
    for source in sources:
        if source.format == "table" and "trial" not in source.run.notes:
            of[source.run.model, source.run.task] |= dict.fromkeys(source.paths)
    pairs = {pair for paths in of.values() if 1 < len(paths) <= _MOST_FILES for pair in _repeated(list(paths))}
    for path, other in sorted(pairs):
        message = f"all rows of {path} are rows of {other}, in the same order, and count twice: read one of them"
        warn(f"{message}, or number the trials", PoolingWarning)


def _repeated(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    texts = [LogFile(path) for path in paths if path.is_file()]
    if sum(file.size for file in texts) > _MOST_BYTES:
        return
    lines = {file.path: _lines(file) for file in texts if not file.head.startswith((b"PAR1", b"PK"))}
    for (path, part), (other, whole) in permutations(lines.items(), 2):
        if part[0] == whole[0] and 1 < len(part) < len(whole) and _is_part(part[1:], whole[1:]):
            yield path, other


def _lines(file: LogFile) -> list[bytes]:
    """Return the header, which is empty for JSON lines, and the lines of a table."""
    lines = [line.rstrip(b"\r") for line in file.content().split(b"\n") if line.strip()]
    return [b"", *lines] if file.is_json or not is_table(file) else lines


def _is_part(part: Sequence[bytes], whole: Sequence[bytes]) -> bool:
    """Return whether lines stand in others as one block, or in order if no two of the others are equal."""
    if len(set(whole)) == len(whole):
        rest = iter(whole)
        return all(line in rest for line in part)
    return b"\n" + b"\n".join(part) + b"\n" in b"\n" + b"\n".join(whole) + b"\n"
