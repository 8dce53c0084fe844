"""NeMo Evaluator: ``results.jsonl`` of a benchmark has one line per repeat, ``eval-DATE-NAME.json`` the settings."""

from dataclasses import replace
from pathlib import Path

from . import (
    At,
    Companion,
    Format,
    LogFile,
    Request,
    Run,
    Trial,
    beside,
    conditions,
    digest,
    document_with,
    either,
    lines_with,
    names_in,
)

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
            document_with("run_id", "config_hash", "config", "benchmark"),
            "settings and means of NeMo Evaluator, without trials",
        ),
        Companion(
            lambda file: _has_rewards(file) and _is_merged(file.path), "a part of a run that is merged beside it"
        ),
        Companion(lines_with(*_OF_A_REPEAT), _PROGRESS),
    )
    answers_from = "extracted_answer"

    def matches(self, file: LogFile) -> bool:
        return _has_rewards(file) and not _is_merged(file.path)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        settings = _settings(file.path)
        config, benchmark = settings["config"], settings["benchmark"]
        about = Run(
            config["model"].text_or(file.folder.parent.name or file.folder.name),
            [],
            task=either(benchmark["name"], config["benchmark"]).text_or(None),
            model_from="log" if config["model"] else "folder",
        )
        if not request.wants(about.task):
            return [about]
        rows = list(file.walk())
        further = [name.removeprefix(_SCORER) for name in names_in(row["scorer_rewards"] for row in rows)]
        measure, repeats = request.measure([_REWARD, *further], usual=_REWARD), benchmark["repeats"].whole_or(None)
        trials = [_trial(row, measure, request) for row in rows]
        return [
            replace(
                about,
                trials=trials,
                measure=measure,
                planned={} if repeats is None else dict.fromkeys((each.question for each in trials), repeats),
                conditions=conditions(**config.without(_NOT_COMPARED)),
            )
        ]


def _has_rewards(file: LogFile) -> bool:
    row = At(file.first_row).plain  # what was verified so far has the same, and the metadata of its scores
    is_progress = not row.keys().isdisjoint(("scoring_metadata", "seed_metadata"))
    return row.keys() >= {*_OF_A_REPEAT, _REWARD, "model_response"} and not is_progress


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
    is_reward, scorer, details = measure == _REWARD, _SCORER + measure, row["scoring_details"]
    value = row[_REWARD] if is_reward else row["scorer_rewards"][scorer,]
    judge = details["judge" if is_reward else scorer,].peek("error")
    is_lost = details["error_category"].value in _LOST or judge is not None
    expected = row["expected_answer"].value
    return Trial(
        (row["problem_idx"] if question is None else row["metadata"][question,]).text,
        row["repeat"].whole,
        None if is_lost else value.to(request.outcome),
        None if cluster is None else row["metadata"][cluster,].maybe,
        used=row.spent(tokens="tokens", seconds="latency_ms"),
        mark="" if expected is None else digest(expected),
        answer=row["extracted_answer"].value,
    )
