"""Look for the worlds in which scorio is most often wrong without a word: misses, false calls, disagreements, crashes.

    python benchmarks/adversary.py --minutes 60 --write            # also into benchmarks/RESULTS.md
    python benchmarks/adversary.py --runs 400 --world '{"claim": "covers", "questions": 300}'

A world is a claim, and how the outcomes arise that it is about: a mixture of difficulties, numbers of questions and of
trials, and how the trials came about. One *run* of a world draws outcomes whose truth is known and asks for the
statement of the world, which may be wrong in a nominal share of the runs. An error is *silent* if no warning was
issued; outcomes or options that are refused with a reason are no errors.

The search is a bandit: half of its time goes to new worlds and to neighbors of the worst ones, the other half doubles
the runs of the world whose share of silent errors, less the nominal one, has the highest upper bound. What is reported
comes from fresh runs, because the worst of many noisy figures is worse than it really is. The worst ten are of
different kinds: of worlds that differ in details only, the worst one stands for all. Known limits, which are on the
page too, are left out unless ``--limits`` asks for them.
"""

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from textwrap import shorten

import numpy as np
from runner import fill, made
from scipy.optimize import brentq
from scipy.stats import beta

from scorio import (
    Leaderboard,
    Looks,
    Metric,
    OutcomeMatrix,
    OutcomeSet,
    Suite,
    compare,
    diagnose,
    estimate_with_judge,
    gate,
)
from scorio.errors import ScorioError
from scorio.simulate import World as Simulated

Rates = np.ndarray
Rng = np.random.Generator
OF_NO_CONSEQUENCE = 1e-4  # a truth as close as this to 0 or 1 may be missed, and a drop as small as this passed
NEAR_THE_END = 1e-3  # from 0 or 1: a truth so close may be missed by what is of no consequence
LEVELS = ":w=0,.5,1"  # of metrics of rewards: half of the successes are worth .5

QUESTIONS = (5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 300, 500, 1000, 3000, 10_000, 30_000)
LIKELY = (0.065,) * 12 + (0.065, 0.065, 0.055, 0.035)  # the largest ones take long
TRIALS = (1, 2, 3, 4, 5, 8, 16, 32, 64)
DESIGNS = ("even", "ragged", "by difficulty", "adaptive", "until success", "missing", "clusters", "skewed clusters")
DESIGNS += ("one large cluster", "adaptive, undeclared", "until success, undeclared")
BUDGETS = (1, 2, 3, 4, 8, 16, 64)
FAMILIES = ("pass@{}", "pass^{}", "gpass@{}:tau=.5", "mgpass@{}", "maj@{}", "auc@{}", "geom@{}", "geomds@{}")
REWARDS = ("avg" + LEVELS, "max@2" + LEVELS, "max@8" + LEVELS)
METRICS = tuple(family.format(k) for family in FAMILIES for k in BUDGETS) + ("pass@1",) * 9 + REWARDS
OTHERS = ("same rates", "other order", "one rate")  # of the second model, whose true score is the same


@dataclass(frozen=True)
class World:
    """A statement, and how the outcomes arise that it is about; ``shape`` is a mixture of (share, kind, a, b)."""

    claim: str = "covers"
    metric: str = "pass@1"
    questions: int = 100
    trials: int = 4
    shape: tuple[tuple[float, str, float, float], ...] = ((1.0, "uniform", 0.0, 1.0),)
    design: str = "even"
    target: str = "questions"
    prior: str = "learned"
    form: str = "quantile"
    confidence: float = 0.95
    other: str = "same rates"
    family: str = "holm"

    @property
    def budget(self) -> int:
        """The trials of a draw."""
        return int("".join(filter(str.isdigit, self.metric.partition(":")[0])) or 1)

    @property
    def nominal(self) -> float:
        """The share of the runs that may be wrong."""
        return 0.0 if self.claim == "agrees" else 1.0 - self.confidence

    @property
    def kind(self) -> tuple[str, ...]:
        """Of worlds that are alike in this, one is reported."""
        depth = "k > N" if self.budget > self.trials else "one trial" if self.trials == 1 else "k <= N"
        return self.claim, self.target, self.design, depth

    @property
    def unusual(self) -> dict[str, object]:
        """What it does not have by default, and its claim."""
        return {name: value for name, value in asdict(self).items() if name == "claim" or value != getattr(World, name)}

    @property
    def call(self) -> str:
        """The call that repeats it."""
        described = json.dumps(self.unusual, separators=(",", ":"))
        return f"python benchmarks/adversary.py --runs 400 --world '{described}'"

    def __str__(self) -> str:
        parts = " + ".join(f"{share:g} {kind}({a:g}, {b:g})" for share, kind, a, b in self.shape)
        told = ("claim", "metric", "questions", "trials", "shape")
        others = "".join(f", {value}" for name, value in self.unusual.items() if name not in told)
        return f"{self.claim}: {self.metric}, {self.questions:,} x {self.trials}, {parts}{others}"


# --- difficulties ----------------------------------------------------------------------------------------------------


def quantile(kind: str, a: float, b: float, u: Rates) -> Rates:
    """Rates of one part of a mixture."""
    if kind == "at":
        return np.full(len(u), a)
    if kind == "uniform":
        return a + (b - a) * u
    return 10.0 ** (a + (b - a) * u) if kind == "log" else beta.ppf(u, a, b)


def drawn_rates(world: World, rng: Rng) -> Rates:
    """Rates of the questions; for these questions, each part of the mixture has its share as exactly as possible."""
    sizes = cluster_sizes(world)
    count = len(sizes)
    u = rng.random(count) if world.target == "population" else (rng.permutation(count) + rng.random(count)) / count
    edges = np.cumsum([part[0] for part in world.shape])
    chosen = np.minimum(np.searchsorted(edges / edges[-1], u, side="right"), len(edges) - 1)
    found = np.empty(count)
    for i, (_, kind, a, b) in enumerate(world.shape):
        of_part = int((chosen == i).sum())
        found[chosen == i] = rng.beta(a, b, of_part) if kind == "beta" else quantile(kind, a, b, rng.random(of_part))
    return np.repeat(np.minimum(found, 1.0), sizes)


def cluster_sizes(world: World) -> Rates:
    """How many questions each cluster has; the questions of a cluster are equally hard."""
    count = world.questions
    if not world.design.endswith(("cluster", "clusters")):
        return np.ones(count, int)
    if world.design == "one large cluster":
        return np.array([count - count // 2, *np.ones(count // 2, int)])
    groups = max(count // 5, 3)
    weights = 1.0 / np.arange(1, groups + 1) if world.design == "skewed clusters" else np.ones(groups)
    cuts = np.rint(np.cumsum(weights) / weights.sum() * count).astype(int)
    sizes = np.diff(cuts, prepend=0)
    return sizes[sizes > 0]


def truth(metric: Metric, p: Rates, rewards: bool) -> float:
    """The value at these rates."""
    chances = np.stack([1.0 - p, p / 2, p / 2] if rewards else [1.0 - p, p], axis=1)[None]
    like = OutcomeSet({"m": OutcomeMatrix.from_counts(np.ones((len(p), chances.shape[2]), int))})
    return float(Simulated(like, np.zeros((1, len(p), 0), np.int32), chances).truth(metric)[0])


@lru_cache(maxsize=4096)
def population_truth(metric: Metric, shape: tuple, factor: float, rewards: bool) -> float:
    """The value of the whole population, by its quantiles."""
    counts = [max(round(20_000 * part[0]), 1) for part in shape]
    parts = [quantile(*part[1:], (np.arange(n) + 0.5) / n) for part, n in zip(shape, counts, strict=True)]
    return truth(metric, factor * np.concatenate(parts), rewards)


# --- outcomes --------------------------------------------------------------------------------------------------------


def outcomes(world: World, p: Rates, rng: Rng) -> OutcomeMatrix:
    """Outcomes of one model in the design of the world."""
    most, count = world.trials, len(p)
    n, planned, declared = np.full(count, most), None, world.design in ("adaptive", "until success")
    if world.design == "ragged":
        n = rng.integers(1, most + 1, count)
    elif world.design == "by difficulty":
        n = np.where(p < 0.5, most, max(most // 2, 1))
    elif world.design.startswith("until success"):
        first = rng.geometric(np.maximum(p, 1e-12))
        solved = (first <= most).astype(int)
        return declare(OutcomeMatrix.from_counts(solved, np.minimum(first, most)), declared)
    c = rng.binomial(n, p)
    if world.design.startswith("adaptive"):
        more = most * ((c > 0) & (c < n))
        n, c = n + more, c + rng.binomial(more, p)
    elif world.design == "missing":
        lost = rng.binomial(n, 0.2)
        kept = np.maximum(n - lost, 1)
        planned, n, c = n, kept, rng.hypergeometric(c, n - c, kept)
    clusters = (
        np.repeat(np.arange(len(cluster_sizes(world))), cluster_sizes(world)) if "cluster" in world.design else None
    )
    if world.metric.endswith(LEVELS):
        half = rng.binomial(c, 0.5)
        counts = np.stack([n - c, half, c - half], axis=1)
        return declare(OutcomeMatrix.from_counts(counts, planned=planned, clusters=clusters), declared)
    return declare(OutcomeMatrix.from_counts(c, n, planned=planned, clusters=clusters), declared)


def declare(found: OutcomeMatrix, declared: bool) -> OutcomeMatrix:
    """Say that outcomes decided the trials, where the design says so."""
    return found.as_adaptive() if declared else found


# --- statements: each shows what is wrong in one run, if anything is -------------------------------------------------


def misses(value: float, lo: float, hi: float) -> bool:
    """Whether the truth is outside, by an amount that matters."""
    allowed = OF_NO_CONSEQUENCE if min(value, 1.0 - value) < NEAR_THE_END else 1e-9
    return min(value, 1.0 - value) > OF_NO_CONSEQUENCE and not lo - allowed <= value <= hi + allowed


def value_of(world: World, metric: Metric, p: Rates, factor: float = 1.0) -> float:
    """The truth that the statement is about."""
    rewards = world.metric.endswith(LEVELS)
    if world.target == "population":
        return population_truth(metric, world.shape, factor, rewards)
    return truth(metric, factor * p, rewards)


def covers(world: World, metric: Metric, rng: Rng) -> str:
    """The interval misses the truth."""
    p = drawn_rates(world, rng)
    prior = world.prior if world.prior == "learned" else tuple(map(float, world.prior.split(",")))
    options = {"prior": prior, "shape": world.form, "target": world.target}
    found = metric.interval(outcomes(world, p, rng), world.confidence, **options)
    value = value_of(world, metric, p)
    return f"{found} misses {value:.6g}" if misses(value, found.lo, found.hi) else ""


def looks(world: World, metric: Metric, rng: Rng) -> str:
    """Some interval of several looks misses the truth."""
    p = drawn_rates(world, rng)
    value, c, before = value_of(world, metric, p), np.zeros(len(p), int), 0
    promise = Looks(trials=world.trials, confidence=world.confidence)
    for n in sorted({round(world.trials ** (i / 5)) for i in range(6)}):
        c, before = c + rng.binomial(n - before, p), n
        found = metric.interval(OutcomeMatrix.from_counts(c, n), looks=promise, target=world.target)
        if misses(value, found.lo, found.hi):
            return f"after {n} trials, {found} misses {value:.6g}"
    return ""


def equal_rates(world: World, metric: Metric, p: Rates, rng: Rng) -> Rates:
    """Rates of another model that is exactly as good."""
    if world.other == "same rates":
        return p
    if world.other == "one rate":
        value, rewards = value_of(world, metric, p), world.metric.endswith(LEVELS)
        at = [truth(metric, np.array([end]), rewards) - value for end in (0.0, 1.0)]
        if at[0] * at[1] < 0.0:
            root = brentq(lambda x: truth(metric, np.array([x]), rewards) - value, 0.0, 1.0)
            return np.full(len(p), float(root))
    return drawn_rates(world, rng) if world.target == "population" else rng.permutation(p)


def calls(world: World, metric: Metric, rng: Rng) -> str:
    """One of two equally good models is called better."""
    p = drawn_rates(world, rng)
    pair = [outcomes(world, each, rng) for each in (p, equal_rates(world, metric, p, rng))]
    found = compare(metric, *pair, target=world.target, confidence=world.confidence)
    return str(found) if found.winner is not None else ""


def board(world: World, metric: Metric, rng: Rng) -> str:
    """One of five equally good models is called better than another, with the error of all pairs controlled."""
    p = drawn_rates(world, rng)
    models = {name: outcomes(world, equal_rates(world, metric, p, rng) if name > "a" else p, rng) for name in "abcde"}
    pairs = Leaderboard(metric, models, target=world.target, confidence=world.confidence).pairs(world.family)
    found = [pair for pair in pairs.rows if pair.better is not None]
    return f"{len(found)} of {len(pairs.rows)} pairs, the first {found[0]}" if found else ""


def margin(world: World, metric: Metric, rng: Rng) -> tuple[float, OutcomeMatrix, OutcomeMatrix]:
    """A new model whose rates are 10% lower, its true drop, and the baseline."""
    p = drawn_rates(world, rng)
    drop = value_of(world, metric, p) - value_of(world, metric, p, 0.9)
    return drop, outcomes(world, 0.9 * p, rng), outcomes(world, p, rng)


def judged(world: World, metric: Metric, rng: Rng, verdict: str) -> str:
    """A gate at the exact margin has this verdict, which is wrong; not where the drop is of no consequence."""
    drop, new, old = margin(world, metric, rng)
    if drop < OF_NO_CONSEQUENCE:
        return ""
    options = {"target": world.target, "confidence": world.confidence, "mode": "noninferior"}
    found = gate(metric, new, old, max_drop=drop, **options)
    return str(found) if found.verdict == verdict else ""


def passes(world: World, metric: Metric, rng: Rng) -> str:
    """A gate says that a model has lost less than it has."""
    return judged(world, metric, rng, "passed")


def fails(world: World, metric: Metric, rng: Rng) -> str:
    """A gate says that a model has lost more than it has."""
    return judged(world, metric, rng, "failed")


def labels(world: World, metric: Metric, rng: Rng) -> str:
    """The score of an imperfect judge, corrected by people's labels of some questions, misses the truth."""
    p = drawn_rates(world, rng)
    shape = len(p), world.trials
    human = (rng.random(shape) < p[:, None]).astype(int)
    judge = np.where(human, rng.random(shape) > 0.05, rng.random(shape) < 0.15).astype(int)
    place = rng.choice(len(p), max(len(p) // 4, min(20, len(p) - 1)), replace=False)
    people = OutcomeMatrix(human[place], questions=place.tolist())
    found = estimate_with_judge(metric, OutcomeMatrix(judge), people, target=world.target, confidence=world.confidence)
    value = value_of(world, metric, p)
    return f"{found} misses {value:.6g}" if misses(value, found.lo, found.hi) else ""


def alarm(world: World, _: Metric, rng: Rng) -> str:
    """Sound outcomes of three models are suspicious."""
    p = drawn_rates(world, rng)
    powers = {"a": 1.0, "b": 1.5, "c": 0.7}
    models = {name: rng.binomial(1, (p**power)[:, None], (len(p), world.trials)) for name, power in powers.items()}
    found = [each for each in diagnose(models, confidence=world.confidence).findings if each.chance is not None]
    return str(found[0]) if found else ""


def agrees(world: World, metric: Metric, rng: Rng) -> str:
    """Two statements that must agree do not."""
    p = drawn_rates(world, rng)
    one, two = outcomes(world, p, rng), outcomes(world, p**1.3, rng)
    options = {"target": world.target, "confidence": world.confidence}
    pair, back = compare(metric, one, two, **options), compare(metric, two, one, **options)
    rows = Leaderboard(metric, {"A": one, "B": two}, **options).pairs("each").rows
    suite = compare(metric, Suite({"t": {"A": one}}), Suite({"t": {"A": two}}), **options)
    found = metric.interval(one, world.confidence, target=world.target)
    wider = metric.interval(one, 0.5 + 0.5 * world.confidence, target=world.target)
    facts = {
        "compare and its reverse": math.isclose(pair.difference, -back.difference, abs_tol=1e-9)
        and math.isclose(pair.lo, -back.hi, abs_tol=1e-7),
        "compare and the leaderboard": (rows[0].better is None) == (pair.winner is None),
        "a task and a suite of this task": math.isclose(pair.lo, suite.lo, abs_tol=1e-9),
        "an interval and its mean": found.lo <= found.mu <= found.hi,
        "an interval and one of more confidence": wider.lo <= found.lo + 1e-9 and found.hi <= wider.hi + 1e-9,
    }
    return "; ".join(f"{name} disagree" for name, holds in facts.items() if not holds)


CLAIMS: dict[str, Callable[[World, Metric, Rng], str]] = {
    each.__name__: each for each in (covers, looks, calls, board, passes, fails, labels, alarm, agrees)
}
SMALL = {"labels": (1000, 16), "alarm": (300, 16)}  # the most questions and trials where single trials are drawn


# --- the space -------------------------------------------------------------------------------------------------------


def random_part(rng: Rng) -> tuple[str, float, float]:
    """One kind of difficulty: a single rate, a range, a hump or two ends, or rates that differ by powers of ten."""
    kind = str(rng.choice(["at", "uniform", "beta", "log"], p=[0.4, 0.25, 0.25, 0.1]))
    if kind == "at":
        usual = float(rng.choice([0.0, 0.002, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.998, 1.0]))
        return kind, usual if rng.random() < 0.7 else round(float(rng.random()), 3), 0.0
    if kind == "uniform":
        low, high = sorted(round(float(x), 2) for x in rng.random(2))
        return kind, low, high
    if kind == "log":
        return kind, float(rng.integers(-5, -1)), float(rng.integers(-1, 1))
    a, b = (float(x) for x in rng.choice([0.1, 0.3, 0.5, 1.0, 2.0, 5.0, 8.0, 20.0, 60.0], 2))
    return kind, a, b


def random_shape(rng: Rng) -> tuple[tuple[float, str, float, float], ...]:
    """A mixture of one to three kinds."""
    count = int(rng.choice([1, 2, 3], p=[0.3, 0.45, 0.25]))
    shares = rng.dirichlet(np.full(count, 1.5))
    shares = np.maximum(np.round(shares, 2), 0.01)
    return tuple((round(float(s), 2), *random_part(rng)) for s in shares / shares.sum())


DRAWS: dict[str, Callable[[Rng], object]] = {
    "claim": lambda rng: str(rng.choice(list(CLAIMS), p=[0.3, 0.08, 0.14, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08])),
    "metric": lambda rng: str(rng.choice(METRICS)),
    "questions": lambda rng: int(rng.choice(QUESTIONS, p=LIKELY)),
    "trials": lambda rng: int(rng.choice(TRIALS)),
    "shape": random_shape,
    "design": lambda rng: "even" if rng.random() < 0.4 else str(rng.choice(DESIGNS)),
    "target": lambda rng: str(rng.choice(["questions", "population"], p=[0.6, 0.4])),
    "prior": lambda rng: str(rng.choice(["learned", "1,1", "0.5,0.5", "2,5"], p=[0.85, 0.05, 0.05, 0.05])),
    "form": lambda rng: str(rng.choice(["quantile", "normal"], p=[0.8, 0.2])),
    "confidence": lambda rng: float(rng.choice([0.95, 0.8, 0.99], p=[0.8, 0.1, 0.1])),
    "other": lambda rng: str(rng.choice(OTHERS)),
    "family": lambda rng: str(rng.choice(["holm", "simultaneous"])),
}


def random_world(rng: Rng) -> World:
    """A world anywhere in the space."""
    return settled(World(**{name: draw(rng) for name, draw in DRAWS.items()}))


def neighbor(world: World, rng: Rng) -> World:
    """A world that differs in one or two respects."""
    chosen = rng.choice(list(DRAWS), int(rng.integers(1, 3)), replace=False)
    return settled(replace(world, **{str(name): DRAWS[str(name)](rng) for name in chosen}))


def settled(world: World) -> World:
    """The same world without what has no meaning for its claim, so that equal worlds are equal."""
    plain = World()
    idle = {"prior", "form"} if world.claim != "covers" else set()
    idle |= {"other"} if world.claim not in ("calls", "board") else set()
    idle |= {"family"} if world.claim != "board" else set()
    idle |= {"design"} if world.claim in ("looks", "labels", "alarm") else set()
    idle |= {"metric", "target"} if world.claim == "alarm" else set()
    idle |= {"design"} if "cluster" in world.design and world.target == "questions" else set()
    if world.metric.endswith(LEVELS):
        idle |= {"design"} if world.design not in ("even", "missing") and "cluster" not in world.design else set()
        idle |= {"prior"}
    world = replace(world, **{name: getattr(plain, name) for name in idle})
    if world.claim in ("looks", "labels") and world.metric.endswith(LEVELS):
        world = replace(world, metric=plain.metric)
    if world.claim == "labels" and world.metric.startswith("geomds"):  # no mean over questions
        world = replace(world, metric=plain.metric)
    if world.prior != "learned":  # a chosen prior promises something of its own difficulties only
        a, b = map(float, world.prior.split(","))
        world = replace(world, shape=((1.0, "beta", a, b),), metric=world.metric.removesuffix(LEVELS))
        world = replace(world, design="even") if world.design == "by difficulty" else world
    most = SMALL.get(world.claim, (max(QUESTIONS), max(TRIALS)))
    return replace(world, questions=min(world.questions, most[0]), trials=min(world.trials, most[1]))


# --- the search ----------------------------------------------------------------------------------------------------

FIRST, MOST = 16, 1024  # runs of a new world, and of one world during the search
SLOWEST = 2.0  # seconds of one batch of runs; a quarter of this for the first
SEARCHED = 0.7  # share of the time; the rest is for fresh runs
BEST, REPORTED = 24, 10  # worlds that get neighbors and more runs; those that are reported

LIMITS: dict[str, Callable[[World], bool]] = {
    "k above the number of trials": lambda world: world.budget > world.trials,
    "outcomes decided the trials, and nobody said so": lambda world: world.design.endswith("undeclared"),
}


def limit(world: World) -> str:
    """The known limit that a world lies beyond, or nothing."""
    return next((name for name, lies_beyond in LIMITS.items() if lies_beyond(world)), "")


@dataclass
class Tally:
    """What the runs of a world gave."""

    runs: int = 0
    silent: int = 0
    warned: int = 0  # of the runs
    refused: int = 0
    example: str = ""

    def excess(self, world: World, errors: float = 0.0) -> float:
        """The share of silent errors less the nominal share, plus so many standard errors."""
        share = (self.silent + world.nominal) / (self.runs + 1.0)
        return share - world.nominal + errors * math.sqrt(share * (1.0 - share) / (self.runs + 1.0))

    def __str__(self) -> str:
        share = self.silent / max(self.runs, 1)
        error = math.sqrt(max(share * (1.0 - share), 1.0 / (self.runs + 1)) / max(self.runs, 1))
        return f"{share:.3f} ± {error:.3f}"


def run(world: World, runs: int, seed: int, tally: Tally | None = None, seconds: float = SLOWEST) -> Tally:
    """Add runs to a tally, until the time is over; the runs of a tally that has some are new ones."""
    tally, end = tally or Tally(), time.monotonic() + seconds
    metric = Metric.from_string(world.metric)
    rng = np.random.default_rng([seed, tally.runs])
    for _ in range(runs):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                wrong = CLAIMS[world.claim](world, metric, rng)
            except ScorioError as error:
                tally.refused += 1
                wrong, tally.example = "", tally.example or f"refused: {error}"
            except Exception as error:  # noqa: BLE001 - a crash is what is looked for
                wrong = f"{type(error).__name__}: {error}"
        tally.runs += 1
        tally.warned += bool(said)
        if wrong and not said:
            tally.silent += 1
            tally.example = wrong
        if time.monotonic() > end:
            break
    return tally


def search(minutes: float, seed: int, limits: bool) -> dict[World, Tally]:
    """Spend the time on new worlds and on the most promising ones."""
    rng, end, found = np.random.default_rng(seed), time.monotonic() + 60.0 * minutes, dict[World, Tally]()
    spent = {"new": 0.0, "more": 0.0}
    while (start := time.monotonic()) < end:
        best = worst_of_kinds(found, BEST)
        more = [world for world in best if found[world].runs < MOST]
        job = "more" if more and spent["more"] < spent["new"] else "new"
        if job == "more":
            world = max(more, key=lambda each: found[each].excess(each, errors=2.0))
            run(world, found[world].runs, seed, found[world])
        else:
            is_near = bool(best) and rng.random() < 0.5
            world = neighbor(best[rng.integers(len(best))], rng) if is_near else random_world(rng)
            if world not in found and (limits or not limit(world)):
                found[world] = run(world, FIRST, seed, seconds=SLOWEST / 4.0)
        spent[job] += time.monotonic() - start
    return found


def worst_of_kinds(found: dict[World, Tally], count: int) -> list[World]:
    """The worst world of each kind, the worst kinds first; few runs count as what they are surely worse than."""
    kinds: dict[tuple[str, ...], World] = {}
    for world, tally in found.items():
        known = kinds.setdefault(world.kind, world)
        if tally.excess(world, -1.0) > found[known].excess(known, -1.0):
            kinds[world.kind] = world
    return sorted(kinds.values(), key=lambda world: -found[world].excess(world, -1.0))[:count]


def confirmed(worlds: list[World], minutes: float, runs: int, seed: int) -> dict[World, Tally]:
    """Fresh runs of worlds, the worst first."""
    seconds = 60.0 * minutes / max(len(worlds), 1)
    fresh = {world: run(world, runs, seed, seconds=seconds) for world in worlds}
    return dict(sorted(fresh.items(), key=lambda each: -each[1].excess(each[0])))


def shown(found: Iterable[tuple[World, Tally]]) -> str:
    """The worst worlds as a table, and the calls that repeat them."""
    rows = ["| | wrong, silently | nominal | warned | refused | runs | world |", "|--:|" + "---|" * 6]
    calls = []
    for i, (world, tally) in enumerate(found, 1):
        shares = (f"{part / max(tally.runs, 1):.2f}" for part in (tally.warned, tally.refused))
        numbers = f"{tally} | {world.nominal:.2f} | {' | '.join(shares)} | {tally.runs}"
        known = f"; limit: {limit(world)}" if limit(world) else ""
        rows.append(f"| {i} | {numbers} | {world}{known} |")
        calls += [f"# {i}: {shorten(tally.example, 100, placeholder=' ..')}", world.call]
    return "\n".join([*rows, "", "```sh", *calls, "```"])


def main() -> None:
    """Search and report, or repeat one world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=400, help="fresh runs of a world that is reported")
    parser.add_argument("--limits", action="store_true", help="search beyond the known limits too")
    parser.add_argument("--write", action="store_true", help="write the worst ten into benchmarks/RESULTS.md")
    parser.add_argument("--world", type=json.loads, help="run this world only")
    options = parser.parse_args()
    if options.world:
        parts = options.world | {"shape": tuple(map(tuple, options.world.get("shape", World().shape)))}
        world = settled(World(**parts))
        print(shown([(world, run(world, options.runs, options.seed + 1, seconds=math.inf))]))
        return
    start = time.monotonic()
    found = search(SEARCHED * options.minutes, options.seed, options.limits)
    worst = worst_of_kinds(found, BEST)
    fresh = confirmed(worst, (1.0 - SEARCHED) * options.minutes, options.runs, options.seed + 1)
    runs = sum(tally.runs for tally in (*found.values(), *fresh.values()))
    text = shown(list(fresh.items())[:REPORTED])
    note = f"{len(found):,} worlds, {runs:,} runs in {(time.monotonic() - start) / 60.0:.0f} minutes; {made()}."
    print(f"{text}\n{note}")
    if options.write:
        fill("RESULTS.md", "adversary", f"{text}\n\n{note}")


if __name__ == "__main__":
    main()
