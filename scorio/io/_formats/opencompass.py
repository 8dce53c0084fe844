"""OpenCompass: ``<date>/results/<model>/<dataset>.json``; the outcomes are in the details of the examples."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError, Remedy
from .. import At, Companion, Format, LogFile, Request, Run, Trial

_OUTCOMES = ("correct", "is_correct", "cascade_correct")  # in the order of the tool
_ANSWERS = ("answer", "references", "gold")
_OF_AN_EXAMPLE = {"example_abbr", "pred", "predictions", *_OUTCOMES}
_PREDICTIONS = ("pred", "predictions", "prediction")
_MEAN = re.compile(r"m?G-Pass@")
_DATE = re.compile(r"\d{8}_\d{6}")


def _examples(file: LogFile) -> dict[str, Any]:
    """Return the details by the names of the examples, or by their numbers where they have no names."""
    details = file.at.peek("details")
    if isinstance(details.value, list):
        return {str(i): entry for i, entry in enumerate(details.value)}
    return {name: entry for name, entry in details.plain.items() if name != "type"}


def _is_result(file: LogFile) -> bool:
    """Return whether a file of results holds no outcomes: an error, or numbers."""
    log = file.at.plain
    is_plain = log.keys() == {"error"} or all(isinstance(value, (int, float)) for value in log.values())
    return bool(log) and file.folder.parent.name == "results" and is_plain


class OpenCompassFormat(Format):
    """Results of OpenCompass with the details of the examples."""

    name = "opencompass"
    options = frozenset({"score", "answers", "scores"})
    companions = (
        Companion(
            lambda file: file.at.first.has("origin_prompt", "prediction"),
            "answers without their outcomes, which OpenCompass writes into results/",
        ),
        Companion(_is_result, "means or an error of OpenCompass without outcomes: use --dump-eval-details"),
    )
    answers_from, scores_from = " or ".join(_PREDICTIONS), "details"
    model_from = "folder"

    def matches(self, file: LogFile) -> bool:
        first = At(_examples(file)).first.plain
        has_means = any(isinstance(value, (int, float)) for value in file.at.plain.values())
        return not first.keys().isdisjoint(_OF_AN_EXAMPLE) and ("example_abbr" in first or has_means)

    def read(self, file: LogFile, request: Request) -> Run:
        task, date = file.path.stem, file.folder.parent.parent.name
        if not request.wants(task):
            return Run("", [], task=task)
        examples = [
            At({"example_abbr": name} | At(entry, f"example {name}").needed.obj, f"example {name}")
            for name, entry in _examples(file).items()
        ]
        measure, identity = _measure(examples, request), date if _DATE.fullmatch(date) else ""
        trials = [trial for example in examples for trial in _trials(example, measure, request)]
        return Run("", trials, identity, task, measure, origin={"date": date})


def _measure(examples: list[At], request: Request) -> str:
    values = [(name, value) for example in examples for name, value in example.obj.items() if not _MEAN.match(name)]
    numbers = {
        name: None
        for name, value in values
        if any(isinstance(outcome, (int, float)) for outcome in (value if isinstance(value, list) else [value]))
    }
    usual = [name for name in _OUTCOMES if name in numbers]
    if not (usual or request.score):
        remedies = [Remedy("score", name, "reads another number of the examples") for name in [*numbers][:1]]
        raise OutcomeError("the evaluator stored no outcome per example (no 'correct')", remedies=remedies)
    return request.choose("score", numbers if request.score else usual[:1], "metric")


def _trials(example: At, measure: str, request: Request) -> Iterator[Trial]:
    """Yield the trials of an example: lists have one value per trial, other details are of the only one."""
    value = example[measure,].value
    outcomes = value if isinstance(value, list) else [value]
    mark = next((json.dumps(example[key].value, sort_keys=True) for key in _ANSWERS if key in example), "")
    for key, outcome in enumerate(outcomes):
        details = {
            name: part[key] if isinstance(part, list) else part
            for name, part in example.obj.items()
            if len(part if isinstance(part, list) else [part]) == len(outcomes)
        }
        yield Trial(
            example["example_abbr"].text,
            key,
            At(outcome, example.where, measure).to(request.outcome),
            mark=mark,
            answer=next((details[name] for name in _PREDICTIONS if details.get(name) is not None), None),
            scores=details,
        )
