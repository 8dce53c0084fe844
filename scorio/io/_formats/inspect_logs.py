"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Only the header and the sample summaries of an archive are read; a run that was killed has a journal of both instead.
If a sample was run again, the later row counts, as it does for the tool. ``inspect score X.eval`` writes
``X-scored.eval`` beside ``X.eval``, with the same samples: for each score the log counts that has it, or the later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..._base.words import pluralize
from ...errors import OutcomeError
from .. import At, Companion, Format, LogFile, Request, Run, document_with, either
from ..checks import conditions
from .inspect_header import InspectLog, is_log
from .inspect_samples import Sample, samples_of, score_names, trials_of, without_earlier

_AGAIN = "-scored"  # at the end of the name of a log that was scored again
_LONGEST_FAULT = 200  # characters of what ended a log
_LIST = "Inspect's list of the logs in a folder: the logs themselves are read"
_NUMBERED = "numbered in the order of the rows, which do not tell them"


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
        return is_log(file)

    def read(self, file: LogFile, request: Request) -> Run:
        log = InspectLog(file)
        header, spec, task = log.header, log.spec, log.spec["task"].maybe
        identity = str(spec["task_id"].value or spec["run_id"].value or "")
        if not request.wants(task):
            return Run(log.model, [], identity, task)
        rows = log.rows(with_answers=request.keeps_answers)
        every, key = samples_of(rows, by_input="question" not in request.fields), request.fields.get("question")
        measure = request.measure(score_names(every))
        samples, left_out = without_earlier(every, measure)
        cluster = request.fields.get("cluster") or log.cluster
        trials = trials_of(samples, measure, cluster, request)
        fault = either(header["error"].peek("message"), header["error"])
        stops = header["results.early_stopping.early_stops"].rows
        reasons = "; ".join(dict.fromkeys(str(stop["reason"].value) for stop in stops if stop["reason"]))
        reasons = f" ({reasons})" if reasons else ""
        revision, tags = spec["revision.commit"].value, spec["tags"].value or None
        return Run(
            log.model,
            trials,
            identity,
            task,
            measure,
            planned=_planned(header, samples, key, stops),
            attempt=log.attempt,
            conditions=log.settings(measure),
            details=conditions(tags=tags, revision=revision, metadata=spec["metadata"].obj),
            origin=log.origin,
            notes={
                "status": str(header.obj.get("status", "killed")),
                "error": str(fault.value or "").strip().partition("\n")[0][:_LONGEST_FAULT],
                "cluster": f"metadata {cluster!r}" if any(trial.cluster is not None for trial in trials) else "",
                "stopped": f"early: {pluralize(len(stops), 'trial')} not run{reasons}" if stops else "",
                "left out": left_out,
                "epochs": _NUMBERED
                if any(sample.epoch > 1 and "epoch" not in sample.row for sample in samples)
                else "",
            },
        )

    def superseded(self, paths: Collection[Path], request: Request) -> dict[Path, str]:
        logs, reasons, score = set(paths), dict[Path, str](), request.score
        for later in paths:
            first = later.with_name(later.stem.removesuffix(_AGAIN) + later.suffix)
            if first == later or first not in logs:
                continue
            (old_run, old), (new_run, new) = _run_and_scores(first), _run_and_scores(later)
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


def _run_and_scores(path: Path) -> tuple[Any, list[str]]:
    """Return what identifies the run of a log, and its scores; nothing if it cannot be read as a log of Inspect."""
    try:
        file = LogFile(path)
        if not is_log(file):
            return None, []
        log = InspectLog(file)
        run = tuple(log.spec[key].needed.value for key in ("eval_id", "run_id", "created"))
        return run, score_names(samples_of(log.rows(with_answers=False), by_input=False))
    except OutcomeError:  # its own reading says what is wrong with it
        return None, []


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
