"""LangSmith: the runs of experiments as JSON: ``client.list_runs``, queries of runs, and examples with their runs.

The table that a page of LangSmith exports as CSV is read as a table, whose columns tell that it is of LangSmith.
"""

from .. import At, Format, LogFile, Request, Run, Trial, grouped, names_in
from ..checks import digest


class LangSmithFormat(Format):
    """Runs of experiments of LangSmith."""

    name = "langsmith"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = file.at if isinstance(file.document, dict) else file.first_record
        run = row.peek("runs").first if row.has("runs") else row
        return run.has("reference_example_id", "feedback_stats", "session_id")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        records = [file.at] if isinstance(file.document, dict) else file.walk()  # a query returns one object
        every = [run for row in records for run in (row["runs"].rows if "runs" in row else [row])]
        rows = [row for row in every if row["parent_run_id"].value is None]  # a run of a part of the task has a parent
        measure = request.measure(names_in(row["feedback_stats"] for row in rows), "feedback")
        sessions = grouped(rows, lambda row: row["session_id"].text)
        return [
            Run(
                runs[0]["extra.metadata.model"].text_or(session if len(sessions) > 1 else ""),
                [_trial(row, measure, request) for row in runs],
                "langsmith",  # the trials of two exports are told apart by their runs
                measure=measure,
                origin={"experiment": session},
            )
            for session, runs in sessions.items()
        ]


def _trial(row: At, measure: str, request: Request) -> Trial:
    """Return the trial of a run by its feedback, a number or a word; one that failed has no outcome in any case."""
    given, value = row["feedback_stats"][measure,], None
    if row["error"].value is None and given.value is not None:
        if given["n"].whole > 1:
            raise given.fault(f"the run has {given['n'].value} values of {measure!r}, of which only the mean is known")
        value = given["avg"].value if given["avg"].value is not None else next(iter(given["values"].obj), None)
    return Trial(
        row["reference_example_id"].text,
        row["id"].text,
        At(value, row.where, given.key).to(request.outcome),
        used=row.spent(input_tokens="prompt_tokens", output_tokens="completion_tokens"),
        mark=digest(row["inputs"].value),
    )
