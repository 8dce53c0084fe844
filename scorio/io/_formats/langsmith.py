"""LangSmith: runs of experiments, from ``client.list_runs``, queries, or examples with runs; its CSV is a table."""

from .. import At, Format, LogFile, Request, Run, Trial, grouped
from ..checks import digest


class LangSmithFormat(Format):
    """Runs of experiments of LangSmith."""

    name = "langsmith"
    noun = "feedback"

    def matches(self, file: LogFile) -> bool:
        row = file.at if isinstance(file.document, dict) else file.first_record
        run = row.peek("runs").first if row.has("runs") else row
        return run.has("reference_example_id", "feedback_stats", "session_id")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        records = [file.at] if isinstance(file.document, dict) else file.walk()  # a query returns one object
        every = [run for row in records for run in (row["runs"].rows if "runs" in row else [row])]
        rows = [row for row in every if row["parent_run_id"].value is None]  # a run of a part of the task has a parent
        sessions = grouped(rows, lambda row: row["session_id"].text)
        return [
            Run(
                runs[0]["extra.metadata.model"].text_or(session if len(sessions) > 1 else ""),
                [_trial(row, request) for row in runs],
                "langsmith",  # the trials of two exports are told apart by their runs
                origin={"experiment": session},
            )
            for session, runs in sessions.items()
        ]


def _trial(row: At, request: Request) -> Trial:
    return Trial(
        row["reference_example_id"].text,
        row["id"].text,
        used=row.spent(input_tokens="prompt_tokens", output_tokens="completion_tokens"),
        mark=digest(row["inputs"].value),
        scores={name: _score(row, name, request) for name in row["feedback_stats"].obj},
    )


def _score(row: At, name: str, request: Request) -> At:
    """Return the feedback on a run, a number or a word; one that failed has no outcome in any case."""
    told = row["feedback_stats"][name,]
    if row["error"].value is not None or told.value is None:
        return At(None)
    if told["n"].whole > 1 and request.score in (None, name):
        raise told.fault(f"the run has {told['n'].value} values of {name!r}, of which only the mean is known")
    is_number = told["avg"].value is not None
    return told["avg"] if is_number else At(next(iter(told["values"].obj), None), row.where, told.key)
