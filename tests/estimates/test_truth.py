"""Composed questions against known truth: by enumeration of all outcomes, and by simulation."""

import itertools
import math
import warnings

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, PassAtK, Suite, estimate
from scorio.estimates import mean
from scorio.metrics import AvgMetric

MODELS = ("old", "new", "one", "other")
REPEATS = 120


def logit(value):
    return math.log(value / (1.0 - value))


QUESTIONS = {
    "at least 95% as good": lambda m: m["new"] - 0.95 * m["old"],
    "twice the old, less the others": lambda m: 2.0 * m["old"] - m["one"] - m["other"],
    "above the mean of the others": lambda m: m["new"] - (m["old"] + m["one"] + m["other"]) / 3.0,
    "a difference of differences": lambda m: (m["new"] - m["old"]) - (m["one"] - m["other"]),
    "weights of one's own": lambda m: 0.7 * m["new"] + 0.3 * m["one"] - m["old"],
    "a ratio": lambda m: m["new"] / m["old"],
}


def rates(rng, questions, effect=0.25, spread=1.2):
    """The success rate of every model on every question: of one difficulty, with something of each model's own."""
    ease = rng.normal(0.0, spread, questions)
    return {
        name: 1.0 / (1.0 + np.exp(-(ease + effect * i + rng.normal(0.0, 0.4, questions))))
        for i, name in enumerate(MODELS)
    }


def of_population():
    """The mean rate of every model over the population of questions."""
    rng = np.random.default_rng(99)
    return {name: float(p.mean()) for name, p in rates(rng, 400_000).items()}


def drawn(rng, truth, trials, **about):
    drawn_of = {name: (rng.random((len(p), trials)) < p[:, None]).astype(int) for name, p in truth.items()}
    return OutcomeSet({name: OutcomeMatrix(each, **about) for name, each in drawn_of.items()})


def shared(rng):
    truth = rates(rng, 30)
    return drawn(rng, truth, 8), {name: float(p.mean()) for name, p in truth.items()}, of_population()


def single(rng):
    truth = rates(rng, 60)
    return drawn(rng, truth, 1), {name: float(p.mean()) for name, p in truth.items()}, of_population()


def suite(rng):
    tasks = {name: rates(rng, count) for name, count in (("a", 20), ("b", 40))}
    outcomes = Suite({name: drawn(rng, truth, 6) for name, truth in tasks.items()})
    these = {name: float(np.mean([tasks[task][name].mean() for task in tasks])) for name in MODELS}
    return outcomes, these, of_population()


WORLDS = {"shared questions": shared, "single trials": single, "a suite": suite}


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("target", ["questions", "population"])
def test_intervals_contain_the_truth_as_often_as_they_say(world, target):
    rng = np.random.default_rng(20)
    hits = dict.fromkeys(QUESTIONS, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(REPEATS):
            outcomes, these, population = WORLDS[world](rng)
            truth = these if target == "questions" else population
            board = estimate("pass@1", outcomes, target=target)
            for name, question in QUESTIONS.items():
                _, _, lo, hi = question(board).interval()
                hits[name] += lo <= question(truth) <= hi
    shares = {name: count / REPEATS for name, count in hits.items()}
    error = math.sqrt(0.93 * 0.07 / REPEATS)
    assert min(shares.values()) >= 0.93 - 3.0 * error, shares
    assert np.mean(list(shares.values())) >= 0.94 - error, shares


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize("trials", [4, 8])
def test_the_difference_of_two_metrics_of_the_same_trials_contains_the_truth(trials):
    rng, hits, worlds = np.random.default_rng(5), 0, 400
    for _ in range(worlds):
        p = rates(rng, 30)["new"]
        outcomes = OutcomeMatrix((rng.random((30, trials)) < p[:, None]).astype(int))
        _, _, lo, hi = (PassAtK(4).estimate(outcomes) - AvgMetric().estimate(outcomes)).interval()
        hits += lo <= np.mean(1.0 - (1.0 - p) ** 4 - p) <= hi
    error = math.sqrt(0.93 * 0.07 / worlds)
    assert 0.93 - 3.0 * error <= hits / worlds <= 0.97 + 3.0 * error


def test_sums_of_metrics_of_the_same_trials_are_one_metric_however_they_are_written():
    rng = np.random.default_rng(6)
    new, old = (drawn(rng, rates(rng, 30), 6)[name] for name in ("new", "old"))
    metrics = PassAtK(4), PassAtK(1)
    (a, b), (c, d) = ([metric.estimate(outcomes) for metric in metrics] for outcomes in (new, old))
    ways = [(a - b) - (c - d), (a - c) - (b - d), -0.5 * ((2.0 * c - 2.0 * a) - (2.0 * d - 2.0 * b))]
    numbers = [(*way.interval(), way.p_value()) for way in ways]
    assert numbers[1] == pytest.approx(numbers[0], rel=1e-12)
    assert numbers[2] == pytest.approx(numbers[0], rel=1e-12)


@pytest.mark.simulation
@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.3, 0.5, 0.8])
def test_a_difference_of_differences_is_rarely_called_where_there_is_none(rate):
    """Four equal models with three questions and two trials each."""
    counts = range(3)
    chance = [math.comb(2, n) * rate**n * (1.0 - rate) ** (2 - n) for n in counts]
    by_model = {}
    for own in itertools.combinations_with_replacement(counts, 3):
        ways = len(set(itertools.permutations(own)))
        by_model[own] = ways * math.prod(chance[n] for n in own)
    rows = list(by_model)
    rng = np.random.default_rng(1)
    wrong, total = 0.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            chosen = [rows[i] for i in rng.choice(len(rows), 4, p=np.array(list(by_model.values())))]
            board = estimate(
                "pass@1", {n: OutcomeMatrix.from_counts(own, 2) for n, own in zip(MODELS, chosen, strict=True)}
            )
            gain = (board["new"] - board["old"]) - (board["one"] - board["other"])
            wrong, total = wrong + (gain.p_value() <= 0.05), total + 1.0
    assert wrong / total <= 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / total)


def test_slices_and_means_agree_with_a_suite():
    rng = np.random.default_rng(6)
    tasks = {name: drawn(rng, rates(rng, 25), 6) for name in "ab"}
    overall = estimate("pass@1", Suite(tasks))["new"]
    parts = [estimate("pass@1", Suite({name: models}))["new"] for name, models in tasks.items()]
    assert mean(parts).value == pytest.approx(overall.value, rel=1e-9)
    assert mean(parts).sd == pytest.approx(overall.sd, rel=1e-9)
