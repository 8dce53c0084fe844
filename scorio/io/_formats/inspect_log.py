"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Only the header and the sample summaries of an archive are read; a run that was killed has a journal of both instead.
If a sample was run again, the later row counts, as it does for the tool.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..._display.words import pluralize, warn
from ...errors import FilesWarning
from .._files import LogFile
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run
from .._request import Request
from .._walk import At
from ..checks import by_trial
from .inspect_file import HEADER, START, START_OF_LOG, opened
from .inspect_samples import Sample, check_ids, each_once, every_sample, score_names, trials_of
from .inspect_settings import amounts_of, attempt_of, declared_cluster, details_of, model_of, seed_of_run, settings_of

_NUMBERED = "numbered in the order of the rows, which do not tell them"
_LONGEST_FAULT = 200  # characters of what ended a log


def _is_of_a_set(file: LogFile) -> bool:
    """Return whether a file is eval-set.json, or logs.json, which maps the names of logs to their headers."""
    log = file.document
    if not isinstance(log, dict) or not log:
        return False
    headers = list(log.values())
    return {"eval_set_id", "tasks"} <= log.keys() or all(
        isinstance(each, dict) and {"eval", "status"} <= each.keys() for each in headers
    )


class InspectFormat(Format):
    """Logs of Inspect."""

    name = "inspect"
    options = frozenset({"score", "levels", "question", "cluster", "answers", "scores"})
    companions = (Companion(_is_of_a_set, "Inspect's list of the logs in a folder: the logs themselves are read"),)

    def matches(self, file: LogFile) -> bool:
        if file.archive:
            return bool(file.archive.names & {HEADER, START})
        if START_OF_LOG.match(file.head):
            return True
        spec = file.at.peek("eval")
        return isinstance(spec, dict) and "model" in spec

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = opened(file)
        spec = log.spec
        run = Run(
            model_of(spec),
            [],
            str(spec["task_id"].value or spec["run_id"].value or file.digest),
            spec["task"].maybe,
            attempt=attempt_of(spec),
            origin={
                "date": str(spec["created"].value or ""),
                "id": str(spec["eval_id"].value or ""),
                **seed_of_run(spec),
            },
        )
        if not request.wants(run.task):
            return [run]
        return [_filled(run, log.header, log.answered() if request.keeps_answers else log.rows(), request)]


def _filled(run: Run, header: At, rows: list[At], request: Request) -> Run:
    spec, key, every = header["eval"], request.fields.get("question"), every_sample(rows)
    check_ids(rows, every, by_input="question" not in request.fields)
    samples = each_once(every)
    names = score_names(samples)
    measure = request.choose("score", names, "score") if names else ""
    left_out = _left_out(every, samples, measure)
    cluster = request.fields.get("cluster") or declared_cluster(spec)
    trials = trials_of(samples, measure, key, cluster, request)
    # the epochs that an early stopping manager skipped were not run, so they are not missing either
    stops = header["results.early_stopping.early_stops"].rows
    question_of = {each.id: each.question(key) for each in samples}
    filled = replace(
        run,
        trials=trials,
        measure=measure,
        conditions=settings_of(header, measure),
        details=details_of(spec),
        origin={**run.origin, **amounts_of(header)},
        trial_costs=by_trial([each.used for each in samples]),
        planned=_started(_planned(header, samples, key), stops, question_of),
        fingerprints={} if "question" in request.fields else {each.id: each.text for each in samples if each.text},
        notes={
            "status": str(header.obj.get("status", "killed")),
            "error": _fault(header["error"].value),
            "score": measure or "none",
            "cluster": f"metadata {cluster!r}" if any(name is not None for name in trials.clusters) else "",
            "stopped": _stop_note(stops),
            "left out": left_out,
            "epochs": "" if any("epoch" in row for row in rows) or len(question_of) == len(every) else _NUMBERED,
        },
    )
    is_own = any(measure in each.answers for each in samples)
    scorer = measure if is_own or "/" not in measure else measure.rpartition("/")[0]  # of a score with several values
    answers = (each.answers.get(scorer) for each in samples)
    place, scores = f"the answer of score {scorer!r}", (each.scores for each in samples)
    return with_samples(filled, request, answers, scores, answers_from=place)


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


def _fault(error: Any) -> str:
    """Return the first line of what ended a log, which its header says."""
    said = error.get("message") if isinstance(error, dict) else error
    return str(said).strip().partition("\n")[0][:_LONGEST_FAULT] if said else ""


def _stop_note(stops: list[At]) -> str:
    """How many trials were not run, and why."""
    if not stops:
        return ""
    reasons = "; ".join(dict.fromkeys(str(each["reason"].value) for each in stops if each["reason"]))
    return f"early: {pluralize(len(stops), 'trial')} not run" + (f" ({reasons})" if reasons else "")


def _started(planned: dict[str, int], stops: list[At], question_of: dict[str, str]) -> dict[str, int]:
    """The planned trials of each question, less those that were stopped before they began."""
    skipped = Counter(question_of.get(each["id"].text, each["id"].text) for each in stops)
    return {question: max(count - skipped[question], 0) for question, count in planned.items()}


def _planned(header: At, samples: list[Sample], key: str | None) -> dict[str, int]:
    """Return the number of trials planned per question; logs of limited runs may list the whole dataset."""
    given, total = header["eval.config.epochs"], header["results.total_samples"].value
    epochs, ids = given.whole or 1 if given else 1, [each.text for each in header["eval.dataset.sample_ids"].rows]
    if not ids or key not in (None, "id") or (total is not None and total != len(ids) * epochs):
        ids = [sample.question(key) for sample in samples]
    return dict.fromkeys(ids, epochs)
