"""lm-evaluation-harness: ``samples_*.jsonl``, one row for each document and filter, one file for each run.

A file does not name its model: ``results_*.json`` of the same date does, or else the folder.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import OutcomeError
from .choose import chosen
from .expect import label, mapping, maybe_label, within
from .files import LogFile
from .naming import FROM_FOLDER
from .records import Companion, Format, Request, Run, Trial
from .reward import reward

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.jsonl")
_ABOUT = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
_HASHES = {"doc_hash", "prompt_hash", "target_hash"}
_OF_A_CORPUS = {"f1", "mcc", "bleu", "chrf", "ter", "brier_score", "perplexity", "likelihood"}
_OF_A_CORPUS |= {"bypass"}  # what --predict_only writes where a metric would be
_OF_A_CORPUS |= {"word_perplexity", "byte_perplexity", "bits_per_byte"}

Row = tuple[str, dict[str, Any]]


def _matches(file: LogFile) -> bool:
    row = file.first_record
    return isinstance(row, dict) and "doc_id" in row and ("resps" in row or "filtered_resps" in row)


def _is_aggregate(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and {"results", "configs", "versions"} <= log.keys()


def _read(file: LogFile, request: Request) -> list[Run]:
    found = _NAME.fullmatch(file.path.name)
    task, date = (found["task"], found["date"]) if found else (None, None)
    told = _told_model(file.path, date)
    run = Run(told or file.path.resolve().parent.name, [], date or file.digest, task)
    if not request.wants(task):
        return [run]
    rows = list(file.records())
    name = chosen(request.filter or _first_if_scored(rows, request), _filters(rows), "filter", "filter")
    rows = [row for row in rows if str(row[1].get("filter")) == name]
    metric = "" if request.score else chosen(request.metric, _metrics(rows), "metric", "metric")
    outcomes = _rescored(request.score) if request.score else _stored(metric)
    return [
        replace(
            run,
            trials=[trial for row in rows for trial in _trials(row, outcomes, request)],
            measure=f"{metric or 'score='},{name}",
            fingerprints={} if "question" in request.fields else dict(_fingerprint(row) for _, row in rows),
            notes={"metric": metric or "score=", "filter": name} | ({} if told else FROM_FOLDER),
        )
    ]


_OPTIONS = frozenset({"metric", "filter", "score", "levels", "question", "cluster"})
FORMAT = Format("lm-eval", _matches, _read, _OPTIONS)
AGGREGATE = Companion(
    _is_aggregate, "lm-eval's results file has only means: run with --log_samples, read samples_*.jsonl"
)


def _filters(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(str(row.get("filter")) for _, row in rows))


def _first_if_scored(rows: list[Row], request: Request) -> str | None:
    """With ``score=`` any filter will do: each has the same responses."""
    return _filters(rows)[0] if request.score else None


def _metrics(rows: list[Row]) -> list[str]:
    """The metrics that say something of a single document."""
    named = [
        row["metrics"] if isinstance(row.get("metrics"), list) else row.keys() - _ABOUT - _HASHES for _, row in rows
    ]
    found = {str(name) for names in named for name in names}
    if found == {"bypass"}:
        raise OutcomeError("nothing was scored (--predict_only): pass score=, a function of one response")
    return sorted(found - _OF_A_CORPUS)


def _fingerprint(row: dict[str, Any]) -> tuple[str, str]:
    """The question, and what tells its document from others: the tool's hash of it, or else ours."""
    mark = row.get("doc_hash") or hashlib.sha256(json.dumps(row.get("doc")).encode()).hexdigest()
    return str(row.get("doc_id")), str(mark)


def _told_model(path: Path, date: str | None) -> str | None:
    """The model that the results file of the same run names."""
    for other in sorted(path.parent.glob(f"*_{date}.json")) if date else []:
        log = LogFile(other).document
        if isinstance(log, dict) and isinstance(log.get("model_name"), str):
            return str(log["model_name"])
    return None


def _trials(row: Row, outcomes: Callable[[dict[str, Any]], list[Any]], request: Request) -> Iterator[Trial]:
    place, sample = row
    with within(place):
        doc = mapping(sample.get("doc") or {}, "doc")
        field = request.fields.get("question")
        question = label(doc.get(field) if field else sample.get("doc_id"), field or "doc_id")
        cluster = maybe_label(doc.get(request.fields.get("cluster", "cluster") or ""), "the cluster")
        for key, value in enumerate(outcomes(sample)):
            yield Trial(question, key, reward(value, request.levels), cluster)


def _stored(metric: str) -> Callable[[dict[str, Any]], list[Any]]:
    def outcomes(sample: dict[str, Any]) -> list[Any]:
        if metric not in sample:
            raise OutcomeError(f"the row has no {metric!r}")
        value, repeats = sample[metric], len(_responses(sample))
        if isinstance(value, list) and len(value) == repeats:
            return value
        if isinstance(value, list) or repeats > 1:
            raise OutcomeError(
                f"{repeats} responses to the document and {metric!r} is {value!r}: the outcome of each trial was not"
                " stored; pass score=, a function of one response (and, if it likes, of the row)"
            )
        return [value]

    return outcomes


def _rescored(score: Callable[..., Any]) -> Callable[[dict[str, Any]], list[Any]]:
    wants_row = _required(score) > 1

    def outcomes(sample: dict[str, Any]) -> list[Any]:
        return [score(response, sample) if wants_row else score(response) for response in _responses(sample)]

    return outcomes


def _required(score: Callable[..., Any]) -> int:
    """How many arguments a function must be given by position; one where it does not say."""
    try:
        parameters = inspect.signature(score).parameters.values()
    except ValueError:
        return 1
    return sum(each.default is each.empty and each.kind <= each.POSITIONAL_OR_KEYWORD for each in parameters)


def _responses(sample: dict[str, Any]) -> list[Any]:
    """The response of each trial; where a document makes several requests, the tuple of theirs."""
    requests = sample.get("resps") or [[None]]
    if not isinstance(requests, list) or not all(isinstance(repeats, list) for repeats in requests):
        raise OutcomeError("resps must be a list of lists, one for each request")
    trials = list(zip(*requests, strict=False))
    return [trial[0] if len(trial) == 1 else trial for trial in trials]
