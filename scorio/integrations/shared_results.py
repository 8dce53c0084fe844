"""Results as others publish them: records of Every Eval Ever, and results of model pages on the Hugging Face Hub.

Both have the mean outcome of every model on every task, with its interval; Every Eval Ever has every trial as well.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from .._base.choices import SHARED
from .._base.words import pluralize, shorten
from ..errors import ParameterError
from ..inference import Interval
from ..io._outcome_table import question_trials
from ..metrics import AvgMetric, PassAtK
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import choice

__all__ = ["RESERVED", "write_results"]

_SCHEMA = "0.3.0"  # the version of Every Eval Ever
_RESULT = "mean"  # the identifier of the one result of a record
RESERVED = {"epoch", "cluster"}  # names in the metadata of a trial
_UNSAFE = str.maketrans(dict.fromkeys('/\\:*?"<>|\x00', "_"))
_UNKNOWN = "unknown"
_DETAILS = ("deployment_type", "model_availability")  # of a model, which are not known
_ARGUMENTS = ("temperature", "top_p", "top_k", "max_tokens")  # conditions that a record has as numbers
_ANY_TASK = ""  # the data set of every task


class _Result(NamedTuple):
    """The mean outcome of a model on a task over the questions with a trial, and its interval in numbers and words."""

    task: str
    model: str
    matrix: OutcomeMatrix
    is_pass_fail: bool
    conditions: Mapping[str, Any]
    score: float
    interval: Interval
    statement: str
    trials: int
    questions: int


def write_results(
    outcomes: OutcomeSet | Suite, folder: Path, form: str = "eee", *, datasets: Mapping[str, str] | str = ""
) -> None:
    """Write results into a folder as others publish them, in one of two forms.

    ``"eee"`` writes a record of Every Eval Ever per task and model, under the folder ``data`` as its datastore has
    them. ``"hf-eval-results"`` writes ``MODEL/.eval_results/TASK.yaml`` for every model and task, to be added to the
    model's repository on the Hugging Face Hub; ``datasets`` is then the data set of all tasks on the Hub, as
    ``OWNER/NAME``, or that of each task.
    """
    choice("form", form, SHARED)
    if form == "eee":
        if datasets:
            raise ParameterError('is for the form "hf-eval-results"', argument="datasets")
        for result in _results(outcomes):
            _write_record(folder, result)
        return
    ids = _dataset_ids(datasets, [task or "outcomes" for task in outcomes.by_task])
    for result in list(_results(outcomes)):
        inside = folder / _safe(result.model) / ".eval_results"
        inside.mkdir(parents=True, exist_ok=True)
        path = inside / f"{_safe(result.task)}.yaml"
        if path.exists():
            raise ParameterError(f"two models or tasks would have one file, {path.relative_to(folder)}: rename one")
        path.write_text(_hub_yaml(result, ids[result.task]), encoding="utf-8")


def _results(outcomes: OutcomeSet | Suite) -> Iterator[_Result]:
    for task, models in outcomes.by_task.items():
        is_pass_fail = models.is_pass_fail
        metric = PassAtK(k=1) if is_pass_fail else AvgMetric()
        for model, matrix in models.items():
            if not matrix.trials.any():
                raise ParameterError(f"no trial of {model!r} has an outcome: there is no result to write")
            score, interval = metric.score(matrix, too_few="omit"), metric.interval(matrix, prior="learned")
            statement = f"{str(interval).partition(': ')[2]} (scorio {version('scorio')})"
            about = score, interval, statement, int(matrix.trials.sum()), int((matrix.trials > 0).sum())
            yield _Result(task or "outcomes", str(model), matrix, is_pass_fail, models.conditions[model], *about)


def _safe(name: str) -> str:
    safe = name.translate(_UNSAFE).strip(". ")
    return f"{safe}_" if safe in ("", "data") else safe  # a folder called data is where the datastore begins


def _write_record(folder: Path, result: _Result) -> None:
    """Write the samples, and the record that refers to them."""
    developer, slash, name = result.model.partition("/")
    place = Path("data", _safe(result.task), *map(_safe, (developer, name) if slash else (_UNKNOWN, result.model)))
    trials = list(question_trials(result.matrix, result.model))
    content = json.dumps([result.task, result.model, [[*row] for row in trials]], default=str)
    digest = hashlib.sha256(content.encode()).digest()
    number, identity = uuid.UUID(bytes=digest[:16], version=4), f"{result.task}/{result.model}/{digest.hex()[:16]}"
    rows = [_row(question, trial, identity, result) for question in trials for trial in range(len(question.outcomes))]
    (folder / place).mkdir(parents=True, exist_ok=True)
    samples = place / f"{number}_samples.jsonl"
    text = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    (folder / samples).write_text(text, encoding="utf-8")
    record = _record(result, identity) | {
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": samples.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(text.encode()).hexdigest(),
            "total_rows": len(rows),
        }
    }
    (folder / place / f"{number}.json").write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")


def _row(trials: Any, trial: int, identity: str, result: _Result) -> dict[str, Any]:
    """Return one trial; one without an outcome has an error, because the score must be a number."""
    outcome = trials.outcomes[trial]
    kept = dict(trials.kept[trial]) if trials.kept else {}
    answer = kept.pop("answer", None)
    final = {"turn_idx": 0, "source": "output.raw", "extracted_value": answer, "extraction_method": _UNKNOWN}
    cluster = {} if trials.cluster is None else {"cluster": trials.cluster}
    scores = {name: str(score) for name, score in kept.items() if score is not None}
    return {
        "schema_version": _SCHEMA,
        "evaluation_id": identity,
        "model_id": result.model,
        "evaluation_name": result.task,
        "evaluation_result_id": _RESULT,
        "sample_id": trials.question,
        "sample_hash": hashlib.sha256(trials.question.encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": {"raw": "", "reference": []},
        "output": {"raw": [answer or ""]},
        "answer_attribution": [] if answer is None else [final | {"is_terminal": True}],
        "evaluation": {"score": 0.0 if outcome is None else float(outcome), "is_correct": outcome == 1},
        "error": "the trial has no outcome" if outcome is None else None,
        "metadata": {"epoch": str(trial + 1)} | cluster | scores,
    }


def _record(result: _Result, identity: str) -> dict[str, Any]:
    """Return the record of a result, without its samples."""
    developer, slash, _ = result.model.partition("/")
    about = {"name": result.model, "id": result.model} | ({"developer": developer} if slash else {})
    arguments = {name: number for name in _ARGUMENTS if (number := _number(result.conditions.get(name))) is not None}
    planned = int(result.matrix.planned_trials.sum())
    details = {"questions": result.questions, "trials": result.trials, "planned_trials": planned}
    evaluation = {
        "evaluation_result_id": _RESULT,
        "evaluation_name": result.task,
        "source_data": {"dataset_name": result.task, "source_type": "other"},
        "metric_config": _metric_config(result),
        "score_details": {
            "score": result.score,
            "details": {name: str(count) for name, count in details.items()},
            "uncertainty": {
                "standard_error": {"value": float(result.interval.sigma), "method": result.statement},
                "confidence_interval": {
                    "lower": float(result.interval.lo),
                    "upper": float(result.interval.hi),
                    "confidence_level": result.interval.confidence,
                    "method": result.statement,
                },
                "num_samples": result.trials,
            },
        },
        "generation_config": {
            "generation_args": arguments,
            "additional_details": {name: str(value) for name, value in result.conditions.items()},
        },
    }
    return {
        "schema_version": _SCHEMA,
        "evaluation_id": identity,
        "retrieved_timestamp": str(time.time()),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "scorio", "version": version("scorio")},
        "model_info": about | {"additional_details": dict.fromkeys(_DETAILS, _UNKNOWN)},
        "evaluation_results": [evaluation],
    }


def _metric_config(result: _Result) -> dict[str, Any]:
    """Say what the metric is, with the lowest and the highest outcome, within which the mean and its interval are."""
    kind, lowest, highest = ("pass@1", "pass_at_1", "pass_rate", "proportion", "binary"), 0.0, 1.0
    if not result.is_pass_fail:
        kind = ("mean reward", "mean_reward", "reward", "points", "continuous")
        rewards = [
            reward for row in question_trials(result.matrix, "") for reward in row.outcomes if reward is not None
        ]
        lowest, highest = float(min(rewards)), float(max(rewards))
    return {
        "evaluation_description": "mean over questions of the mean outcome of a question's trials",
        **dict(zip(("metric_name", "metric_id", "metric_kind", "metric_unit", "score_type"), kind, strict=True)),
        "lower_is_better": False,
        "min_score": lowest,
        "max_score": highest,
    }


def _number(value: Any) -> float | int | None:
    try:
        number = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return number if type(number) in (int, float) else None


def _dataset_ids(datasets: Mapping[str, str] | str, tasks: Sequence[str]) -> dict[str, str]:
    """Return the data set of each task."""
    given = {_ANY_TASK: datasets} if isinstance(datasets, str) else dict(datasets)
    for task in given:
        if task not in (_ANY_TASK, *tasks):
            raise ParameterError(f"names the task {task!r}; the tasks are {shorten(tasks)}", argument="datasets")
    ids = {task: given.get(task, given.get(_ANY_TASK, "")) for task in tasks}
    for task, dataset in ids.items():
        if dataset.count("/") != 1 or not all(dataset.split("/")):
            problem = f"must say which data set of the Hub task {task!r} is, as {task}=OWNER/NAME"
            raise ParameterError(problem, argument="datasets")
    return ids


def _hub_yaml(result: _Result, dataset: str) -> str:
    """Return one entry; a text in JSON's notation is YAML as well."""
    counts = f"{pluralize(result.trials, 'trial')} on {pluralize(result.questions, 'question')}"
    interval = f"[{result.interval.lo:.3f}, {result.interval.hi:.3f}]"
    name = "pass@1" if result.is_pass_fail else "mean reward"
    lines = [
        "- dataset:",
        f"    id: {json.dumps(dataset)}",
        f"    task_id: {json.dumps(result.task)}",
        f"  value: {round(result.score, 6)!r}",
        f"  date: {json.dumps(datetime.now(UTC).strftime('%Y-%m-%dT%H:%M:%SZ'))}",
        f"  notes: {json.dumps(f'{name} of {counts}, {interval}: {result.statement}')}",
    ]
    return "\n".join(lines) + "\n"
