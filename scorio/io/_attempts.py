"""Attempts at one run: a retry holds the trials of earlier attempts again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from ._records import Run, Source


def without_repeats(sources: Sequence[Source]) -> list[Source]:
    """Return the sources with each trial in one attempt: the last that has an outcome for it, else the last."""
    runs: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, source in enumerate(sources):
        if source.run.attempt:
            runs[source.run.model, source.run.identity].append(i)
    kept = list(sources)
    for indices in runs.values():
        if len({sources[i].run.attempt for i in indices}) > 1:
            for i, run in zip(indices, _each_trial_once([sources[i].run for i in indices]), strict=True):
                kept[i] = replace(sources[i], run=run)
    return kept


def _each_trial_once(runs: Sequence[Run]) -> list[Run]:
    """Return attempts at one run, each without the trials that another one keeps."""
    last: dict[tuple[str, Hashable], tuple[bool, str]] = {}  # per trial whether it has an outcome, and the attempt
    for run in runs:
        trials = run.columns
        for question, key, outcome in zip(trials.questions, trials.keys, trials.outcomes, strict=True):
            trial = question, key
            last[trial] = max(last.get(trial, (False, "")), (outcome is not None, run.attempt))
    return [_without(run, {trial for trial, (_, attempt) in last.items() if attempt != run.attempt}) for run in runs]


def _without(run: Run, elsewhere: set[tuple[str, Hashable]]) -> Run:
    trials = run.columns
    rows = list(zip(trials.questions, trials.keys, strict=True))
    kept = [row for row, trial in enumerate(rows) if trial not in elsewhere]
    dropped = str(len(rows) - len(kept) or "")
    notes = {**run.notes, "counted in other attempts": dropped}
    costs = {name: [own[row] for row in kept] for name, own in run.trial_costs.items() if isinstance(own, list)}
    return replace(run, trials=trials.picked(kept), trial_costs=costs, notes=notes)
