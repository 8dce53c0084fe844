"""The one place that makes an OutcomeSet of runs: trials added up, duplicates refused, questions lined up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import OutcomeError, ParameterError
from ..labels import listed
from ..outcome_set import OutcomeSet
from ..outcomes import OutcomeMatrix
from .records import Run, Source, Trial
from .trial_set import TrialSet

_MOST_LEVELS = 1000
_POLICIES = ("omit", "fail", "raise")


@dataclass
class _Asked:
    """The trials of one question in one run: how many were planned, how many each has, and where its outcome is."""

    planned: int = 0
    times: dict[Hashable, int] = field(default_factory=dict)
    sources: dict[Hashable, Source] = field(default_factory=dict)

    @property
    def meant(self) -> int:
        """Trials meant to be run: those that were planned, or more where more are there."""
        return max(self.planned, sum(self.times.values()))

    def given(self, key: Hashable) -> tuple[Hashable, Source] | None:
        """A trial that was given before, and where."""
        if not isinstance(key, TrialSet):
            return (key, self.sources[key]) if key in self.sources else None
        for other, source in self.sources.items():
            shared = other.shared(key) if isinstance(other, TrialSet) else None
            if shared is not None:
                return shared, source
        return None


@dataclass
class _Model:
    """What is known of one model while its runs come in, by question; ``path`` is the first file it is in."""

    path: Path
    counts: dict[str, dict[float, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    runs: dict[str, dict[str, _Asked]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(_Asked)))

    def plan(self, label: str, identity: str, trials: int) -> None:
        """Plan trials of a run."""
        asked = self.runs[label][identity]
        asked.planned = max(asked.planned, trials)

    def add(self, source: Source, label: str, trial: Trial) -> None:
        """Count one trial; a trial that had no outcome before may have one now."""
        asked = self.runs[label][source.run.identity]
        asked.times[trial.key] = trial.times
        if trial.outcome is None and not isinstance(trial.key, TrialSet):
            return
        twice = asked.given(trial.key)
        if twice is not None:
            raise OutcomeError(_twice(*twice, source, label))
        asked.sources[trial.key] = source
        if trial.outcome is not None and trial.times:
            self.counts[label][trial.outcome] += trial.times

    def meant(self, label: str) -> int:
        """Trials meant to be run, over all runs."""
        return sum(asked.meant for asked in self.runs[label].values())


def assembled(sources: Sequence[Source], missing: str) -> OutcomeSet:
    """The outcomes of every model on the same questions."""
    if missing not in _POLICIES:
        raise ParameterError(f"missing must be 'omit', 'fail' or 'raise'; got {missing!r}")
    _demand_one_measure(sources)
    _demand_same_questions(sources)
    several = len({source.run.task for source in sources}) > 1
    clusters = _clusters(sources, several)
    models: dict[str, _Model] = {}
    for source in sources:
        _take(models.setdefault(source.run.model, _Model(source.path)), source, several)
    _demand_outcomes(models)
    _complete(models)
    lowest = min({0.0} | _rewards(models))
    for name, model in models.items():
        _settle(name, model, missing, lowest)
    levels = _scale(_rewards(models))
    return OutcomeSet({name: _matrix(model, clusters, levels) for name, model in models.items()})


def _take(model: _Model, source: Source, several: bool) -> None:
    run = source.run
    for question, trials in run.planned.items():
        model.plan(_label(run, question, several), run.identity, trials)
    for trial in run.trials:
        model.add(source, _label(run, trial.question, several), trial)


def _label(run: Run, question: str, several: bool) -> str:
    return f"{run.task}/{question}" if several else question


def _twice(key: Hashable, first: Source, second: Source, label: str) -> str:
    both = f"{first.path}" if first.path == second.path else f"{first.path} and {second.path}"
    return f"{both}: question {label!r} of {first.run.model!r} has trial {key!r} of one run twice"


def _demand_outcomes(models: dict[str, _Model]) -> None:
    first = next(iter(models))
    for name, model in models.items():
        if not model.counts:
            raise OutcomeError(f"{model.path}: no trial of {name!r} has an outcome")
        if not model.runs.keys() & models[first].runs.keys():
            raise OutcomeError(f"{model.path}: {name!r} has no question that {first!r} has: {listed(model.runs)}")


def _complete(models: dict[str, _Model]) -> None:
    """Plan the questions that others have for every model, as often as the most often asked of its own."""
    asked = dict.fromkeys(label for model in models.values() for label in model.runs)
    for model in models.values():
        most = max(map(model.meant, model.runs))
        for label in asked:
            if label not in model.runs:
                model.plan(label, "", most)


def _settle(name: str, model: _Model, missing: str, lowest: float) -> None:
    """Apply the policy for trials that were meant to be run and have no outcome."""
    if missing == "omit":
        return
    for label in model.runs:
        absent = model.meant(label) - sum(model.counts[label].values())
        if absent and missing == "raise":
            what = f"{absent} trials of question {label!r} of {name!r}"
            raise OutcomeError(f'{model.path}: {what} have no outcome; missing="omit" leaves them out')
        if absent:
            model.counts[label][lowest] += absent


def _rewards(models: dict[str, _Model]) -> set[float]:
    return {reward for model in models.values() for counts in model.counts.values() for reward in counts}


def _scale(rewards: set[float]) -> list[float]:
    """The distinct rewards, ascending; a scale has two ends."""
    found = rewards | ({1.0} if rewards == {0.0} else {0.0} if len(rewards) == 1 else set())
    if len(found) > _MOST_LEVELS:
        raise OutcomeError(f"there are {len(found)} distinct rewards; round them to at most {_MOST_LEVELS} levels")
    return sorted(found)


def _matrix(model: _Model, clusters: dict[str, str] | None, levels: list[float]) -> OutcomeMatrix:
    where = {level: i for i, level in enumerate(levels)}
    counts = np.zeros((len(model.runs), len(levels)), np.int64)
    for row, label in enumerate(model.runs):
        for level, count in model.counts[label].items():
            counts[row, where[level]] = count
    return OutcomeMatrix.from_counts(
        counts,
        planned=[model.meant(label) for label in model.runs],
        questions=model.runs,
        clusters=None if clusters is None else [clusters.get(label, label) for label in model.runs],
        levels=None if levels == [0.0, 1.0] else levels,
    )


def _clusters(sources: Sequence[Source], several: bool) -> dict[str, str] | None:
    """The cluster of each question that was asked; None where no question has any."""
    found: dict[str, str] = {}
    without: dict[str, Source] = {}
    for source in sources:
        for trial in source.run.trials:
            label = _label(source.run, trial.question, several)
            if trial.cluster is None:
                without[label] = source
            elif found.setdefault(label, trial.cluster) != trial.cluster:
                both = f"{found[label]!r} and {trial.cluster!r}"
                raise OutcomeError(f"{source.path}: question {label!r} is in two clusters, {both}")
    lost = without.keys() - found.keys()
    if found and lost:
        raise OutcomeError(f"{without[min(lost)].path}: question {min(lost)!r} is in no cluster, others are")
    return found or None


def _demand_one_measure(sources: Sequence[Source]) -> None:
    first: dict[str | None, Source] = {}
    for source in [source for source in sources if source.run.measure]:
        other = first.setdefault(source.run.task, source)
        if other.run.measure != source.run.measure:
            raise OutcomeError(
                f"{other.path} is scored by {other.run.measure!r}, {source.path} by {source.run.measure!r}:"
                " choose one with metric=... (and filter=...)"
            )


def _demand_same_questions(sources: Sequence[Source]) -> None:
    """Check that a question that several files have is the same one."""
    first: dict[tuple[str | None, str], tuple[str, Source]] = {}
    for source in sources:
        for question, mark in source.run.fingerprints.items():
            known, other = first.setdefault((source.run.task, question), (mark, source))
            if known != mark:
                raise OutcomeError(f"question {question!r} is another document in {source.path} than in {other.path}")


def demand_tasks(tasks: Sequence[str | None]) -> None:
    """Check that there is one task where the user chose none."""
    if len(set(tasks)) > 1:
        names = listed(sorted(str(task) for task in set(tasks)))
        raise OutcomeError(f"there are several tasks, choose one or a pattern with task=... ('*' keeps all): {names}")
