"""Runs that are looked at while trials come in: what is said at every look under every rule, and the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

from scorio import AvgMetric, BayesMetric, GPassTau, OutcomeMatrix, PassAtK, PassHatK, RewardMatrix
from scorio.comparison._joint import paired_by_question
from scorio.inference import Level, Looks, SkewedT, quantile_interval, students_interval
from scorio.metrics import Metric

RULES = {"naive": None, "budget 64": Looks(trials=64), "around 16": Looks(around=16)}
CONFIDENCE_INTERVAL, CONFIDENCE_CALL = 0.95, 0.9
BINARY = {"pass@1": PassAtK(1), "pass@4": PassAtK(4), "pass^4": PassHatK(4), "gpass@8:tau=.5": GPassTau(8, 0.5)}
RUBRIC = np.array([0.0, 0.5, 1.0])
EVERY = tuple(range(1, 65))
DOUBLING = (1, 2, 4, 8, 16, 32, 64)
QUESTIONS, CLUSTERS = 100, 25


def errors_at(looks: Sequence[int], confidence: float) -> np.ndarray:
    """The probability of both tails of an interval at every look, by rule: (looks, rules)."""
    return np.array(
        [[1.0 - confidence if r is None else r.tail(n, 1.0 - confidence) for r in RULES.values()] for n in looks]
    )


@dataclass
class Paths:
    """What is said in runs that come in pairs, two runs of the same model, by every rule at every look.

    ``missed`` (runs, looks, rules) says whether the interval misses the truth, ``called`` (pairs, looks, rules) whether
    one run of the pair is called better than the other.
    """

    missed: np.ndarray
    called: np.ndarray


def spiked(rng: np.random.Generator, count: int) -> np.ndarray:
    """35% never solved, 25% always, the rest uniform."""
    kind = rng.random(count)
    return np.where(kind < 0.35, 0.0, np.where(kind < 0.6, 1.0, rng.random(count)))


WORLDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "uniform": lambda rng, count: rng.random(count),
    "Beta(.3, .3)": lambda rng, count: rng.beta(0.3, 0.3, count),
    "Beta(.5, 5)": lambda rng, count: rng.beta(0.5, 5.0, count),
    "Beta(5, .5)": lambda rng, count: rng.beta(5.0, 0.5, count),
    "spiked": spiked,
}


def real_rates(data: Path | None) -> dict[str, np.ndarray]:
    """The observed rates (models, questions) of every file in the folder, which stand for the truth."""
    found: dict[str, np.ndarray] = {}
    for path in sorted(data.glob("*.npz")) if data else ():
        with np.load(path, allow_pickle=False) as file:
            if "correct" in file.files:
                found[path.stem] = np.atleast_2d(file["correct"] / file["trials"])
    return found


def counts_at(rates: np.ndarray, looks: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """Successes (looks, questions) of one run."""
    trials = rng.random((max(looks), len(rates))) < rates
    return np.cumsum(trials, axis=0)[np.array(looks) - 1]


class Recorder:
    """The statements about one metric, run by run."""

    def __init__(self, metric: Metric, looks: Sequence[int]) -> None:
        self.metric = metric
        self.errors = errors_at(looks, CONFIDENCE_INTERVAL), errors_at(looks, CONFIDENCE_CALL)
        self.missed: list[np.ndarray] = []
        self.sides: list[np.ndarray] = []

    def add(self, outcomes: Sequence[OutcomeMatrix], truth: float, target: str = "questions") -> None:
        """Record one run: its intervals at every look, and the ends and means that differences are made of."""
        missed, sides = [], []
        for at, R in enumerate(outcomes):
            posterior = self.metric.posterior(R, prior="learned", target=target)
            low, high = self.metric.support(R)
            intervals = [
                [
                    students_interval(posterior, Level(0.95, error), "quantile", (low, high))
                    if isinstance(posterior, SkewedT)
                    else quantile_interval(posterior, Level(0.95, error), (low, high))
                    for error in errors[at]
                ]
                for errors in self.errors
            ]
            missed.append([not each.lo <= truth <= each.hi for each in intervals[0]])
            sides.append([(each.mu, each.mu - each.lo, each.hi - each.mu) for each in intervals[1]])
        self.missed.append(np.array(missed))
        self.sides.append(np.array(sides))

    def paths(self) -> Paths:
        """All runs; a pair is called if the interval of the difference excludes zero, as ``compare`` has it."""
        mu, down, up = np.moveaxis(np.array(self.sides), -1, 0)
        gap = mu[::2] - mu[1::2]
        called = (gap > np.hypot(down[::2], up[1::2])) | (-gap > np.hypot(up[::2], down[1::2]))
        return Paths(np.array(self.missed), called)


def binary_paths(draws: Sequence[np.ndarray], looks: Sequence[int], rng: np.random.Generator) -> dict[str, Paths]:
    """One run for each array of success rates, by every binary metric."""
    recorders = {name: Recorder(metric, looks) for name, metric in BINARY.items()}
    for rates in draws:
        counts = counts_at(rates, looks, rng)
        outcomes = [OutcomeMatrix.from_counts(each, n) for each, n in zip(counts, looks, strict=True)]
        for name, metric in BINARY.items():
            recorders[name].add(outcomes, value(metric, rates))
    return {name: recorder.paths() for name, recorder in recorders.items()}


def value(metric: PassAtK, rates: np.ndarray) -> float:
    """A count metric at success rates."""
    return float((binom.pmf(np.arange(metric.k + 1), metric.k, rates[:, None]) @ metric._credits).mean())


def rewards_of(rates: np.ndarray, trials: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Beta distributed rewards around each question's rate, (questions, trials), and their true means."""
    spread, mean = rng.uniform(2.0, 8.0, (len(rates), 1)), np.clip(rates, 0.02, 0.98)
    shape = (spread * mean[:, None], spread * (1.0 - mean[:, None]))
    return rng.beta(*shape, (len(rates), trials)), mean


def reward_paths(draws: Sequence[np.ndarray], looks: Sequence[int], rng: np.random.Generator) -> dict[str, Paths]:
    """One run for each array of rates, by the mean of continuous rewards and of their halves, a rubric."""
    rubric, continuous = Recorder(BayesMetric(tuple(RUBRIC.tolist())), looks), Recorder(AvgMetric(), looks)
    for rates in draws:
        rewards, mean = rewards_of(rates, max(looks), rng)
        continuous.add([RewardMatrix(rewards[:, :n], support=(0, 1)) for n in looks], float(mean.mean()))
        chances = np.stack([(1 - mean) ** 2, 2 * mean * (1 - mean), mean**2], axis=1)
        edges = np.cumsum(chances, axis=1)[:, None, :2]
        drawn = (rng.random((len(rates), max(looks), 1)) >= edges).sum(axis=2)
        tables = [np.stack([(drawn[:, :n] == each).sum(axis=1) for each in range(3)], axis=1) for n in looks]
        rubric.add([OutcomeMatrix.from_counts(table) for table in tables], float((chances @ RUBRIC).mean()))
    return {"rubric": rubric.paths(), "continuous": continuous.paths()}


Draw = Callable[[np.random.Generator, int], np.ndarray]


def clustered_rates(draw: Draw, rng: np.random.Generator) -> np.ndarray:
    """Success rates of questions in clusters: half of a cluster's questions have the rate of the cluster."""
    shared = np.repeat(draw(rng, CLUSTERS), QUESTIONS // CLUSTERS)
    return np.where(rng.random(QUESTIONS) < 0.5, shared, draw(rng, QUESTIONS))


def population_paths(worlds: Sequence[Draw], looks: Sequence[int], rng: np.random.Generator) -> dict[str, Paths]:
    """Pairs of runs on drawn clusters of questions, by Pass@1 of the population that they are drawn from."""
    recorder, called = Recorder(PassAtK(1), looks), []
    clusters = np.repeat(np.arange(CLUSTERS), QUESTIONS // CLUSTERS)
    for draw in worlds:
        truth, rates = float(draw(np.random.default_rng(0), 1_000_000).mean()), clustered_rates(draw, rng)
        pair = [
            [
                OutcomeMatrix.from_counts(each, n, clusters=clusters)
                for each, n in zip(counts_at(rates, looks, rng), looks, strict=True)
            ]
            for _ in range(2)
        ]
        for outcomes in pair:
            recorder.add(outcomes, truth, "population")
        called.append(list(calls_of_pair(*pair, errors_at(looks, CONFIDENCE_CALL))))
    return {"pass@1 of the population, clusters": Paths(recorder.paths().missed, np.array(called))}


def calls_of_pair(A: Sequence[OutcomeMatrix], B: Sequence[OutcomeMatrix], errors: np.ndarray) -> Iterator[np.ndarray]:
    """Whether one of two runs on the same questions is called better, (rules,) at every look, by differences."""
    for one, other, error in zip(A, B, errors, strict=True):
        joint = paired_by_question(PassAtK(1), [one, other], "learned")
        gap, sd = abs(joint.mu[0] - joint.mu[1]), joint.sd(0, 1)
        yield np.array([gap > joint.reach(CONFIDENCE_CALL, each) * sd for each in error])
