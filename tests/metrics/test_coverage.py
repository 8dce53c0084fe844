"""How often intervals contain the truth, in worlds of known success rates in which that once went wrong."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from scorio import Metric, OutcomeMatrix, simulate


class World(NamedTuple):
    """Sets of questions with trials, and the least and the largest share of them whose interval holds the truth."""

    rates: Callable  # of a generator and the number of questions
    questions: int
    trials: int
    metric: str
    sets: int
    least: float
    most: float = 1.0
    options: dict = {}


def beta(a, b, hopeless=0.0):
    return lambda rng, count: np.where(rng.random(count) < hopeless, 0.0, rng.beta(a, b, count))


def mixed(rates, shares=None):
    return lambda rng, count: rng.choice(rates, count, p=shares)


def equal_parts(*rates):
    return lambda _, count: np.repeat(rates, count // len(rates))


POPULATION, UNIFORM = {"target": "population"}, {"prior": "uniform"}
WIDE, TWO, HALVES = beta(0.5, 1.5, 0.5), mixed((0.3, 0.7)), equal_parts(0.3, 0.7)
FOUR = mixed((0.1, 0.2, 0.5, 0.85), (0.4, 0.1, 0.3, 0.2))
QUICK = {
    "a weak model, whose score is below 0": World(equal_parts(*[0.08] + [0.001] * 4), 30, 8, "geom@4", 30, 0.9),
    "no Beta fits": World(beta(12, 2, 0.06), 100, 8, "pass@8", 100, 0.86, options=POPULATION),
    "nearly never solved": World(equal_parts(0.001), 100, 4, "pass^4", 20, 1.0, options=POPULATION),
    "the uniform prior where it is wrong": World(WIDE, 100, 8, "pass@4", 300, 0.0, 0.1, UNIFORM),
    "the learned one there": World(WIDE, 100, 8, "pass@4", 300, 0.91, 0.985),
    "rates from the prior": World(beta(1, 1), 12, 8, "pass@3", 1000, 0.92, 0.98, UNIFORM),
    "a population": World(beta(0.5, 1), 80, 8, "pass@4", 300, 0.91, 0.99, POPULATION),
    "a population by a prior": World(beta(0.5, 1), 80, 8, "pass@4", 300, 0.91, 0.99, POPULATION | UNIFORM),
}
QUICK |= {  # .95 of 40 sets is 38; fewer than 34 have a chance of .003
    f"ten thousand questions of two rates, {metric} of {trials}": World(HALVES, 10_000, trials, metric, 40, 0.85)
    for metric, trials in (("pass@4", 16), ("pass@8", 16), ("pass@8", 8), ("pass^4", 8))
}
LONG = {
    "few trials of many questions": World(beta(2, 5), 500, 3, "geom@3", 200, 0.9),
    "few trials of a population": World(beta(2, 5), 500, 3, "geom@3", 200, 0.9, options=POPULATION),
}
LONG |= {  # how much the score of all trials varies cannot be seen, and smooth densities say too little
    f"{count} questions of {name} with all {n} trials": World(rates, count, n, f"pass@{n}", 300, 0.848)
    for name, rates, n in (("four rates", FOUR, 8), ("two rates", TWO, 8), ("two rates", TWO, 16))
    for count in (100, 300)
}
WORLDS = [pytest.param(world, id=name) for name, world in QUICK.items()]
WORLDS += [pytest.param(world, id=name, marks=pytest.mark.simulation) for name, world in LONG.items()]


@pytest.mark.parametrize("world", WORLDS)
def test_intervals_contain_the_truth_as_often_as_they_say(world):
    rng, metric = np.random.default_rng(1), Metric.from_string(world.metric)

    def truth(rates):
        return simulate.coins(rates[None], 1, rng=0).truth(metric)[0]

    is_of_population, inside, errors = "target" in world.options, 0, []
    beyond = truth(world.rates(rng, 400_000)) if is_of_population else None
    for _ in range(world.sets):
        rates = world.rates(rng, world.questions)
        outcomes = OutcomeMatrix.from_counts(rng.binomial(world.trials, rates), world.trials)
        value, found = beyond if is_of_population else truth(rates), metric.interval(outcomes, **world.options)
        inside += value in found
        errors.append(found.mu - value)
    assert world.least <= inside / world.sets <= world.most
    if world.rates is HALVES:  # of so many questions, a bias would be seen
        assert abs(np.mean(errors)) < 4.0 * np.std(errors) / np.sqrt(world.sets)
