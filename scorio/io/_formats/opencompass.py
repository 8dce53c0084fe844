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
from ..checks import items, label, mapping, within

_OUTCOMES = ("correct", "is_correct", "cascade_correct")  # in the order of the tool
_ANSWERS = ("answer", "references", "gold")
_OF_AN_EXAMPLE = {"example_abbr", "pred", "predictions", *_OUTCOMES}
_PREDICTIONS = ("pred", "predictions", "prediction")
_MEAN = re.compile(r"m?G-Pass@")
_DATE = re.compile(r"\d{8}_\d{6}")
_RESULTS = "results"


def _examples(log: Any) -> list[tuple[str, Any]]:
    """Return the details with the names of the examples, or their numbers where they have no names."""
    details = log.get("details") if isinstance(log, dict) else None
    if isinstance(details, list):
        return [(str(i), entry) for i, entry in enumerate(details)]
    if isinstance(details, dict):
        return [(name, entry) for name, entry in details.items() if name != "type"]
    return []


def _is_predictions(file: LogFile) -> bool:
    log = file.document
    first = next(iter(log.values()), None) if isinstance(log, dict) else None
    return isinstance(first, dict) and {"origin_prompt", "prediction"} <= first.keys()


def _is_means(file: LogFile) -> bool:
    log = file.document
    if not isinstance(log, dict) or file.path.resolve().parent.parent.name != _RESULTS:
        return False
    return any(log) and not _examples(log) and all(isinstance(value, (int, float)) for value in log.values())


def _is_fault(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and log.keys() == {"error"} and file.path.resolve().parent.parent.name == _RESULTS


class OpenCompassFormat(Format):
    """Results of OpenCompass with the details of the examples."""

    name = "opencompass"
    options = frozenset({"score", "answers", "scores"})
    companions = (
        Companion(_is_fault, "the evaluation of OpenCompass failed, so that there are no outcomes"),
        Companion(_is_predictions, "answers without their outcomes, which OpenCompass writes into results/"),
        Companion(_is_means, "means of OpenCompass without the outcomes of the examples: use --dump-eval-details"),
    )

    def matches(self, file: LogFile) -> bool:
        log = file.document
        first = next((entry for _, entry in _examples(log)), None)
        if not isinstance(first, dict) or first.keys().isdisjoint(_OF_AN_EXAMPLE):
            return False
        return "example_abbr" in first or any(isinstance(value, (int, float)) for value in log.values())

    def read(self, file: LogFile, request: Request) -> list[Run]:
        folder, task = file.path.resolve().parent, file.path.stem
        date = folder.parent.parent.name
        entries = [(name, mapping(entry, f"example {name}")) for name, entry in _examples(file.document)]
        measure = _measure(entries, request) if request.wants(task) else ""
        run = Run(
            model=folder.name,
            model_from="folder",
            task=task,
            trials=list(_trials(entries, measure, request)) if measure else [],
            identity=date if _DATE.fullmatch(date) else file.digest,
            measure=measure,
            fingerprints=dict(_marks(entries)),
            origin={"date": date},
            notes={"score": measure},
        )
        kept = [each for _, entry in entries for each in _of_trials(entry, measure)] if request.keep else []
        answers, place = (_predicted(each) for each in kept), " or ".join(_PREDICTIONS)
        return [with_samples(run, request, answers, kept, answers_from=place, scores_from="details")]


def _of_trials(entry: dict[str, Any], measure: str) -> list[dict[str, Any]]:
    """Return the details of each trial of an example: lists have one value per trial, others are of the only one."""
    value = entry.get(measure)
    count = len(value) if isinstance(value, list) else 1
    lists = {key: each for key, each in entry.items() if isinstance(each, list) and len(each) == count}
    others = {key: each for key, each in entry.items() if not isinstance(each, list)} if count == 1 else {}
    return [others | {key: each[i] for key, each in lists.items()} for i in range(count)]


def _predicted(details: dict[str, Any]) -> Any:
    return next((details[name] for name in _PREDICTIONS if details.get(name) is not None), None)


def _measure(entries: list[tuple[str, dict[str, Any]]], request: Request) -> str:
    names = list(dict.fromkeys(name for _, entry in entries for name, value in entry.items() if _is_outcome(value)))
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


def _trials(entries: list[tuple[str, dict[str, Any]]], measure: str, request: Request) -> Iterator[Trial]:
    for name, entry in entries:
        with within(f"example {name}"):
            value = entry.get(measure)
            for key, each in enumerate(items(value, measure) if isinstance(value, list) else [value]):
                yield Trial(_question(name, entry), key, request.outcome(each))


def _question(name: str, entry: dict[str, Any]) -> str:
    return label(entry.get("example_abbr", name), "example_abbr")


def _marks(entries: list[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, str]]:
    """Yield the question and the right answer of each example."""
    for name, entry in entries:
        answers = [json.dumps(entry[key], sort_keys=True) for key in _ANSWERS if key in entry]
        if answers:
            yield _question(name, entry), answers[0]
