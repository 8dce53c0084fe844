"""verifiers since 0.4: ``traces.jsonl`` with one episode per line, and ``configs/resolved/eval.json``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import OutcomeError
from .._conditions import conditions
from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from .._validate import items, label, mapping, shown, whole, within

_KEYS = {"env", "task", "traces", "ok"}
_CONFIG = ("configs", "resolved", "eval.json")
_REWARD = "reward"  # the weighted sum of all rewards
_LIMITS = ("max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens")
_Episode = tuple[str, dict[str, Any], list[dict[str, Any]]]  # its place, itself, and its traces


def _is_config(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and {"num_rollouts", "model", "env"} <= log.keys()


def _is_fresh(file: LogFile) -> bool:
    return not file.head.strip() and file.path.parent.joinpath(*_CONFIG).is_file()


class VerifiersTracesFormat(Format):
    """Episodes of verifiers since version 0.4."""

    name = "verifiers-traces"
    options = frozenset({"metric", "filter"})
    companions = (
        Companion(_is_config, "the settings of a verifiers run, whose episodes are in traces.jsonl"),
        Companion(_is_fresh, "no episode of the verifiers run has finished yet"),
    )

    def matches(self, file: LogFile) -> bool:
        return isinstance(file.first_row, dict) and file.first_row.keys() >= _KEYS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        config = beside(file.path.parent.joinpath(*_CONFIG))
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
            notes={"metric": measure, "agent": agent if len(agents) > 1 else ""},
        )
        envs: dict[str, list[_Episode]] = defaultdict(list)
        for place, row, traces in own:
            with within(place):
                envs[str(mapping(row.get("env"), "env").get("id") or "")].append((place, row, traces))
        rollouts = config.get("num_rollouts")
        times = None if rollouts is None else whole(rollouts, "num_rollouts")
        return [_filled(replace(run, task=env or None), envs[env], measure, times, request) for env in envs]


def _filled(run: Run, episodes: list[_Episode], measure: str, times: int | None, request: Request) -> Run:
    trials, marks = [], {}
    for place, row, traces in episodes:
        with within(place):
            task = mapping(row.get("task"), "task")
            question = label(task.get("key") or task.get("hash"), "task.key")
            trials.append(Trial(question, label(row.get("id"), "id"), _outcome(row, traces, measure, request)))
            marks[question] = str(task.get("hash"))
    return replace(run, trials=trials, planned={} if times is None else dict.fromkeys(marks, times), fingerprints=marks)


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
    if request.metric:
        return request.choose("metric", list(dict.fromkeys([*rewards, _REWARD, *metrics])))
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
