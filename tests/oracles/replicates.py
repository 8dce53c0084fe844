"""Replicates drawn trial by trial with numpy's own SFC64; every replicate there is, with its exact chance."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np

WARM_UP = 12


class Draws:
    """Whole numbers below a total, from three words of seed."""

    def __init__(self, seed):
        bits = np.random.SFC64()
        words = np.array([*seed, 1], np.uint64)
        bits.state = {"bit_generator": "SFC64", "state": {"state": words}, "has_uint32": 0, "uinteger": 0}
        bits.random_raw(WARM_UP)
        self.generator = np.random.Generator(bits)

    def below(self, total):
        drawn = int(self.generator.integers(max(total, 2) if total > 1 else 2**32, dtype=np.uint32))
        return drawn if total > 1 else 0  # numpy draws nothing where there is no choice


def row(draws, counts, length, replace):
    """The categories of trials drawn from the counts of one question, the highest category being numbered first."""
    left = list(counts)
    drawn = []
    for _ in range(length):
        number, category = draws.below(sum(left)), len(left) - 1
        while number >= left[category]:
            number -= left[category]
            category -= 1
        drawn.append(category)
        left[category] -= not replace
    return drawn


def paths(trials, length, replace):
    """Every sequence of ``length`` of the trials, and its chance."""
    sequences = list(product(trials, repeat=length) if replace else permutations(trials, length))
    return {path: Fraction(times, len(sequences)) for path, times in Counter(sequences).items()}


def worlds(models, length, replace):
    """Every replicate of models (models, questions, trials), and its chance: questions are drawn by themselves."""
    for chosen in product(*[replicates(model, length, replace).items() for model in models]):
        yield [drawn for drawn, _ in chosen], prod(chance for _, chance in chosen)


def replicates(model, length, replace):
    """Every replicate of one model, a tuple of questions."""
    choices = [paths(question, length, replace).items() for question in model]
    return {tuple(path for path, _ in chosen): prod(chance for _, chance in chosen) for chosen in product(*choices)}


def order(scores):
    """1, 0 or -1 of every pair: who is ahead."""
    return tuple((a > b) - (a < b) for i, a in enumerate(scores) for b in scores[:i])


def tau_b(one, other):
    """Tau-b of two orders by its definition; None where one of them ties everything."""
    pairs = sum(map(abs, one)) * sum(map(abs, other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / pairs**0.5 if pairs else None


def convergence_at(orders, gold):
    """The first n (counted from 1) from which on every order is gold's, or None."""
    found = None
    for n, each in enumerate(orders, 1):
        found = (found or n) if each == gold else None
    return found
