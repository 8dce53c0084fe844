"""Outcomes written as logs of Inspect, which the tool and ``read`` take for their own.

Only what an ``OutcomeSet`` holds is written: no prompts, responses or dates, but answers and scores where it has them.
A missing trial is a sample without a score.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import ParameterError
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite, TrialColumns, trials_by_run
from .checks import shown

ANSWER = "answer"  # the name of the answers in tables
TASK, SCORE = "outcomes", "outcome"  # the names of the task and of the score in what is written
_START = datetime(1970, 1, 1, tzinfo=UTC)  # logs have a date; these have none of their own
_UNSAFE = str.maketrans(dict.fromkeys('/\\:*?"<>|\x00', "_"))
_GENERATION = ("temperature", "top_p", "top_k", "max_tokens", "reasoning_effort")  # conditions that logs hold
_LONGEST = 100  # bytes of a name in the name of a file
_LETTERS = "IC"  # incorrect, correct


class QuestionTrials(NamedTuple):
    """The trials of a model on one question: outcomes, then None for each missing one, and what else is known of each.

    ``kept`` has the answer of each trial under ``answer``, and its scores by name. ``runs`` are the labels of the runs
    of the trials, if these are known of all.
    """

    question: str
    cluster: str | None
    outcomes: list[float | None]
    kept: Sequence[Mapping[str, Any]] = ()
    runs: Sequence[Hashable] = ()


def question_trials(matrix: OutcomeMatrix, model: str) -> Iterator[QuestionTrials]:
    """Yield the planned trials of each question.

    Trials are in the order of their runs, if no run has two of a question. Otherwise they have no order and are
    shuffled, the same each time for the same model, so that no trial looks better than another.

    >>> from scorio import OutcomeMatrix
    >>> list(question_trials(OutcomeMatrix([[1, 1, None]], questions=["q1"], missing="omit"), "birch"))
    [QuestionTrials(question='q1', cluster=None, outcomes=[1, 1, None], kept=(), runs=[])]
    """
    random = np.random.default_rng([1, zlib.crc32(model.encode())])
    questions = map(str, matrix.questions or range(matrix.n_questions))
    clusters = [None if cluster is None else str(cluster) for cluster in matrix.clusters or [None] * matrix.n_questions]
    by_run: Sequence[Mapping[Hashable, Any] | None] = trials_by_run(matrix) or [None] * matrix.n_questions
    rows = zip(questions, clusters, _rewards(matrix), matrix.planned_trials.tolist(), by_run, strict=True)
    runs, known, first = matrix.trial_columns.runs, matrix.trial_columns.without_runs, 0
    for question, cluster, rewards, planned, of_run in rows:
        places = range(first, first + len(rewards))
        labels = [] if runs is None else [runs.labels[runs.of_trial[at]] for at in places]
        if of_run is None:
            shuffled = random.permutation(len(rewards)).tolist()
            order = [*shuffled, *[None] * (planned - len(rewards))]
            labels = [labels[at] for at in shuffled] if labels else []
        else:
            place = {label: at for at, label in enumerate(labels)}
            order, labels = [place.get(label) for label in of_run], [*of_run]
        outcomes = [None if at is None else rewards[at] for at in order]
        kept = () if not known else tuple({} if at is None else kept_at(known, places[at]) for at in order)
        yield QuestionTrials(question, cluster, outcomes, kept, labels if len(labels) == len(order) else [])
        first += len(rewards)


def kept_at(trials: TrialColumns, place: int) -> dict[str, Any]:
    """Return the answer, as text, and the scores of the trial at a place; None for what it has not."""
    scores = {name: float(each[place]) for name, each in trials.scores.items()}
    known = {name: None if np.isnan(score) else score for name, score in scores.items()}
    if trials.answers is None:
        return known
    code = int(trials.answers.of_trial[place])
    return {ANSWER: str(trials.answers.labels[code]) if code >= 0 else None} | known


def kept_names(outcomes: OutcomeSet | Suite) -> list[str]:
    """Return the names of what is known of trials beside their outcomes: ``answer``, and those of scores."""
    known = [matrix for models in outcomes.by_task.values() for matrix in models.values()]
    answers = [ANSWER] if any(each.answers is not None for each in known) else []
    return [*answers, *dict.fromkeys(name for each in known for name in each.scores)]


def check_kept_names(outcomes: OutcomeSet | Suite, taken: Collection[str]) -> list[str]:
    """Return the names of what is kept, none of which may be ``taken`` by something else in what is written."""
    names = kept_names(outcomes)
    wrong = next((name for i, name in enumerate(names) if name in taken or name in names[:i]), None)
    if wrong is not None:
        hint = "a file of saved counts, NAME.npz, holds it"
        raise ParameterError(f"a score is called {shown(wrong)}, as something else in what is written: {hint}")
    return names


def _rewards(matrix: OutcomeMatrix) -> Iterator[list[float]]:
    if isinstance(matrix, RewardMatrix):
        yield from (row.tolist() for row in np.split(matrix.ordered, np.cumsum(matrix.trials)[:-1]))
        return
    levels = [
        int(level) if float(level).is_integer() else level for level in matrix.levels or range(matrix.n_categories)
    ]
    for counts in matrix.counts:
        yield [reward for reward, count in zip(levels, counts, strict=True) for _ in range(count)]


def write_inspect(folder: Path, outcomes: OutcomeSet | Suite) -> None:
    """Write one Inspect log per task and model; trials are epochs."""
    check_kept_names(outcomes, {SCORE})
    first = 0
    for task, models in _tasks(outcomes).items():
        _write_inspect_task(folder, task, models, first)
        first += len(models)  # logs are numbered, because names of two tasks may be one name of a file


def _tasks(outcomes: OutcomeSet | Suite) -> Mapping[str, OutcomeSet]:
    return {task or TASK: models for task, models in outcomes.by_task.items()}


def _write_inspect_task(folder: Path, task: str, models: OutcomeSet, first: int) -> None:
    for number, (model, matrix) in enumerate(models.items(), first):
        trials = list(question_trials(matrix, str(model)))
        as_value: Callable[[float], Any] = (
            (lambda reward: _LETTERS[int(reward)]) if models.is_pass_fail else (lambda reward: reward)
        )
        samples = [_sample(each, epoch, as_value) for each in trials for epoch in range(1, len(each.outcomes) + 1)]
        header = _inspect_header(model, trials, _digest([task, model, samples]), task)
        header["results"]["scores"] = _inspect_scores(trials, "accuracy" if models.is_pass_fail else "mean")
        if generation := _generation(models.conditions[model]):
            header["eval"]["model_generate_config"] = generation
        log = header | {"samples": samples}
        path = folder / f"{_START:%Y-%m-%dT%H-%M-%S+00-00}_{_file_name(task)}_{number:04}.json"
        path.write_text(json.dumps(log, ensure_ascii=False), encoding="utf-8")


def _sample(trials: QuestionTrials, epoch: int, as_value: Callable[[float], Any]) -> dict[str, Any]:
    reward = trials.outcomes[epoch - 1]
    known = dict(trials.kept[epoch - 1]) if trials.kept else {}
    answer = known.pop(ANSWER, None)
    own = (
        {} if reward is None else {SCORE: {"value": as_value(reward)} | ({} if answer is None else {"answer": answer})}
    )
    others = {name: {"value": score} for name, score in known.items() if score is not None}
    return {
        "id": trials.question,
        "epoch": epoch,
        "input": "",
        "target": "",
        "scores": own | others,
        "metadata": {} if trials.cluster is None else {"cluster": trials.cluster},
    }


def _generation(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of generation that are known, as numbers where they are numbers."""
    return {name: _number(conditions[name]) for name in _GENERATION if name in conditions}


def _number(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _file_name(name: str) -> str:
    """Return a name as part of the name of a file, of which file systems allow 255 bytes."""
    return name.translate(_UNSAFE).encode()[:_LONGEST].decode(errors="ignore")


def _inspect_header(model: str, trials: list[QuestionTrials], digest: str, task: str) -> dict[str, Any]:
    """Return a header; where fewer trials were planned than epochs, the others are said to be stopped early."""
    epochs = max((len(each.outcomes) for each in trials), default=0)
    stops = [
        {"id": each.question, "epoch": epoch, "reason": "not planned"}
        for each in trials
        for epoch in range(len(each.outcomes) + 1, epochs + 1)
    ]
    names = [each.question for each in trials]
    results = {
        "total_samples": len(trials) * epochs,
        "completed_samples": len(trials) * epochs - len(stops),
        "scores": [],
    }
    stopped = {"early_stopping": {"manager": "scorio", "early_stops": stops, "metadata": {}}} if stops else {}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": digest,
            "run_id": digest,
            "created": _START.isoformat(),
            "task": task,
            "task_id": digest,
            "dataset": {"name": task, "samples": len(names), "sample_ids": names},
            "model": model,
            "config": {"epochs": epochs},
        },
        "results": results | stopped,
    }


def _inspect_scores(trials: list[QuestionTrials], metric: str) -> list[dict[str, Any]]:
    """Return the results of a log, which Inspect shows: the mean over questions of their means."""
    scored = [[value for value in each.outcomes if value is not None] for each in trials]
    means = [sum(values) / len(values) for values in scored if values]
    if not means:
        return []
    value = {"name": metric, "value": sum(means) / len(means), "params": {}}
    about = {"name": SCORE, "scorer": SCORE, "scored_samples": len(means), "unscored_samples": len(scored) - len(means)}
    return [about | {"params": {}, "metrics": {metric: value}}]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
