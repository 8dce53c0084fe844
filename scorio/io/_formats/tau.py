"""tau-bench: lists of results, and tau2: ``results.json`` with the simulations inside or in a folder beside it."""

import re
from collections.abc import Callable
from typing import Any

from ..._display.words import shorten
from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import items, label, mapping, maybe_label, model_of_path, shown, whole, within

_TOLERANCE = 1e-6  # both tools count a reward this close to 1 as a success
_NAME = re.compile(r"(?:tool-calling|act|react|few-shot)-(?P<model>.+)-[\d.]+_range_.*_user-.*\.json")
_FOLDER = "simulations"
_NOT_EVALUABLE = ("infrastructure_error", "context_window_exceeded")  # tau2 leaves these out of its metrics


class TauBenchFormat(Format):
    """Results of tau-bench."""

    name = "tau-bench"
    options = frozenset({"score"})

    def matches(self, file: LogFile) -> bool:
        log = file.document
        return isinstance(log, list) and bool(log) and all(isinstance(row, dict) and _is_result(row) for row in log)

    def read(self, file: LogFile, request: Request) -> list[Run]:
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
        name = _NAME.fullmatch(file.path.name)
        model = name["model"] if name else model_of_path(file.path)
        return [Run(model, trials, file.digest, fingerprints=users, model_from="folder" if name else "file name")]


def _is_result(row: dict[str, Any]) -> bool:
    return row.keys() >= {"task_id", "reward"} and bool(row.keys() & {"info", "traj"})


def _user(row: dict[str, Any]) -> str | None:
    """Return the user that asks, if known: tasks with one number in two domains have different users."""
    info = row.get("info")
    task = info.get("task") if isinstance(info, dict) else None
    user = task.get("user_id") if isinstance(task, dict) else None
    return user if isinstance(user, str) else None


class Tau2Format(Format):
    """Results of tau2."""

    name = "tau2"
    options = frozenset({"score"})
    companions = (
        Companion(
            lambda file: file.has_keys("task_id", "termination_reason", "reward_info"),
            "one simulation of a tau2 run: read the results.json it belongs to",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return any(file.has_keys("info", "tasks", name) for name in ("simulations", "simulation_index"))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return [_tau2_run(file, mapping(file.document, "tau2 results"), request)]


def _tau2_run(file: LogFile, log: dict[str, Any], request: Request) -> Run:
    info = mapping(log.get("info"), "info")
    agent = mapping(info.get("agent_info") or {}, "info.agent_info")
    domain = mapping(info.get("environment_info") or {}, "info.environment_info").get("domain_name")
    tasks = [mapping(task, "a task") for task in items(log.get("tasks"), "tasks")]
    as_outcome = _outcome_of(request)
    simulations = _simulations(file, log)
    return Run(
        model=label(agent.get("llm") or agent.get("implementation"), "info.agent_info.llm"),
        task=maybe_label(domain, "info.environment_info.domain_name"),
        trials=[_trial(i, simulation, as_outcome) for i, simulation in enumerate(simulations)],
        identity=str(log.get("timestamp") or file.digest),
        planned=dict.fromkeys(
            (label(task.get("id"), "a task's id") for task in tasks), whole(info.get("num_trials") or 1, "num_trials")
        ),
    )


def _outcome_of(request: Request) -> Callable[[Any], float | None]:
    measure = "success" if request.score is None else request.choose("score", ["success", "reward"])

    def outcome(value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise OutcomeError(f"a reward must be a number; got {shown(value)}")
        return float(value) if measure == "reward" else float(abs(value - 1.0) <= _TOLERANCE)

    return outcome


def _trial(i: int, simulation: dict[str, Any], as_outcome: Callable[[Any], float | None]) -> Trial:
    with within(f"simulation {i}"):
        scored = simulation.get("reward_info")
        is_void = simulation.get("termination_reason") in _NOT_EVALUABLE
        outcome = None if scored is None or is_void else as_outcome(mapping(scored, "reward_info").get("reward"))
        key = simulation.get("trial")
        return Trial(label(simulation.get("task_id"), "task_id"), i if key is None else whole(key, "trial"), outcome)


def _simulations(file: LogFile, log: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the simulations in the file, or those in the folder beside it, checked against the file's index."""
    folder = file.path.parent / _FOLDER
    if log.get("simulations") or not folder.is_dir():
        return [mapping(entry, "a simulation") for entry in items(log.get("simulations") or [], "simulations")]
    beside = {path.stem: mapping(LogFile(path).document, path.name) for path in sorted(folder.glob("*.json"))}
    index = [
        mapping(entry, "simulation_index") for entry in items(log.get("simulation_index") or [], "simulation_index")
    ]
    ids = {str(entry.get("id")) for entry in index}
    lost, more = sorted(ids - beside.keys()), sorted(beside.keys() - ids)
    if lost:
        raise OutcomeError(f"{len(lost)} of {len(ids)} simulations are not in {_FOLDER}/: {shorten(lost)}")
    if index and more:
        raise OutcomeError(f"{len(more)} files in {_FOLDER}/ do not belong to this run: {shorten(more)}")
    return list(beside.values())
