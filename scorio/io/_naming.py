"""The names of models: changed as the user says, and by the conditions in which their runs differ.

Conditions are the settings under which runs were made. Runs under different conditions stay apart.
"""

import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from .._base.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes._column_names import MODEL, row_name
from ._format import Models, Pool
from ._records import Run, Source
from ._walk import grouped

FOLDER = "folder"  # the condition of runs that only their folder tells apart
_UNSET = "unset"
_FOLLOWS = {
    "plan",
    "plan_params",
    "prompt_hash",
    "task_hash",
}  # conditions that usually follow from arguments, which then name the runs


def rename_models(sources: Sequence[Source], models: Models) -> list[Source]:
    """Return the sources with their models named as the user says."""
    if isinstance(models, str):
        names = {source.run.model for source in sources if source.run.model_from in ("log", "number")}
        if len(names) > 1:
            remedies = [
                Remedy("only", "...", "chooses some by their names"),
                Remedy("model", dict.fromkeys(sorted(names)[:2], "..."), "gives each a new name"),
            ]
            problem = f"is a name for one model, the files hold {shorten(sorted(names))}"
            raise OutcomeError(problem, argument="model", remedies=remedies)
        return [source.changed(model=models, model_from="user") for source in sources]
    renamed = []
    for source in sources:
        chosen = [name for pattern, name in (models or {}).items() if _is_of(source, pattern)]
        renamed.append(source.changed(model=chosen[-1], model_from="user") if chosen else source)
    return renamed


def rename_separated(before: Sequence[Source], after: Sequence[Source], models: Models) -> list[Source]:
    """Return the sources with new names for those whose conditions became part of their names."""
    names = models if isinstance(models, Mapping) else {}
    return [
        new.changed(model=names[new.run.model], model_from="user")
        if new.run.model != old.run.model and new.run.model in names
        else new
        for old, new in zip(before, after, strict=True)
    ]


def _is_of(source: Source, pattern: str) -> bool:
    """Return whether a pattern is the name of a source's model, or matches its path."""
    return pattern == source.run.model or fnmatchcase(source.path.as_posix(), pattern)


def unknown_names(
    sources: Sequence[Source], models: Models, named: Sequence[Source], patterns: Sequence[str]
) -> list[str]:
    """Return the keys of ``models`` that are no model and match no path, and the patterns that no model matches."""
    keys = models if isinstance(models, Mapping) else ()
    names = {source.run.model for source in named}
    lost = [key for key in keys if not any(_is_of(source, key) for source in sources)]
    return lost + [pattern for pattern in patterns if not any(_is_named(name, pattern) for name in names)]


def only_models(sources: Sequence[Source], patterns: Sequence[str]) -> list[Source]:
    """Return the sources of the models whose names match one of some patterns, or of all without patterns."""
    names = dict.fromkeys(source.run.model for source in sources)
    kept = {name for name in names if not patterns or any(_is_named(name, pattern) for pattern in patterns)}
    if names and not kept:
        raise ParameterError(f"has an {unknown('model', patterns[0], names)}", argument="only")
    return [source for source in sources if source.run.model in kept]


def _is_named(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)  # brackets are part of names


def check_folders_and_numbers(sources: Sequence[Source]) -> None:
    """Check that no two models are taken for one by chance: files of one name in two folders, or equal numbers."""
    named: dict[str, Path] = {}
    numbered = {source.run.model: source.path for source in sources if source.run.model_from == "number"}
    for source in sources:
        model, path = source.run.model, source.path
        other = named.setdefault(model, path) if source.run.model_from == "file name" else path
        if other is not path and other.parent != path.parent:
            remedy = Remedy("model", {"*PATTERN*": "..."}, "names the models of paths")
            raise OutcomeError(
                f"{other} and {path} do not say whether they are of one model",
                remedies=[Remedy("model", "...", "is a name for both"), remedy],
            )
        if (other := numbered.get(model, path)) != path:
            problem = f"{other} has no names of its models, and {path} has a {model!r} as well"
            raise OutcomeError(problem, hint="add an array 'models' with the names of the models to each file")


def with_factors(sources: Sequence[Source], factors: Collection[str]) -> list[Source]:
    """Return the sources; other settings of a run that are factors are conditions, and every factor is one of some."""
    with_chosen = [
        source.changed(conditions={**source.run.conditions, **chosen})
        if (chosen := {name: value for name, value in source.run.details.items() if name in factors})
        else source
        for source in sources
    ]
    conditions = {name for source in with_chosen for name in source.run.conditions}
    lost = next((name for name in factors if name not in conditions), None)
    if lost is not None:
        every = conditions.union(*(source.run.details for source in with_chosen))
        raise ParameterError(f"has an {unknown('condition', lost, sorted(every) or ['none'])}", argument="factors")
    return with_chosen


def differing_details(runs: Sequence[Run]) -> list[str]:
    """Return the other settings, such as tags, in which runs differ that are no conditions and add up some question."""
    names = dict.fromkeys(name for run in runs for name in run.details if name not in run.conditions)
    return [name for name in names if _are_pooled(name, runs)]


def _are_pooled(name: str, runs: Sequence[Run]) -> bool:
    """Return whether some question has runs with several values of a setting."""
    groups = grouped(runs, lambda run: run.details.get(name)).values()
    of_groups = [{question for run in group for question in run.questions} for group in groups]
    return len(set().union(*of_groups)) < sum(map(len, of_groups))


def separate(sources: Sequence[Source], pool: Pool) -> list[Source]:
    """Return the sources; models whose runs of one task differ in a condition are named by it as well."""
    if pool is True:
        return list(sources)
    pooled = {pool} if isinstance(pool, str) else set(pool or ())
    conditions = {name for source in sources for name in source.run.conditions}
    for name in pooled - conditions:
        raise ParameterError(f"has an {unknown('condition', name, sorted(conditions) or ['none'])}", argument="pool")
    differing: dict[str, dict[str, None]] = defaultdict(dict)
    for (model, _), runs in grouped((source.run for source in sources), lambda run: (run.model, run.task)).items():
        differing[model] |= dict.fromkeys(name for name in _differing(runs) if name not in pooled)
    folders = [source.run.conditions[FOLDER] for source in sources if FOLDER in source.run.conditions]
    parents = [folder.rpartition("/")[0] for folder in folders]
    common = f"{os.path.commonpath(parents).rstrip('/')}/" if parents else ""  # which names of models leave out
    return [_named(source, list(differing[source.run.model]), common) for source in sources]


def common_conditions(sources: Sequence[Source]) -> dict[str, dict[str, str]]:
    """Return the conditions that all runs of a model share, by model."""
    shared: dict[str, dict[str, str]] = {}
    for run in (source.run for source in sources):
        common = shared.setdefault(run.model, dict(run.conditions))
        shared[run.model] = {name: value for name, value in common.items() if run.conditions.get(name) == value}
    return shared


def _differing(runs: Sequence[Run]) -> list[str]:
    """Return the conditions in which runs differ; one that follows from others only where these do not tell."""
    names = sorted(dict.fromkeys(name for run in runs for name in run.conditions), key=_FOLLOWS.__contains__)
    differing: list[str] = []
    for name in names:
        others = differing if name in _FOLLOWS else []
        if _kinds(runs, [*others, name]) > _kinds(runs, others):
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
    return source.changed(model=name, conditions=settings)
