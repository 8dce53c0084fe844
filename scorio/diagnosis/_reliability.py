"""Reliability of one run: the share of the variance of single trials that is between questions (ICC).

With ``D_w`` the mean squared difference of two trials of one question and ``D_b`` that of trials of two questions, both
without bias, ``ICC = 1 - D_w / D_b``. Its interval is that of the delete-one-question jackknife on the scale
``log(1 - ICC)``, with Student's t, over clusters where there are clusters.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._arrays import Flags, Vector
from .._display.exports import Record
from .._display.numbers import number
from .._special import stdtrit
from ..outcomes import OutcomeMatrix, RewardMatrix, question_rewards

_ALIKE = 1e-9  # a standard deviation of the logarithm that is rounding only
_WORDS = (  # below which ICC they are said; the limits are those of Koo and Li (2016)
    (0.5, "answers to one question differ much"),
    (0.75, "answers to one question are moderately alike"),
    (0.9, "answers to one question are alike"),
)


def varies(matrix: OutcomeMatrix) -> Flags:
    if isinstance(matrix, RewardMatrix):
        return np.asarray(np.nan_to_num(matrix.variances) > 0.0)
    return np.asarray((matrix.counts > 0).sum(axis=1) > 1)


def means_of(matrix: OutcomeMatrix) -> Vector:
    """Return the mean reward of each question, NaN without trials."""
    return question_rewards(matrix)[1]


def variances_of(matrix: OutcomeMatrix) -> Vector:
    """Return the sample variance of the rewards of each question; 0 where there is one trial."""
    trials, _, squares = question_rewards(matrix)
    return np.asarray(squares / np.maximum(trials - 1.0, 1.0))


@dataclass(frozen=True)
class Reliability(Record):
    """How much of the outcomes of a model is the question, and how much is luck.

    ``icc`` is the correlation of two trials of one question, with an interval ``lo``, ``hi`` for questions like these.
    ``sigma_questions`` and ``sigma_trials`` are the parts of the standard error of the mean score for questions like
    these, with the trials at hand; ``luck`` is the share of its variance that is due to trials.
    """

    model: str
    task: str
    trials: float
    icc: float
    lo: float
    hi: float
    sigma_questions: float
    sigma_trials: float
    _also: ClassVar = ("luck", "verdict")

    @property
    def luck(self) -> float:
        """The share of the variance of the mean score that more trials would remove."""
        total = self.sigma_questions**2 + self.sigma_trials**2
        return self.sigma_trials**2 / total if total > 0.0 else 0.0

    @property
    def verdict(self) -> str:
        """What the reliability of one answer, and the larger part of the error of the score, mean in words."""
        if math.isnan(self.icc):
            return "all outcomes are equal"
        said = next((words for limit, words in _WORDS if self.icc < limit), "answers to one question hardly differ")
        larger = "trials" if self.sigma_trials > self.sigma_questions else "questions"
        return f"{said}; more {larger} would help most"

    def __str__(self) -> str:
        if math.isnan(self.icc):
            return f"{self.model}: {self.verdict}"
        ends = f"[{number(self.lo, 2)}, {number(self.hi, 2)}]"
        return f"{self.model}: ICC {number(self.icc, 2)} {ends}: {self.verdict}"


def reliability(name: str, matrix: OutcomeMatrix, confidence: float, task: str = "") -> Reliability:
    """Return the reliability of one run of a model.

    >>> matrix = OutcomeMatrix([[1, 1, 1, 0], [0, 0, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]])
    >>> print(reliability("a", matrix, 0.95))
    a: ICC 0.33 [0.00, 0.77]: answers to one question differ much; more questions would help most
    """
    sums = _sums(matrix)
    within, between = map(float, _differences(sums.sum(axis=1)))
    icc = max(1.0 - within / between, 0.0) if between > 0.0 else math.nan
    lo, hi = (max(end, 0.0) for end in _interval(sums, within, between, confidence))
    spread, noise = max(between - within, 0.0) / 2.0, within / 2.0
    per_question = np.where(matrix.trials > 0, 1.0 / np.maximum(matrix.trials, 1), 0.0).mean()
    questions = float(sums[-1].sum())
    return Reliability(
        *(name, task, matrix.mean_trials, icc, lo, hi),
        sigma_questions=math.sqrt(spread / questions),
        sigma_trials=math.sqrt(noise * float(per_question) / questions),
    )


def _sums(matrix: OutcomeMatrix) -> Vector:
    """Return sums over the questions with a trial, (6, clusters): see ``_differences``."""
    trials, sample = matrix.trials, variances_of(matrix)
    means = np.nan_to_num(means_of(matrix))
    several = trials >= 2
    spread = np.where(several, sample * (trials - 1) / np.maximum(trials, 1), 0.0)
    columns = [np.where(several, 2.0 * sample, 0.0), several, spread, means, means**2, trials > 0]
    labels = matrix.clusters or range(matrix.n_questions)
    place = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    sums = np.zeros((len(place), len(columns)))
    np.add.at(sums, [place[label] for label in labels], np.stack(columns, axis=1) * (trials > 0)[:, None])
    return np.asarray(sums[sums[:, -1] > 0].T)


def _differences(sums: Vector) -> tuple[Vector, Vector]:
    """Return the mean squared differences of two trials of one question, and of two questions."""
    within, several, spread, means, squares, asked = sums
    average = within / np.maximum(several, 1.0)
    variance = (squares - means**2 / np.maximum(asked, 1.0)) / np.maximum(asked - 1.0, 1.0)
    return average, 2.0 * (spread / np.maximum(asked, 1.0) + np.maximum(variance, 0.0))


def _interval(sums: Vector, within: float, between: float, confidence: float) -> tuple[float, float]:
    """Return the interval of the ICC."""
    count = sums.shape[1]
    if between <= 0.0 or count < 3:
        return math.nan, math.nan
    if within <= 0.0:  # no question had two outcomes: at most so many of the population have
        share = 1.0 - (1.0 - confidence) ** (1.0 / count)
        return 1.0 - min(share / between, 1.0), 1.0
    less_within, less_between = _differences(sums.sum(axis=1, keepdims=True) - sums)
    good = (less_within > 0.0) & (less_between > 0.0)
    logs = np.log(less_within[good] / less_between[good])
    if len(logs) < 3:
        return math.nan, 1.0
    sd = math.sqrt((count - 1.0) / count * float(((logs - logs.mean()) ** 2).sum()))
    if sd < _ALIKE:  # all questions are alike: the spread of normal outcomes, with two trials each
        sd = math.sqrt(2.0 / (count - 1.0) + 2.0 / count)
    reach = float(stdtrit(count - 1.0, 0.5 + 0.5 * confidence)) * sd
    center = math.log(within / between)
    upper = min(center, 0.0) - reach  # an ICC that seems negative is taken for 0
    return 1.0 - math.exp(center + reach), min(1.0, 1.0 - math.exp(upper))
