"""Votes and selectors: coverage of their intervals, calls of equal rules, and other estimators."""

import numpy as np
from runner import grid, study
from scipy.stats import norm
from worlds import banks, drawn, every_pair, inside

from scorio import MajAtK, OutcomeMatrix, VoteAtK
from scorio._kernels import vote_at_k
from scorio.metrics import BestOfK, MinAtK

FACTORS = {
    "rates": ("real", "even", "easy", "hard"),
    "answers": ("one attractive", "many rare", "none right"),
    "verifier": ("useless", "weak", "good", "perfect", "depends"),
    "questions": (30, 100),
    "trials_k": ((8, 2), (8, 4), (16, 4), (16, 8), (64, 8), (64, 32)),
}
LEVELS, WRONG, POPULATION = 24, 30, 1000
MANY = 10**9  # trials of which a draw is as good as one with replacement
QUALITY = {"useless": 0.0, "weak": 0.7, "good": 2.0, "perfect": 12.0}
DIFFICULTIES = {"real": (0.4, 0.8), "even": (0.7, 0.7), "easy": (4.0, 0.5), "hard": (0.3, 3.0)}


def laws(rates, answers, verifier, rng):
    """The laws of answers, (questions, 1 + WRONG), the right one first, and of scores if wrong and right."""
    p = rng.beta(*DIFFICULTIES[rates], POPULATION)
    if rates == "real" and banks():  # of --data
        p = rng.choice(np.concatenate([each.ravel() for each in banks().values()]), POPULATION)
    if answers == "none right":
        p = np.where(rng.random(POPULATION) < 0.3, 0.0, p)
    wrong = np.full((POPULATION, WRONG), 1.0 / WRONG)
    if answers != "many rare":
        wrong[:] = 0.2 / (WRONG - 1)
        wrong[:, 0] = 0.8
    shift = rng.normal(0.7, 1.0, POPULATION) if verifier == "depends" else np.full(POPULATION, QUALITY[verifier])
    cuts = np.linspace(-2.5, 2.5 + min(max(shift.max(), 0.0), 12.0), LEVELS - 1)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    scores = np.diff(norm.cdf(edges - np.stack([np.zeros(POPULATION), shift], axis=1)[..., None]), axis=-1)
    return np.hstack([p[:, None], (1.0 - p)[:, None] * wrong]), scores


def true_votes(answers, k):
    """The worth of a vote of ``k`` new trials of each question."""
    counts = np.rint(answers * MANY).astype(np.int64)
    order = np.argsort(-counts, axis=1, kind="stable")
    counts, worth = np.take_along_axis(counts, order, 1), (order == 0).astype(float)
    keep, chance = counts > 0, np.zeros(counts.shape)
    first, won = np.concatenate([[0], np.cumsum(keep.sum(axis=1))]), np.empty(keep.sum())
    vote_at_k.chances(counts[keep], first, counts.sum(axis=1), np.full(len(answers), k), True, won)
    chance[keep] = won
    return (worth * chance).sum(axis=1)


def true_bests(answers, scores, k):
    """The worth of the best of ``k`` new trials of each question."""
    rate = answers[:, :1]
    right, wrong = rate * scores[:, 1], (1.0 - rate) * scores[:, 0]
    chance = np.diff(np.hstack([np.zeros_like(rate), np.cumsum(right + wrong, axis=1)]) ** k, axis=1)
    share = np.divide(right, right + wrong, out=np.zeros_like(right), where=right + wrong > 0)
    return (chance * share).sum(axis=1)


def draw(law, size, rng):
    """Draws from one law per row."""
    return (rng.random((*law.shape[:-1], size))[..., None] > np.cumsum(law, axis=-1)[..., None, :-1]).sum(axis=-1)


def outcomes(answers, scores, n, rng):
    """Outcomes of ``n`` trials of questions with these laws."""
    given = draw(answers, n, rng)
    right = (given == 0).astype(np.int64)
    both = np.stack([draw(scores[:, side], n, rng) for side in (0, 1)], axis=-1)
    score = np.take_along_axis(both, right[..., None], -1)[..., 0].astype(float)
    return OutcomeMatrix(right, answers=given, scores={"verifier": score})


def difference(one, other, R, target):
    """The difference of two rules on the same trials."""
    return one.estimate(R, target=target) - other.estimate(R, target=target)


@study(every_pair(FACTORS, np.random.default_rng(28)), page="RESULTS.md", mark="selection",
       by=(("trials_k",), ("verifier",)))  # fmt: skip
def selection(rng, rates, answers, verifier, questions, trials_k):
    """Coverage of votes, of the best by a verifier and of their difference, in rows that see every pair of factors."""
    (n, k), both = trials_k, laws(rates, answers, verifier, rng)
    truths = np.stack([true_votes(both[0], k), true_bests(*both, k)])
    which = rng.integers(POPULATION, size=questions)
    R, rules, found = outcomes(both[0][which], both[1][which], n, rng), (VoteAtK(k), BestOfK(k)), {}
    for target in ("questions", "population"):
        here = truths[:, which].mean(axis=1) if target == "questions" else truths.mean(axis=1)
        each = [*(rule.interval(R, target=target) for rule in rules), difference(*rules, R, target).interval()]
        for name, one, truth in zip(("vote", "best", "vote - best"), each, (*here, here[0] - here[1]), strict=True):
            found[f"{name}{', population' if target == 'population' else ''}"] = inside(one, truth)
    return found


@study(grid(questions=(30, 100), trials_k=((8, 2), (8, 4), (16, 8), (64, 16)), verifiers=("useless", "alike")),
       worlds=1000, page="RESULTS.md", mark="equal rules")  # fmt: skip
def equal_rules(rng, questions, trials_k, verifiers):
    """Two verifiers that know nothing, or two of equal quality, called different."""
    n, k = trials_k
    right = drawn(rng.beta(0.7, 0.7, questions), n, rng)
    shift = 1.0 if verifiers == "alike" else 0.0
    scores = {name: rng.standard_normal((questions, n)) + shift * right for name in ("one", "other")}
    R, rules = OutcomeMatrix(right, scores=scores), (BestOfK(k, "one"), BestOfK(k, "other"))
    names = {"these questions": "questions", "questions like these": "population"}
    return {name: difference(*rules, R, target).p_value() < 0.05 for name, target in names.items()}


@study(grid(questions=(30, 100), trials_k=((8, 4), (8, 8), (64, 32), (64, 64)), wrong=(0.3, 1.0, 3.0)),
       worlds=1000, page="RESULTS.md", mark="rare failures")  # fmt: skip
def rare_failures(rng, questions, trials_k, wrong):
    """Coverage where hardly a trial is wrong: ``wrong`` of all are expected to be."""
    n, k = trials_k
    rate = 1.0 - wrong / (questions * n)
    both = np.array([[rate, 1.0 - rate]]).repeat(questions, axis=0), np.full((questions, 2, 1), 1.0)
    R = outcomes(*both, n, rng)
    truths = true_votes(both[0][:1], k)[0], true_bests(both[0][:1], both[1][:1], k)[0], rate**k
    names = ("vote", "best of a useless verifier", "worst")
    each = (rule.interval(R) for rule in (VoteAtK(k), BestOfK(k), MinAtK(k)))
    return {name: inside(one, truth) for name, one, truth in zip(names, each, truths, strict=True)}


def samples(rate, n, rng):
    """Outcomes of questions whose wrong samples have one attractive answer, and of right ones with higher scores."""
    right = drawn(rate, n, rng)
    wrong = np.where(rng.random(right.shape) < 0.6, 1, 2 + rng.integers(0, 8, right.shape))
    answers, scores = np.where(right, 0, wrong), rng.normal(size=right.shape) + 1.5 * right
    return OutcomeMatrix(right, answers=answers, scores={"verifier": scores}, normalize=None), right, answers, scores


def _vote(answers, rng):
    """The share of rows whose most frequent answer is right; ties are broken at random."""
    counts = (answers[:, :, None] == np.arange(10)).sum(axis=1) + rng.random((len(answers), 10)) / 2
    return (counts.argmax(axis=1) == 0).mean()


def _best(right, scores):
    """The share of rows whose sample with the highest score is right."""
    return np.take_along_axis(right, scores.argmax(axis=1)[:, None], 1).mean()


@study([{"questions": 60, "trials": 16, "k": 8}], worlds=500, page="RESULTS.md", mark="selection estimates")
def selection_estimates(rng, questions, trials, k):
    """Errors of votes and bests by the estimators that are in use; the truth is that of 2,000 new draws a question."""
    rate = rng.beta(1.0, 1.0, questions)
    R, right, answers, scores = samples(rate, trials, rng)
    new = samples(np.repeat(rate, 2000), k, rng)[1:]
    true_vote, true_best, again = _vote(new[1], rng), _best(new[0], new[2]), []
    for _ in range(100):
        places = rng.integers(0, trials, (questions, k))
        one = [np.take_along_axis(each, places, 1) for each in (right, answers, scores)]
        again.append((_vote(one[1], rng), _best(one[0], one[2])))
    vote, best = np.mean(again, axis=0)
    return {
        "vote@8, every draw without replacement: `VoteAtK(8)`": VoteAtK(k).score(R) - true_vote,
        "vote@8, resampled with replacement": vote - true_vote,
        "vote of all 16 samples, reported as vote@8": _vote(answers, rng) - true_vote,
        "maj@8 of right and wrong: `MajAtK(8)`": MajAtK(k).score(R) - true_vote,
        "best@8, every draw without replacement: `BestOfK(8)`": BestOfK(k).score(R) - true_best,
        "best@8, resampled with replacement": best - true_best,
        "best of all 16 samples, reported as best@8": _best(right, scores) - true_best,
    }
