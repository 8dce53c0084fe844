"""The tail of success rates near 0: a law of its own for questions that were never, or rarely, solved.

What a question that was never solved in N trials does in k > N trials depends on the density of rates below 1/N. Below
that, the outcomes only say how many questions were never solved, and the counts 1, 2, 3, .. say how the density falls
towards it. So the density near 0 is fitted to these counts alone (``_tail_densities``), whatever the rest of it is: the
likelihood of a question is that of its count given that it is one of few successes. A share of the questions may have
the rate 0: none, with probability 1/2, or a share that is uniform. Where the trials are equal, it has given the counts
a truncated Beta distribution, whose quantiles are the nodes; unequal trials weigh them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Indices, Vector, cached_property
from .._special import betainc, betaincinv, expit, gammaln
from ._tail_densities import Densities, FewSuccesses, draw_densities, grid, products, summed

FEWEST_TRIALS = 4  # of a question that a tail is fitted to
_FEW, _SHARE = 8, 3  # successes that are few: up to 8, and up to a third of the trials
_NODES = 5  # of the share of questions whose rate is 0
_LEAST = 1e-300
_HARDLY = 0.05  # of the questions
_KEPT = 1e-6  # components lighter than this, relative to the heaviest, are left out


class TailMoments(NamedTuple):
    """Weights of components; mean and variance of the sum over questions of few successes under each."""

    weight: Vector
    mean: Vector
    variance: Vector


class TailPrior:
    """Densities of the rates near 0, weighted by what the questions of few ``successes`` say.

    ``successes``, ``trials`` and ``questions`` describe states; ``is_low`` says which of them have few successes. With
    ``declared``, outcomes decided the numbers of trials: a question is then one of few successes by its share of them.
    """

    def __init__(self, successes: Counts, trials: Counts, questions: Counts, *, declared: bool = False) -> None:
        most, first = few_successes(trials), None
        if declared:
            first = _first(trials, questions)
            most = few_successes(np.full(1, first)) * np.maximum(trials / first, 1.0)
        self.is_low: Flags = (trials >= (first or FEWEST_TRIALS)) & (successes <= most)
        c, n, count = successes[self.is_low], trials[self.is_low], questions[self.is_low]
        self._seen = _seen(c, n, count, first)
        densities, weighed = [], []
        for drawn in draw_densities(self._seen, self._evidence):
            densities.append(drawn.density)
            weighed.append(self._weighed(drawn))
        self._settle(np.concatenate(densities), weighed)
        self._values: dict[int, tuple[Vector, Vector]] = {}

    # The weights of densities and of shares of questions whose rate is 0.

    def _evidence(self, density: Vector) -> Vector:
        """Return the logarithm of the likelihood of every density, over all shares of rates of 0."""
        log_likelihood, _ = self._of_shares(density)
        highest = log_likelihood.max(axis=0)
        return np.asarray(highest + np.log(np.exp(log_likelihood - highest).sum(axis=0)))

    def _weighed(self, drawn: Densities) -> tuple[Vector, Vector]:
        """Return log weights (shares, draws) of one kind, none so large that one draw decides, and the odds of 0."""
        log_likelihood, odds = self._of_shares(drawn.density)
        weight = log_likelihood + drawn.log_weight
        highest = weight.max()
        whole = np.exp(weight - highest).sum(axis=0)
        most = np.sqrt(len(whole)) * whole.mean()
        cut = np.log(np.minimum(1.0, most / np.maximum(whole, _LEAST)))
        return weight + cut, odds

    def _of_shares(self, density: Vector) -> tuple[Vector, Vector]:
        """Return log likelihoods (1 + nodes, draws) of shares of rates of 0, and what these add to each density.

        The first row is the share 0. A share adds ``odds`` to the probability of no success, in units of the density.
        """
        seen = self._seen
        own, kept = products(density, seen.chance), products(density, seen.kept)
        zero, of_group = seen.is_zero, np.bincount(seen.group, seen.questions).astype(np.float64)
        never, among = seen.questions[zero], float(seen.questions.sum())
        solved = summed(np.log(np.maximum(own[:, ~zero], _LEAST)), seen.questions[~zero])

        def likelihood(odds: Vector) -> Vector:
            unsolved = summed(np.log(np.maximum(own[:, zero] + odds[:, None], _LEAST)), never)
            return np.asarray(solved + unsolved - summed(np.log(kept + odds[:, None]), of_group))

        nothing = np.zeros(len(density))
        rows, added = [likelihood(nothing) + np.log(0.5)], [nothing]
        count = float(never.sum())
        if count > 0.0:
            mean_zero, mean_kept = summed(own[:, zero], never) / count, summed(kept, of_group) / among
            least = np.clip(mean_zero / mean_kept, 0.0, 1.0 - 1e-9)
            for chance, log_inverse in _truncated(count + 1.0, among - count + 1.0, least):
                odds = np.maximum((chance * mean_kept - mean_zero) / (1.0 - chance), 0.0)
                rows.append(likelihood(odds) + log_inverse - np.log1p(-least) + np.log(0.5 / _NODES))
                added.append(odds)
        return np.array(rows), np.array(added)

    def _settle(self, densities: Vector, weighed: list[tuple[Vector, Vector]]) -> None:
        """Keep the densities that count, and the weights of their shares."""
        highest = max(float(weight.max()) for weight, _ in weighed)
        weights = np.concatenate([np.exp(weight - highest) / weight.shape[1] for weight, _ in weighed], axis=1)
        odds = np.concatenate([each for _, each in weighed], axis=1)
        of_each = weights.sum(axis=0)
        counts = of_each > _KEPT * of_each.max()
        self.density: Vector = densities[counts]
        self.weight: Vector = weights[:, counts] / of_each[counts].sum()
        self.odds: Vector = odds[:, counts]
        self._own = np.maximum(products(self.density, self._seen.chance), _LEAST)

    # What follows from them.

    @cached_property
    def can_be_solved(self) -> Vector:
        """The probability, of each state of few successes, that its rate is not 0, (states, shares, densities)."""
        own = self._own.T[:, None, :]
        return np.where(self._seen.is_zero[:, None, None], own / (own + self.odds), 1.0)

    def of_states(self, k: int) -> tuple[Vector, Vector]:
        """Return mean and mean square of ``1 - (1 - p)^k`` in each state, under each density, given ``p > 0``."""
        if k not in self._values:
            self._values = {k: self._of_states(k)}  # of the last k, which is asked for several times
        return self._values[k]

    def _of_states(self, k: int) -> tuple[Vector, Vector]:
        value = -np.expm1(-k * np.logaddexp(0.0, self._seen.u))
        chance = self._seen.chance
        mean, square = (products(chance * each, self.density) / self._own.T for each in (value, value**2))
        return mean, square

    def moments(self, k: int, *, solved: bool = False) -> TailMoments:
        """Return the posterior of the sum of ``1 - (1 - p)^k`` over the questions of few successes.

        With ``solved``, over those of at least one success.
        """
        mean, square = self.of_states(k)
        total, variance = np.zeros_like(self.weight), np.zeros_like(self.weight)
        for state, questions in enumerate(self._seen.questions):
            if solved and self._seen.is_zero[state]:
                continue
            own = self.can_be_solved[state] * mean[state]
            total += questions * own
            variance += questions * np.maximum(self.can_be_solved[state] * square[state] - own**2, 0.0)
        return TailMoments(self.weight.ravel(), total.ravel(), variance.ravel())

    def each_state(self, k: int) -> tuple[Vector, Vector]:
        """Return the mean and the variance of ``1 - (1 - p)^k`` of each state of few successes."""
        mean, square = self.of_states(k)
        first = (self.weight * self.can_be_solved * mean[:, None, :]).sum(axis=(1, 2))
        second = (self.weight * self.can_be_solved * square[:, None, :]).sum(axis=(1, 2))
        return first, np.maximum(second - first**2, 0.0)

    def draw_rates(self, k: int, spots: Vector, where: Indices, rng: np.random.Generator) -> Vector:
        """Draw the rates of questions whose states of few successes are ``where``, (spots, questions).

        All rates of a row have one density and one share of rates of 0: those whose sum of ``1 - (1 - p)^k`` is at the
        quantile ``spot`` of the posterior.
        """
        law = self.moments(k)
        order = np.argsort(law.mean)
        below = np.cumsum(law.weight[order])
        chosen = order[np.minimum(np.searchsorted(below, spots * below[-1]), len(order) - 1)]
        u, rates = self._seen.u, np.empty((len(spots), len(where)))
        for row, share, density in zip(rates, *np.unravel_index(chosen, self.weight.shape), strict=True):
            reached = np.cumsum(self.density[density] * self._seen.chance, axis=1)[where]
            point = (reached < rng.random((len(where), 1)) * reached[:, -1:]).sum(axis=1)
            spot = u[np.minimum(point, len(u) - 1)] + (u[1] - u[0]) * (rng.random(len(where)) - 0.5)
            is_solvable = rng.random(len(where)) < self.can_be_solved[where, share, density]
            row[:] = np.where(is_solvable, expit(spot), 0.0)
        return rates


def few_successes(trials: Counts) -> Counts:
    """Return how many successes are few among so many trials.

    >>> few_successes(np.array([4, 8, 16, 64])).tolist()
    [2, 2, 5, 8]
    """
    return np.maximum(np.minimum(_FEW, trials // _SHARE), np.minimum(trials - 1, 2))


def _first(trials: Counts, questions: Counts) -> int:
    """Return the trials that a question has before outcomes decide: the fewest, and up to 8 if hardly any has fewer.

    >>> _first(np.array([4, 40]), np.array([10, 90])), _first(np.array([4, 40]), np.array([1, 99]))
    (4, 8)
    """
    asked = trials >= FEWEST_TRIALS
    usual = np.quantile(np.repeat(trials[asked], questions[asked]), _HARDLY, method="lower")
    return max(int(trials[asked].min()), min(int(usual), 8))


def _seen(c: Counts, n: Counts, questions: Counts, first: int | None) -> FewSuccesses:
    typical = float(np.average(n, weights=questions)) if len(n) else 1.0
    u = grid(typical)
    success, failure = -np.logaddexp(0.0, -u), -np.logaddexp(0.0, u)
    ways = gammaln(n + 1.0) - gammaln(c + 1.0) - gammaln(n - c + 1.0)
    chance = np.exp(ways[:, None] + c[:, None] * success + (n - c)[:, None] * failure)
    if first is None:
        trials, group = np.unique(n, return_inverse=True)
    else:
        trials, group = np.full(1, first), np.zeros(len(n), dtype=np.intp)
    most = few_successes(trials)
    rate = expit(u)
    kept = betainc((trials - most)[:, None], (most + 1.0)[:, None], 1.0 - rate)
    unseen = np.exp(trials[:, None] * failure)
    if first is not None:  # what is never solved by as many trials as the unsolved questions have
        spent = np.average(n[c == 0], weights=questions[c == 0]) if (c == 0).any() else np.inf
        unseen = np.exp(spent * failure)[None]
    few = max(min(_FEW, typical / _SHARE), 1.0)
    return FewSuccesses(u, c == 0, questions.astype(np.float64), group, chance, kept, unseen, typical, few)


@lru_cache(maxsize=16)
def _quantiles(a: float, b: float) -> tuple[Vector, Vector]:
    """Return probabilities and the quantiles of a Beta distribution at them."""
    table = np.concatenate(
        [np.geomspace(1e-9, 1e-3, 40), np.linspace(0.002, 0.998, 400), 1.0 - np.geomspace(1e-3, 1e-9, 40)]
    )
    return table, betaincinv(a, b, table)


def _truncated(a: float, b: float, least: Vector) -> list[tuple[Vector, Vector]]:
    """Return nodes of a Beta distribution above ``least``, with the logarithm of one over its density there."""
    table, values = _quantiles(a, b)
    below = betainc(a, b, least)
    mass = 1.0 - below
    is_empty = mass < 1e-8
    log_beta = gammaln(a) + gammaln(b) - gammaln(a + b)
    found = []
    for share in (np.arange(_NODES) + 0.5) / _NODES:
        at = np.clip(np.interp(below + mass * share, table, values), least, 1.0 - 1e-12)
        log_density = (a - 1.0) * np.log(np.maximum(at, _LEAST)) + (b - 1.0) * np.log1p(-at) - log_beta
        inverse = np.where(is_empty, -np.inf, np.log(np.maximum(mass, _LEAST)) - log_density)
        found.append((at, inverse))
    return found
