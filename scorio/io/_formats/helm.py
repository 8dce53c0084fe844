"""HELM: ``per_instance_stats.json`` with the statistics of every instance and training trial, one folder per run."""

import re
from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import conditions, items, label, mapping, shown, whole, within

_STATS, _SPEC = "per_instance_stats.json", "run_spec.json"
_MODEL = re.compile(r",?\bmodel=(?P<name>[^,]*)")  # in the name of a run, such as mmlu:subject=x,model=org_m
_NO_OUTCOME = re.compile(
    r"num_|inference_|training_|estimated_|batch_size|max_prob|finish_reason_|prompt_truncated|logprob|predicted_index|"
    r".*@\d+$"  # the best of several outputs
)  # matches the names of statistics that are no outcomes
_KEYS = {"instance_id", "train_trial_index", "stats"}


def _is_beside_stats(file: LogFile) -> bool:
    folder = file.path.parent
    return file.path.name != _STATS and file.is_json and all((folder / name).is_file() for name in (_STATS, _SPEC))


class HelmFormat(Format):
    """Statistics per instance of HELM."""

    name = "helm"
    options = frozenset({"score", "levels"})
    companions = (Companion(_is_beside_stats, "HELM's other files hold no trials: per_instance_stats.json is read"),)

    def matches(self, file: LogFile) -> bool:
        log = file.document if file.head.lstrip().startswith(b"[") else None
        return isinstance(log, list) and bool(log) and isinstance(log[0], dict) and log[0].keys() >= _KEYS

    def read(self, file: LogFile, request: Request) -> list[Run]:
        spec = _spec(file)
        adapter = mapping(spec.get("adapter_spec") or {}, "adapter_spec")
        name = str(spec.get("name") or file.path.resolve().parent.name)
        named = _MODEL.search(name)
        model = adapter.get("model") or (named["name"] if named else file.path.resolve().parent.name)
        task = _MODEL.sub("", name).rstrip(":,") or None
        rows = [row for row in _rows(file) if row[1].get("perturbation") is None]
        measure = request.choose("score", _measures(rows, request.score), "statistic")
        trials = [_trial(place, row, measure, request) for place, row in rows if _is_of_split(row, measure)]
        settings = {key: value for key, value in adapter.items() if key not in ("model", "model_deployment")}
        return [
            Run(
                label(model, "adapter_spec.model"),
                trials,
                file.digest,
                task,
                measure=measure,
                planned=_planned(trials, adapter),
                model_from="log" if adapter.get("model") else "folder",
                conditions=conditions(adapter_spec=settings),
                notes={"score": measure},
            )
        ]


def _spec(file: LogFile) -> dict[str, Any]:
    """Return the specification of the run, which names the model; empty if there is none."""
    path = file.path.with_name(_SPEC)
    with within(path):
        return mapping(LogFile(path).document, "the specification of the run") if path.is_file() else {}


def _rows(file: LogFile) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, row in file.records():
        with within(place):
            for stat in items(row.get("stats"), "stats"):
                mapping(mapping(stat, "a statistic").get("name"), "the name of a statistic")
        yield place, row


def _name(stat: dict[str, Any]) -> str:
    return f"{stat['name'].get('split') or 'all'}/{stat['name'].get('name')}"


def _measures(rows: list[tuple[str, dict[str, Any]]], choice: str | None) -> list[str]:
    """Return the statistics that may be the outcome, with their splits; every one that the user may name."""
    stats = dict.fromkeys(_name(stat) for _, row in rows for stat in row["stats"])
    outcomes = [name for name in stats if not _NO_OUTCOME.match(name.partition("/")[2])]
    return list(stats) if choice is not None or not outcomes else outcomes


def _is_of_split(row: dict[str, Any], measure: str) -> bool:
    """Return whether an instance is of the split that is read; one without statistics is of any split."""
    splits = {_name(stat).partition("/")[0] for stat in row["stats"]}
    return not splits or measure.partition("/")[0] in splits


def _trial(place: str, row: dict[str, Any], measure: str, request: Request) -> Trial:
    with within(place):
        question, trial = label(row.get("instance_id"), "instance_id"), whole(row.get("train_trial_index"), "the trial")
        stats = [stat for stat in row["stats"] if _name(stat) == measure and not stat["name"].get("perturbation")]
        return Trial(question, trial, request.outcome(_value(stats[0], measure)) if stats else None)


def _value(stat: dict[str, Any], measure: str) -> Any:
    """Return the one value of a statistic; None if it was computed from no value."""
    count, total = whole(stat.get("count"), "count"), stat.get("sum")
    if count > 1 and (isinstance(total, bool) or total not in (0, count)):
        raise OutcomeError(
            f"{measure!r} is a mean over {count} values, sum {shown(total)}: it is no outcome of a trial"
        )
    return None if count == 0 else total if count == 1 else float(bool(total))


def _planned(trials: list[Trial], adapter: dict[str, Any]) -> dict[str, int]:
    count = adapter.get("num_train_trials")
    return dict.fromkeys((trial.question for trial in trials), whole(count, "num_train_trials")) if count else {}
