"""verifiers below 0.4: ``<env>--<model>/<id>/results.jsonl`` with one rollout per line, and ``metadata.json``."""

import json
from dataclasses import replace
from typing import Any

from ..checks import warn_of_lost
from . import At, Companion, Format, LogFile, Request, Run, Trial, conditions, digest, document_with, either, lines_with

_METADATA = "metadata.json"
_REWARD = "reward"  # the weighted sum of the rewards
_ABOUT = {"id", "example_id", "generation_ms", "scoring_ms", "total_ms", "is_completed", "is_truncated"}  # no scores
_MEANS = "settings and means of a verifiers run: its rollouts are in results.jsonl"
_COSTS = {"seconds": "time_ms", "input_tokens": "usage.input_tokens", "output_tokens": "usage.output_tokens"}


class VerifiersFormat(Format):
    """Rollouts of verifiers below version 0.4."""

    name = "verifiers"
    options = frozenset({"score", "answer", "answers", "scores"})
    layouts = (
        lines_with("prompt", "completion", _REWARD, "example_id"),
        lines_with("prompt", "completion", _REWARD, "generation_ms"),
    )
    companions = (
        Companion(document_with("model", "rollouts_per_example", "env_id"), _MEANS),
        Companion(document_with("model", "rollouts_per_example", "env"), _MEANS),
    )
    answers_from = "the last message of completion, or the field that is named"
    scores_from = "metrics"

    def read(self, file: LogFile, request: Request) -> Run:
        about = file.beside(_METADATA)
        env, dashes, model = file.folder.parent.name.partition("--")
        is_named = bool(env and dashes and model)
        run = Run(
            either(about["model"], At(model.replace("--", "/") if is_named else None)).text_or(""),
            [],
            task=either(about["env_id"], about["env"], At(env if is_named else None)).text_or(None),
            model_from="log" if about["model"] else "folder",
            conditions=conditions(env_args=about["env_args"].obj, sampling_args=about["sampling_args"].without(["n"])),
            origin={"date": about["date"].value, **about.spent(**_COSTS)},
        )
        return _filled(run, file, about, request) if request.wants(run.task) else run


def _filled(run: Run, file: LogFile, about: At, request: Request) -> Run:
    # some versions wrote the reward functions into an object of their own
    rows = [At(row["metrics"].obj | row.obj, row.where) for row in file.walk()]
    numbers = (name for row in rows for name, value in row.obj.items() if isinstance(value, (int, float)))
    metrics = [name for name in dict.fromkeys((_REWARD, *numbers)) if name not in _ABOUT]
    measure = request.measure(metrics, "metric", usual=_REWARD)
    trials = [_trial(row, measure, metrics, request) for row in rows]
    asked = dict.fromkeys(trial.question for trial in trials)
    warn_of_lost(file.path, len(asked), about["num_examples"].value, f"examples that {_METADATA}")
    rollouts = about["rollouts_per_example"].whole_or(None)
    planned = {} if rollouts is None else dict.fromkeys(asked, rollouts)
    return replace(run, trials=trials, planned=planned, measure=measure)


def _trial(row: At, measure: str, metrics: list[str], request: Request) -> Trial:
    field, prompt = request.fields.get("answer"), row.obj.get("prompt")
    said = _last_of(prompt, "user") if isinstance(prompt, list) else prompt
    asked = said if isinstance(said, str) else json.dumps(said, sort_keys=True) if said else ""
    completion = row["completion"].value  # answer of a rollout is the right answer, not the model's
    reply = _last_of(completion, "assistant") if isinstance(completion, list) else completion
    return Trial(
        (row["example_id"] if "example_id" in row else At(asked, row.where, "prompt")).text,
        None,
        None if row["error"] else row[measure,].to(request.outcome),
        mark=digest(asked) if asked else "",
        answer=row.obj.get(field) if field else reply,
        scores={name: row.obj[name] for name in metrics if name in row},
    )


def _last_of(messages: list[Any], role: str) -> Any:
    texts = [entry.get("content") for entry in messages if isinstance(entry, dict) and entry.get("role") == role]
    return texts[-1] if texts else None
