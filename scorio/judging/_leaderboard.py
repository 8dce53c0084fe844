"""Leaderboards of scores that people's labels correct."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .._arrays import underflow_is_zero
from .._display.exports import Exports
from .._display.numbers import DIGITS, chance, percent, signed, span
from .._display.table import Field, Table
from .._display.words import SUBJECT, unknown
from .._special import stdtr
from ..comparison import holm
from ..errors import OutcomeError
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeSet, as_outcomes
from ._corrected import RectifiedInterval, estimate_with_judge, interval_of
from ._score_rows import CORRECTED
from ._units import difference, judged_units


class RectifiedPair(NamedTuple):
    """The difference of two models, with its p-value alone and corrected by Holm's method for all pairs."""

    first: str
    second: str
    difference: RectifiedInterval
    p_value: float
    p_corrected: float


class _Row(NamedTuple):
    """A row of the table."""

    rank: int
    model: str
    score: RectifiedInterval
    top: bool


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
    better in a comparison of the two, at ``1 - confidence`` each. ``top`` has the models that no other is significantly
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
        *CORRECTED,
        Field("top", of="top", form=("", "*").__getitem__),
    )

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
        called = set()
        for pair in self.pairs:
            if name not in pair[:2]:
                continue
            p, is_first = (pair.p_corrected if corrected else pair.p_value), pair.first == name
            gap = pair.difference.mu if is_first else -pair.difference.mu
            if gap < 0 and p < 1.0 - self.confidence:
                called.add(pair.second if is_first else pair.first)
        return called

    def _rows(self) -> list[_Row]:
        ranks, top = self.ranks, self.top
        return [_Row(ranks[name], name, each, name in top) for name, each in self.scores.items()]

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table of models and that of pairs."""
        first, error = next(iter(self.scores.values())), percent(round(1.0 - self.confidence, 12))
        models = f"{self.metric} of {len(self.scores)} models"
        title = f"{models}, {first.n_labelled} of {first.n_questions} questions labelled"
        notes = [
            f"{percent(self.confidence)} intervals for {SUBJECT[self.target]}; labels alone: without the judge",
            f"* no other model is significantly better (family-wise error {error}, Holm's method)",
        ]
        note = f"intervals and p: of each difference alone; p corrected: by Holm's method, family-wise error {error}"
        pairs = Table.of("differences of corrected scores", _DIFFERENCES, self.pairs, [note], digits)
        return [Table.of(title, self._columns, self._rows(), notes, digits), pairs]

    def _sentence(self) -> str:
        *others, last = self.top
        if not others:
            return f"{last} is the best by {self.metric}"
        return f"{', '.join(others)} and {last} may be the best by {self.metric}"

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"model": row.model, "rank": row.rank, "top": row.top, **row.score._records()[0]} for row in self._rows()
        ]


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
    about: dict[str, Any] = {"target": target, "confidence": confidence, "probabilities": probabilities}
    scores = {name: estimate_with_judge(metric, models[name], human[name], **about) for name in models}
    scores = dict(sorted(scores.items(), key=lambda item: -item[1].mu))
    labels = {name: as_outcomes(human[name]) for name in scores}
    parts = {name: judged_units(metric, models[name], labels[name], probabilities, None) for name in scores}
    support = [metric.support(each) for each in models.values()]
    width = max(high for _, high in support) - min(low for low, _ in support)
    names = list(itertools.combinations(scores, 2))  # the better one first
    kind: dict[str, Any] = {"rewards": next(iter(scores.values())).rewards, "source": "labels"}
    differences = [
        interval_of(difference(parts[one], parts[other]), (-width, width), None, target, confidence, **kind)
        for one, other in names
    ]
    p_values = [_p_value(each) for each in differences]
    numbers = zip(names, differences, p_values, holm(p_values), strict=True)
    pairs = tuple(RectifiedPair(*both, each, p, corrected) for both, each, p, corrected in numbers)
    return RectifiedLeaderboard(metric, scores, pairs, target, confidence)


def _p_value(difference: RectifiedInterval) -> float:
    """Return the two-sided p-value of no difference, by Student's t."""
    if difference.sigma == 0.0:
        return 1.0 if difference.mu == 0.0 else 0.0
    return 2.0 * float(stdtr(difference.degrees, -abs(difference.mu) / difference.sigma))
