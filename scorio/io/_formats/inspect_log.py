"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Only the header and the sample summaries of an archive are read; a run that was killed has a journal of both instead.
If a sample was run again, the later row counts, as it does for the tool.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypedDict

from ..._arrays import cached_property
from ..._display.words import pluralize, warn
from ...errors import FilesWarning, OutcomeError
from .._files import Archive, LogFile, decoded
from .._format import Companion, Format
from .._kept import with_samples
from .._records import Run
from .._request import Request
from ..checks import (
    by_trial,
    conditions,
    digest,
    items,
    label,
    mapping,
    maybe_label,
    seed_of,
    short_setting,
    whole,
    within,
)
from .inspect_samples import Sample, SampleRow, check_ids, each_once, every_sample, score_names, trials_of, usage_of

_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
_START_OF_LOG = re.compile(rb'\s*\{\s*("version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)')
_MOST_BYTES = 1 << 28  # of the header, or of the summaries of the samples; logs of 100,000 samples have a third of it
_DECODER = json.JSONDecoder()
_WINDOW = 1 << 16  # bytes in which the specification of a log is looked for
_NO_SAMPLES = "the log holds no samples: it was written without them"
_NO_MODEL = "none/none"  # the model of runs that use model roles only
_NUMBERED = "numbered in the order of the rows, which do not tell them"
_LONGEST_FAULT = 200  # characters of what ended a log
_LIMITS = {"message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit"}
_TECHNICAL = {"max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "batch", "cache"}


class _Log(TypedDict, total=False):
    """What is read of a log's header."""

    eval: Any
    status: Any
    error: Any
    invalidated: Any
    plan: Any
    results: Any
    stats: Any
    samples: list[SampleRow] | None


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
            return bool(file.archive.names & {_HEADER, _START})
        if _START_OF_LOG.match(file.head):
            return True
        log = file.document
        return isinstance(log, dict) and isinstance(log.get("eval"), dict) and "model" in log["eval"]

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log = opened(file)
        spec = mapping(log.spec, "eval")
        run = Run(
            model=model_name(spec),
            trials=[],
            identity=str(spec.get("task_id") or spec.get("run_id") or file.digest),
            task=maybe_label(spec.get("task"), "eval.task"),
            attempt=attempt(spec),
            origin={"date": str(spec.get("created") or ""), "id": str(spec.get("eval_id") or ""), **seed(spec)},
        )
        if not request.wants(run.task):
            return [run]
        rows = log.answered() if request.keeps_answers else log.rows()
        return [_filled(run, log.header, rows, request)]


def opened(file: LogFile) -> _Archived | _Whole:
    """Return a log, an archive or a document, of which only parts are decoded."""
    return _Archived(file.archive) if file.archive else _Whole(file)


class _Whole:
    """A log as one JSON document."""

    def __init__(self, file: LogFile) -> None:
        self._file = file
        self._content = file.content() if _START_OF_LOG.match(file.head) else b""

    @property
    def spec(self) -> Any:
        """What was evaluated, which stands before the samples and is decoded without them where that is possible."""
        start = _START_OF_LOG.match(self._content)
        window = self._content[start.end() : start.end() + _WINDOW].decode(errors="ignore") if start else ""
        try:
            return _DECODER.raw_decode(window)[0]
        except (ValueError, RecursionError):
            return self.header.get("eval")

    @cached_property
    def header(self) -> dict[str, Any]:
        log = decoded(self._content, _Log) if self._content else self._file.document
        return mapping(log, "an Inspect log")

    def rows(self) -> list[Any]:
        if self.header.get("samples") is None and self.header.get("status", "success") == "success":
            raise OutcomeError(_NO_SAMPLES)
        return items(self.header.get("samples") or [], "samples")

    def answered(self) -> list[Any]:
        """Return the samples with their answers."""
        return self.rows()


class _Archived:
    """A log as an archive, of which the header and the summaries of the samples are read."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        name = _HEADER if _HEADER in archive.names else _START
        self.header: dict[str, Any] = mapping(_member(archive, name, _Log), "the header")
        self.spec = self.header.get("eval")

    def rows(self) -> list[Any]:
        archive = self._archive
        names = [_SUMMARIES] if _SUMMARIES in archive.names else _journal(archive)
        rows = [row for name in names for row in items(_member(archive, name, list[SampleRow]), name)]
        if not rows and self.header.get("status") == "success":
            raise OutcomeError(_NO_SAMPLES)
        if self.header.get("invalidated"):
            rows = [_with_invalidation(archive, mapping(row, "a sample")) for row in rows]
        return rows

    def answered(self) -> list[Any]:
        """Return the samples with their answers, which summaries leave out: each sample is read."""
        return [_with_answers(self._archive, mapping(row, "a sample")) for row in self.rows()]


def _journal(archive: Archive) -> list[str]:
    numbers = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in archive.names}
    return sorted((name for name, number in numbers.items() if number.isdecimal()), key=lambda name: int(numbers[name]))


def _member(archive: Archive, name: str, shape: Any) -> Any:
    with within(name):
        return decoded(archive.member(name, _MOST_BYTES), shape)


def _with_invalidation(archive: Archive, row: dict[str, Any]) -> dict[str, Any]:
    """Return the summary with the sample's mark of being invalid, which summaries leave out."""
    name = f"samples/{row.get('id')}_epoch_{row.get('epoch')}.json"
    if name not in archive.names:
        raise OutcomeError(
            f"samples of the log are invalid, but the archive lacks {name}, which says whether this is one"
        )
    return row | {"invalidation": mapping(_member(archive, name, SampleRow), name).get("invalidation")}


def _with_answers(archive: Archive, row: dict[str, Any]) -> dict[str, Any]:
    """Return the summary with the answers of its scores, which the file of the sample has."""
    name = f"samples/{row.get('id')}_epoch_{row.get('epoch')}.json"
    if name not in archive.names or not row.get("scores"):
        return row
    full = mapping(_member(archive, name, SampleRow), name)
    answers = {key: score.get("answer") for key, score in (full.get("scores") or {}).items() if score}
    scores = mapping(row["scores"], "a sample's scores")
    return row | {"scores": {key: {**(each or {}), "answer": answers.get(key)} for key, each in scores.items()}}


def _filled(run: Run, header: dict[str, Any], rows: list[Any], request: Request) -> Run:
    spec = header["eval"]
    every = every_sample(rows)
    check_ids(rows, every, by_input="question" not in request.fields)
    samples = each_once(every)
    names = score_names(samples)
    measure = request.choose("score", names, "score") if names else ""
    left_out = _left_out(every, samples, measure)
    cluster = request.fields.get("cluster") or _declared_cluster(spec)
    trials = trials_of(samples, measure, request.fields.get("question"), cluster, request)
    clustered = any(name is not None for name in trials.clusters)
    stops = _early_stops(header)
    question_of = {each.id: each.question(request.fields.get("question")) for each in samples}
    filled = replace(
        run,
        trials=trials,
        measure=measure,
        conditions=settings(spec, header, measure),
        details=_details(spec),
        origin={**run.origin, **amounts(header)},
        trial_costs=by_trial([each.used for each in samples]),
        planned=_started(_planned(header, spec, samples, request.fields.get("question")), stops, question_of),
        fingerprints={} if "question" in request.fields else {each.id: each.text for each in samples if each.text},
        notes={
            "status": str(header.get("status", "killed")),
            "error": _fault(header.get("error")),
            "score": measure or "none",
            "cluster": f"metadata {cluster!r}" if clustered else "",
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


def _early_stops(header: dict[str, Any]) -> list[dict[str, Any]]:
    """The epochs that an early stopping manager skipped: they were not run, so they are not missing either."""
    summary = mapping(header.get("results") or {}, "results").get("early_stopping") or {}
    name = "results.early_stopping.early_stops"
    return [mapping(each, name) for each in items(mapping(summary, name).get("early_stops") or [], name)]


def _fault(error: Any) -> str:
    """Return the first line of what ended a log, which its header says."""
    said = error.get("message") if isinstance(error, dict) else error
    return str(said).strip().partition("\n")[0][:_LONGEST_FAULT] if said else ""


def _stop_note(stops: list[dict[str, Any]]) -> str:
    """How many trials were not run, and why."""
    if not stops:
        return ""
    reasons = "; ".join(dict.fromkeys(str(each["reason"]) for each in stops if each.get("reason")))
    return f"early: {pluralize(len(stops), 'trial')} not run" + (f" ({reasons})" if reasons else "")


def _started(planned: dict[str, int], stops: list[dict[str, Any]], question_of: dict[str, str]) -> dict[str, int]:
    """The planned trials of each question, less those that were stopped before they began."""
    skipped = Counter(label(each.get("id"), "the id of an early stop") for each in stops)
    less = Counter[str]()
    for sample, count in skipped.items():
        less[question_of.get(sample, sample)] += count
    return {question: max(count - less[question], 0) for question, count in planned.items()}


def _declared_cluster(spec: dict[str, Any]) -> str:
    """Return the metadata key by which the log's own standard errors are clustered, else "cluster"."""
    keys = {key for key in _cluster_options(spec.get("scorers")) if isinstance(key, str)}
    return keys.pop() if len(keys) == 1 else "cluster"


def _cluster_options(part: Any) -> list[Any]:
    if isinstance(part, dict):
        options = part.get("options")
        own = [options["cluster"]] if isinstance(options, dict) and "cluster" in options else []
        return own + _cluster_options(list(part.values()))
    if isinstance(part, list):
        return [option for entry in part for option in _cluster_options(entry)]
    return []


def _planned(header: dict[str, Any], spec: dict[str, Any], samples: list[Sample], key: str | None) -> dict[str, int]:
    """Return the number of trials planned per question; logs of limited runs may list the whole dataset."""
    epochs = whole(mapping(spec.get("config") or {}, "eval.config").get("epochs") or 1, "eval.config.epochs")
    listed = mapping(spec.get("dataset") or {}, "eval.dataset").get("sample_ids") or []
    ids = [label(entry, "a sample id") for entry in items(listed, "eval.dataset.sample_ids")]
    total = mapping(header.get("results") or {}, "results").get("total_samples")
    if not ids or key not in (None, "id") or (total is not None and total != len(ids) * epochs):
        ids = [sample.question(key) for sample in samples]
    return dict.fromkeys(ids, epochs)


def model_name(spec: dict[str, Any]) -> str:
    """Return the model, or the models of the roles if the run had no other."""
    model, models = label(spec.get("model"), "eval.model"), _roles(spec)
    if model != _NO_MODEL or not models:
        return model
    return str(*models.values()) if len(models) == 1 else ", ".join(f"{role}={name}" for role, name in models.items())


def _roles(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the model of each role, such as that of the grader."""
    roles = _group(spec, "model_roles")
    return {role: entry.get("model") if isinstance(entry, dict) else entry for role, entry in roles.items()}


def attempt(spec: dict[str, Any]) -> str:
    """Return the time when the log was begun, and its id: a retry has the same task id, but its own time and id."""
    try:
        start = datetime.fromisoformat(str(spec.get("created")))
        return f"{start.astimezone(UTC).isoformat()} {spec.get('eval_id') or spec.get('run_id')}"
    except (ValueError, OverflowError):
        return ""


def settings(spec: dict[str, Any], header: dict[str, Any], measure: str = "") -> dict[str, str]:
    """Return the settings that may change the outcomes of a score; connections, retries and the like do not."""
    generation = {
        name: value for name, value in _group(spec, "model_generate_config").items() if name not in _TECHNICAL
    }
    limits = {name: value for name, value in _group(spec, "config").items() if name in _LIMITS}
    roles = {f"{role}_role": model for role, model in _roles(spec).items()} if spec.get("model") != _NO_MODEL else {}
    return conditions(
        task_args=_group(spec, "task_args"),
        task_version=spec.get("task_version"),
        solver=spec.get("solver"),
        solver_args=_group(spec, "solver_args"),
        model_args=_group(spec, "model_args"),
        generation=generation,
        limits=limits,
        roles=roles,
        dataset=_group(spec, "dataset").get("name"),
        plan=_plan(header),
        scorer=_scorer_options(spec, measure),
    )


def _scorer_options(spec: dict[str, Any], measure: str) -> dict[str, Any]:
    """Return the options of the scorer that gave a score: a judge by its model, and long texts by a hash."""
    name = measure.partition("/")[0]
    options: dict[str, Any] = {}
    for entry in items(spec.get("scorers") or [], "eval.scorers"):
        scorer = mapping(entry, "a scorer")
        own = str(scorer.get("name")).rpartition("/")[2]
        if re.fullmatch(rf"{re.escape(own)}\d*", name):  # a scorer that is used twice gets a number behind its name
            options |= _group(scorer, "options")
    return {key: short_setting(value) for key, value in options.items()}


def _details(spec: dict[str, Any]) -> dict[str, str]:
    """Return what users and version control say of a run, which may or may not matter for its outcomes."""
    revision = _group(spec, "revision").get("commit")
    return conditions(tags=spec.get("tags") or None, revision=revision, metadata=_group(spec, "metadata"))


def seed(spec: dict[str, Any]) -> dict[str, str]:
    """Return the seed of the model's answers, as text, if the run had one."""
    return seed_of(_group(spec, "model_generate_config"))


def _plan(header: dict[str, Any]) -> dict[str, str]:
    """Return the solvers in order, and a hash of their parameters, which may be long prompts."""
    plan = mapping(header.get("plan") or {}, "plan")
    steps = [mapping(step, "a step of the plan") for step in items(plan.get("steps") or [], "plan.steps")]
    names, params = [str(step.get("solver")) for step in steps], [step.get("params") for step in steps]
    return ({"plan": " > ".join(names)} if names else {}) | ({"plan_params": digest(params)} if any(params) else {})


def amounts(header: dict[str, Any]) -> dict[str, float]:
    """Return the seconds, tokens and dollars of the run, over all models that it used."""
    stats = header.get("stats")
    stats = stats if isinstance(stats, dict) else {}
    try:
        start, end = (datetime.fromisoformat(str(stats.get(key))) for key in ("started_at", "completed_at"))
        seconds = {"seconds": (end - start).total_seconds()}
    except (ValueError, TypeError, OverflowError):
        seconds = {}
    return seconds | {name: value for name, value in usage_of(stats).items() if value}


def _group(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return mapping(spec.get(name) or {}, f"eval.{name}")
