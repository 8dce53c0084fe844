"""tau-bench: lists of results, and tau2: ``results.json`` with the simulations inside or in a folder beside it."""

import re

from ..._base.words import shorten
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either
from ..checks import conditions, shown

_TOLERANCE = 1e-6  # both tools count a reward this close to 1 as a success
_NAME = re.compile(r"(?:tool-calling|act|react|few-shot)-(?P<model>.+)-[\d.]+_range_.*_user-.*\.json")
_FOLDER = "simulations"
_NOT_EVALUABLE = ("infrastructure_error", "context_window_exceeded")  # tau2 leaves these out of its metrics


class TauBenchFormat(Format):
    """Results of tau-bench."""

    name = "tau-bench"
    noun = "score"

    def matches(self, file: LogFile) -> bool:
        is_list = isinstance(file.document, list) and file.at.all_have("task_id", "reward")
        return is_list and all(row.has("info") or row.has("traj") for row in file.at.rows)

    def read(self, file: LogFile, request: Request) -> Run:
        trials = []
        for row in At(file.document, "", "result").rows:
            user = row.peek("info.task.user_id").value
            # tasks with one number in two domains have different users that ask
            mark = user if isinstance(user, str) else ""
            key, scores = row["trial"].whole_or(0), _scores(row["reward"])
            trials.append(Trial(row["task_id"].text, key, mark=mark, scores=scores))
        return Run(file.named(_NAME).get("model", ""), trials, usual=["success"], model_from="folder")


def _scores(reward: At) -> dict[str, float]:
    if isinstance(reward.value, bool) or not isinstance(reward.value, (int, float)):
        raise reward.fault(f"a reward must be a number; got {shown(reward.value)}")
    return {"success": float(abs(reward.value - 1.0) <= _TOLERANCE), "reward": float(reward.value)}


class Tau2Format(Format):
    """Results of tau2."""

    name = "tau2"
    noun = "score"
    layouts = (document_with("info", "tasks", _FOLDER), document_with("info", "tasks", "simulation_index"))
    companions = (
        Companion(document_with("task_id", "termination_reason", "reward_info"), "one simulation of a tau2 run"),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        log = file.at
        info, agent = log["info"].needed, log["info.agent_info"]
        times = info["num_trials"].whole_or(1) or 1
        return Run(
            either(agent["llm"], agent["implementation"]).text,
            [_trial(i, row) for i, row in enumerate(_simulations(file))],
            str(log["timestamp"].value or ""),
            info["environment_info.domain_name"].maybe,
            usual=["success"],
            planned=dict.fromkeys((task["id"].text for task in log["tasks"].needed.rows), times),
            conditions=conditions(llm_args=agent["llm_args"].obj, user_llm=info["user_info.llm"].value),
        )


def _trial(i: int, row: At) -> Trial:
    scored, is_void = row["reward_info"], row["termination_reason"].value in _NOT_EVALUABLE
    scores = {} if scored.value is None or is_void else _scores(scored["reward"])
    return Trial(row["task_id"].text, row["trial"].whole_or(i), scores=scores)


def _simulations(file: LogFile) -> list[At]:
    """Return the simulations in the file, or those in the folder beside it, checked against the file's index."""
    log, folder = file.at, file.path.parent / _FOLDER
    if log[_FOLDER] or not folder.is_dir():
        return log[_FOLDER].rows
    simulations = {path.stem: file.beside(_FOLDER, path.name) for path in sorted(folder.glob("*.json"))}
    ids = {str(entry["id"].value) for entry in log["simulation_index"].rows}
    lost, more = sorted(ids - simulations.keys()), sorted(simulations.keys() - ids)
    if lost:
        raise log.fault(f"{len(lost)} of {len(ids)} simulations are not in {_FOLDER}/: {shorten(lost)}")
    if ids and more:
        raise log.fault(f"{len(more)} files in {_FOLDER}/ do not belong to this run: {shorten(more)}")
    return list(simulations.values())
