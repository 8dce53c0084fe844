"""Inspect logs: ``.eval`` archives and ``.json`` documents.

Only the header and the sample summaries of an archive are read; a run that was killed has a journal of both instead.
If a sample was run again, the later row counts, as it does for the tool. ``inspect score X.eval`` writes
``X-scored.eval`` beside ``X.eval``, with the same samples: for each score the log counts that has it, or the later one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import GenericAlias
from typing import Any, NamedTuple

from ..._base.words import pluralize, warn
from ...errors import FilesWarning, OutcomeError, within
from .. import At, Companion, Format, LogFile, Request, Run, Trial, document_with, either
from .._files import decoded, shape_of
from ..checks import conditions, digest, seed_of, short_setting, spent

_AGAIN = "-scored"  # at the end of the name of a log that was scored again
_LONGEST_FAULT = 200  # characters of what ended a log
_LIST = "Inspect's list of the logs in a folder: the logs themselves are read"
_NUMBERED = "numbered in the order of the rows, which do not tell them"
_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
_START_OF_LOG = re.compile(rb'\s*\{\s*("version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)')
_MOST_BYTES = 1 << 28  # of the header, or of the summaries of the samples; logs of 100,000 samples have a third of it
_NO_SAMPLES = "the log holds no samples: it was written without them"
_NO_MODEL = "none/none"  # the model of runs that use model roles only
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit")
_TECHNICAL = {"max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "batch", "cache"}
_SCORE = shape_of("value", "answer")
_SAMPLE = shape_of(
    "id", "epoch", "input", "metadata", "invalidation", "model_usage", scores=GenericAlias(dict, (str, _SCORE)) | None
)
_SAMPLES = GenericAlias(list, _SAMPLE)
_LOG = shape_of(
    "eval", "status", "error", "invalidated", "plan", "results", "stats", samples=_SAMPLES | None
)  # what is read of a log, or of its header
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "dollars": "total_cost"}
_USUAL = 1 << 20  # epochs below this need no check
_BEGINNING = 200  # characters of an input that are compared; summaries keep 1,000
_NO_TEXT = re.compile(r"attachment://.*|\([A-Z]\w*\)")  # placeholders of texts and images that are stored elsewhere


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


# What a log says of its run: the header, the samples, and the settings.


def is_log(file: LogFile) -> bool:
    """Return whether a file is a log of Inspect."""
    if file.archive:
        return bool(file.archive.names & {_HEADER, _START})
    return bool(_START_OF_LOG.match(file.head)) or file.at.peek("eval").has("model")


class InspectLog:
    """A log, an archive or one document, of which only what is needed is decoded."""

    def __init__(self, file: LogFile) -> None:
        self._archive = file.archive
        if self._archive is not None:
            self.header = self._member(_HEADER if _HEADER in self._archive.names else _START, _LOG)
        else:
            self.header = At(decoded(file.content(), _LOG) if _START_OF_LOG.match(file.head) else file.document)
        self.spec = self.header["eval"]

    def _member(self, name: str, shape: Any) -> At:
        assert self._archive is not None
        with within(name):
            return At(decoded(self._archive.member(name, _MOST_BYTES), shape), name)

    def rows(self, *, with_answers: bool) -> list[At]:
        """Return the samples; their summaries if it is an archive, with what only samples have where this is needed."""
        samples, status = self.header["samples"], self.header["status"].value
        if self._archive is None:
            if samples.value is None and status in (None, "success"):
                raise OutcomeError(_NO_SAMPLES)
            return samples.rows
        names = [_SUMMARIES] if _SUMMARIES in self._archive.names else self._journal(self._archive.names)
        rows = [row for name in names for row in self._member(name, _SAMPLES).rows]
        if not rows and status == "success":
            raise OutcomeError(_NO_SAMPLES)
        return [self._whole(row) for row in rows] if with_answers or self.header["invalidated"] else rows

    @staticmethod
    def _journal(names: Collection[str]) -> list[str]:
        order = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in names}
        return sorted((name for name, number in order.items() if number.isdecimal()), key=lambda name: int(order[name]))

    def _whole(self, row: At) -> At:
        """Return a summary with the answers of its scores, and with its mark of being invalid."""
        name = f"samples/{row['id'].value}_epoch_{row['epoch'].value}.json"
        if self._archive is not None and name in self._archive.names:
            full = self._member(name, _SAMPLE).obj
            return At(row.obj | {key: full[key] for key in ("invalidation", "scores") if key in full}, row.where)
        if self.header["invalidated"]:
            what = "samples of the log are invalid, but the archive lacks"
            raise OutcomeError(f"{what} {name}, which says whether this is one")
        return row

    @property
    def model(self) -> str:
        """The model, or the models of the roles if the run had no other."""
        model, models = self.spec["model"].text, self._roles
        if model != _NO_MODEL or not models:
            return model
        named = [f"{role}={name}" for role, name in models.items()]
        return str(*models.values()) if len(models) == 1 else ", ".join(named)

    @property
    def _roles(self) -> dict[str, Any]:
        """The model of each role, such as that of the grader."""
        roles = self.spec["model_roles"].obj
        return {role: entry.get("model") if isinstance(entry, dict) else entry for role, entry in roles.items()}

    @property
    def attempt(self) -> str:
        """The time when the log was begun, and its id: a retry has the same task id, but its own time and id."""
        try:
            start = datetime.fromisoformat(str(self.spec["created"].value))
            return f"{start.astimezone(UTC).isoformat()} {self.spec['eval_id'].value or self.spec['run_id'].value}"
        except (ValueError, OverflowError):
            return ""

    def settings(self, measure: str) -> dict[str, str]:
        """Return the settings that may change the outcomes of a score; connections, retries and the like do not."""
        spec, plan = self.spec, self.header["plan.steps"].rows
        roles = {} if spec["model"].value == _NO_MODEL else self._roles
        params = [step["params"].value for step in plan]  # which may be long prompts
        return conditions(
            task_args=spec["task_args"].obj,
            task_version=spec["task_version"].value,
            solver=spec["solver"].value,
            solver_args=spec["solver_args"].obj,
            model_args=spec["model_args"].obj,
            generation=spec["model_generate_config"].without(_TECHNICAL),
            limits=spec["config"].only(_LIMITS),
            roles={f"{role}_role": model for role, model in roles.items()},
            dataset=spec["dataset.name"].value,
            plan=" > ".join(str(step["solver"].value) for step in plan) or None,
            plan_params=digest(params) if any(params) else None,
            scorer=self._scorer_options(measure.partition("/")[0]),
        )

    def _scorer_options(self, name: str) -> dict[str, Any]:
        """Return the options of the scorer that gave a score: a judge by its model, and long texts by a hash."""
        options: dict[str, Any] = {}
        for scorer in self.spec["scorers"].rows:
            short_name = str(scorer["name"].value).rpartition("/")[2]
            if re.fullmatch(
                rf"{re.escape(short_name)}\d*", name
            ):  # one that is used twice has a number behind its name
                options |= scorer["options"].obj
        return {key: short_setting(value) for key, value in options.items()}

    @property
    def origin(self) -> dict[str, Any]:
        """The date, the id and the seed of the run, and its seconds, tokens and dollars over all models."""
        spec, stats = self.spec, self.header["stats"].plain
        try:
            start, end = (datetime.fromisoformat(str(stats.get(key))) for key in ("started_at", "completed_at"))
            seconds = {"seconds": (end - start).total_seconds()}
        except (ValueError, TypeError, OverflowError):
            seconds = {}
        about = {"date": str(spec["created"].value or ""), "id": str(spec["eval_id"].value or "")}
        used = {name: value for name, value in usage_of(stats).items() if value}
        return about | seed_of(spec["model_generate_config"].obj) | seconds | used

    @property
    def cluster(self) -> str:
        """The metadata key by which the log's own standard errors are clustered, else "cluster"."""
        keys = {key for key in _cluster_options(self.spec["scorers"].value) if isinstance(key, str)}
        return keys.pop() if len(keys) == 1 else "cluster"


def _cluster_options(part: Any) -> Iterator[Any]:
    if isinstance(part, dict) and isinstance(part.get("options"), dict) and "cluster" in part["options"]:
        yield part["options"]["cluster"]
    if isinstance(part, (dict, list)):
        for entry in part.values() if isinstance(part, dict) else part:
            yield from _cluster_options(entry)


# The samples, the scores that they have, and the trials that they are.


class Sample(NamedTuple):
    """A sample of one epoch; its scores have names such as ``judge/style`` if a score has several values."""

    id: str
    epoch: int
    scores: Mapping[str, Any]
    text: str  # the input without blanks, or its start and the id
    row: At

    @property
    def at(self) -> At:
        """What is known of the sample, with its place."""
        log = {"metadata": self.row["metadata"].obj, "scores": self.scores}
        return At(log, f"sample {self.id!r}, epoch {self.epoch}")

    def question(self, key: str | None) -> str:
        """Return the id, or the name that the metadata has under ``key``."""
        return self.id if key in (None, "id") else self.at["metadata", str(key)].text


def samples_of(rows: Sequence[At], *, by_input: bool) -> list[Sample]:
    """Return the sample of each row; where no row has an epoch, the rows of an id are its epochs in order.

    Samples of one name must have one id and, ``by_input``, one input, also if a later row replaces them. Large logs
    have many samples, so that what is usual is taken without a check.
    """
    samples: list[Sample] = []
    has_epochs, count = any("epoch" in row for row in rows), Counter[str]()
    first: dict[str, tuple[Any, Any, str]] = {}  # of each name, the id and the input, and its text
    for row in rows:
        log = row.value if type(row.value) is dict else row.needed.obj
        id_, asked, epoch = log.get("id"), log.get("input"), log.get("epoch", 1)
        name = id_ if type(id_) is str and id_ else row["id"].text
        if not has_epochs:
            count[name] += 1
            epoch = count[name]
        elif type(epoch) is not int or not 0 <= epoch < _USUAL:
            epoch = row["epoch"].whole
        first_id, first_asked, text = first.get(name) or first.setdefault(name, (id_, asked, _text(asked, id_)))
        if type(first_id) is not type(id_):
            hint = "give one of them another id, as both are called by the same text"
            raise OutcomeError(f"two samples have the ids {first_id!r} and {id_!r}", hint=hint)
        if asked != first_asked:
            first_text, text = text, _text(asked, id_)
            first[name] = id_, first_asked if first_text else asked, first_text or text
        else:
            first_text = text
        samples.append(Sample(name, epoch, _scores(row), text, row))
        if by_input and text != first_text and text and first_text:
            raise samples[-1].at.fault(
                "it has another input than an earlier sample of this id: these are two questions"
            )
    return samples


def _text(asked: Any, id_: Any) -> str:
    """Return the text of an input without blanks; others may begin alike if it is long."""
    text = "".join("".join(_texts(asked)).split())
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING]} {id_}"


def _texts(part: Any) -> Iterator[str]:
    """Yield the texts of an input: a text, or messages, which may have several parts."""
    if isinstance(part, str):
        yield "" if _NO_TEXT.fullmatch(part) else part
    elif isinstance(part, list):
        for entry in part:
            yield from _texts(entry.get("content", entry.get("text")) if isinstance(entry, dict) else None)


def _scores(row: At) -> dict[str, Any]:
    """Return the values of a sample's scores by name; none of an invalid sample."""
    stored = row.value.get("scores")
    values: dict[str, Any] = {}
    if row.value.get("invalidation"):
        return values
    scores: dict[str, Any] = stored if type(stored) is dict else row["scores"].obj
    for name, score in scores.items():
        entry = score if type(score) is dict else At(score, row.where, f"scores.{name}").needed.obj
        value: Any = entry.get("value")
        if type(value) in (list, dict):
            parts = enumerate(value) if type(value) is list else value.items()
            values |= {f"{name}/{key}": part for key, part in parts}
        else:
            values[name] = value
    return values


def _is_there(value: Any) -> bool:
    return value is not None and value == value  # noqa: PLR0124 - NaN


def score_names(samples: Sequence[Sample]) -> list[str]:
    """Return the names of the scores; a score with several values may have none of them in some samples."""
    names = dict.fromkeys(name for sample in samples for name in sample.scores)
    several = {name.rpartition("/")[0] for name in names}
    if several.isdisjoint(names):
        return list(names)
    valued = {name for sample in samples for name, value in sample.scores.items() if _is_there(value)}
    return [name for name in names if name in valued or name not in several]


def without_earlier(every: Sequence[Sample], measure: str) -> tuple[list[Sample], str]:
    """Return the last sample of each id and epoch, and how many others there are; a warning says if these have scores.

    A sample that was run again has a later row, which counts for the tool as well.
    """
    samples = list({(sample.id, sample.epoch): sample for sample in every}.values())
    if len(samples) == len(every):
        return samples, ""
    kept = set(map(id, samples))
    lost = [sample for sample in every if id(sample) not in kept]
    scored = sum(_is_there(sample.scores.get(measure)) for sample in lost)
    if scored:
        many = f"{pluralize(scored, 'scored row')} of {len(every):,} {'is' if scored == 1 else 'are'} left out"
        reason = "a later row has the same id and epoch, as a sample that was run again has"
        warn(f"{many}: {reason}. If these are trials, number their epochs", FilesWarning)
    return samples, pluralize(len(lost), "row")


def trials_of(samples: Sequence[Sample], measure: str, cluster: str, request: Request) -> list[Trial]:
    """Return the trials of a score; ``cluster`` is a key of the metadata."""
    key, by_id = request.fields.get("question"), "question" not in request.fields
    answers = [_answers(sample) for sample in samples] if request.keeps_answers else []
    is_named = "/" not in measure or any(measure in of_sample for of_sample in answers)
    scorer = measure if is_named else measure.rpartition("/")[0]  # of a score with several values
    outcomes: dict[tuple[type, Any], float | None] = {}
    trials: list[Trial] = []
    for i, sample in enumerate(samples):
        value, log = sample.scores.get(measure), sample.row.value
        try:
            outcome = outcomes[type(value), value]
        except (KeyError, TypeError):
            outcome = sample.at["scores", measure].to(request.outcome)
            outcomes[type(value), value] = outcome
        metadata = log.get("metadata") or {}
        is_plain = type(metadata) is dict and metadata.get(cluster) is None
        group = None if is_plain else sample.at["metadata", cluster].maybe
        question, mark = sample.id if by_id else sample.question(key), sample.text if by_id else ""
        answer = answers[i].get(scorer) if answers else None
        trials.append(Trial(question, sample.epoch, outcome, group, 1, usage_of(log), mark, answer, sample.scores))
    return trials


def _answers(sample: Sample) -> dict[str, Any]:
    """Return the answers of a sample by the names of its scores."""
    scores = {} if sample.row["invalidation"] else sample.row["scores"].obj
    return {name: score["answer"] for name, score in scores.items() if score.get("answer") is not None}


def usage_of(part: dict[str, Any]) -> dict[str, float]:
    """Return the tokens and dollars of a run or a sample over all models that it used; nothing if it does not tell."""
    usage = part.get("model_usage")
    if not usage or not isinstance(usage, dict):
        return {}
    models = [model for model in usage.values() if isinstance(model, dict)]
    amounts = [spent(**{name: model.get(key) for name, key in _USAGE.items()}) for model in models]
    return {
        name: sum(used.get(name, 0) for used in amounts) for name in _USAGE if any(name in used for used in amounts)
    }
