"""Conditions: the settings under which runs were made. Runs under different conditions stay apart."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._display.words import unknown
from ..errors import ParameterError
from ..outcomes._row_names import MODEL, row_name
from ._records import Run, Source

Pool = bool | str | Collection[str]
FOLDER = "folder"  # the condition of runs that only their folder tells apart
_UNSET = "unset"
_FOLLOWS = {"plan", "plan_params"}  # conditions that usually follow from arguments, which then name the runs
_REPETITIONS = {"seed", "random_seed", "trial", "run", "repeat", "replicate"}  # these number runs of equal conditions


def conditions(**groups: Any) -> dict[str, str]:
    """Return settings by name, as text: those of groups one by one, without seeds and None.

    >>> conditions(version=2, generation={"temperature": 0.5, "top_p": None, "seed": 3})
    {'version': '2', 'temperature': '0.5'}
    """
    settings: dict[str, str] = {}
    for group, content in groups.items():
        for name, value in content.items() if isinstance(content, dict) else [(group, content)]:
            if value is not None and name not in _REPETITIONS:
                settings[f"{group}.{name}" if name in settings else str(name)] = _text(value)
    return settings


def seed_of(settings: Any) -> dict[str, str]:
    """Return the seed among settings by name, as text; nothing if there is none.

    >>> seed_of({"temperature": 0.5, "seed": 3})
    {'seed': '3'}
    """
    seed = settings.get("seed") if isinstance(settings, Mapping) else None
    return {} if seed is None else {"seed": _text(seed)}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def check_pool(pool: Any) -> None:
    """Check that ``pool`` is True, False, or names of conditions."""
    names = [pool] if isinstance(pool, str) else pool
    if not isinstance(pool, bool) and not (
        isinstance(names, Collection) and all(isinstance(name, str) for name in names)
    ):
        raise ParameterError(f"must be True, False, or names of conditions; got {pool!r}", argument="pool")


def check_factors(factors: Collection[str], sources: Sequence[Source]) -> None:
    """Check that every factor is a condition of some run."""
    known = sorted({name for source in sources for name in source.run.conditions})
    for name in factors:
        if name not in known:
            raise ParameterError(f"has an {unknown('condition', name, known or ['none'])}", argument="factors")


def separate(sources: Sequence[Source], pool: Pool) -> list[Source]:
    """Return the sources; models whose runs of one task differ in a condition are named by it as well."""
    if pool is True:
        return list(sources)
    pooled = {pool} if isinstance(pool, str) else set(pool or ())
    known = {name for source in sources for name in source.run.conditions}
    for name in pooled - known:
        raise ParameterError(f"has an {unknown('condition', name, sorted(known))}", argument="pool")
    runs: dict[str, dict[str | None, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for source in sources:
        runs[source.run.model][source.run.task].append(source.run)
    differing = {
        model: dict.fromkeys(name for group in tasks.values() for name in _differing(group) if name not in pooled)
        for model, tasks in runs.items()
    }
    common = _common(sources)
    return [_named(source, list(differing[source.run.model]), common) for source in sources]


def common_conditions(sources: Sequence[Source]) -> dict[str, dict[str, str]]:
    """Return the conditions that all runs of a model share, by model."""
    shared: dict[str, dict[str, str]] = {}
    for run in (source.run for source in sources):
        known = shared.setdefault(run.model, dict(run.conditions))
        shared[run.model] = {name: value for name, value in known.items() if run.conditions.get(name) == value}
    return shared


def _common(sources: Sequence[Source]) -> str:
    """Return the start that the folders of all runs have in common, which names of models leave out."""
    folders = [source.run.conditions[FOLDER] for source in sources if FOLDER in source.run.conditions]
    return f"{os.path.commonpath([folder.rpartition('/')[0] for folder in folders]).rstrip('/')}/" if folders else ""


def _differing(runs: Sequence[Run]) -> list[str]:
    """Return the conditions in which runs differ; one that follows from others only where these do not tell."""
    names = sorted(dict.fromkeys(name for run in runs for name in run.conditions), key=_FOLLOWS.__contains__)
    differing: list[str] = []
    for name in names:
        known = differing if name in _FOLLOWS else []
        if _kinds(runs, [*known, name]) > _kinds(runs, known):
            differing.append(name)
    return differing


def _kinds(runs: Sequence[Run], names: Sequence[str]) -> int:
    """Return how many runs are under different conditions."""
    return len({tuple(run.conditions.get(name) for name in names) for run in runs})


def _named(source: Source, names: Sequence[str], common: str) -> Source:
    if not names:
        return source
    shown = dict(source.run.conditions)
    if FOLDER in shown:
        shown[FOLDER] = shown[FOLDER].removeprefix(common)
    name = row_name(source.run.model, {name: shown.get(name, _UNSET) for name in names})
    settings = {MODEL: source.run.model, **source.run.conditions}
    return replace(source, run=replace(source.run, model=name, conditions=settings))
