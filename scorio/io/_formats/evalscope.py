"""EvalScope: ``<date>/reviews/<model>/<benchmark>_<subset>.jsonl``, one reviewed answer per line."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, whole, within

_CONFIG = Path("configs", "task_config.yaml")
_SETTING = re.compile(r"^(?P<name>\w+):(?: (?P<value>.*))?$", re.MULTILINE)  # of YAML, at the left margin
_GENERATION = re.compile(r"^generation_config:\n(?P<block>(?:  .*\n?)*)", re.MULTILINE)
_INNER = re.compile(r"^  (?P<name>\w+): (?P<value>[^\s].*)$", re.MULTILINE)
_TECHNICAL = {"batch_size", "timeout", "retries", "retry_interval", "stream", "n"}
_DONE = "success"
_OF_THE_FIRST_VERSION = {"choices", "review_id", "reviewed"}


class EvalScopeFormat(Format):
    """Reviews of EvalScope."""

    name = "evalscope"
    options = frozenset({"score", "answers", "scores"})
    companions = (
        Companion(
            lambda file: file.row_has_keys("index", "model_output"),
            "answers without their outcomes, which EvalScope writes into reviews/",
        ),
        Companion(
            lambda file: file.has_keys("dataset_name", "model_name", "metrics"),
            "means of EvalScope: its trials are in reviews/",
        ),
        Companion(
            lambda file: b"\neval_backend:" in file.head, "the settings of an EvalScope run: its trials are in reviews/"
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys("index", "sample_score") or file.row_has_keys(*_OF_THE_FIRST_VERSION)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        model, task = file.path.resolve().parent.name, file.path.stem
        rows = [(place, row, _part(row, "sample_score", place)) for place, row in _rows(file)]
        scores = [_part(sample, "score", place) for place, _, sample in rows]
        measure = _measure(scores, request) if request.wants(task) else ""
        config = _config(file.path.resolve().parent.parent.parent / _CONFIG, model)
        trials: list[Trial] = []
        marks: dict[str, str] = {}
        answers: Counter[str] = Counter()
        for (place, row, sample), score in zip(rows, scores, strict=True):
            with within(place):
                question, number = _question(row, sample), sample.get("generation_index")
                key = answers[question] if number is None else whole(number, "generation_index")
                trials.append(Trial(question, key, _outcome(score, measure, request)))
                answers[question] += 1
                if row.get("target"):
                    marks[question] = json.dumps(row["target"], sort_keys=True)
        run = Run(
            model=model,
            model_from="folder",
            task=task,
            trials=trials,
            identity=file.digest,
            measure=measure,
            planned=_planned(trials, config.get("repeats", "")),
            fingerprints=marks,
            conditions=conditions(**_generation(config)),
            origin={"version": config.get("evalscope_version")},
            notes={"score": measure},
        )
        if not request.wants(task):
            return [run]
        extracted = (score.get("extracted_prediction") for score in scores)
        place = "score.extracted_prediction"
        return [with_samples(run, request, extracted, map(_values, scores), answers_from=place)]


def _rows(file: LogFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield one row per reviewed answer; version 0 wrote one per question, with a choice per answer."""
    for place, row in file.records():
        if "sample_score" in row or not row.keys() >= _OF_THE_FIRST_VERSION:
            yield place, row
            continue
        with within(place):
            reviews = [
                mapping(mapping(each, "a choice").get("review"), "review") for each in items(row["choices"], "choices")
            ]
            question = label(row.get("index", row["review_id"]), "index")
        for i, review in enumerate(reviews):
            result = review.get("result")
            score = {"value": result if isinstance(result, dict) else {"result": result}}
            about = {"score": score, "group_id": question, "generation_index": i}
            yield place, {"index": question, "target": review.get("gold"), "sample_score": about}


def _part(row: dict[str, Any], name: str, place: str) -> dict[str, Any]:
    with within(place):
        return mapping(row.get(name), name)


def _values(score: dict[str, Any]) -> dict[str, Any]:
    return mapping(score.get("value") or {}, "score.value")


def _measure(scores: list[dict[str, Any]], request: Request) -> str:
    """Return the score that the user chose, else the tool's main score if it was computed, else the only one."""
    names = list(dict.fromkeys(name for score in scores for name in _values(score)))
    main = next((str(score["main_score_name"]) for score in scores if score.get("main_score_name")), None)
    return main if main in names and not request.score else request.choose("score", names, "metric")


def _question(row: dict[str, Any], sample: dict[str, Any]) -> str:
    """Return the group of repeated answers; the index and the id of a sample are new for each answer."""
    about = mapping(sample.get("sample_metadata") or {}, "sample_metadata")
    names = (sample.get("group_id"), about.get("id"), row.get("index"))
    return label(next((name for name in names if name is not None), None), "group_id")


def _outcome(score: dict[str, Any], measure: str, request: Request) -> float | None:
    if score.get("status") not in (None, _DONE):
        return None
    return request.outcome(_values(score).get(measure))


def _planned(trials: list[Trial], repeats: str) -> dict[str, int]:
    """Return the trials planned per question; answers that failed have no row, which leaves a gap in the numbers."""
    most = max((trial.key for trial in trials if isinstance(trial.key, int)), default=-1) + 1
    times = max(most, int(repeats) if repeats.isdecimal() else 0)
    return {trial.question: times for trial in trials}


def _config(path: Path, model: str) -> dict[str, str]:
    """Return the settings of the run at the left margin; empty if they are those of another model."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    settings = {match["name"]: match["value"] or "" for match in _SETTING.finditer(text)}
    if model not in (settings.get("model_id"), settings.get("model")):
        return {}
    generation = _GENERATION.search(text)
    return settings | {"generation_config": generation["block"] if generation else ""}


def _generation(config: dict[str, str]) -> dict[str, str]:
    settings = _INNER.findall(config.get("generation_config", ""))
    return {name: value for name, value in settings if name not in _TECHNICAL and value != "null"}
