"""pydantic-evals: the report of an experiment as JSON, with one entry per run of a case; ``repeat=`` runs it again."""

import re
from collections import Counter

from .. import At, Format, LogFile, Request, Run, Trial, either, names_in
from ..checks import conditions, shown

_CASE = {"inputs", "scores", "labels", "assertions"}  # of every case that was run
_FAILURE = {"inputs", "error_message"}  # of every case whose task failed
_KINDS = ("assertions", "scores")  # of results that are outcomes; labels are words of the evaluator's own
_NUMBER = re.compile(r"_\d+$")  # behind the name of an evaluator that has another one's name


class PydanticEvalsFormat(Format):
    """Reports of pydantic-evals."""

    name = "pydantic-evals"
    noun = "evaluator"

    def matches(self, file: LogFile) -> bool:
        log = file.at
        is_report = log.peek("cases").first.has(*_CASE) or log.peek("failures").first.has(*_FAILURE)
        return log.has("name", "cases") and is_report

    def read(self, file: LogFile, request: Request) -> Run:
        log = file.at
        rows = [*log["cases"].rows, *log["failures"].rows]  # a run whose task failed has no results
        metrics = names_in(row[kind] for row in rows for kind in _KINDS)
        sharing = Counter(stem for name in metrics for stem in {name, _NUMBER.sub("", name)})
        about = At(At(log["experiment_metadata"].value).plain, "", "experiment_metadata")
        return Run(
            about["model"].text_or(""),
            [_trial(row, i, sharing) for i, row in enumerate(rows)],
            task=log["dataset_name"].maybe,
            details=conditions(metadata=about.without(["model"])),
        )


def _trial(row: At, i: int, sharing: Counter[str]) -> Trial:
    """Return the trial of a case; if an evaluator failed, a name that several share may be that of another one."""
    failed = {_NUMBER.sub("", shown(failure["name"].value)[1:-1]) for failure in row["evaluator_failures"].rows}
    lost = {stem for stem in failed if sharing[stem] > 1}
    return Trial(
        either(row["source_case_name"], row["name"]).text,
        i,
        used=row.spent(seconds="task_duration"),
        scores={
            name: None if _NUMBER.sub("", name) in lost else row[kind][name, "value"]
            for kind in _KINDS
            for name in row[kind].obj
            if kind == _KINDS[0] or name not in row[_KINDS[0]]
        },
    )
