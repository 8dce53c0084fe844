"""History: the scores of the same models and tasks over runs, the changes that are called, and what else changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, ClassVar, Unpack

import numpy as np

from .._base.arrays import underflow_is_zero
from .._base.choices import AUTO, INDEPENDENT, RANDOM
from .._base.exports import Exports
from .._base.numbers import FORECAST, number, percent, signed, signed_span, span
from .._base.options import accepted, takes
from .._base.table import Field
from .._base.words import pluralize, shorten, subject
from ..errors import OutcomeError
from ..estimates._tasks import ONLY, as_tasks, default_metric
from ..inference._terms import RunOptions, Terms
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..metrics._runs import warn_of_runs
from ..outcomes import OutcomeMatrix
from ..params import choice
from ._two_models import PairTerms, compared, shared_questions

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
    """A run of a model on a task: its score with an interval, and its difference from the runs since the last change.

    ``lo`` and ``hi`` are the interval of the score; ``difference``, ``difference_lo`` and ``difference_hi`` are those
    of the comparison, whose interval is corrected for the number of comparisons, and None for the first run.
    ``change`` is ``"improved"``, ``"worse"`` or empty. ``drift`` says what else is different from the run before.
    """

    task: str
    model: str
    metric: str
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
    drift: str = ""

    @property
    def name(self) -> str:
        """The model and the task."""
        return f"{self.model}, {self.task}" if self.task else self.model


def _points_of(
    runs: Mapping[str, PastRun], about: tuple[str, str], metric: Metric, confidence: float, terms: PairTerms
) -> list[HistoryPoint]:
    """Return the points of a model on a task; every run is compared with all since the last called change together."""
    points: list[HistoryPoint] = []
    segment: list[OutcomeMatrix] = []
    before: PastRun | None = None
    given: dict[str, Any] = {"prior": terms.prior, "target": terms.target, "runs": terms.runs}
    for label, run in runs.items():
        outcomes = run.outcomes
        try:
            interval = metric.interval(outcomes, confidence, **given)
            score = metric.score(outcomes, too_few="nan")
            seen: list[Any] = [None if np.isnan(score) else float(score), interval.mu, interval.lo, interval.hi]
            seen += [outcomes.n_questions, int(outcomes.trials.sum()), outcomes.completeness]
            point = HistoryPoint(*about, str(metric), label, *seen)
            if before is not None:
                change = _change(segment, outcomes, metric, terms)
                point = replace(point, **change, drift="; ".join(drift(before, run)))
        except OutcomeError as error:
            raise error.at(f"run {label}") from None
        segment = [outcomes] if point.change else [*segment, outcomes]
        points.append(point)
        before = run
    return points


def _change(
    segment: Sequence[OutcomeMatrix], outcomes: OutcomeMatrix, metric: Metric, terms: PairTerms
) -> dict[str, Any]:
    """Return the difference from the earlier runs together, on the questions that all of them have, if there are any.

    Runs of other questions are left out.
    """
    together: OutcomeMatrix | None = None
    for earlier_run in segment:
        try:
            earlier, outcomes = shared_questions(earlier_run, outcomes)
        except OutcomeError:
            continue
        if together is not None and together.questions is not None:
            shared = set(outcomes.questions or ())
            together = together.select([label for label in together.questions if label in shared])
        together = earlier if together is None else together.merge(earlier)
    if together is None:
        return {}
    result = compared(metric, [metric], {ONLY: (outcomes, together)}, {ONLY: 1.0}, terms).result
    change = "" if result.winner is None else "improved" if result.difference > 0.0 else "worse"
    ends = {"difference": result.difference, "difference_lo": result.lo, "difference_hi": result.hi}
    return ends | {"p_value": result.p_value, "change": change}


def drift(before: PastRun, run: PastRun) -> list[str]:
    """Say what is different from the run before, besides the outcomes.

    A run of which no setting is known, such as saved counts, differs in none.
    """
    changed, old, new = _questions_changed(before, run), before.outcomes.completeness, run.outcomes.completeness
    if abs(new - old) > _COMPLETENESS:
        changed.append(f"completeness: {new:.1%}, before {old:.1%}")
    for name in sorted({*before.facts, *run.facts}) if before.facts and run.facts else ():
        then, now = (past.facts.get(name, "unset") for past in (before, run))
        if then != now:
            changed.append(f"{name}: {now}, before {then}")
    return changed


def _questions_changed(before: PastRun, run: PastRun) -> list[str]:
    old, new = before.outcomes, run.outcomes
    if old.questions is None or new.questions is None:
        changed = old.n_questions != new.n_questions
        return [f"dataset: {new.n_questions:,} questions, before {old.n_questions:,}"] if changed else []
    changed = {"added": set(new.questions) - set(old.questions), "removed": set(old.questions) - set(new.questions)}
    counts = [f"{pluralize(len(labels), 'question')} {what}" for what, labels in changed.items() if labels]
    both = before.fingerprints.keys() & run.fingerprints.keys()
    texts = [
        label for label in new.questions if label in both and before.fingerprints[label] != run.fingerprints[label]
    ]
    if texts:
        counts.append(f"{pluralize(len(texts), 'question')} with another text, {shorten(texts[:3])}")
    return [f"dataset: {', '.join(counts)}"] if counts else []


Parts = Mapping[tuple[str, str], Mapping[str, PastRun]]  # the runs by label, of each task and model


@dataclass(frozen=True)
class History(Exports):
    """The runs of every model and task, oldest first, in ``rows``: scores, called changes and drift.

    At most ``1 - confidence`` of all histories without any change have a called one. ``smallest_change`` says what
    could be called at all.
    """

    rows: tuple[HistoryPoint, ...]
    confidence: float
    target: str
    comparisons: int
    runs: str = INDEPENDENT
    _also: ClassVar = ("smallest_change",)
    _columns: ClassVar = (
        Field("task", of="task", unless=""),
        Field("model", of="model"),
        Field("run", of="run"),
        Field("questions", True, "n_questions", "{:,}".format),
        Field("trials", True, "n_trials", "{:,}".format),
        Field("score", True, "score", number, missing=FORECAST),
        Field("interval", True, "lo hi", span),
        Field("difference", True, "difference", signed, missing=""),
        Field("interval", True, "difference_lo difference_hi", signed_span, missing=""),
        Field("change", of="change"),
        Field("drift", of="drift"),
    )

    @property
    def series(self) -> dict[str, list[HistoryPoint]]:
        """The runs of each model on each task."""
        series: dict[str, list[HistoryPoint]] = {}
        for point in self.rows:
            series.setdefault(point.name, []).append(point)
        return series

    @property
    def changes(self) -> tuple[HistoryPoint, ...]:
        """The runs at which a change is called."""
        return tuple(point for point in self.rows if point.change)

    @property
    def drift(self) -> tuple[HistoryPoint, ...]:
        """The runs at which anything but the outcomes changed."""
        return tuple(point for point in self.rows if point.drift)

    @property
    def smallest_change(self) -> float | None:
        """About how large a change must be to be called: half the median width of the differences' intervals.

        None if there is no comparison.
        """
        ends = [(point.difference_lo, point.difference_hi) for point in self.rows]
        widths = [(hi - lo) / 2.0 for lo, hi in ends if lo is not None and hi is not None]
        return median(widths) if widths else None

    @property
    def extent(self) -> str:
        """How many runs and series there are."""
        return f"{pluralize(len({point.run for point in self.rows}), 'run')}, {len(self.series)} series"

    def __str__(self) -> str:
        drifted = len({point.run for point in self.drift})
        more = [f"{pluralize(drifted, 'run')} under other circumstances"] if drifted else []
        if not self.comparisons:
            return "; ".join(["nothing to compare: every model has one run of each task", *more])
        said = [f"{point.change} at {point.run} ({point.name})" for point in self.changes]
        count = f"{pluralize(len(said), 'change')} in {pluralize(self.comparisons, 'comparison')}"
        return "; ".join([count, *said, *more])

    def as_sentence(self) -> str:
        return str(self)

    @property
    def as_title(self) -> str:
        about = f"{percent(self.confidence)} intervals for {subject(self.target, self.runs)}"
        return f"{self.extent}: scores with {about}"

    def _notes(self) -> list[str]:
        notes = []
        if self.comparisons:
            notes.append(
                "difference: from all runs since the last called change; intervals and changes are corrected for "
                + pluralize(self.comparisons, "comparison")
            )
        if self.smallest_change is not None:
            least = number(self.smallest_change)
            notes.append(f"a change of less than about {least} is rarely called from so few trials")
        return notes


@takes(RunOptions, Terms)
@underflow_is_zero
def analyze_history(
    metric: Metric | str | None,
    evaluations: Mapping[Any, Any],
    *,
    model: str | Iterable[str] | None = None,
    **options: Unpack[RunOptions],
) -> History:
    """Return the scores of models over evaluations, oldest first, with the changes that are called.

    ``evaluations`` maps a label, such as a date or a commit, to outcomes of one model, an ``OutcomeSet``, a ``Suite``,
    or a ``PastRun``, which also knows the settings and the texts of the questions; or a pair of a task and a model to
    such runs by label. Every run of a model on a task is compared with all since the last called change together, on
    the questions that they share. The error rate is divided by the number of comparisons: a history without any change
    has a called one with probability at most ``1 - confidence``. Whatever else differs from the run before (questions,
    completeness, settings) is listed as drift: a change at such a run need not be one of the model.

    ``runs`` is that of ``Metric.interval``: with ``"random"``, every evaluation needs at least two runs that its trials
    belong to. Runs of different evaluations are different runs, whatever their labels.

    ``metric`` None is Pass@1, or Bayes@N for rewards. ``model`` chooses one model or several.

    >>> from scorio import OutcomeMatrix
    >>> counts = {"2026-01-05": [9, 8, 5, 10], "2026-02-02": [8, 9, 4, 10], "2026-03-02": [3, 2, 0, 6]}
    >>> nights = {date: OutcomeMatrix.from_counts(each, 10) for date, each in counts.items()}
    >>> result = analyze_history("pass@1", nights)
    >>> print(result)
    1 change in 2 comparisons; worse at 2026-03-02 (model)
    >>> round(result.smallest_change, 2)
    0.18
    """
    asked = Terms(**accepted(options, analyze_history))
    parts = _parts_of(evaluations, [model] if isinstance(model, str) else model)
    comparisons = sum(len(part) - 1 for part in parts.values())
    error = (1.0 - asked.confidence) / max(comparisons, 1)
    settled_runs = RANDOM if asked.runs == RANDOM else INDEPENDENT
    about: dict[str, Any] = {"target": asked.target, "prior": asked.prior, "runs": settled_runs}
    terms = PairTerms(confidence=1.0 - error, shared_only=True, **about)
    points: list[HistoryPoint] = []
    for (task, name), part in parts.items():
        past = {label: replace(run, outcomes=_own_runs(run.outcomes, label)) for label, run in part.items()}
        matrices: list[OutcomeMatrix] = [run.outcomes for run in past.values()]
        by = default_metric(matrices) if metric is None else as_metric(metric)
        try:
            if asked.runs == AUTO:
                warn_of_runs(by, matrices)
            points += _points_of(past, (task, name), by, asked.confidence, terms)
        except OutcomeError as problem:
            raise problem.at(f"task {task}" if task else name) from None
    return History(tuple(points), asked.confidence, asked.target, comparisons, settled_runs)


def _parts_of(evaluations: Mapping[Any, Any], chosen: Iterable[str] | None) -> Parts:
    if not isinstance(evaluations, Mapping) or not evaluations:
        raise OutcomeError("a history needs a mapping from labels to evaluations, with at least one")
    parts: dict[tuple[str, str], dict[str, PastRun]] = {}
    for label, evaluation in evaluations.items():
        if isinstance(label, tuple):
            parts[label] = evaluation
            continue
        run = evaluation if isinstance(evaluation, PastRun) else PastRun(evaluation)
        try:
            tasks = as_tasks(run.outcomes)
        except OutcomeError as error:
            raise error.at(f"run {label}") from None
        for task, models in tasks.items():
            for name in models:
                past = PastRun(models[name], run.facts, run.fingerprints)
                parts.setdefault((task, name), {})[str(label)] = past
    names = list(dict.fromkeys(name for _, name in parts))
    kept = names if chosen is None else [choice("model", name, names) for name in chosen]
    return {key: part for key, part in parts.items() if key[1] in kept}


def _own_runs(outcomes: OutcomeMatrix, label: str) -> OutcomeMatrix:
    """Return the outcomes with runs that those of other evaluations are not, whatever their labels."""
    runs = outcomes.trial_columns.runs
    if runs is None:
        return outcomes
    named = replace(runs, labels=tuple((label, run) for run in runs.labels))
    return outcomes.replaced(trial_columns=replace(outcomes.trial_columns, runs=named))
