"""Langfuse: the items of experiments with their scores, as its API and its Python package return them.

A file is a page of the API (``{"data": [..], "meta": {..}}``), or the items as a JSON list or as JSON lines.
"""

from typing import Any

from ...errors import OutcomeError
from .. import At, Format, LogFile, Request, Run, Trial, grouped, names_in
from ..checks import conditions

_NO_OUTCOME = ("TEXT", "CORRECTION")  # types of scores that are texts without a value


class LangfuseFormat(Format):
    """Items of experiments of Langfuse."""

    name = "langfuse"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        row = _page(file).first if _page(file) else file.first_record
        return row.has("id", "experimentName", "experimentItemId")

    def read(self, file: LogFile, request: Request) -> list[Run]:
        every = [(row, _scores(row)) for row in (_page(file).rows if _page(file) else file.walk())]
        metrics = names_in(At(scores) for _, scores in every)
        if not metrics:
            raise OutcomeError("no item has a score", hint="get the items again with fields='scores'")
        measure = request.choose("score", metrics)
        by_run = grouped(
            every, lambda item: (item[0]["experimentName"].text, item[0]["experimentMetadata.model"].text_or(""))
        )
        return [
            Run(
                model or experiment,
                [
                    Trial(
                        row["experimentItemId"].text,
                        row["id"].text,
                        request.agreed(row, scores, measure, "scores"),
                    )
                    for row, scores in items
                ],
                "langfuse",  # the trials of two exports are told apart by their items
                measure=measure,
                details=conditions(metadata=items[0][0]["experimentMetadata"].without(["model"])),
                notes={"experiment": repr(experiment) if model else ""},
            )
            for (experiment, model), items in by_run.items()
        ]


def _page(file: LogFile) -> At:
    """Return the items of a page of the API; nothing if the file is none."""
    data = file.at.plain.get("data")
    return At(data if isinstance(data, list) else None, key="data")


def _scores(row: At) -> dict[str, list[Any]]:
    """Return the values of the scores of an item by their names; none counts if the task failed."""
    scores: dict[str, list[Any]] = {}
    for score in row["scores"].rows:
        kind = score["dataType"].value
        if kind in _NO_OUTCOME:
            continue
        given = scores.setdefault(score["name"].text, [])
        if row["level"].value != "ERROR":
            is_word = kind == "CATEGORICAL" and score["stringValue"].value is not None
            given.append(score["stringValue" if is_word else "value"].value)  # where the value is a mere number
    return scores
