"""The models ranked by one metric: scores, intervals, ranks, ties with the top model, rank probabilities, tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._base.arrays import TIE, Flags, Indices, Vector, cached_property, read_only
from .._base.choices import CATEGORICAL, CONTINUOUS, INDEPENDENT, OVERALL, RANDOM, SAMPLES, TOO_FEW_OR_NAN
from .._base.exports import ByContent, strict
from .._base.numbers import DIGITS, FORECAST, FORECAST_NOTE, chance, counts, number, score_text, span, trials_each
from .._base.table import Column, Field, Table, plain
from .._base.words import from_planned, pluralize, spread_of, subject
from ..errors import OutcomeError, ParameterError
from ..estimates._joint import Joint
from ..estimates._tasks import TaskMetrics
from ..inference import Interval
from ..inference._interval import DIFFICULTIES_OF_SHAPE
from ..inference._level import Level
from ..inference._terms import Terms
from ..metrics import Metric
from ..metrics._shapes import few_questions_note
from ..params import count, decimals, generator, one_of, param, seed
from ._all_pairs import AllPairs
from ._chosen import ChosenScore, chosen_score
from ._pairs import Block, Pairs, all_pairs
from ._rank_posterior import RankPosterior


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(Terms):
    """The parameters that a Leaderboard was made with."""

    too_few: str = param(one_of(TOO_FEW_OR_NAN), default="raise")
    rng: int = param(seed, default=0)

    def to_dict(self) -> dict[str, Any]:
        """Return all parameters for JSON."""
        values, looks = asdict(self), self.looks
        del values["looks"]
        return values if looks is None else values | {"looks": looks.to_dict(), "valid": str(looks)}

    @property
    def percent(self) -> str:
        """The confidence as a percentage."""
        return f"{100 * self.confidence:.6g}%"

    @property
    def error(self) -> str:
        """The error rate, one minus the confidence, as a percentage."""
        return f"{100 * (1.0 - self.confidence):.6g}%"


@dataclass(frozen=True, eq=False, repr=False)
class MetricRanking(ByContent):
    """The models ranked by one metric; arrays are in the models' order, ``rows`` best first; prints as a table.

    If the outcomes are a suite, this is the ranking by the overall score, ``tasks`` has the ranking on each task, and
    ``weights`` the weight of each task.
    """

    metric: Metric | TaskMetrics
    models: tuple[str, ...]
    n_questions: int
    trials_each: tuple[int, int]
    scores: Vector
    intervals: tuple[Interval, ...]
    order: Indices
    ranks: Indices
    law: AllPairs
    settings: LeaderboardSettings
    level_with_top: Flags | None  # by the boundary of looks
    levels: list[Level]  # of the interval of each model
    tasks: Mapping[str, MetricRanking] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    _columns: ClassVar = (
        Field("rank", True, "rank", "{:g}".format),
        Field("model", of="model"),
        Field("completeness", True, "completeness", "{:.1%}".format, unless=1.0),
        Field("score", True, "score", number, missing=FORECAST),
        Field("{0.settings.percent} interval", of="lo hi", form=span),
        Field("ranks", of="rank_lo rank_hi", form=counts),
        Field("P(best)", True, "p_best", chance),
        Field("top", of="tied_with_top", form=("", "*").__getitem__),
    )

    @cached_property
    def joint(self) -> Joint:
        """The joint posterior of the models' values."""
        return self.law.stack.for_draws()

    @cached_property
    def posterior(self) -> RankPosterior:
        """Which models are the best, and which beat others."""
        return RankPosterior(self.joint, self.settings.rng)

    @property
    def is_family_wise(self) -> bool:
        """Whether ``tied_with_top`` and the intervals of ranks have one error rate for all models."""
        return self.level_with_top is None

    @property
    def error_rate(self) -> str:
        """The error rate over the family of pairs, in parentheses; nothing where looks have another one."""
        return f" (family-wise error {self.settings.error})" if self.is_family_wise else ""

    @cached_property
    def tied_with_top(self) -> Flags:
        """Which models are in the top set, (L,): no other model is significantly better.

        All best models are in it with the probability ``confidence``, whatever the number of models. With looks, these
        are the models whose difference from the top model does not cross the boundary.
        """
        if self.level_with_top is not None:
            return self.level_with_top
        return read_only(self.rank_intervals[:, 0] == 1)

    @cached_property
    def rank_intervals(self) -> Indices:
        """The first and last rank that each model may have, (L, 2).

        All of them hold together with the probability ``confidence``, and exactly the models of the top set may have
        rank 1. With looks, they are of this look alone, widened to the ranks.
        """
        first, last = self.law.ranks(1.0 - self.settings.confidence)
        if not self.is_family_wise:
            first, last = np.minimum(first, self.ranks), np.maximum(last, self.ranks)
        return read_only(np.stack([first, last], axis=1))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """One row per model, best first; the interval of a rank contains the rank."""
        name, scores, ranks, reach = str(self.metric), self.scores, self.ranks.tolist(), self.rank_intervals.tolist()
        best, top, is_forecast = self.posterior.best.tolist(), self.tied_with_top.tolist(), np.isnan(scores).tolist()
        rows = []
        for i in self.order.tolist():
            ends, about = reach[i], self.intervals[i]
            told = *about, *ends, best[i], top[i], about.completeness, is_forecast[i]
            rows.append(Row(name, ranks[i], self.models[i], float(scores[i]), *told))
        return tuple(rows)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models with the highest score: several if their scores are equal."""
        first = self.rows[0].point
        return tuple(row.model for row in self.rows if first - row.point <= TIE)

    @cached_property
    def leader_score(self) -> ChosenScore:
        """The score of the model that scores highest, corrected for having been chosen, with its interval."""
        scores = np.where(np.isnan(self.scores), [interval.mu for interval in self.intervals], self.scores)
        effects = self.joint.effects
        reach = np.array([level.critical() for level in self.levels])
        return chosen_score(self.models, scores, effects @ effects.T, self.intervals, reach, self.settings.rng)

    def pairs(self, family: str = "each", *, by_task: bool = False) -> Pairs:
        """Return all pairs of models with one error rate: see ``Leaderboard.pairs``."""
        return pairs_of([self], family, by_task=by_task)

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def _table(self, digits: int = DIGITS) -> Table:
        title = f"{self.name} of {pluralize(len(self), 'model')} on {self.extent}"
        if self.intervals[0].rewards == CONTINUOUS:
            title += ", continuous rewards"
        columns = self._columns if len(self) > 1 else self._columns[:-3]
        return Table.of(title, columns, self.rows, self._notes(digits), digits, self)

    def _notes(self, digits: int = DIGITS) -> list[str]:
        guessed = (interval for interval in self.intervals if interval.rewards == CATEGORICAL)
        single = sorted({interval.shape for interval in guessed if interval.single_trials})
        limits = [SINGLE_TRIALS.get(shape, GUESSED) for shape in single]
        limits = limits or few_questions_note(self.metric, self.n_questions, self.trials_each[0], self.intervals)
        return [self.about, *notes_of(self.rows, self.settings, digits), *limits]

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed; for a suite, the overall ranking and the scores by task."""
        table = self._table(decimals("digits", digits))
        return [table, task_table(self, digits)] if self.tasks else [table]

    @property
    def rewards(self) -> str:
        """What the metric is made of, as its intervals say it: ``"samples"`` if that is so on all tasks."""
        parts = [part.intervals[0].rewards for part in self.tasks.values()] or [self.intervals[0].rewards]
        return parts[0] if set(parts) == {SAMPLES} else self.intervals[0].rewards

    @property
    def about(self) -> str:
        """What the intervals are about, and what they rest on, in words; choices among samples have no prior."""
        settings, shape = self.settings, self.settings.shape
        prior = "each metric's own prior" if settings.prior is None else f"prior {settings.assumed}"
        prior = DIFFICULTIES_OF_SHAPE.get(shape or "", prior)
        prior = spread_of(settings.target) if self.rewards == SAMPLES else prior
        kind = "" if shape is None else f"{shape} "
        said = f"{settings.percent} {kind}intervals for {subject(settings.target, settings.runs)}, {prior}"
        return said if settings.looks is not None or len(self) < 2 else f"{said}; {_RANK}"

    @property
    def name(self) -> str:
        """The metric, said to be overall for several tasks."""
        return f"{OVERALL} {self.metric}" if self.tasks and str(self.metric) != OVERALL else str(self.metric)

    @property
    def extent(self) -> str:
        """How many questions and trials the ranking rests on."""
        tasks = [pluralize(len(self.tasks), "task")] if len(self.tasks) > 1 else []
        return ", ".join([*tasks, pluralize(self.n_questions, "question"), trials_each(*self.trials_each)])

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> Vector:
        """Return ``n`` draws of the models' true values from the posterior behind the ranks, (n, L)."""
        return self.joint.draw(count("n", n), generator(rng))

    def content(self) -> dict[str, Any]:
        """Return the metric and its rows, for JSON."""
        rows = [row._asdict() for row in self.rows]
        top = {"top_error": f"family-wise error {self.settings.error}"} if self.is_family_wise else {}
        values = {"metric": repr(self.metric), "rank_error": self.posterior.error, **top, "rows": rows}
        values |= {"leader": self.leader_score.to_dict()} if len(self) > 1 else {}
        if not self.tasks:
            return values
        return values | {
            "weights": dict(self.weights),
            "tasks": {
                task: {"n_questions": part.n_questions, "trials_each": list(part.trials_each)} | part.content()
                for task, part in self.tasks.items()
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Return rows and all parameters, ready for JSON."""
        return content([self])

    def as_records(self) -> list[dict[str, Any]]:
        """Return one record per model; with looks, what they are; for a suite also by task."""
        if self.tasks:
            parts = {OVERALL: replace(self, tasks={}), **self.tasks}
            return [{"task": task} | record for task, part in parts.items() for record in part.as_records()]
        looks = {} if self.settings.looks is None else {"looks": str(self.intervals[0].looks)}
        return [row._asdict() | looks for row in self.rows]

    def __repr__(self) -> str:
        return f"<MetricRanking of {len(self)} models by {self.metric}>"

    def as_sentence(self) -> str:
        """Say which model leads, and whether others may be as good; or the score of the only model."""
        if len(self) == 1:
            return f"{self.models[0]}: {self.name} {self.intervals[0]}"
        leader, *others = self.rows
        first, tied = self.leaders, [row.model for row in others if row.tied_with_top]
        lead = f"{listed([*map(plain, first)])} {'has' if len(first) == 1 else 'have'} the highest "
        lead += "forecast" if leader.forecast else "score"
        more, of = len(set(tied).difference(first)), self.error_rate
        of += from_planned([plain(row.model) for row in self.rows], [row.completeness for row in self.rows])
        if not leader.tied_with_top:
            return f"{lead}, but another model is significantly better{of}"
        if not tied:
            return f"{plain(leader.model)} is the best model{of}"
        if more:
            return f"{lead}, and {pluralize(more, 'model')} may be as good{of}"
        return f"{lead}, and {'either' if len(first) == 2 else 'each of them'} may be the best{of}"


def content(rankings: Sequence[MetricRanking]) -> dict[str, Any]:
    """Return the parameters and rows of rankings of the same models, ready for JSON."""
    first = rankings[0]
    return {
        "settings": strict(first.settings.to_dict()),
        "n_questions": first.n_questions,
        "trials_each": list(first.trials_each),
        "metrics": {str(ranking.metric): strict(ranking.content()) for ranking in rankings},
    }


def pairs_of(rankings: Sequence[MetricRanking], family: str, *, by_task: bool = False) -> Pairs:
    """Return the pairs of models by each ranking, or on each of its tasks."""
    first, settings = rankings[0], rankings[0].settings
    if settings.looks is not None:
        hint = "take the pairs of the leaderboard of the final outcomes, or read tied_with_top"
        raise ParameterError("has no pairs of one error rate at many looks", argument="looks", hint=hint)
    if len(first.models) < 2:
        raise OutcomeError(f"pairs need two models; there is {pluralize(len(first.models), 'model')}")
    if by_task and not first.tasks:
        raise ParameterError("needs a suite of tasks, and these outcomes are of one task", argument="by_task")
    parts = [
        (task, part) for ranking in rankings for task, part in (ranking.tasks if by_task else {None: ranking}).items()
    ]
    blocks = [Block(str(part.metric), task, part.models, part.law) for task, part in parts]
    runs = RANDOM if settings.runs == RANDOM else INDEPENDENT
    return all_pairs(blocks, family, settings.confidence, settings.target, runs)


_NAMED = 5  # models in a sentence
_TOP = "* no other model is significantly better"
_RANK = "rank: one more than the significantly better models"  # so that ranks may be 1, 1, 2 and 4
_FIXED_PRIOR = (
    'A score lies outside its interval: the fixed prior pulls estimates to the middle; prior="learned" does not.'
)
GUESSED = "intervals: difficulties are guessed from one trial of each question; the binomial shape needs no guess"
SINGLE_TRIALS = {"profile": "intervals: not determined by single trials; they reach over all distributions that fit"}
_LATENT_VALUE = (
    "A score lies outside its interval: the score is of these trials, the interval of the value after many more."
)


class Row(NamedTuple):
    """One model under one metric; ``rank_lo`` to ``rank_hi`` is the interval of its rank.

    ``forecast`` says that the metric takes more trials than there are: the score is NaN.
    """

    metric: str
    rank: int
    model: str
    score: float
    mu: float
    sigma: float
    lo: float
    hi: float
    rank_lo: int
    rank_hi: int
    p_best: float
    tied_with_top: bool
    completeness: float
    forecast: bool = False

    @property
    def point(self) -> float:
        """The score; the mean of a forecast, which has none."""
        return self.mu if self.forecast else self.score


def notes_of(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain the star of several models, forecasts, and scores outside their intervals."""
    outside = _scores_outside(rows, settings, digits)
    if len(rows) < 2:
        return outside
    if settings.looks is not None:
        share = f"the error of calls is shared by {pluralize(len(rows) - 1, 'comparison')}"
        last = f"P(best) and ranks are of this look alone; {share}"
        return [f"{_TOP} at this look", str(settings.looks.shared(len(rows))), last, *outside]
    alone = f"; rank: of each pair alone, error {settings.error}"
    is_apart = True in [row.tied_with_top and row.rank > 1 for row in rows]
    return [f"{_TOP} (family-wise error {settings.error}{alone * is_apart})", *_one_sided(rows, settings), *outside]


def _one_sided(rows: Sequence[Row], settings: LeaderboardSettings) -> list[str]:
    """Explain why the best model is not alone in the top set, if its P(best) alone looks as if it were."""
    tied, best = [row.tied_with_top for row in rows].count(True), max([row.p_best for row in rows])
    if best <= settings.confidence or tied < 2:
        return []
    needed = chance((1.0 + settings.confidence) / 2.0)
    return [f"P(best) asks in one direction, * in both and of all pairs: a lone * takes P(best) above {needed} or more"]


def _scores_outside(rows: Sequence[Row], settings: LeaderboardSettings, digits: int) -> list[str]:
    """Explain forecasts, and scores outside their intervals, if readers see any."""
    shown = [
        (round(row.lo, digits), round(row.score, digits), round(row.hi, digits)) for row in rows if not row.forecast
    ]
    forecast = [FORECAST_NOTE] if len(shown) < len(rows) else []
    if not [lo for lo, score, hi in shown if not lo <= score <= hi]:
        return forecast
    return [*forecast, _LATENT_VALUE if settings.assumed.is_learned else _FIXED_PRIOR]


def task_table(ranking: Any, digits: int) -> Table:
    """Return the scores by task, with half the width of their intervals: a row per task, or if more, per model."""
    tasks, weights, settings = ranking.tasks, ranking.weights, ranking.settings
    models, is_alone = [row.model for row in ranking.rows], len(ranking) < 2
    cells = {task: {row.model: _with_reach(row, digits, is_alone) for row in part.rows} for task, part in tasks.items()}
    several = len({str(part.metric) for part in tasks.values()}) > 1
    about = {task: f"{task} ({part.metric})" if several else task for task, part in tasks.items()}
    if len(models) > len(tasks):
        heads = [Column("model"), *(Column(name, right=True) for name in about.values())]
        lines = [[model, *(cells[task][model] for task in tasks)] for model in models]
        lines.append(["weight", *(f"{weights[task]:.3g}" for task in tasks)])
    else:
        heads = [Column("task"), Column("weight", right=True), *(Column(model, right=True) for model in models)]
        lines = [[about[task], f"{weights[task]:.3g}", *(cells[task][model] for model in models)] for task in tasks]
    star = f"; {_TOP} (family-wise error {settings.error}) on the task"
    if settings.looks is not None:
        star = f"; {_TOP} on the task, at any look (error {settings.error}, shared by the tasks)"
    return Table(
        "by task", heads, lines, [f"score ± half the width of the {settings.percent} interval{star * (not is_alone)}"]
    )


def _with_reach(row: Row, digits: int, is_alone: bool) -> str:
    half = number((row.hi - row.lo) / 2.0, min(digits, 2))
    star = "" if is_alone else "*" if row.tied_with_top else " "
    return f"{score_text(row.score, digits)} ±{half.removeprefix('0')}{star}"


def listed(names: Sequence[str]) -> str:
    """Write names in a sentence; of more than five, the first four and how many more there are."""
    shown = [*names[:_NAMED], f"{len(names) - _NAMED} more"] if len(names) > _NAMED else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
