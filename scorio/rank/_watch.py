"""Looks at results while they come in: a leaderboard that stays valid however many there are, and when to stop."""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from .._display.exports import Exports
from .._display.numbers import DIGITS
from .._display.table import Table
from ..errors import ParameterError
from ..inference import LEARNED, Looks
from ..outcomes import OutcomeSet
from ..params import positive
from ._leaderboard import Leaderboard
from ._metric_ranking import MetricRanking

SETTLED, GO_ON, USED_UP = 0, 1, 3


@dataclass(frozen=True)
class WatchedBoard(Exports):
    """The leaderboard at one look at growing results, and what follows from it."""

    board: Leaderboard
    half_width: float | None
    looks: Looks
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
        tables, reasons = self.board.tables(digits), map(self._reason, self.board.rankings)
        tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *filter(None, reasons)])
        return tables

    def as_records(self) -> list[dict[str, Any]]:
        return self.board.as_records()

    @property
    def open_rankings(self) -> tuple[MetricRanking, ...]:
        """The rankings by the metrics that are not settled."""
        return tuple(ranking for ranking in self.board.rankings if not self._reason(ranking))

    @property
    def running(self) -> tuple[str, ...]:
        """The models that may still be the best by a metric that is not settled."""
        tied = (row.model for ranking in self.open_rankings for row in ranking.rows if row.tied_with_top)
        return tuple(dict.fromkeys(tied))

    def _reason(self, ranking: MetricRanking) -> str:
        """Return why a metric is settled; an empty text if it is not."""
        tied = [row.model for row in ranking.rows if row.tied_with_top]
        if len(tied) == 1 < len(ranking):
            return f"{ranking.metric} settled: {tied[0]} is best"
        halves = [(hi - lo) / 2.0 for _, _, lo, hi in ranking.intervals]
        if self.half_width is None or not all(0.0 <= half <= self.half_width for half in halves):  # NaN is not known
            return ""
        need = f"as required ({self.half_width:g})"
        return f"{ranking.metric} settled: every half-width is at most {max(halves):.4g}, {need}"


def look_at(
    metrics: Any,
    outcomes: OutcomeSet,
    *,
    trials: int | None = None,
    around: float | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    target: str = "questions",
    runs: str = "auto",
) -> WatchedBoard:
    """Look at results that still grow, and say whether they are settled.

    Either ``trials`` is declared, the largest number per question, or ``around``, about how many are expected; all
    looks at the same results declare the same. A metric is settled if one of several models is best, or if the
    half-widths of all intervals are at most ``half_width``. ``runs`` is that of ``Leaderboard``.
    """
    if (trials is None) == (around is None):
        raise ParameterError(
            "is needed, the largest number of trials per question that you will run, or around, about how many "
            "you expect to need if you set no largest number",
            argument="trials",
        )
    if half_width is not None:
        positive("half_width", half_width)
    looks = Looks(trials, around, confidence)
    about: dict[str, Any] = {"target": target, "runs": runs}
    board = Leaderboard(metrics, outcomes, prior=LEARNED, looks=looks, too_few="nan", **about)
    return WatchedBoard(board, half_width, looks)
