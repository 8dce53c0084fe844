"""Models under crossed conditions: outcomes with known rates."""

import itertools

import numpy as np

from scorio import OutcomeSet


def crossed(trials, names=("prompt",), clusters=None, questions=None):
    """The set of an array (questions, models, levels of each factor, trials)."""
    trials = np.asarray(trials)
    rows, conditions = {}, {}
    for index in itertools.product(*map(range, trials.shape[1:-1])):
        levels = {name: f"{name[0]}{i}" for name, i in zip(names, index[1:], strict=True)}
        row = f"m{index[0]} {levels}"
        rows[row] = trials[(slice(None), *index)]
        conditions[row] = {"model": f"m{index[0]}", **levels}
    return OutcomeSet(rows, conditions=conditions, clusters=clusters, questions=questions)


def world(rng, shape, trials, sd, base=0.0):
    """Success rates (questions, models, levels, ..) on a logistic scale, and outcomes.

    ``sd`` maps sets of axes to the standard deviation of their normal effects.
    """
    eta = np.full(shape, base)
    for axes, scale in sd.items():
        eta = eta + scale * rng.normal(size=[n if i in axes else 1 for i, n in enumerate(shape)])
    rates = 1 / (1 + np.exp(-eta))
    return rates, (rng.random((*shape, trials)) < rates[..., None]).astype(int)
