"""Langfuse: the items of experiments with their scores, as its API returns them: a page, a list, or JSON lines.

A page is ``{"data": [..], "meta": {..}}``.
"""

from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .. import At, Format, LogFile, Request, Run, Trial, grouped
from ..checks import conditions

_NO_OUTCOME = ("TEXT", "CORRECTION")  # types of scores that are texts without a value


class LangfuseFormat(Format):
    """Items of experiments of Langfuse."""

    name = "langfuse"
    noun = "score"

    def matches(self, file: LogFile) -> bool:
        return (_page(file).first if _page(file) else file.first_record).has("id", "experimentName", "experimentItemId")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = _page(file).rows if _page(file) else [*file.walk()]
        if not any(row["scores"].rows for row in rows):
            raise OutcomeError("no item has a score", hint="get the items again with fields='scores'")
        by_run = grouped(rows, lambda row: (row["experimentName"].text, row["experimentMetadata.model"].text_or("")))
        return [
            Run(
                model or experiment,
                [
                    Trial(row["experimentItemId"].text, row["id"].text, scores=row.feedback(_scores(row)))
                    for row in items
                ],
                "langfuse",  # the trials of two exports are told apart by their items
                details=conditions(metadata=items[0]["experimentMetadata"].without(["model"])),
                notes={"experiment": repr(experiment) if model else ""},
            )
            for (experiment, model), items in by_run.items()
        ]


def _page(file: LogFile) -> At:
    """Return the items of a page of the API; nothing if the file is none."""
    data = file.at.plain.get("data")
    return At(data if isinstance(data, list) else None, key="data")


def _scores(row: At) -> Iterator[tuple[str, Any]]:
    """Yield the scores of an item; none counts if it failed."""
    for score in row["scores"].rows:
        if (kind := score["dataType"].value) not in _NO_OUTCOME:
            is_word = kind == "CATEGORICAL" and score["stringValue"].value is not None  # the value is a mere number
            value = score["stringValue" if is_word else "value"].value
            yield score["name"].text, None if row["level"].value == "ERROR" else value
