"""Metrics of the answers and scores of trials: Vote@k, Best@k, weighted Vote@k, and Rule@k of any function of a draw.

**Votes** count answers and have a closed form. **Weighted votes** have none: the mean is taken over all draws of ``k``
where there are at most 20,000, else over 4,000 random draws with a fixed seed, whose error is part of the interval.
``U_-t``, the value without trial ``t``, is the mean over the draws that leave it out. With ``B_t`` of ``B`` random
draws without ``t``, and ``s^2`` the variance of a draw, their own error adds about
``(n-1)/n s^2 sum_t (1/B_t - 1/B)`` to the jackknife variance: that is taken off, but at least half of it remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from math import comb, perm
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import Counts, Indices, Vector
from .._base.choices import VOTE_TIES
from .._base.special import betainc
from .._base.words import shorten
from .._kernels import vote_at_k
from ..errors import OutcomeError
from ..inference._interval import Bounds
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import Check, one_of, param
from ._base import Metric
from ._checks import with_enough_trials
from ._reward_metrics import BayesMetric, Categorical
from ._sample_metric import (
    SampleMetric,
    SampleValues,
    Unseen,
    any_of,
    any_trial_decides,
    best_values,
    outcome_values,
    range_of,
)

__all__ = ["VoteAtK", "BestOfK", "WeightedVoteAtK"]  # noqa: RUF022 - in the order of lists and tables

MOST_DRAWS = 20_000  # of all, for an exact value
RANDOM_DRAWS = 4_000
_SEED = 20_260_101
_RULE_DRAWS, _RULE_SEED = 5_000, 20_260  # draws of a question that are enumerated, or as many are drawn at random
_TIE = 1e-12  # sums that are this close, in units of the largest, are equal


def _name(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise TypeError


score_name: Check = Check("the name of scores that the trials have, or None for the only ones", _name)


class Ballots(NamedTuple):
    """The answers of each question by falling number of trials: what a vote needs of the trials."""

    votes: Counts  # the trials of each answer of a question
    worth: Vector  # the mean outcome of these
    first: Indices  # where each question's answers begin, and the end of the last
    of_trial: Indices  # the place of each trial's answer in these, or -1

    @property
    def questions(self) -> Indices:
        """The question of each answer."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


@dataclass(frozen=True)
class Vote(SampleMetric):
    """The worth of the answer that trials elect."""

    def support(self, R: object) -> Bounds:
        """Return the smallest and the largest worth; no answer is worth 0."""
        low, high = super().support(R)
        return min(low, 0.0), max(high, 0.0)


@dataclass(frozen=True)
class VoteAtK(Vote):
    """Vote@k: the expected outcome of the most frequent answer among ``k`` trials (self-consistency, cons@k).

    Trials without an answer do not vote; ``k`` trials without any answer are worth 0. An answer that is both right and
    wrong among a question's trials is worth the mean of their outcomes. ``ties="shared"``: of the answers with most
    votes each is as likely to be chosen, as it is where the first of them to appear is taken, because trials come in
    no order. ``"none"``: a tie is no answer, worth 0.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 1, 0, 0]], answers=[["7", "7", "4", "9"]])
    >>> round(VoteAtK(3).score(R), 6)  # of 4 draws, two have both 7s, two have 7, 4 and 9
    0.666667
    """

    name: ClassVar[str] = "vote"
    aliases: ClassVar[tuple[str, ...]] = ("cons",)
    ties: str = param(one_of(VOTE_TIES), default=VOTE_TIES[0])

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        ballots, trials = ballots_of(outcomes), np.asarray(outcomes.trials, np.int64)
        rest, chance, abstained = self._without_one(ballots, trials)
        without, voted = np.repeat(abstained, trials), np.flatnonzero(ballots.of_trial >= 0)
        worths, at = outcome_values(outcomes)[voted], ballots.of_trial[voted]
        size, mean = ballots.votes[at].astype(np.float64), ballots.worth[at]
        left = np.divide(size * mean - worths, size - 1.0, out=np.zeros(len(at)), where=size > 1.0)
        without[voted] = rest[at] + chance[at] * left
        without[np.repeat(trials, trials) == 1] = np.nan
        return SampleValues(self._scores(outcomes), without, trials, trials == self.k, np.zeros(len(trials)))

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        ballots, trials = ballots_of(outcomes), np.asarray(outcomes.trials, np.int64)
        chance = self._chances(ballots.votes, ballots.first, trials, np.full_like(trials, self.k))
        return np.asarray(np.bincount(ballots.questions, ballots.worth * chance, len(trials)), np.float64)

    def _chances(self, votes: Counts, first: Counts, trials: Counts, drawn: Counts) -> Vector:
        chance = np.empty(len(votes))
        vote_at_k.chances(votes, first, trials, drawn, self.ties == "shared", chance)
        return chance

    def _without_one(self, ballots: Ballots, trials: Counts) -> tuple[Vector, Vector, Vector]:
        """Return what the vote is worth without a trial of each answer, by the others, and by the chance of this one.

        The last is what it is worth without an abstention. Answers of a question with equally many trials change alike:
        in a case of such answers, the last of them loses a trial. Where all vote, one of them less does.
        """
        votes, worth, rows = ballots.votes, ballots.worth, ballots.questions
        starts = np.flatnonzero(np.diff(votes, prepend=-1) | np.diff(rows, prepend=-1))
        ends = np.append(starts[1:], len(votes))[: len(starts)] - 1
        abstain = np.flatnonzero(trials > np.bincount(rows, votes, len(trials)))
        question, nobody = np.append(rows[starts], abstain), np.full(len(abstain), -1)
        size = np.diff(ballots.first)[question]
        first = np.append(0, np.cumsum(size))
        case = np.repeat(np.arange(len(size)), size)
        place = ballots.first[question][case] + np.arange(len(case)) - first[case]
        left = np.maximum(trials[question] - 1, 1)
        fewer = votes[place] - (place == np.append(ends, nobody)[case])
        chance = self._chances(fewer, first, left, np.minimum(self.k, left))
        own, other = (chance[place == np.append(of_kind, nobody)[case]] for of_kind in (ends, starts))
        value = np.bincount(case, worth[place] * chance, len(size))
        abstained = np.zeros(len(trials))
        abstained[abstain] = value[len(starts) :]
        kind = np.repeat(np.arange(len(starts)), ends + 1 - starts)
        loser = worth[ends]
        return (value[: len(starts)] - loser * own)[kind] + (loser[kind] - worth) * other[kind], own[kind], abstained

    def _unseen(self, outcomes: OutcomeMatrix) -> list[Unseen]:
        """Return two ways: another answer gets more votes than the first, or any trial of another worth decides."""
        ballots, trials = ballots_of(outcomes), np.asarray(outcomes.trials, np.int64)
        rows = ballots.questions
        start = np.minimum(ballots.first[:-1], max(len(ballots.votes) - 1, 0))
        has_answer = np.diff(ballots.first) > 0
        most = np.where(has_answer, ballots.votes[start], 0) if len(ballots.votes) else np.zeros_like(trials)
        differs = ballots.worth != ballots.worth[start[rows]]
        rival = np.zeros(len(trials), np.int64)
        np.maximum.at(rival, rows[differs], ballots.votes[differs])
        both = np.maximum(most + rival, 1)
        drawn = np.maximum(np.rint(self.k * both / trials).astype(np.int64), 1)
        others = np.bincount(rows[differs], ballots.votes[differs], minlength=len(trials)).astype(np.int64)
        return [
            Unseen(np.minimum(rival, both), both, drawn, more_than_half),
            Unseen(others, trials, np.full_like(trials, self.k), any_of),
        ]


def ballots_of(outcomes: OutcomeMatrix) -> Ballots:
    """Return the answers of each question with their trials and mean outcomes; kept with the outcomes."""
    return outcomes.cached("ballots", lambda: _ballots(outcomes))


def _ballots(outcomes: OutcomeMatrix) -> Ballots:
    codes = np.asarray(outcomes.trial_columns.all_answers.of_trial, np.int64)
    rows = np.repeat(np.arange(outcomes.n_questions), outcomes.trials)
    voted = np.flatnonzero(codes >= 0)
    width = int(codes.max(initial=0)) + 1
    cells, place, count = np.unique(rows[voted] * width + codes[voted], return_inverse=True, return_counts=True)
    worth = np.bincount(place, outcome_values(outcomes)[voted], minlength=len(cells)) / np.maximum(count, 1)
    order = np.lexsort((-count, cells // width))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    of_trial = np.full(len(codes), -1)
    of_trial[voted] = rank[place]
    answers = np.bincount(cells // width, minlength=outcomes.n_questions)
    first = np.concatenate([[0], np.cumsum(answers)]).astype(np.int64)
    return Ballots(count[order].astype(np.int64), worth[order], first, of_trial)


def more_than_half(k: Counts, rate: Vector) -> Vector:
    """Return the chance that a kind of this rate has more than half of ``k`` votes, and half the chance of a tie.

    >>> more_than_half(np.array([3, 4]), np.array([0.5, 0.5])).round(6).tolist()
    [0.5, 0.5]
    """
    half = k // 2
    above = betainc(half + 1.0, k - half + 0.0, rate)
    tied = np.where(k % 2, above, betainc(np.maximum(half, 1) + 0.0, k - half + 1.0, rate))
    return np.asarray(0.5 * (above + tied))


@dataclass(frozen=True)
class BestOfK(SampleMetric):
    """Best@k: the expected outcome of the trial with the highest score among ``k``, as a verifier would choose it.

    ``by`` names the scores; without it, there must be one kind. Of trials with equal scores each is as likely to be
    chosen.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 0, 0, 1]], scores={"reward": [[0.9, 0.2, 0.8, 0.1]]})
    >>> round(BestOfK(2).score(R), 6)  # the right one wins 3 of 6 pairs; 0.8 wins 2, 0.2 wins 1
    0.5
    """

    name: ClassVar[str] = "best"
    aliases: ClassVar[tuple[str, ...]] = ("best_of",)
    by: str | None = param(score_name, default=None)

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        return best_values(outcomes, np.asarray(outcomes.trial_columns.score(self.by)[1]), self.k)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        scores = np.asarray(outcomes.trial_columns.score(self.by)[1])
        return best_values(outcomes, scores, self.k, leave_out=False).value


@dataclass(frozen=True)
class WeightedVoteAtK(Vote):
    """Weighted vote@k: the expected outcome of the answer with the largest sum of scores among ``k`` trials.

    ``by`` names the scores, which must not be negative; without it, there must be one kind. Ties are shared, trials
    without an answer do not vote, and ``k`` of them are worth 0. With at most 20,000 draws of ``k`` it is exact, else a
    Monte Carlo mean of 4,000 draws with a fixed seed, whose error is part of the interval and of ``draw_error``.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 0, 0]], answers=[["7", "4", "4"]], scores={"reward": [[0.9, 0.2, 0.3]]})
    >>> round(WeightedVoteAtK(2).score(R), 6)  # 7 outweighs a single 4
    0.666667
    """

    name: ClassVar[str] = "weighted_vote"
    aliases: ClassVar[tuple[str, ...]] = ("weighted",)
    by: str | None = param(score_name, default=None)

    def draw_error(self, R: object) -> float:
        """Return the standard error of the score by its random draws; 0 where it is exact."""
        noise = self._values_of(self.admit(R)).noise
        return float(np.sqrt(noise.sum())) / len(noise)

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        codes = np.asarray(outcomes.trial_columns.all_answers.of_trial)
        name, weights = outcomes.trial_columns.score(self.by)
        if float(np.min(weights, initial=0.0)) < 0.0:
            problem = f"a vote cannot have a negative weight, and scores {name!r} have {float(np.min(weights)):g}"
            raise OutcomeError(problem, hint="turn logarithms of probabilities into probabilities first")
        worths, trials = outcome_values(outcomes), np.asarray(outcomes.trials, np.int64)
        table = np.empty((3, len(trials)))
        without, start = np.empty(len(codes)), 0
        rng = np.random.default_rng(_SEED)
        for a, n in enumerate(trials.tolist()):
            place = slice(start, start + n)
            table[0, a], without[place], table[1, a], table[2, a] = _of_question(
                np.asarray(codes[place], np.intp), np.asarray(weights)[place], worths[place], self.k, rng
            )
            start += n
        return SampleValues(table[0], without, trials, trials == self.k, table[1], table[2])


class Choice(NamedTuple):
    """The value of a question, without each trial, its variance by Monte Carlo and what that adds to the jackknife."""

    value: float
    without: Vector
    noise: float
    excess: float


def _of_question(codes: Indices, weights: Vector, worths: Vector, k: int, rng: np.random.Generator) -> Choice:
    """Return what a weighted vote of ``k`` of a question's trials is worth."""
    n = len(codes)
    answers, place = np.unique(codes[codes >= 0], return_inverse=True)
    at = np.full(n, len(answers))
    at[codes >= 0] = place
    size = np.bincount(at, minlength=len(answers) + 1).astype(np.float64)
    total = np.bincount(at, worths, minlength=len(answers) + 1)
    worth = np.divide(total, size, out=np.zeros(len(size)), where=size > 0.0)
    worth[-1] = 0.0  # no answer
    draws, is_exact = _draws(n, min(k, n - 1) if k == n and n > 1 else k, rng)
    shares = _shares(at[draws], weights[draws], len(answers))
    values = shares @ worth
    count = len(draws)
    absent = np.ones((count, n))
    np.put_along_axis(absent, draws, 0.0, axis=1)
    times = absent.sum(axis=0)
    left = np.divide(total[at] - worths, size[at] - 1.0, out=np.zeros(n), where=(size[at] > 1.0) & (at < len(answers)))
    chance = (absent.T @ shares)[np.arange(n), at]  # how often its answer wins without the trial
    change = chance * np.where(at < len(answers), left - worth[at], 0.0)
    without = np.divide(absent.T @ values + change, times, out=np.full(n, np.nan), where=times > 0.0)
    if k == n:
        whole = _shares(at[None, :], weights[None, :], len(answers))
        return Choice(float((whole @ worth)[0]), without, 0.0, 0.0)
    if is_exact:
        return Choice(float(values.mean()), without, 0.0, 0.0)
    spread = float(np.var(values, ddof=1))
    excess = (n - 1) / n * spread * float(np.sum(1.0 / times - 1.0 / count))
    return Choice(float(values.mean()), without, spread / count, excess)


def _draws(n: int, k: int, rng: np.random.Generator) -> tuple[Indices, bool]:
    """Return all draws of ``k`` of ``n`` trials, or random ones, (draws, k), and whether they are all."""
    if comb(n, k) <= MOST_DRAWS:
        return np.array(list(combinations(range(n), k))), True
    return np.argpartition(rng.random((RANDOM_DRAWS, n)), k - 1, axis=1)[:, :k], False


def _shares(at: Indices, weights: Vector, answers: int) -> Vector:
    """Return how much of the choice each answer has in each draw, (draws, answers + 1); the last is no answer."""
    count, width = len(at), answers + 1
    cells = (np.arange(count)[:, None] * width + at).ravel()
    sums = np.bincount(cells, weights.ravel(), minlength=count * width).reshape(count, width)
    sums[np.bincount(cells, minlength=count * width).reshape(count, width) == 0] = -np.inf
    sums[:, -1] = -np.inf
    most = sums.max(axis=1, keepdims=True)
    wins = (sums >= most - _TIE * np.abs(most)) & np.isfinite(sums)
    wins[:, -1] = ~wins.any(axis=1)
    return np.asarray(wins / wins.sum(axis=1, keepdims=True))


class Draw(NamedTuple):
    """The ``k`` trials that a rule sees: outcomes, answers (None for none), and scores or costs by name."""

    outcomes: Vector
    answers: list[Any]
    scores: Mapping[str, Vector]


class _Scores(dict[str, Vector]):
    """The scores of a draw, which say what they are where a rule asks for another."""

    def __missing__(self, name: str) -> Vector:
        held = f"scores {shorten(self)}" if self else "no scores"
        hint = (
            "scores={name: ..} of OutcomeMatrix gives them, and read(.., keep=[name]) takes them from tables and logs"
        )
        raise OutcomeError(f"the rule asks for the score {name!r}, and the trials have {held}", hint=hint)


def _callable(value: Any) -> Callable[[Draw], float]:
    if callable(value):
        return value  # type: ignore[no-any-return]
    raise TypeError


def _ends(value: Any) -> Bounds:
    low, high = map(float, value)
    if not low < high:
        raise ValueError
    return low, high


@dataclass(frozen=True)
class RuleAtK(SampleMetric):
    """Rule@k: the mean of ``rule(draw)`` over all draws of ``k`` of a question's trials, without bias.

    The rule takes a ``Draw`` and returns a number within ``ends``. With ``is_ordered``, it sees the trials in every
    order, as a rule that stops early must. Where there are more than 5,000 draws, so many are drawn at random, and the
    interval counts what that leaves open.

    >>> from scorio import OutcomeMatrix
    >>> def two_of_three(draw):
    ...     return float(draw.outcomes.sum() >= 2)
    >>> RuleAtK(3, two_of_three).score(OutcomeMatrix([[1, 1, 0, 0]]))
    0.5
    """

    rule: Callable[[Draw], float] = param(Check("a function of a Draw", _callable))
    ends: Bounds = param(Check("two numbers, the lower one first", _ends), default=(0.0, 1.0))
    is_ordered: bool = param(Check("True or False", bool), default=False)

    def support(self, R: Any) -> Bounds:  # noqa: ARG002 - the outcomes do not matter
        """Return the ends of what the rule returns."""
        return self.ends

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        worths, columns, first = outcome_values(outcomes), outcomes.trial_columns, 0
        given, parts = columns.answers, []
        for question, trials in enumerate(outcomes.trials.tolist()):
            here = slice(first, first + trials)
            codes = [-1] * trials if given is None else given.of_trial[here].tolist()
            answers = [None if given is None or code < 0 else given.labels[code] for code in codes]
            scores = {name: score[here] for name, score in columns.scores.items()}
            parts.append(self._of_question(question, worths[here], answers, scores))
            first += trials
        value, noise, excess = (np.array([part[at] for part in parts]) for at in (0, 2, 3))
        without, trials = np.concatenate([part[1] for part in parts]), outcomes.trials
        return SampleValues(value, without, trials, trials == self.k, noise, excess)

    def _of_question(
        self, question: int, worths: Vector, answers: list[Any], scores: Mapping[str, Vector]
    ) -> tuple[float, Vector, float, float]:
        """Return the value, the values without each trial, and what drawing at random adds to both variances."""
        trials, k = len(worths), self.k

        def values_of(draws: Indices) -> Vector:
            seen = []
            for places in draws:
                named = _Scores({name: score[places] for name, score in scores.items()})
                seen.append(self.rule(Draw(worths[places], [answers[i] for i in places], named)))
            return self._checked(seen)

        draws, is_whole = self._draws(question, trials, k)
        values = values_of(draws)
        noise = 0.0 if is_whole else float(values.var(ddof=1)) / len(draws)
        if trials == k:  # a value without a trial is then that of a draw of all others
            others = [np.delete(np.arange(trials), at) for at in range(trials)]
            fewer = self._draws(question, trials - 1, k - 1)[0]
            without = np.array([values_of(rest[fewer]).mean() if k > 1 else np.nan for rest in others])
            return float(values.mean()), without, noise, noise * (trials - 1)
        lacks = np.ones((len(draws), trials), dtype=bool)
        lacks[np.arange(len(draws))[:, None], draws] = False
        without = values @ lacks / lacks.sum(axis=0)
        return float(values.mean()), without, noise, noise * (trials - 1) * k / (trials - k)

    def _checked(self, returned: list[Any]) -> Vector:
        low, high = self.ends
        try:
            values = np.array(returned, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if values.ndim != 1 or not ((values >= low) & (values <= high)).all():
            problem = f"the rule must return one number from {low:g} to {high:g} for each draw"
            raise OutcomeError(problem, hint="ends=(low, high) says what it may return")
        return values

    def _draws(self, question: int, trials: int, k: int) -> tuple[Indices, bool]:
        """Return draws of places, one in each row, and whether these are all that there are."""
        every = perm(trials, k) if self.is_ordered else comb(trials, k)
        if every <= _RULE_DRAWS:
            listed = (permutations if self.is_ordered else combinations)(range(trials), k)
            return np.array(list(listed), dtype=np.int64).reshape(every, k), True
        random = np.random.default_rng([_RULE_SEED, question]).random((_RULE_DRAWS, trials))
        return np.argsort(random, axis=1)[:, :k], False


@dataclass(frozen=True)
class RuleSum(SampleMetric):
    """A weighted sum of rules on the same trials: what they have in common cancels, by question and by trial.

    A metric that counts successes, or a mean, is a rule too: ``pass@k`` is what an oracle would choose.
    """

    rules: tuple[Metric, ...] = ()
    factors: tuple[float, ...] = ()

    def __str__(self) -> str:
        parts = zip(self.factors, self.rules, strict=True)
        return " + ".join(f"{rule}" if factor == 1.0 else f"{factor:g} {rule}" for factor, rule in parts)

    def support(self, R: Any) -> Bounds:
        """Return the smallest and the largest possible sum."""
        return self._ends_of([rule.support(R) for rule in self.rules])

    def _possible(self, outcomes: OutcomeMatrix) -> Bounds:
        return self._ends_of([range_of(rule, outcomes) for rule in self.rules])

    def _ends_of(self, ends: list[Bounds]) -> Bounds:
        scaled = np.sort(np.array(self.factors)[:, None] * np.array(ends), axis=1)
        return float(scaled[:, 0].sum()), float(scaled[:, 1].sum())

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        parts, by = [trial_values(rule, outcomes) for rule in self.rules], np.array(self.factors)
        zeros = np.zeros(len(outcomes.trials))
        return SampleValues(
            by @ np.array([part.value for part in parts]),
            by @ np.array([part.without for part in parts]),
            outcomes.trials,
            np.any([part.whole for part in parts], axis=0),
            by**2 @ np.array([part.noise for part in parts]),
            by**2 @ np.array([zeros + part.excess for part in parts]),
        )

    def _ways(self, outcomes: OutcomeMatrix) -> list[list[Unseen]]:
        return [
            rule._unseen(outcomes)
            if isinstance(rule, SampleMetric)
            else any_trial_decides(outcomes, rule.draw_size or 1)
            for rule in self.rules
        ]

    def _room(self, outcomes: OutcomeMatrix) -> tuple[Vector, Vector]:
        falls, rises = [], []
        for rule, factor in zip(self.rules, self.factors, strict=True):
            (low, high), value = range_of(rule, outcomes), trial_values(rule, outcomes).value
            moves = (abs(factor) * (value - low), abs(factor) * (high - value))
            fall, rise = moves if factor > 0.0 else moves[::-1]
            falls.append(fall)
            rises.append(rise)
        return np.max(falls, axis=0), np.max(rises, axis=0)


def rule_sum(rules: Sequence[Metric], factors: Sequence[float]) -> RuleSum | None:
    """Return a weighted sum of metrics of the same trials as one metric; None if none of them is a rule of choice.

    >>> made = [RuleAtK(2, rule) for rule in (lambda draw: draw.outcomes.max(), lambda draw: draw.outcomes.min())]
    >>> round(rule_sum(made, [1.0, -1.0]).score([[0, 1, 1]]), 6)
    0.666667
    """
    if not any(rule.is_of_samples for rule in rules):
        return None
    return RuleSum(max(rule.required_trials for rule in rules), tuple(rules), tuple(factors))


def trial_values(metric: Metric, R: OutcomeMatrix) -> SampleValues:
    """Return the value of each question, and without each trial: of one category, all trials say the same.

    >>> from scorio import OutcomeMatrix, PassAtK
    >>> trial_values(PassAtK(2), OutcomeMatrix([[0, 0, 1]])).without.round(6).tolist()
    [1.0, 1.0, 0.0]
    """
    outcomes = metric.admit(R)
    with_enough_trials(metric, outcomes, "raise")
    if isinstance(metric, SampleMetric):
        return metric._values_of(outcomes)
    if not metric.is_mean_over_questions or metric._has_biased_score or isinstance(metric, BayesMetric):
        raise OutcomeError(f"{metric} is no mean over questions of what their trials are worth, as a rule must be")
    if not isinstance(outcomes, RewardMatrix):
        return _of_categories(metric, outcomes)
    if not isinstance(metric, Categorical):
        raise OutcomeError(f"{metric} counts successes, and these are continuous rewards")
    metric.continuous_mean(outcomes)  # which refuses weights
    scores = outcomes.ordered  # the rewards, by which the best or the worst is chosen
    return best_values(outcomes, -scores if metric._trend < 0 else scores, metric.draw_size or 1)


def _of_categories(metric: Metric, outcomes: OutcomeMatrix) -> SampleValues:
    counts, trials = outcomes.counts, outcomes.trials
    value, whole = metric.per_question(outcomes), trials == metric.required_trials
    drawing: Any = metric
    fewer = metric if (metric.draw_size or 1) < 2 else replace(drawing, k=metric.required_trials - 1)
    without = np.full(counts.shape, np.nan)
    for category in range(counts.shape[1]):
        for smaller in (False, True):
            here = (counts[:, category] > 0) & (trials > 1) & (whole == smaller)
            if here.any():
                left = counts[here]
                left[:, category] -= 1
                drawing = fewer if smaller else metric
                without[here, category] = drawing.per_question(OutcomeMatrix.from_counts(left, levels=outcomes.levels))
    of_trial: Vector = np.repeat(without.ravel(), counts.ravel())
    return SampleValues(value, of_trial, trials, whole, np.zeros(len(trials)))
