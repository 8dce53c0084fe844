"""The result of a comparison of two models, and the rules by which one of them is called better."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._choices import CATEGORICAL, INDEPENDENT, OVERALL
from .._display.exports import Exports
from .._display.numbers import counts, is_chance, percent, score_text, signed, trials_each
from .._display.words import pluralize, subject
from ..estimates import DifferenceLaw, TaskMetrics
from ..inference import UNIFORM, Level, Looks, Methods, PriorLike, SmoothLaw, as_prior
from ..metrics import Metric
from ..params import count, generator
from ._methods import of_comparison


@dataclass(frozen=True)
class Comparison(Exports):
    """How much better model ``A`` is than ``B``: the ``difference`` with its ``sigma`` and interval ``lo``, ``hi``.

    ``target`` says whether that is about these questions or about the population they were drawn from. ``winner`` is
    the model that ``rule`` calls better at ``confidence``. ``z`` is the absolute difference over ``sigma`` and
    ``p_better`` the probability that A is better. ``p_value`` is two-sided: it is that of the paired t test for paired
    questions like these, with one more that could be anything, and for these questions if each has one trial of both
    models; ``degrees`` are then finite.
    Else it is twice the smaller probability of being better. ``p_exact`` is the p-value of
    McNemar's exact test if every question has one trial of both models, else None. ``scores``, ``n_questions`` and
    ``n_trials`` have one entry per model; a score is None if trials are too few for it. With ``looks``, the interval
    and the winner are valid at every look, and ``needed`` is the ``z`` beyond which a model is called better;
    ``p_better`` is that of the present look alone, and there is no ``p_value``. ``trials_each`` has the smallest and
    the largest number of trials per question of each model. ``unpaired_questions`` is the number of questions of each
    model with which an unpaired comparison for the population would be as precise as this paired one. A comparison of
    two suites is about the overall scores; ``tasks`` has the comparison on each task, and ``weights`` the weight of
    each. ``shape`` is that of both models' intervals, and ``rewards`` says whether rewards are ``"categorical"`` or
    ``"continuous"``, or ``"samples"`` among which a rule chooses. ``support`` has the least and the greatest difference
    that there can be. Where ``metric`` is None, two rules of choice, the ``names``, are compared on the same samples of
    one model.
    """

    metric: Metric | TaskMetrics | None
    names: tuple[str, str]
    scores: tuple[float | None, float | None]
    n_questions: tuple[int, int]
    n_trials: tuple[int, int]
    difference: float
    sigma: float
    lo: float
    hi: float
    z: float
    p_better: float
    p_value: float | None
    confidence: float
    target: str
    rule: str
    paired: bool
    prior: PriorLike
    degrees: float
    looks: Looks | None = None
    needed: float | None = None
    trials_each: tuple[tuple[int, int], tuple[int, int]] | None = None
    tasks: Mapping[str, Comparison] | None = None
    weights: Mapping[str, float] | None = None
    p_exact: float | None = None
    unpaired_questions: float | None = None
    shape: str | None = None
    rewards: str = CATEGORICAL
    support: tuple[float, float] = field(default=(-math.inf, math.inf), repr=False)
    runs: str = INDEPENDENT
    _also: ClassVar = ("winner", "error_rate")
    _if_any: ClassVar = ("tasks", "weights")

    @property
    def winner(self) -> str | None:
        """The model that is called better, or None."""
        if not RULES[self.rule].calls(self):
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    @property
    def kind(self) -> str:
        """What is compared: a model with a model, or a rule with a rule."""
        return "rule" if self.metric is None else "model"

    @property
    def error_rate(self) -> str:
        """How often one of two equal models is called better, in words.

        >>> from scorio import compare
        >>> compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]]).error_rate
        'error 5% if the models are equal'
        """
        sides = 2.0 if self.rule == "published" else 1.0
        looks = "" if self.looks is None else f", {self.looks}"
        return f"error {percent(sides * (1.0 - self.confidence))} if the {self.kind}s are equal{looks}"

    @property
    def about(self) -> str:
        """What the comparison is about, in words."""
        about = f"for {subject(self.target, self.runs)}"
        if self.target == "questions":
            return f"{about}, paired by question" if math.isfinite(self.degrees) else about
        pairing = "paired by question" if self.paired else "each model on its own questions"
        return f"{about}, {pairing}"

    @property
    def pairing(self) -> str:
        """What pairing by question is worth, in words; empty where questions are not paired or not a draw.

        >>> from scorio import compare
        >>> A, B = [[1, 1], [0, 1], [1, 1], [0, 0]], [[1, 0], [0, 1], [1, 0], [0, 0]]
        >>> compare("pass@1", A, B, target="population").pairing
        '4 paired questions deliver the precision of 14 unpaired ones'
        """
        if self.unpaired_questions is None:
            return ""
        count = pluralize(max(self.n_questions), "paired question")
        only = "only " if self.unpaired_questions < max(self.n_questions) else ""
        return f"{count} deliver the precision of {only}{round(self.unpaired_questions):,} unpaired ones"

    @property
    def _always(self) -> str:
        return "" if self.looks is None else f", {self.looks}"

    def __str__(self) -> str:
        first, second = self.names
        exact = "" if self.p_exact is None else f", exact McNemar test p {is_chance(self.p_exact)}"
        pairing = f"; {self.pairing}" if self.pairing else ""
        interval = f"{self.in_numbers}, P({first} > {second}) {is_chance(self.p_better)}{exact}{pairing}"
        rule = "" if self.rule == "interval" else f"{self.rule} one-sided rule, "
        return f"{self._call} {self.about} ({rule}confidence {self.confidence:g}{self._always}): {interval}"

    @property
    def _call(self) -> str:
        first, second = self.names
        called = f"{self.winner} is better" if self.winner else f"{first} and {second} are not significantly different"
        return f"{called} on {self._metric}"

    def verdicts(self) -> tuple[str, ...]:
        """Say in a sentence which model is better: overall, and on every task of suites.

        >>> from scorio import compare
        >>> print(*compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]]).verdicts())
        A and B are not significantly different on pass@1 for these questions (error 5% if the models are equal)
        """
        overall = f"{self._call} {self.about} ({self.error_rate})"
        parts = (self.tasks or {}).items()
        return overall, *(f"{task}: {part._call} {part.about} ({part.error_rate})" for task, part in parts)

    def to_methods(self) -> Methods:
        """Return a paragraph for the method section of a paper, with its references: it says what was done here."""
        return of_comparison(self)

    @property
    def _metric(self) -> str:
        """The metric, said to be overall if there are several tasks."""
        if self.metric is None:
            return "the same samples"
        return f"{OVERALL} {self.metric}" if self.tasks and str(self.metric) != OVERALL else str(self.metric)

    @property
    def in_numbers(self) -> str:
        """Both scores, the difference and its interval."""
        first, second = map(score_text, self.scores)
        return (
            f"scores {first} and {second}, difference {signed(self.difference)} [{signed(self.lo)}, {signed(self.hi)}]"
        )

    @property
    def extent(self) -> str:
        """How many questions and trials the comparison rests on.

        >>> from scorio import compare
        >>> compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]]).extent
        '2 questions, 2 trials each'
        """
        tasks = f"{pluralize(len(self.tasks), 'task')}, " if self.tasks and len(self.tasks) > 1 else ""
        if self.trials_each is None:
            return tasks + pluralize(max(self.n_questions), "question")
        fewest, most = zip(*self.trials_each, strict=True)
        return f"{tasks}{counts(*sorted(self.n_questions))} questions, {trials_each(min(fewest), max(most))}"

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws of the difference.

        They are Student's if the comparison is; otherwise their median is the difference, and the central
        ``confidence`` of them lies between ``lo`` and ``hi``. None is beyond the range of differences.

        >>> from scorio import compare
        >>> result = compare("pass@1", [[0, 1, 1, 1], [1, 1, 1, 1]], [[0, 0, 1, 0], [1, 1, 0, 1]])
        >>> bool(abs(np.mean(result.draws(50_000, rng=0) > 0) - result.p_better) < 0.01)
        True
        """
        size, random = count("n", n), generator(rng)
        if math.isfinite(self.degrees):
            drawn = self.difference + self.sigma * random.standard_t(self.degrees, size)
            return np.asarray(np.clip(drawn, *self.support))
        return SmoothLaw(self.difference, self.lo, self.hi, Level(self.confidence).critical()).draws(size, random)

    def as_records(self) -> list[dict[str, Any]]:
        """Return all values in a flat record; for suites one more for each task."""
        if self.tasks is None:
            return [self._record()]
        return [{"task": task} | part._record() for task, part in {OVERALL: self, **self.tasks}.items()]

    def _record(self) -> dict[str, Any]:
        values = self.to_dict()
        first, second = values.pop("names")
        record: dict[str, Any] = {"metric": values.pop("metric"), "first": first, "second": second}
        for name, pairs in (("score", "scores"), ("n_questions", "n_questions"), ("n_trials", "n_trials")):
            record |= dict(zip((f"first_{name}", f"second_{name}"), values.pop(pairs), strict=True))
        for name in ("trials_each", "tasks", "weights"):
            values.pop(name, None)
        looks = None if self.looks is None else str(self.looks)
        return record | values | {"prior": str(as_prior(self.prior)), "looks": looks}


def law_of(result: Comparison, error: float) -> DifferenceLaw:
    """Return the law of a comparison at the confidence ``1 - 2 error``."""
    below, above = result.difference - result.lo, result.hi - result.difference
    return DifferenceLaw(result.difference, below, above, result.sigma, error, result.degrees)


def _interval_excludes_zero(result: Comparison) -> bool:
    return result.lo > 0.0 or result.hi < 0.0


def _p_reaches_confidence(result: Comparison) -> bool:
    return result.difference != 0.0 and max(result.p_better, 1.0 - result.p_better) >= result.confidence


class Rule(NamedTuple):
    """When a model is called better, and the prior and the interval shape that go with it by default."""

    calls: Callable[[Comparison], bool]
    prior: PriorLike | None
    shape: str | None


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "interval": Rule(_interval_excludes_zero, None, None),
        "published": Rule(_p_reaches_confidence, UNIFORM, "normal"),
    }
)
