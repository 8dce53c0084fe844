"""Outcomes of several models, or of several tasks, saved to a file and loaded from one."""

from __future__ import annotations

from typing import Any, Self, cast

from ..errors import OutcomeError
from ._saved_content import SavedContent, digest_of
from ._saved_costs import costs_of_tasks, with_trials
from ._saved_file import Place, read, write
from ._saved_text import check_metadata, combined


def content_of(outcomes: Any, metadata: Any, part: str | None) -> SavedContent:
    """Return what a file holds of an ``OutcomeSet``, or of a mapping from tasks to such sets.

    ``part`` names the outcomes; without a name, they are recognised by their content.
    """
    tasks = dict(outcomes._tables())
    names = list(dict.fromkeys(model for models in tasks.values() for model in models))
    digest = digest_of(tasks)
    own = check_metadata(metadata, names)
    for name, each in outcomes._known_conditions().items():
        own[name] = {"conditions": dict(each)} | own.get(name, {})
    for name, each in outcomes.costs.items():
        if each and "costs" not in own.get(name, {}):
            trials = sum(int(models[name].trials.sum()) for models in tasks.values() if name in models)
            own[name] = own.get(name, {}) | {"costs": {what: amount * trials for what, amount in each.items()}}
    own = check_metadata(own, names)
    return SavedContent(tasks, {part or digest: own}, digest=digest, costs=costs_of_tasks(outcomes))


def conditions_of(content: SavedContent) -> dict[str, dict[str, Any]]:
    """Return the conditions of each model over all parts."""
    entries: dict[str, list[Any]] = {}
    for metadata in content.parts.values():
        for name, entry in metadata.items():
            entries.setdefault(name, []).append({"conditions": entry.get("conditions") or {}})
    combinations = {name: combined(name, each).get("conditions") or {} for name, each in entries.items()}
    return {name: dict(each) for name, each in combinations.items() if each}


def costs_of(content: SavedContent) -> dict[str | None, dict[str, dict[str, float]]]:
    """Return the mean cost per trial of each task and model, where every part of the model tells it.

    A part that tells costs, but none of a model, has no trials of that model; a part without costs hides them.
    """
    entries: dict[str, list[Any]] = {}
    for metadata in content.parts.values():
        own = {name: entry["costs"] for name, entry in metadata.items() if entry.get("costs")}
        if not own:
            return {}
        for name, each in own.items():
            entries.setdefault(name, []).append({"costs": each})
    means = {name: _per_trial(content, name, each) for name, each in entries.items()}
    return with_trials(means, content.costs, content.tasks)


def _per_trial(content: SavedContent, name: str, entries: list[Any]) -> dict[str, float]:
    trials = sum(int(models[name].trials.sum()) for models in content.tasks.values() if name in models)
    totals = combined(name, entries)["costs"]
    shared = [what for what in totals if all(what in each["costs"] for each in entries)]
    return {what: totals[what] / trials for what in shared if trials and totals[what] >= 0}


class SetStorage:
    """What a set of models can do with files."""

    __slots__ = ()

    def save(self, path: Place, *, metadata: Any = None, part: str | None = None) -> None:
        """Save the counts to a file, ``.npz`` or ``.parquet`` (which needs DuckDB), without any loss.

        The file keeps levels, planned trials, clusters, prior outcomes, the mark of adaptive trials, and for continuous
        rewards the moments and the trials. ``metadata`` maps models to dictionaries, as in
        ``{"a": {"conditions": {"temperature": 0.8}, "costs": {"usd": 1.5}}}``. ``part`` names these outcomes, so that
        ``SavedCounts.merge`` never counts them twice; without a name, equal content is taken for the same part.

        >>> import pathlib, tempfile
        >>> from scorio import OutcomeSet
        >>> path = pathlib.Path(tempfile.mkdtemp(), "counts.npz")
        >>> models = OutcomeSet({"a": [[0, 1], [1, 1]], "b": [[0, 0], [0, 1]]})
        >>> models.save(path)
        >>> OutcomeSet.load(path) == models
        True
        """
        write(path, content_of(self, metadata, part))

    @classmethod
    def load(cls, path: Place) -> Self:
        """Load saved counts; ``SavedCounts.load`` also gives the metadata."""
        content = read(path)
        return cls._of_tables(content.tasks, conditions_of(content), costs_of(content))

    def _tables(self) -> Any:
        """Return the models of each task; None is the task of a set without tasks."""
        return {None: dict(cast("Any", self))}

    def _known_conditions(self) -> dict[str, Any]:
        """Return the conditions of each model that has any."""
        return {name: each for name, each in cast("Any", self).conditions.items() if each}

    @classmethod
    def _of_tables(cls, tasks: Any, conditions: dict[str, dict[str, Any]], costs: dict[Any, Any]) -> Self:
        if None not in tasks:
            raise OutcomeError("the file holds several tasks, not one set of models", hint="scorio.Suite.load reads it")
        made: Self = cast("Any", cls)._of(tasks[None], conditions, costs.get(None))
        return made


class SuiteStorage(SetStorage):
    """What a suite can do with files."""

    __slots__ = ()

    def _tables(self) -> Any:
        return {task: dict(outcomes) for task, outcomes in cast("Any", self).items()}

    def _known_conditions(self) -> dict[str, Any]:
        """Return the conditions that each model has on all its tasks."""
        of_model: dict[str, list[Any]] = {}
        for outcomes in cast("Any", self).values():
            for name, each in outcomes.conditions.items():
                of_model.setdefault(name, []).append(dict(each))
        return {name: each[0] for name, each in of_model.items() if each[0] and all(one == each[0] for one in each)}

    @classmethod
    def _of_tables(cls, tasks: Any, conditions: dict[str, dict[str, Any]], costs: dict[Any, Any]) -> Self:
        if None in tasks:
            hint = "scorio.OutcomeSet.load reads it"
            raise OutcomeError("the file holds one set of models, without tasks", hint=hint)
        made: Self = cast("Any", cls)._of_sets(
            {
                task: (models, {name: conditions[name] for name in models if name in conditions}, costs.get(task))
                for task, models in tasks.items()
            }
        )
        return made
