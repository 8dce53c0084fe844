"""Races that settle: which model leads, which are beaten for good, and which are still in the running.

A model is beaten when the leader's advantage over it crosses the boundary of its looks. The boundary's error is shared
by the comparisons, so that the probability that the best model is ever beaten by another is at most
``1 - confidence``. A beaten model needs no further trials and stays beaten at later looks.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Flags, Vector, cached_property
from .._choices import GOALS
from .._display.exports import Exports
from .._display.words import pluralize
from ..comparison import Contest, Differences, TaskMetrics, level_of
from ..errors import ParameterError
from ..inference import Looks
from ..metrics import Metric
from ..params import choice


class Beaten(NamedTuple):
    """A beaten model: which model beat it, by what difference, and after how many trials per question."""

    model: str
    by: str
    trials: float
    difference: float
    z: float
    boundary: float

    def __str__(self) -> str:
        return (
            f"{self.model} beaten by {self.by} at {self.trials:g} trials per question "
            f"({self.difference:+.3g}, z = {self.z:.3g}, {self.boundary:.3g} needed)"
        )


@dataclass(frozen=True)
class Standing(Exports):
    """Where the models of one metric stand at one look.

    ``leader`` has the highest posterior mean among the models that are not beaten. ``settled`` says whether the goal is
    reached: every other model is beaten or known to be at most ``within`` better (``level``), or, for the goal
    ``"ranking"``, all neighbors in the order differ significantly or are within that distance.
    """

    leader: str
    in_the_running: tuple[str, ...]
    beaten: tuple[Beaten, ...]
    level: tuple[str, ...]
    settled: bool
    looks: Looks
    comparisons: int
    goal: str = "best"
    within: float = 0.0

    @property
    def alpha(self) -> float:
        """The two-sided error of each comparison."""
        return 2.0 * self.looks.alpha / self.comparisons

    def __str__(self) -> str:
        rest = [name for name in self.in_the_running if name != self.leader]
        if not self.settled:
            return f"not settled: {', '.join(self.in_the_running)} are in the running"
        if self.goal == "ranking":
            return f"settled: the ranking, {self.leader} first"
        near = f", or within {self.within:g} of the best" if rest else ""
        return f"settled: {self.leader} is best{near}"

    @property
    def about(self) -> str:
        """The statement about the error that the comparisons share, in words."""
        return f"{self.looks}; the error of calls is shared by {pluralize(self.comparisons, 'comparison')}"

    def state_of(self, model: str) -> str:
        """Return the state of one model, in words."""
        for each in self.beaten:
            if each.model == model:
                return f"beaten by {each.by} at {each.trials:.4g} trials"
        if model == self.leader:
            return "leads"
        return f"at most {self.within:g} better than {self.leader}" if model in self.level else "in the running"

    def to_dict(self) -> dict[str, Any]:
        """Return the state as a dict, ready for JSON."""
        return {
            "leader": self.leader,
            "in_the_running": list(self.in_the_running),
            "beaten": [{**each._asdict(), "z": each.z if math.isfinite(each.z) else None} for each in self.beaten],
            "level": list(self.level),
            "settled": self.settled,
            "goal": self.goal,
            "within": self.within,
            "comparisons": self.comparisons,
            "valid": str(self.looks),
        }


def standing(
    models: Sequence[str],
    contest: Contest,
    looks: Looks,
    *,
    goal: str = "best",
    within: float = 0.0,
    beaten: Iterable[Beaten | Mapping[str, Any]] = (),
    entrants: int = 0,
) -> Standing:
    """Find the leader and the beaten models; ``beaten`` holds those of earlier looks, which stay beaten.

    ``contest`` holds the models' outcomes; ``entrants`` is the number of models if some have no results yet.
    """
    choice("goal", goal, GOALS)
    count = max(len(models), entrants)
    comparisons = max(count * (count - 1) // 2 if goal == "ranking" else count - 1, 1)
    judge = Judge(contest, looks, 2.0 * looks.alpha / comparisons)
    mu = judge.mu
    lost = _kept(beaten, models)
    alive = [i for i in range(len(models)) if models[i] not in lost]
    leader = max(alive, key=lambda i: mu[i])
    for i in alive:
        if judge.calls(leader, i):
            lost[models[i]] = Beaten(models[i], models[leader], *judge.result(leader, i))
    running = [i for i in alive if models[i] not in lost]
    level = [i for i in running if i != leader and within > 0.0 and judge.calls(leader, i, within)]
    is_best = len(level) == len(running) - 1
    return Standing(
        leader=models[leader],
        in_the_running=tuple(models[i] for i in sorted(running, key=lambda i: -mu[i])),
        beaten=tuple(lost.values()),
        level=tuple(models[i] for i in level),
        settled=judge.is_ordered(within) if goal == "ranking" else is_best,
        looks=looks,
        comparisons=comparisons,
        goal=goal,
        within=within,
    )


def beaten_by_metric(beaten: Any, metrics: Sequence[Metric | TaskMetrics]) -> dict[str, tuple[Any, ...]]:
    """Return the models beaten at earlier looks, by metric, from a mapping or from a list for a single metric."""
    names = [str(metric) for metric in metrics]
    if isinstance(beaten, Mapping):
        by_metric = {str(name): tuple(models) for name, models in beaten.items()}
        if set(by_metric) - set(names):
            raise ParameterError(f"beaten names other metrics than {', '.join(names)}: {', '.join(by_metric)}")
        return {name: by_metric.get(name, ()) for name in names}
    if len(names) > 1 and tuple(beaten):
        raise ParameterError("with several metrics, beaten must be a mapping from metrics to beaten models")
    return dict.fromkeys(names, tuple(beaten))


def _kept(beaten: Iterable[Beaten | Mapping[str, Any]], models: Sequence[str]) -> dict[str, Beaten]:
    kept = [each if isinstance(each, Beaten) else Beaten(**each) for each in beaten]
    if len({each.model for each in kept}.intersection(models)) == len(models):
        raise ParameterError("beaten names every model of the leaderboard; one at least must be in the running")
    return {each.model: each for each in kept if each.model in models}


@dataclass(frozen=True)
class Judge:
    """Comparisons of any two models at the shared error; those of two models have the trials of the one with fewer."""

    contest: Contest
    looks: Looks
    alpha: float

    @cached_property
    def _spans(self) -> Vector:
        """The fewest and the most trials per question of each two models, (L, L, 2)."""
        return self.contest.spans

    @cached_property
    def mu(self) -> Vector:
        """The posterior mean of each model."""
        return self._at(*self._spans[0, 0].tolist()).joint.mu

    @cached_property
    def _known(self) -> dict[tuple[float, float], Differences]:
        return {}

    def _at(self, *span: float) -> Differences:
        """Return the differences at the boundary after so many trials per question, the fewest and the most."""
        fewest, most = span
        if (fewest, most) not in self._known:
            level = level_of(self.looks, (fewest, most), self.alpha)
            self._known[fewest, most] = self.contest.differences(level)
        return self._known[fewest, most]

    def _of(self, i: int, j: int) -> tuple[Differences, float]:
        fewest, most = self._spans[i, j].tolist()
        return self._at(fewest, most), fewest

    def calls(self, i: int, j: int, margin: float = 0.0) -> bool:
        """Return whether model ``i`` is called better than ``j``, or at most ``margin`` worse."""
        return i != j and bool(self._of(i, j)[0].is_better(i, j, margin))

    def result(self, i: int, j: int) -> tuple[float, float, float, float]:
        """Return the trials of the two models, their difference, its z, and the z beyond which ``i`` is called."""
        differences, n = self._of(i, j)
        gap, sd = float(self.mu[i] - self.mu[j]), float(differences.joint.sd(i, j))
        below = float(differences.reach(i, j)[0])
        return (n, gap, gap / sd, below / sd) if sd > 0.0 else (n, gap, math.inf, 0.0)

    def better(self) -> Flags:
        """Return whether model ``i`` is called better than ``j`` at this look, (L, L)."""
        spans = self._spans
        found = np.zeros(spans.shape[:2], dtype=bool)
        for span in np.unique(spans.reshape(-1, 2), axis=0):
            i, j = np.nonzero((spans == span).all(axis=-1))
            found[i, j] = self._at(*span.tolist()).is_better(i, j)
        np.fill_diagonal(found, val=False)
        return found

    def is_ordered(self, within: float) -> bool:
        """Return whether all neighbors in the order of the means differ significantly or are within that distance."""
        order = np.argsort(-self.mu, kind="stable").tolist()
        return all(self.calls(i, j, within) for i, j in pairwise(order))
