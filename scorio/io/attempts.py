"""Attempts at one run: a run that is tried again has the trials that were done before once more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace

from .records import Run, Source


def standing(sources: Sequence[Source]) -> list[Source]:
    """The sources with every trial of a run in one attempt: the last that gave it an outcome, else the last."""
    runs: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, source in enumerate(sources):
        if source.run.attempt:
            runs[source.run.model, source.run.identity].append(i)
    left = list(sources)
    for places in runs.values():
        if len({sources[i].run.attempt for i in places}) > 1:
            for i, run in zip(places, _standing([sources[i].run for i in places]), strict=True):
                left[i] = replace(sources[i], run=run)
    return left


def _standing(runs: Sequence[Run]) -> list[Run]:
    """Attempts at one run without the trials that stand in another; two files of one attempt keep theirs."""
    last: dict[tuple[str, Hashable], tuple[bool, str]] = {}
    for run in runs:
        trials = run.columns
        for question, key, outcome in zip(trials.questions, trials.keys, trials.outcomes, strict=True):
            asked = question, key
            last[asked] = max(last.get(asked, (False, "")), (outcome is not None, run.attempt))
    return [_without(run, {asked for asked, (_, attempt) in last.items() if attempt != run.attempt}) for run in runs]


def _without(run: Run, elsewhere: set[tuple[str, Hashable]]) -> Run:
    trials = run.columns
    asked = list(zip(trials.questions, trials.keys, strict=True))
    kept = [row for row, each in enumerate(asked) if each not in elsewhere]
    dropped = str(len(asked) - len(kept) or "")
    notes = {**run.notes, "counted in other attempts": dropped}
    return replace(run, trials=trials.picked(kept), notes=notes)
