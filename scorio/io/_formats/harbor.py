"""Harbor: ``jobs/<job>/<trial>/result.json``, one file per trial of an agent."""

from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, conditions

_OF_A_TRIAL = {"task_name", "trial_name", "task_checksum", "agent_info"}
_DEPTH = 3  # an agent and a verifier write into folders up to this deep in the folder of a trial
_MULTIPLIERS = ("timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier")


def _is_of_job(file: LogFile) -> bool:
    return file.has_keys("n_total_trials", "stats") or file.has_keys("n_attempts", "agents")


def _is_in_trial(file: LogFile) -> bool:
    folders = file.path.resolve().parents[:_DEPTH]
    return any(beside(folder / "result.json").obj.keys() >= _OF_A_TRIAL for folder in folders)


class HarborFormat(Format):
    """Results of trials of Harbor."""

    name = "harbor"
    options = frozenset({"score"})
    companions = (
        Companion(_is_of_job, "the summary or configuration of a Harbor job: its trials are in the folders beside it"),
        Companion(
            lambda file: file.has_keys("trial_name", "trials_dir", "agent"),
            "the configuration of a Harbor trial, whose outcome is in result.json",
        ),
        Companion(_is_in_trial, "a file of a Harbor trial, whose outcome is in result.json"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.has_keys(*_OF_A_TRIAL)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log, job = At(file.document, f"trial {file.document['trial_name']!r}"), file.path.resolve().parent.parent
        question, verified = log["task_name"].text, log["verifier_result"]
        rewards = verified["rewards"]
        if "reward" in verified and not rewards:  # as the first versions wrote it
            rewards = At(verified.only(["reward"]), log.where)
        measure = request.choose("score", rewards.obj, "reward") if rewards else ""
        used = log["agent_result"].spent(
            dollars="cost_usd", input_tokens="n_input_tokens", output_tokens="n_output_tokens"
        )
        attempts = beside(job / "config.json")["n_attempts"].whole_or(None)
        return [
            Run(
                _model(log),
                [Trial(question, either(log["id"], log["trial_name"]).text, rewards[measure,].to(request.outcome))],
                identity=str(log["config.job_id"].value or job.name),
                task=log["source"].maybe,
                measure=measure,
                planned={} if attempts is None else {question: attempts},
                fingerprints={question: str(log["task_checksum"].value)},
                conditions=_conditions(log),
                origin={"date": log["started_at"].value, "job": job.name, **used},
                trial_costs=by_trial([used]),
                notes={"score": request.score or ""},
            )
        ]


def _model(log: At) -> str:
    """Return the agent and its model: one model does not do the same in two agents."""
    info, agent = log["agent_info.model_info"], log["agent_info.name"].text
    parts = [str(info[key].value) for key in ("provider", "name") if info[key]]
    model = "/".join(parts) or log["config.agent.model_name"].value
    return f"{agent}/{model}" if model else agent


def _conditions(log: At) -> dict[str, str]:
    """Return the settings of the agent, and the limits of time and machine that replace those of the task."""
    config, agent = log["config"], log["config.agent"]
    return conditions(
        agent_version=log["agent_info.version"].value,
        agent_args=agent["kwargs"].obj,
        skills=agent["skills"].value or None,
        mcp_servers=agent["mcp_servers"].value or None,
        instructions=config["extra_instructions"].value or None,
        limits={
            f"{part}.{name}": value
            for part in ("agent", "environment", "verifier")
            for name, value in config[part].obj.items()
            if name.startswith("override_")
        },
        multipliers=config.only(_MULTIPLIERS),
    )
