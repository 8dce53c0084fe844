"""lm-evaluation-harness: ``samples_*.jsonl``, one row per document and filter, one file per run.

A file does not name its model: ``results_*.json`` of the same date does, or else the folder.
"""

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import OutcomeError, Remedy, without_exit
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with
from ..checks import warn_of_lost
from .lm_eval_settings import origin_of, settings_of

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.jsonl")
_ABOUT = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
_ABOUT |= {"doc_hash", "prompt_hash", "target_hash"}
_OF_A_CORPUS = {"f1", "mcc", "bleu", "chrf", "ter", "brier_score", "perplexity", "likelihood", "bits_per_byte"}
_OF_A_CORPUS |= {"word_perplexity", "byte_perplexity", "bypass"}  # --predict_only writes bypass in place of a metric
_MEANS = {"exact_match", "pass@1"}  # metrics that average over the responses that a filter left
_WHOLE = 1e-6  # a mean times the number of responses may differ from a whole number by this, for rounding
_SCORE = Remedy("grade", "...", "grades each response: a function of one response (and, if it takes two, of the row)")


class LmEvalFormat(Format):
    """Samples of lm-evaluation-harness."""

    name = "lm-eval"
    options = frozenset({"score", "filter", "grade", "levels", "question", "cluster", "answers", "scores"})
    companions = (
        Companion(
            document_with("results", "configs", "versions"),
            "lm-eval's results file has only means: run with --log_samples, read samples_*.jsonl",
        ),
    )
    answers_from, scores_from = "filtered_resps", "metrics"
    model_from = "folder"

    def matches(self, file: LogFile) -> bool:
        row = file.first_record
        return row.has("doc_id", "doc") and (row.has("resps") or row.has("filtered_resps"))

    def read(self, file: LogFile, request: Request) -> Run:
        name = file.named(_NAME)
        task, date = name.get("task"), name.get("date", "")
        results = _results_beside(file.path, date)
        model = results["model_name"].text_or("")
        if not request.wants(task):
            return Run(model, [], date, task)
        every = list(file.walk())
        asked, counted = len({str(row.value.get("doc_id")) for row in every}), ("n-samples", task or "", "effective")
        warn_of_lost(file.path, asked, results.peek(counted).value, "samples that the results file")
        filters = [str(row.value.get("filter")) for row in every]
        kept = request.choose("filter", filters[:1] if request.grade and not request.filter else dict.fromkeys(filters))
        rows = [row for row, name in zip(every, filters, strict=True) if name == kept]
        metric = "" if request.grade else _chosen(rows, request)
        return Run(
            model,
            list(_trials(rows, metric, request)),
            date,
            task,
            f"{metric or 'grade='},{kept}",
            conditions=settings_of(results, task or "", metric, kept, rows),
            origin=origin_of(results, date),
            notes={"score": metric or "grade=", "filter": kept},
        )


def _metrics(rows: list[At]) -> list[str]:
    """Return the metrics that have a value per document."""
    named = (listed if isinstance(listed := row.value.get("metrics"), list) else row.without(_ABOUT) for row in rows)
    metrics = {str(name) for names in named for name in names}
    if metrics == {"bypass"}:
        raise OutcomeError("nothing was scored (--predict_only)", remedies=[_SCORE])
    return sorted(metrics - _OF_A_CORPUS)


def _chosen(rows: list[At], request: Request) -> str:
    """Return the metric that the user chose, or the only one but for those with the lists of outcomes of another."""
    metrics = _metrics(rows)
    kept: dict[str, str] = {}
    for name in metrics:
        values = [row.value.get(name) for row in rows]
        kept.setdefault(json.dumps(values) if all(isinstance(value, list) for value in values) else name, name)
    return request.choose("score", metrics if request.score else kept.values(), "metric")


def _trials(rows: list[At], metric: str, request: Request) -> Iterator[Trial]:
    field, cluster = request.fields.get("question"), request.fields.get("cluster", "cluster")
    outcomes = _rescored(request.grade) if request.grade else lambda row: _stored(row, metric)
    metrics = _metrics(rows) if request.kept_scores else []
    for row in rows:
        question, group = (row["doc"][field,] if field else row["doc_id"]).text, row["doc"][cluster or "",].maybe
        with row.here:
            values = outcomes(row)
        answers = _answers(row, len(values), metric) if request.keeps_answers else [None] * len(values)
        scores = [(name, value if isinstance(value, list) else [value]) for name, value in row.only(metrics).items()]
        doc_hash = row.value.get("doc_hash") or hashlib.sha256(json.dumps(row.value.get("doc")).encode()).hexdigest()
        mark = "" if "question" in request.fields else str(doc_hash)
        for key, (value, answer) in enumerate(zip(values, answers, strict=True)):
            yield Trial(
                question,
                key,
                At(value, row.where).to(request.outcome),
                group,
                mark=mark,
                answer=answer,
                scores={name: stored[key] for name, stored in scores if len(stored) == len(values)},  # by trial
            )


def _stored(row: At, metric: str) -> list[Any]:
    """Return the outcome of each trial, as a list or as a share of the responses that were drawn."""
    if metric not in row:
        raise OutcomeError(f"the row has no {metric!r}")
    value, repeats = row.value.get(metric), len(_responses(row))
    if isinstance(value, list) and len(value) == repeats:
        return value
    responses = row.value.get("filtered_resps")  # of which a filter such as take_first_k left several
    drawn = responses[0] if isinstance(responses, list) and len(responses) == 1 else None
    count = len(drawn) if isinstance(drawn, list) and metric in _MEANS and type(value) in (int, float) else 0
    if count > 1 and isinstance(value, (int, float)) and 0 <= value <= 1:
        right = round(value * count)
        if abs(value * count - right) < _WHOLE:
            return [1.0] * right + [0.0] * (count - right)
    if isinstance(value, list) or repeats > 1:
        problem = f"the outcome of each trial was not stored: {repeats} responses, and {metric!r} is {value!r}"
        raise OutcomeError(problem, remedies=[_SCORE])
    return [value]


def _answers(row: At, count: int, metric: str) -> list[Any]:
    """Return the filtered response of each of a document's trials."""
    if not isinstance(responses := row.value.get("filtered_resps"), list) or not responses:
        return [None] * count
    if len(responses) > 1 or len(row.value.get("resps") or []) > 1:
        problem = "asks for answers, but the document makes several requests, such as for the likelihood of choices"
        raise row.fault(problem, argument="keep")
    answers = responses[0] if isinstance(responses[0], list) else responses
    is_mean = bool(metric) and not isinstance(row.value.get(metric), list)
    if len(answers) != count or (is_mean and count > 1):
        problem = f"asks for answers, and which of {len(answers)} filtered responses is right was not stored"
        raise row.fault(problem, argument="keep", remedies=[] if not metric else [_SCORE])
    return answers


def _rescored(score: Callable[..., Any]) -> Callable[[At], list[Any]]:
    graded, wants_row = without_exit(score), False
    try:
        inspect.signature(score).bind(None)
    except TypeError:
        wants_row = True
    except ValueError:  # it does not say what it takes
        pass
    return lambda row: [graded(response, row.value) if wants_row else graded(response) for response in _responses(row)]


def _responses(row: At) -> list[Any]:
    """Return the response of each trial: a tuple if a document makes several requests."""
    requests = row.value.get("resps") or [[None]]
    if not isinstance(requests, list) or not all(isinstance(repeats, list) for repeats in requests):
        raise OutcomeError("resps must be a list of lists, one per request")
    trials = list(zip(*requests, strict=False))
    return [trial[0] if len(trial) == 1 else trial for trial in trials]


def _results_beside(path: Path, date: str) -> At:
    """Return the results file of the same run, which names the model; empty if there is none."""
    for other in sorted(path.parent.glob(f"*_{date}.json")) if date else []:
        log = LogFile(other).at
        if isinstance(log.peek("model_name").value, str):
            return At(log.value, other.name)
    return At({})
