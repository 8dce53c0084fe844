"""What the specification of an Inspect log says about the run: its model, its settings, and what it used."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, datetime
from typing import Any

from .._conditions import conditions, seed_of
from .._costs import spent
from .._validate import items, label, mapping

_NO_MODEL = "none/none"  # the model of runs that use model roles only
_LIMITS = {"message_limit", "token_limit", "time_limit", "working_limit", "cost_limit", "turn_limit"}
_TECHNICAL = {"max_retries", "timeout", "attempt_timeout", "max_connections", "adaptive_connections", "batch", "cache"}
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "dollars": "total_cost"}
_ADDRESS = re.compile(r"\b0x[0-9a-f]+")  # in the text of objects that have no other


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


def settings(spec: dict[str, Any], header: dict[str, Any]) -> dict[str, str]:
    """Return the settings that may change the outcomes; connections, retries and the like do not."""
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
    )


def seed(spec: dict[str, Any]) -> dict[str, str]:
    """Return the seed of the model's answers, as text, if the run had one."""
    return seed_of(_group(spec, "model_generate_config"))


def _plan(header: dict[str, Any]) -> dict[str, str]:
    """Return the solvers in order, and a hash of their parameters, which may be long prompts."""
    plan = mapping(header.get("plan") or {}, "plan")
    steps = [mapping(step, "a step of the plan") for step in items(plan.get("steps") or [], "plan.steps")]
    names, params = [str(step.get("solver")) for step in steps], [step.get("params") for step in steps]
    digest = hashlib.sha256(_ADDRESS.sub("", json.dumps(params)).encode()).hexdigest()
    return ({"plan": " > ".join(names)} if names else {}) | ({"plan_params": digest[:8]} if any(params) else {})


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


def usage_of(part: dict[str, Any]) -> dict[str, float]:
    """Return the tokens and dollars of a run or a sample over all models that it used; nothing if it does not tell."""
    usage = part.get("model_usage")
    models = [each for each in usage.values() if isinstance(each, dict)] if isinstance(usage, dict) else []
    known = [spent(**{name: each.get(key) for name, key in _USAGE.items()}) for each in models]
    return {name: sum(each.get(name, 0) for each in known) for name in _USAGE if any(name in each for each in known)}


def _group(spec: dict[str, Any], name: str) -> dict[str, Any]:
    return mapping(spec.get(name) or {}, f"eval.{name}")
