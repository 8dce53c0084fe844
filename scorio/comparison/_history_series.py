"""One model on one task over several runs: its scores, the changes that are called, and what else changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._display.words import pluralize, shorten
from ..errors import OutcomeError
from ..inference._prior import PriorLike
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ._difference_law import law_of
from ._questions import shared_questions
from ._two_models import compare

_COMPLETENESS = 0.01  # a smaller change of completeness is not worth a warning


@dataclass(frozen=True)
class PastRun:
    """The outcomes of one run, and what else is known of it.

    ``facts`` are settings by name, such as the judge or the version of the dataset; ``fingerprints`` have a text per
    question that differs if the question does. Both only serve to say what changed from run to run.
    """

    outcomes: Any
    facts: Mapping[str, str] = field(default_factory=dict)
    fingerprints: Mapping[Any, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryPoint:
    """A run of a series: its score with an interval, and its difference from the runs since the last called change.

    ``lo`` and ``hi`` are the interval of the score; ``difference``, ``difference_lo`` and ``difference_hi`` are those
    of the comparison, whose interval is corrected for the number of comparisons, and None for the first run.
    ``change`` is ``"improved"``, ``"worse"`` or empty. ``drift`` says what else is different from the run before.
    """

    run: str
    score: float | None
    mu: float
    lo: float
    hi: float
    n_questions: int
    n_trials: int
    completeness: float
    difference: float | None = None
    difference_lo: float | None = None
    difference_hi: float | None = None
    p_value: float | None = None
    change: str = ""
    drift: tuple[str, ...] = ()


class Rules(NamedTuple):
    """How runs are scored and compared: ``error`` is the probability of a false call in one comparison."""

    metric: Metric
    confidence: float
    error: float
    target: str
    prior: PriorLike


@dataclass(frozen=True)
class HistorySeries:
    """The runs of one model on one task, oldest first."""

    task: str
    model: str
    metric: str
    points: tuple[HistoryPoint, ...]

    @property
    def name(self) -> str:
        """The model and the task."""
        return f"{self.model}, {self.task}" if self.task else self.model

    @property
    def changes(self) -> tuple[HistoryPoint, ...]:
        """The runs at which a change is called."""
        return tuple(point for point in self.points if point.change)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One flat record per run."""
        about = {"task": self.task, "model": self.model, "metric": self.metric}
        return [about | vars(point) | {"drift": "; ".join(point.drift)} for point in self.points]


def points_of(runs: Mapping[str, PastRun], rules: Rules) -> tuple[HistoryPoint, ...]:
    """Return the points of a series; every run is compared with all runs since the last called change together."""
    found: list[HistoryPoint] = []
    before: PastRun | None = None
    segment: list[OutcomeMatrix] = []
    for label, run in runs.items():
        try:
            point = _scored(label, run.outcomes, rules)
            if before is not None:
                point = _compared(point, segment, run.outcomes, rules)
                point = replace(point, drift=tuple(drift(before, run)))
        except OutcomeError as error:
            raise error.at(f"run {label}") from None
        segment = [run.outcomes] if point.change else [*segment, run.outcomes]
        found.append(point)
        before = run
    return tuple(found)


def _scored(label: str, outcomes: OutcomeMatrix, rules: Rules) -> HistoryPoint:
    interval = rules.metric.interval(
        outcomes, rules.confidence, prior=rules.prior, shape="quantile", target=rules.target
    )
    score = rules.metric.observed(outcomes, too_few="nan")
    extent = (outcomes.n_questions, int(outcomes.trials.sum()), outcomes.completeness)
    known = None if np.isnan(score) else float(score)
    return HistoryPoint(label, known, interval.mu, interval.lo, interval.hi, *extent)


def _compared(
    point: HistoryPoint, segment: Sequence[OutcomeMatrix], outcomes: OutcomeMatrix, rules: Rules
) -> HistoryPoint:
    """Return the point with its difference from the earlier runs together, on the questions that all of them have."""
    pair = _on_shared_questions(segment, outcomes)
    if pair is None:
        return point
    about: dict[str, Any] = {"target": rules.target, "prior": rules.prior}
    result = compare(rules.metric, *pair, confidence=1.0 - rules.error, **about)
    law = law_of(result, rules.error / 2.0)
    p_value = min(2.0 * min(law.p_at_most(0.0), law.p_at_least(0.0)), 1.0)
    is_called = p_value <= rules.error and result.difference != 0.0
    change = ("improved" if result.difference > 0.0 else "worse") if is_called else ""
    return replace(
        point,
        difference=result.difference,
        difference_lo=result.lo,
        difference_hi=result.hi,
        p_value=p_value,
        change=change,
    )


def _on_shared_questions(
    segment: Sequence[OutcomeMatrix], outcomes: OutcomeMatrix
) -> tuple[OutcomeMatrix, OutcomeMatrix] | None:
    """Return the outcomes, and the earlier ones added up, on the questions of both; None if there is none."""
    earlier: OutcomeMatrix | None = None
    for each in segment:
        pair = _shared(each, outcomes)
        if pair is not None:
            earlier, outcomes = pair if earlier is None else _merged(earlier, *pair)
    return None if earlier is None else (outcomes, earlier)


def _merged(earlier: OutcomeMatrix, one: OutcomeMatrix, outcomes: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix]:
    if earlier.questions is not None:
        earlier = earlier.select([label for label in earlier.questions if label in set(outcomes.questions or ())])
    return earlier.merge(one), outcomes


def _shared(one: OutcomeMatrix, other: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix] | None:
    if one.questions is None and other.questions is None:
        return (one, other) if one.n_questions == other.n_questions else None
    if one.questions is None or other.questions is None or not set(one.questions) & set(other.questions):
        return None
    first, second = shared_questions(one, other)
    return first, second


def drift(before: PastRun, run: PastRun) -> list[str]:
    """Say what is different from the run before, besides the outcomes."""
    return [*_questions_changed(before, run), *_completeness_changed(before, run), *_facts_changed(before, run)]


def _questions_changed(before: PastRun, run: PastRun) -> list[str]:
    old, new = before.outcomes, run.outcomes
    if old.questions is None or new.questions is None:
        changed = old.n_questions != new.n_questions
        return [f"dataset: {new.n_questions:,} questions, before {old.n_questions:,}"] if changed else []
    added, removed = (len(set(a) - set(b)) for a, b in ((new.questions, old.questions), (old.questions, new.questions)))
    counts = [
        f"{pluralize(count, 'question')} {what}" for count, what in ((added, "added"), (removed, "removed")) if count
    ]
    both = before.fingerprints.keys() & run.fingerprints.keys()
    texts = [
        label for label in new.questions if label in both and before.fingerprints[label] != run.fingerprints[label]
    ]
    if texts:
        counts.append(f"{pluralize(len(texts), 'question')} with another text, {shorten(texts[:3])}")
    return [f"dataset: {', '.join(counts)}"] if counts else []


def _completeness_changed(before: PastRun, run: PastRun) -> list[str]:
    old, new = before.outcomes.completeness, run.outcomes.completeness
    return [f"completeness: {new:.1%}, before {old:.1%}"] if abs(new - old) > _COMPLETENESS else []


def _facts_changed(before: PastRun, run: PastRun) -> list[str]:
    """Return the settings that differ; a run of which no setting is known, such as saved counts, differs in none."""
    if not before.facts or not run.facts:
        return []
    names = sorted({*before.facts, *run.facts})
    return [
        f"{name}: {run.facts.get(name, 'unset')}, before {before.facts.get(name, 'unset')}"
        for name in names
        if before.facts.get(name) != run.facts.get(name)
    ]
