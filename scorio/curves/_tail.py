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

from .._base.arrays import Counts, Flags, Vector, cached_property
from .._base.special import betainc, betaincc, betainccinv, expit, gammaln
from ._tail_densities import DRAWS, Densities, FewSuccesses, draw_paths, grid, lumps_of, products

FEWEST_TRIALS = 4  # of a question that a tail is fitted to
_FEW, _SHARE = 8, 3  # successes that are few: up to 8, and up to a third of the trials
_CELLS = (0.02, 0.08, 0.2, 0.4, 0.2, 0.08, 0.02)  # probabilities of nodes of the share of questions whose rate is 0
_LEAST = 1e-300
_HARDLY = 0.05  # of the questions
_LOST = 1e-4  # of the weight: the lightest densities are left out
_ENOUGH, _MATTERS, _AGAIN = 12.0, 0.01, 2  # of a kind: draws that must count; its least weight; redraws


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
        most, first, survived = few_successes(trials), None, False
        if declared:
            first = _first(trials, questions)
            most = few_successes(np.full(1, first)) * np.maximum(trials / first, 1.0)
            survived = _were_solved(successes, trials, questions, first)
        self.is_low: Flags = (trials >= (first or FEWEST_TRIALS)) & (successes <= most)
        c, n, count = successes[self.is_low], trials[self.is_low], questions[self.is_low]
        self._seen = _seen(c, n, count, first, survived=survived)
        self._fit()
        self.of_states, self.moments = lru_cache(maxsize=1)(self._of_states), lru_cache(maxsize=2)(self._moments)

    # The weights of densities and of shares of questions whose rate is 0.

    def _fit(self) -> None:
        """Draw densities of every kind, weigh them, and keep those that count.

        Lumps are drawn around the moments of a first sample, and again where that was too far off.
        """
        kinds, first = lumps_of(self._seen.most)
        seen = _Likelihood(self._seen, *self._seen.sums(first))
        likeliest = seen.odds((seen.count + 0.5) / (seen.among + 1.0))  # that gives the questions never solved
        evidence = np.split(seen.of(likeliest), len(kinds))
        drawn = draw_paths(self._seen)
        paths = len(drawn)
        drawn += [kind.draw_around(kind.first, of_first) for kind, of_first in zip(kinds, evidence, strict=True)]
        log_likelihood, odds = self._of_shares(*self._sums(drawn))
        for _ in range(_AGAIN):
            whole = _whole(log_likelihood).reshape(len(drawn), DRAWS)
            far = [kind for kind in _poor(whole + [draws.log_weight for draws in drawn]) if kind >= paths]
            if not far:
                break
            for kind in far:
                drawn[kind] = kinds[kind - paths].draw_around(drawn[kind].numbers, whole[kind])
            at = np.concatenate([np.arange(kind * DRAWS, (kind + 1) * DRAWS) for kind in far])
            log_likelihood[:, at], odds[:, at] = self._of_shares(*self._sums([drawn[kind] for kind in far]))
        self._settle(drawn, log_likelihood, odds)

    def _sums(self, drawn: list[Densities]) -> tuple[Vector, Vector]:
        return self._seen.sums(np.concatenate([draws.density for draws in drawn], axis=1))

    def _of_shares(self, chances: Vector, kept: Vector) -> tuple[Vector, Vector]:
        """Return log likelihoods (1 + nodes, draws) of shares of rates of 0, and what these add to each density.

        ``chances`` are those of the states under each density, and ``kept`` those of few successes. The first row is
        the share 0. A share adds ``odds`` to the probability of no success, in units of the density.
        """
        seen = _Likelihood(self._seen, chances, kept)
        nothing = np.zeros(chances.shape[1])
        rows, added = [seen.of(nothing) + np.log(0.5)], [nothing]
        if seen.count > 0.0:
            least = np.clip(seen.mean_zero / seen.mean_kept, 0.0, 1.0 - 1e-9)
            nodes = _truncated(seen.count + 1.0, seen.among - seen.count + 1.0, least)
            for (chance, log_inverse), cell in zip(nodes, _CELLS, strict=True):
                odds = seen.odds(chance)
                rows.append(seen.of(odds) + log_inverse - np.log1p(-least) + np.log(0.5 * cell))
                added.append(odds)
        return np.array(rows), np.array(added)

    def _settle(self, drawn: list[Densities], log_likelihood: Vector, odds: Vector) -> None:
        """Keep the densities that count, and the weights of their shares; none so large that one decides its kind."""
        log_weight = log_likelihood + np.concatenate([draws.log_weight for draws in drawn])
        weights = np.exp(log_weight - log_weight.max())
        of_each = weights.sum(axis=0)
        by_kind = of_each.reshape(len(drawn), DRAWS)
        most = np.sqrt(DRAWS) * by_kind.mean(axis=1)
        cut = np.minimum(1.0, most[:, None] / np.maximum(by_kind, _LEAST)).ravel()
        weights, of_each = weights * cut, of_each * cut
        order = np.argsort(of_each)
        heavy = order[np.cumsum(of_each[order]) > _LOST * of_each.sum()]
        counts = np.sort(heavy)
        self.density: Vector = np.take(np.concatenate([draws.density for draws in drawn], axis=1), counts, axis=1)
        self.weight: Vector = weights[:, counts] / of_each[counts].sum()
        self.odds: Vector = odds[:, counts]
        self._own = np.maximum(self._seen.sums(self.density)[0], _LEAST)  # (states, densities)

    # What follows from them.

    @cached_property
    def _solvable(self) -> Vector:
        """The probability, of each state without success, that its rate is not 0, (states, shares, densities)."""
        seen = self._own[self._seen.is_zero][:, None]
        return np.asarray(seen / (seen + self.odds))

    def _of_states(self, k: int) -> tuple[Vector, Vector]:
        """Return mean and mean square of ``1 - (1 - p)^k`` in each state, under each density, given ``p > 0``."""
        value = -np.expm1(-k * np.logaddexp(0.0, self._seen.u))
        chance, states = self._seen.chance, len(self._own)
        both = products(np.concatenate([chance * value, chance * value**2]), self.density)
        return both[:states] / self._own, both[states:] / self._own

    def _moments(self, k: int, *, solved: bool = False) -> TailMoments:
        """Return the posterior of the sum of ``1 - (1 - p)^k`` over the questions of few successes.

        With ``solved``, over those of at least one success.
        """
        mean, square = self.of_states(k)
        zero, questions = self._seen.is_zero, self._seen.questions
        total = np.tile(questions[~zero] @ mean[~zero], (len(self.weight), 1))
        variance = np.tile(questions[~zero] @ np.maximum(square - mean**2, 0.0)[~zero], (len(self.weight), 1))
        if not solved:
            for row, state in enumerate(np.flatnonzero(zero)):
                can = self._solvable[row]
                mean_if_any = can * mean[state]
                total += questions[state] * mean_if_any
                variance += questions[state] * np.maximum(can * square[state] - mean_if_any**2, 0.0)
        return TailMoments(self.weight.ravel(), total.ravel(), variance.ravel())

    def weight_if(self, hopeless: float) -> Vector:
        """Return the weights, (shares, densities), if this were how probable any rate of 0 is beforehand, not 1/2."""
        weight = self.weight * 2.0 * hopeless
        weight[0] *= (1.0 - hopeless) / hopeless
        return np.asarray(weight / weight.sum())

    def each_state(self, k: int) -> tuple[Vector, Vector]:
        """Return the mean and the variance of ``1 - (1 - p)^k`` of each state of few successes."""
        mean, square = self.of_states(k)
        share = np.broadcast_to(self.weight.sum(axis=0), mean.shape).copy()  # of each density, where it can be solved
        for row, state in enumerate(np.flatnonzero(self._seen.is_zero)):
            share[state] = (self.weight * self._solvable[row]).sum(axis=0)
        first, second = (share * mean).sum(axis=1), (share * square).sum(axis=1)
        return first, np.maximum(second - first**2, 0.0)


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


def _were_solved(successes: Counts, trials: Counts, questions: Counts, first: int) -> bool:
    """Return whether questions have fewer trials than that because they were solved.

    >>> c, n = np.array([1, 1, 0, 0]), np.array([1, 3, 30, 2])
    >>> _were_solved(c, n, np.array([9, 9, 9, 0]), 4), _were_solved(c, n, np.array([0, 0, 9, 9]), 4)
    (True, False)
    """
    early = (trials > 0) & (trials < first)
    solved, unsolved = (int(questions[early & has_outcome].sum()) for has_outcome in (successes > 0, successes == 0))
    return solved > max(unsolved, _HARDLY * float(questions.sum()))


def _seen(c: Counts, n: Counts, questions: Counts, first: int | None, *, survived: bool = False) -> FewSuccesses:
    """Return the questions of few successes.

    If outcomes decided the numbers of trials, they have few successes among the ``first`` ones or, if they ``survived``
    because solved questions got no more trials, none before the last of these.
    """
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
    if survived:
        kept = np.exp((trials - 1.0)[:, None] * failure)
    unseen = np.exp(trials[:, None] * failure)
    if first is not None:  # what is never solved by as many trials as the unsolved questions have
        spent = np.average(n[c == 0], weights=questions[c == 0]) if (c == 0).any() else np.inf
        unseen = np.exp(spent * failure)[None]
    few = max(min(_FEW, typical / _SHARE), 1.0)
    return FewSuccesses(u, c == 0, questions.astype(np.float64), group, chance, kept, unseen, few)


class _Likelihood:
    """The log likelihood of densities, of whose questions a share has the rate 0.

    ``chances`` are those of the states under each density, (states, draws), and ``kept`` those of few successes.
    """

    def __init__(self, seen: FewSuccesses, chances: Vector, kept: Vector) -> None:
        zero = seen.is_zero
        self.never, self.of_group = seen.questions[zero], np.bincount(seen.group, seen.questions).astype(np.float64)
        self.count, self.among = float(self.never.sum()), float(seen.questions.sum())
        self.unsolved, self.kept = chances[zero], kept
        self.solved = _summed(seen.questions[~zero], np.log(np.maximum(chances[~zero], _LEAST)))
        self.mean_zero = _summed(self.never, self.unsolved) / max(self.count, 1.0)
        self.mean_kept = _summed(self.of_group, kept) / max(self.among, 1.0)

    def odds(self, chance: Vector | float) -> Vector:
        """Return what must be added to a density so that no success has this chance, on average."""
        return np.asarray(np.maximum((chance * self.mean_kept - self.mean_zero) / (1.0 - chance), 0.0))

    def of(self, odds: Vector) -> Vector:
        """Return the log likelihood, (draws,)."""
        never = _summed(self.never, np.log(np.maximum(self.unsolved + odds, _LEAST)))
        return np.asarray(self.solved + never - _summed(self.of_group, np.log(self.kept + odds)))


def _summed(weights: Vector, rows: Vector) -> Vector:
    return np.asarray(products(weights[None], rows)[0])


def _whole(log_likelihood: Vector) -> Vector:
    """Return the log likelihood of every density, over all shares of rates of 0."""
    highest = log_likelihood.max(axis=0)
    return np.asarray(highest + np.log(np.exp(log_likelihood - highest).sum(axis=0)))


def _poor(log_weight: Vector) -> list[int]:
    """Return which kinds have some weight, but hardly any draws that count, of log weights (kinds, draws)."""
    weight = np.exp(log_weight - log_weight.max())
    of_kind = weight.sum(axis=1)
    counting = of_kind**2 / np.maximum((weight**2).sum(axis=1), _LEAST)
    return [int(kind) for kind in np.flatnonzero((counting < _ENOUGH) & (of_kind > _MATTERS * of_kind.sum()))]


def _truncated(a: float, b: float, least: Vector) -> list[tuple[Vector, Vector]]:
    """Return nodes of a Beta distribution above ``least``, with the logarithm of one over its density there."""
    mass, log_beta = betaincc(a, b, least), gammaln(a) + gammaln(b) - gammaln(a + b)
    log_mass, nodes = np.log(np.maximum(mass, _LEAST)), []
    for share in np.cumsum(_CELLS) - 0.5 * np.array(_CELLS):
        at = np.clip(betainccinv(a, b, mass * (1.0 - share)), least, 1.0 - 1e-12)
        log_density = (a - 1.0) * np.log(np.maximum(at, _LEAST)) + (b - 1.0) * np.log1p(-at) - log_beta
        nodes.append((at, np.where(mass < 1e-8, -np.inf, log_mass - log_density)))
    return nodes
