"""How much two rankings of the same models agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import OutcomeError
from .labels import listed
from .params import budget, finite_list
from .rank import rank_scores

Names = tuple[str, ...]
Ranks = tuple[int, ...]


@dataclass(frozen=True)
class RankAgreement:
    """How much two rankings agree; each of the correlations is 1 for the same ranking and NaN where all models tie.

    ``kendall`` is tau-b, ``spearman`` counts ties by their mean rank, ``weighted`` is a tau in which the top counts
    most. ``displacement`` is the most places that a model moves, tied models standing at their mean place, and
    ``displaced`` is that model: its name, or its index where there are no names. ``first`` and ``second`` are the
    competition ranks.
    """

    kendall: float
    spearman: float
    weighted: float
    displacement: float
    displaced: str | int
    first: Ranks
    second: Ranks

    def top(self, k: int) -> float:
        """The share of the ``k`` best models that both rankings have; a tie at the ``k``-th place counts as inside.

        >>> rank_agreement(["a", "b", "c", "d"], ["b", "a", "d", "c"]).top(3)
        0.6666666666666666
        """
        cut = budget("k", k)
        best = [{i for i, place in enumerate(ranks) if place <= cut} for ranks in (self.first, self.second)]
        return len(best[0] & best[1]) / max(map(len, best))

    def __str__(self) -> str:
        moved = f"{self.displaced!r} moves {self.displacement:g} places at most"
        return f"tau-b {self.kendall:.4f}, rho {self.spearman:.4f}, weighted tau {self.weighted:.4f}; {moved}"


def rank_agreement(a: Any, b: Any) -> RankAgreement:
    """How much two rankings of the same models agree: tau-b, Spearman, weighted tau, displacement and top-k overlap.

    Each is a list of scores (higher is better), a mapping from names to scores, or a list of names from best to worst
    in which a tuple or list holds names that tie. Two rankings with names are matched by name. Scores within 1e-12 of
    a neighbour tie.

    >>> found = rank_agreement({"a": 0.9, "b": 0.7, "c": 0.4}, ["a", ("b", "c")])
    >>> round(found.kendall, 4), found.displacement, found.displaced
    (0.8165, 0.5, 'b')
    """
    (names, first), (others, second) = read_ranking(a), read_ranking(b)
    if names is not None and others is not None:
        second = matched(second, others, names)
    elif names is not None or others is not None:
        raise OutcomeError("one ranking has names and the other has none: give both names, or scores in one order")
    if len(first) != len(second):
        raise OutcomeError(f"two rankings of the same models are needed; got {len(first)} and {len(second)} models")
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


def _correlations(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float, float]:
    """Tau-b, Spearman's rho and weighted tau of two vectors of mean ranks."""
    from scipy.stats import kendalltau, spearmanr, weightedtau

    if len(set(a)) == 1 or len(set(b)) == 1:
        return np.nan, np.nan, np.nan
    found = kendalltau(a, b), spearmanr(a, b), weightedtau(-a, -b)
    kendall, spearman, weighted = (float(each.statistic) for each in found)
    return kendall, spearman, weighted


def read_ranking(ranking: Any) -> tuple[Names | None, NDArray[np.float64]]:
    """Names, where there are any, and scores, from scores, a mapping to scores, or names from best to worst."""
    if isinstance(ranking, Mapping):
        return _names(ranking), _scores(list(ranking.values()))
    if isinstance(ranking, (str, bytes)) or not np.iterable(ranking):
        raise OutcomeError(f"a ranking is a list or a mapping; got {ranking!r}")
    entries = list(ranking)
    named = [isinstance(entry, (str, tuple, list)) for entry in entries]
    if not any(named):
        return None, _scores(entries)
    if not all(named):
        raise OutcomeError(f"a ranking has names or scores, not both; got {listed(entries)}")
    groups = [[entry] if isinstance(entry, str) else list(entry) for entry in entries]
    scores = np.repeat(-np.arange(len(groups), dtype=np.float64), [len(group) for group in groups])
    return _names(name for group in groups for name in group), scores


def matched(scores: NDArray[np.float64], names: Names, wanted: Sequence[str]) -> NDArray[np.float64]:
    """The scores in the order of the wanted names."""
    where = {name: i for i, name in enumerate(names)}
    if where.keys() != set(wanted):
        odd = where.keys() ^ set(wanted)
        raise OutcomeError(f"the rankings are not of the same models: {listed(sorted(odd))} in one of them only")
    return scores[[where[name] for name in wanted]]


def _names(names: Iterable[Any]) -> Names:
    found = tuple(names)
    if not found or not all(isinstance(name, str) for name in found):
        raise OutcomeError(f"names of models must be strings; got {listed(found)}")
    if len(set(found)) < len(found):
        twice = [name for name in dict.fromkeys(found) if found.count(name) > 1]
        raise OutcomeError(f"a ranking names each model once; {listed(twice)} more than once")
    return found


def _scores(values: list[Any]) -> NDArray[np.float64]:
    found = finite_list(values)
    if found is None:
        raise OutcomeError(f"a ranking needs a finite score for each model; got {listed(values)}")
    return found
