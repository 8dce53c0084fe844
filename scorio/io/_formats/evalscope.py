"""EvalScope: ``<date>/reviews/<model>/<benchmark>_<subset>.jsonl``, one reviewed answer per line."""

import json
import re
from collections import Counter
from pathlib import Path

from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, lines_with
from ..checks import conditions

_SETTING = re.compile(r"^(?P<name>\w+):(?: (?P<value>.*))?$", re.MULTILINE)  # of YAML, at the left margin
_GENERATION = re.compile(r"^generation_config:\n(?P<block>(?:  .*\n?)*)", re.MULTILINE)
_INNER = re.compile(r"^  (?P<name>\w+): (?P<value>[^\s].*)$", re.MULTILINE)
_TECHNICAL = {"batch_size", "timeout", "retries", "retry_interval", "stream", "n"}
_ELSEWHERE = "its trials are in reviews/"
_QUESTIONS = ("sample_score.group_id", "sample_score.sample_metadata.id", "index")  # of repeated answers, if not new


class EvalScopeFormat(Format):
    """Reviews of EvalScope."""

    name = "evalscope"
    options = frozenset({"answers", "scores"})
    layouts = (lines_with("index", "sample_score"),)
    companions = (
        Companion(lines_with("index", "model_output"), f"answers of EvalScope: {_ELSEWHERE}"),
        Companion(document_with("dataset_name", "model_name", "metrics"), f"means of EvalScope: {_ELSEWHERE}"),
        Companion(lambda file: b"\neval_backend:" in file.head, f"the settings of an EvalScope run: {_ELSEWHERE}"),
    )
    noun = "metric"
    answers_from, scores_from = "score.extracted_prediction", "scores"
    model_from = "folder"

    def read(self, file: LogFile, request: Request) -> Run:
        seen, trials, mains = Counter[str](), list[Trial](), list[str]()
        for row in file.walk():
            trials.append(_trial(row, seen))
            seen[trials[-1].question] += 1
            mains.append(str(row["sample_score.score.main_score_name"].value))
        # answers that failed have no row, which leaves a gap in the numbers
        most = max((trial.key for trial in trials if isinstance(trial.key, int)), default=-1) + 1
        config = _config(file.folder.parent.parent / "configs" / "task_config.yaml", file.folder.name)
        repeats = config.get("repeats", "")
        generation = _INNER.findall(config.get("generation_config", ""))
        settings = {name: value for name, value in generation if name not in _TECHNICAL and value != "null"}
        return Run(
            "",
            trials,
            task=file.path.stem,
            usual=[name for name in mains if name != "None"][:1],  # the tool's main score, if it was computed
            times=max(most, int(repeats) if repeats.isdecimal() else 0),
            conditions=conditions(**settings),
            origin={"version": config.get("evalscope_version")},
        )


def _trial(row: At, seen: Counter[str]) -> Trial:
    score = row["sample_score.score"].needed
    places = [row[path] for path in _QUESTIONS]
    question = next((place for place in places if place.value is not None), places[-1]).text
    is_done = score["status"].value in (None, "success")
    return Trial(
        question,
        row["sample_score.generation_index"].whole_or(seen[question]),
        mark=json.dumps(row["target"].value, sort_keys=True) if row["target"] else "",
        answer=score["extracted_prediction"].value,
        scores=dict(score["value"].items) if is_done else dict.fromkeys(score["value"].obj),
    )


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
