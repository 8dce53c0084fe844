"""Langfuse: the items of experiments with their scores, as its API and its Python package return them.

A file is a page of the API (``{"data": [..], "meta": {..}}``), or the items as a JSON list or as JSON lines.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, shown, within
from .feedback import agreed

_OF_ITEMS = {"id", "experimentName", "experimentItemId"}
_NO_OUTCOME = ("TEXT", "CORRECTION")  # types of scores that are texts without a value
_WITH_SCORES = "get the items again with fields='scores'"
_Key = tuple[str, str]  # an experiment's name, and the model that its metadata names or nothing


class _Item(NamedTuple):
    place: str
    experiment: str
    question: str
    name: str
    scores: dict[str, list[Any]]
    metadata: dict[str, Any]


class LangfuseFormat(Format):
    """Items of experiments of Langfuse."""

    name = "langfuse"
    options = frozenset({"score", "levels"})

    def matches(self, file: LogFile) -> bool:
        if not file.is_json:
            return False
        data = file.document.get("data") if isinstance(file.document, dict) else None
        row = data[0] if isinstance(data, list) and data else file.first_record
        return isinstance(row, dict) and row.keys() >= _OF_ITEMS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        every = list(_items(file))
        metrics = dict.fromkeys(name for item in every for name in item.scores)
        if not metrics:
            raise OutcomeError("no item has a score", hint=_WITH_SCORES)
        measure = request.choose("score", metrics)
        by_run: dict[_Key, list[_Item]] = defaultdict(list)
        for item in every:
            model = item.metadata.get("model")
            by_run[item.experiment, label(model, "experimentMetadata.model") if model else ""].append(item)
        return [
            Run(
                model or experiment,
                [_trial(item, measure, request) for item in own],
                "langfuse",  # the trials of two exports are told apart by their items
                measure=measure,
                details=conditions(
                    metadata={name: value for name, value in own[0].metadata.items() if name != "model"}
                ),
                notes={"score": measure} | ({"experiment": repr(experiment)} if model else {}),
            )
            for (experiment, model), own in by_run.items()
        ]


def _items(file: LogFile) -> Iterator[_Item]:
    for place, row in _rows(file):
        with within(place):
            yield _Item(
                place,
                label(row.get("experimentName"), "experimentName"),
                label(row.get("experimentItemId"), "experimentItemId"),
                label(row.get("id"), "id"),
                _scores(row),
                mapping(row.get("experimentMetadata") or {}, "experimentMetadata"),
            )


def _rows(file: LogFile) -> Iterator[tuple[str, dict[str, Any]]]:
    document = file.document
    if not (isinstance(document, dict) and "data" in document):
        yield from file.records()
        return
    for i, row in enumerate(items(document["data"], "data")):
        with within(f"item {i}"):
            yield f"item {i}", mapping(row, "an item")


def _scores(row: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the values of the scores of an item by their names; none counts if the task failed."""
    scores: dict[str, list[Any]] = {}
    for entry in items(row.get("scores") or [], "scores"):
        score = mapping(entry, "a score")
        if score.get("dataType") in _NO_OUTCOME:
            continue
        given = scores.setdefault(label(score.get("name"), "the name of a score"), [])
        if row.get("level") != "ERROR":
            is_word = score.get("dataType") == "CATEGORICAL" and score.get("stringValue") is not None
            given.append(score["stringValue"] if is_word else score.get("value"))  # where the value is a mere number
    return scores


def _trial(item: _Item, measure: str, request: Request) -> Trial:
    with within(item.place):
        outcome = agreed(item.scores.get(measure, []), f"the item has scores {shown(measure)}", request)
        return Trial(item.question, item.name, outcome)
