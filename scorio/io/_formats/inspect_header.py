"""What a log of Inspect says of its run: the header, the samples, and the settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from types import GenericAlias
from typing import Any

from ...errors import OutcomeError, within
from .. import At, LogFile
from .._files import decoded, shape_of
from ..checks import conditions, digest, seed_of, short_setting
from .inspect_samples import usage_of

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
