"""The settings of a run of Inspect, from the header of its log."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from ..checks import seed_of, short_setting
from . import At, conditions, digest
from .inspect_samples import usage_of

_NO_MODEL = "none/none"  # the model of runs that use model roles only
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit")
_TECHNICAL = {"max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "batch", "cache"}


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


def attempt_of(spec: At) -> str:
    """Return the time when the log was begun, and its id: a retry has the same task id, but its own time and id."""
    try:
        start = datetime.fromisoformat(str(spec["created"].value))
        return f"{start.astimezone(UTC).isoformat()} {spec['eval_id'].value or spec['run_id'].value}"
    except (ValueError, OverflowError):
        return ""


def settings_of(header: At, measure: str = "") -> dict[str, str]:
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


def details_of(spec: At) -> dict[str, str]:
    """Return what users and version control say of a run, which may or may not matter for its outcomes."""
    revision, tags = spec["revision.commit"].value, spec["tags"].value or None
    return conditions(tags=tags, revision=revision, metadata=spec["metadata"].obj)


def origin_of(header: At) -> dict[str, Any]:
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
