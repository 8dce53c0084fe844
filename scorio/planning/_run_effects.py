"""How much runs differ: the score of each run, what trials alone would give, and the next run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Vector
from .._base.choices import RANDOM
from .._base.exports import Exports
from .._base.numbers import DIGITS, is_chance, number, percent, span
from .._base.table import Field
from .._base.words import pluralize
from ..inference import Interval
from ..inference._interval import Bounds
from ..inference._level import Level
from ..inference._run_noise import RunNoise
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..metrics._runs import RunSums, run_sums
from ..outcomes import as_outcomes
from ..params import count, open_unit

_ROUNDING = 1e-12  # of the numbers whose sum is 0


class RunScore(NamedTuple):
    """The metric in one run, to first order, and the standard deviation that trials alone give it."""

    run: Any
    score: float
    noise: float


@dataclass(frozen=True)
class RunEffects(Exports):
    """What the runs of one model do to a metric, with a row for each; ``analyze_runs`` makes it.

    ``sd`` is the posterior median of the standard deviation between the scores of runs
    that have endlessly many trials, with the interval ``lo`` to ``hi``. ``share`` is the share of a single run's
    variance that is no noise of trials, and ``p_value`` the probability of runs that differ as much by chance.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 5, runs=["mon", "tue", "wed"])
    >>> effects = analyze_runs("pass@1", R)
    >>> [round(row.score, 2) for row in effects.rows], round(effects.p_value, 4)
    ([1.0, 0.75, 0.25], 0.0)
    """

    metric: Metric
    rows: tuple[RunScore, ...]
    score: float
    sd: float
    lo: float
    hi: float
    share: float
    p_value: float
    confidence: float
    interval: Interval
    _sums: RunSums = field(repr=False, compare=False)
    _columns: ClassVar = (
        Field("run", of="run"),
        Field("score", True, "score", number),
        Field("trials alone give", True, "noise", lambda noise, digits=DIGITS: f"±{number(noise, digits)}"),
    )

    @property
    def _single(self) -> tuple[float, float]:
        """What a run of the size 1 moves the score of a single run, and the variance of its noise of trials."""
        weights, runs = self._sums.weights, len(self.rows)
        return self._sums.lift, float(np.mean(np.diag(self._sums.noise) / weights**2)) * runs / max(runs - 1.0, 1.0)

    @property
    def _posterior(self) -> Vector:
        return RunNoise.posterior_of_sizes(self._sums.log_likelihood)

    def next_run(self, confidence: float | None = None) -> Interval:
        """Return the interval for the score of one more run of the same questions.

        >>> from scorio import OutcomeMatrix
        >>> R = OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 5, runs=["mon", "tue", "wed"])
        >>> interval = analyze_runs("pass@1", R).next_run()
        >>> round(interval.lo, 2), round(interval.hi, 2)
        (0.0, 1.0)
        """
        level = Level(open_unit("confidence", self.confidence if confidence is None else confidence))
        lift, noise_variance = self._single
        plain = self.interval
        sd = math.sqrt(
            (max(plain.mu - plain.lo, plain.hi - plain.mu) / Level(plain.confidence).critical()) ** 2 + noise_variance
        )
        noise = RunNoise(self._posterior, self._sums.unit + lift**2)
        reach = noise.reach(level.critical() * sd, level)
        low, high = plain.bounds or (-math.inf, math.inf)
        ends = max(self.score - reach, low), min(self.score + reach, high)
        spread = reach / level.critical()
        about: dict[str, Any] = {"prior": plain.prior, "bounds": plain.bounds, "runs": RANDOM}
        return Interval(self.score, spread, *ends, confidence=level.confidence, shape=plain.shape, **about)

    def half_width(self, runs: int, trials: int = 1) -> float:
        """Return the expected half-width of the interval about runs like these, from so many runs.

        Each run has so many trials of every question; how much runs differ is taken as what is known now.

        >>> from scorio import OutcomeMatrix
        >>> R = OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 5, runs=["mon", "tue", "wed"])
        >>> effects = analyze_runs("pass@1", R)
        >>> effects.half_width(runs=12) < effects.half_width(runs=3, trials=4)
        True
        """
        runs, trials = count("runs", runs), count("trials", trials)
        lift, noise_variance = self._single
        level = Level(self.confidence)
        noise = RunNoise(self._posterior, lift**2 / runs)
        return noise.reach(level.critical() * math.sqrt(noise_variance / (runs * trials)), level)

    @property
    def advice(self) -> str:
        """Whether more runs help, or more trials per run: what twice as many of each would give."""
        runs = len(self.rows)
        now, more_runs, more_trials = (self.half_width(*size) for size in ((runs, 1), (2 * runs, 1), (runs, 2)))
        return (
            f"{pluralize(runs, 'run')} give about ±{number(now)}; twice as many runs ±{number(more_runs)}, twice as"
            f" many trials in each run ±{number(more_trials)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all values, ready for JSON: NaN and infinity become None."""
        return super().to_dict() | {"next_run": self.next_run().to_dict()}

    @property
    def as_title(self) -> str:
        return f"{self.metric} of {pluralize(len(self.rows), 'run')}"

    def _rows(self) -> list[RunScore]:
        z = Level(self.confidence).critical()
        return [row._replace(noise=z * row.noise) for row in self.rows]

    def _notes(self) -> list[str]:
        differ = (
            f"runs differ by a standard deviation of {number(self.sd)} {span(self.lo, self.hi)}"
            f" ({percent(self.confidence)}), {self.share:.0%} of the variance of a single run;"
            f" by trials alone p {is_chance(self.p_value)}"
        )
        following = self.next_run()
        return [differ, f"the next run is expected in {span(following.lo, following.hi)}", self.advice]


def analyze_runs(metric: Metric | str, outcomes: Any, *, confidence: float = 0.95) -> RunEffects:
    """Say how much the runs of one model differ; the outcomes know which run each trial belongs to.

    To see what a known setting does, such as a prompt or a judge, use ``analyze_factors``: runs are draws from many
    that could have been, and factors have levels that are chosen.
    """
    chosen, matrix = as_metric(metric), as_outcomes(outcomes)
    sums = run_sums(chosen, matrix)
    sums.check()
    interval = chosen.interval(matrix.without_runs, confidence)
    score = chosen.score(matrix, too_few="nan")
    score = interval.mu if math.isnan(score) else score
    tail = (1.0 - confidence) / 2.0
    lo, sd, hi = (sums.spread(p) for p in (tail, 0.5, 1.0 - tail))
    scores = _first_order(score, sums, chosen.support(matrix)).tolist()
    rows = tuple(map(RunScore, sums.labels, scores, sums.errors.tolist()))
    return RunEffects(chosen, rows, score, sd, lo, hi, sums.share, sums.p_value, confidence, interval, sums)


def _first_order(score: float, sums: RunSums, support: Bounds) -> Vector:
    """Return the metric of each run; what is 0 but for rounding is 0, and a first order ends where the metric does."""
    moved = sums.effects / sums.weights
    scores = score + moved
    is_nothing = np.abs(scores) <= _ROUNDING * (np.abs(moved) + sums.errors)
    return np.clip(np.where(is_nothing, 0.0, scores), *support)
