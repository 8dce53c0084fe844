"""verifiers below 0.4: ``<env>--<model>/<id>/results.jsonl`` with one rollout per line, and ``metadata.json``."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import conditions, model_of_path, warn_of_lost

_METADATA = "metadata.json"
_REWARD = "reward"  # the weighted sum of the rewards
_ABOUT = {"id", "example_id", "generation_ms", "scoring_ms", "total_ms", "is_completed", "is_truncated"}  # no scores


def _is_metadata(file: LogFile) -> bool:
    return any(file.has_keys("model", "rollouts_per_example", name) for name in ("env_id", "env"))


class VerifiersFormat(Format):
    """Rollouts of verifiers below version 0.4."""

    name = "verifiers"
    options = frozenset({"score", "answer", "answers", "scores"})
    companions = (Companion(_is_metadata, "settings and means of a verifiers run: its rollouts are in results.jsonl"),)

    def matches(self, file: LogFile) -> bool:
        return any(file.row_has_keys("prompt", "completion", "reward", own) for own in ("example_id", "generation_ms"))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        about = beside(file.path.parent / _METADATA)
        env_in_path, model_in_path = _names(file.path)
        env = either(about["env_id"], about["env"], At(env_in_path))
        run = Run(
            about["model"].maybe or model_in_path,
            [],
            file.digest,
            env.maybe if env else None,
            model_from="log" if about["model"] else "folder" if env_in_path else "file name",
            conditions=conditions(env_args=about["env_args"].obj, sampling_args=about["sampling_args"].without(["n"])),
            origin={
                "date": about["date"].value,
                **about.spent(
                    seconds="time_ms", input_tokens="usage.input_tokens", output_tokens="usage.output_tokens"
                ),
            },
        )
        return [_filled(run, file, about, request) if request.wants(run.task) else run]


def _names(path: Path) -> tuple[str | None, str]:
    """Return the environment and the model that the folder is named after; no environment if it is not."""
    env, dashes, model = path.resolve().parent.parent.name.partition("--")
    return (env, model.replace("--", "/")) if env and dashes and model else (None, model_of_path(path))


def _filled(run: Run, file: LogFile, about: At, request: Request) -> Run:
    # some versions wrote the reward functions into an object of their own
    rows = [At(row["metrics"].obj | row.obj, row.where) for row in file.walk()]
    metrics = _metrics(rows)
    measure = request.choose("score", metrics, "metric") if request.score else _REWARD
    number: Counter[str] = Counter()
    trials: list[Trial] = []
    marks: dict[str, str] = {}
    for row in rows:
        asked = _asked(row.obj.get("prompt"))
        question = (row["example_id"] if "example_id" in row else At(asked, row.where, "prompt")).text
        outcome = None if row["error"] else row[measure,].to(request.outcome)
        trials.append(Trial(question, number[question], outcome))
        number[question] += 1
        if asked:
            marks[question] = hashlib.sha256(asked.encode()).hexdigest()
    warn_of_lost(file.path, len(number), about["num_examples"].value, f"examples that {_METADATA}")
    rollouts = about["rollouts_per_example"].whole_or(None)
    filled = replace(
        run,
        trials=trials,
        planned={} if rollouts is None else dict.fromkeys(number, rollouts),
        fingerprints=marks,
        measure=measure,
        notes={"score": measure},
    )
    field = request.fields.get("answer")
    answers = (row.obj.get(field) if field else _last_message(row["completion"].value) for row in rows)
    scores = ({name: row.obj[name] for name in metrics if name in row} for row in rows)
    place = repr(field) if field else "the last message of completion"
    return with_samples(filled, request, answers, scores, answers_from=place, scores_from="metrics")


def _metrics(rows: list[At]) -> list[str]:
    """Return the names of all numbers in the rows, which are the sum of the rewards and the reward functions."""
    numbers = (name for row in rows for name, value in row.obj.items() if isinstance(value, (int, float)))
    return [name for name in dict.fromkeys((_REWARD, *numbers)) if name not in _ABOUT]


def _last_message(completion: Any) -> Any:
    """Return the last text that the model wrote; ``answer`` of a rollout is the right answer, not the model's."""
    return _last_of(completion, "assistant") if isinstance(completion, list) else completion


def _last_of(messages: list[Any], role: str) -> Any:
    texts = [each.get("content") for each in messages if isinstance(each, dict) and each.get("role") == role]
    return texts[-1] if texts else None


def _asked(prompt: Any) -> str:
    """Return what the user says last in the prompt; empty if the rollout has no prompt."""
    asked = _last_of(prompt, "user") if isinstance(prompt, list) else prompt
    return asked if isinstance(asked, str) else json.dumps(asked, sort_keys=True) if asked else ""
