"""lm-evaluation-harness: ``samples_*.jsonl``, one row per document and filter, one file per run.

A file does not name its model: ``results_*.json`` of the same date does, or else the folder.
"""

import hashlib
import inspect
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import OutcomeError, Remedy, without_exit
from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import (
    conditions,
    digest,
    items,
    label,
    mapping,
    maybe_label,
    seed_of,
    short_setting,
    spent,
    warn_of_lost,
    within,
)

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.jsonl")
_ABOUT = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
_HASHES = {"doc_hash", "prompt_hash", "target_hash"}
_OF_A_CORPUS = {"f1", "mcc", "bleu", "chrf", "ter", "brier_score", "perplexity", "likelihood"}
_OF_A_CORPUS |= {"bypass"}  # --predict_only writes this in place of a metric
_OF_A_CORPUS |= {"word_perplexity", "byte_perplexity", "bits_per_byte"}

_TEMPLATES = {"description", "doc_to_text", "doc_to_target", "doc_to_choice", "gen_prefix", "target_delimiter"}
_TEMPLATES |= {"process_docs", "process_results", "output_type"}  # what makes prompts, and grades responses
_NO_OPTION = {"metric", "aggregation", "higher_is_better"}
_MEANS = {"exact_match", "pass@1"}  # metrics that average over the responses that a filter left
_WHOLE = 1e-6  # a mean times the number of responses may differ from a whole number by this, for rounding

Row = tuple[str, dict[str, Any]]
_SCORE = Remedy("grade", "...", "grades each response: a function of one response (and, if it takes two, of the row)")


def _is_aggregate(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and {"results", "configs", "versions"} <= log.keys()


class LmEvalFormat(Format):
    """Samples of lm-evaluation-harness."""

    name = "lm-eval"
    options = frozenset({"score", "filter", "grade", "levels", "question", "cluster", "answers", "scores"})
    companions = (
        Companion(_is_aggregate, "lm-eval's results file has only means: run with --log_samples, read samples_*.jsonl"),
    )

    def matches(self, file: LogFile) -> bool:
        row = file.first_record
        return isinstance(row, dict) and "doc_id" in row and ("resps" in row or "filtered_resps" in row)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _NAME.fullmatch(file.path.name)
        task, date = (name["task"], name["date"]) if name else (None, None)
        results, folder = _results(file.path, date), file.path.resolve().parent.name
        model = results.get("model_name")
        run = Run(
            model or folder,
            [],
            date or file.digest,
            task,
            model_from="log" if model else "folder",
            conditions=_conditions(results, task),
            origin=_origin(results, date or ""),
        )
        config = mapping((results.get("configs") or {}).get(task) or {}, f"configs.{task}")
        if not request.wants(task):
            return [run]
        rows = list(file.records())
        counted = mapping(results.get("n-samples") or {}, "n-samples").get(task or "")
        if isinstance(counted, dict):
            found = len({row.get("doc_id") for _, row in rows})
            warn_of_lost(file.path, found, counted.get("effective"), "samples that the results file")
        return [_filled(run, rows, config, request)]


def _filled(run: Run, rows: list[Row], config: dict[str, Any], request: Request) -> Run:
    every = _filters(rows)
    name = request.choose("filter", every[:1] if request.grade and not request.filter else every)
    rows = [row for row in rows if str(row[1].get("filter")) == name]
    metrics = [] if request.grade else _metrics(rows)
    metric = (
        ""
        if request.grade
        else request.choose("score", metrics if request.score else _distinct(rows, metrics), "metric")
    )
    outcomes = _rescored(request.grade) if request.grade else _stored(metric)
    trials = [list(_trials(row, outcomes, request)) for row in rows]
    filled = replace(
        run,
        conditions={**run.conditions, **_scoring(config, metric, name), **_wording(run, rows, config)},
        trials=[trial for own in trials for trial in own],
        measure=f"{metric or 'grade='},{name}",
        fingerprints={} if "question" in request.fields else dict(_fingerprint(row) for _, row in rows),
        notes={"score": metric or "grade=", "filter": name},
    )
    counts = [(row, len(own)) for row, own in zip(rows, trials, strict=True)]
    answers = (answer for row, count in counts for answer in _answers(row, count, metric))
    scores = (each for row, count in counts for each in _scores(row, count, _metrics(rows)))
    return with_samples(filled, request, answers, scores, answers_from="filtered_resps", scores_from="metrics")


def _filters(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(str(row.get("filter")) for _, row in rows))


def _metrics(rows: list[Row]) -> list[str]:
    """Return the metrics that have a value per document."""
    named = [
        row["metrics"] if isinstance(row.get("metrics"), list) else row.keys() - _ABOUT - _HASHES for _, row in rows
    ]
    metrics = {str(name) for names in named for name in names}
    if metrics == {"bypass"}:
        raise OutcomeError("nothing was scored (--predict_only)", remedies=[_SCORE])
    return sorted(metrics - _OF_A_CORPUS)


def _distinct(rows: list[Row], metrics: list[str]) -> list[str]:
    """Return the metrics without those that hold the same lists of outcomes as an earlier one.

    Scorio's own plug-in logs every number of a metric, such as the bounds of its interval, with the same outcomes.
    """
    kept: dict[str, str] = {}
    for name in metrics:
        values = [row.get(name) for _, row in rows]
        are_lists = all(isinstance(value, list) for value in values)
        kept.setdefault(json.dumps(values) if are_lists else name, name)
    return list(kept.values())


def _fingerprint(row: dict[str, Any]) -> tuple[str, str]:
    """Return the question, and the hash of its document, as the tool wrote it or computed here."""
    mark = row.get("doc_hash") or hashlib.sha256(json.dumps(row.get("doc")).encode()).hexdigest()
    return str(row.get("doc_id")), str(mark)


def _results(path: Path, date: str | None) -> dict[str, Any]:
    """Return the results file of the same run, which names the model; empty if there is none."""
    for other in sorted(path.parent.glob(f"*_{date}.json")) if date else []:
        log = LogFile(other).document
        if isinstance(log, dict) and isinstance(log.get("model_name"), str):
            return log
    return {}


def _conditions(results: dict[str, Any], task: str | None) -> dict[str, str]:
    """Return the settings that may change the outcomes of every metric, as the results file has them."""
    config, shots, versions, configs = (
        part if isinstance(part, dict) else {} for part in map(results.get, ("config", "n-shot", "versions", "configs"))
    )
    own = mapping(configs.get(task) or {}, f"configs.{task}")
    generation, asked = own.get("generation_kwargs"), _arguments(config.get("gen_kwargs"))
    if isinstance(generation, dict) and isinstance(asked or {}, dict):
        asked = generation | (asked or {})
    return conditions(
        task_version=versions.get(task),
        num_fewshot=shots.get(task),
        fewshot_as_multiturn=results.get("fewshot_as_multiturn"),
        chat_template_sha=results.get("chat_template_sha"),
        system_instruction_sha=results.get("system_instruction_sha"),
        model_args=_arguments(config.get("model_args")),
        gen_kwargs=asked,
    )


def _origin(results: dict[str, Any], date: str) -> dict[str, Any]:
    try:
        seconds = float(results.get("total_evaluation_time_seconds") or "nan")  # the tool writes a text
    except (TypeError, ValueError):
        seconds = math.nan
    version = str(results.get("lm_eval_version") or "")
    config = results.get("config")
    seed = seed_of(_arguments(config.get("gen_kwargs"))) if isinstance(config, dict) else {}
    return {"date": date, "version": version, **seed, **spent(seconds=None if math.isnan(seconds) else seconds)}


def _arguments(value: Any) -> Any:
    """Return arguments by name; older versions write ``name=value,name=value``."""
    pairs = re.findall(r"(\w+)=([^,]*)", value) if isinstance(value, str) else None
    return dict(pairs) if pairs else value


def _wording(run: Run, rows: list[Row], config: dict[str, Any]) -> dict[str, str]:
    """Return hashes of the first prompt, unless it has examples, which may be drawn by chance, and of the templates."""
    hashes = [(str(row.get("doc_id")), str(row["prompt_hash"])) for _, row in rows if row.get("prompt_hash")]
    is_fixed = bool(hashes) and run.conditions.get("num_fewshot", "0") == "0"
    templates = {name: value for name, value in config.items() if name in _TEMPLATES and value}
    return conditions(
        prompt_hash=min(hashes, key=lambda pair: (len(pair[0]), pair))[1][:8] if is_fixed else None,
        task_hash=digest(templates) if templates else None,
    )


def _scoring(config: dict[str, Any], metric: str, name: str) -> dict[str, str]:
    """Return the options of a metric, and hashes of a metric that is a function and of the filter called ``name``."""
    metrics = [mapping(each, "a metric") for each in items(config.get("metric_list") or [], "metric_list")]
    filters = [mapping(each, "a filter") for each in items(config.get("filter_list") or [], "filter_list")]
    own = [each for each in metrics if each.get("metric") == metric]
    options = {key: short_setting(value) for each in own for key, value in each.items() if key not in _NO_OPTION}
    steps = [each.get("filter") for each in filters if each.get("name") == name]
    return conditions(
        metric=options,
        metric_hash=digest(metrics) if metric and metrics and not own else None,
        filter_hash=digest(steps) if steps else None,
    )


def _trials(row: Row, outcomes: Callable[[dict[str, Any]], list[Any]], request: Request) -> Iterator[Trial]:
    place, sample = row
    with within(place):
        doc = mapping(sample.get("doc") or {}, "doc")
        field = request.fields.get("question")
        question = label(doc.get(field) if field else sample.get("doc_id"), field or "doc_id")
        cluster = maybe_label(doc.get(request.fields.get("cluster", "cluster") or ""), "the cluster")
        for key, value in enumerate(outcomes(sample)):
            yield Trial(question, key, request.outcome(value), cluster)


def _stored(metric: str) -> Callable[[dict[str, Any]], list[Any]]:
    def outcomes(sample: dict[str, Any]) -> list[Any]:
        if metric not in sample:
            raise OutcomeError(f"the row has no {metric!r}")
        value, repeats = sample[metric], len(_responses(sample))
        if isinstance(value, list) and len(value) == repeats:
            return value
        drawn = len(_filtered(sample))
        right = _correct(value, drawn) if metric in _MEANS else None
        if right is not None:
            return [1.0] * right + [0.0] * (drawn - right)
        if isinstance(value, list) or repeats > 1:
            problem = f"the outcome of each trial was not stored: {repeats} responses, and {metric!r} is {value!r}"
            raise OutcomeError(problem, remedies=[_SCORE])
        return [value]

    return outcomes


def _filtered(sample: dict[str, Any]) -> list[Any]:
    """Return the responses that a filter such as take_first_k left; empty if it left one."""
    responses = sample.get("filtered_resps")
    first = responses[0] if isinstance(responses, list) and len(responses) == 1 else None
    return first if isinstance(first, list) and len(first) > 1 else []


def _correct(value: Any, drawn: int) -> int | None:
    """Return how many responses are correct if the value is their share, as some metrics store it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not drawn or not 0 <= value <= 1:
        return None
    right = round(value * drawn)
    return right if abs(value * drawn - right) < _WHOLE else None


def _answers(row: Row, count: int, metric: str) -> list[Any]:
    """Return the filtered response of each of a document's trials."""
    place, sample = row
    responses = sample.get("filtered_resps")
    with within(place):
        if not isinstance(responses, list) or not responses:
            return [None] * count
        if len(responses) > 1 or len(sample.get("resps") or []) > 1:
            problem = "asks for answers, but the document makes several requests, such as for the likelihood of choices"
            raise OutcomeError(problem, argument="keep")
        own = responses[0] if isinstance(responses[0], list) else responses
        is_mean = bool(metric) and not isinstance(sample.get(metric), list)
        if len(own) != count or (is_mean and count > 1):
            problem = f"asks for answers, and which of {len(own)} filtered responses is right was not stored"
            raise OutcomeError(problem, argument="keep", remedies=[] if not metric else [_SCORE])
        return own


def _scores(row: Row, count: int, metrics: list[str]) -> list[dict[str, Any]]:
    """Return the metrics of each of a document's trials that are stored by trial."""
    known = {name: row[1].get(name) for name in metrics}
    lists = {name: value if isinstance(value, list) else [value] for name, value in known.items()}
    own = {name: values for name, values in lists.items() if len(values) == count}
    return [{name: values[i] for name, values in own.items()} for i in range(count)]


def _rescored(score: Callable[..., Any]) -> Callable[[dict[str, Any]], list[Any]]:
    wants_row, graded = _required(score) > 1, without_exit(score)

    def outcomes(sample: dict[str, Any]) -> list[Any]:
        return [graded(response, sample) if wants_row else graded(response) for response in _responses(sample)]

    return outcomes


def _required(score: Callable[..., Any]) -> int:
    """Return how many positional arguments a function needs; 1 if it does not say."""
    try:
        parameters = inspect.signature(score).parameters.values()
    except ValueError:
        return 1
    return sum(each.default is each.empty and each.kind <= each.POSITIONAL_OR_KEYWORD for each in parameters)


def _responses(sample: dict[str, Any]) -> list[Any]:
    """Return the response of each trial: a tuple if a document makes several requests."""
    requests = sample.get("resps") or [[None]]
    if not isinstance(requests, list) or not all(isinstance(repeats, list) for repeats in requests):
        raise OutcomeError("resps must be a list of lists, one per request")
    trials = list(zip(*requests, strict=False))
    return [trial[0] if len(trial) == 1 else trial for trial in trials]
