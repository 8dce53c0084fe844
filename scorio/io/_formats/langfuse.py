"""Langfuse: the items of experiments with their scores, as its API and its Python package return them.

A file is a page of the API (``{"data": [..], "meta": {..}}``), or the items as a JSON list or as JSON lines.
"""

from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At
from ..checks import conditions
from .feedback import agreed

_NO_OUTCOME = ("TEXT", "CORRECTION")  # types of scores that are texts without a value
_Item = tuple[At, dict[str, list[Any]]]  # with its scores by name


class LangfuseFormat(Format):
    """Items of experiments of Langfuse."""

    name = "langfuse"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        data = file.at.peek("data") if file.is_json else None
        row = data[0] if isinstance(data, list) and data else file.first_record if file.is_json else None
        return isinstance(row, dict) and row.keys() >= {"id", "experimentName", "experimentItemId"}

    def read(self, file: LogFile, request: Request) -> list[Run]:
        rows = file.at["data"].needed.rows if file.has_keys("data") else file.walk()
        every = [(row, _scores(row)) for row in rows]
        metrics = dict.fromkeys(name for _, scores in every for name in scores)
        if not metrics:
            raise OutcomeError("no item has a score", hint="get the items again with fields='scores'")
        measure = request.choose("score", metrics)
        by_run: dict[tuple[str, str], list[_Item]] = {}
        for row, scores in every:
            names = row["experimentName"].text, row["experimentMetadata.model"].text_or("")
            by_run.setdefault(names, []).append((row, scores))
        return [
            Run(
                model or experiment,
                [
                    Trial(row["experimentItemId"].text, row["id"].text, agreed(row, scores, measure, "scores", request))
                    for row, scores in own
                ],
                "langfuse",  # the trials of two exports are told apart by their items
                measure=measure,
                details=conditions(metadata=own[0][0]["experimentMetadata"].without(["model"])),
                notes={"score": measure} | ({"experiment": repr(experiment)} if model else {}),
            )
            for (experiment, model), own in by_run.items()
        ]


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
