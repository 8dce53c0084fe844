"""lmms-eval: ``DATE_samples_TASK.jsonl`` with one line per document, and ``DATE_results.json`` beside it."""

import re
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, label, mapping, within

_NAME = re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")
_OF_A_DOCUMENT = ("doc_id", "filtered_resps", "doc_hash", "input")
_ABOUT = {*_OF_A_DOCUMENT, "target", "resps", "token_counts", "input_media"}
_SCORE = "score"  # in a metric that is an object


class LmmsEvalFormat(Format):
    """Samples of lmms-eval."""

    name = "lmms-eval"
    options = frozenset({"score", "answers"})

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_OF_A_DOCUMENT) and not file.row_has_keys("metrics")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _NAME.fullmatch(file.path.name)
        date, task = (name["date"], name["task"]) if name else ("", None)
        folder = file.path.resolve().parent.name
        results = beside(file.path.with_name(f"{date}_results.json")).obj if date else {}
        model = results.get("model_name")
        run = Run(
            label(model, "model_name") if model else folder,
            [],
            file.digest,
            task,
            model_from="log" if model else "folder",
            conditions=_conditions(results, task or ""),
            origin={"date": date},
        )
        return [_filled(run, file, request)] if request.wants(task) else [run]


def _conditions(results: dict[str, Any], task: str) -> dict[str, str]:
    """Return the settings of a task; outcomes of several responses to a document are refused."""
    config = mapping(mapping(results.get("configs") or {}, "configs").get(task) or {}, f"configs.{task}")
    repeats = config.get("repeats")
    if isinstance(repeats, int) and repeats > 1:
        problem = f"each document was asked {repeats} times, and the outcomes of single responses were not stored"
        raise OutcomeError(problem, hint="run lmms-eval once for each trial, with other seeds")
    versions, shots = (mapping(results.get(each) or {}, each) for each in ("versions", "n-shot"))
    generation = config.get("generation_kwargs")
    return conditions(task_version=versions.get(task), num_fewshot=shots.get(task), generation_kwargs=generation)


def _filled(run: Run, file: LogFile, request: Request) -> Run:
    rows = list(file.records())
    metrics = dict.fromkeys(name for _, row in rows for name in row if name not in _ABOUT)
    metric = request.choose("score", metrics, "metric")
    trials: list[Trial] = []
    marks: dict[str, str] = {}
    for place, row in rows:
        with within(place):
            question = label(row.get("doc_id"), "doc_id")
            value = row.get(metric)
            outcome = value.get(_SCORE) if isinstance(value, dict) else value
            trials.append(Trial(question, 0, request.outcome(outcome)))
            marks[question] = label(row.get("doc_hash"), "doc_hash")
    about = {name: getattr(run, name) for name in ("model_from", "conditions", "origin")}
    filled = Run(
        run.model, trials, run.identity, run.task, metric, fingerprints=marks, notes={"score": metric}, **about
    )
    return with_samples(filled, request, (row.get("filtered_resps") for _, row in rows), answers_from="filtered_resps")
