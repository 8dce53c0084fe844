"""How much two rankings of the same models agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector, finite_list
from .._display.exports import Exports
from .._display.numbers import number
from .._display.words import shorten
from ..errors import OutcomeError
from ..params import count
from ._rules import rank_scores

Names = tuple[str, ...]
Ranks = tuple[int, ...]


@dataclass(frozen=True)
class RankAgreement(Exports):
    """How much two rankings agree; each correlation is 1 for equal rankings, and NaN if all models of one tie.

    ``kendall`` is tau-b, ``spearman`` gives ties their mean rank, ``weighted`` is a tau in which the top counts most.
    ``displacement`` is the largest change of a model's mean rank, and ``displaced`` that model: its name, or its index
    if there are no names. ``first`` and ``second`` are the competition ranks.
    """

    kendall: float
    spearman: float
    weighted: float
    displacement: float
    displaced: str | int
    first: Ranks
    second: Ranks

    def top(self, k: int) -> float:
        """Return the share of the ``k`` best models that both rankings have; a tie at place ``k`` counts as inside.

        >>> rank_agreement(["a", "b", "c", "d"], ["b", "a", "d", "c"]).top(3)
        0.6666666666666666
        """
        cut = count("k", k)
        best = [{i for i, place in enumerate(ranks) if place <= cut} for ranks in (self.first, self.second)]
        return len(best[0] & best[1]) / max(map(len, best))

    def __str__(self) -> str:
        moved = f"largest move: {self.displaced!r} by {self.displacement:g} places"
        correlations = f"tau-b {number(self.kendall)}, Spearman {number(self.spearman)}"
        return f"{correlations}, weighted tau {number(self.weighted)}; {moved}"


def rank_agreement(a: Any, b: Any) -> RankAgreement:
    """Measure how much two rankings agree: tau-b, Spearman, weighted tau, displacement and top-k overlap.

    Each ranking is a list of scores (higher is better), a mapping from names to scores, or a list of names from best
    to worst, in which a tuple or list holds names that tie. Rankings with names are matched by name. Neighbors with
    scores within 1e-12 tie.

    >>> agreement = rank_agreement({"a": 0.9, "b": 0.7, "c": 0.4}, ["a", ("b", "c")])
    >>> round(agreement.kendall, 4), agreement.displacement, agreement.displaced
    (0.8165, 0.5, 'b')
    """
    (names, first), (others, second) = read_ranking(a), read_ranking(b)
    if names is not None and others is not None:
        second = in_order(second, others, names)
    elif names is not None or others is not None:
        hint = "give both names, or scores in the same order"
        raise OutcomeError("one ranking has names and the other has none", hint=hint)
    if len(first) != len(second):
        raise OutcomeError(f"the rankings must be of the same models; got {len(first)} and {len(second)} models")
    ranks = [rank_scores(scores) for scores in (first, second)]
    moved = np.abs(ranks[0]["avg"] - ranks[1]["avg"])
    most = int(np.argmax(moved))
    kendall, spearman, weighted = _correlations(ranks[0]["avg"], ranks[1]["avg"])
    return RankAgreement(
        kendall=kendall,
        spearman=spearman,
        weighted=weighted,
        displacement=float(moved[most]),
        displaced=most if names is None else names[most],
        first=tuple(ranks[0]["competition"].tolist()),
        second=tuple(ranks[1]["competition"].tolist()),
    )


def _correlations(a: Vector, b: Vector) -> tuple[float, float, float]:
    """Return tau-b, Spearman's correlation and weighted tau of two vectors of mean ranks."""
    from scipy.stats import kendalltau, spearmanr, weightedtau

    if len(set(a)) == 1 or len(set(b)) == 1:
        return np.nan, np.nan, np.nan
    tests = kendalltau(a, b), spearmanr(a, b), weightedtau(-a, -b)
    kendall, spearman, weighted = (float(test.statistic) for test in tests)
    return kendall, spearman, weighted


def read_ranking(ranking: Any) -> tuple[Names | None, Vector]:
    """Return names, or None, and scores, of a ranking in any form that ``rank_agreement`` takes."""
    if isinstance(ranking, Mapping):
        return _names(ranking), _scores(list(ranking.values()))
    if isinstance(ranking, (str, bytes)) or not np.iterable(ranking):
        raise OutcomeError(f"a ranking is a list or a mapping; got {ranking!r}")
    entries = list(ranking)
    named = [isinstance(entry, (str, tuple, list)) for entry in entries]
    if not any(named):
        return None, _scores(entries)
    if not all(named):
        raise OutcomeError(f"a ranking has either names or scores; got {shorten(entries)}")
    groups = [[entry] if isinstance(entry, str) else list(entry) for entry in entries]
    scores = np.repeat(-np.arange(len(groups), dtype=np.float64), [len(group) for group in groups])
    return _names(name for group in groups for name in group), scores


def in_order(scores: Vector, names: Names, models: Sequence[str]) -> Vector:
    """Return the scores in the order of the models."""
    where = {name: i for i, name in enumerate(names)}
    if where.keys() != set(models):
        odd = where.keys() ^ set(models)
        raise OutcomeError(f"the rankings are not of the same models: only one has {shorten(sorted(odd))}")
    return scores[[where[name] for name in models]]


def _names(names: Iterable[Any]) -> Names:
    models = tuple(names)
    if not models or not all(isinstance(name, str) for name in models):
        raise OutcomeError(f"names of models must be strings; got {shorten(models)}")
    if len(set(models)) < len(models):
        repeated = [name for name in dict.fromkeys(models) if models.count(name) > 1]
        raise OutcomeError(f"a ranking names each model once; repeated: {shorten(repeated)}")
    return models


def _scores(values: list[Any]) -> Vector:
    scores = finite_list(values)
    if scores is None:
        raise OutcomeError(f"a ranking needs a finite score per model; got {shorten(values)}")
    return scores
