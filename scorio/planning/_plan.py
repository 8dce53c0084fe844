"""Plan how many more trials or questions are needed: for an interval of a given width, or to compare two models."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._choices import INDEPENDENT, RANDOM, TARGETS
from .._display.exports import Exports
from .._display.numbers import number
from .._special import ndtr, ndtri, stdtrit
from ..comparison import Comparison, Weights, compare, shares_questions
from ..errors import OutcomeError, ParameterError, Remedy
from ..inference import Level, Prior, PriorLike, RunNoise, as_prior
from ..metrics import AvgMetric, BayesMetric, Metric, is_success_rate, prior_or_default
from ..outcomes import Suite
from ..params import choice, generator, open_unit, positive
from ._entrants import Entrants, TaskPart, one_entrant
from ._forecast import MOST, expected_overall_variance, fewest, fewest_questions
from ._more_runs import ModelRuns, SameRuns, added_variance, model_runs, widest

MetricLike = Metric | str | Mapping[str, Metric | str]
_TRIALS = "trials per question"
_RUNS = "runs"
_MOST_WORTH = 10_000  # further trials or questions that are worth naming


@dataclass(frozen=True)
class Plan(Exports):
    """How many ``more`` trials per question, or more questions, to run; None if no number is enough, for a ``reason``.

    ``expected`` is the expected half width of the interval, or the expected power, after them; ``settings`` are the
    parameters of the plan. ``by_task`` says how many of the questions are of each task of a suite. ``most`` is the
    number of trials that is enough whatever the difficulties are, where one trial of each question does not show them.
    Of a plan about runs like these, ``unit`` is ``"runs"``, each of as many trials as those that there are, and
    ``same_runs`` says whether more trials in the same runs would be enough.
    """

    more: int | None
    unit: str
    expected: float
    reason: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
    by_task: Mapping[str, int] = field(default_factory=dict, hash=False)
    most: int | None = None
    same_runs: SameRuns | None = None

    def __str__(self) -> str:
        said = self._said
        return said if self.same_runs is None or self.more == 0 else f"{said}; {self.same_runs}"

    @property
    def _said(self) -> str:
        if self.more is None:
            return f"no number of {self.unit} is enough: {self.reason}"
        parts = ", ".join(f"{task} {more}" for task, more in self.by_task.items())
        named = f" ({parts})" if parts else ""
        reached = f"a {'power' if 'power' in self.settings else 'half-width'} of {number(self.expected)}"
        if self.more > _MOST_WORTH:
            return f"more {self.unit} than anybody runs, {self.more:,}, to reach {reached}"
        said = f"{self.more:,} more {self.unit}{named}, expected to reach {reached}"
        if self.most is None:
            return said
        return f"{said}; a guess, from one trial each: between 1 and {self.most}, so run a second one and plan again"

    @property
    def separation(self) -> str:
        """What would tell two models apart, in words, for a plan of ``plan_separation``.

        >>> plan_separation("pass@1", [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]]).separation
        '30 more trials per question would tell them apart with power 0.8'
        """
        if self.more is None:
            return (
                f"no number of {'trials' if self.unit == _TRIALS else self.unit} would tell them apart: {self.reason}"
            )
        if self.more == 0:
            return "a comparison of the two alone tells them apart"
        if self.more > _MOST_WORTH:
            return f"they are practically equal: to tell them apart takes more {self.unit} than anybody runs"
        unit = {_TRIALS: "trial per question", _RUNS: "run"}.get(self.unit, self.unit) if self.more == 1 else self.unit
        return f"{self.more:,} more {unit} would tell them apart with power {self.settings['power']:g}"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan and its parameters, ready for JSON."""
        values = super().to_dict()
        settings: dict[str, Any] = values.pop("settings")
        values["same_runs"] = None if self.same_runs is None else vars(self.same_runs)
        for name in ("by_task", "most", "same_runs"):
            if not values[name]:
                del values[name]
        return settings | values


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
    exactly for binary outcomes under a fixed prior. Bayes@N under a fixed prior has a closed form. Of a forecast, as of
    Pass@1000 from 64 trials, the width of the interval is predicted itself. With a Suite of one model, the interval is
    that of the overall score, and every question of every task gets the trials; ``metric`` and ``task_weights`` are
    those of ``Leaderboard``.

    ``runs`` is that of ``Metric.interval``. With ``"random"``, the plan is one of more runs of as many trials, for an
    interval about runs like these, and says whether more trials in the same runs would be enough.

    >>> from scorio import BayesMetric
    >>> print(plan_trials(BayesMetric(), [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 0.1))
    31 more trials per question, expected to reach a half-width of 0.100
    """
    chosen, target = one_entrant(metric, outcomes, task_weights), positive("half_width", half_width)
    parts, z = _narrower(chosen.of_one_model(), target), Level(confidence).critical()
    settings: dict[str, Any] = {"metric": chosen.metric, "half_width": target, "confidence": confidence}
    assumed = as_prior(given := _prior_of(parts, prior))
    settings["prior"] = given
    random = model_runs([parts], runs)
    width = expected_overall_variance(parts, assumed, generator(rng), Level(confidence))

    def reached(n: int) -> float:
        return z * math.sqrt(width(n))

    if random is not None:
        return _runs_for_width(random[0], width, target, Level(confidence), settings | {"runs": RANDOM})
    closed = _closed_form(parts[0], assumed, z, target) if len(parts) == 1 else None
    if closed is not None:
        return replace(closed, settings=settings)
    more = fewest(lambda n: reached(n) <= target)
    if more is None:
        reason = f"{MOST:,} more still leave a half width of {number(reached(MOST))}"
        return Plan(None, _TRIALS, reached(MOST), reason, settings)
    return Plan(more, _TRIALS, reached(more), settings=settings, most=_most(parts, z, target) if more else None)


def _runs_for_width(
    own: ModelRuns, variance: Callable[[int], float], target: float, level: Level, settings: dict[str, Any]
) -> Plan:
    """Return how many more runs lead to an interval about runs like these of this half width."""
    z, runs = level.critical(), own.runs

    def after_runs(more: int) -> float:
        return own.after(more).reach(z * math.sqrt(variance(own.trials_of(more))), level)

    def after_trials(more: int) -> float:
        return own.noise.reach(z * math.sqrt(variance(more)), level)

    is_possible = own.noise.reach(0.0, level) < target
    trials = fewest(lambda n: after_trials(n) <= target) if is_possible else None
    same = SameRuns(trials, own.noise.reach(0.0, level) if trials is None else after_trials(trials), runs)
    more = fewest(lambda n: after_runs(n) <= target)
    if more is None:
        reason = f"{MOST:,} more still leave a half width of {number(after_runs(MOST))}"
        return Plan(None, _RUNS, after_runs(MOST), reason, settings, same_runs=same)
    return Plan(more, _RUNS, after_runs(more), settings=settings, same_runs=same)


def _most(parts: Sequence[TaskPart], z: float, half_width: float) -> int | None:
    """Return how many more trials are enough whatever the difficulties; None where trials show them.

    The variance of the mean of single trials is at most that of draws of one rate common to all questions.
    """
    [part, *others] = parts
    outcomes = part.outcomes
    if others or outcomes.max_trials > 1 or not is_success_rate(part.metric, [outcomes]):
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

    With ``runs="random"`` it is about runs like these, too: what the runs add stays, however many questions there are.

    >>> from scorio import PassAtK
    >>> plan_questions(PassAtK(1), [[0, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]], 0.1).more
    32
    """
    chosen, target = one_entrant(metric, outcomes, task_weights), positive("half_width", half_width)
    parts, z = _narrower(chosen.of_one_model(), target), Level(confidence).critical()
    settings: dict[str, Any] = {"metric": chosen.metric, "half_width": target, "confidence": confidence}
    given = settings["prior"] = _prior_of(parts, prior, "population")
    now = [_population_sigma(part, as_prior(given)) for part in parts]
    random = model_runs([parts], runs)
    whole = _with_runs(random[0].noise if random else None, Level(confidence))
    if random:
        settings["runs"] = RANDOM
        target = widest(random[0].noise, Level(confidence), target)
        if target <= 0.0:
            return Plan(None, "questions", whole(0.0), _runs_alone(random[0], whole(0.0)), settings)
    if len(parts) > 1:
        more, sigma = fewest_questions(now, [part.outcomes.n_questions for part in parts], target / z)
        by_task = dict(zip(next(iter(chosen.models.values())), more, strict=True))
        return Plan(sum(more), "questions", whole(z * sigma), settings=settings, by_task=by_task)
    count, width = parts[0].outcomes.n_questions, z * now[0]
    total = max(count, math.ceil(count * (width / target) ** 2))
    return Plan(total - count, "questions", whole(width * math.sqrt(count / total)), settings=settings)


def _with_runs(noise: RunNoise | None, level: Level) -> Callable[[float], float]:
    """Return what makes the half width about runs like these from that without runs."""
    return (lambda width: width) if noise is None else (lambda width: noise.reach(width, level))


def _runs_alone(own: ModelRuns, left: float) -> str:
    return f"the {own.runs} runs alone leave a half width of {number(left)}; plan_trials plans more runs"


def _narrower(parts: list[TaskPart], half_width: float) -> list[TaskPart]:
    """Return the parts if the half width is less than the range of the score: any interval is as narrow as 5 of 1."""
    supports = [part.metric.support(part.outcomes) for part in parts]
    width = math.fsum(part.weight * (high - low) for part, (low, high) in zip(parts, supports, strict=True))
    if half_width >= max(width, 1.0):
        problem = f"must be less than the range of the score, {width:g}; got {half_width:g}"
        raise ParameterError(problem, argument="half_width", hint="5 points of 100 are 0.05")
    return parts


def _prior_of(parts: Sequence[TaskPart], prior: PriorLike | None, target: str = "questions") -> PriorLike:
    """Return the prior, or without one that of the metric for these tasks."""
    return prior_or_default(parts[0].metric, prior, [part.outcomes for part in parts], target)


def _population_sigma(part: TaskPart, prior: Prior) -> float:
    """Return what the task adds to the standard deviation of the overall score."""
    return part.weight * part.metric._law_of(part.outcomes, prior, "population").sd


@underflow_is_zero
def plan_separation(
    metric: MetricLike,
    A: Any,
    B: Any,
    *,
    task_weights: Weights = None,
    confidence: float = 0.95,
    power: float = 0.8,
    target: str = "questions",
    paired: bool | None = None,
    prior: PriorLike | None = None,
    rng: int | np.random.Generator | None = 0,
    runs: str = "auto",
) -> Plan:
    """Plan trials of every question, for both models, until ``compare`` calls the better one at ``confidence``.

    The difference is assumed to stay as observed; ``power`` is the probability that it is then called. With
    ``target="population"`` the spread between questions stays, however many trials are run: if it is too large, more
    questions are needed, and the reason says about how many. Two Suites of one model each are separated by their
    overall scores. With ``runs="random"``, the plan is one of more runs of both models, as that of ``plan_trials``.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]]
    >>> plan_separation(PassAtK(1), A, B).more
    30
    """
    open_unit("confidence", confidence)
    margin = float(ndtri(open_unit("power", power)))
    if margin < 0.0:
        raise ParameterError(f"must be at least 0.5; got {power}", argument="power")
    sides = [one_entrant(metric, each, task_weights) for each in (A, B)]
    is_population = choice("target", target, TARGETS) == "population"
    options: dict[str, Any] = {"target": target, "prior": prior, "confidence": confidence}
    random = model_runs([each.of_one_model() for each in sides], runs)
    about = options | {"runs": INDEPENDENT}
    now = _compared(metric, (A, B), sides, task_weights, paired, about)
    is_called = now.winner is not None
    if random:
        is_called = _compared(metric, (A, B), sides, task_weights, paired, about | {"runs": RANDOM}).winner is not None
    mine, theirs = (
        expected_overall_variance(each.of_one_model(), as_prior(now.prior), generator(rng)) for each in sides
    )
    ahead = _Separation(now, mine, theirs, margin, is_called, is_population, random)
    settings = {"metric": now.metric, "confidence": confidence, "power": power, "target": target, "paired": now.paired}
    return ahead.plan(settings | {"prior": now.prior} | ({"runs": RANDOM} if random else {}))


@dataclass(frozen=True)
class _Separation:
    """Two models that are to be told apart: how they compare ``now``, and their variances after more trials."""

    now: Comparison
    mine: Callable[[int], float]
    theirs: Callable[[int], float]
    margin: float
    is_called: bool
    is_population: bool
    runs: Sequence[ModelRuns] | None

    @property
    def _between_questions(self) -> float:
        return max(self.now.sigma**2 - self.mine(0) - self.theirs(0), 0.0) if self.is_population else 0.0

    def variance(self, trials: int, runs: int = 0) -> float:
        """Return the variance of the difference after more trials in the same runs, or after more runs."""
        each = [trials + own.trials_of(runs) for own in self.runs] if self.runs else [trials, trials]
        is_paired_by_trial = not self.is_population and math.isfinite(self.now.degrees)
        variance = self._between_questions + self.mine(each[0]) + self.theirs(each[1])
        if not any(each) and is_paired_by_trial:
            variance = self.now.sigma**2
        if not self.runs:
            return variance
        return variance + added_variance([own.after(runs) for own in self.runs], variance, Level(self.now.confidence))

    def standard_deviations(self, trials: int, runs: int = 0) -> float:
        """Return how many standard deviations the difference is."""
        variance = self.variance(trials, runs)
        return abs(self.now.difference) / math.sqrt(variance) if variance > 0.0 else math.inf

    def _fewest(self, deviations: Callable[[int], float]) -> int | None:
        """Return the fewest that are enough; without any, only what ``compare`` calls now is told apart."""
        needed = _threshold(self.now) + self.margin
        if self.now.difference == 0.0:
            return None
        return fewest(lambda n: (n > 0 or self.is_called) and deviations(n) >= needed)

    def _power(self, deviations: float) -> float:
        return float(ndtr(deviations - _threshold(self.now)))

    def plan(self, settings: dict[str, Any]) -> Plan:
        """Return the plan: of trials, or of runs where it is about runs like these."""
        trials = self._fewest(self.standard_deviations)
        reached = self._power(self.standard_deviations(MOST if trials is None else trials))
        needed = _threshold(self.now) + self.margin
        if not self.runs:
            reason = "" if trials is not None else _reason(self.now, self._between_questions, needed, reached)
            return Plan(trials, _TRIALS, reached, reason, settings)
        same = SameRuns(trials, reached, max(own.runs for own in self.runs))
        more = self._fewest(lambda n: self.standard_deviations(0, n))
        reached = self._power(self.standard_deviations(0, MOST if more is None else more))
        reason = "" if more is not None else _reason(self.now, self._between_questions, needed, reached)
        return Plan(more, _RUNS, reached, reason, settings, same_runs=same)


def _compared(
    metric: MetricLike,
    models: tuple[Any, Any],
    sides: Sequence[Entrants],
    task_weights: Weights,
    paired: bool | None,
    options: dict[str, Any],
) -> Comparison:
    """Compare the two models as they are now."""
    pairs = list(zip(*(each.of_one_model() for each in sides), strict=False))
    if len(pairs) == 1 and paired is None:
        paired = shares_questions(*(part.outcomes for part in pairs[0]))
    for part, _ in pairs:
        if paired and options["target"] == "population" and not part.metric._is_mean_over_questions:
            hint = [Remedy("paired", False, "plans with the posterior of each model")]
            raise OutcomeError(f"{part.metric} is no mean over questions", remedies=hint)
    asked = [each if isinstance(each, Suite) else part.outcomes for each, part in zip(models, pairs[0], strict=True)]
    return compare(metric, *asked, task_weights=task_weights, paired=paired, **options)


def _reason(now: Comparison, between_questions: float, needed: float, reached: float) -> str:
    """Say why no number of trials is enough."""
    if now.difference == 0.0:
        return "the models score the same"
    if between_questions <= (now.difference / needed) ** 2:
        return f"the two are practically equal, and even {MOST:,} more reach a power of {reached:.3g}"
    count = max(now.n_questions)
    questions = math.ceil(count * between_questions * (needed / now.difference) ** 2)
    many = "more questions than anybody asks" if questions > _MOST_WORTH else f"about {questions} questions"
    return f"the difference varies between questions; {many} are needed, not {count}"


def _threshold(now: Comparison) -> float:
    """Return how many standard deviations from zero a difference is called."""
    if now.target == "questions":  # with more trials; single trials are compared by Student's t
        return Level(now.confidence).critical()
    if now.tasks is not None and now.sigma > 0.0:
        return abs(now.difference - (now.lo if now.difference > 0.0 else now.hi)) / now.sigma
    chance = (1.0 + now.confidence) / 2.0
    return float(ndtri(chance) if math.isinf(now.degrees) else stdtrit(now.degrees, chance))


def _closed_form(part: TaskPart, prior: Prior, z: float, target: float) -> Plan | None:
    """``n = T ((z sigma / eps)^2 - 1)``, with ``T`` the trials and pseudo-counts per question.

    It holds for Bayes@N under a fixed prior, with as many trials of every question; None elsewhere.
    """
    metric, informed = part.metric, part.outcomes.with_prior_counts
    if not isinstance(metric, BayesMetric) or prior.is_learned or informed.is_continuous or part.weight != 1.0:
        return None
    if informed.min_trials != informed.max_trials:
        return None
    now = z * metric.interval(part.outcomes, prior=prior, bounds=None).sigma
    total = float(informed.trials.mean()) + float(np.sum(prior._checked_counts(len(metric._rewards(informed)))))
    more = max(0, math.ceil(total * ((now / target) ** 2 - 1.0)))
    return Plan(more, _TRIALS, now / math.sqrt(1.0 + more / total))
