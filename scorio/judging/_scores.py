"""Corrected scores of several models, by the labels of one file or from a sample of questions; leaderboards of them."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from .._arrays import underflow_is_zero
from .._display.exports import Exports
from .._display.numbers import DIGITS, chance, number, percent, signed, span
from .._display.table import Column, Field, Table
from .._display.words import SUBJECT, shorten, unknown
from ..errors import OutcomeError, ParameterError
from ..estimates import holm
from ..inference import Interval, Student
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._agreement import Agreement, measure_agreement
from ._corrected import RectifiedInterval, estimate_from_sample, estimate_with_judge, interval_of, warn_of_labels
from ._labels import Labels, Row
from ._question_sample import QuestionSample
from ._units import judged_units

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

    first: str
    second: str
    difference: RectifiedInterval
    p_value: float
    p_corrected: float


def _span(interval: Interval, digits: int = DIGITS) -> str:
    return span(interval.lo, interval.hi, digits)


_CORRECTED = (
    Field("judge alone", True, "score.predicted", number),
    Field("bias", True, "score.bias", signed),
    Field("corrected", True, "score.mu", number),
    Field("interval", True, "score.lo score.hi", span),
    Field("labels alone", True, "score.labels_alone", _span),
)
_ESTIMATED = (
    Field("score", True, "score.mu", number),
    Field("interval", True, "score.lo score.hi", span),
    Field("without predictions", True, "score.labels_alone", _span),
)
_DIFFERENCES = (
    Field("first", of="first"),
    Field("second", of="second"),
    Field("difference", True, "difference.mu", signed),
    Field("interval", True, "difference.lo difference.hi", span),
    Field("p", True, "p_value", chance),
    Field("p corrected", True, "p_corrected", chance),
)


@dataclass(frozen=True)
class RectifiedLeaderboard(Exports):
    """Models ranked by scores that people's labels correct, the best first; prints as two tables.

    ``scores`` has the interval of each model. ``ranks`` are one more than the number of models that are significantly
    better in a comparison of the two, at ``1 - confidence`` each. ``pairs`` has the ``difference`` of every two models,
    its ``p_value``, and ``p_corrected`` by Holm's method. ``top`` has the models that no other is significantly
    better than, after a correction for the number of pairs: it holds the best model with probability ``confidence``.
    """

    metric: Metric
    scores: Mapping[str, RectifiedInterval]
    pairs: tuple[RectifiedPair, ...]
    target: str
    confidence: float
    _columns: ClassVar = (
        Field("rank", True, "rank"),
        Field("model", of="model"),
        *_CORRECTED,
        Field("top", of="top", form=("", "*").__getitem__),
    )

    @property
    def rows(self) -> list[ScoreRow]:
        """One row for each model, the best first."""
        ranks, top = self.ranks, self.top
        return [
            ScoreRow(str(self.metric), name, score, ranks[name], name in top) for name, score in self.scores.items()
        ]

    @property
    def ranks(self) -> dict[str, int]:
        """The rank of each model."""
        return {name: 1 + len(self._better(name, corrected=False)) for name in self.scores}

    @property
    def top(self) -> tuple[str, ...]:
        """The models that may be the best."""
        return tuple(name for name in self.scores if not self._better(name, corrected=True))

    def _better(self, name: str, *, corrected: bool) -> set[str]:
        """Return the models that are significantly better than one."""
        p_values = ((pair, pair.p_corrected if corrected else pair.p_value) for pair in self.pairs)
        told = (pair for pair, p in p_values if p < 1.0 - self.confidence)
        order = ((x.first, x.second) if x.difference.mu > 0.0 else (x.second, x.first) for x in told)
        return {better for better, worse in order if worse == name}

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table of models and that of pairs."""
        error = percent(round(1.0 - self.confidence, 12))
        note = f"intervals and p: of each difference alone; p corrected: by Holm's method, family-wise error {error}"
        pairs = Table.of("differences of corrected scores", _DIFFERENCES, self.pairs, [note], digits)
        return [*super().tables(digits), pairs]

    @property
    def as_title(self) -> str:
        first = next(iter(self.scores.values()))
        models = f"{self.metric} of {len(self.scores)} models"
        return f"{models}, {first.n_labelled} of {first.n_questions} questions labelled"

    def _notes(self) -> list[str]:
        error = percent(round(1.0 - self.confidence, 12))
        return [
            f"{percent(self.confidence)} intervals for {SUBJECT[self.target]}; labels alone: without the judge",
            f"* no other model is significantly better (family-wise error {error}, Holm's method)",
        ]

    def as_sentence(self) -> str:
        *others, last = self.top
        if not others:
            return f"{last} is the best by {self.metric}"
        return f"{', '.join(others)} and {last} may be the best by {self.metric}"


@dataclass(frozen=True)
class CorrectedScores(Exports):
    """Corrected scores by metric and model, by labels or from a sample of questions; prints as tables.

    Where models are ranked, ``boards`` has a leaderboard for each metric. ``agreements`` say how often the judge agrees
    with people, by model.
    """

    source: Labels | QuestionSample
    scores: Mapping[tuple[str, str], RectifiedInterval]
    boards: tuple[RectifiedLeaderboard, ...] = ()
    agreements: Mapping[str, Agreement] = field(default_factory=dict)
    _rows_alone: ClassVar = True
    _columns: ClassVar = (Field("metric", of="metric"), Field("model", of="model"))

    @property
    def rows(self) -> list[ScoreRow]:
        """One row for each score."""
        ranked = [row for board in self.boards for row in board.rows]
        return ranked or [ScoreRow(*names, score) for names, score in self.scores.items()]

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the scores, and the agreement if it is known trial by trial."""
        if self.boards:
            scored = [table for board in self.boards for table in board.tables(digits)]
        else:
            columns = (*self._columns, *(_CORRECTED if isinstance(self.source, Labels) else _ESTIMATED))
            scored = [Table.of(self.as_title, columns, self.rows, self._notes(), digits)]
        return [*scored, *_agreement_table(self.agreements, digits)]

    @property
    def as_title(self) -> str:
        if isinstance(self.source, QuestionSample):
            return str(self.source)
        return f"{self.source}, out of {next(iter(self.scores.values())).n_questions} questions"

    def _notes(self) -> list[str]:
        first = next(iter(self.scores.values()))
        note = f"{percent(first.confidence)} intervals for {SUBJECT[first.target]}"
        if isinstance(self.source, Labels):
            return [f"{note}; labels alone: without the judge"]
        return [f"{note}, all {len(self.source.benchmark)} of them"]


def _agreement_table(agreements: Mapping[str, Agreement], digits: int) -> list[Table]:
    """Return the table of agreements, if there are any."""
    if not agreements:
        return []
    labels = dict.fromkeys(label for agreement in agreements.values() for label in agreement.rates)
    heads = ("agreement", "kappa", *(f"same if {label:g}" for label in labels))
    cells = [
        [
            name,
            *(
                _estimate(part, digits)
                for part in (agreement.share, agreement.kappa, *map(agreement.rates.get, labels))
            ),
        ]
        for name, agreement in agreements.items()
    ]
    note = "same if 1: how often the judge says 1 where people do (sensitivity); same if 0: specificity"
    columns = [Column("model"), *(Column(head, right=True) for head in heads)]
    return [Table("agreement of judge and people, trial by trial", columns, cells, [note])]


def _estimate(interval: Interval | None, digits: int) -> str:
    return "-" if interval is None else f"{number(interval.mu, digits)} {_span(interval, digits)}"


@underflow_is_zero
def rank_with_judge(
    metric: Metric | str,
    judged: Any,
    human: Mapping[str, Any],
    *,
    target: str = "questions",
    confidence: float = 0.95,
    probabilities: Any = None,
) -> RectifiedLeaderboard:
    """Rank models by a judge's scores, corrected by labels of people for the same random questions of every model.

    ``judged`` has the judge's outcomes of all models (an ``OutcomeSet``, or what makes one), ``human`` those of people
    by model, as ``estimate_with_judge`` takes them. Differences are corrected as such: an error of the judge that
    favors all models alike cancels.

    >>> from scorio import OutcomeMatrix
    >>> judged = {"a": [[1, 1], [1, 1], [1, 0], [1, 1]] * 10, "b": [[1, 1], [0, 1], [0, 0], [1, 0]] * 10}
    >>> human = {"a": {q: [1, q % 2] for q in range(24)}, "b": {q: [0, q % 2] for q in range(24)}}
    >>> board = rank_with_judge("pass@1", judged, human)
    >>> board.ranks, board.top
    ({'a': 1, 'b': 2}, ('a',))
    """
    metric = as_metric(metric)
    models = judged if isinstance(judged, OutcomeSet) else OutcomeSet(judged)
    for name in (*models, *human):
        if name not in human or name not in models:
            where, there = ("human", human) if name in models else ("judged", models)
            raise OutcomeError(f"{where}: {unknown('model', name, there)}", hint="give the same models in both")
    units = {name: judged_units(metric, models[name], human[name], probabilities) for name in models}
    for of_model in units.values():
        warn_of_labels(of_model, is_even=probabilities is None)
    scores = {name: interval_of(of_model, target, confidence) for name, of_model in units.items()}
    scores = dict(sorted(scores.items(), key=lambda item: -item[1].mu))
    names = list(itertools.combinations(scores, 2))  # the better one first
    differences = [interval_of(units[one] - units[other], target, confidence) for one, other in names]
    p_values = [Student(gap.mu, gap.sigma, gap.degrees).p_value for gap in differences]
    numbers = zip(names, differences, p_values, holm(p_values), strict=True)
    pairs = tuple(RectifiedPair(*both, gap, p, corrected) for both, gap, p, corrected in numbers)
    return RectifiedLeaderboard(metric, scores, pairs, target, confidence)


def estimate_models(
    metrics: Sequence[Any],
    outcomes: OutcomeSet,
    sample: QuestionSample,
    *,
    between: tuple[str, str] | None = None,
    target: str = "questions",
    confidence: float = 0.95,
) -> CorrectedScores:
    """Estimate the scores on all questions of models that were asked those of a ``sample``, or the difference of two.

    ``sample`` is what ``choose_questions`` returned; each estimate is one of ``estimate_from_sample``.
    """
    _check_models(between, "model", outcomes)
    asked: dict[str, tuple[OutcomeMatrix, OutcomeMatrix | None]] = {name: (outcomes[name], None) for name in outcomes}
    if between is not None:
        asked = {" - ".join(between): (outcomes[between[0]], outcomes[between[1]])}
    about: dict[str, Any] = {"target": target, "confidence": confidence}
    scores = {
        (str(as_metric(metric)), name): estimate_from_sample(metric, mine, sample, minus=minus, **about)
        for metric in metrics
        for name, (mine, minus) in asked.items()
    }
    return CorrectedScores(sample, scores)


def judge_models(
    metrics: Sequence[Any],
    judged: OutcomeSet,
    labels: Labels,
    trials: _Trials | None = None,
    *,
    between: tuple[str, str] | None = None,
    rank: bool = False,
    target: str = "questions",
    confidence: float = 0.95,
) -> CorrectedScores:
    """Correct the scores of every labelled model, or the difference of two, by the labels that ``read_labels`` returns.

    With ``rank``, the labelled models are ranked. ``trials`` has the judge's outcome by model, question and trial, as
    ``Reading.named_trials`` returns it: it says which trials were labelled, and how often the judge agrees.
    """
    if rank and between is not None:
        raise ParameterError("compares all labelled models, and between only two: give one of them", argument="rank")
    human = _labelled_models(labels, judged)
    _check_models(between, "labelled model", human)
    of_judge = {model: _labelled_outcomes(labels, trials or {}, model) for model in human}
    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": labels.probabilities}
    boards, scores = [], {}
    for metric in map(as_metric, metrics):
        if rank:
            boards.append(rank_with_judge(metric, {model: judged[model] for model in human}, human, **about))
        elif between is not None:
            one, other = ((judged[model], human[model]) for model in between)
            scores[str(metric), " - ".join(between)] = estimate_with_judge(metric, *one, minus=other, **about)
        else:
            for model, labelled in human.items():
                some = _single_trials(labels, of_judge[model], judged[model], model)
                interval = estimate_with_judge(metric, judged[model], labelled, judged_labelled=some, **about)
                scores[str(metric), model] = interval
    agreements = {model: _agreement(labels.of(model), outcomes, confidence) for model, outcomes in of_judge.items()}
    told = {model: agreement for model, agreement in agreements.items() if agreement is not None}
    return CorrectedScores(labels, scores, tuple(boards), told)


def _check_models(between: tuple[str, str] | None, kind: str, models: Mapping[str, Any]) -> None:
    for name in between or ():
        if name not in models:
            raise ParameterError(unknown(kind, name, models))


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


def _agreement(rows: Sequence[Row], judge: Sequence[float], confidence: float) -> Agreement | None:
    """Return how far the judge agrees on the labelled trials; None where that is not known, or labels are a scale."""
    human = [row["label"] for row in rows]
    if not judge or len({*judge, *human}) > _MOST_LABELS:
        return None
    return measure_agreement(judge, human, questions=[row["question"] for row in rows], confidence=confidence)


def _labelled_outcomes(labels: Labels, trials: _Trials, model: str) -> list[float]:
    """Return the judge's outcome of each labelled trial of a model; none if some are unknown."""
    of_model = trials.get(model, {})
    outcomes = [of_model.get(str(row["question"]), {}).get(str(row.get("trial"))) for row in labels.of(model)]
    return [] if None in outcomes else [float(outcome) for outcome in outcomes if outcome is not None]


def _single_trials(labels: Labels, outcomes: Sequence[float], judged: OutcomeMatrix, model: str) -> Any:
    """Return the judge's outcomes of just the labelled trials, if only some trials of a question are labelled."""
    rows = labels.of(model)
    planned = dict(zip(map(str, judged.questions or ()), judged.trials.tolist(), strict=False))
    told = Counter(row["question"] for row in rows)
    some = [str(name) for name, count in told.items() if count < planned.get(str(name), 0)]
    if not some:
        return None
    if not outcomes:
        problem = (
            f"only some trials are labelled of {shorten(some)}, and the labels do not say which of the logs' trials"
        )
        hint = "name the trials in a column trial, as the logs do, or label all trials of a question"
        raise OutcomeError(problem, hint=hint)
    by_question: dict[Any, list[float]] = {name: [] for name in told}
    for row, outcome in zip(rows, outcomes, strict=True):
        by_question[row["question"]].append(outcome)
    return OutcomeMatrix.from_rewards(by_question)
