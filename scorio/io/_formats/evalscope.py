"""EvalScope: ``<date>/reviews/<model>/<benchmark>_<subset>.jsonl``, one reviewed answer per line."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At
from ..checks import conditions

_SETTING = re.compile(r"^(?P<name>\w+):(?: (?P<value>.*))?$", re.MULTILINE)  # of YAML, at the left margin
_GENERATION = re.compile(r"^generation_config:\n(?P<block>(?:  .*\n?)*)", re.MULTILINE)
_INNER = re.compile(r"^  (?P<name>\w+): (?P<value>[^\s].*)$", re.MULTILINE)
_TECHNICAL = {"batch_size", "timeout", "retries", "retry_interval", "stream", "n"}
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
        folder, task = file.path.resolve().parent, file.path.stem
        rows, wanted = list(_rows(file)), request.wants(task)
        scores = [row["sample_score"].needed["score"].needed for row in rows]
        measure = _measure(scores, request) if wanted else ""
        config = _config(folder.parent.parent / "configs" / "task_config.yaml", folder.name)
        trials: list[Trial] = []
        marks: dict[str, str] = {}
        seen: Counter[str] = Counter()
        for row, score in zip(rows, scores, strict=True):
            question = _question(row)
            key = row["sample_score.generation_index"].whole_or(seen[question])
            is_done = score["status"].value in (None, "success")
            trials.append(Trial(question, key, score["value"][measure,].to(request.outcome) if is_done else None))
            seen[question] += 1
            if row["target"]:
                marks[question] = json.dumps(row["target"].value, sort_keys=True)
        run = Run(
            folder.name,
            trials,
            file.digest,
            task,
            measure=measure,
            planned=_planned(trials, config.get("repeats", "")),
            fingerprints=marks,
            model_from="folder",
            conditions=conditions(**_generation(config)),
            origin={"version": config.get("evalscope_version")},
            notes={"score": measure},
        )
        answers, values = (
            (score["extracted_prediction"].value for score in scores),
            (each["value"].obj for each in scores),
        )
        place = "score.extracted_prediction"
        return [with_samples(run, request, answers, values, answers_from=place) if wanted else run]


def _rows(file: LogFile) -> Iterator[At]:
    """Yield one row per reviewed answer; version 0 wrote one per question, with a choice per answer."""
    for row in file.walk():
        if "sample_score" in row or not row.obj.keys() >= _OF_THE_FIRST_VERSION:
            yield row
            continue
        question = row["index" if "index" in row else "review_id"].text
        for i, choice in enumerate(row["choices"].needed.rows):
            review = choice["review"].needed
            result = review["result"].value
            score = {"value": result if isinstance(result, dict) else {"result": result}}
            about = {"score": score, "group_id": question, "generation_index": i}
            yield At({"index": question, "target": review["gold"].value, "sample_score": about}, row.where)


def _measure(scores: list[At], request: Request) -> str:
    """Return the score that the user chose, else the tool's main score if it was computed, else the only one."""
    names = list(dict.fromkeys(name for score in scores for name in score["value"].obj))
    main = next((str(each["main_score_name"].value) for each in scores if each["main_score_name"]), None)
    return main if main in names and not request.score else request.choose("score", names, "metric")


def _question(row: At) -> str:
    """Return the group of repeated answers; the index and the id of a sample are new for each answer."""
    names = (row["sample_score.group_id"], row["sample_score.sample_metadata.id"], row["index"])
    return next((name for name in names if name.value is not None), names[0]).text


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
