"""Votes, selectors and the worst of k in exact fractions: by all subsets, and by the laws of draws for more trials."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import comb


def mean_outcomes(answers, outcomes):
    """Return the mean outcome of the trials of each answer; None is no answer."""
    of = defaultdict(list)
    for answer, outcome in zip(answers, outcomes, strict=True):
        if answer is not None:
            of[answer].append(Fraction(outcome))
    return {answer: sum(values) / len(values) for answer, values in of.items()}


def vote_by_subsets(answers, outcomes, k, *, shared=True):
    """Return the worth of a vote of ``k``, as the mean over all subsets."""
    worth, total = mean_outcomes(answers, outcomes), Fraction(0)
    for subset in combinations(answers, k):
        votes = Counter(answer for answer in subset if answer is not None)
        winners = [answer for answer, count in votes.items() if count == max(votes.values())]
        if len(winners) == 1 or (shared and winners):
            total += sum(worth[answer] for answer in winners) / len(winners)
    return total / comb(len(answers), k)


def best_by_subsets(scores, outcomes, k):
    """Return the worth of the trial with the highest score, chosen alike among equal ones that the question has."""
    of = defaultdict(list)
    for score, outcome in zip(scores, outcomes, strict=True):
        of[score].append(Fraction(outcome))
    worth = {score: sum(values) / len(values) for score, values in of.items()}
    subsets = list(combinations(scores, k))
    return sum(worth[max(subset)] for subset in subsets) / len(subsets)


def weighted_vote_by_subsets(answers, weights, outcomes, k):
    """Return the worth of a vote in which each trial counts its weight, as the mean over all subsets."""
    worth, total = mean_outcomes(answers, outcomes), Fraction(0)
    for subset in combinations(range(len(answers)), k):
        sums = defaultdict(Fraction)
        for trial in subset:
            if answers[trial] is not None:
                sums[answers[trial]] += Fraction(weights[trial])
        winners = [answer for answer, weight in sums.items() if weight == max(sums.values())]
        total += sum((worth[answer] for answer in winners), Fraction(0)) / max(len(winners), 1)
    return total / comb(len(answers), k)


def best_by_ranks(scores, outcomes, k):
    """Return the same as ``best_by_subsets`` from ``[C(L + n_g, k) - C(L, k)] / C(N, k)``."""
    of = defaultdict(list)
    for score, outcome in zip(scores, outcomes, strict=True):
        of[score].append(Fraction(outcome))
    below, total = 0, Fraction(0)
    for _, values in sorted(of.items()):
        above = below + len(values)
        total += (comb(above, k) - comb(below, k)) * sum(values) / len(values)
        below = above
    return total / comb(len(scores), k)


def vote_by_ties(answers, outcomes, k, *, shared=True):
    """Return the same as ``vote_by_subsets``, counting draws by the most votes ``j`` and the number of ties."""
    worth, counts = mean_outcomes(answers, outcomes), Counter(answer for answer in answers if answer is not None)
    idle, total = sum(answer is None for answer in answers), Fraction(0)
    for answer, own in counts.items():
        others = [count for other, count in counts.items() if other != answer]
        won = Fraction(0)
        for j in range(1, min(own, k) + 1):
            ways = {(i, 0): comb(idle, i) for i in range(min(idle, k - j) + 1)}  # trials drawn, ties -> subsets
            for count in others:
                grown = defaultdict(int)
                for (drawn, ties), number in ways.items():
                    for i in range(min(count, j, k - j - drawn) + 1):
                        grown[drawn + i, ties + (i == j)] += number * comb(count, i)
                ways = grown
            for (drawn, ties), number in ways.items():
                if drawn == k - j and (shared or not ties):
                    won += Fraction(comb(own, j) * number, 1 + ties)
        total += won * worth[answer]
    return total / comb(len(answers), k)
