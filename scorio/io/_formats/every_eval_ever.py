"""Every Eval Ever: ``UUID_samples.jsonl`` has one line per trial and result, ``UUID.json`` beside it the settings."""

from collections import Counter
from contextlib import suppress
from itertools import chain
from typing import Any

from ..._base.words import shorten
from ...errors import OutcomeError
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, grouped, lines_with
from ..checks import conditions, digest, shown

SAMPLES = "_samples.jsonl"  # how the names of files with trials end; those of settings have .json instead
_SCORE, _IS_CORRECT = "score", "is_correct"
_ARGUMENTS = ("temperature", "top_p", "top_k", "max_tokens", "reasoning")  # of the generation, which may differ
_TOKENS = {name: f"token_usage.{name}" for name in ("input_tokens", "output_tokens")}
_EPOCH, _ORDER, _UNSCORED = "epoch", "order", "unscored"  # what tells the trials of a question apart
_STOP_REASON = "stop_reason"  # in the metadata of what the converter of Inspect writes
_UNKNOWN = -1  # the score of a level that is not known, where a metric has such a level


_Key = tuple[str, str, str | int]  # the question, and what tells its trials apart
_Lines = dict[_Key, At]  # the lines of a result by the trial that they score


class EveryEvalEverFormat(Format):
    """Samples of Every Eval Ever."""

    name = "every-eval-ever"
    options = frozenset({"score", "answers", "scores", "cluster"})
    layouts = (lines_with("schema_version", "evaluation_id", "sample_id", "evaluation"),)
    companions = (
        Companion(
            document_with("schema_version", "evaluation_id", "evaluation_results"),
            f"results of Every Eval Ever without trials: these are in the file of the same name with {SAMPLES}",
        ),
    )
    answers_from, scores_from = "answer_attribution", "numbers of the metadata"

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings = file.beside(file.path.name.removesuffix(SAMPLES) + ".json")
        names = ("evaluation_id", "model_id", "evaluation_name")
        runs = grouped(file.walk(), lambda row: tuple(row[name].text for name in names))
        return [_run(names, rows, settings, request) for names, rows in runs.items()]


def _run(names: tuple[str, ...], lines: list[At], settings: At, request: Request) -> Run:
    evaluation, model, task = names
    if not request.wants(task):
        return Run(model, [], evaluation, task)
    by_result = _by_result(lines)
    result, value = _chosen(by_result, request)
    rows, about = by_result[result], _about(settings, task, result)
    _check_single_epochs(rows)
    if value == _SCORE and about["metric_config.lower_is_better"].value is True:
        what = f"a lower score of {shown(result or task)} is better, and outcomes are better if they are higher"
        raise OutcomeError(what, hint=f"choose another score, such as {_IS_CORRECT}")
    unknown = _UNKNOWN if value == _SCORE and about["metric_config.has_unknown_level"].value is True else None
    return Run(
        model,
        [_trial(key, row, value, unknown, request) for key, row in rows.items()],
        # of the lines without the name of the evaluation, which is another one whenever a log is converted; the
        # converter of lm-eval also writes the latest samples of a folder for every run in it
        digest([line.without(["evaluation_id"]) for line in lines]),
        task,
        measure=(result if value == _SCORE else f"{result}/{value}" if result else value) or "",
        planned=Counter(question for question, *_ in dict.fromkeys(chain(*by_result.values()))),
        conditions=conditions(**about["generation_config.generation_args"].only(_ARGUMENTS)),
    )


def _by_result(lines: list[At]) -> dict[str | None, _Lines]:
    """Return the lines of each result, and those that name none; without epochs, they are numbered by question."""
    by_result: dict[str | None, _Lines] = {}
    seen = Counter[Any]()
    for line in lines:
        result, question, epoch = line["evaluation_result_id"].maybe, line["sample_id"].text, line["metadata.epoch"]
        order = _ORDER if result is not None else _UNSCORED
        part = (order, seen[result, question]) if epoch.value is None else (_EPOCH, str(epoch.maybe))
        seen[result, question] += 1
        if by_result.setdefault(result, {}).setdefault((question, part[0], part[1]), line) is not line:
            raise line.fault(f"epoch {part[1]} of question {question!r} is there twice")
    return by_result


def _values(line: At) -> dict[str, Any]:
    """Return the score and whether it is right; a trial with an error has neither."""
    values = line["evaluation"].needed.only([_SCORE, _IS_CORRECT])
    return values if line["error"].value is None else dict.fromkeys(values)


def _chosen(by_result: dict[str | None, _Lines], request: Request) -> tuple[str | None, str]:
    """Return the result whose lines count, and which of their two values; results with equal lines are one."""
    results = sorted(result for result in by_result if result is not None)
    if not results:
        return None, request.measure([_SCORE, _IS_CORRECT], usual=[_SCORE])
    if request.score is None:
        distinct: dict[Any, str] = {}
        for name in results:
            content = sorted((*key, repr(_values(line))) for key, line in by_result[name].items())
            distinct.setdefault(tuple(content), name)
        return request.choose("score", list(distinct.values()), "result"), _SCORE
    if len(results) == 1 and request.score in (_SCORE, _IS_CORRECT):
        return results[0], request.score
    offered = {name: (name, _SCORE) for name in results}
    offered |= {f"{name}/{_IS_CORRECT}": (name, _IS_CORRECT) for name in results}
    return offered[request.choose("score", offered, "result")]


def _check_single_epochs(rows: _Lines) -> None:
    """Check that epochs have scores of their own: the converter of Inspect writes the mean of a question for each."""
    scores: dict[str, set[str]] = {}
    for (question, kind, _), row in rows.items():
        if _STOP_REASON in row["metadata"] and kind == _EPOCH:
            scores.setdefault(question, set()).add(repr(_values(row)))
    if len(rows) > len(scores) > 0 and all(len(values) == 1 for values in scores.values()):
        problem = "every epoch of a question has one score, that of all its epochs together"
        hint = "the converter of Inspect writes them so: read the log of Inspect, which has the score of each epoch"
        raise OutcomeError(problem, hint=hint)


def _about(settings: At, task: str, result: str | None) -> At:
    """Return what the file of settings says of a result."""
    for about in settings["evaluation_results"].rows:
        if about["evaluation_name"].value == task and about["evaluation_result_id"].value in (result, None):
            return about
    return At({})


def _trial(key: _Key, at: At, value: str, unknown: float | None, request: Request) -> Trial:
    cluster = request.fields.get("cluster") or "cluster"
    outcome = At(_values(at)[value], at.where, value).to(request.outcome)
    mark = at["metadata.doc_hash"].value or at["sample_hash"].value  # of the document (lm-eval), or of the input
    return Trial(
        key[0],
        key[1:],
        None if outcome == unknown else outcome,
        at["metadata"][cluster,].maybe,
        used=at.spent(seconds="performance.latency_ms", **_TOKENS),
        mark=mark if isinstance(mark, str) else "",
        answer=_answer(at) if request.keeps_answers else None,
        scores=_scores(at),
    )


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
    final = [answer["extracted_value"].value for answer in given if answer["is_terminal"].value is True]
    if len(set(map(str, final))) > 1:
        raise row.fault(f"the sample has several final answers: {shorten(list(map(str, final)))}")
    return final[0] if final else None
