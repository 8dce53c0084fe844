"""Vote@k: the outcome of the most frequent answer among ``k`` trials (self-consistency, cons@k)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._choices import VOTE_TIES
from .._kernels import vote_at_k
from .._special import betainc
from ..inference import Bounds
from ..outcomes import OutcomeMatrix
from ..params import one_of, param
from ._sample_metric import SampleMetric, any_of, outcome_values
from ._sample_values import SampleValues, Unseen

__all__ = ["VoteAtK"]


class Ballots(NamedTuple):
    """The answers of each question by falling number of trials: what a vote needs of the trials."""

    votes: Counts  # the trials of each answer of a question
    worth: Vector  # the mean outcome of these
    first: Indices  # where each question's answers begin, and the end of the last
    of_trial: Indices  # the place of each trial's answer in these, or -1


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
        value, abstained = np.empty(len(trials)), np.full(len(trials), np.nan)
        rest, chance = np.full(len(ballots.votes), np.nan), np.full(len(ballots.votes), np.nan)
        numbers = (ballots.votes, ballots.worth, ballots.first, trials)
        vote_at_k.votes(*numbers, self.k, self.ties == "shared", True, value, rest, chance, abstained)
        without, voted = np.repeat(abstained, trials), np.flatnonzero(ballots.of_trial >= 0)
        worths, at = outcome_values(outcomes)[voted], ballots.of_trial[voted]
        size, mean = ballots.votes[at].astype(np.float64), ballots.worth[at]
        left = np.divide(size * mean - worths, size - 1.0, out=np.zeros(len(at)), where=size > 1.0)
        without[voted] = rest[at] + chance[at] * left
        return SampleValues(value, without, trials, trials == self.k, np.zeros(len(trials)))

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the value of each question, without what only an interval needs."""
        ballots, trials = ballots_of(outcomes), np.asarray(outcomes.trials, np.int64)
        value, unused = np.empty(len(trials)), np.empty(0)
        numbers = (ballots.votes, ballots.worth, ballots.first, trials)
        vote_at_k.votes(*numbers, self.k, self.ties == "shared", False, value, unused, unused, unused)
        return value

    def _unseen(self, outcomes: OutcomeMatrix) -> list[Unseen]:
        """Return two ways: another answer gets more votes than the first, or any trial of another worth decides."""
        ballots, trials = ballots_of(outcomes), np.asarray(outcomes.trials, np.int64)
        rows = np.repeat(np.arange(len(trials)), np.diff(ballots.first))
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
