"""terminal-bench: ``runs/<run>/results.json`` with all trials of a run, and ``run_metadata.json`` with its names."""

from collections.abc import Mapping
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import (
    by_trial,
    conditions,
    items,
    label,
    mapping,
    maybe_label,
    model_of_path,
    shown,
    spent,
    sums,
    whole,
    within,
)

_TOKENS = ("input_tokens", "output_tokens")
_METADATA = "run_metadata.json"


class TerminalBenchFormat(Format):
    """Results of runs of terminal-bench."""

    name = "terminal-bench"
    companions = (
        Companion(
            lambda file: file.has_keys("trial_name", "task_id", "is_resolved"),
            "one trial of a terminal-bench run: read the results.json of the run",
        ),
        Companion(
            lambda file: file.has_keys("run_id", "agent_name", "n_attempts"),
            "the metadata of a terminal-bench run: read the results.json beside it",
        ),
        Companion(lambda file: file.path.name == "tb.lock", "the configuration of a terminal-bench run"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.has_keys("results", "n_resolved") and isinstance(file.document["results"], list)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = mapping(file.document, "terminal-bench results")
        about = beside(file.path.parent / _METADATA)
        agent = maybe_label(about.get("agent_name"), "agent_name")
        model = maybe_label(about.get("model_name"), "model_name")
        trials, instructions, used = [], {}, []
        for i, entry in enumerate(items(log.get("results"), "results")):
            with within(f"result {i}"):
                row = mapping(entry, "a result")
                question = label(row.get("task_id"), "task_id")
                trials.append(Trial(question, label(row.get("trial_name"), "trial_name"), _outcome(row, request)))
                instructions[question] = str(row.get("instruction"))
                used.append(spent(**{name: row.get(f"total_{name}") for name in _TOKENS}))
        run = Run(
            model="/".join(name for name in (agent, model) if name) or model_of_path(file.path),
            model_from="log" if agent or model else "folder",
            task=maybe_label(about.get("dataset_name") or None, "dataset_name"),
            trials=trials,
            identity=str(about.get("run_id") or log.get("id") or file.digest),
            planned=_planned(about, instructions),
            fingerprints=instructions,
            conditions=conditions(
                dataset_version=about.get("dataset_version"),
                agent_args=mapping(about.get("agent_kwargs") or {}, "agent_kwargs"),
            ),
            origin={"date": about.get("start_time"), "commit": about.get("commit_hash"), **sums(used)},
            trial_costs=by_trial(used),
        )
        return [run]


def _outcome(row: dict[str, Any], request: Request) -> float | None:
    """Return whether the task was resolved; None if the tests gave no answer."""
    value = row.get("is_resolved")
    if not (value is None or isinstance(value, bool)):
        raise OutcomeError(f"is_resolved must be true, false or null; got {shown(value)}")
    return request.outcome(value)


def _planned(about: dict[str, Any], seen: Mapping[str, str]) -> dict[str, int]:
    """Return the attempts planned per task, also for tasks that have no result if the metadata lists all of them."""
    if about.get("n_attempts") is None:
        return {}
    tasks = [label(name, "a task") for name in items(about.get("task_ids") or [], "task_ids")]
    whole_list = tasks if len(tasks) == about.get("dataset_size") else []
    return dict.fromkeys([*whole_list, *seen], whole(about["n_attempts"], "n_attempts"))
