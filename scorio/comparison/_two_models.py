"""Compare two models on one metric: which is better, and with what uncertainty."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple, Unpack

import numpy as np

from .._base.arrays import underflow_is_zero
from .._base.choices import CATEGORICAL, CONTINUOUS, INDEPENDENT, RANDOM, RULES, SAMPLES, UNIFORM
from .._base.options import accepted, takes
from .._base.special import betainc, gammaln
from .._base.words import warn
from ..errors import OutcomeError, ParameterError, QuestionsWarning, Remedy, explained
from ..estimates._contest import Contest, TaskContest, settled
from ..estimates._joint import difference
from ..estimates._stack import Stack
from ..estimates._tasks import (
    ONLY,
    TaskMetrics,
    Weights,
    at_task,
    completeness_of,
    metric_of_tasks,
    pair_of_models,
    shares_of,
)
from ..inference._level import Level, two_sided
from ..inference._terms import TermOptions, Terms
from ..metrics import Metric
from ..metrics._checks import warn_of_fixed_prior, warn_of_trials
from ..metrics._sample_metric import SampleMetric
from ..outcomes import OutcomeMatrix, align
from ..params import one_of, param
from ._comparison import PUBLISHED, Comparison

_PAIRED, _MODELS, _FEWEST = attrgetter("paired"), attrgetter("models"), attrgetter("min_trials")
_COPIES = "both models have the same outcomes of every question"
_CHANCE_OF_COPIES = math.log(1e-3)  # that two runs have the same outcomes, below which they are one
Pairs = Mapping[str, tuple[OutcomeMatrix, OutcomeMatrix]]  # the outcomes of both models by task


class PairOptions(TermOptions, total=False):
    """What else a comparison may be told: what is paired, when a model is better, how models are called."""

    paired: bool | None
    rule: str
    names: tuple[str, str]
    shared_only: bool


@dataclass(frozen=True, kw_only=True)
class PairTerms(Terms):
    """What is asked of a comparison: the arguments of ``compare``, checked."""

    rule: str = param(one_of(RULES), default="interval")
    paired: bool | None = None
    names: tuple[str, str] = ("A", "B")
    shared_only: bool = False

    def __post_init__(self) -> None:
        names: Any = self.names
        is_pair = isinstance(names, (tuple, list)) and len(names) == 2
        if not (is_pair and isinstance(names[0], str) and isinstance(names[1], str)):
            raise ParameterError(f"must be two strings; got {names!r}", argument="names")
        if names[0] == names[1]:
            raise ParameterError(f"must differ; got {names}", argument="names")
        object.__setattr__(self, "names", (self.names[0], self.names[1]))
        if self.paired not in (None, True, False):
            raise ParameterError(f"must be None, True or False; got {self.paired!r}", argument="paired")
        if not isinstance(self.shared_only, bool):
            raise ParameterError(f"must be True or False; got {self.shared_only!r}", argument="shared_only")
        super().__post_init__()
        if self.rule == PUBLISHED:
            object.__setattr__(self, "prior", UNIFORM if self.prior is None else self.prior)
            object.__setattr__(self, "shape", self.shape or "normal")
        if self.looks is not None and self.rule != "interval":
            raise ParameterError(f"is {self.rule!r}, but looks go with the rule 'interval' only", argument="rule")


@takes(PairOptions, PairTerms)
@underflow_is_zero
@explained("it takes the outcomes of two models, compare(metric, A, B); Leaderboard(metric, {..}).pairs() has several")
def compare(
    metric: Metric | str | Mapping[str, Metric | str],
    A: Any,
    B: Any,
    *,
    model: str | tuple[str, str] | None = None,
    task_weights: Weights = None,
    **options: Unpack[PairOptions],
) -> Comparison:
    r"""Compare two models by a metric or its name.

    ``A`` and ``B`` are the outcomes of one model each, or sets and suites of several, of which ``model`` names one, or
    one of each.

    ``target="questions"`` compares them on the questions at hand: only trials are random, and the difference is that
    of the two posteriors under ``prior``, each with an interval of this ``shape``. One trial per question does not show
    how much trials vary: with the learned prior and the same questions, the law is then Student's t of the paired
    differences. ``target="population"`` compares them on the questions that these were drawn from. If both models have
    the same questions (``paired``; found out by default), it has the spread of the differences per question or cluster,
    in which the difficulty of a question cancels, and ``shape`` plays no part; otherwise the spread of each model's own
    questions.

    ``rule="interval"`` calls a model better if the interval of the difference excludes zero: one of two equal models is
    called in ``1 - confidence`` of all comparisons. ``rule="published"`` calls it if ``z`` reaches
    ``Phi^-1(confidence)``, with the uniform prior and the normal shape by default: it is meant to call equal models in
    ``2 (1 - confidence)`` of all comparisons, and calls far fewer on hard questions with few trials.

    If the models have different questions, a ``QuestionsWarning`` says how many they share, because the difference may
    be one of questions; ``shared_only=True`` compares the models on the shared ones, and ``paired=False`` accepts it.
    ``runs`` is that of ``Metric.interval``. What runs do to both models alike cancels where both ran in the same ones.

    With ``looks`` the winner and the interval are valid however often the comparison is repeated while trials come in:
    of two equal models one is called at any look in at most ``1 - confidence`` of all runs. The boundary is that of the
    model, or of the task, with the fewest trials per question; tasks may get their trials in any order.

    Models of two suites are compared by their overall scores, and on every task: ``result.tasks``. ``task_weights``
    are equal by default, ``"questions"`` (proportional to their number of questions) or a mapping; ``metric`` may map
    tasks to metrics.

    >>> from scorio import PassAtK
    >>> A, B = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
    >>> print(*str(compare(PassAtK(1), A, B)).split(": "), sep="\n")
    A is better on pass@1 for these questions (confidence 0.95)
    scores 0.750 and 0.333, difference +0.384 [+0.047, +0.652], P(A > B) = 0.987
    """
    terms = PairTerms(**accepted(options, compare))
    names, pairs = pair_of_models(A, B, model, terms.names)
    if names != terms.names and "names" not in options and names[0] != names[1]:
        terms = replace(terms, names=(str(names[0]), str(names[1])))
    comparison = compare_pairs(metric, pairs, task_weights, terms)
    warn_of_copies(pairs, f"{_COPIES}: a run is compared with itself or a copy; give the outcomes of another run")
    return comparison


def compare_pairs(metric: Any, pairs: Pairs, task_weights: Weights, terms: PairTerms) -> Comparison:
    """Return the comparison of two models by task, however alike they are."""
    named, of_tasks = metric_of_tasks(metric, pairs)
    shares = shares_of(task_weights, {task: first.n_questions for task, (first, _) in pairs.items()})
    return compared(named, of_tasks, pairs, shares, terms).result


def warn_of_copies(pairs: Pairs, message: str, *, also_one: bool = False) -> None:
    """Warn if two models have the same outcomes of every question, which sound runs have rarely, or are one object."""
    if all(_are_copies(pair) or (also_one and pair[0] is pair[1]) for pair in pairs.values()):
        warn(message, QuestionsWarning)


def _are_copies(pair: tuple[OutcomeMatrix, OutcomeMatrix]) -> bool:
    one, other = pair
    if one.is_continuous or other.is_continuous or not np.array_equal(one.counts, other.counts):
        return one.is_continuous and one == other
    once, twice = (
        gammaln(counts.sum(axis=1) + 1.0).sum() - gammaln(counts + 1.0).sum() for counts in (one.counts, 2 * one.counts)
    )  # the logarithms of the numbers of orders of all outcomes, in one run and in both
    return bool(2.0 * once - twice < _CHANCE_OF_COPIES)


class Compared(NamedTuple):
    """A comparison of two models, and what it is made of: their values on each task, at its level."""

    result: Comparison
    contest: Contest
    values: list[Stack]


def compared(
    metric: Metric | TaskMetrics,
    of_tasks: Sequence[Metric],
    pairs: Pairs,
    shares: Mapping[str, float],
    terms: PairTerms,
) -> Compared:
    """Compare two models on every task, and by the weighted sum over the tasks; ``of_tasks`` has the metric of each."""
    contests: list[TaskContest] = []
    parts, results = [], {}
    for (task, pair), rule in zip(pairs.items(), of_tasks, strict=True):
        with at_task(task):
            alone = Contest.of([_on_one_task(rule, pair, terms)], (1.0,))
            plain = alone.tasks[0].stack(_level(alone, terms))
            complete = pair[0].completeness, pair[1].completeness
            results[task] = _result(rule, alone, alone.with_runs(plain), terms, completeness=complete)
        contests += alone.tasks
        parts.append(plain)
        if task == ONLY:
            return Compared(results[task], alone, parts)
    contest = Contest.of(contests, list(shares.values()))
    single = terms.looks is None or len(parts) == 1
    stack = contest.with_runs(contest.summed(parts)) if single else contest.stack(_level(contest, terms))
    of_models = zip(*pairs.values(), strict=True)
    about: dict[str, Any] = {
        "tasks": results,
        "weights": shares,
        "completeness": tuple(map(completeness_of, of_models)),
    }
    return Compared(_result(metric, contest, stack, terms, **about), contest, parts)


def _level(contest: Contest, terms: PairTerms) -> Level:
    return terms.level if terms.looks is None else terms.looks.widest_level(contest.spans[0, 1].tolist())


def _on_one_task(metric: Metric, pair: Sequence[OutcomeMatrix], terms: PairTerms) -> TaskContest:
    """Return both models on one task, with their questions in one order if they are paired."""
    models = list(pair) if min(map(_FEWEST, pair)) else asked_questions(pair)
    if terms.shared_only:
        models = list(shared_questions(*models))
    paired = terms.paired
    if paired is None:
        paired = shares_questions(*models)
        if not paired:
            _check_questions(models[0], models[1], terms)
    if paired:
        models = list(align(dict(zip(terms.names, models, strict=True))).values())
    if paired and terms.target == "population" and not metric.is_mean_over_questions:
        needed, fewest = metric.required_trials, min(outcomes.min_trials for outcomes in models)
        if fewest < needed:  # it has neither a score nor, as a blend, a value per question
            remedy = Remedy("paired", False, "compares the posterior of each model")
            raise OutcomeError(f"{metric} has no score on fewer than {needed} trials", remedies=[remedy])
    terms = settled(terms, metric, models)
    if terms.looks is not None:
        warn_of_fixed_prior(metric, models[0], terms.assumed, terms.target)
    for outcomes in models:
        if outcomes.min_trials < outcomes.max_trials and terms.assumed.is_learned:
            warn_of_trials(outcomes, terms.target)
    return TaskContest([metric] * 2, models, terms, paired)


def _result(
    metric: Metric | TaskMetrics, contest: Contest, stack: Stack, terms: PairTerms, **of_tasks: Any
) -> Comparison:
    """Return the comparison of two models: the one place where it is made, for one task and for several."""
    gap = difference(0, 1)
    law = stack.law(gap)
    mean, sigma, below, above = law.mean, law.sd, law.below, law.above
    settled_terms, is_single = contest.tasks[0].terms, terms.looks is None
    has_exact_test = is_single and terms.runs != RANDOM
    p_better = law.p_at_least(0.0) if is_single else float(stack.p_above(gap))
    (low, high), (other_low, other_high) = contest.supports().tolist()
    paired = all(map(_PAIRED, contest.tasks))
    extents = map(_extent, zip(*map(_MODELS, contest.tasks), strict=True))
    n_questions, n_trials, trials_each, is_continuous = zip(*extents, strict=True)
    alone = contest.tasks[0] if len(contest.tasks) == 1 and paired else None
    return Comparison(
        metric=metric,
        names=terms.names,
        scores=(_score(contest, 0), _score(contest, 1)),
        n_questions=n_questions,
        n_trials=n_trials,
        difference=mean,
        sigma=sigma,
        lo=max(mean - below, low - other_high),
        hi=min(mean + above, high - other_low),
        z=abs(mean) / sigma if sigma > 0.0 else math.inf if mean else 0.0,
        p_better=p_better,
        p_value=two_sided(p_better) if is_single else None,
        p_exact=_mcnemar(alone.metrics[0], alone.models, terms.target) if alone and has_exact_test else None,
        confidence=terms.confidence,
        target=terms.target,
        rule=terms.rule,
        paired=paired,
        prior=settled_terms.given,
        degrees=law.df,
        looks=terms.looks,
        needed=None if is_single else (above if mean < 0.0 else below) / sigma if sigma > 0.0 else 0.0,
        shape=settled_terms.shape,
        rewards=SAMPLES if isinstance(metric, SampleMetric) else CONTINUOUS if any(is_continuous) else CATEGORICAL,
        trials_each=trials_each,
        runs=RANDOM if terms.runs == RANDOM else INDEPENDENT,
        **of_tasks,
    )


def _mcnemar(metric: Metric, models: Sequence[OutcomeMatrix], target: str) -> float | None:
    """Return the two-sided p-value of the exact sign test, where every question has one trial of both models.

    Of the questions that one model alone solves, each model is expected to solve half. None for other outcomes, and for
    clusters of questions that are themselves a draw.

    >>> one, other = OutcomeMatrix([[1], [1], [1], [1], [1], [0]]), OutcomeMatrix([[0], [0], [0], [0], [0], [0]])
    >>> _mcnemar(Metric.from_string("pass@1"), [one, other], "questions")
    0.0625
    """
    if models[0].max_trials != 1 or not all(model.min_trials == model.max_trials == 1 for model in models):
        return None
    if not metric.is_success_rate(models):
        return None
    if target == "population" and any(model.clusters is not None for model in models):
        return None
    wins, losses = (int((one.successes > other.successes).sum()) for one, other in (models, models[::-1]))
    if wins == losses:
        return 1.0
    return min(1.0, 2.0 * float(betainc(max(wins, losses), min(wins, losses) + 1.0, 0.5)))


def _extent(models: Sequence[OutcomeMatrix]) -> tuple[int, int, tuple[int, int], bool]:
    """Return the questions and trials of a model over all tasks, the fewest and the most trials of any question."""
    questions, trials, is_continuous = 0, 0, False
    ranges: list[int] = []
    for model in models:
        count, fewest, most = model.n_questions, model.min_trials, model.max_trials
        questions, trials = questions + count, trials + (count * most if fewest == most else int(model.trials.sum()))
        ranges += (fewest, most)
        is_continuous = is_continuous or model.is_continuous
    return questions, trials, (min(ranges), max(ranges)), is_continuous


def _score(contest: Contest, model: int) -> float | None:
    """Return the weighted score of a model; None if trials are too few for it."""
    scores = [task.metrics[model].score(task.models[model], too_few="nan") for task in contest.tasks]
    return None if np.isnan(scores).any() else float(contest.weights[:, model] @ np.array(scores))


def asked_questions(pair: Sequence[OutcomeMatrix]) -> list[OutcomeMatrix]:
    """Return the models with the questions that they have trials of: one without a trial is one that a model lacks.

    Questions without labels have numbers then.

    >>> one, other = OutcomeMatrix([[1], []], missing="omit"), OutcomeMatrix([[0], [1]])
    >>> [outcomes.questions for outcomes in asked_questions([one, other])]
    [(0,), (0, 1)]
    """
    if shares_questions(*pair) and pair[0].questions is None:
        pair = [outcomes.replaced(questions=tuple(range(outcomes.n_questions))) for outcomes in pair]
    return [outcomes.select(outcomes.trials > 0) for outcomes in pair]


def shares_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> bool:
    """Return whether both have the same questions: by label, or by number if neither has labels."""
    if one.questions is None or other.questions is None:
        return one.questions is other.questions and one.n_questions == other.n_questions
    return set(one.questions) == set(other.questions)


def shared_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix]:
    """Return the outcomes of both models on the questions that both have, in the order of the first."""
    if one.questions is None or other.questions is None:
        if shares_questions(one, other):
            return one, other
        problem = f"there are {one.n_questions} and {other.n_questions} questions without labels on both sides"
        raise OutcomeError(f"{problem}, so none can be matched", hint="pass questions=[...] with the outcomes")
    theirs = set(other.questions)
    labels = [label for label in one.questions if label in theirs]
    if not labels:
        raise OutcomeError("the models share no question")
    return one.select(labels), other.select(labels)


def nearly_shared(mine: Iterable[Any], theirs: Iterable[Any]) -> str:
    """Say that some labels of questions differ in capitals only; empty if none do."""
    folded = {str(label).casefold() for label in mine} & {str(label).casefold() for label in theirs}
    return ", though some names differ in capitals only" if folded else ""


def _check_questions(one: OutcomeMatrix, other: OutcomeMatrix, terms: PairTerms) -> None:
    """Say how many questions the models share, and what to do; raise an OutcomeError if they share none."""
    both = None
    if one.questions and other.questions:
        mine, theirs = set(one.questions), set(other.questions)
        both = len(mine & theirs)
        if not both:
            first, second = map(repr, terms.names)
            problem = f"{first} and {second} share no question{nearly_shared(mine, theirs)}"
            remedy = Remedy("paired", False, "compares them nevertheless")
            raise OutcomeError(f"{problem}: their difference would be one of questions", remedies=[remedy])
    shared = "without labels that say which are shared" if both is None else f"{both} of them shared"
    first, second = terms.names
    message = f"{first} and {second} have different questions, {one.n_questions} and {other.n_questions}, {shared}"
    advice = "compare on the shared questions (shared_only=True), or choose an unpaired comparison (paired=False)"
    warn(f"{message}: {advice}", QuestionsWarning)
