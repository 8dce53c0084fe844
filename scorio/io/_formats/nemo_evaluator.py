"""NeMo Evaluator: ``results.jsonl`` of a benchmark has one line per repeat, ``eval-DATE-NAME.json`` the settings."""

from pathlib import Path

from .._files import LogFile, beside
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run, Trial
from .._request import Request
from .._walk import At, either
from ..checks import by_trial, conditions, digest, sums

_OF_A_REPEAT = ("problem_idx", "repeat")
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
        Companion(
            lambda file: file.has_keys("run_id", "config_hash", "config", "benchmark"),
            "settings and means of NeMo Evaluator, without trials",
        ),
        Companion(
            lambda file: _has_rewards(file) and _is_merged(file.path), "a part of a run that is merged beside it"
        ),
        Companion(lambda file: file.row_has_keys(*_OF_A_REPEAT), _PROGRESS),
    )

    def matches(self, file: LogFile) -> bool:
        return _has_rewards(file) and not _is_merged(file.path)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings, folder = _settings(file.path), file.path.resolve().parent
        config, benchmark = settings["config"], settings["benchmark"]
        model = config["model"].text_or(folder.parent.name or folder.name)
        task = either(benchmark["name"], config["benchmark"]).text_or(None)
        if not request.wants(task):
            return [Run(model, [], file.digest, task)]
        rows = list(file.walk())
        further = [name.removeprefix(_SCORER) for row in rows for name in row["scorer_rewards"].obj]
        measure = request.choose("score", dict.fromkeys([_REWARD, *further])) if request.score else _REWARD
        trials = [_trial(row, measure, request) for row in rows]
        repeats, used = benchmark["repeats"], [row.spent(tokens="tokens", seconds="latency_ms") for row in rows]
        run = Run(
            model,
            trials,
            file.digest,
            task,
            measure=measure,
            planned={} if repeats.value is None else {each.question: repeats.whole for each in trials},
            fingerprints=_documents(rows, trials),
            model_from="log" if config["model"] else "folder",
            conditions=conditions(**config.without(_NOT_COMPARED)),
            origin=sums(used),
            trial_costs=by_trial(used),
            notes={"score": measure},
        )
        answers = (row["extracted_answer"].value for row in rows)
        return [with_samples(run, request, answers, answers_from="extracted_answer")]


def _has_rewards(file: LogFile) -> bool:
    row = file.first_row  # what was verified so far has the same, and the metadata of its scores
    is_progress = isinstance(row, dict) and not row.keys().isdisjoint(("scoring_metadata", "seed_metadata"))
    return file.row_has_keys(*_OF_A_REPEAT, _REWARD, "model_response") and not is_progress


def _settings(path: Path) -> At:
    """Return the latest settings beside the results: running a benchmark again replaces the results alone."""
    dated = sorted(path.parent.glob("eval-*.json"))
    return beside(dated[-1]) if dated else At({})


def _is_merged(path: Path) -> bool:
    """Return whether the results are one shard of a run, and a folder above has those of all its shards."""
    if "shard" not in _settings(path)["config"]:
        return False
    whole_runs = (above / path.parent.name / path.name for above in path.resolve().parents[2:4])
    return any(each.is_file() and "n_shards" in _settings(each)["config"] for each in whole_runs)


def _trial(row: At, measure: str, request: Request) -> Trial:
    """Return the trial of a line: it has no outcome if a machine failed, or the judge or scorer of the score."""
    question, cluster = request.fields.get("question"), request.fields.get("cluster")
    is_reward, scorer = measure == _REWARD, _SCORER + measure
    details, value = row["scoring_details"], row[_REWARD] if is_reward else row["scorer_rewards"][scorer,]
    judge = details["judge" if is_reward else scorer,].peek("error")
    is_lost = details["error_category"].value in _LOST or judge is not None
    return Trial(
        (row["problem_idx"] if question is None else row["metadata"][question,]).text,
        row["repeat"].whole,
        None if is_lost else value.to(request.outcome),
        None if cluster is None else row["metadata"][cluster,].maybe,
    )


def _documents(rows: list[At], trials: list[Trial]) -> dict[str, str]:
    """Return a hash of each question's right answer, where there is one."""
    documents: dict[str, str] = {}
    for row, trial in zip(rows, trials, strict=True):
        expected = row["expected_answer"].value
        if expected is not None and documents.setdefault(trial.question, digest(expected)) != digest(expected):
            raise row.fault(f"question {trial.question!r} has another expected_answer before")
    return documents
