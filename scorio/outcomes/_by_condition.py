"""Models grouped by a condition under which they were run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._display.words import unknown
from ..errors import OutcomeError, ParameterError

UNSET = "unset"  # the value of a condition that a model's runs do not tell


def groups_by_condition(condition: str, *facts: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the facts of the models under each value of a condition, without that condition in their names.

    The first of the ``facts`` are outcomes by model, the second conditions, and any further ones what is known of some.

    >>> settings = {"a [t=0, n=2]": {"t": "0", "n": "2"}, "a [t=1, n=2]": {"t": "1", "n": "2"}}
    >>> groups = groups_by_condition("t", dict.fromkeys(settings, "outcomes"), settings)
    >>> groups["t=1"]
    [{'a [n=2]': 'outcomes'}, {'a [n=2]': {'t': '1', 'n': '2'}}]
    """
    models, conditions, *_ = facts
    known = list(dict.fromkeys(name for each in conditions.values() for name in each))
    if not known:
        hint = "OutcomeSet(.., conditions={model: {name: value}}) says it"
        raise OutcomeError(f"it is not known under which {condition!r} the models were run", argument="by", hint=hint)
    if condition not in known:
        raise ParameterError(f"is an {unknown('condition', condition, known)}", argument="by")
    groups: dict[str, dict[str, str]] = {}
    for model in models:
        setting = f"{condition}={conditions.get(model, {}).get(condition, UNSET)}"
        group, short = groups.setdefault(setting, {}), _without(setting, model)
        if short in group:
            problem = f"{group[short]!r} and {model!r} are both {short!r} under {setting}"
            raise OutcomeError(problem, hint="give one of them another name, or leave it out")
        group[short] = model
    return {
        setting: [{short: each[model] for short, model in group.items() if model in each} for each in facts]
        for setting, group in groups.items()
    }


def split_tasks(tasks: Mapping[str, Any], by: Any) -> dict[str, Any]:
    """Return the groups of every task's outcomes, named by the task and the group."""
    parts: dict[str, Any] = {}
    for task, outcomes in tasks.items():
        try:
            groups = outcomes.split(by)
        except (OutcomeError, ParameterError) as error:
            raise error.at(f"task {task}") from None
        parts |= {f"{task} [{group}]": each for group, each in groups.items()}
    return parts


def _without(setting: str, model: str) -> str:
    """Return the name of a model without a setting among those in brackets at its end."""
    base, bracket, rest = model.rpartition(" [")
    if not (bracket and rest.endswith("]")):
        return model
    inner = f", {rest[:-1]}, "
    left = inner.replace(f", {setting}, ", ", ", 1).removeprefix(", ").removesuffix(", ")
    return f"{base} [{left}]" if left.strip(", ") else base
