"""How many more trials or questions are needed: for an interval of a given width, or to tell two models apart."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Unpack

import numpy as np

from .._base.arrays import underflow_is_zero
from .._base.choices import INDEPENDENT
from .._base.exports import Exports
from .._base.numbers import number
from .._base.options import accepted, takes
from .._base.special import ndtr, ndtri
from .._base.table import Field
from .._base.words import shorten
from ..comparison import Comparison
from ..comparison._two_models import PairTerms, compare_pairs
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates._tasks import Weights, as_tasks, extent_of, of_model, pair_of_models, shares_of
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..inference._terms import RunOptions, Terms
from ..metrics import AvgMetric, Metric
from ..metrics._checks import prior_or_default
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..params import choice, generator, open_unit, positive
from ._expected import MOST, TaskPart, expected_variance, fewest, fewest_questions, one_entrant

MetricLike = Metric | str | Mapping[str, Metric | str]
UNITS = ("trials", "questions")
_TRIALS, _QUESTIONS = "trials per question", "questions"
_ONE = {_TRIALS: "trial per question", _QUESTIONS: "question"}
_MOST_WORTH, _TIMES = 1_000, 10  # further trials that are worth naming: so many, or these times those that there are
_FEW_QUESTIONS = 100  # of more, the one that was added and could be anything counts less
_MOST_QUESTIONS = 10_000  # further questions that are


@dataclass(frozen=True)
class Plan(Exports):
    """How many ``more`` trials per question, or more questions, to run; None if no number is enough, for a ``reason``.

    ``expected`` is the expected half width of the interval, or the expected power, after them; ``settings`` are the
    parameters of the plan. ``by_task`` says how many of the questions are of each task of a suite. ``most`` is the
    number of trials that is enough whatever the difficulties are, where one trial of each question does not show them.
    More than ``worth`` are more than anybody runs. ``model`` is the one that the plan is for, or ``"A > B"``, where
    plans are made for several.
    """

    more: int | None
    unit: str
    expected: float
    reason: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
    by_task: Mapping[str, int] = field(default_factory=dict, hash=False)
    most: int | None = None
    worth: float = field(default=_MOST_QUESTIONS, repr=False, compare=False)
    model: str = ""
    _if_any: ClassVar = ("by_task", "most", "model")

    def __str__(self) -> str:
        if self.more is None:
            return f"no number of {self.unit} is enough: {self.reason}"
        reached = f"a {'power' if 'power' in self.settings else 'half-width'} of {number(self.expected)}"
        if self.more > self.worth:
            return f"more {self.unit} than anybody runs, {self.more:,}, to reach {reached}"
        said = f"{self.amount}{self._tasks}, expected to reach {reached}"
        if self.most is None:
            return said
        return f"{said}; a guess, from one trial each: between 1 and {self.most}, so run a second one and plan again"

    @property
    def amount(self) -> str:
        """How many more trials or questions, in words; empty if no number is enough.

        >>> Plan(1, "trials per question", 0.1).amount
        '1 more trial per question'
        """
        if self.more is None:
            return ""
        return f"{self.more:,} more {_ONE[self.unit] if self.more == 1 else self.unit}"

    @property
    def _tasks(self) -> str:
        parts = ", ".join(f"{task} {more}" for task, more in self.by_task.items())
        return f" ({parts})" if parts else ""

    @property
    def goal(self) -> str:
        """What is to be reached, in words.

        >>> plan_trials("pass@1", [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 0.1).goal
        '95% interval of +-0.1'
        """
        settings, level = self.settings, f"{100 * self.settings['confidence']:g}%"
        if "half_width" in settings:
            return f"{level} interval of +-{settings['half_width']:g}"
        difference = f", true difference {settings['difference']:g}" if "difference" in settings else ""
        return f"{level} confidence, power {settings['power']:g}{difference}"

    @property
    def separation(self) -> str:
        """What would tell two models apart, in words, for a plan of ``plan_separation``.

        >>> plan_separation("pass@1", [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]]).separation
        '30 more trials per question would tell them apart with power 0.8'
        """
        asked = self.settings.get("difference")
        what = "them apart" if asked is None else f"a difference of {asked:g}"
        if self.more is None:
            return f"no number of trials would tell {what}: {self.reason}"
        if self.more == 0:
            return f"a comparison of the two alone tells {what}"
        if self.more > self.worth:
            equal = "they seem practically equal: " if asked is None else ""
            return f"{equal}to tell {what} takes more {self.unit} than anybody runs"
        return f"{self.amount} would tell {what} with power {self.settings['power']:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan and its parameters, ready for JSON."""
        values = super().to_dict()
        settings: dict[str, Any] = values.pop("settings")
        return settings | values

    def record(self) -> dict[str, Any]:
        """Return what a table of several plans has of this one."""
        values: dict[str, Any] = {"metric": str(self.settings["metric"]), "model": self.model, "goal": self.goal}
        values |= {"more": self.more, "unit": self.unit, "expected": self.expected, "reason": self.reason}
        return values | ({"by_task": dict(self.by_task)} if self.by_task else {})


@underflow_is_zero
def plan_trials(
    metric: MetricLike,
    outcomes: Any,
    half_width: float,
    confidence: float = 0.95,
    *,
    task_weights: Weights = None,
    prior: PriorLike | None = None,
    rng: int | np.random.Generator | None = 0,
    runs: str = "auto",
) -> Plan:
    """Plan trials of every question until the interval's half width is ``half_width``.

    The posterior predicts the outcomes of ``n`` more trials, and with them the expected variance: by simulation, and
    for Bayes@N under a fixed prior in closed form. Of a forecast, as of Pass@1000 from 64 trials, the width of the
    interval is predicted itself. With a Suite of one model, the interval is that of the overall score, and every
    question of every task gets the trials; ``metric`` and ``task_weights`` are those of ``Leaderboard``.

    Trials are taken as independent; with ``runs="auto"``, a ``RunsWarning`` says where runs differ. What more runs give
    is in ``analyze_runs(..).half_width``.

    >>> from scorio import BayesMetric
    >>> print(plan_trials(BayesMetric(), [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 0.1))
    31 more trials per question, expected to reach a half-width of 0.100
    """
    parts, settings = _asked(metric, outcomes, half_width, confidence, task_weights, prior, runs, "questions")
    _check_rewards(parts)
    level = Level(confidence)
    variance = expected_variance(parts, as_prior(settings["prior"]), generator(rng), level)

    def half_width_after(trials: int) -> float:
        return level.critical() * math.sqrt(variance(trials))

    more = fewest(lambda trials: half_width_after(trials) <= half_width)
    reached = half_width_after(MOST if more is None else more)
    reason = f"{MOST:,} more still leave a half width of {number(reached)}" if more is None else ""
    most = _most(parts, level.critical(), half_width) if more else None
    return Plan(more, _TRIALS, reached, reason, settings, most=most, worth=_worth(parts))


def _most(parts: Sequence[TaskPart], z: float, half_width: float) -> int | None:
    """Return how many more trials are enough whatever the difficulties; None where trials show them.

    The variance of the mean of single trials is at most that of draws of one rate common to all questions.
    """
    [part, *others] = parts
    outcomes = part.outcomes
    if others or outcomes.max_trials > 1 or not part.metric.is_success_rate([outcomes]):
        return None
    rate = AvgMetric().score(outcomes)
    scale = part.metric.support(outcomes)[1] - part.metric.support(outcomes)[0]
    single = scale**2 * rate * (1.0 - rate) / outcomes.n_questions
    return max(math.ceil(single * (z / half_width) ** 2) - 1, 1)


@underflow_is_zero
def plan_questions(
    metric: MetricLike,
    outcomes: Any,
    half_width: float,
    confidence: float = 0.95,
    *,
    task_weights: Weights = None,
    prior: PriorLike | None = None,
    runs: str = "auto",
) -> Plan:
    """Plan questions like these, with as many trials, until the interval for the population has this half width.

    With a Suite of one model, the interval is that of the overall score. The new questions go to the tasks where they
    lower its variance most, so that they are as few as possible; the weights of the tasks stay as they are now.

    >>> from scorio import PassAtK
    >>> plan_questions(PassAtK(1), [[0, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]], 0.1).more
    32
    """
    parts, settings = _asked(metric, outcomes, half_width, confidence, task_weights, prior, runs, "population")
    z, prior = Level(confidence).critical(), as_prior(settings["prior"])
    now = [part.weight * part.metric.law_of(part.outcomes, prior, "population").sd for part in parts]
    if len(parts) > 1:
        more, sigma = fewest_questions(now, [part.outcomes.n_questions for part in parts], half_width / z)
        by_task = dict(zip([part.task for part in parts], more, strict=True))
        return Plan(sum(more), _QUESTIONS, z * sigma, settings=settings, by_task=by_task)
    count, width = parts[0].outcomes.n_questions, z * now[0]
    total = max(count, math.ceil(count * (width / half_width) ** 2))
    return Plan(total - count, _QUESTIONS, width * math.sqrt(count / total), settings=settings)


def check_in_range(argument: str, value: float, parts: Sequence[TaskPart]) -> None:
    """Check that a width or difference is not as large as the range of the score: 5 where 5 of 100 was meant."""
    supports = [part.metric.support(part.outcomes) for part in parts]
    width = math.fsum(part.weight * (high - low) for part, (low, high) in zip(parts, supports, strict=True))
    if value >= max(width, 1.0):
        problem = f"must be less than the range of the score, {width:g}; got {value:g}"
        raise ParameterError(problem, argument=argument, hint="5 points of 100 are 0.05")


def _worth(parts: Sequence[TaskPart]) -> float:
    return max(_MOST_WORTH, *(_TIMES * part.outcomes.mean_trials for part in parts))


def _check_rewards(parts: Sequence[TaskPart]) -> None:
    """Check that trials show how much the rewards of a question vary, which single ones do not."""
    if any(not part.outcomes.is_pass_fail and part.outcomes.max_trials <= 1 for part in parts):
        problem = "one trial of each question does not show how much its rewards vary"
        raise OutcomeError(problem, hint="run a second one, and plan again")


def _asked(
    metric: MetricLike,
    outcomes: Any,
    half_width: float,
    confidence: float,
    task_weights: Weights,
    prior: PriorLike | None,
    runs: str,
    target: str,
) -> tuple[list[TaskPart], dict[str, Any]]:
    """Return the tasks of the model and the settings of a plan; without a prior it is that of the metric for these."""
    (chosen, parts), half_width = one_entrant(metric, outcomes, runs, task_weights), positive("half_width", half_width)
    check_in_range("half_width", half_width, parts)
    settings: dict[str, Any] = {"metric": chosen, "half_width": half_width, "confidence": confidence}
    settings["prior"] = prior_or_default(parts[0].metric, prior, [part.outcomes for part in parts], target)
    return parts, settings


@takes(RunOptions, Terms)
@underflow_is_zero
def plan_separation(
    metric: MetricLike,
    A: Any,
    B: Any,
    *,
    task_weights: Weights = None,
    power: float = 0.8,
    difference: float | None = None,
    paired: bool | None = None,
    rng: int | np.random.Generator | None = 0,
    **options: Unpack[RunOptions],
) -> Plan:
    """Plan trials of every question, for both models, until ``compare`` calls the better one at ``confidence``.

    ``difference`` is the true one, by default what is observed; ``power`` is the probability that it is called. With
    ``target="population"`` the spread between questions stays, however many trials are run: if it is too large, more
    questions are needed, and the reason says about how many. Two Suites of one model each are separated by their
    overall scores. ``runs`` is that of ``plan_trials``.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]]
    >>> plan_separation(PassAtK(1), A, B).more
    30
    >>> plan_separation(PassAtK(1), A, B, difference=0.2).separation
    '35 more trials per question would tell a difference of 0.2 with power 0.8'
    """
    terms = Terms(**accepted(options, plan_separation))
    margin = float(ndtri(open_unit("power", power)))
    if margin < 0.0:
        raise ParameterError(f"must be at least 0.5; got {power}", argument="power")
    sides = [one_entrant(metric, model, terms.runs, task_weights)[1] for model in (A, B)]
    for side in sides:
        _check_rewards(side)
        check_in_range("difference", positive("difference", 0.5 if difference is None else difference), side)
    independent: RunOptions = {**options, "runs": INDEPENDENT}
    about = PairTerms(paired=paired, **independent)
    now = compare_pairs(metric, pair_of_models(A, B, None, about.names)[1], task_weights, about)
    for part in sides[0]:
        if now.paired and now.target == "population" and not part.metric.is_mean_over_questions:
            hint = [Remedy("paired", False, "plans with the posterior of each model")]
            raise OutcomeError(f"{part.metric} is no mean over questions", remedies=hint)
    mine, theirs = (expected_variance(side, as_prior(now.prior), generator(rng)) for side in sides)
    told = now.difference if difference is None else float(difference)
    ahead = _Separation(now, told, lambda trials: mine(trials) + theirs(trials))
    needed = ahead.threshold + margin
    settings: dict[str, Any] = {"metric": now.metric, "confidence": terms.confidence, "power": power}
    settings |= {"target": terms.target, "paired": now.paired}
    if difference is not None:
        settings["difference"] = told

    def is_enough(trials: int) -> bool:
        is_called = trials > 0 or difference is not None or now.winner is not None
        return told != 0.0 and is_called and ahead.deviations(trials) >= needed

    more = fewest(is_enough)
    reached = float(ndtr(ahead.deviations(MOST if more is None else more) - ahead.threshold))
    reason = ahead.reason(needed, reached) if more is None else ""
    worth = max(map(_worth, sides))
    return Plan(more, _TRIALS, reached, reason, settings | {"prior": now.prior}, worth=worth)


@dataclass(frozen=True)
class _Separation:
    """Two models that are to be told apart: how they compare ``now``, and the sum of their variances after more trials.

    ``difference`` is the one that is to be called.
    """

    now: Comparison
    difference: float
    variance: Callable[[int], float]

    @property
    def threshold(self) -> float:
        """How many standard deviations from zero a difference is called."""
        now, level = self.now, Level(self.now.confidence)
        if now.target == "questions":  # with more trials; single trials are compared by Student's t
            return level.critical()
        if now.tasks is not None and now.sigma > 0.0:
            return abs(now.difference - (now.lo if now.difference > 0.0 else now.hi)) / now.sigma
        return level.critical(now.degrees)

    @property
    def _between_questions(self) -> float:
        return 0.0 if self.now.target == "questions" else max(self.now.sigma**2 - self.variance(0), 0.0)

    def deviations(self, trials: int) -> float:
        """Return how many standard deviations the difference is after more trials."""
        variance = self._between_questions + self.variance(trials)
        if not trials and self.now.target == "questions" and math.isfinite(self.now.degrees):
            variance = self.now.sigma**2  # of single trials, paired
        return abs(self.difference) / math.sqrt(variance) if variance > 0.0 else math.inf

    def reason(self, needed: float, reached: float) -> str:
        """Say why no number of trials is enough."""
        now, between = self.now, self._between_questions
        if self.difference == 0.0:
            return "the models score the same"
        if between <= (self.difference / needed) ** 2:
            return f"the two seem practically equal, and even {MOST:,} more reach a power of {reached:.3g}"
        count = max(now.n_questions)
        questions = math.ceil(count * between * (needed / self.difference) ** 2)
        about = "at most about" if count < _FEW_QUESTIONS else "about"
        many = "more questions than anybody asks" if questions > _MOST_QUESTIONS else f"{about} {questions} questions"
        return f"the difference varies between questions; {many} are needed, not {count}"


def _for_all(plans: Sequence[Plan]) -> str:
    first = plans[0]
    who = "every model" if len(plans) > 1 else first.model
    if without := [plan.model for plan in plans if plan.more is None]:
        return f"no number of {first.unit} is enough for {shorten(without)} to have a {first.goal}"
    most = max(plan.more or 0 for plan in plans)
    return f"{most:,} more {first.unit} are enough for {who} to have a {first.goal}"


def _result(plan: Plan) -> str:
    return plan.reason or f"{plan.unit}{plan._tasks}, expected to reach {number(plan.expected)}"


@dataclass(frozen=True)
class ModelPlans(Exports):
    """What to run next for several models or metrics: ``plans`` has one plan for each; ``extent`` is what there is."""

    plans: tuple[Plan, ...]
    extent: str
    _lists: ClassVar = ("plans",)
    _rows_alone: ClassVar = True
    _title: ClassVar = "{0.extent}"
    _columns: ClassVar = (
        Field("metric", of="settings", form=lambda settings: str(settings["metric"])),
        Field("model", of="model"),
        Field("goal", of="goal"),
        Field("more", True, "more", "{:,}".format),
        Field("unit, expected result", form=_result),
    )

    def as_sentence(self) -> str:
        """Say what would tell two models apart by each metric, or give every model a narrow interval."""
        if "power" in self.plans[0].settings:
            return "; ".join(f"{plan.model}: {plan.separation}" for plan in self.plans)
        by_metric: dict[str, list[Plan]] = {}
        for plan in self.plans:
            by_metric.setdefault(str(plan.settings["metric"]), []).append(plan)
        return "; ".join(f"{metric}: {_for_all(plans)}" for metric, plans in by_metric.items())


def plan_models(
    metrics: Sequence[Any],
    outcomes: OutcomeSet | Suite,
    *,
    half_width: float | None = None,
    unit: str = "trials",
    between: tuple[str, str] | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    difference: float | None = None,
    **options: Any,
) -> ModelPlans:
    """Plan how many more trials or questions narrow the interval of every model, or tell two models apart.

    With ``half_width``, the plans are those of ``plan_trials``, or with ``unit="questions"`` of ``plan_questions``.
    Without, they are those of ``plan_separation``, for the two models of ``between`` or the two best, and for the
    ``difference`` that is given or observed. ``options`` are ``task_weights`` and ``runs``, those of these functions.
    """
    chosen = [as_metric(metric) for metric in metrics]
    is_of_trials = choice("unit", unit, UNITS) == UNITS[0]
    plans = []
    if half_width is None:
        if not is_of_trials:
            raise ParameterError(f"is {unit!r}, which needs a half_width", argument="unit")
        if between and between[0] == between[1]:
            raise ParameterError(f"names {between[0]!r} twice: name two models", argument="between")
        about: dict[str, Any] = {"confidence": confidence, "power": power, "difference": difference, **options}
        for metric in chosen:
            pair = between or _two_best(metric, outcomes, options.get("task_weights"))
            paired = None if metric.is_mean_over_questions else False
            plan = plan_separation(metric, *map(outcomes.one_model, pair), paired=paired, **about)
            plans.append(replace(plan, model=" > ".join(pair)))
        return ModelPlans(tuple(plans), extent_of(outcomes))
    if difference is not None:
        problem = "is that of two models, and a plan for the interval of each has none"
        raise ParameterError(problem, argument="difference")
    planner = plan_trials if is_of_trials else plan_questions
    for metric in chosen:
        for name in outcomes.models:
            plan = planner(metric, outcomes.one_model(name), half_width, confidence, **options)
            plans.append(replace(plan, model=name))
    return ModelPlans(tuple(plans), extent_of(outcomes))


def _two_best(metric: Metric, outcomes: OutcomeSet | Suite, task_weights: Weights = None) -> tuple[str, str]:
    names = outcomes.models
    if len(names) < 2:
        raise ParameterError(
            "one model cannot be separated from another", hint="plan for the half-width of its interval"
        )
    tasks = as_tasks(outcomes)
    shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
    scores = {
        name: sum(shares[task] * _value(metric, matrix) for task, matrix in of_model(tasks, name, "known").items())
        for name in names
    }
    first, second, *_ = sorted(names, key=lambda name: -scores[name])
    return first, second


def _value(metric: Metric, outcomes: OutcomeMatrix) -> float:
    """Return the score or, of a forecast, the posterior mean."""
    score = metric.score(outcomes, too_few="nan")
    return metric.interval(outcomes).mu if math.isnan(score) else score
