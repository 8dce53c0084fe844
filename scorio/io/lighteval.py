"""lighteval details: Parquet with the columns doc, metric and model_response, rows in any order.

A metric is a number for each document. Where it is the mean over ``n`` samples, the successes are that mean times
``n``; any other number about several samples together does not say how many succeeded.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import OutcomeError
from ..labels import listed
from . import sql
from .choose import chosen
from .expect import label, within
from .files import LogFile
from .naming import FROM_FOLDER
from .records import Format, Request, Run, Trial
from .reward import reward

_COLUMNS = {"doc", "metric", "model_response"}
_SAMPLED = re.compile(r"(?P<kind>g-pass|pass|maj|avg)@(?P<number>\w+)(?::(?P<settings>.*))?$")
_OLD_SETTINGS = re.compile(r"(?P<n>\d+)(?:_samples)?")  # as in pass@1:8_samples
_NAME = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.parquet")
_WHOLE = 1e-6  # a mean is a count over n within rounding


def _matches(file: LogFile) -> bool:
    return file.head.startswith(b"PAR1") and set(sql.columns(file.path)) >= _COLUMNS


def _demand_structs(path: Path) -> None:
    """Check that the columns are structs: what the tool cannot write as such it writes as text."""
    kinds = sql.kinds(path, sorted(_COLUMNS))
    texts = [name for name, kind in kinds.items() if not kind.startswith("STRUCT")]
    if texts:
        raise OutcomeError(
            f"the columns {listed(texts)} are {kinds[texts[0]]}: the tool failed to write them as structs"
        )


def _read(file: LogFile, request: Request) -> list[Run]:
    found = _NAME.fullmatch(file.path.name)
    task, date = (found["task"], found["date"]) if found else (None, None)
    run = Run(_model(file.path), [], date or file.digest, task)
    if not request.wants(task):
        return [run]
    _demand_structs(file.path)
    expressions = ("doc.id", "metric", "len(model_response.text)")
    rows = [
        (label(id_, "doc.id"), metric or {}, texts, many)
        for id_, metric, texts, _, many in sql.rows(file.path, expressions)
    ]
    names = dict.fromkeys(name for _, metric, _, _ in rows for name, value in metric.items() if value is not None)
    measure = chosen(request.metric, names, "metric", "metric")
    trials = []
    for question, metric, texts, many in sorted(rows, key=lambda row: (len(row[0]), row[0])):
        with within(f"document {question!r}"):
            if many > 1:
                raise OutcomeError(f"it is given {many} times")
            trials += _trials(question, metric.get(measure), measure, texts, request)
    return [replace(run, trials=trials, measure=measure, notes={"metric": measure} | FROM_FOLDER)]


FORMAT = Format("lighteval", _matches, _read, frozenset({"metric", "levels"}))


def _trials(question: str, value: Any, measure: str, texts: int | None, request: Request) -> list[Trial]:
    sampled = _SAMPLED.search(measure)
    outcome = reward(value, request.levels)
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
    """How many samples a metric is the mean over, where its name tells."""
    kind, number, settings = sampled["kind"], sampled["number"], sampled["settings"] or ""
    given: dict[str, str] = dict(re.findall(r"(\w+)=(\w+)", settings))
    if kind != "avg" and (kind != "pass" or given.get("k", number) != "1"):
        raise OutcomeError(
            f"{sampled.string!r} is about several samples together; read pass@k:k=1 or avg@n instead, if they are there"
        )
    old = _OLD_SETTINGS.fullmatch(settings)
    told = given.get("n") or (old["n"] if old else number if kind == "avg" else "")
    return int(told) if told.isdecimal() else None


def _model(path: Path) -> str:
    """What stands between ``details`` and the date in the path, else the folder's name."""
    folders = path.resolve().parent.parts
    if "details" in folders[:-1]:
        start = len(folders) - folders[::-1].index("details")
        return "/".join(folders[start:-1] or folders[start:])
    return folders[-1]
