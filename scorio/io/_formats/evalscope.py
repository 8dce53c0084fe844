"""EvalScope: ``<date>/reviews/<model>/<benchmark>_<subset>.jsonl``, one reviewed answer per line."""

import json
import re
from collections import Counter
from pathlib import Path

from . import At, Companion, Format, LogFile, Request, Run, Trial, conditions, document_with, lines_with, names_in

_SETTING = re.compile(r"^(?P<name>\w+):(?: (?P<value>.*))?$", re.MULTILINE)  # of YAML, at the left margin
_GENERATION = re.compile(r"^generation_config:\n(?P<block>(?:  .*\n?)*)", re.MULTILINE)
_INNER = re.compile(r"^  (?P<name>\w+): (?P<value>[^\s].*)$", re.MULTILINE)
_TECHNICAL = {"batch_size", "timeout", "retries", "retry_interval", "stream", "n"}
_QUESTIONS = ("sample_score.group_id", "sample_score.sample_metadata.id", "index")  # of repeated answers, if not new


class EvalScopeFormat(Format):
    """Reviews of EvalScope."""

    name = "evalscope"
    options = frozenset({"score", "answers", "scores"})
    layouts = (lines_with("index", "sample_score"),)
    companions = (
        Companion(
            lines_with("index", "model_output"), "answers without their outcomes, which EvalScope writes into reviews/"
        ),
        Companion(
            document_with("dataset_name", "model_name", "metrics"), "means of EvalScope: its trials are in reviews/"
        ),
        Companion(
            lambda file: b"\neval_backend:" in file.head, "the settings of an EvalScope run: its trials are in reviews/"
        ),
    )
    answers_from, scores_from = "score.extracted_prediction", "scores"
    model_from = "folder"

    def read(self, file: LogFile, request: Request) -> Run:
        task, rows = file.path.stem, list(file.walk())
        if not request.wants(task):
            return Run("", [], task=task)
        measure = _measure([row["sample_score.score"].needed for row in rows], request)
        seen = Counter[str]()
        trials = []
        for row in rows:
            trials.append(_trial(row, seen, measure, request))
            seen[trials[-1].question] += 1
        config = _config(file.folder.parent.parent / "configs" / "task_config.yaml", file.folder.name)
        generation = _INNER.findall(config.get("generation_config", ""))
        settings = {name: value for name, value in generation if name not in _TECHNICAL and value != "null"}
        return Run(
            "",
            trials,
            task=task,
            measure=measure,
            planned=_planned(trials, config.get("repeats", "")),
            conditions=conditions(**settings),
            origin={"version": config.get("evalscope_version")},
        )


def _measure(scores: list[At], request: Request) -> str:
    """Return the score that the user chose, else the tool's main score if it was computed, else the only one."""
    names = names_in(score["value"] for score in scores)
    main = next((str(score["main_score_name"].value) for score in scores if score["main_score_name"]), None)
    return request.choose("score", names, "metric") if request.score or main not in names else str(main)


def _trial(row: At, seen: Counter[str], measure: str, request: Request) -> Trial:
    score = row["sample_score.score"]
    places = [row[path] for path in _QUESTIONS]
    question = next((place for place in places if place.value is not None), places[-1]).text
    is_done = score["status"].value in (None, "success")
    return Trial(
        question,
        row["sample_score.generation_index"].whole_or(seen[question]),
        score["value"][measure,].to(request.outcome) if is_done else None,
        mark=json.dumps(row["target"].value, sort_keys=True) if row["target"] else "",
        answer=score["extracted_prediction"].value,
        scores=score["value"].obj,
    )


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
