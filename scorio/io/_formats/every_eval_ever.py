"""Every Eval Ever: ``UUID_samples.jsonl`` has one line per trial and result, ``UUID.json`` beside it the settings."""

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from ..._display.words import shorten
from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, conditions, items, label, mapping, maybe_label, shown, spent, sums, within

SAMPLES = "_samples.jsonl"  # how the names of files with trials end; those of settings have .json instead
_OF_A_ROW = ("schema_version", "evaluation_id", "sample_id", "evaluation")
_OF_SETTINGS = ("schema_version", "evaluation_id", "evaluation_results")
_SCORE, _IS_CORRECT = "score", "is_correct"
_ARGUMENTS = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")  # of the generation, which may differ
_EPOCH, _ORDER = "epoch", "order"  # what tells the trials of a question apart
_STOP_REASON = "stop_reason"  # in the metadata of what the converter of Inspect writes
_UNKNOWN = -1  # the score of a level that is not known, where a metric has such a level


class _Row(NamedTuple):
    """One line: a trial of a question, as one result scored it; ``result`` is None where the line names none."""

    place: str
    run: tuple[str, str, str]  # evaluation, model, task
    result: str | None
    question: str
    key: tuple[str, str | int]
    values: dict[str, Any]  # the score, and whether it is right; None if the trial failed
    row: dict[str, Any]


class EveryEvalEverFormat(Format):
    """Samples of Every Eval Ever."""

    name = "every-eval-ever"
    options = frozenset({"score", "answers", "scores", "cluster"})
    companions = (
        Companion(
            lambda file: file.has_keys(*_OF_SETTINGS),
            f"results of Every Eval Ever without trials: these are in the file of the same name with {SAMPLES}",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_OF_A_ROW)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings = beside(file.path.with_name(file.path.name.removesuffix(SAMPLES) + ".json")).obj
        runs: dict[tuple[str, str, str], list[_Row]] = {}
        for each in _rows(file):
            runs.setdefault(each.run, []).append(each)
        return [_run(*names, rows, settings, request) for names, rows in runs.items()]


def _rows(file: LogFile) -> Iterator[_Row]:
    """Yield the lines; a trial is its epoch, or how often the question came before with this result."""
    seen: dict[tuple[Any, ...], int] = {}
    for place, row in file.records():
        with within(place):
            names = [label(row.get(name), name) for name in ("evaluation_id", "model_id", "evaluation_name")]
            run = names[0], names[1], names[2]
            result = maybe_label(row.get("evaluation_result_id"), "evaluation_result_id")
            question = label(row.get("sample_id"), "sample_id")
            epoch = maybe_label(mapping(row.get("metadata") or {}, "metadata").get("epoch"), "epoch")
            number = seen[run, result, question] = seen.get((run, result, question), -1) + 1
            key = (_ORDER, number) if epoch is None else (_EPOCH, epoch)
            yield _Row(place, run, result, question, key, _values(row), row)


def _values(row: dict[str, Any]) -> dict[str, Any]:
    """Return the score and whether it is right; a trial with an error has neither, whatever stands there."""
    evaluation = mapping(row.get("evaluation"), "evaluation")
    if row.get("error") is not None:
        return {_SCORE: None, _IS_CORRECT: None}
    return {name: evaluation.get(name) for name in (_SCORE, _IS_CORRECT)}


def _run(evaluation: str, model: str, task: str, rows: list[_Row], settings: dict[str, Any], request: Request) -> Run:
    if not request.wants(task):
        return Run(model, [], evaluation, task)
    by_result: dict[str | None, list[_Row]] = {}
    for each in rows:
        by_result.setdefault(each.result, []).append(each)
    result, value = _chosen({name: own for name, own in by_result.items() if name is not None}, request)
    own = by_result[result]
    _check_single_epochs(own)
    about = _about(settings, task, result)
    metric = mapping(about.get("metric_config") or {}, "metric_config")
    if value == _SCORE and metric.get("lower_is_better") is True:
        what = f"a lower score of {shown(result or task)} is better, and outcomes are better if they are higher"
        raise OutcomeError(what, hint=f"choose another score, such as {_IS_CORRECT}")
    has_unknown = metric.get("has_unknown_level") is True
    cluster = request.fields.get("cluster") or "cluster"
    trials = [_trial(each, value, has_unknown, cluster, request) for each in own]
    used = [_used(each.row) for each in own]
    chosen = result if value == _SCORE else f"{result}/{value}" if result else value
    run = Run(
        model,
        trials,
        _identity(rows),
        task,
        measure=chosen or "",
        planned=_planned(by_result),
        fingerprints={each.question: _document(each.row) for each in own if _document(each.row)},
        conditions=conditions(**_arguments(about)),
        origin=sums(used),
        trial_costs=by_trial(used),
        notes={"score": chosen or ""},
    )
    answers = (_answer(each.row) for each in own)
    scores = (_scores(each.row) for each in own)
    return with_samples(
        run, request, answers, scores, answers_from="answer_attribution", scores_from="numbers of the metadata"
    )


def _identity(rows: list[_Row]) -> str:
    """Return a hash of the lines without the name of the evaluation, which is another one whenever a log is converted.

    The converter of lm-eval also writes the latest samples of a folder for every run in it.
    """
    content = sha256()
    for each in rows:
        about = {name: value for name, value in each.row.items() if name != "evaluation_id"}
        content.update(json.dumps(about, sort_keys=True).encode())
    return content.hexdigest()


def _chosen(by_result: dict[str, list[_Row]], request: Request) -> tuple[str | None, str]:
    """Return the result whose lines count, and which of their two values; results with equal lines are one."""
    if not by_result:
        return None, _SCORE if request.score is None else request.choose("score", [_SCORE, _IS_CORRECT])
    if request.score is None:
        distinct: dict[Any, str] = {}
        for name, rows in sorted(by_result.items()):
            content = sorted((each.question, each.key, repr(each.values)) for each in rows)
            distinct.setdefault(tuple(content), name)
        return request.choose("score", list(distinct.values()), "result"), _SCORE
    if len(by_result) == 1 and request.score in (_SCORE, _IS_CORRECT):
        return next(iter(by_result)), request.score
    offered = {name: (name, _SCORE) for name in by_result}
    offered |= {f"{name}/{_IS_CORRECT}": (name, _IS_CORRECT) for name in by_result}
    return offered[request.choose("score", offered, "result")]


def _check_single_epochs(rows: list[_Row]) -> None:
    """Check that epochs have scores of their own: the converter of Inspect writes the mean of a question for each."""
    scores: dict[str, set[Any]] = {}
    for each in rows:
        if _STOP_REASON in (each.row.get("metadata") or {}) and each.key[0] == _EPOCH:
            scores.setdefault(each.question, set()).add(repr(each.values[_SCORE]))
    if len(rows) > len(scores) > 0 and all(len(own) == 1 for own in scores.values()):
        problem = (
            "every epoch of a question has one score, that of all its epochs together, as the converter of Inspect"
        )
        raise OutcomeError(f"{problem} writes them", hint="read the log of Inspect, which has the score of each epoch")


def _planned(by_result: dict[str | None, list[_Row]]) -> dict[str, int]:
    """Return the number of trials of each question: those of the result with most, and those that no result scored."""
    keys: dict[str, dict[str | None, set[Any]]] = {}
    for result, rows in by_result.items():
        for each in rows:
            keys.setdefault(each.question, {}).setdefault(result, set()).add(each.key)
    planned = {}
    for question, of in keys.items():
        unscored = of.pop(None, set())
        if any(kind == _EPOCH for own in (*of.values(), unscored) for kind, _ in own):
            planned[question] = len(unscored.union(*of.values()))
        else:
            planned[question] = max(map(len, of.values()), default=0) + len(unscored)
    return planned


def _about(settings: dict[str, Any], task: str, result: str | None) -> dict[str, Any]:
    """Return what the file of settings says of a result."""
    with within("the file of settings beside it"):
        for entry in items(settings.get("evaluation_results") or [], "evaluation_results"):
            about = mapping(entry, "a result")
            if about.get("evaluation_name") == task and about.get("evaluation_result_id") in (result, None):
                return about
    return {}


def _arguments(about: dict[str, Any]) -> dict[str, Any]:
    config = mapping(about.get("generation_config") or {}, "generation_config")
    arguments = mapping(config.get("generation_args") or {}, "generation_args")
    return {name: arguments[name] for name in _ARGUMENTS if arguments.get(name) is not None}


def _trial(each: _Row, value: str, has_unknown: bool, cluster: str, request: Request) -> Trial:
    with within(each.place):
        outcome = request.outcome(each.values[value])
        if value == _SCORE and has_unknown and outcome == _UNKNOWN:
            outcome = None
        metadata = mapping(each.row.get("metadata") or {}, "metadata")
        return Trial(each.question, each.key, outcome, maybe_label(metadata.get(cluster), cluster))


def _document(row: dict[str, Any]) -> str:
    """Return a hash of the question: of the document alone (lm-eval), or of the input and the reference."""
    metadata = row.get("metadata") or {}
    text = metadata.get("doc_hash") or row.get("sample_hash")
    return text if isinstance(text, str) else ""


def _used(row: dict[str, Any]) -> dict[str, float]:
    usage = mapping(row.get("token_usage") or {}, "token_usage")
    latency = spent(seconds=mapping(row.get("performance") or {}, "performance").get("latency_ms"))
    tokens = spent(input_tokens=usage.get("input_tokens"), output_tokens=usage.get("output_tokens"))
    return {name: milliseconds / 1000 for name, milliseconds in latency.items()} | tokens


def _scores(row: dict[str, Any]) -> dict[str, float]:
    """Return the numbers in the metadata, which are all text there."""
    scores: dict[str, float] = {}
    for name, value in (row.get("metadata") or {}).items():
        if name != _EPOCH and isinstance(value, (str, int, float)):
            with suppress(ValueError):
                scores[name] = float(value)
    return scores


def _answer(row: dict[str, Any]) -> Any:
    """Return the final answer that was extracted, or None."""
    given = [mapping(each, "an answer") for each in items(row.get("answer_attribution") or [], "answer_attribution")]
    final = [each.get("extracted_value") for each in given if each.get("is_terminal") is True]
    if len(set(map(str, final))) > 1:
        raise OutcomeError(f"the sample has several final answers: {shorten(list(map(str, final)))}")
    return final[0] if final else None
