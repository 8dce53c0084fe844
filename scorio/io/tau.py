"""tau-bench result lists, and tau2 ``results.json`` with the simulations inside or in a folder beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..errors import OutcomeError
from ..labels import listed
from .choose import chosen
from .expect import items, label, mapping, maybe_label, shown, whole, within
from .files import LogFile
from .naming import FROM_FOLDER, FROM_NAME, model_of_path
from .records import Companion, Format, Request, Run, Trial

_TOLERANCE = 1e-6  # both tools call a reward this close to 1 a success
_NAME = re.compile(r"(?:tool-calling|act|react|few-shot)-(?P<model>.+)-[\d.]+_range_.*_user-.*\.json")
_FOLDER = "simulations"
_NOT_EVALUABLE = ("infrastructure_error", "context_window_exceeded")  # tau2 leaves these out of its metrics


def _is_tau(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, list) and bool(log) and all(isinstance(row, dict) and _is_result(row) for row in log)


def _is_result(row: dict[str, Any]) -> bool:
    return row.keys() >= {"task_id", "reward"} and bool(row.keys() & {"info", "traj"})


def _is_tau2(file: LogFile) -> bool:
    log = file.document
    return (
        isinstance(log, dict)
        and {"info", "tasks"} <= log.keys()
        and bool(log.keys() & {"simulations", "simulation_index"})
    )


def _is_simulation(file: LogFile) -> bool:
    log = file.document
    return isinstance(log, dict) and {"task_id", "termination_reason", "reward_info"} <= log.keys()


def _read_tau(file: LogFile, request: Request) -> list[Run]:
    as_outcome = _outcome_of(request)
    trials = []
    users: dict[str, str] = {}
    for i, entry in enumerate(items(file.document, "tau-bench results")):
        with within(f"result {i}"):
            row = mapping(entry, "a result")
            key = whole(row.get("trial") or 0, "trial")
            question = label(row.get("task_id"), "task_id")
            trials.append(Trial(question, key, as_outcome(row.get("reward"))))
            if (user := _user(row)) is not None:
                users[question] = user
    named = _NAME.fullmatch(file.path.name)
    model, how = (named["model"], FROM_FOLDER) if named else (model_of_path(file.path), FROM_NAME)
    return [Run(model, trials, file.digest, fingerprints=users, notes=how)]


def _user(row: dict[str, Any]) -> str | None:
    """Who asks, where the result says so: tasks of one number in two domains have another user."""
    info = row.get("info")
    task = info.get("task") if isinstance(info, dict) else None
    user = task.get("user_id") if isinstance(task, dict) else None
    return user if isinstance(user, str) else None


def _read_tau2(file: LogFile, request: Request) -> list[Run]:
    log = mapping(file.document, "tau2 results")
    info = mapping(log["info"], "info")
    agent = mapping(info.get("agent_info") or {}, "info.agent_info")
    domain = mapping(info.get("environment_info") or {}, "info.environment_info").get("domain_name")
    tasks = [mapping(task, "a task") for task in items(log["tasks"], "tasks")]
    as_outcome = _outcome_of(request)
    simulations = _simulations(file, log)
    return [
        Run(
            model=label(agent.get("llm") or agent.get("implementation"), "info.agent_info.llm"),
            task=maybe_label(domain, "info.environment_info.domain_name"),
            trials=[_trial(i, simulation, as_outcome) for i, simulation in enumerate(simulations)],
            identity=str(log.get("timestamp") or file.digest),
            planned=dict.fromkeys(
                (label(task.get("id"), "a task's id") for task in tasks),
                whole(info.get("num_trials") or 1, "num_trials"),
            ),
        )
    ]


TAU = Format("tau-bench", _is_tau, _read_tau, frozenset({"metric"}))
TAU2 = Format("tau2", _is_tau2, _read_tau2, frozenset({"metric"}))
SIMULATION = Companion(_is_simulation, "one simulation of a tau2 run: read the results.json it belongs to")


def _outcome_of(request: Request) -> Callable[[Any], float | None]:
    measure = chosen(request.metric or "success", ["success", "reward"], "metric", "metric")

    def outcome(value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise OutcomeError(f"a reward must be a number; got {shown(value)}")
        return float(value) if measure == "reward" else float(abs(value - 1.0) <= _TOLERANCE)

    return outcome


def _trial(i: int, simulation: dict[str, Any], as_outcome: Callable[[Any], float | None]) -> Trial:
    with within(f"simulation {i}"):
        scored = simulation.get("reward_info")
        spoilt = simulation.get("termination_reason") in _NOT_EVALUABLE
        outcome = None if scored is None or spoilt else as_outcome(mapping(scored, "reward_info").get("reward"))
        key = simulation.get("trial")
        return Trial(label(simulation.get("task_id"), "task_id"), i if key is None else whole(key, "trial"), outcome)


def _simulations(file: LogFile, log: dict[str, Any]) -> list[dict[str, Any]]:
    """The simulations in the file, or those in the folder beside it, checked against the file's index."""
    folder = file.path.parent / _FOLDER
    if log.get("simulations") or not folder.is_dir():
        return [mapping(entry, "a simulation") for entry in items(log.get("simulations") or [], "simulations")]
    found = {path.stem: mapping(LogFile(path).document, path.name) for path in sorted(folder.glob("*.json"))}
    index = [
        mapping(entry, "simulation_index") for entry in items(log.get("simulation_index") or [], "simulation_index")
    ]
    ids = {str(entry.get("id")) for entry in index}
    lost, more = sorted(ids - found.keys()), sorted(found.keys() - ids)
    if lost:
        raise OutcomeError(f"{len(lost)} of {len(ids)} simulations are not in {_FOLDER}/: {listed(lost)}")
    if index and more:
        raise OutcomeError(f"{len(more)} files in {_FOLDER}/ are of no simulation of this run: {listed(more)}")
    return list(found.values())
