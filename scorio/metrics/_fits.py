"""The learned prior of a set of outcomes: fitted on first use, kept with the outcomes."""

from __future__ import annotations

from ..inference._learned_prior import SharedPrior, learn
from ..outcomes import OutcomeMatrix


def learned_prior(outcomes: OutcomeMatrix) -> SharedPrior:
    """Return the prior that these questions share."""
    return outcomes._cached("learned prior", lambda: learn(outcomes._states))


def learned_prior_of_population(outcomes: OutcomeMatrix, discount: float = 1.0, *, grid: bool = True) -> SharedPrior:
    """Return the same on more nodes, for statements about other questions; each question counts as ``discount``.

    The grid density has no discount and is left out where there is one.
    """
    has_grid = grid and discount == 1.0
    name = f"learned prior of the population, {discount}, {has_grid}"
    return outcomes._cached(name, lambda: learn(outcomes._states, discount, grid=has_grid, fine=True))
