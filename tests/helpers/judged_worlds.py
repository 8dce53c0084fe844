"""Simulated judges with known errors."""

import numpy as np

from scorio import OutcomeMatrix


def judged_world(rng, n_questions, trials, *, false_pass=0.08, false_fail=0.04, rates=None):
    """Outcomes by people and by a judge, whose false passes vary between questions; and the true rates."""
    p = np.where(rng.random(n_questions) < 0.35, 0.0, rng.random(n_questions)) if rates is None else rates
    human = rng.random((n_questions, trials)) < p[:, None]
    passes = 2 * false_pass * rng.random((n_questions, 1))
    judge = np.where(human, rng.random((n_questions, trials)) >= false_fail, rng.random((n_questions, trials)) < passes)
    return human.astype(int), judge.astype(int), p


def some(human, place):
    """The labels of some questions."""
    return OutcomeMatrix(human[place], questions=np.asarray(place).tolist())
