"""lmms-eval: ``DATE_samples_TASK.jsonl`` with one line per document, and ``DATE_results.json`` beside it."""

import re
from dataclasses import replace

from .._files import LogFile, beside
from .._format import Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At
from ..checks import conditions

_NAME = re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")
_OF_A_DOCUMENT = ("doc_id", "filtered_resps", "doc_hash", "input")
_ABOUT = {*_OF_A_DOCUMENT, "target", "resps", "token_counts", "input_media"}


class LmmsEvalFormat(Format):
    """Samples of lmms-eval."""

    name = "lmms-eval"
    options = frozenset({"score", "answers"})

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_OF_A_DOCUMENT) and not file.row_has_keys("metrics")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        name = _NAME.fullmatch(file.path.name)
        date, task = (name["date"], name["task"]) if name else ("", None)
        results = beside(file.path.with_name(f"{date}_results.json")) if date else At({})
        run = Run(
            results["model_name"].text_or(file.path.resolve().parent.name),
            [],
            file.digest,
            task,
            model_from="log" if results["model_name"] else "folder",
            conditions=_conditions(results, task or ""),
            origin={"date": date},
        )
        return [_filled(run, file, request)] if request.wants(task) else [run]


def _conditions(results: At, task: str) -> dict[str, str]:
    """Return the settings of a task; outcomes of several responses to a document are refused."""
    config = results["configs"][task,]
    repeats = config["repeats"].value
    if isinstance(repeats, int) and repeats > 1:
        problem = f"each document was asked {repeats} times, and the outcomes of single responses were not stored"
        raise config.fault(problem, hint="run lmms-eval once for each trial, with other seeds")
    return conditions(
        task_version=results["versions"][task,].value,
        num_fewshot=results["n-shot"][task,].value,
        generation_kwargs=config["generation_kwargs"].value,
    )


def _filled(run: Run, file: LogFile, request: Request) -> Run:
    rows = list(file.walk())
    metric = request.choose(
        "score", dict.fromkeys(name for row in rows for name in row.obj if name not in _ABOUT), "metric"
    )
    trials = []
    for row in rows:
        value = row[metric,]
        outcome = (value["score"] if isinstance(value.value, dict) else value).to(request.outcome)
        trials.append(Trial(row["doc_id"].text, 0, outcome))
    marks = {row["doc_id"].text: row["doc_hash"].text for row in rows}
    filled = replace(run, trials=trials, measure=metric, fingerprints=marks, notes={"score": metric})
    answers = (row["filtered_resps"].value for row in rows)
    return with_samples(filled, request, answers, answers_from="filtered_resps")
