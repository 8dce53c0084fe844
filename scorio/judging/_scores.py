"""Corrected scores of several models, by labels or from a sample of questions, and ranks by them."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from .._base.arrays import underflow_is_zero
from .._base.exports import Exports
from .._base.numbers import DIGITS, chance, number, percent, signed, span
from .._base.table import Field, Table
from .._base.words import SUBJECT, shorten, unknown
from ..errors import OutcomeError
from ..estimates._family import holm
from ..inference import Interval
from ..inference._level import Student
from ..metrics import Metric
from ..metrics._registry import as_metrics
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._agreement import Agreement, measure_agreement
from ._corrected import RectifiedInterval, interval_of, warn_of_labels
from ._estimate import LABELS, Units, asked_units, judged_units
from ._labels import Labels
from ._question_sample import QuestionSample

_Trials = Mapping[str, Mapping[str, Mapping[str, float]]]  # the judge's outcome by model, question and trial
_MOST_LABELS = 10  # more distinct labels are a scale, for which a kappa says little


class ScoreRow(NamedTuple):
    """The corrected score of a model, or of the difference of two, with its rank if models are ranked.

    ``top`` says whether it may be the best.
    """

    metric: str
    model: str
    score: RectifiedInterval
    rank: int | None = None
    top: bool = False

    def record(self) -> dict[str, Any]:
        """Return all values as one flat record."""
        ranked = {} if self.rank is None else {"rank": self.rank, "top": self.top}
        return {"metric": self.metric, "model": self.model, **ranked, **self.score.as_records()[0]}


class RectifiedPair(NamedTuple):
    """The difference of two models, with its p-value alone and corrected by Holm's method for all pairs."""

    metric: str
    first: str
    second: str
    difference: RectifiedInterval
    p_value: float
    p_corrected: float

    @property
    def worse(self) -> str:
        """The model of the lower score."""
        return self.second if self.difference.mu > 0.0 else self.first


def _span(interval: Interval, digits: int = DIGITS) -> str:
    return span(interval.lo, interval.hi, digits)


def _is_better_alone(score: RectifiedInterval) -> bool:
    """Return whether the interval without predictions is clearly narrower than with them."""
    alone = score.labels_alone
    return alone is not None and alone.hi - alone.lo < _CLEARLY * (score.hi - score.lo)


def _estimate(interval: Interval, digits: int = DIGITS) -> str:
    return f"{number(interval.mu, digits)} {_span(interval, digits)}"


_CLEARLY = 0.95  # of a width: less is no difference
_NAMES = (Field("metric", of="metric"), Field("rank", True, "rank", unless=None), Field("model", of="model"))
_CORRECTED = (
    *_NAMES,
    Field("judge alone", True, "score.predicted", number),
    Field("bias", True, "score.bias", signed),
    Field("corrected", True, "score.mu", number),
    Field("interval", True, "score.lo score.hi", span),
    Field("labels alone", True, "score.labels_alone", _span),
    Field("top", of="top", form=("", "*").__getitem__, unless=False),
)
_ESTIMATED = (
    *_NAMES,
    Field("score", True, "score.mu", number),
    Field("interval", True, "score.lo score.hi", span),
    Field("without predictions", True, "score.labels_alone", _span),
)
_DIFFERENCES = (
    Field("metric", of="metric", varies=True),
    Field("first", of="first"),
    Field("second", of="second"),
    Field("difference", True, "difference.mu", signed),
    Field("interval", True, "difference.lo difference.hi", span),
    Field("p", True, "p_value", chance),
    Field("p corrected", True, "p_corrected", chance),
)


@dataclass(frozen=True)
class CorrectedScores(Exports):
    """Scores that labels of people correct, or from a sample of questions; prints as tables.

    ``rows`` has the interval of each ``score``. Where models are ranked, the best comes first, and its ``rank`` is one
    more than the number of models that are significantly better in a comparison of the two, at ``1 - confidence``
    each. ``top`` says that no other model is significantly better after a correction for the number of pairs: the best
    model is among these with probability ``confidence``. ``pairs`` has the ``difference`` of every two models, its
    ``p_value``, and ``p_corrected`` by Holm's method. ``agreements`` say how often the judge agrees with people.
    """

    extent: str
    rows: tuple[ScoreRow, ...]
    pairs: tuple[RectifiedPair, ...] = ()
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    _columns: ClassVar = _NAMES
    _lists: ClassVar = ("rows", "pairs")

    @property
    def as_title(self) -> str:
        return self.extent

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the scores, the differences where models are ranked, and the agreement where it is known."""
        first = self.rows[0].score
        error = percent(round(1.0 - first.confidence, 12))
        columns = _CORRECTED if first.source == LABELS else _ESTIMATED
        more = "; labels alone: without the judge" if first.source == LABELS else f", all {first.n_questions} of them"
        notes, pairs = [f"{percent(first.confidence)} intervals for {SUBJECT[first.target]}{more}"], []
        if better := [row.model for row in self.rows if _is_better_alone(row.score)]:
            what = "of labels alone" if first.source == LABELS else "without predictions"
            notes.append(f"the interval {what} is the narrower one for {', '.join(better)}: report that")
        if self.pairs:
            notes += [f"* no other model is significantly better (family-wise error {error}, Holm's method)"]
            of_pairs = "of each difference alone; p corrected: by Holm's method, family-wise error"
            about = f"intervals and p: {of_pairs} {error}"
            pairs = [Table.of("differences of corrected scores", _DIFFERENCES, self.pairs, [about], digits)]
        return [Table.of(self.extent, columns, self.rows, notes, digits), *pairs, *self._agreements(digits)]

    def _agreements(self, digits: int) -> list[Table]:
        if not self.agreements:
            return []
        labels = dict.fromkeys(label for agreement in self.agreements.values() for label in agreement.rates)
        columns = [
            Field("model", of="model"),
            Field("agreement", True, "share", _estimate),
            Field("kappa", True, "kappa", _estimate),
            *(Field(f"same if {label:g}", True, str(label), _estimate) for label in labels),
        ]
        rows = [
            {"model": name, "share": agreement.share, "kappa": agreement.kappa}
            | {str(label): agreement.rates.get(label) for label in labels}
            for name, agreement in self.agreements.items()
        ]
        note = "same if 1: how often the judge says 1 where people do (sensitivity); same if 0: specificity"
        return [Table.of("agreement of judge and people, trial by trial", columns, rows, [note], digits)]


@underflow_is_zero
def judge_models(
    metrics: Any,
    judged: Any,
    human: Labels | Mapping[str, Any],
    trials: _Trials | None = None,
    *,
    rank: bool = True,
    target: str = "questions",
    confidence: float = 0.95,
) -> CorrectedScores:
    """Correct a judge's scores of several models by labels of people, and rank the models by one or more metrics.

    ``judged`` has the judge's outcomes of all models (an ``OutcomeSet``, or what makes one), ``human`` those of people
    by model, as ``estimate_with_judge`` takes them, or what ``read_labels`` returns. Differences are corrected as such:
    an error of the judge that favors all models alike cancels. For these and for ranks, all models need labels of the
    same questions; with ``rank=False`` they may differ. ``trials`` has the judge's outcome by model, question and
    trial, as ``Reading.named_trials`` returns it: it says how often the judge agrees.

    >>> from scorio import OutcomeMatrix
    >>> judged = {"a": [[1, 1], [1, 1], [1, 0], [1, 1]] * 10, "b": [[1, 1], [0, 1], [0, 0], [1, 0]] * 10}
    >>> human = {"a": {q: [1, q % 2] for q in range(24)}, "b": {q: [0, q % 2] for q in range(24)}}
    >>> board = judge_models("pass@1", judged, human)
    >>> [(row.model, row.rank, row.top) for row in board.rows]
    [('a', 1, True), ('b', 2, False)]
    """
    models = judged if isinstance(judged, OutcomeSet) else OutcomeSet(judged)
    people = _labelled_models(human, models) if isinstance(human, Labels) else _checked(human, models)
    by_metric = {
        metric: {name: judged_units(metric, models[name], people[name]) for name in people}
        for metric in as_metrics(metrics)
    }
    rows, pairs = _rows(by_metric, target, confidence, rank=rank)
    if not isinstance(human, Labels):
        return CorrectedScores(f"{rows[0].score.n_labelled} of {models.n_questions} questions labelled", rows, pairs)
    extent = f"{human}, out of {models.n_questions} questions"
    return CorrectedScores(extent, rows, pairs, _agreements(human, trials or {}, people, confidence))


@underflow_is_zero
def estimate_models(
    metrics: Any,
    outcomes: Any,
    sample: QuestionSample,
    *,
    rank: bool = True,
    target: str = "questions",
    confidence: float = 0.95,
) -> CorrectedScores:
    """Estimate the scores on all questions of models that were asked those of a ``sample``, and rank the models.

    ``outcomes`` are an ``OutcomeSet``, or what makes one, and ``sample`` is what ``choose_questions`` returned. All its
    questions must have been asked; others are not looked at. The mean values of the models that the sample was learned
    from predict the questions that were not asked: a score is unbiased whatever these models are, and its interval is
    narrower where they predict well. In the ``pairs`` are the differences of the models on all questions.

    >>> from scorio import choose_questions
    >>> history = OutcomeSet({"a": [[0], [1], [1], [0]] * 10, "b": [[0], [0], [1], [1]] * 10})
    >>> R = {question: [1, 1] if question % 4 else [0, 1] for question in range(40)}
    >>> score = estimate_models("pass@1", {"new": R}, choose_questions(history, 20)).rows[0].score
    >>> [round(number, 3) for number in score]
    [0.838, 0.043, 0.719, 0.934]
    """
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
    by_metric = {
        metric: {name: asked_units(metric, of_model, sample) for name, of_model in models.items()}
        for metric in as_metrics(metrics)
    }
    return CorrectedScores(str(sample), *_rows(by_metric, target, confidence, rank=rank))


def _rows(
    by_metric: Mapping[Metric, dict[str, Units]], target: str, confidence: float, *, rank: bool
) -> tuple[tuple[ScoreRow, ...], tuple[RectifiedPair, ...]]:
    """Return the scores of models by each metric and, with ``rank``, all differences of two, the better one first."""
    rows: list[ScoreRow] = []
    pairs: list[RectifiedPair] = []
    for metric, units in by_metric.items():
        for name, mine in units.items():
            warn_of_labels(mine, name)
        scores = [ScoreRow(str(metric), name, interval_of(mine, target, confidence)) for name, mine in units.items()]
        if rank:
            scores.sort(key=lambda row: -row.score.mu)
            names = list(itertools.combinations([row.model for row in scores], 2))
            differences = [interval_of(units[one] - units[other], target, confidence) for one, other in names]
            p = [Student(gap.mu, gap.sigma, gap.degrees).p_value for gap in differences]
            numbers = zip(names, differences, p, holm(p), strict=True)
            told = [RectifiedPair(str(metric), *both, gap, one, among) for both, gap, one, among in numbers]
            beaten = [pair.worse for pair in told if pair.p_value < 1.0 - confidence]
            not_best = {pair.worse for pair in told if pair.p_corrected < 1.0 - confidence}
            scores = [row._replace(rank=1 + beaten.count(row.model), top=row.model not in not_best) for row in scores]
            pairs += told
        rows += scores
    return tuple(rows), tuple(pairs)


def _checked(human: Mapping[str, Any], models: OutcomeSet) -> Mapping[str, Any]:
    """Return the outcomes by people in the order of the models, which must be the same."""
    for name in (*models, *human):
        if name not in human or name not in models:
            where, there = ("human", human) if name in models else ("judged", models)
            raise OutcomeError(f"{where}: {unknown('model', name, there)}", hint="give the same models in both")
    return {name: human[name] for name in models}


def _labelled_models(labels: Labels, models: OutcomeSet) -> dict[str, OutcomeMatrix]:
    """Return the outcomes by people of the labelled models; labels without a column of models are of the only one."""
    if "" in labels.human:
        if len(models) > 1:
            raise OutcomeError(
                f"the labels have no column model, and the logs hold several: {shorten(models)}",
                hint="add the column, or choose one model",
            )
        return {next(iter(models)): labels.human[""]}
    for name in labels.human:
        if name not in models:
            raise OutcomeError(unknown("model", name, models))
    return {model: labels.human[model] for model in models if model in labels.human}


def _agreements(
    labels: Labels, trials: _Trials, models: Mapping[str, OutcomeMatrix], confidence: float
) -> dict[str, Agreement]:
    agreements = {}
    for model in models:
        rows, of_model = labels.of(model), trials.get(model, {})
        judge = [of_model.get(str(row["question"]), {}).get(str(row.get("trial"))) for row in rows]
        human, questions = [row["label"] for row in rows], [row["question"] for row in rows]
        if None not in judge and len({*judge, *human}) <= _MOST_LABELS:
            agreements[model] = measure_agreement(judge, human, questions=questions, confidence=confidence)
    return agreements
