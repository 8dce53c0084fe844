"""lighteval details: Parquet with the columns doc, metric and model_response, rows in any order.

A metric is a number per document. If it is the mean over ``n`` samples, the number of successes is that mean times
``n``; G-Pass at several thresholds may determine it too. Any other number about several samples does not say how many
succeeded.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..._display.words import shorten
from ...errors import OutcomeError, within
from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._tabular import is_parquet
from .._tabular.sql import ParquetTable
from .._walk import At
from .g_pass import G_PASS, successes_of_g_pass
from .lighteval_answers import answers_of, trials_with_answers

_COLUMNS = {"doc", "metric", "model_response"}
_SAMPLED = re.compile(r"(?P<kind>g-pass|pass|maj|avg)@(?P<number>\w+)(?::(?P<settings>.*))?$")
_OLD_SETTINGS = re.compile(r"(?P<n>\d+)(?:_samples)?")  # as in pass@1:8_samples
_NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.parquet")
_Row = tuple[str, dict[str, Any], int | None, int]  # document, metrics, number of samples, number of equal rows
_WHOLE = 1e-6  # a mean times n may differ from a whole number by this, for rounding


class LightevalFormat(Format):
    """Details of lighteval."""

    name = "lighteval"
    options = frozenset({"score", "levels", "answers", "scores"})
    companions = (
        Companion(
            lambda file: file.has_keys("config_general", "results", "versions"),
            "lighteval's results file has only means: read the details, .parquet",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return is_parquet(file) and set(ParquetTable(file).columns) >= _COLUMNS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _NAME.fullmatch(file.path.name)
        task, date = (name["task"], name["date"]) if name else (None, None)
        run = Run(_model(file.path), [], date or file.digest, task, model_from="folder")
        return [_filled(run, ParquetTable(file), request) if request.wants(task) else run]


def _check_structs(kinds: Mapping[str, str]) -> None:
    """Check that the columns are structs: the tool writes text if it fails to write structs."""
    texts = [name for name in sorted(_COLUMNS) if not kinds[name].startswith("STRUCT")]
    if texts:
        what = f"the columns {shorten(texts)} are {kinds[texts[0]]}"
        raise OutcomeError(f"{what}: the tool failed to write them as structs")


def _filled(run: Run, table: ParquetTable, request: Request) -> Run:
    _check_structs(table.kinds)
    expressions = ("doc.id", "metric", "len(model_response.text)")
    rows = [(At(name, key="doc.id").text, own or {}, texts, n) for name, own, texts, n in table.values(expressions)]
    names = dict.fromkeys(name for _, metric, _, _ in rows for name, value in metric.items() if value is not None)
    g_pass = [name for name in names if G_PASS.fullmatch(name)]
    offered = names if request.score else _readable(rows, list(names)) or g_pass[:1] or names
    measure = request.choose("score", offered, "metric")
    trials = []
    for question, metric, texts, many in sorted(rows, key=lambda row: (len(row[0]), row[0])):
        with within(f"document {question!r}"):
            if many > 1:
                raise OutcomeError(f"it is there {many} times")
            if measure in g_pass:
                trials += _from_g_pass(question, {name: metric.get(name) for name in g_pass}, texts or 0)
            else:
                trials += _trials(question, metric.get(measure), measure, texts, request)
    if measure in g_pass:
        measure = "g-pass"
    filled = replace(run, trials=trials, measure=measure, notes={"score": measure})
    return _with_samples(filled, table, {question: metric for question, metric, *_ in rows}, request)


def _with_samples(run: Run, table: ParquetTable, metrics: Mapping[str, Mapping[str, Any]], request: Request) -> Run:
    """Return the run with the answers and scores that are kept; a score is that of a document with one sample."""
    if not request.keep:
        return run
    answers: list[Any] = []
    place = ""
    if request.keeps_answers:
        known = answers_of(table)
        trials, answers = trials_with_answers([*map(Trial._make, zip(*run.columns, strict=True))], known, request)
        run, place = replace(run, trials=trials), known.place
    columns = run.columns
    samples = Counter[str]()
    for question, times in zip(columns.questions, columns.times, strict=True):
        samples[question] += times
    scores = (metrics[question] if samples[question] == 1 else {} for question in columns.questions)
    return with_samples(run, request, answers, scores, answers_from=place, scores_from="metrics of single samples")


def _readable(rows: Sequence[_Row], names: Sequence[str]) -> Sequence[str]:
    """Return the metrics that say how many samples succeeded, each number once."""
    distinct: dict[tuple[Any, ...], str] = {}
    for name in names:
        sampled = _SAMPLED.search(name)
        if sampled and not _is_mean(sampled):
            continue
        if sampled is None and any((texts or 1) > 1 for _, _, texts, _ in rows):
            continue
        drawn = _samples(sampled) if sampled else None
        values = tuple(_successes(metric.get(name), drawn or texts or 1) for _, metric, texts, _ in rows)
        distinct.setdefault(values, name)
    return list(distinct.values())


def _successes(value: Any, drawn: int) -> tuple[Any, int]:
    """Return how many of so many samples succeeded, if the value says so: equal shares may differ in the last digit."""
    if type(value) in (int, float) and abs(value * drawn - round(value * drawn)) <= _WHOLE * drawn:
        return round(value * drawn), drawn
    return value, drawn


def _from_g_pass(question: str, values: dict[str, Any], samples: int) -> list[Trial]:
    """Return the trials of a question of which only G-Pass is stored, for several thresholds."""
    if None in values.values():
        return [Trial(question, None, None, None, samples)]
    count = successes_of_g_pass(values, samples)
    return [Trial(question, key, key, None, times) for key, times in ((1.0, count), (0.0, samples - count)) if times]


def _trials(question: str, value: Any, measure: str, texts: int | None, request: Request) -> list[Trial]:
    sampled = _SAMPLED.search(measure)
    outcome = request.outcome(value)
    if sampled is None and (texts or 1) > 1:
        raise OutcomeError(f"{measure!r} is one number about {texts} samples: how many succeeded is not stored")
    if sampled is None:
        return [Trial(question, 0, outcome)]
    drawn = _samples(sampled) or texts or 1
    if outcome is None:
        return [Trial(question, None, None, None, drawn)]
    successes = round(outcome * drawn)
    if abs(outcome * drawn - successes) > _WHOLE * drawn or not 0 <= successes <= drawn:
        raise OutcomeError(f"{measure!r} is {outcome}, which is no number of successes of {drawn} samples")
    present = max(successes, min(drawn, texts)) if texts else drawn
    split = {1.0: successes, 0.0: present - successes, None: drawn - present}
    return [Trial(question, key, key, None, count) for key, count in split.items() if count]


def _samples(sampled: re.Match[str]) -> int | None:
    """Return how many samples a metric is the mean over, if its name says so."""
    kind, number, settings = sampled["kind"], sampled["number"], sampled["settings"] or ""
    if not _is_mean(sampled):
        what = f"{sampled.string!r} is about several samples together"
        raise OutcomeError(f"{what}; read pass@k:k=1 or avg@n if the file has them")
    old = _OLD_SETTINGS.fullmatch(settings)
    count = _settings(sampled).get("n") or (old["n"] if old else number if kind == "avg" else "")
    return int(count) if count.isdecimal() else None


def _settings(sampled: re.Match[str]) -> dict[str, str]:
    return dict(re.findall(r"(\w+)=(\w+)", sampled["settings"] or ""))


def _is_mean(sampled: re.Match[str]) -> bool:
    """Return whether a metric is the mean over its samples."""
    k = _settings(sampled).get("k", sampled["number"])
    return sampled["kind"] == "avg" or (sampled["kind"] == "pass" and k == "1")


def _model(path: Path) -> str:
    """Return the part of the path between ``details`` and the date, else the folder's name."""
    folders = path.resolve().parent.parts
    if "details" in folders[:-1]:
        start = len(folders) - folders[::-1].index("details")
        return "/".join(folders[start:-1] or folders[start:])
    return folders[-1]
