"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Only the header and the sample summaries of an archive are read; a run that was killed has a journal of both instead.
If a sample was run again, the later row counts, as it does for the tool. ``inspect score X.eval`` writes
``X-scored.eval`` beside ``X.eval``, with the same samples: for each score the log counts that has it, or the later one.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ..._display.words import pluralize, warn
from ...errors import FilesWarning, OutcomeError
from . import At, Companion, Format, LogFile, Request, Run, document_with, either
from .inspect_file import HEADER, START, START_OF_LOG, declared_cluster, facts_of, model_of, opened
from .inspect_samples import Sample, check_ids, check_inputs, every_sample, score_names, trials_of

_NUMBERED = "numbered in the order of the rows, which do not tell them"
_AGAIN = "-scored"  # at the end of the name of a log that was scored again
_LONGEST_FAULT = 200  # characters of what ended a log
_LIST = "Inspect's list of the logs in a folder: the logs themselves are read"


class InspectFormat(Format):
    """Logs of Inspect."""

    name = "inspect"
    is_json = False
    options = frozenset({"score", "levels", "question", "cluster", "answers", "scores"})
    companions = (
        Companion(document_with("eval_set_id", "tasks"), _LIST),
        Companion(lambda file: file.at.all_have("eval", "status"), _LIST),
    )
    answers_from, scores_from = "the answer of the score", "scores"

    def matches(self, file: LogFile) -> bool:
        if file.archive:
            return bool(file.archive.names & {HEADER, START})
        return bool(START_OF_LOG.match(file.head)) or file.at.peek("eval").has("model")

    def read(self, file: LogFile, request: Request) -> Run:
        log = opened(file)
        header, spec = log.header, log.header["eval"]
        model, task = model_of(spec), spec["task"].maybe
        identity = str(spec["task_id"].value or spec["run_id"].value or "")
        if not request.wants(task):
            return Run(model, [], identity, task)
        rows = log.rows(with_answers=request.keeps_answers)
        check_ids(rows)
        every, key = every_sample(rows), request.fields.get("question")
        if "question" not in request.fields:
            check_inputs(every)
        samples = list({(sample.id, sample.epoch): sample for sample in every}.values())
        measure, ids = request.measure(score_names(samples)), {sample.id for sample in samples}
        cluster = request.fields.get("cluster") or declared_cluster(spec)
        trials = list(trials_of(samples, measure, cluster, request))
        fault = either(header["error"].peek("message"), header["error"])
        stops = header["results.early_stopping.early_stops"].rows
        reasons = "; ".join(dict.fromkeys(str(stop["reason"].value) for stop in stops if stop["reason"]))
        reasons = f" ({reasons})" if reasons else ""
        return Run(
            model,
            trials,
            identity,
            task,
            measure,
            planned=_planned(header, samples, key, stops),
            **facts_of(header, measure),
            notes={
                "status": str(header.obj.get("status", "killed")),
                "error": str(fault.value or "").strip().partition("\n")[0][:_LONGEST_FAULT],
                "cluster": f"metadata {cluster!r}" if any(trial.cluster is not None for trial in trials) else "",
                "stopped": f"early: {pluralize(len(stops), 'trial')} not run{reasons}" if stops else "",
                "left out": _left_out(every, samples, measure),
                "epochs": "" if any("epoch" in row for row in rows) or len(samples) == len(ids) else _NUMBERED,
            },
        )


def _left_out(every: Sequence[Sample], samples: Sequence[Sample], measure: str) -> str:
    """Say how many rows are left out because a later one has the same id and epoch, and warn if these have scores."""
    kept = set(map(id, samples))
    lost = [sample for sample in every if id(sample) not in kept]
    scored = sum(sample.scores.get(measure) is not None for sample in lost)
    if scored:
        many = f"{pluralize(scored, 'scored row')} of {len(every):,} {'is' if scored == 1 else 'are'} left out"
        reason = "a later row has the same id and epoch, as a sample that was run again has"
        warn(f"{many}: {reason}. If these are trials, number their epochs", FilesWarning)
    return pluralize(len(lost), "row") if lost else ""


def _planned(header: At, samples: list[Sample], key: str | None, stops: list[At]) -> dict[str, int]:
    """Return the number of trials planned per question; logs of limited runs may list the whole dataset.

    Epochs that an early stopping manager skipped were not run, so they are not missing either.
    """
    total, names = header["results.total_samples"].value, {sample.id: sample.question(key) for sample in samples}
    epochs = header["eval.config.epochs"].whole_or(1) or 1
    ids = [row.text for row in header["eval.dataset.sample_ids"].rows]
    if not ids or key not in (None, "id") or (total is not None and total != len(ids) * epochs):
        ids = list(names.values())
    skipped = Counter(names.get(stop["id"].text, stop["id"].text) for stop in stops)
    return {question: max(epochs - skipped[question], 0) for question in ids}


def counted_elsewhere(paths: Collection[Path], score: str | None) -> dict[Path, str]:
    """Return the logs whose samples count in another of the logs, and the reason for each."""
    logs, reasons = set(paths), dict[Path, str]()
    for later in paths:
        first = later.with_name(later.stem.removesuffix(_AGAIN) + later.suffix)
        if first == later or first not in logs:
            continue
        (old_run, old), (new_run, new) = _scores(first), _scores(later)
        if old_run is None or old_run != new_run:
            continue
        if _offers(new, score) and (score is not None or set(old) <= set(new)):
            reasons[first] = f"its samples were scored again in {later.name}, which is read"
        elif score is not None and _offers(old, score):
            reasons[later] = f"its samples are those of {first.name}, which has the score {score!r}"
    return reasons


def _offers(names: list[str], score: str | None) -> bool:
    """Return whether a log has the score that the user wants, or any if none was chosen."""
    return bool(names) if score is None else any(score in (name, name.rpartition("/")[2]) for name in names)


def _scores(path: Path) -> tuple[Any, list[str]]:
    """Return what identifies the run of a log, and its scores; nothing if it cannot be read as a log of Inspect."""
    try:
        file = LogFile(path)
        log = opened(file) if InspectFormat().matches(file) else None
        if log is None:
            return None, []
        run = tuple(log.header["eval"][key].needed.value for key in ("eval_id", "run_id", "created"))
        return run, score_names(every_sample(log.rows(with_answers=False)))
    except OutcomeError:  # its own reading says what is wrong with it
        return None, []
