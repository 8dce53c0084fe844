"""verifiers below 0.4: ``<env>--<model>/<id>/results.jsonl`` with one rollout per line, and ``metadata.json``.

Since 0.4 it is ``traces.jsonl`` with one episode per line, and ``configs/resolved/eval.json``.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import (
    conditions,
    items,
    label,
    mapping,
    maybe_label,
    model_of_path,
    shown,
    spent,
    warn_of_lost,
    whole,
    within,
)

_OF_A_ROLLOUT = {"prompt", "completion", "reward"}
_OWN = {"example_id", "generation_ms"}  # at least one of these is in every row
_METADATA = "metadata.json"
_REWARD = "reward"  # the weighted sum of the rewards
_ABOUT = {
    "id",
    "example_id",
    "generation_ms",
    "scoring_ms",
    "total_ms",
    "is_completed",
    "is_truncated",
}  # numbers, no scores
_OF_AN_EPISODE = {"env", "task", "traces", "ok"}
_CONFIG = ("configs", "resolved", "eval.json")
_LIMITS = ("max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens")
_Episode = tuple[str, dict[str, Any], list[dict[str, Any]]]  # its place, itself, and its traces


def _is_metadata(file: LogFile) -> bool:
    return any(file.has_keys("model", "rollouts_per_example", name) for name in ("env_id", "env"))


class VerifiersFormat(Format):
    """Rollouts of verifiers below version 0.4."""

    name = "verifiers"
    options = frozenset({"score", "answer", "answers", "scores"})
    companions = (Companion(_is_metadata, "settings and means of a verifiers run: its rollouts are in results.jsonl"),)

    def matches(self, file: LogFile) -> bool:
        return any(file.row_has_keys(*_OF_A_ROLLOUT, name) for name in _OWN)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        about = beside(file.path.parent / _METADATA).obj
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
    measure = request.choose("score", _metrics(rows), "metric") if request.score else _REWARD
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
    warn_of_lost(file.path, len(number), about.get("num_examples"), f"examples that {_METADATA}")
    rollouts = about.get("rollouts_per_example")
    planned = {} if rollouts is None else dict.fromkeys(number, whole(rollouts, "rollouts_per_example"))
    filled = replace(
        run,
        trials=trials,
        planned=planned,
        fingerprints={question: mark for question, mark in marks.items() if mark},
        measure=measure,
        notes={"score": measure},
    )
    field, names = request.fields.get("answer"), _metrics(rows) if request.keep else []
    answers = (row.get(field) if field else _last_message(row.get("completion")) for _, row in rows)
    scores = ({name: row[name] for name in names if name in row} for _, row in rows)
    place = repr(field) if field else "the last message of completion"
    return with_samples(filled, request, answers, scores, answers_from=place, scores_from="metrics")


def _last_message(completion: Any) -> Any:
    """Return the last text that the model wrote; ``answer`` of a rollout is the right answer, not the model's."""
    if not isinstance(completion, list):
        return completion
    texts = [each.get("content") for each in completion if isinstance(each, dict) and each.get("role") == "assistant"]
    return texts[-1] if texts else None


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


def _is_fresh(file: LogFile) -> bool:
    return not file.head.strip() and file.path.parent.joinpath(*_CONFIG).is_file()


class VerifiersTracesFormat(Format):
    """Episodes of verifiers since version 0.4."""

    name = "verifiers-traces"
    options = frozenset({"score", "filter", "answer", "answers", "scores"})
    companions = (
        Companion(
            lambda file: file.has_keys("num_rollouts", "model", "env"),
            "the settings of a verifiers run, whose episodes are in traces.jsonl",
        ),
        Companion(_is_fresh, "no episode of the verifiers run has finished yet"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.row_has_keys(*_OF_AN_EPISODE)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        config = beside(file.path.parent.joinpath(*_CONFIG)).obj
        episodes = [_episode(place, row) for place, row in file.records()]
        agents = list(dict.fromkeys(_name(trace) for *_, traces in episodes for trace in traces)) or [""]
        agent = request.choose("filter", agents, "agent")
        own = [(place, row, [each for each in traces if _name(each) == agent]) for place, row, traces in episodes]
        measure, model, run_id = _measure(own, request), _model(own, config), _run_id(own)
        run = Run(
            model=model or file.path.resolve().parent.name,
            model_from="log" if model else "folder",
            trials=[],
            identity=run_id or file.digest,
            measure=f"{measure},{agent}",
            conditions=_conditions(config, agent),
            origin={"run": run_id},
            notes={"score": measure, "agent": agent if len(agents) > 1 else ""},
        )
        envs: dict[str, list[_Episode]] = defaultdict(list)
        for place, row, traces in own:
            with within(place):
                envs[str(mapping(row.get("env"), "env").get("id") or "")].append((place, row, traces))
        rollouts = config.get("num_rollouts")
        times = None if rollouts is None else whole(rollouts, "num_rollouts")
        return [_with_episodes(replace(run, task=env or None), envs[env], measure, times, request) for env in envs]


def _with_episodes(run: Run, episodes: list[_Episode], measure: str, times: int | None, request: Request) -> Run:
    trials, marks = [], {}
    for place, row, traces in episodes:
        with within(place):
            task = mapping(row.get("task"), "task")
            question = label(task.get("key") or task.get("hash"), "task.key")
            trials.append(Trial(question, label(row.get("id"), "id"), _outcome(row, traces, measure, request)))
            marks[question] = str(task.get("hash"))
    planned = {} if times is None else dict.fromkeys(marks, times)
    filled = replace(run, trials=trials, planned=planned, fingerprints=marks)
    field = request.fields.get("answer")
    answers = (_reply(traces[0], field) if traces else None for *_, traces in episodes)
    scores = (
        {**_by_name(traces[0]), _REWARD: _outcome(row, traces, _REWARD, request)} if traces else {}
        for _, row, traces in episodes
    )
    place = f"info.{field}" if field else "the last message of the model"
    return with_samples(filled, request, answers, scores, answers_from=place, scores_from="rewards and metrics")


def _reply(trace: dict[str, Any], field: str | None) -> Any:
    """Return the answer of a trace as its own ``last_reply`` does, or what an environment noted in ``info``."""
    if field:
        return mapping(trace.get("info") or {}, "info").get(field)
    if trace.get("root_reply") is not None:
        return trace["root_reply"]
    nodes = (mapping(node, "a node") for node in items(trace.get("nodes") or [], "nodes"))
    texts = [message.get("content") for node in nodes if (message := _sampled(node)).get("role") == "assistant"]
    return texts[-1] if texts else None


def _sampled(node: dict[str, Any]) -> dict[str, Any]:
    """Return the message of a node, empty if it was given to the model."""
    return mapping(node.get("message") or {}, "message") if node.get("sampled") is True else {}


def _by_name(trace: dict[str, Any]) -> dict[str, Any]:
    """Return the rewards and the metrics of a trace by name."""
    rewards = {name: _weighted(name, entry)[0] for name, entry in _scores(trace, "rewards").items()}
    return _scores(trace, "metrics") | rewards


def _episode(place: str, row: dict[str, Any]) -> _Episode:
    with within(place):
        return place, row, [mapping(trace, "a trace") for trace in items(row.get("traces") or [], "traces")]


def _run_id(episodes: Sequence[_Episode]) -> str:
    run = episodes[0][1].get("run")
    return str(run.get("id") or "") if isinstance(run, dict) else ""


def _agent(trace: dict[str, Any]) -> dict[str, Any]:
    return mapping(trace.get("agent") or {}, "agent")


def _name(trace: dict[str, Any]) -> str:
    return str(_agent(trace).get("name") or "")


def _model(episodes: Sequence[_Episode], config: dict[str, Any]) -> str:
    """Return the model of the agent if it has one of its own, else that of the run."""
    for *_, traces in episodes:
        for trace in traces:
            own = mapping(_agent(trace).get("config") or {}, "agent.config").get("model")
            if own:
                return label(own, "agent.config.model")
    return label(config["model"], "model") if config.get("model") else ""


def _measure(episodes: Sequence[_Episode], request: Request) -> str:
    """Return the reward that the user chose, or the only one, or the weighted sum."""
    groups = ("rewards", "metrics")
    rewards, metrics = (
        list(dict.fromkeys(name for *_, traces in episodes for trace in traces for name in _scores(trace, group)))
        for group in groups
    )
    if request.score:
        return request.choose("score", list(dict.fromkeys([*rewards, _REWARD, *metrics])), "metric")
    return rewards[0] if len(rewards) == 1 else _REWARD


def _scores(trace: dict[str, Any], group: str) -> dict[str, Any]:
    return mapping(trace.get(group) or {}, group)


def _outcome(row: dict[str, Any], traces: list[dict[str, Any]], measure: str, request: Request) -> float | None:
    """Return the reward of an episode; None if it failed or was not graded."""
    if len(traces) > 1:
        raise OutcomeError(f"one agent has {len(traces)} traces in one episode, and it is not known which one counts")
    if not traces or row.get("ok") is not True or traces[0].get("ok") is False:
        return None
    rewards = {name: _weighted(name, entry) for name, entry in _scores(traces[0], "rewards").items()}
    if measure in rewards:
        return request.outcome(rewards[measure][0])
    if measure != _REWARD:
        return request.outcome(_scores(traces[0], "metrics").get(measure))
    scores = [(request.outcome(score), weight) for score, weight in rewards.values()]
    known = [score * weight for score, weight in scores if score is not None]
    return sum(known) if scores and len(known) == len(scores) else None


def _weighted(name: str, entry: Any) -> tuple[Any, float]:
    """Return a reward and its weight in the sum; a reward that failed is null."""
    if entry is None:
        return None, 0.0
    fields = mapping(entry, f"rewards.{name}")
    weight = fields.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise OutcomeError(f"the weight of {name!r} must be a number; got {shown(weight)}")
    return fields.get("score"), float(weight)


def _conditions(config: dict[str, Any], agent: str) -> dict[str, str]:
    env = mapping(config.get("env") or {}, "env")
    settings = mapping(env.get(agent) or env.get("agent") or {}, "env.agent")
    return conditions(
        sampling=mapping(config.get("sampling") or {}, "sampling"),
        agent_sampling=settings.get("sampling"),
        harness=settings.get("harness"),
        limits={name: settings.get(name) for name in _LIMITS},
        system_prompt=mapping(env.get("taskset") or {}, "env.taskset").get("system_prompt"),
    )
