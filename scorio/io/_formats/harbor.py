"""Harbor: ``jobs/<job>/<trial>/result.json``, one file per trial of an agent."""

from typing import Any

from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, conditions, label, mapping, maybe_label, spent, whole, within

_OF_A_TRIAL = {"task_name", "trial_name", "task_checksum", "agent_info"}
_OF_A_CONFIG = {"trial_name", "trials_dir", "agent"}
_OF_A_JOB = ({"n_total_trials", "stats"}, {"n_attempts", "agents"})  # the keys of its result and of its configuration
_RESULT, _CONFIG = "result.json", "config.json"
_DEPTH = 3  # an agent and a verifier write into folders up to this deep in the folder of a trial
_MULTIPLIERS = ("timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier")
_OVERRIDE = "override_"  # begins the names of limits that replace those of the task


def _is_trial(log: Any) -> bool:
    return isinstance(log, dict) and log.keys() >= _OF_A_TRIAL


def _is_of_job(file: LogFile) -> bool:
    return any(file.has_keys(*keys) for keys in _OF_A_JOB)


def _is_in_trial(file: LogFile) -> bool:
    folders = file.path.resolve().parents[:_DEPTH]
    return any(_is_trial(beside(folder / _RESULT)) for folder in folders)


class HarborFormat(Format):
    """Results of trials of Harbor."""

    name = "harbor"
    options = frozenset({"score"})
    companions = (
        Companion(_is_of_job, "the summary or configuration of a Harbor job: its trials are in the folders beside it"),
        Companion(
            lambda file: file.has_keys(*_OF_A_CONFIG),
            "the configuration of a Harbor trial, whose outcome is in result.json",
        ),
        Companion(_is_in_trial, "a file of a Harbor trial, whose outcome is in result.json"),
    )

    def matches(self, file: LogFile) -> bool:
        return _is_trial(file.document)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "a Harbor result")
        config = mapping(log.get("config") or {}, "config")
        question, job = label(log.get("task_name"), "task_name"), file.path.resolve().parent.parent
        (measure, outcome), used = _outcome(log, request), _used(log)
        attempts = beside(job / _CONFIG).get("n_attempts")
        with within(f"trial {log.get('trial_name')!r}"):
            run = Run(
                model=_model(log, config),
                task=maybe_label(log.get("source"), "source"),
                trials=[Trial(question, label(log.get("id") or log.get("trial_name"), "id"), outcome)],
                identity=str(config.get("job_id") or job.name),
                measure=measure,
                planned={} if attempts is None else {question: whole(attempts, "n_attempts")},
                fingerprints={question: str(log.get("task_checksum"))},
                conditions=_conditions(log, config),
                origin={"date": log.get("started_at"), "job": job.name, **used},
                trial_costs=by_trial([used]),
                notes={"score": request.score or ""},
            )
        return [run]


def _outcome(log: dict[str, Any], request: Request) -> tuple[str, float | None]:
    """Return the reward that is read and its value; a trial that was not verified has none."""
    verified = mapping(log.get("verifier_result") or {}, "verifier_result")
    rewards = mapping(verified.get("rewards") or {}, "verifier_result.rewards")
    if "reward" in verified and not rewards:  # as the first versions wrote it
        rewards = {"reward": verified["reward"]}
    if not rewards:
        return "", None
    measure = request.choose("score", rewards, "reward")
    return measure, request.outcome(rewards[measure])


def _model(log: dict[str, Any], config: dict[str, Any]) -> str:
    """Return the agent and its model: one model does not do the same in two agents."""
    agent = mapping(log.get("agent_info"), "agent_info")
    info = mapping(agent.get("model_info") or {}, "agent_info.model_info")
    parts = [str(info[key]) for key in ("provider", "name") if info.get(key)]
    model = "/".join(parts) or _agent(config).get("model_name")
    name = label(agent.get("name"), "agent_info.name")
    return f"{name}/{model}" if model else name


def _agent(config: dict[str, Any]) -> dict[str, Any]:
    return mapping(config.get("agent") or {}, "config.agent")


def _conditions(log: dict[str, Any], config: dict[str, Any]) -> dict[str, str]:
    """Return the settings of the agent, and the limits of time and machine."""
    agent, info = _agent(config), mapping(log.get("agent_info"), "agent_info")
    limits = {
        f"{part}.{name}": value
        for part in ("agent", "environment", "verifier")
        for name, value in mapping(config.get(part) or {}, f"config.{part}").items()
        if name.startswith(_OVERRIDE)
    }
    return conditions(
        agent_version=info.get("version"),
        agent_args=mapping(agent.get("kwargs") or {}, "config.agent.kwargs"),
        skills=agent.get("skills") or None,
        mcp_servers=agent.get("mcp_servers") or None,
        instructions=config.get("extra_instructions") or None,
        limits=limits,
        multipliers={name: config.get(name) for name in _MULTIPLIERS},
    )


def _used(log: dict[str, Any]) -> dict[str, float]:
    usage = mapping(log.get("agent_result") or {}, "agent_result")
    tokens = {name: usage.get(f"n_{name}") for name in ("input_tokens", "output_tokens")}
    return spent(dollars=usage.get("cost_usd"), **tokens)
