"""Two models compared on one task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .._choices import SHAPES, TARGETS
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import Looks
from ..inference._interval import CATEGORICAL, CONTINUOUS
from ..inference._prior import PriorLike, check_prior
from ..metrics import Metric
from ..metrics._prior_check import warn_of_fixed_prior
from ..outcomes import OutcomeMatrix
from ..outcomes._admitted import as_questions
from ..params import choice, open_unit
from ._comparison import RULES, Comparison
from ._contest import Contest
from ._differences import Differences
from ._exact_pairs import mcnemar
from ._questions import QUESTIONS, lined_up


@dataclass(frozen=True)
class Terms:
    """What is asked of a comparison: the arguments of ``compare``, checked."""

    target: str
    paired: bool | None
    rule: str
    prior: PriorLike | None
    shape: str | None
    confidence: float
    names: tuple[str, str]
    looks: Looks | None
    questions: str

    def checked(self) -> Terms:
        """Return the same terms with their defaults, checked."""
        _check_names(self.names)
        choice("target", self.target, TARGETS)
        defaults = RULES[choice("rule", self.rule, RULES)]
        shape = defaults.shape if self.shape is None else choice("shape", self.shape, SHAPES)
        prior = defaults.prior if self.prior is None else self.prior
        if self.paired not in (None, True, False):
            raise ParameterError(f"must be None, True or False; got {self.paired!r}", argument="paired")
        check_prior(prior)
        open_unit("confidence", self.confidence)
        choice("questions", self.questions, QUESTIONS)
        confidence = _confidence(self.looks, self.confidence, self.rule)
        names = (self.names[0], self.names[1])
        return replace(self, shape=shape, prior=prior, confidence=confidence, names=names)

    @property
    def about(self) -> dict[str, Any]:
        """The terms that a comparison carries."""
        return {name: getattr(self, name) for name in ("target", "rule", "paired", "prior", "names", "looks", "shape")}


class Compared(NamedTuple):
    """A comparison, with the differences and the contest that it rests on."""

    result: Comparison
    differences: Differences
    contest: Contest


def compared(metric: Metric, A: Any, B: Any, terms: Terms) -> Compared:
    """Compare two models on one task; the terms are checked."""
    assert terms.prior is not None
    assert terms.shape is not None
    models, paired = lined_up([as_questions(A), as_questions(B)], terms.names, terms.questions, terms.paired)
    if paired and terms.target == "population":
        _check_trials_of_pairs(metric, models)
    error = None
    if terms.looks is not None:
        warn_of_fixed_prior(metric, models[0], terms.prior, terms.target)
        error = terms.looks.tail(min(outcomes.mean_trials for outcomes in models))
    contest = Contest(metric, models, terms.prior, terms.shape, terms.target, paired)
    differences = contest.differences(terms.confidence, error)
    result = _result(metric, models, differences, replace(terms, paired=paired).about)
    return Compared(result, differences, contest)


def _confidence(looks: Looks | None, confidence: float, rule: str) -> float:
    """Return the confidence level, which is that of the looks if there are any."""
    if looks is None:
        return confidence
    looks.check_confidence(confidence)
    if rule != "interval":
        raise ParameterError(f"is {rule!r}, but looks go with the rule 'interval' only", argument="rule")
    return looks.confidence


def _result(
    metric: Metric, models: Sequence[OutcomeMatrix], differences: Differences, about: dict[str, Any]
) -> Comparison:
    joint = differences.joint
    difference, sigma = float(joint.mu[0] - joint.mu[1]), float(joint.sd(0, 1))
    below, above = differences.reach(0, 1)
    needed = float(above if difference < 0.0 else below) / sigma if sigma > 0.0 else 0.0
    is_single = about["looks"] is None
    p_better = float(differences.p_better(0, 1))
    (low, high), (other_low, other_high) = (metric.support(outcomes) for outcomes in models)
    gain = joint.pairing_gain(0, 1) if about["paired"] and about["target"] == "population" else None
    scores = [metric.observed(outcomes, too_few="nan") for outcomes in models]
    return Comparison(
        metric=metric,
        scores=(_known(scores[0]), _known(scores[1])),
        n_questions=(models[0].n_questions, models[1].n_questions),
        n_trials=(int(models[0].trials.sum()), int(models[1].trials.sum())),
        difference=difference,
        sigma=sigma,
        lo=max(difference - float(below), low - other_high),
        hi=min(difference + float(above), high - other_low),
        support=(low - other_high, high - other_low),
        z=abs(difference) / sigma if sigma > 0.0 else math.inf if difference else 0.0,
        p_better=p_better,
        p_value=2.0 * min(p_better, 1.0 - p_better) if is_single else None,
        p_exact=mcnemar(metric, models, about["target"]) if is_single and about["paired"] else None,
        confidence=differences.confidence,
        degrees=joint.df,
        needed=None if is_single else needed,
        unpaired_questions=None if gain is None else gain * models[0].n_questions,
        rewards=CONTINUOUS if any(outcomes.is_continuous for outcomes in models) else CATEGORICAL,
        trials_each=tuple((outcomes.min_trials, outcomes.max_trials) for outcomes in models),  # type: ignore[arg-type]
        **about,
    )


def _known(score: float) -> float | None:
    return None if math.isnan(score) else score


def _check_trials_of_pairs(metric: Metric, models: Sequence[OutcomeMatrix]) -> None:
    """Check that a blend, which has no value per question, has a score."""
    if not metric.is_mean_over_questions and min(outcomes.min_trials for outcomes in models) < metric.required_trials:
        raise OutcomeError(
            f"{metric} has no score on fewer than {metric.required_trials} trials",
            remedies=[Remedy("paired", False, "compares the posterior of each model")],
        )


def _check_names(names: Any) -> None:
    if not isinstance(names, (tuple, list)) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"must be two strings; got {names!r}", argument="names")
    if names[0] == names[1]:
        raise ParameterError(f"must differ; got {names}", argument="names")
