"""Looks at results while they come in: a leaderboard that stays valid however many there are, and when to stop."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from .._choices import RANDOM
from .._display.exports import Exports
from .._display.numbers import DIGITS
from .._display.table import Table
from ..errors import ParameterError
from ..inference import LEARNED, Looks
from ..metrics import Metric
from ..outcomes import OutcomeSet
from ..params import positive
from ..planning import Allocation, next_trials
from ._leaderboard import Leaderboard
from ._look_state import opened
from ._metric_ranking import MetricRanking

SETTLED, GO_ON, USED_UP = 0, 1, 3


@dataclass(frozen=True)
class WatchedBoard(Exports):
    """The leaderboard at one look at growing results, and what follows from it.

    ``plan`` allocates the next trials, where they are asked for and needed.
    """

    board: Leaderboard
    half_width: float | None
    looks: Looks
    plan: Allocation | None = None
    _rows_alone: ClassVar = True
    _columns: ClassVar = MetricRanking._columns

    @property
    def exit_code(self) -> int:
        """0 if every metric is settled, 1 if more trials are needed, 3 if all planned trials are used up."""
        if not self.open_rankings:
            return SETTLED
        limit = self.looks.trials
        return USED_UP if limit is not None and self._trials >= limit else GO_ON

    @property
    def advice(self) -> str:
        """What to do next."""
        if self.exit_code == SETTLED:
            return "settled: no more trials are needed"
        if self.exit_code == USED_UP:
            return f"not settled, and all {self.looks.trials:g} trials per question are used up"
        limit = "" if self.looks.trials is None else f" of {self.looks.trials:g}"
        who = ", ".join(self.running)
        return f"not settled at {self._trials:.4g}{limit} trials per question: run more trials of {who}"

    @property
    def _trials(self) -> float:
        """The fewest mean trials per question of a model that may still be the best."""
        outcomes = cast("OutcomeSet", self.board.outcomes)
        return min(float(outcomes[name].mean_trials) for name in self.running)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables of the leaderboard, with what is settled."""
        tables = self.board.tables(digits)
        tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *self.reasons])
        return tables

    def _records(self) -> list[dict[str, Any]]:
        return self.board._records()

    @property
    def open_rankings(self) -> tuple[MetricRanking, ...]:
        """The rankings by the metrics that are not settled."""
        return tuple(each for each in self.board.rankings if not self._reason(each))

    @property
    def reasons(self) -> list[str]:
        """One sentence for each metric that is settled."""
        return [reason for each in self.board.rankings if (reason := self._reason(each))]

    @property
    def running(self) -> tuple[str, ...]:
        """The models that may still be the best by a metric that is not settled."""
        tied = (row.model for each in self.open_rankings for row in each.rows if row.tied_with_top)
        return tuple(dict.fromkeys(tied))

    def _reason(self, ranking: MetricRanking) -> str:
        """Return why a metric is settled; an empty text if it is not."""
        tied = [row.model for row in ranking.rows if row.tied_with_top]
        if len(tied) == 1 < len(ranking):
            return f"{ranking.metric} settled: {tied[0]} is best"
        halves = [(each.hi - each.lo) / 2.0 for each in ranking.intervals]
        if self.half_width is None or not all(0.0 <= half <= self.half_width for half in halves):  # NaN is not known
            return ""
        need = f"as required ({self.half_width:g})"
        return f"{ranking.metric} settled: every half-width is at most {max(halves):.4g}, {need}"


def look_at(
    metrics: Any,
    outcomes: OutcomeSet,
    state: Path,
    *,
    trials: int | None = None,
    around: float | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    target: str = "questions",
    **options: Any,
) -> WatchedBoard:
    """Look at results that still grow, and say whether they are settled.

    The file ``state`` keeps what was declared before the first look, and the trials that the last look saw. Either
    ``trials`` is declared, the largest number per question, or ``around``, about how many are expected. A metric is
    settled if one of several models is best, or if the half-widths of all intervals are at most ``half_width``. Of
    ``options``, ``runs`` is that of ``Leaderboard``, ``spend`` asks for an allocation of so many next trials, or so
    much of ``cost``, and with ``adaptive`` trials are marked as handed out by such an allocation.
    """
    terms = {"runs": "auto", "spend": None, "cost": None, "adaptive": False} | options
    if (trials is None) == (around is None):
        raise ParameterError(
            "is needed, the largest number of trials per question that you will run, or around, about how many "
            "you expect to need if you set no largest number",
            argument="trials",
        )
    if half_width is not None:
        positive("half_width", half_width)
    looks = Looks(trials, around, confidence)
    declared: dict[str, Any] = {"trials": trials, "around": around, "confidence": confidence, "half_width": half_width}
    declared |= {"target": target} | ({"runs": RANDOM} if terms["runs"] == RANDOM else {})  # the others are the same
    names = [str(metric) for metric in (metrics if isinstance(metrics, (list, tuple)) else [metrics])]
    kept = opened(state, declared | {"metrics": names})
    if kept.adaptive:
        adaptive = {name: matrix.as_adaptive() for name, matrix in outcomes.items()}
        outcomes = OutcomeSet(adaptive, conditions=outcomes.conditions, costs=outcomes.costs)
    counted = {name: int(matrix.trials.sum()) for name, matrix in outcomes.items()}
    kept.check_growth(counted, state)
    about: dict[str, Any] = {"target": target, "runs": terms["runs"]}
    board = Leaderboard(metrics, outcomes, prior=LEARNED, looks=looks, too_few="nan", **about)
    found = WatchedBoard(board, half_width, looks)
    kept.trials = counted
    plan = _plan(found, outcomes, terms)
    kept.adaptive = kept.adaptive or (terms["adaptive"] and plan is not None and plan.is_adaptive)
    kept.save(state)  # before the trials are handed out: a crash must not leave adaptive trials unmarked
    return replace(found, plan=plan)


def _plan(found: WatchedBoard, outcomes: OutcomeSet, terms: dict[str, Any]) -> Allocation | None:
    """Allocate the next trials; None if none are asked for, or needed."""
    unsettled, cost = found.open_rankings, terms["cost"]
    if terms["spend"] is None or not unsettled:
        return None
    is_set = len(outcomes) > 1 or cost is not None
    return next_trials(
        cast("Metric", unsettled[0].metric),
        outcomes if is_set else next(iter(outcomes.values())),
        terms["spend"],
        models=found.running if is_set else None,
        cost=1.0 if cost is None else cost,
        looks=found.looks,
        confidence=found.looks.confidence,
        runs=terms["runs"],
    )
