"""Every Eval Ever: ``UUID_samples.jsonl`` has one line per trial and result, ``UUID.json`` beside it the settings."""

import json
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
from .._walk import At
from ..checks import by_trial, conditions, shown, sums

SAMPLES = "_samples.jsonl"  # how the names of files with trials end; those of settings have .json instead
_SCORE, _IS_CORRECT = "score", "is_correct"
_ARGUMENTS = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")  # of the generation, which may differ
_TOKENS = ("input_tokens", "output_tokens")
_COSTS = {"seconds": "performance.latency_ms", **{name: f"token_usage.{name}" for name in _TOKENS}}
_EPOCH, _ORDER = "epoch", "order"  # what tells the trials of a question apart
_STOP_REASON = "stop_reason"  # in the metadata of what the converter of Inspect writes
_UNKNOWN = -1  # the score of a level that is not known, where a metric has such a level
_EPOCHS = "every epoch of a question has one score, that of all its epochs together"


class _Row(NamedTuple):
    """One line: a trial of a question, as one result scored it; ``result`` is None where the line names none."""

    at: At
    result: str | None
    question: str
    key: tuple[str, str | int]
    values: dict[str, Any]  # the score and whether it is right; a trial with an error has neither


class EveryEvalEverFormat(Format):
    """Samples of Every Eval Ever."""

    name = "every-eval-ever"
    options = frozenset({"score", "answers", "scores", "cluster"})
    companions = (
        Companion(
            lambda file: file.has_keys("schema_version", "evaluation_id", "evaluation_results"),
            f"results of Every Eval Ever without trials: these are in the file of the same name with {SAMPLES}",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys("schema_version", "evaluation_id", "sample_id", "evaluation")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings = beside(file.path.with_name(file.path.name.removesuffix(SAMPLES) + ".json"))
        runs: dict[tuple[str, ...], list[_Row]] = {}
        seen: dict[tuple[Any, ...], int] = {}
        for row in file.walk():
            names = tuple(row[name].text for name in ("evaluation_id", "model_id", "evaluation_name"))
            result, question = row["evaluation_result_id"].maybe, row["sample_id"].text
            epoch, values = row["metadata.epoch"].maybe, row["evaluation"].needed.only([_SCORE, _IS_CORRECT])
            number = seen[names, result, question] = seen.get((names, result, question), -1) + 1
            key = (_ORDER, number) if epoch is None else (_EPOCH, epoch)
            values = values if row["error"].value is None else dict.fromkeys(values)
            runs.setdefault(names, []).append(_Row(row, result, question, key, values))
        return [_run(names, rows, settings, request) for names, rows in runs.items()]


def _run(names: tuple[str, ...], rows: list[_Row], settings: At, request: Request) -> Run:
    evaluation, model, task = names
    if not request.wants(task):
        return Run(model, [], evaluation, task)
    by_result: dict[str | None, list[_Row]] = {}
    for each in rows:
        by_result.setdefault(each.result, []).append(each)
    result, value = _chosen({name: own for name, own in by_result.items() if name is not None}, request)
    own, about = by_result[result], _about(settings, task, result)
    _check_single_epochs(own)
    if value == _SCORE and about["metric_config.lower_is_better"].value is True:
        what = f"a lower score of {shown(result or task)} is better, and outcomes are better if they are higher"
        raise OutcomeError(what, hint=f"choose another score, such as {_IS_CORRECT}")
    unknown = _UNKNOWN if value == _SCORE and about["metric_config.has_unknown_level"].value is True else None
    cluster = request.fields.get("cluster") or "cluster"
    used = [each.at.spent(**_COSTS) for each in own]
    chosen = (result if value == _SCORE else f"{result}/{value}" if result else value) or ""
    run = Run(
        model,
        [_trial(each, value, unknown, cluster, request) for each in own],
        _identity(rows),
        task,
        measure=chosen,
        planned=_planned(by_result),
        fingerprints={each.question: mark for each in own if (mark := _document(each.at))},
        conditions=conditions(**about["generation_config.generation_args"].only(_ARGUMENTS)),
        origin=sums(used),
        trial_costs=by_trial(used),
        notes={"score": chosen},
    )
    answers, scores = (_answer(each.at) for each in own), (_scores(each.at) for each in own)
    return with_samples(
        run, request, answers, scores, answers_from="answer_attribution", scores_from="numbers of the metadata"
    )


def _identity(rows: list[_Row]) -> str:
    """Return a hash of the lines without the name of the evaluation, which is another one whenever a log is converted.

    The converter of lm-eval also writes the latest samples of a folder for every run in it.
    """
    content = sha256()
    for each in rows:
        content.update(json.dumps(each.at.without(["evaluation_id"]), sort_keys=True).encode())
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
        if _STOP_REASON in each.at["metadata"] and each.key[0] == _EPOCH:
            scores.setdefault(each.question, set()).add(repr(each.values[_SCORE]))
    if len(rows) > len(scores) > 0 and all(len(own) == 1 for own in scores.values()):
        raise OutcomeError(
            f"{_EPOCHS}, as the converter of Inspect writes them",
            hint="read the log of Inspect, which has the score of each epoch",
        )


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


def _about(settings: At, task: str, result: str | None) -> At:
    """Return what the file of settings says of a result."""
    for about in settings["evaluation_results"].rows:
        if about["evaluation_name"].value == task and about["evaluation_result_id"].value in (result, None):
            return about
    return At({})


def _trial(each: _Row, value: str, unknown: float | None, cluster: str, request: Request) -> Trial:
    outcome = At(each.values[value], each.at.where, value).to(request.outcome)
    known = None if outcome == unknown else outcome
    return Trial(each.question, each.key, known, each.at["metadata"][cluster,].maybe)


def _document(row: At) -> str:
    """Return a hash of the question: of the document alone (lm-eval), or of the input and the reference."""
    text = row["metadata.doc_hash"].value or row["sample_hash"].value
    return text if isinstance(text, str) else ""


def _scores(row: At) -> dict[str, float]:
    """Return the numbers in the metadata, which are all text there."""
    scores: dict[str, float] = {}
    for name, value in row["metadata"].obj.items():
        if name != _EPOCH and isinstance(value, (str, int, float)):
            with suppress(ValueError):
                scores[name] = float(value)
    return scores


def _answer(row: At) -> Any:
    """Return the final answer that was extracted, or None."""
    given = row["answer_attribution"].rows
    final = [each["extracted_value"].value for each in given if each["is_terminal"].value is True]
    if len(set(map(str, final))) > 1:
        raise row.fault(f"the sample has several final answers: {shorten(list(map(str, final)))}")
    return final[0] if final else None
