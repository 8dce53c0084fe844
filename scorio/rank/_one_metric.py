"""What a leaderboard says about its only metric."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..inference import Interval
from ._metric_ranking import MetricRanking
from ._race import Beaten, Race
from ._rank_posterior import RankPosterior
from ._rules import Ranks


class OfOneMetric:
    """The results of a leaderboard by one metric, under the leaderboard's own name."""

    __slots__ = ()

    @property
    def only(self) -> MetricRanking:
        """The ranking, if there is one metric."""
        raise NotImplementedError

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each model by the one metric, (L,)."""
        return self.only.scores

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The interval of each model by the one metric."""
        return self.only.intervals

    @property
    def ranks(self) -> Ranks:
        """The rank of each model by the one metric, (L,)."""
        return self.only.ranks

    @property
    def tied_with_top(self) -> NDArray[np.bool_]:
        """Which models are in the top set by the one metric, (L,): see ``MetricRanking.tied_with_top``."""
        return self.only.tied_with_top

    @property
    def posterior(self) -> RankPosterior:
        """The distribution of the ranks by the one metric."""
        return self.only.posterior

    @property
    def race(self) -> Race:
        """The state of the race by the one metric; needs ``looks``."""
        race = self.only.race
        if race is None:
            raise ParameterError("a leaderboard settles over several looks: make it with looks=Looks(budget=..)")
        return race

    @property
    def leader(self) -> str:
        """The model that is ahead by the one metric; needs ``looks``."""
        return self.race.leader

    @property
    def in_the_running(self) -> tuple[str, ...]:
        """The models that may still be the best by the one metric, best first; needs ``looks``."""
        return self.race.in_the_running

    @property
    def beaten(self) -> tuple[Beaten, ...]:
        """The models that are beaten for good by the one metric, by whom and when; needs ``looks``."""
        return self.race.beaten
