"""lighteval details: Parquet with the columns doc, metric and model_response, rows in any order.

A metric is a number per document. If it is the mean over ``n`` samples, the number of successes is that mean times
``n``; G-Pass at several thresholds may determine it too. Any other number about several samples does not say how many
succeeded.

G-Pass@K at threshold T of a question with c successes in n samples is the probability that at least max(ceil(K T), 1)
of K samples, drawn without replacement, succeed: a sum of at most K + 1 integers divided by an integer, so that nothing
overflows.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..._base.words import shorten
from ...errors import OutcomeError, within
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, names_in
from .._tabular import is_parquet
from .._tabular.parquet import ParquetTable

_COLUMNS = {"doc", "metric", "model_response"}
_SAMPLED = re.compile(r"(?P<kind>g-pass|pass|maj|avg)@(?P<number>\w+)(?::(?P<settings>.*))?$")
_OLD_SETTINGS = re.compile(r"(?P<n>\d+)(?:_samples)?")  # as in pass@1:8_samples
_NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.parquet")
_Row = tuple[str, dict[str, Any], int | None, int]  # document, metrics, number of samples, number of equal rows
_G_PASS = re.compile(r"(?:.*[_\-/ ])?g-pass@(?P<k>\d+)(?::[^_]*)?_(?P<threshold>\d*\.?\d+)(?::.*)?")
_NEAR = 1e-9  # values of G-Pass may differ by this, for rounding
_WHOLE = 1e-6  # a mean times n may differ from a whole number by this, for rounding


class LightevalFormat(Format):
    """Details of lighteval."""

    name = "lighteval"
    is_json = False
    options = frozenset({"score", "levels"})
    companions = (
        Companion(
            document_with("config_general", "results", "versions"),
            "lighteval's results file has only means: read the details, .parquet",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return is_parquet(file) and set(ParquetTable(file).columns) >= _COLUMNS

    def read(self, file: LogFile, request: Request) -> Run:
        name, model = file.named(_NAME), _model(file.path)
        task, date = name.get("task"), name.get("date", "")
        if not request.wants(task):
            return Run(model, [], date, task)
        table = ParquetTable(file)
        texts = [name for name in sorted(_COLUMNS) if not table.kinds[name].startswith("STRUCT")]
        if texts:
            what = f"the columns {shorten(texts)} are {table.kinds[texts[0]]}"
            raise OutcomeError(f"{what}: the tool failed to write them as structs")
        values = table.values(("doc.id", "metric", "len(model_response.text)"))
        rows = [(At(name, key="doc.id").text, metrics or {}, texts, n) for name, metrics, texts, n in values]
        measure = _measure(rows, request)
        trials = []
        for row in sorted(rows, key=lambda row: (len(row[0]), row[0])):
            with within(f"document {row[0]!r}"):
                trials += _trials(row, measure, request)
        kind = "g-pass" if _G_PASS.fullmatch(measure) else measure
        return Run(model, trials, date, task, kind, model_from="folder")


def _measure(rows: Sequence[_Row], request: Request) -> str:
    """Return the metric that is read: one that says how many samples succeeded, if the user chose none."""
    names = names_in(At({name: value for name, value in metric.items() if value is not None}) for _, metric, *_ in rows)
    g_pass = [name for name in names if _G_PASS.fullmatch(name)]
    return request.measure(names, "metric", _readable(rows, names) or g_pass[:1])


def _readable(rows: Sequence[_Row], names: Sequence[str]) -> Sequence[str]:
    """Return the metrics that say how many samples succeeded, each number once."""
    distinct: dict[tuple[Any, ...], str] = {}
    for name in names:
        sampled = _sampled(name)
        if sampled and not sampled[0]:
            continue
        if sampled is None and any((texts or 1) > 1 for _, _, texts, _ in rows):
            continue
        drawn = sampled[1] if sampled else None
        values = tuple(_successes(metric.get(name), drawn or texts or 1) for _, metric, texts, _ in rows)
        distinct.setdefault(values, name)
    return list(distinct.values())


def _successes(value: Any, drawn: int) -> tuple[Any, int]:
    """Return how many of so many samples succeeded, if the value says so: equal shares may differ in the last digit."""
    if type(value) in (int, float) and abs(value * drawn - round(value * drawn)) <= _WHOLE * drawn:
        return round(value * drawn), drawn
    return value, drawn


def _trials(row: _Row, measure: str, request: Request) -> list[Trial]:
    """Return the trials of a document, counted by their outcomes."""
    question, metric, texts, many = row
    if many > 1:
        raise OutcomeError(f"it is there {many} times")
    if _G_PASS.fullmatch(measure):  # of which the values at all thresholds together tell the number of successes
        values, drawn = {name: value for name, value in metric.items() if _G_PASS.fullmatch(name)}, texts or 0
        successes = None if None in values.values() else _successes_of_g_pass(values, drawn)
        return _counted(question, successes, drawn, drawn)
    sampled = _sampled(measure)
    outcome = request.outcome(metric.get(measure))
    if sampled is None and (texts or 1) > 1:
        raise OutcomeError(f"{measure!r} is one number about {texts} samples: how many succeeded is not stored")
    if sampled is None:
        return [Trial(question, 0, outcome)]
    if not sampled[0]:
        what = f"{measure!r} is about several samples together"
        raise OutcomeError(f"{what}; read pass@k:k=1 or avg@n if the file has them")
    drawn = sampled[1] or texts or 1
    if outcome is None:
        return _counted(question, None, drawn, drawn)
    successes = round(outcome * drawn)
    if abs(outcome * drawn - successes) > _WHOLE * drawn or not 0 <= successes <= drawn:
        raise OutcomeError(f"{measure!r} is {outcome}, which is no number of successes of {drawn} samples")
    return _counted(question, successes, max(successes, min(drawn, texts)) if texts else drawn, drawn)


def _counted(question: str, successes: int | None, present: int, drawn: int) -> list[Trial]:
    """Return so many drawn trials, of which some are present and some of these succeeded; None if nobody knows."""
    right = successes or 0
    split = {1.0: right, 0.0: present - right, None: drawn - present} if successes is not None else {None: drawn}
    return [Trial(question, str(outcome), outcome, times=count) for outcome, count in split.items() if count]


def _sampled(metric: str) -> tuple[bool, int | None] | None:
    """Return whether a metric about several samples is their mean, and their number, if its name says so."""
    match = _SAMPLED.search(metric)
    if match is None:
        return None
    kind, number, text = match.groups("")
    settings, old = dict(re.findall(r"(\w+)=(\w+)", text)), _OLD_SETTINGS.fullmatch(text)
    count = settings.get("n") or (old["n"] if old else number if kind == "avg" else "")
    is_mean = kind == "avg" or (kind == "pass" and settings.get("k", number) == "1")
    return is_mean, int(count) if count.isdecimal() else None


def _model(path: Path) -> str:
    """Return the part of the path between ``details`` and the date, else the folder's name."""
    folders = path.resolve().parent.parts
    if "details" in folders[:-1]:
        start = len(folders) - folders[::-1].index("details")
        return "/".join(folders[start:-1] or folders[start:])
    return folders[-1]


def _successes_of_g_pass(values: Mapping[str, float], n: int) -> int:
    """Return the number of successes in ``n`` samples for which G-Pass has these values, by name.

    >>> _successes_of_g_pass({"g-pass@4_0.5": 53 / 70, "g-pass@4_1.0": 1 / 70}, 8)
    4
    """
    matches = [(_G_PASS.fullmatch(name), value) for name, value in values.items()]
    told = [(int(match["k"]), float(match["threshold"]), value) for match, value in matches if match]
    fitting = [c for c in range(n + 1) if all(abs(_tail(n, c, *law) - value) < _NEAR for *law, value in told)]
    if not fitting:
        raise OutcomeError(f"no number of successes of {n} samples gives the values of {', '.join(values)}")
    if len(fitting) > 1:
        counts = " or ".join(map(str, fitting))
        raise OutcomeError(f"{', '.join(values)} do not determine the successes of {n} samples: {counts}")
    return fitting[0]


@lru_cache(1 << 12)
def _tail(n: int, c: int, k: int, threshold: float) -> float:
    """Return the probability that at least max(ceil(k threshold), 1) of k samples succeed."""
    if k > n:
        raise OutcomeError(f"G-Pass@{k} needs {k} samples, but there are {n}")
    least = max(math.ceil(k * threshold), 1)
    ways = sum(math.comb(c, j) * math.comb(n - c, k - j) for j in range(least, k + 1))
    return ways / math.comb(n, k)
