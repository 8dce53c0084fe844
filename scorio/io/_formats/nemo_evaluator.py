"""NeMo Evaluator: ``results.jsonl`` of a benchmark has one line per repeat, ``eval-DATE-NAME.json`` the settings."""

from pathlib import Path
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, conditions, digest, label, mapping, maybe_label, spent, sums, whole, within

_OF_A_REPEAT = ("problem_idx", "repeat")
_OF_SETTINGS = ("run_id", "config_hash", "config", "benchmark")
_REWARD, _SCORER = "reward", "scorer:"  # the scores of further scorers have names that begin so
_LOST = {"infra_error", "system"}  # failures of machines, which the tool writes down as a reward of 0
_NOT_COMPARED = {"benchmark", "model", "base_url", "repeats", "shard", "shard_range", "n_shards", "shuffle"}
_NOT_COMPARED |= {"shuffle_seed", "_sandbox_config"}  # none of these changes what a trial is
_PROGRESS = "the progress of a run of NeMo Evaluator: its results.jsonl holds the same with the rewards"


class NemoEvaluatorFormat(Format):
    """Results of NeMo Evaluator."""

    name = "nemo-evaluator"
    options = frozenset({"score", "answers", "question", "cluster"})
    companions = (
        Companion(lambda file: file.has_keys(*_OF_SETTINGS), "settings and means of NeMo Evaluator, without trials"),
        Companion(
            lambda file: _has_rewards(file) and _is_merged(file.path), "a part of a run that is merged beside it"
        ),
        Companion(lambda file: file.row_has_keys(*_OF_A_REPEAT), _PROGRESS),
    )

    def matches(self, file: LogFile) -> bool:
        return _has_rewards(file) and not _is_merged(file.path)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings = _settings(file.path)
        config = mapping(settings.get("config") or {}, "config")
        benchmark = mapping(settings.get("benchmark") or {}, "benchmark")
        model, task = config.get("model"), benchmark.get("name") or config.get("benchmark")
        rows = list(file.records())
        name = label(model, "config.model") if model else _folder(file.path)
        task = label(task, "benchmark.name") if task else None
        if not request.wants(task):
            return [Run(name, [], file.digest, task)]
        scores = dict.fromkeys([_REWARD, *(each for _, row in rows for each in _further(row))])
        measure = request.choose("score", scores) if request.score else _REWARD
        trials = [_trial(place, row, measure, request) for place, row in rows]
        repeats = benchmark.get("repeats")
        used = [_used(row) for _, row in rows]
        run = Run(
            name,
            trials,
            file.digest,
            task,
            measure=measure,
            planned={} if repeats is None else {each.question: whole(repeats, "repeats") for each in trials},
            fingerprints=_documents(rows, trials),
            model_from="log" if model else "folder",
            conditions=conditions(**{key: config[key] for key in config if key not in _NOT_COMPARED}),
            origin=sums(used),
            trial_costs=by_trial(used),
            notes={"score": measure},
        )
        return [
            with_samples(
                run, request, (row.get("extracted_answer") for _, row in rows), answers_from="extracted_answer"
            )
        ]


def _has_rewards(file: LogFile) -> bool:
    row = file.first_row  # what was verified so far has the same, and the metadata of its scores
    is_progress = isinstance(row, dict) and not row.keys().isdisjoint(("scoring_metadata", "seed_metadata"))
    return file.row_has_keys(*_OF_A_REPEAT, _REWARD, "model_response") and not is_progress


def _settings(path: Path) -> dict[str, Any]:
    """Return the latest settings beside the results: running a benchmark again replaces the results alone."""
    dated = sorted(path.parent.glob("eval-*.json"))
    return beside(dated[-1]).obj if dated else {}


def _is_merged(path: Path) -> bool:
    """Return whether the results are one shard of a run, and a folder above has those of all its shards."""
    if "shard" not in mapping(_settings(path).get("config") or {}, "config"):
        return False
    whole_runs = (above / path.parent.name / path.name for above in path.resolve().parents[2:4])
    return any(each.is_file() and "n_shards" in (_settings(each).get("config") or {}) for each in whole_runs)


def _folder(path: Path) -> str:
    """Return the name of the folder that holds the folders of the benchmarks."""
    return path.resolve().parent.parent.name or path.resolve().parent.name


def _further(row: dict[str, Any]) -> list[str]:
    return [name.removeprefix(_SCORER) for name in mapping(row.get("scorer_rewards") or {}, "scorer_rewards")]


def _trial(place: str, row: dict[str, Any], measure: str, request: Request) -> Trial:
    with within(place):
        metadata = mapping(row.get("metadata") or {}, "metadata")
        key = request.fields.get("question")
        question = label(row.get("problem_idx"), "problem_idx") if key is None else label(metadata.get(key), key)
        cluster = request.fields.get("cluster")
        group = None if cluster is None else maybe_label(metadata.get(cluster), cluster)
        value = row.get(_REWARD)
        if measure != _REWARD:
            value = mapping(row.get("scorer_rewards") or {}, "scorer_rewards").get(_SCORER + measure)
        is_lost = _is_lost(row, measure)
        return Trial(question, whole(row.get("repeat"), "repeat"), None if is_lost else request.outcome(value), group)


def _is_lost(row: dict[str, Any], measure: str) -> bool:
    """Return whether a machine failed, or the judge or scorer that gives the score."""
    details = mapping(row.get("scoring_details") or {}, "scoring_details")
    judge = details.get("judge" if measure == _REWARD else _SCORER + measure)
    return details.get("error_category") in _LOST or (isinstance(judge, dict) and judge.get("error") is not None)


def _documents(rows: list[tuple[str, dict[str, Any]]], trials: list[Trial]) -> dict[str, str]:
    """Return a hash of each question's right answer, where there is one."""
    documents: dict[str, str] = {}
    for (place, row), trial in zip(rows, trials, strict=True):
        if row.get("expected_answer") is None:
            continue
        own = digest(row["expected_answer"])
        if documents.setdefault(trial.question, own) != own:
            raise OutcomeError(f"question {trial.question!r} has another expected_answer before", where=place)
    return documents


def _used(row: dict[str, Any]) -> dict[str, float]:
    used = spent(tokens=row.get("tokens"), seconds=row.get("latency_ms"))
    return {name: amount / 1000 if name == "seconds" else amount for name, amount in used.items()}
