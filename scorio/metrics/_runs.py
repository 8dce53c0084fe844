"""How much runs differ: the first-order effect of each run on a metric, and what trials alone give.

The first-order effect of a trial on a question's value is its influence ``u``, which depends on its outcome. With
``n_qt`` of the ``n_q`` trials of question ``q`` in run ``t`` and ``f_qt = n_qt / n_q``,

    r_t = 1/M sum_q 1/n_q sum_(trials of q in t) (u - mean u)                 the effect of run t; they add up to 0
    W_tu = 1/M^2 sum_q S_q^2/n_q (f_qt [t = u] - f_qt f_qu)                    their covariance if runs do not differ
    L_tu = 1/M sum_q e_q (f_qt [t = u] - f_qt f_qu),  a_t = 1/M sum_q e_q f_qt

``W`` is exact given the counts, because trials are then exchangeable within a question. A run that shifts the log odds
by ``s x_t`` moves the value of a question by ``e_q s x_t``, where ``e_q = S_q^2 / (max u - min u)`` is ``p (1 - p)``
for Pass@1. So ``r`` is normal with the covariance ``W + s^2 L L'``, and runs add ``s^2 sum a_t^2`` to the variance.

**Influence.** A metric is a function of the shares of a question's trials in each category, and its derivative is taken
at smoothed shares, with so many trials that the value is nearly that of the shares themselves. This needs nothing of a
metric but its value per question. For pass/fail outcomes it is the mean at two success rates, a standard deviation of
the posterior to both sides of its mean, because the derivative at the mean is less than its mean where it is convex.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base.arrays import Counts, Indices, Vector, cached_property, read_only
from .._base.choices import AUTO, LEARNED, RANDOM, RUNS
from .._base.numbers import number
from .._base.special import chdtrc
from .._base.words import warn
from ..errors import OutcomeError, RunsWarning
from ..inference._prior import as_prior
from ..inference._run_noise import SIZES, RunNoise
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import choice
from ._shared_prior import learned_prior, of_states
from ._worth import worth_of

if TYPE_CHECKING:
    from ._base import Metric


_TRIALS = 4000  # from which values are taken
_PER_BUDGET = 40  # trials for each of the k trials of a draw
_STEP = 0.01  # of a share
_BESIDE = read_only(np.array([[-1.0], [1.0]]))  # the mean
_RATE = worth_of(read_only(np.array([0.0, 1.0])))
_ROUNDING = 1e-9
FALSE_ALARMS = 0.01  # the share of runs that do not differ and are called different
_DIFFERENT = (
    "the scores of {whose} runs differ by more than their trials explain (p = {p:.2g}): by trials alone the score has a"
    " standard error of {narrow}, about runs like these of {wide}. Trials are taken as independent{therefore}:"
    ' runs="random" makes statements about runs like these, and runs="independent" is about these runs alone, without'
    " this warning"
)
_SHARDS = (
    "no question has trials in two of the runs, so how much runs differ cannot be told from questions: shards, parts of"
    " one run, are no runs. Trials are taken as independent; try the same questions in each run, or say"
    ' runs="independent", which is about these runs alone, without this warning'
)


class Influence(NamedTuple):
    """The influence of a trial of each category on questions that are alike, (S, C+1), and where each question stands.

    ``counts`` are the trials of each category of these questions, (S, C+1), and ``times`` is how many are alike.
    """

    values: Vector
    counts: Vector
    of_question: Indices
    times: Vector


def influence(metric: Metric, outcomes: OutcomeMatrix) -> Influence:
    """Return the influence of a trial of each category on the value of each question; that of the first is 0.

    >>> from scorio import PassAtK
    >>> found = influence(PassAtK(1), OutcomeMatrix([[0, 1], [1, 1]]))
    >>> found.values[found.of_question].round(6).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    where = outcomes.profile_of_question
    if metric.is_mean_over_questions:
        rows = outcomes.profile_rows
        times = outcomes.groups.multiplicity.astype(np.float64)
        return Influence(_of_rows(metric, outcomes), rows, where, times)
    terms = metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        problem = f"the influence of a trial on {metric} is not known: it is no mean over questions"
        raise OutcomeError(problem, hint="say runs='independent'")
    parts = [np.reshape(gain, (-1, 1)) * _of_rows(part, outcomes)[where] for gain, part in terms]
    counts = outcomes.counts.astype(np.float64)
    place = np.arange(outcomes.n_questions)
    return Influence(np.asarray(np.sum(parts, axis=0)), counts, place, np.ones(len(place)))


def influence_of_rewards(metric: Metric, rewards: RewardMatrix) -> Vector:
    """Return the influence of every continuous reward, in the order of questions and of rewards within them.

    With ``F`` the distribution of a question's rewards, the expected best of ``k`` has the derivative
    ``k F(x)^(k-1)`` with respect to a reward that moves past ``x``.

    >>> from scorio import MaxAtK
    >>> influence_of_rewards(MaxAtK(2), RewardMatrix([[0.1, 0.2, 0.4]])).round(4).tolist()
    [0.0, 0.0667, 0.3333]
    """
    values, k = rewards.ordered, metric.draw_size or 1
    if k == 1:
        return values
    n = rewards.trials
    first = np.repeat(np.cumsum(n) - n, n)
    place = np.arange(len(values)) - first
    below = place / np.repeat(np.maximum(n, 1), n)
    steps = k * below ** (k - 1) * np.diff(values, prepend=values[:1])
    steps[place == 0] = 0.0
    total = np.cumsum(steps)
    return np.asarray(total - total[first])


def _of_rows(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the mean derivative of a question's value over the shares that its outcomes allow, for distinct counts."""
    trials = max(_TRIALS, _PER_BUDGET * (metric.draw_size or 1))
    near = (_rates if outcomes.is_pass_fail else _smoothed)(outcomes, trials)
    slopes = _derivative(metric, outcomes, near.reshape(-1, near.shape[-1]))
    return np.asarray(np.add.reduce(slopes.reshape(near.shape)) / len(near))


def _derivative(metric: Metric, outcomes: OutcomeMatrix, base: Counts) -> Vector:
    """Return the derivative of the values of questions at the shares of these counts, by differences."""
    trials = int(base[0].sum())
    step = max(round(_STEP * trials), 1)
    slopes, unnamed = np.zeros(base.shape), {"prior": None, "questions": None, "clusters": None, "adaptive": False}
    for category in range(1, base.shape[1]):
        more, less = base.copy(), base.copy()
        for counts, sign in ((more, 1), (less, -1)):
            moved = np.minimum(step, counts[:, 0] if sign > 0 else counts[:, category])
            counts[:, category] += sign * moved
            counts[:, 0] -= sign * moved
        change = (more[:, category] - less[:, category]) / trials
        both = np.concatenate([more, less])
        others = outcomes.replaced(counts=both, planned=both.sum(axis=1), **unnamed)
        values = np.reshape(metric.per_question(others), (2, -1))
        slopes[:, category] = (values[0] - values[1]) / np.maximum(change, 1.0 / trials)
    return slopes


def _rates(outcomes: OutcomeMatrix, trials: int) -> Counts:
    """Return counts at success rates one standard deviation below and above each posterior mean, (2, S, 2)."""
    mean, within, between = of_states(_RATE, learned_prior(outcomes))
    counts = np.zeros((2, len(mean), outcomes.n_categories), np.int64)
    rate = mean + _BESIDE * np.sqrt(within + between)
    counts[:, :, 1] = np.minimum(np.maximum(np.rint(rate * trials), 1), trials - 1)
    counts[:, :, 0] = trials - counts[:, :, 1]
    return counts


def _smoothed(outcomes: OutcomeMatrix, trials: int) -> Counts:
    """Return counts of so many trials per question, with shares that are nearly those observed, (1, S, C+1)."""
    rows, width = outcomes.profile_rows, outcomes.n_categories
    share = (rows + 1.0 / width) / (rows.sum(axis=1, keepdims=True) + 1.0)
    counts = np.maximum(np.rint(share * trials), 1.0).astype(np.int64)
    counts[:, 0] += trials - counts.sum(axis=1)
    return np.asarray(np.maximum(counts, 1), np.int64)[None]


@dataclass(frozen=True, eq=False)
class RunSums:
    """The effects of runs on one metric of one model, as above; ``labels`` are the runs.

    ``weights`` are the shares of the trials that each run has. ``is_crossed`` says whether a question has trials in two
    runs: only then are runs told from questions.
    """

    labels: tuple[object, ...]
    effects: Vector
    noise: Vector
    pull: Vector
    shares: Vector
    weights: Vector
    is_crossed: bool

    @classmethod
    def weighted(cls, parts: Sequence[RunSums], weights: Vector) -> RunSums:
        """Return the effects of runs on a weighted sum over tasks; a run of several tasks has one effect on all."""
        if len(parts) == 1 and weights[0] == 1.0:
            return parts[0]
        labels = tuple(dict.fromkeys(label for part in parts for label in part.labels))
        place = {label: i for i, label in enumerate(labels)}
        effects, shares, whole, noise, pull = (np.zeros((len(labels),) * n) for n in (1, 1, 1, 2, 2))
        for weight, part in zip(weights.tolist(), parts, strict=True):
            at = np.array([place[label] for label in part.labels])
            effects[at] += weight * part.effects
            shares[at] += weight * part.shares
            whole[at] += weight * part.weights
            noise[np.ix_(at, at)] += weight**2 * part.noise
            pull[np.ix_(at, at)] += weight * part.pull
        return cls(labels, effects, noise, pull, shares, whole, any(part.is_crossed for part in parts))

    @property
    def unit(self) -> float:
        """The variance that runs of the size 1 add to the metric."""
        return float(self.shares @ self.shares)

    @cached_property
    def _whitened(self) -> tuple[Vector, Vector]:
        """Squares of independent effects that have the variance ``1 + s^2 root``, and these roots."""
        values, vectors = np.linalg.eigh(self.noise)
        kept = values > _ROUNDING * max(float(values.max(initial=0.0)), 1e-300)
        scaled = vectors[:, kept] / np.sqrt(values[kept])
        roots, turned = np.linalg.eigh(scaled.T @ self.pull @ self.pull @ scaled)
        return (turned.T @ (scaled.T @ self.effects)) ** 2, np.maximum(roots, 0.0)

    @property
    def degrees(self) -> int:
        """The number of independent differences between runs."""
        return len(self._whitened[1])

    @property
    def p_value(self) -> float:
        """The probability of runs that differ as much if trials alone made them differ."""
        return float(chdtrc(float(self.degrees), float(self._whitened[0].sum()))) if self.degrees else 1.0

    @property
    def log_likelihood(self) -> Vector:
        """The log likelihood of every size of ``SIZES``."""
        squares, roots = self._whitened
        variances = 1.0 + SIZES[:, None] ** 2 * roots
        return np.asarray(-0.5 * (np.log(variances) + squares / variances).sum(axis=1))

    @property
    def lift(self) -> float:
        """What an effect of the size 1 moves the metric of a single run, on average."""
        return float(np.mean(self.shares / self.weights))

    def spread(self, p: float) -> float:
        """Return a quantile of the standard deviation between the metric of runs that have endlessly many trials."""
        middles = np.concatenate([[0.0], (SIZES[1:] + SIZES[:-1]) / 2.0, SIZES[-1:]])
        chances = np.concatenate([[0.0], np.cumsum(RunNoise.posterior_of_sizes(self.log_likelihood))])
        return self.lift * float(np.interp(p, chances, middles))

    @property
    def errors(self) -> Vector:
        """The standard deviation that trials alone give the metric of each run."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.noise), 0.0)) / self.weights)

    @property
    def share(self) -> float:
        """The share of the variance of a single run's metric that is due to its run."""
        of_trials, both = (error**2 for error in self.standard_errors)
        return 1.0 - of_trials / both if both > 0.0 else 0.0

    @property
    def standard_errors(self) -> tuple[float, float]:
        """The standard error of the metric by trials alone, and about runs like these."""
        runs = len(self.labels)
        variance = float(np.mean(self.errors**2)) / (runs - 1.0)
        return math.sqrt(variance), math.sqrt(variance + self.spread(0.5) ** 2 / runs)

    @staticmethod
    def noise_of_models(sums: Sequence[RunSums], *, of_differences: bool = False) -> list[RunNoise]:
        """Return the noise that runs add to each model's metric; how much runs differ is learned from all models.

        >>> import scorio
        >>> R = scorio.OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 1]], runs=["mon", "tue", "wed"])
        >>> round(RunSums.noise_of_models([run_sums(scorio.PassAtK(1), R)])[0].unit, 4)
        0.0165
        """
        for model in sums:
            model.check()
        weights = RunNoise.posterior_of_sizes(
            np.asarray(sum(model.log_likelihood for model in sums)), of_differences=of_differences
        )
        return [RunNoise(weights, model.unit) for model in sums]

    @staticmethod
    def noise_of_differences(sums: Sequence[RunSums]) -> list[RunNoise]:
        """Return the noise that runs add to differences between models, as that of each model.

        Where all models ran in the same runs, an effect that they share cancels: only what a model's runs add to the
        mean effect of all models counts.
        """
        if len(sums) == 1 or any(model.labels != sums[0].labels for model in sums):
            return RunSums.noise_of_models(sums, of_differences=True)
        for model in sums:
            model.check()
        weights = RunNoise.posterior_of_sizes(_own_likelihood(sums), of_differences=True)
        return [RunNoise(weights, model.unit) for model in sums]

    def check(self) -> None:
        """Check that the trials can tell how much runs differ."""
        if len(self.labels) < 2:
            raise OutcomeError(
                "all trials are of one run, which does not show how much runs differ",
                hint="run the evaluation again, or say runs='independent' for a statement about this run alone",
            )
        if not self.is_crossed or (self.unit > 0.0 and not self.degrees):
            which = "question with different outcomes" if self.is_crossed else "question"
            problem = f"no {which} was tried in two runs, so runs cannot be told from questions"
            hint = "parts of one run, such as shards, are no runs: try the same questions in each run"
            raise OutcomeError(problem, hint=f"{hint}, or say runs='independent'")


def run_sums(metric: Metric, outcomes: OutcomeMatrix) -> RunSums:
    """Return the effects of the runs on a metric."""
    if metric.is_of_samples:
        problem = f"{metric} takes trials as independent: what one of them does to it depends on the others of a draw"
        raise OutcomeError(problem, hint="say runs='independent'")
    _ = outcomes.trial_columns.all_runs  # an error if they are not known
    if outcomes.prior_counts is not None:
        problem = "it is not known which run the prior outcomes belong to"
        raise OutcomeError(problem, hint="leave them out, or merge them into the trials of a run")
    if outcomes.is_adaptive:
        problem = "outcomes decided which questions got more trials, so the trials of a run are no fair sample"
        raise OutcomeError(problem, hint="say runs='independent', or use runs that tried every question as often")
    return outcomes.cached(("run sums", metric), lambda: _run_sums(metric, outcomes))


def _run_sums(metric: Metric, outcomes: OutcomeMatrix) -> RunSums:
    spread = _of_rewards(metric, outcomes) if isinstance(outcomes, RewardMatrix) else _of_counts(metric, outcomes)
    column, count = outcomes.trial_columns.all_runs, outcomes.n_questions
    is_crossed = column.share_questions(outcomes.trials)
    n = np.maximum(spread.trials, 1.0)
    weight, lift = spread.variance / n / count**2, spread.shift / count
    first, runs = 0, len(column.labels)
    linear, square = np.zeros((3, runs)), np.zeros((2, runs, runs))
    weights = np.array([weight, lift, np.full(len(weight), 1.0 / count)])[:, spread.row]
    for table in column.tables(outcomes.trials):
        f, at = table / np.maximum(table.sum(axis=1, keepdims=True), 1), slice(first, first + len(table))
        linear += weights[:, at] @ f
        square += [(f * share[at, None]).T @ f for share in weights[:2]]
        first += len(table)
    noise, pull = (np.diag(linear[i]) - square[i] for i in (0, 1))
    return RunSums(column.labels, spread.effects, noise, pull, linear[1], linear[2], is_crossed)


@dataclass(frozen=True, eq=False)
class _Spread:
    """The ``effects`` of runs, and how influences spread within questions, by distinct rows of counts.

    ``variance`` is that of influences, ``shift`` what a run of the size 1 moves, ``trials`` are those of a question,
    and ``row`` is the row of each question.
    """

    effects: Vector
    variance: Vector
    shift: Vector
    trials: Vector
    row: Indices


def _of_counts(metric: Metric, outcomes: OutcomeMatrix) -> _Spread:
    """Return the spread of outcomes that are counted."""
    (u, rows, where, times), column = influence(metric, outcomes), outcomes.trial_columns.all_runs
    n = rows.sum(axis=1)
    divisor = np.maximum(n, 1.0)
    centered = u - ((rows * u).sum(axis=1) / divisor)[:, None]
    variance, shift = _variances((rows * centered**2).sum(axis=1), n, u.max(axis=1) - u.min(axis=1), times)
    values = np.repeat((centered / divisor[:, None] / len(where))[where].ravel(), outcomes.counts.ravel())
    effects = np.bincount(column.of_trial, values, len(column.labels))  # trials are in the order of their categories
    return _Spread(np.asarray(effects, np.float64), variance, shift, n, where)


def _of_rewards(metric: Metric, outcomes: RewardMatrix) -> _Spread:
    """Return the spread of continuous rewards; runs move them as those of a question that is solved half the time."""
    column, rows, n = outcomes.trial_columns.all_runs, outcomes.summary.rows, outcomes.trials.astype(np.float64)
    u, count, divisor = influence_of_rewards(metric, outcomes), outcomes.n_questions, np.maximum(n, 1.0)
    centered = u - (np.bincount(rows, u, count) / divisor)[rows]
    squares = np.asarray(np.bincount(rows, centered**2, count), np.float64)
    variance, _ = _variances(squares, n, np.ones(count), np.ones(count))
    effects = np.bincount(column.of_trial, centered / divisor[rows] / count, len(column.labels))
    return _Spread(np.asarray(effects, np.float64), variance, 0.5 * np.sqrt(variance), n, np.arange(count))


def _variances(squares: Vector, n: Vector, spread: Vector, times: Vector) -> tuple[Vector, Vector]:
    """Return the variance of influences within questions, and their shift; single trials have the mean of the others.

    There are so many ``times`` each of these questions.
    """
    several = n > 1.0
    variance = np.divide(squares, n - 1.0, out=np.zeros_like(n), where=several)
    shift = np.divide(variance, spread, out=np.zeros_like(n), where=spread > 0.0)
    if several.any() and not several.all():
        share = times[several] / times[several].sum()
        variance[~several], shift[~several] = share @ variance[several], share @ shift[several]
    return variance, np.where(n > 0.0, shift, 0.0)


def noise_of_runs(metric: Metric, outcomes: OutcomeMatrix, runs: str) -> RunNoise | None:
    """Return the noise of runs in statements about runs like these; else None, with a warning where runs differ."""
    if choice("runs", runs, RUNS) == RANDOM:
        return RunSums.noise_of_models([run_sums(metric, outcomes)])[0]
    if runs == AUTO:
        warn_of_runs(metric, [outcomes])
    return None


def warn_of_runs(metric: Metric, models: Sequence[OutcomeMatrix]) -> None:
    """Issue a RunsWarning where the runs of a model differ, or what are called its runs have no question in common."""
    with_runs = [sums for model in models if model.runs is not None and (sums := _sums_or_none(metric, model))]
    if not with_runs:
        return
    if any(len(sums.labels) > 1 and not sums.is_crossed for sums in with_runs):
        warn(_SHARDS, RunsWarning)
    clearest = min(with_runs, key=lambda sums: sums.p_value)
    if clearest.p_value >= FALSE_ALARMS / len(with_runs):
        return
    narrow, wide = map(number, clearest.standard_errors)
    words = ("some model's", ", so equal models may be called different") if len(models) > 1 else ("its", "")
    about = {"whose": words[0], "therefore": words[1], "p": clearest.p_value, "narrow": narrow, "wide": wide}
    warn(_DIFFERENT.format(**about), RunsWarning)


def _sums_or_none(metric: Metric, outcomes: OutcomeMatrix) -> RunSums | None:
    """Return the effects of runs; None if it is not known how a trial moves the metric."""
    try:
        return run_sums(metric, outcomes)
    except OutcomeError:
        return None


def _own_likelihood(sums: Sequence[RunSums]) -> Vector:
    """Return the log likelihood of the sizes of effects that models do not share.

    Deviations of ``L`` models from their mean effect have ``L - 1`` degrees of freedom, so each is scaled by
    ``sqrt(L / (L - 1))`` and counts as ``(L - 1) / L``. The mean effect is in the unit of each model.
    """
    models = len(sums)
    units = np.array([max(np.sqrt(model.unit), 1e-300) for model in sums])
    shared = np.mean([model.effects / unit for model, unit in zip(sums, units, strict=True)], axis=0)
    growth = np.sqrt(models / (models - 1.0))
    apart = [
        replace(model, effects=growth * (model.effects - unit * shared))
        for model, unit in zip(sums, units, strict=True)
    ]
    return np.asarray((models - 1.0) / models * np.sum([model.log_likelihood for model in apart], axis=0))
