"""tau-bench: lists of results, and tau2: ``results.json`` with the simulations inside or in a folder beside it."""

import re
from typing import Any

from ..._display.words import shorten
from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import model_of_path, shown

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
        measure, trials = _measure(request), list[Trial]()
        users: dict[str, str] = {}  # tasks with one number in two domains have different users that ask
        for row in At(file.document, "", "result").rows:
            question = row["task_id"].text
            trials.append(Trial(question, row["trial"].whole_or(0), _outcome(row["reward"], measure)))
            if isinstance(user := row.peek("info.task.user_id"), str):
                users[question] = user
        name = _NAME.fullmatch(file.path.name)
        model = name["model"] if name else model_of_path(file.path)
        return [Run(model, trials, file.digest, fingerprints=users, model_from="folder" if name else "file name")]


def _is_result(row: dict[str, Any]) -> bool:
    return row.keys() >= {"task_id", "reward"} and bool(row.keys() & {"info", "traj"})


def _measure(request: Request) -> str:
    return "success" if request.score is None else request.choose("score", ["success", "reward"])


def _outcome(reward: At, measure: str) -> float:
    if isinstance(reward.value, bool) or not isinstance(reward.value, (int, float)):
        raise reward.fault(f"a reward must be a number; got {shown(reward.value)}")
    return float(reward.value) if measure == "reward" else float(abs(reward.value - 1.0) <= _TOLERANCE)


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
        return any(file.has_keys("info", "tasks", name) for name in (_FOLDER, "simulation_index"))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log, measure = file.at, _measure(request)
        info, agent = log["info"].needed, log["info.agent_info"]
        rows, times = _simulations(file), info["num_trials"].whole if info["num_trials"] else 1
        return [
            Run(
                either(agent["llm"], agent["implementation"]).text,
                [_trial(i, row, measure) for i, row in enumerate(rows)],
                str(log["timestamp"].value or file.digest),
                info["environment_info.domain_name"].maybe,
                planned=dict.fromkeys((task["id"].text for task in log["tasks"].needed.rows), times),
            )
        ]


def _trial(i: int, row: At, measure: str) -> Trial:
    scored, is_void = row["reward_info"], row["termination_reason"].value in _NOT_EVALUABLE
    outcome = None if scored.value is None or is_void else _outcome(scored["reward"], measure)
    return Trial(row["task_id"].text, row["trial"].whole_or(i), outcome)


def _simulations(file: LogFile) -> list[At]:
    """Return the simulations in the file, or those in the folder beside it, checked against the file's index."""
    log, folder = file.at, file.path.parent / _FOLDER
    if log[_FOLDER] or not folder.is_dir():
        return log[_FOLDER].rows
    known = {path.stem: beside(path) for path in sorted(folder.glob("*.json"))}
    ids = {str(entry["id"].value) for entry in log["simulation_index"].rows}
    lost, more = sorted(ids - known.keys()), sorted(known.keys() - ids)
    if lost:
        raise log.fault(f"{len(lost)} of {len(ids)} simulations are not in {_FOLDER}/: {shorten(lost)}")
    if ids and more:
        raise log.fault(f"{len(more)} files in {_FOLDER}/ do not belong to this run: {shorten(more)}")
    return list(known.values())
