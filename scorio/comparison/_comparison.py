"""The result of a comparison of two models, and the rules by which one of them is called better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .._base.choices import CATEGORICAL, INDEPENDENT, OVERALL
from .._base.exports import Exports
from .._base.numbers import counts, difference_span, is_chance, percent, score_text, trials_each
from .._base.words import from_planned, pluralize, subject
from ..estimates._difference_law import DifferenceLaw
from ..estimates._tasks import TaskMetrics
from ..inference import Looks, Methods
from ..inference._methods import kind_of
from ..inference._prior import PriorLike, as_prior
from ..metrics import Metric

PUBLISHED = "published"  # the rule of the paper, which calls by a one-sided probability


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
    the largest number of trials per question of each model. A comparison of two suites is about the overall scores;
    ``tasks`` has the comparison on each task, and ``weights`` the weight of each. ``shape`` is that of both models'
    intervals, and ``rewards`` says whether rewards are ``"categorical"`` or ``"continuous"``, or ``"samples"`` among
    which a rule chooses. ``completeness`` is the share of the planned trials of each model that have an outcome.
    """

    metric: Metric | TaskMetrics
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
    shape: str | None = None
    rewards: str = CATEGORICAL
    runs: str = INDEPENDENT
    completeness: tuple[float, float] = (1.0, 1.0)
    _also: ClassVar = ("winner", "error_rate")
    _if_any: ClassVar = ("tasks", "weights")

    @property
    def winner(self) -> str | None:
        """The model that is called better, or None."""
        is_called = self.lo > 0.0 or self.hi < 0.0
        if self.rule == PUBLISHED:
            is_called = self.difference != 0.0 and max(self.p_better, 1.0 - self.p_better) >= self.confidence
        if not is_called:
            return None
        return self.names[0] if self.difference > 0 else self.names[1]

    @property
    def error_rate(self) -> str:
        """How often one of two equal models is called better, in words.

        >>> from scorio import compare
        >>> compare("pass@1", [[1, 1], [0, 1]], [[1, 0], [0, 0]]).error_rate
        'error 5% if the models are equal'
        """
        sides = 2.0 if self.rule == PUBLISHED else 1.0
        looks = "" if self.looks is None else f", {self.looks}"
        return f"error {percent(sides * (1.0 - self.confidence))} if the models are equal{looks}"

    @property
    def about(self) -> str:
        """What the comparison is about, in words."""
        about = f"for {subject(self.target, self.runs)}"
        if self.target == "questions":
            one, other = self.n_questions
            own = f", each model on its own ({one:,} and {other:,})" if one != other else ""
            about += ", paired by question" if math.isfinite(self.degrees) else own
        else:
            about += ", paired by question" if self.paired else ", each model on its own questions"
        return about + from_planned(self.names, self.completeness)

    def __str__(self) -> str:
        first, second = self.names
        exact = "" if self.p_exact is None else f", exact McNemar test p {is_chance(self.p_exact)}"
        one, other = map(score_text, self.scores)
        difference = difference_span(self.difference, self.lo, self.hi)
        chance = f"P({first} > {second}) {is_chance(self.p_better)}"
        numbers = f"scores {one} and {other}, difference {difference}, {chance}{exact}"
        looks = "" if self.looks is None else f", {self.looks}"
        rule = "" if self.rule == "interval" else f"{self.rule} one-sided rule, "
        return f"{self._call} {self.about} ({rule}confidence {self.confidence:g}{looks}): {numbers}"

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
        parts = {"": self} | dict(self.tasks or {})
        return tuple(
            f"{task}{': ' * bool(task)}{part._call} {part.about} ({part.error_rate})" for task, part in parts.items()
        )

    def to_methods(self) -> Methods:
        """Return a paragraph for the method section of a paper, with its references: it says what was done here."""
        first, second = self.names
        level, parts = percent(self.confidence), list(self.tasks.values()) if self.tasks else [self]
        rule = f"the interval excludes zero ({self.error_rate})"
        if self.rule == PUBLISHED:
            rule = f"the one-sided probability of being better reaches {level} [@hariri2025dont]"
        exact = "With one trial per question, McNemar's exact test was computed too [@mcnemar1947note]"
        is_students = all(math.isfinite(part.degrees) for part in parts)
        metrics = Methods.cited_metrics(part.metric for part in parts)
        return Methods.of(
            [
                f"We compared {first} and {second} on {self.extent} by {metrics}",
                f"The comparison is {self.about}",
                *([] if is_students else Methods.of_errors(self.prior, self.target, [part.rewards for part in parts])),
                Methods.of_runs(self.runs),
                Methods.of_weights(self.weights),
                self._interval_in_words,
                f"A model is called better if {rule}",
                "" if self.p_exact is None else exact,
            ]
        )

    @property
    def _interval_in_words(self) -> str:
        """What the interval of the difference is made of."""
        level = percent(self.confidence)
        if math.isinf(self.degrees):
            both = f"the {kind_of(self.shape)} intervals of both models{' on every task' if self.tasks else ''}"
            recovery = "the method of variance estimates recovery [@zou2008construction]"
            return f"The {level} interval of the difference combines {both} by {recovery}"
        limit = "of which one is of a question that could be anything"
        if self.target == "questions":
            limit = "whose variance is an upper limit of that of single trials"
        test = f"a paired t test with {pluralize(round(self.degrees), 'degree')} of freedom"
        return f"The {level} interval of the difference is that of {test}, {limit}"

    @property
    def _metric(self) -> str:
        """The metric, said to be overall if there are several tasks."""
        return f"{OVERALL} {self.metric}" if self.tasks and str(self.metric) != OVERALL else str(self.metric)

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

    @property
    def law(self) -> DifferenceLaw:
        """What is known of the difference, with one-sided bounds that together have the confidence."""
        below, above = self.difference - self.lo, self.hi - self.difference
        error = (1.0 - self.confidence) / 2.0
        return DifferenceLaw(self.difference, below, above, self.sigma, error, self.degrees)

    def as_records(self) -> list[dict[str, Any]]:
        """Return all values in a flat record; for suites one more for each task."""
        if self.tasks is None:
            return [self._record()]
        return [{"task": task} | part._record() for task, part in {OVERALL: self, **self.tasks}.items()]

    def _record(self) -> dict[str, Any]:
        values = self.to_dict()
        first, second = values.pop("names")
        record: dict[str, Any] = {"metric": values.pop("metric"), "first": first, "second": second}
        for name in ("scores", "n_questions", "n_trials", "completeness"):
            each = name.removesuffix("s") if name == "scores" else name
            record |= dict(zip((f"first_{each}", f"second_{each}"), values.pop(name), strict=True))
        for name in ("trials_each", "tasks", "weights"):
            values.pop(name, None)
        looks = None if self.looks is None else str(self.looks)
        return record | values | {"prior": str(as_prior(self.prior)), "looks": looks}
