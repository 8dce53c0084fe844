"""verifiers below 0.4: ``<env>--<model>/<id>/results.jsonl`` with one rollout per line, and ``metadata.json``.

Since 0.4: ``traces.jsonl`` with one episode per line, and ``configs/resolved/eval.json``.
"""

import json
from typing import Any

from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either, grouped, lines_with, names_in
from ..checks import conditions, digest, shown, warn_of_lost

_METADATA = "metadata.json"
_REWARD = "reward"  # the weighted sum of the rewards
_ABOUT = {"id", "example_id", "generation_ms", "scoring_ms", "total_ms", "is_completed", "is_truncated"}  # no scores
_MEANS = "settings and means of a verifiers run: its rollouts are in results.jsonl"
_COSTS = {"seconds": "time_ms", "input_tokens": "usage.input_tokens", "output_tokens": "usage.output_tokens"}
_CONFIG = ("configs", "resolved", "eval.json")
_LIMITS = ("max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens")


class VerifiersFormat(Format):
    """Rollouts of verifiers below version 0.4."""

    name = "verifiers"
    options = frozenset({"answer", "answers", "scores"})
    layouts = (
        lines_with("prompt", "completion", _REWARD, "example_id"),
        lines_with("prompt", "completion", _REWARD, "generation_ms"),
    )
    companions = (
        Companion(document_with("model", "rollouts_per_example", "env_id"), _MEANS),
        Companion(document_with("model", "rollouts_per_example", "env"), _MEANS),
    )
    answers_from = "the last message of completion, or the field that is named"
    noun = "metric"
    scores_from = "metrics"

    def read(self, file: LogFile, request: Request) -> Run:
        about = file.beside(_METADATA)
        env, dashes, model = file.folder.parent.name.partition("--")
        is_named = bool(env and dashes and model)
        # some versions wrote the reward functions into an object of their own
        rows = [At(row["metrics"].obj | row.obj, row.where) for row in file.walk()]
        numbers = (name for row in rows for name, value in row.obj.items() if isinstance(value, (int, float)))
        metrics = [name for name in dict.fromkeys((_REWARD, *numbers)) if name not in _ABOUT]
        trials = [_trial(row, metrics, request) for row in rows]
        asked = len({trial.question for trial in trials})
        warn_of_lost(file.path, asked, about["num_examples"].value, f"examples that {_METADATA}")
        return Run(
            either(about["model"], At(model.replace("--", "/") if is_named else None)).text_or(""),
            trials,
            usual=[_REWARD],
            times=about["rollouts_per_example"].whole_or(None),
            task=either(about["env_id"], about["env"], At(env if is_named else None)).text_or(None),
            model_from="log" if about["model"] else "folder",
            conditions=conditions(env_args=about["env_args"].obj, sampling_args=about["sampling_args"].without(["n"])),
            origin={"date": about["date"].value, **about.spent(**_COSTS)},
        )


def _trial(row: At, metrics: list[str], request: Request) -> Trial:
    field, prompt = request.fields.get("answer"), row.obj.get("prompt")
    said = _last_of(prompt, "user") if isinstance(prompt, list) else prompt
    asked = said if isinstance(said, str) else json.dumps(said, sort_keys=True) if said else ""
    completion = row["completion"].value  # answer of a rollout is the right answer, not the model's
    reply = _last_of(completion, "assistant") if isinstance(completion, list) else completion
    return Trial(
        (row["example_id"] if "example_id" in row else At(asked, row.where, "prompt")).text,
        mark=digest(asked) if asked else "",
        answer=row.obj.get(field) if field else reply,
        scores={name: None if row["error"] else row[name,] for name in metrics if name in row},
    )


def _last_of(messages: list[Any], role: str) -> Any:
    texts = [entry.get("content") for entry in messages if isinstance(entry, dict) and entry.get("role") == role]
    return texts[-1] if texts else None


class VerifiersTracesFormat(Format):
    """Episodes of verifiers since version 0.4."""

    name = "verifiers-traces"
    options = frozenset({"filter", "answer", "answers", "scores"})
    layouts = (lines_with("env", "task", "traces", "ok"),)
    companions = (
        Companion(document_with("num_rollouts", "model", "env"), "a run's settings: its episodes are in traces.jsonl"),
        Companion(
            lambda file: not file.head.strip() and file.path.parent.joinpath(*_CONFIG).is_file(),
            "no episode of the verifiers run has finished yet",
        ),
    )
    noun = "metric"
    answers_from = "the last message of the model, or the entry of info that is named"
    scores_from = "rewards and metrics"
    model_from = "folder"

    def read(self, file: LogFile, request: Request) -> list[Run]:
        config, rows = file.beside(*_CONFIG), list(file.walk())
        agents = list(dict.fromkeys(_name(trace) for row in rows for trace in row["traces"].rows)) or [""]
        agent = request.choose("filter", agents, "agent")
        traces = [trace for row in rows for trace in _traces(row, agent)]
        models, run_id = [trace["agent.config.model"] for trace in traces], str(rows[0].peek("run.id").value or "")
        envs = grouped(rows, lambda row: str(row["env"].needed["id"].value or ""))
        rewards = names_in(trace["rewards"] for trace in traces)
        return [
            Run(
                either(*models, config["model"]).text_or(""),
                [_trial_of_episode(row, agent, request) for row in episodes],
                run_id,
                env or None,
                agent,
                usual=[rewards[0] if len(rewards) == 1 else _REWARD],
                times=config["num_rollouts"].whole_or(None),
                conditions=_conditions(config, agent),
                origin={"run": run_id},
                notes={"agent": agent if len(agents) > 1 else ""},
            )
            for env, episodes in envs.items()
        ]


def _name(trace: At) -> str:
    return str(trace["agent.name"].value or "")


def _traces(row: At, agent: str) -> list[At]:
    return [trace for trace in row["traces"].rows if _name(trace) == agent]


def _trial_of_episode(row: At, agent: str, request: Request) -> Trial:
    task, traces = row["task"].needed, _traces(row, agent)
    if len(traces) > 1:
        problem = f"one agent has {len(traces)} traces in one episode, and it is not known which one counts"
        raise row.fault(problem)
    trace = traces[0] if traces else At({})
    scores, is_lost = _scores(trace, request), row["ok"].value is not True or trace["ok"].value is False
    return Trial(
        either(task["key"], task["hash"]).text,
        row["id"].text,
        mark=str(task["hash"].value),
        answer=_reply(trace, request.fields.get("answer")) if request.keeps_answers else None,
        scores=dict.fromkeys(scores) if is_lost else scores,
    )


def _reply(trace: At, field: str | None) -> Any:
    """Return the answer of a trace as its own ``last_reply`` does, or what an environment noted in ``info``."""
    if field:
        return trace["info"][field,].value
    if trace["root_reply"].value is not None:
        return trace["root_reply"].value
    messages = [node["message"] for node in trace["nodes"].rows if node["sampled"].value is True]
    texts = [message["content"].value for message in messages if message["role"].value == "assistant"]
    return texts[-1] if texts else None


def _scores(trace: At, request: Request) -> dict[str, Any]:
    """Return the rewards, their weighted sum, which is None without them, and the metrics."""
    rewards = _rewards(trace)
    numbers = [(score.to(request.outcome), weight) for score, weight in rewards.values()]
    weighted = [score * weight for score, weight in numbers if score is not None]
    total = sum(weighted) if numbers and len(weighted) == len(numbers) else None
    return {**dict(trace["metrics"].items), _REWARD: total, **{name: score for name, (score, _) in rewards.items()}}


def _rewards(trace: At) -> dict[str, tuple[At, float]]:
    """Return the rewards and their weights in the sum; a reward that failed is null."""
    rewards = {}
    for name in trace["rewards"].obj:
        entry = trace["rewards"][name,]
        weight = entry.obj.get("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)):
            raise entry.fault(f"the weight of {name!r} must be a number; got {shown(weight)}")
        rewards[name] = entry["score"], float(weight)
    return rewards


def _conditions(config: At, agent: str) -> dict[str, str]:
    env = config["env"]
    settings = either(env[agent,], env["agent"])
    return conditions(
        sampling=config["sampling"].obj,
        agent_sampling=settings["sampling"].value,
        harness=settings["harness"].value,
        limits=settings.only(_LIMITS),
        system_prompt=env["taskset.system_prompt"].value,
    )
