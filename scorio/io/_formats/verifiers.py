"""verifiers below 0.4: ``<env>--<model>/<id>/results.jsonl`` with one rollout per line, and ``metadata.json``."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._conditions import conditions
from .._costs import spent
from .._files import LogFile, beside
from .._format import Companion, Format
from .._naming import model_of_path
from .._records import Run, Trial
from .._request import Request
from .._validate import label, mapping, maybe_label, whole, within

_KEYS = {"prompt", "completion", "reward"}
_OWN = {"example_id", "generation_ms"}  # at least one of these is in every row
_METADATA = "metadata.json"
_REWARD = "reward"  # the weighted sum of the reward functions
_ABOUT = {
    "id",
    "example_id",
    "generation_ms",
    "scoring_ms",
    "total_ms",
    "is_completed",
    "is_truncated",
}  # numbers, no scores


def _is_metadata(file: LogFile) -> bool:
    log = file.document
    keys = log.keys() if isinstance(log, dict) else set()
    return {"model", "rollouts_per_example"} <= keys and not keys.isdisjoint({"env_id", "env"})


class VerifiersFormat(Format):
    """Rollouts of verifiers below version 0.4."""

    name = "verifiers"
    options = frozenset({"metric"})
    companions = (Companion(_is_metadata, "settings and means of a verifiers run: its rollouts are in results.jsonl"),)

    def matches(self, file: LogFile) -> bool:
        row = file.first_row
        return isinstance(row, dict) and row.keys() >= _KEYS and not row.keys().isdisjoint(_OWN)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        about = beside(file.path.parent / _METADATA)
        env_in_path, model_in_path = _names(file.path)
        model = maybe_label(about.get("model"), "model")
        run = Run(
            model=model or model_in_path,
            model_from="log" if model else "folder" if env_in_path else "file name",
            task=maybe_label(about.get("env_id") or about.get("env") or env_in_path, "env_id"),
            trials=[],
            identity=file.digest,
            conditions=conditions(
                env_args=_group(about, "env_args"),
                sampling_args={name: value for name, value in _group(about, "sampling_args").items() if name != "n"},
            ),
            origin={"date": about.get("date"), **_spent(about)},
        )
        return [_filled(run, file, about, request) if request.wants(run.task) else run]


def _spent(about: dict[str, Any]) -> dict[str, float]:
    usage = mapping(about.get("usage") or {}, f"{_METADATA}: usage")
    tokens = {name: usage.get(name) for name in ("input_tokens", "output_tokens")}
    milliseconds = spent(milliseconds=about.get("time_ms"))
    return spent(seconds=milliseconds["milliseconds"] / 1000 if milliseconds else None, **tokens)


def _group(about: dict[str, Any], name: str) -> dict[str, Any]:
    return mapping(about.get(name) or {}, f"{_METADATA}: {name}")


def _names(path: Path) -> tuple[str | None, str]:
    """Return the environment and the model that the folder is named after; no environment if it is not."""
    env, dashes, model = path.resolve().parent.parent.name.partition("--")
    return (env, model.replace("--", "/")) if env and dashes and model else (None, model_of_path(path))


def _filled(run: Run, file: LogFile, about: dict[str, Any], request: Request) -> Run:
    rows = [(place, _flat(place, row)) for place, row in file.records()]
    measure = request.choose("metric", _metrics(rows)) if request.metric else _REWARD
    number: Counter[str] = Counter()
    trials: list[Trial] = []
    marks: dict[str, str] = {}
    for place, row in rows:
        with within(place):
            question = _question(row)
            outcome = None if row.get("error") else request.outcome(row.get(measure))
            trials.append(Trial(question, number[question], outcome))
            number[question] += 1
            prompt = _asked(row)
            marks[question] = hashlib.sha256(prompt.encode()).hexdigest() if prompt else marks.get(question, "")
    rollouts = about.get("rollouts_per_example")
    planned = {} if rollouts is None else dict.fromkeys(number, whole(rollouts, "rollouts_per_example"))
    return replace(
        run,
        trials=trials,
        planned=planned,
        fingerprints={question: mark for question, mark in marks.items() if mark},
        measure=measure,
        notes={"metric": measure},
    )


def _flat(place: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its reward functions, which some versions wrote into an object of their own."""
    with within(place):
        return mapping(row.get("metrics") or {}, "metrics") | row


def _metrics(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return the names of all numbers in the rows, which are the sum of the rewards and the reward functions."""
    numbers = (name for _, row in rows for name, value in row.items() if isinstance(value, (int, float)))
    return [name for name in dict.fromkeys((_REWARD, *numbers)) if name not in _ABOUT]


def _question(row: dict[str, Any]) -> str:
    """Return the number of the example, or its prompt in the files of early versions, whose ids are not reliable."""
    return label(row["example_id"], "example_id") if "example_id" in row else label(_asked(row), "prompt")


def _asked(row: dict[str, Any]) -> str:
    """Return what the user says last in the prompt; empty if the rollout has no prompt."""
    prompt = row.get("prompt")
    if isinstance(prompt, list):
        users = [each.get("content") for each in prompt if isinstance(each, dict) and each.get("role") == "user"]
        prompt = users[-1] if users else None
    return prompt if isinstance(prompt, str) else json.dumps(prompt, sort_keys=True) if prompt else ""
