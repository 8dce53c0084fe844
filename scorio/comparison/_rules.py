"""Two rules on the same samples: a vote against a verifier, two verifiers, a vote against pass@1.

Both rules see the same trials, so what they have in common cancels, question by question and trial by trial: the
difference of a question is itself a mean over draws, with the jackknife variance of the differences without each trial.
Over questions it is taken as one rule alone is (``metrics/_sample_metric.py``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._choices import POSTERIOR_SHAPES, SAMPLES, TARGETS
from ..errors import ParameterError
from ..estimates import DifferenceLaw
from ..inference import LEARNED, Level, QuestionMeans, two_sided
from ..metrics import (
    Metric,
    as_metric,
    groups,
    law_of_means,
    range_of,
    reach_of_choices,
    trial_values,
)
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import choice
from ._comparison import Comparison

_ROUNDING = 1e-13  # of the range of the difference


def compare_rules(
    first: Metric | str,
    second: Metric | str,
    outcomes: Any,
    *,
    target: str = "questions",
    confidence: float = 0.95,
    shape: str = "quantile",
) -> Comparison:
    """Compare two rules of choice on the same samples of one model, paired by trial.

    Rules are metrics or their names: ``vote@8`` against ``best@8``, ``best@8:by=one`` against ``best@8:by=other``, a
    vote against ``avg``, what it would get from one sample. ``pass@8`` is what an oracle would choose. Every question
    needs the trials of both. ``target``, ``confidence`` and ``shape`` are those of ``Metric.interval``. The rules are
    the names of the result, which has no metric. Two models are compared by ``compare``.

    >>> from scorio import OutcomeMatrix
    >>> answers = [["7", "7", "4", "7"], ["1", "2", "1", "3"], ["8", "8", "8", "5"]]
    >>> R = OutcomeMatrix([[1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]], answers=answers)
    >>> result = compare_rules("vote@3", "avg", R)
    >>> round(result.difference, 4), result.winner
    (0.1389, None)
    """
    samples, rules = as_outcomes(outcomes), (as_metric(first), as_metric(second))
    if rules[0] == rules[1]:
        raise ParameterError(f"are the same rule, {rules[0]}: compare two", argument="first and second")
    target, shape = choice("target", target, TARGETS), choice("shape", shape, POSTERIOR_SHAPES)
    level = Level(confidence)
    values = [trial_values(rule, samples) for rule in rules]
    is_same = not np.any(abs(values[0].minus(values[1]).value) > _ROUNDING)
    if is_same and all(rule.required_trials == 1 for rule in rules):
        problem = f"choose from one sample, {rules[0]} and {rules[1]}: both are that sample, and the difference is 0"
        raise ParameterError(problem, argument="first and second")
    law, lo, hi = _law_and_ends(rules, samples, values, level, target, shape)
    p_better = DifferenceLaw(law.mean, law.mean - lo, hi - law.mean, law.sd, level.tail, law.df).p_at_least(0.0)
    (low, high), (other_low, other_high) = (rule.support(samples) for rule in rules)
    size, each_question = int(samples.trials.sum()), (samples.min_trials, samples.max_trials)
    difference = 0.0 if abs(law.mean) <= _ROUNDING * (hi - lo) else law.mean
    return Comparison(
        metric=None,
        names=(str(rules[0]), str(rules[1])),
        scores=(float(np.mean(values[0].value)), float(np.mean(values[1].value))),
        n_questions=(samples.n_questions, samples.n_questions),
        n_trials=(size, size),
        difference=difference,
        sigma=law.sd,
        lo=max(lo, low - other_high),
        hi=min(hi, high - other_low),
        z=abs(difference) / law.sd if law.sd > 0.0 else 0.0 if difference == 0.0 else math.inf,
        p_better=p_better,
        p_value=two_sided(p_better),
        confidence=confidence,
        target=target,
        rule="interval",
        paired=True,
        prior=LEARNED,
        degrees=math.inf,
        trials_each=(each_question, each_question),
        shape=shape,
        rewards=SAMPLES,
    )


def _law_and_ends(
    rules: tuple[Metric, Metric], samples: OutcomeMatrix, values: Sequence[Any], level: Level, target: str, shape: str
) -> tuple[Any, float, float]:
    """Return the law of the difference, and its ends, which trials of a kind that these hardly show may move out."""
    estimates = values[0].minus(values[1]).estimates
    law = law_of_means(QuestionMeans(estimates, learned=False), samples, target)
    ranges = [range_of(rule, samples) for rule in rules]
    falls = [of_rule.value - low for of_rule, (low, _) in zip(values, ranges, strict=True)]
    rises = [high - of_rule.value for of_rule, (_, high) in zip(values, ranges, strict=True)]
    room = np.maximum(falls[0], rises[1]), np.maximum(rises[0], falls[1])
    span = (ranges[0][0] - ranges[1][1], ranges[0][1] - ranges[1][0])
    clusters = groups(samples) if target == "population" else None
    below, above = reach_of_choices(rules, samples, estimates, room, span, clusters, level)
    lo, hi = law.ends(level, shape)
    return law, min(lo, law.mean - below), max(hi, law.mean + above)
