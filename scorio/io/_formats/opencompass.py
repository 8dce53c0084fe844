"""OpenCompass: ``<date>/results/<model>/<dataset>.json``; the outcomes are in the details of the examples."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError, Remedy
from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At

_OUTCOMES = ("correct", "is_correct", "cascade_correct")  # in the order of the tool
_ANSWERS = ("answer", "references", "gold")
_OF_AN_EXAMPLE = {"example_abbr", "pred", "predictions", *_OUTCOMES}
_PREDICTIONS = ("pred", "predictions", "prediction")
_MEAN = re.compile(r"m?G-Pass@")
_DATE = re.compile(r"\d{8}_\d{6}")


def _examples(file: LogFile) -> list[tuple[str, Any]]:
    """Return the details with the names of the examples, or their numbers where they have no names."""
    details = At(file.document).peek("details")
    if isinstance(details, list):
        return [(str(i), entry) for i, entry in enumerate(details)]
    return [(name, entry) for name, entry in details.items() if name != "type"] if isinstance(details, dict) else []


def _is_predictions(file: LogFile) -> bool:
    first = next(iter(file.document.values()), None) if isinstance(file.document, dict) else None
    return isinstance(first, dict) and {"origin_prompt", "prediction"} <= first.keys()


def _is_result(file: LogFile) -> bool:
    return isinstance(file.document, dict) and file.path.resolve().parent.parent.name == "results"


def _is_means(file: LogFile) -> bool:
    if not _is_result(file) or _examples(file):
        return False
    return any(file.document) and all(isinstance(value, (int, float)) for value in file.document.values())


class OpenCompassFormat(Format):
    """Results of OpenCompass with the details of the examples."""

    name = "opencompass"
    options = frozenset({"score", "answers", "scores"})
    companions = (
        Companion(
            lambda file: _is_result(file) and file.document.keys() == {"error"},
            "the evaluation of OpenCompass failed, so that there are no outcomes",
        ),
        Companion(_is_predictions, "answers without their outcomes, which OpenCompass writes into results/"),
        Companion(_is_means, "means of OpenCompass without the outcomes of the examples: use --dump-eval-details"),
    )

    def matches(self, file: LogFile) -> bool:
        first = next((entry for _, entry in _examples(file)), None)
        if not isinstance(first, dict) or first.keys().isdisjoint(_OF_AN_EXAMPLE):
            return False
        return "example_abbr" in first or any(isinstance(value, (int, float)) for value in file.document.values())

    def read(self, file: LogFile, request: Request) -> list[Run]:
        folder, task = file.path.resolve().parent, file.path.stem
        date = folder.parent.parent.name
        entries = [_example(name, entry) for name, entry in _examples(file)]
        measure = _measure(entries, request) if request.wants(task) else ""
        run = Run(
            folder.name,
            [trial for entry in entries for trial in _trials(entry, measure, request)] if measure else [],
            date if _DATE.fullmatch(date) else file.digest,
            task,
            measure=measure,
            fingerprints={entry["example_abbr"].text: mark for entry in entries if (mark := _mark(entry))},
            model_from="folder",
            origin={"date": date},
            notes={"score": measure},
        )
        kept = [each for entry in entries for each in _of_trials(entry, measure)] if request.keep else []
        answers, place = (_predicted(each) for each in kept), " or ".join(_PREDICTIONS)
        return [with_samples(run, request, answers, kept, answers_from=place, scores_from="details")]


def _example(name: str, entry: Any) -> At:
    """Return the details of an example, which has a name in any case."""
    place = f"example {name}"
    return At({"example_abbr": name} | At(entry, place).needed.obj, place)


def _measure(entries: list[At], request: Request) -> str:
    names = list(dict.fromkeys(name for entry in entries for name, value in entry.obj.items() if _is_outcome(value)))
    names = [name for name in names if not _MEAN.match(name)]
    if request.score:
        return request.choose("score", names, "metric")
    known = [name for name in _OUTCOMES if name in names]
    if not known:
        remedies = [Remedy("score", name, "reads another number of the examples") for name in names[:1]]
        raise OutcomeError("the evaluator stored no outcome per example (no 'correct')", remedies=remedies)
    return known[0]


def _is_outcome(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(each, (bool, int, float)) for each in values)


def _trials(entry: At, measure: str, request: Request) -> Iterator[Trial]:
    value = entry[measure,]
    for key, each in enumerate(value.array if isinstance(value.value, list) else [value.value]):
        yield Trial(entry["example_abbr"].text, key, At(each, entry.where, measure).to(request.outcome))


def _mark(entry: At) -> str:
    """Return the right answer of an example, as JSON."""
    return next((json.dumps(entry[key].value, sort_keys=True) for key in _ANSWERS if key in entry), "")


def _of_trials(entry: At, measure: str) -> list[dict[str, Any]]:
    """Return the details of each trial of an example: lists have one value per trial, others are of the only one."""
    value = entry[measure,].value
    count = len(value) if isinstance(value, list) else 1
    lists = {key: each for key, each in entry.obj.items() if isinstance(each, list) and len(each) == count}
    others = {key: each for key, each in entry.obj.items() if not isinstance(each, list)} if count == 1 else {}
    return [others | {key: each[i] for key, each in lists.items()} for i in range(count)]


def _predicted(details: dict[str, Any]) -> Any:
    return next((details[name] for name in _PREDICTIONS if details.get(name) is not None), None)
