"""The parameters of a leaderboard: their checks and their description in words."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from .._choices import CATEGORICAL, DIFFERENCE, RANKINGS, SAMPLES, TIES, TOO_FEW_OR_NAN
from .._display.words import spread_of, subject
from ..inference import WHATEVER, BoundsLike, Terms
from ..params import Check, count, one_of, param, seed
from ._rules import Ranking, Tie


def _plain(value: Any) -> Any:
    """Return a name, None or a tuple of numbers."""
    return value if value is None or isinstance(value, str) else tuple(float(number) for number in value)


_bounds = Check('"support", None or two numbers', _plain)


_RANK = "rank: one more than the significantly better models"  # so that ranks may be 1, 1, 2 and 4


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(Terms):
    """The parameters that a Leaderboard was made with."""

    bounds: BoundsLike = param(_bounds, default="support")
    tie: Tie = param(one_of(TIES), default=DIFFERENCE)
    ranking: Ranking = param(one_of(RANKINGS), default="competition")
    too_few: str = param(one_of(TOO_FEW_OR_NAN), default="raise")
    draws: int = param(count, default=20_000)
    rng: int = param(seed, default=0)

    @property
    def interval_options(self) -> dict[str, Any]:
        """The options of ``Metric.interval``."""
        return {name: getattr(self, name) for name in ("prior", "shape", "target", "bounds")}

    def to_dict(self) -> dict[str, Any]:
        """Return all parameters for JSON."""
        values = asdict(self)
        if isinstance(self.bounds, tuple):
            values["bounds"] = [bound if math.isfinite(bound) else None for bound in self.bounds]
        if self.looks is None:
            del values["looks"]
            return values
        return values | {"looks": self.looks.to_dict(), "valid": str(self.looks)}

    @property
    def percent(self) -> str:
        """The confidence as a percentage."""
        return f"{100 * self.confidence:.6g}%"

    @property
    def error_percent(self) -> str:
        """The error rate, one minus the confidence, as a percentage."""
        return f"{100 * (1.0 - self.confidence):.6g}%"

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rewards: str = CATEGORICAL, *, is_ranked: bool = True) -> str:
        """Say what the intervals of metrics of these ``rewards`` are about; choices among samples have no prior."""
        about = subject(self.target, self.runs)
        kind = "" if self.shape is None else f"{self.shape} "
        prior = "each metric's own prior" if self.prior is None else f"prior {self.assumed}"
        prior = prior if self.shape is None else WHATEVER.get(self.shape, prior)
        prior = spread_of(self.target) if rewards == SAMPLES else prior
        said = f"{self.percent} {kind}intervals for {about}, {prior}"
        if self.looks is not None or not is_ranked:
            return said
        return f"{said}; {_RANK}" if self.tie == DIFFERENCE else f"{said}; ties by {self.tie}"
