"""lmms-eval: ``DATE_samples_TASK.jsonl`` with one line per document, and ``DATE_results.json`` beside it."""

import re

from .. import At, Format, LogFile, Request, Run, Trial
from ..checks import conditions

_NAME = re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl")
_LAYOUT = {"doc_id", "filtered_resps", "doc_hash", "input"}
_ABOUT = {*_LAYOUT, "target", "resps", "token_counts", "input_media"}


class LmmsEvalFormat(Format):
    """Samples of lmms-eval."""

    name = "lmms-eval"
    options = frozenset({"answers"})
    noun = "metric"
    answers_from = "filtered_resps"
    model_from = "folder"

    def matches(self, file: LogFile) -> bool:
        return file.first_row.has(*_LAYOUT) and not file.first_row.has("metrics")

    def read(self, file: LogFile, request: Request) -> Run:
        name = file.named(_NAME)
        date, task = name.get("date", ""), name.get("task")
        results = file.beside(f"{date}_results.json") if date else At({})
        model = results["model_name"].text_or("")
        if not request.wants(task):
            return Run(model, [], task=task)
        return Run(
            model,
            [_trial(row) for row in file.walk()],
            task=task,
            conditions=_settings(results, task or ""),
            origin={"date": date},
        )


def _trial(row: At) -> Trial:
    values = {name: row[name,] for name in row.obj if name not in _ABOUT}
    scores = {name: value["score"] if isinstance(value.value, dict) else value for name, value in values.items()}
    return Trial(row["doc_id"].text, 0, mark=row["doc_hash"].text, answer=row["filtered_resps"].value, scores=scores)


def _settings(results: At, task: str) -> dict[str, str]:
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
