"""A log of Inspect as a file, of which only what is needed is decoded; and what its header says of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TypedDict

from ...errors import OutcomeError, within
from .._files import Archive, decoded
from ..checks import seed_of, short_setting
from . import At, LogFile, conditions, digest
from .inspect_samples import SampleRow, usage_of

HEADER, START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", "_journal/summaries/"
START_OF_LOG = re.compile(rb'\s*\{\s*("version"\s*:\s*\d+\s*,\s*)?"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*(?=\{)')
_MOST_BYTES = 1 << 28  # of the header, or of the summaries of the samples; logs of 100,000 samples have a third of it
_NO_SAMPLES = "the log holds no samples: it was written without them"
_NO_MODEL = "none/none"  # the model of runs that use model roles only
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit")
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


class Whole:
    """A log as one JSON document."""

    def __init__(self, file: LogFile) -> None:
        self.header = At(decoded(file.content(), _Log) if START_OF_LOG.match(file.head) else file.document)

    def rows(self, *, with_answers: bool) -> list[At]:  # noqa: ARG002 - they are there in any case
        """Return the samples."""
        samples = self.header["samples"]
        if samples.value is None and self.header["status"].value in (None, "success"):
            raise OutcomeError(_NO_SAMPLES)
        return samples.rows


class Archived:
    """A log as an archive, of which the header and the summaries of the samples are read."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.header = self._member(HEADER if HEADER in archive.names else START, _Log)

    def _member(self, name: str, shape: Any) -> At:
        with within(name):
            return At(decoded(self._archive.member(name, _MOST_BYTES), shape), name)

    def rows(self, *, with_answers: bool) -> list[At]:
        """Return the summaries of the samples, with what only the samples themselves have where this is needed."""
        names = [_SUMMARIES] if _SUMMARIES in self._archive.names else self._journal()
        rows = [row for name in names for row in self._member(name, list[SampleRow]).rows]
        if not rows and self.header["status"].value == "success":
            raise OutcomeError(_NO_SAMPLES)
        return [self._whole(row) for row in rows] if with_answers or self.header["invalidated"] else rows

    def _journal(self) -> list[str]:
        order = {name: name.removeprefix(_JOURNAL).removesuffix(".json") for name in self._archive.names}
        return sorted((name for name, number in order.items() if number.isdecimal()), key=lambda name: int(order[name]))

    def _whole(self, row: At) -> At:
        """Return a summary with the answers of its scores, and with its mark of being invalid."""
        name = f"samples/{row['id'].value}_epoch_{row['epoch'].value}.json"
        if name in self._archive.names:
            full = self._member(name, SampleRow).obj
            return At(row.obj | {key: full[key] for key in ("invalidation", "scores") if key in full}, row.where)
        if self.header["invalidated"]:
            what = "samples of the log are invalid, but the archive lacks"
            raise OutcomeError(f"{what} {name}, which says whether this is one")
        return row


def opened(file: LogFile) -> Archived | Whole:
    """Return a log, an archive or a document, of which only parts are decoded."""
    return Archived(file.archive) if file.archive else Whole(file)


def model_of(spec: At) -> str:
    """Return the model, or the models of the roles if the run had no other."""
    model, models = spec["model"].text, _roles(spec)
    if model != _NO_MODEL or not models:
        return model
    return str(*models.values()) if len(models) == 1 else ", ".join(f"{role}={name}" for role, name in models.items())


def _roles(spec: At) -> dict[str, Any]:
    """Return the model of each role, such as that of the grader."""
    roles = spec["model_roles"].obj
    return {role: entry.get("model") if isinstance(entry, dict) else entry for role, entry in roles.items()}


def facts_of(header: At, measure: str) -> dict[str, Any]:
    """Return when the run was begun, its settings, and what users and version control say of it."""
    spec = header["eval"]
    revision, tags = spec["revision.commit"].value, spec["tags"].value or None
    return {
        "attempt": _attempt_of(spec),
        "conditions": _settings_of(header, measure),
        "details": conditions(tags=tags, revision=revision, metadata=spec["metadata"].obj),
        "origin": _origin_of(header),
    }


def _attempt_of(spec: At) -> str:
    """Return the time when the log was begun, and its id: a retry has the same task id, but its own time and id."""
    try:
        start = datetime.fromisoformat(str(spec["created"].value))
        return f"{start.astimezone(UTC).isoformat()} {spec['eval_id'].value or spec['run_id'].value}"
    except (ValueError, OverflowError):
        return ""


def _settings_of(header: At, measure: str) -> dict[str, str]:
    """Return the settings that may change the outcomes of a score; connections, retries and the like do not."""
    spec, plan = header["eval"], header["plan.steps"].rows
    roles = {f"{role}_role": model for role, model in _roles(spec).items()} if spec["model"].value != _NO_MODEL else {}
    params = [step["params"].value for step in plan]  # which may be long prompts
    return conditions(
        task_args=spec["task_args"].obj,
        task_version=spec["task_version"].value,
        solver=spec["solver"].value,
        solver_args=spec["solver_args"].obj,
        model_args=spec["model_args"].obj,
        generation=spec["model_generate_config"].without(_TECHNICAL),
        limits={name: value for name, value in spec["config"].obj.items() if name in _LIMITS},
        roles=roles,
        dataset=spec["dataset.name"].value,
        plan=" > ".join(str(step["solver"].value) for step in plan) or None,
        plan_params=digest(params) if any(params) else None,
        scorer=_scorer_options(spec, measure.partition("/")[0]),
    )


def _scorer_options(spec: At, name: str) -> dict[str, Any]:
    """Return the options of the scorer that gave a score: a judge by its model, and long texts by a hash."""
    options: dict[str, Any] = {}
    for scorer in spec["scorers"].rows:
        short_name = str(scorer["name"].value).rpartition("/")[2]
        if re.fullmatch(rf"{re.escape(short_name)}\d*", name):  # one that is used twice has a number behind its name
            options |= scorer["options"].obj
    return {key: short_setting(value) for key, value in options.items()}


def _origin_of(header: At) -> dict[str, Any]:
    """Return the date, the id and the seed of the run, and its seconds, tokens and dollars over all models."""
    spec, stats = header["eval"], header["stats"].plain
    try:
        start, end = (datetime.fromisoformat(str(stats.get(key))) for key in ("started_at", "completed_at"))
        seconds = {"seconds": (end - start).total_seconds()}
    except (ValueError, TypeError, OverflowError):
        seconds = {}
    about = {"date": str(spec["created"].value or ""), "id": str(spec["eval_id"].value or "")}
    used = {name: value for name, value in usage_of(stats).items() if value}
    return about | seed_of(spec["model_generate_config"].obj) | seconds | used


def declared_cluster(spec: At) -> str:
    """Return the metadata key by which the log's own standard errors are clustered, else "cluster"."""
    keys = {key for key in _cluster_options(spec["scorers"].value) if isinstance(key, str)}
    return keys.pop() if len(keys) == 1 else "cluster"


def _cluster_options(part: Any) -> Iterator[Any]:
    if isinstance(part, dict) and isinstance(part.get("options"), dict) and "cluster" in part["options"]:
        yield part["options"]["cluster"]
    if isinstance(part, (dict, list)):
        for entry in part.values() if isinstance(part, dict) else part:
            yield from _cluster_options(entry)
