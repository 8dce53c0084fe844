"""LangSmith: the runs of experiments, as ``client.list_runs`` and the pages of examples with runs return them, as JSON.

The table that a page of LangSmith exports as CSV is read as a table, whose columns tell that it is of LangSmith.
"""

from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, digest, model_of_path, sums


class LangSmithFormat(Format):
    """Runs of experiments of LangSmith."""

    name = "langsmith"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = At(file.first_record if file.is_json else None)
        first = next(iter(row.peek("runs") or ()), None) if isinstance(row.peek("runs"), list) else row.value
        return isinstance(first, dict) and first.keys() >= {"reference_example_id", "feedback_stats", "session_id"}

    def read(self, file: LogFile, request: Request) -> list[Run]:
        every = [run for row in file.walk() for run in (row["runs"].rows if "runs" in row else [row])]
        rows = [row for row in every if row["parent_run_id"].value is None]  # a run of a part of the task has a parent
        names = dict.fromkeys(name for row in rows for name in row["feedback_stats"].obj)
        measure = request.choose("score", names, "feedback") if names else ""
        by_session: dict[str, list[At]] = {}
        for row in rows:
            by_session.setdefault(row["session_id"].text, []).append(row)
        alone, runs = len(by_session) == 1, []
        for session, own in by_session.items():
            model = either(own[0]["extra.metadata.model"], At(None if alone else session))
            used = [row.spent(input_tokens="prompt_tokens", output_tokens="completion_tokens") for row in own]
            run = Run(
                model.text_or(model_of_path(file.path)),
                [_trial(row, measure, request) for row in own],
                "langsmith",  # the trials of two exports are told apart by their runs
                measure=measure,
                fingerprints={row["reference_example_id"].text: digest(row["inputs"].value) for row in own},
                model_from="log" if model else "file name",
                origin={"experiment": session, **sums(used)},
                trial_costs=by_trial(used),
                notes={"score": measure or "none"},
            )
            runs.append(run)
        return runs


def _trial(row: At, measure: str, request: Request) -> Trial:
    """Return the trial of a run by its feedback, a number or a word; one that failed has no outcome in any case."""
    question, given = row["reference_example_id"].text, row["feedback_stats"][measure,]
    if row["error"].value is not None or given.value is None:
        return Trial(question, row["id"].text, None)
    if given["n"].whole > 1:
        raise given.fault(f"the run has {given['n'].value} values of {measure!r}, of which only the mean is known")
    value = given["avg"].value if given["avg"].value is not None else next(iter(given["values"].obj), None)
    return Trial(question, row["id"].text, At(value, row.where, given.key).to(request.outcome))
