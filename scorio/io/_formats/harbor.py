"""Harbor: ``jobs/<job>/<trial>/result.json``, one file per trial of an agent; and terminal-bench, which came before it.

terminal-bench writes ``runs/<run>/results.json`` with all trials of a run, and ``run_metadata.json`` with its names.
"""

import re

from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either
from ..checks import conditions, model_of_path

_LOG = ("task_name", "trial_name", "task_checksum", "agent_info")
_RESULT = "result.json"
_DEPTH = 3  # an agent and a verifier write into folders up to this deep in the folder of a trial
_ARM = re.compile(r"[/\\](with|without)[/\\][^/\\]+$")
_MULTIPLIERS = ("timeout_multiplier", "agent_timeout_multiplier", "verifier_timeout_multiplier")
_OF_TRIAL = "a file of a Harbor trial, whose outcome is in result.json"
_OF_RUN = "a file of a terminal-bench run, whose trials are in results.json"
_JOB = "the summary or configuration of a Harbor job: its trials are in the folders beside it"


class HarborFormat(Format):
    """Results of trials of Harbor."""

    name = "harbor"
    noun = "reward"
    layouts = (document_with(*_LOG),)
    companions = (
        Companion(document_with("n_total_trials", "stats"), _JOB),
        Companion(document_with("n_attempts", "agents"), _JOB),
        Companion(document_with("trial_name", "trials_dir", "agent"), _OF_TRIAL),
        Companion(lambda file: any(LogFile(path).at.has(*_LOG) for path in file.above(_RESULT, _DEPTH)), _OF_TRIAL),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        log, job = At(file.document, f"trial {file.at.plain.get('trial_name')!r}"), file.folder.parent
        arm, skill = _arm_and_skill(log, job.name)
        trial = Trial(
            log["task_name"].text,
            either(log["id"], log["trial_name"]).text,
            used=log["agent_result"].spent(
                dollars="cost_usd", input_tokens="n_input_tokens", output_tokens="n_output_tokens"
            ),
            mark="" if arm else str(log["task_checksum"].value),
            scores=dict(log["verifier_result.rewards"].items),
        )
        run = str(log["config.job_id"].value or job.name)
        return Run(
            _model(log),
            [trial],
            run,
            log["source"].maybe or skill,
            times=file.beside("..", "config.json")["n_attempts"].whole_or(None),
            conditions=_conditions(log) | ({"skills": arm} if arm else {}),
            origin={"date": log["started_at"].value, "job": job.name},
            label=run,
        )


def _model(log: At) -> str:
    """Return the agent and its model: one model does not do the same in two agents."""
    info, agent = log["agent_info.model_info"], log["agent_info.name"].text
    parts = [str(info[key].value) for key in ("provider", "name") if info[key]]
    model = "/".join(parts) or log["config.agent.model_name"].value
    return f"{agent}/{model}" if model else agent


def _arm_and_skill(log: At, job: str) -> tuple[str | None, str | None]:
    """Return the arm and the skill of a job of SkillEvaluator, which makes a copy of each task for either arm."""
    arm = _ARM.search(str(log.peek("config.task.path").value or ""))
    skill, of_agent, _ = job.partition(f"-{log['agent_info.name'].text}-{arm[1]}" if arm else "/")
    return arm and arm[1], skill if of_agent else None


def _conditions(log: At) -> dict[str, str]:
    """Return the settings of the agent, and the limits of time and machine that replace those of the task."""
    config, agent = log["config"], log["config.agent"]
    parts = [(part, config[part].obj) for part in ("agent", "environment", "verifier")]
    return conditions(
        agent_version=log["agent_info.version"].value,
        agent_args=agent["kwargs"].obj,
        skills=agent["skills"].value or None,
        mcp_servers=agent["mcp_servers"].value or None,
        instructions=config["extra_instructions"].value or None,
        limits={f"{part}.{key}": entry[key] for part, entry in parts for key in entry if key.startswith("override_")},
        multipliers=config.only(_MULTIPLIERS),
    )


class TerminalBenchFormat(Format):
    """Results of runs of terminal-bench."""

    name = "terminal-bench"
    layouts = (document_with("results", "n_resolved"),)
    companions = (
        Companion(document_with("trial_name", "task_id", "is_resolved"), _OF_RUN),
        Companion(document_with("run_id", "agent_name", "n_attempts"), _OF_RUN),
        Companion(lambda file: file.path.name == "tb.lock", _OF_RUN),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        log, about = file.at, file.beside("run_metadata.json")
        names = [about["agent_name"].maybe, about["model_name"].maybe]
        trials = [
            Trial(
                row["task_id"].text,
                row["trial_name"].text,
                request.outcome(row["is_resolved"].flag),
                used=row.spent(input_tokens="total_input_tokens", output_tokens="total_output_tokens"),
                mark=str(row["instruction"].value),
            )
            for row in log["results"].needed.rows
        ]
        attempts, listed = about["n_attempts"].whole_or(None), [row.text for row in about["task_ids"].rows]
        is_all = attempts is not None and len(listed) == about["dataset_size"].value
        return Run(
            "/".join(filter(None, names)) or model_of_path(file.path),
            trials,
            str(either(about["run_id"], log["id"]).value or ""),
            about["dataset_name"].text_or(None),
            planned=dict.fromkeys(listed, attempts or 0) if is_all else {},
            times=attempts,
            model_from="log" if any(names) else "folder",
            conditions=conditions(dataset_version=about["dataset_version"].value, agent_args=about["agent_kwargs"].obj),
            origin={"date": about["start_time"].value, "commit": about["commit_hash"].value},
        )
