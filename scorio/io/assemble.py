"""The one place that makes an OutcomeSet of runs: trials added up, duplicates refused, questions lined up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from ..errors import OutcomeError, ParameterError
from ..labels import listed
from ..outcome_set import OutcomeSet
from ..outcomes import OutcomeMatrix
from .pile import Counts, Part, Pile, part_of
from .records import Source

_MOST_LEVELS = 1000
_POLICIES = ("omit", "fail", "raise")
_Asked = Mapping[str, Mapping[str, None]]  # the questions of each model, in order


def assembled(sources: Sequence[Source], missing: str) -> OutcomeSet:
    """The outcomes of every model on the same questions."""
    if missing not in _POLICIES:
        raise ParameterError(f"missing must be 'omit', 'fail' or 'raise'; got {missing!r}")
    _demand_one_measure(sources)
    _demand_same_questions(sources)
    several = len({source.run.task for source in sources}) > 1
    parts = [part_of(source, several=several) for source in sources]
    clusters = _clusters(parts)
    asked: dict[str, dict[str, None]] = {}
    for part in parts:
        asked.setdefault(part.source.run.model, {}).update(dict.fromkeys(chain(part.planned, part.labels)))
    questions = list(dict.fromkeys(chain.from_iterable(asked.values())))
    pile = Pile(parts, list(asked), questions)
    pile.demand_once()
    paths = {part.source.run.model: part.source.path for part in reversed(parts)}
    _demand_outcomes(pile, asked, paths)
    meant = pile.meant()
    absent = meant - pile.present()
    if missing == "raise":
        _demand_all(absent, asked, questions, paths)
    levels, counts = _on_levels(pile, absent * (missing == "fail"))
    return OutcomeSet(
        {
            name: OutcomeMatrix.from_counts(
                counts[i],
                planned=meant[i],
                questions=questions,
                clusters=None if clusters is None else [clusters.get(label, label) for label in questions],
                levels=None if levels == [0.0, 1.0] else levels,
            )
            for i, name in enumerate(asked)
        }
    )


def _demand_outcomes(pile: Pile, asked: _Asked, paths: Mapping[str, Path]) -> None:
    scored, first = pile.scored(), next(iter(asked))
    for i, (name, labels) in enumerate(asked.items()):
        if not scored[i]:
            raise OutcomeError(f"{paths[name]}: no trial of {name!r} has an outcome")
        if labels.keys().isdisjoint(asked[first]):
            raise OutcomeError(f"{paths[name]}: {name!r} has no question that {first!r} has: {listed(labels)}")


def _demand_all(absent: Counts, asked: _Asked, questions: Sequence[str], paths: Mapping[str, Path]) -> None:
    """Check that every trial that was meant to be run has an outcome."""
    for name, lost in zip(asked, absent, strict=True):
        if lost.any():
            count = dict(zip(questions, lost.tolist(), strict=True))
            label = next(label for label in chain(asked[name], questions) if count[label])
            what = f"{count[label]} trials of question {label!r} of {name!r}"
            raise OutcomeError(f'{paths[name]}: {what} have no outcome; missing="omit" leaves them out')


def _on_levels(pile: Pile, failed: Counts) -> tuple[list[float], Counts]:
    """The distinct rewards, ascending, and the trials by model, question and reward; a scale has two ends."""
    rewards = pile.rewards()
    lowest = min(0.0, *rewards)
    found = rewards | ({lowest} if failed.any() else set())
    found |= {1.0} if found == {0.0} else {0.0} if len(found) == 1 else set()
    if len(found) > _MOST_LEVELS:
        raise OutcomeError(f"there are {len(found)} distinct rewards; round them to at most {_MOST_LEVELS} levels")
    levels = sorted(found)
    counts = pile.counts(levels)
    if failed.any():
        counts[:, :, 0] += failed
    return levels, counts


def _clusters(parts: Sequence[Part]) -> dict[str, str] | None:
    """The cluster of each question that was asked; None where no question has any."""
    if all(set(part.trials.clusters) <= {None} for part in parts):
        return None
    found: dict[str, str] = {}
    without: dict[str, Source] = {}
    for part in parts:
        for label, cluster in dict.fromkeys(zip(part.labels, part.trials.clusters, strict=True)):
            if cluster is None:
                without[label] = part.source
            elif found.setdefault(label, cluster) != cluster:
                both = f"{found[label]!r} and {cluster!r}"
                raise OutcomeError(f"{part.source.path}: question {label!r} is in two clusters, {both}")
    lost = without.keys() - found.keys()
    if lost:
        raise OutcomeError(f"{without[min(lost)].path}: question {min(lost)!r} is in no cluster, others are")
    return found


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
