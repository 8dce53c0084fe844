"""What k samples are worth with a rule to choose among them, for every k: rules, an oracle, and a single sample.

The share of the gap that a rule closes, ``(rule@k - pass@1) / (pass@k - pass@1)``, is a ratio of two differences on the
same trials. Its interval holds every share ``r`` for which ``rule@k - pass@1 - r (pass@k - pass@1)`` may be zero at
the confidence (Fieller): for each ``r`` that is a mean over questions of what the same trials say, with a jackknife
variance.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from .._choices import TARGETS
from .._display.exports import Exports, strict
from .._display.numbers import number, percent, score_text, span, trials_each
from .._display.table import Column, Table
from .._display.words import pluralize, subject
from ..errors import OutcomeError, ParameterError
from ..inference import Level, QuestionMeans
from ..metrics import Metric, SampleValues, as_metric, check_clusters, groups, is_metric_name, trial_values
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import choice, count

_HALVINGS = 60  # of the stretch that an end of a share is in
_MOST_SHARE = 1e3  # a share beyond is not told from an infinite one
_ROUNDING = 1e-12
_GAIN = 0.005  # of another sample, below which it is hardly worth its cost


@dataclass(frozen=True)
class SelectionPoint:
    """The score of a ``rule`` with ``k`` samples, its interval, and the share of the gap that it closes, if known."""

    rule: str
    k: int
    score: float
    lo: float
    hi: float
    closed: float | None = None
    closed_lo: float | None = None
    closed_hi: float | None = None


@dataclass(frozen=True)
class SelectionStep:
    """What a sample more gains a ``rule``, on average over those from ``k`` to ``until``, with its interval."""

    rule: str
    k: int
    until: int
    gain: float
    lo: float
    hi: float


@dataclass(frozen=True, repr=False)
class Selection(Exports):
    """What k samples are worth by some ``rules``; ``analyze_selection`` makes it.

    ``oracle`` is the rule that always chooses the best sample, ``single`` the score of one sample, ``points`` are by
    rule and k, ``steps`` say what another sample gains. ``misled`` is the number of questions that a vote gets wrong
    although one of their samples is right, of ``solved`` questions with a right sample; None without a vote.
    """

    rules: tuple[str, ...]
    oracle: str
    ks: tuple[int, ...]
    single: SelectionPoint
    points: tuple[SelectionPoint, ...]
    steps: tuple[SelectionStep, ...]
    misled: int | None
    solved: int
    confidence: float
    target: str
    n_questions: int
    trials_each: tuple[int, int]

    def of(self, rule: str) -> list[SelectionPoint]:
        """Return the points of one rule, by k."""
        if rule not in self.rules:
            raise ParameterError(f"must be one of {', '.join(self.rules)}; got {rule!r}", argument="rule")
        return [each for each in self.points if each.rule == rule]

    def enough(self, rule: str, *, gain: float = _GAIN, cost: float | None = None, worth: float | None = None) -> int:
        """Return the first k from which on another sample gains less than ``gain``, or less than it costs.

        ``cost`` is that of a sample, and ``worth`` that of a solved question, in the same unit. It is the last k where
        every step gains more.

        >>> import scorio
        >>> R = scorio.OutcomeMatrix([[1, 0, 0, 0, 0, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1]])
        >>> scorio.analyze_selection(R, ["worst"]).enough("pass", gain=0.2)  # a second sample gains .32
        2
        """
        if (cost is None) != (worth is None):
            raise ParameterError("needs worth, and worth needs cost: both in the same unit", argument="cost")
        least = gain if cost is None or worth is None else cost / worth
        self.of(rule)
        steps = [each for each in self.steps if each.rule == rule]
        poor = [i for i, each in enumerate(steps) if each.gain < least]
        return next((steps[i].k for i in poor if len(poor) == len(steps) - i), self.ks[-1])

    def verdicts(self) -> tuple[str, ...]:
        """Say in sentences what the rules make of the samples, and where a vote loses by more samples."""
        k = self.ks[-1]
        said = [self._said(self.of(rule)[-1]) for rule in self.rules if rule != self.oracle] if k > 1 else []
        for rule in self.rules:
            falls = [each for each in self.steps if each.rule == rule and each.hi < 0.0]
            if falls:
                said.append(f"{rule} gets worse with more samples from k = {falls[0].k} on")
        if self.misled:
            said.append(
                f"{self.misled} of {pluralize(self.solved, 'question')} with a right sample have a more frequent wrong"
                " answer: there, more votes make the vote worse"
            )
        return tuple(said)

    def _said(self, last: SelectionPoint) -> str:
        metric, best = (_with_k(rule, last.k) for rule in (last.rule, self.oracle))
        score = f"{metric} is {score_text(last.score)} where one sample gets {score_text(self.single.score)}"
        if last.closed is None or last.closed_lo is None or last.closed_hi is None:
            return f"{score}; how much of the gap to {best} that closes is not known from these trials"
        share = f"{last.closed:.0%} [{last.closed_lo:.0%}, {last.closed_hi:.0%}]"
        return f"{score}: it closes {share} of the gap to {best}"

    @property
    def extent(self) -> str:
        """How many questions and trials the curves rest on."""
        return f"{pluralize(self.n_questions, 'question')}, {trials_each(*self.trials_each)}"

    def to_dict(self) -> dict[str, Any]:
        """Return all values, ready for JSON."""
        values = super().to_dict() | {"single": strict(asdict(self.single))}
        return values | {name: strict([*map(asdict, getattr(self, name))]) for name in ("points", "steps")}

    def _records(self) -> list[dict[str, Any]]:
        return [each.__dict__ | {"confidence": self.confidence, "target": self.target} for each in self._all()]

    def _all(self) -> list[SelectionPoint]:
        return [self.single, *self.points]

    def _display_table(self) -> Table:
        about = (
            f"What k samples are worth, {percent(self.confidence)} intervals for {subject(self.target, 'independent')}"
        )
        columns = [Column("rule"), Column("k", right=True), Column("score", right=True), Column("interval")]
        cells = [
            [each.rule, str(each.k), score_text(each.score), span(each.lo, each.hi), _closed(each)]
            for each in self._all()
        ]
        return Table(f"{about} ({self.extent})", [*columns, Column("gap closed")], cells)

    def __str__(self) -> str:
        return "\n".join([self._display_table().text(), *self.verdicts()])

    __repr__ = __str__


def _closed(point: SelectionPoint) -> str:
    if point.closed is None or point.closed_lo is None or point.closed_hi is None:
        return ""
    return f"{number(point.closed)} {span(point.closed_lo, point.closed_hi)}"


def analyze_selection(
    outcomes: Any,
    rules: Iterable[str] | None = None,
    ks: Iterable[int] | None = None,
    *,
    target: str = "questions",
    confidence: float = 0.95,
) -> Selection:
    """Return what k samples are worth with a rule to choose among them, against one sample and an oracle.

    ``rules`` are names of metrics without their k, such as ``"vote"``, ``"best:by=judge"`` and ``"worst"``; by default
    those that the outcomes have answers and scores for, where trials of a question differ in them. The oracle, Pass@k
    or for rewards Max@k, is always there. ``ks`` are by default the powers of two up to half of the fewest trials of a
    question: beyond, intervals are wide.

    >>> import scorio
    >>> R = [[1, 1, 0, 1, 1, 0], [0, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1]] * 10
    >>> answers = [["7", "7", "4", "7", "7", "9"], ["1", "2", "1", "1", "3", "1"], ["8", "8", "8", "5", "8", "8"]] * 10
    >>> for line in scorio.analyze_selection(scorio.OutcomeMatrix(R, answers=answers), ks=[3]).verdicts():
    ...     print(line)
    vote@3 is 0.644 where one sample gets 0.556: it closes 32% [15%, 57%] of the gap to pass@3
    10 of 30 questions with a right sample have a more frequent wrong answer: there, more votes make the vote worse
    """
    matrix, level = as_outcomes(outcomes), Level(confidence)
    if choice("target", target, TARGETS) == "population":
        check_clusters(matrix)
    oracle = "pass" if matrix.is_pass_fail else "max"
    names = list(dict.fromkeys([oracle, *(_rules_of(matrix) if rules is None else _listed(rules))]))
    chosen = _budgets(matrix, ks)
    base = trial_values(as_metric("avg"), matrix)
    points: list[SelectionPoint] = []
    steps: list[SelectionStep] = []
    best = {k: trial_values(_with_k(oracle, k), matrix) for k in chosen}
    for name in names:
        values = {k: trial_values(_with_k(name, k), matrix) for k in chosen}
        for k, each in values.items():
            point = _point(name, k, _with_k(name, k), matrix, target, level)
            is_share = name != oracle and k > 1
            share = _share(each.minus(base), best[k].minus(base), matrix, target, level) if is_share else None
            points.append(
                point if share is None else replace(point, closed=share[0], closed_lo=share[1], closed_hi=share[2])
            )
        steps += _steps(name, values, matrix, target, level)
    return Selection(
        rules=tuple(names),
        oracle=oracle,
        ks=tuple(chosen),
        single=_point("one sample", 1, _with_k(oracle, 1), matrix, target, level),
        points=tuple(points),
        steps=tuple(steps),
        misled=_misled(matrix) if any(_head(name) in ("vote", "cons", "weighted_vote") for name in names) else None,
        solved=int(np.count_nonzero(best[chosen[0]].value > 0.0)),
        confidence=confidence,
        target=target,
        n_questions=matrix.n_questions,
        trials_each=(matrix.min_trials, matrix.max_trials),
    )


def _rules_of(matrix: OutcomeMatrix) -> list[str]:
    """Return the rules that the outcomes have answers and scores for."""
    several = len(matrix.scores) > 1
    found = ["vote"] if matrix.answers else []
    found += [f"best:by={name}" if several else "best" for name in matrix.scores if _tells_trials_apart(matrix, name)]
    if not found:
        hint = 'name rules that need neither, as in rules=["worst"], or keep answers or scores when you read logs'
        raise OutcomeError("the trials have neither answers nor scores, by which a rule could choose", hint=hint)
    return found


def _tells_trials_apart(matrix: OutcomeMatrix, name: str) -> bool:
    """Return whether the trials of some question differ in a score; a number of the question itself chooses nothing."""
    _, scores = matrix._known_scores(name)
    first = np.repeat(np.cumsum(matrix.trials) - matrix.trials, matrix.trials)
    return not np.array_equal(scores, scores[first])


def _listed(rules: Iterable[str]) -> list[str]:
    return [rules] if isinstance(rules, str) else list(rules)


def _head(name: str) -> str:
    return name.partition(":")[0]


def _with_k(name: str, k: int) -> Metric:
    """Return the metric of a rule, which is named without its k."""
    head, colon, rest = name.partition(":")
    metric = as_metric(f"{head}@{k}{colon}{rest}" if is_metric_name(head) else name)
    if metric._k is None or "@" in head:
        raise ParameterError(f"must be names of metrics without their k, such as vote; got {name!r}", argument="rules")
    return metric


def _budgets(matrix: OutcomeMatrix, ks: Iterable[int] | None) -> list[int]:
    if ks is not None:
        chosen = sorted({count("k", k) for k in ks})
        if not chosen:
            raise ParameterError("must have at least one k; got none", argument="ks")
        return chosen
    most = max(matrix.min_trials // 2, 1)
    return sorted({*(1 << i for i in range(most.bit_length())), most})


def _point(name: str, k: int, metric: Metric, matrix: OutcomeMatrix, target: str, level: Level) -> SelectionPoint:
    about = metric.interval(matrix, level.confidence, target=target, runs="independent")
    return SelectionPoint(name, k, metric.score(matrix), about.lo, about.hi)


def _ends(values: SampleValues, matrix: OutcomeMatrix, target: str, level: Level) -> tuple[float, float]:
    """Return the ends of the interval of the mean over questions."""
    means = QuestionMeans(values.estimates, learned=False)
    law = means.of_population(groups(matrix)) if target == "population" else means.of_these()
    return law.ends(level)


def _steps(
    name: str, values: dict[int, SampleValues], matrix: OutcomeMatrix, target: str, level: Level
) -> list[SelectionStep]:
    found, ks = [], list(values)
    for k, until in itertools.pairwise(ks):
        change = values[until].minus(values[k])
        lo, hi = _ends(change, matrix, target, level)
        gain, more = float(change.value.mean()), until - k
        found.append(SelectionStep(name, k, until, gain / more, lo / more, hi / more))
    return found


def _share(
    gain: SampleValues, gap: SampleValues, matrix: OutcomeMatrix, target: str, level: Level
) -> tuple[float, float, float] | None:
    """Return the share of the gap that is gained, with its interval; None if the gap may be zero."""
    if _ends(gap, matrix, target, level)[0] <= 0.0:
        return None
    share = float(gain.value.mean() / gap.value.mean())

    def is_possible(r: float) -> bool:
        lo, hi = _ends(_less(gain, gap, r), matrix, target, level)
        return lo <= 0.0 <= hi

    ends = [_last_possible(is_possible, share, side) for side in (-1.0, 1.0)]
    if max(map(abs, ends)) >= _MOST_SHARE:
        return None
    share, low, high = (0.0 if abs(each) < _ROUNDING else each for each in (share, *ends))
    return share, low, min(high, 1.0)


def _less(gain: SampleValues, gap: SampleValues, r: float) -> SampleValues:
    """Return the values of the gain without ``r`` times the gap."""
    part = replace(
        gap, value=r * gap.value, without=r * gap.without, noise=r * r * gap.noise, excess=r * r * gap.excess
    )
    return gain.minus(part)


def _last_possible(is_possible: Any, start: float, side: float) -> float:
    """Return how far from ``start`` shares are possible to one side."""
    step = 0.05
    while is_possible(start + side * step):
        step *= 2.0
        if step > _MOST_SHARE:
            return side * np.inf
    low, high = (step / 2.0 if step > 0.05 else 0.0), step
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_possible(start + side * middle) else (low, middle)
    return start + side * low


def _misled(matrix: OutcomeMatrix) -> int:
    """Return the questions with a right sample whose most frequent answer is not the right one.

    Of equally frequent answers one that is right counts.
    """
    samples = matrix._known_answers
    codes = samples.answer_of_trial
    assert codes is not None
    rows, outcomes = matrix._trials_at(np.arange(matrix.n_questions))
    named = codes >= 0
    width = len(samples.answers or ()) + 1
    cells, inverse = np.unique(rows[named] * width + codes[named], return_inverse=True)
    times = np.bincount(inverse)
    worth = np.bincount(inverse, outcomes[named]) / np.maximum(times, 1)
    row = cells // width
    most = np.zeros(matrix.n_questions, np.int64)
    np.maximum.at(most, row, times)
    chosen, right = np.full(matrix.n_questions, -np.inf), np.full(matrix.n_questions, -np.inf)
    np.maximum.at(chosen, row[times == most[row]], worth[times == most[row]])
    np.maximum.at(right, row, worth)
    solved = np.bincount(rows, outcomes, minlength=matrix.n_questions) > 0.0
    return int(np.count_nonzero(solved & (chosen < right)))


def names_kept(names: Sequence[str]) -> list[str]:
    """Return what rules need of logs: the names of the scores they choose by, and ``answers`` if one of them votes.

    >>> names_kept(["vote", "best:by=judge", "worst"])
    ['answers', 'judge']
    """
    kept = ["answers"] if any(_head(name) in ("vote", "cons", "weighted_vote") for name in names) else []
    for name in names:
        kept += [part.removeprefix("by=") for part in name.split(":")[1:] if part.startswith("by=")]
    return list(dict.fromkeys(kept))
