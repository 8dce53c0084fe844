"""Leaderboards: models by one or more metrics, what follows in words, and looks at results while they come in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import underflow_is_zero
from .._base.choices import LEARNED, OVERALL, RANDOM
from .._base.exports import ByContent, Exports
from .._base.numbers import DIGITS, percent
from .._base.options import accepted, takes
from .._base.table import Table, plain
from .._base.words import pluralize, subject, unknown
from ..errors import OutcomeError, ParameterError
from ..estimates._tasks import TaskMetrics, Weights, as_models, complete_tasks, metrics_of_tasks, shares_of
from ..inference import Interval, Looks, Methods
from ..inference._methods import kind_of
from ..inference._prior import PriorLike
from ..inference._terms import TermOptions, Terms
from ..metrics import Metric
from ..metrics._registry import spelt
from ..outcomes import OutcomeSet, Suite
from ..params import positive, seed
from ._chosen import ChosenScore
from ._comparisons import told_apart
from ._metric_ranking import LeaderboardSettings, MetricRanking, Row, content, listed, pairs_of
from ._pairs import Pairs
from ._rank_posterior import DRAWS, RankPosterior
from ._ranked import on_shared_questions, rank

MetricLike = Metric | str


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Leaderboard(ByContent):
    """Models ranked by one metric, or by each of several, with their uncertainty.

    ``metrics`` is a metric, its name (``"pass@8"``) or several; ``outcomes`` is an OutcomeSet, a mapping from names to
    outcomes, or a tensor (models, questions, trials). With a Suite, models are ranked by their overall score, the mean
    over its tasks, and ``tasks`` has the ranking on each task. ``task_weights`` are equal by default,
    ``"questions"`` (proportional to their number of questions) or a mapping; ``metrics`` may map tasks to metrics.

    Rows are in the order of scores, which are those of the recorded trials (``Metric.observed``): for BayesMetric,
    their mean. A rank is one more than the number of models that ``compare`` calls better at ``confidence``.

    ``prior``, ``shape`` and ``target`` are those of ``Metric.interval``, ``too_few`` that of ``Metric.score``:
    ``"nan"`` shows the interval of a model without a score, a forecast, and orders all models by the means of
    intervals. With ``shared_only``, models are ranked on the questions that all of them have trials of. With
    ``target="questions"`` differences and probabilities of being the best are those of independent posteriors; with
    ``"population"`` the models share a draw of questions, and these probabilities come from draws of the joint
    posterior, seeded by ``rng``. With one trial per question, differences are paired by question for both.
    ``runs`` says how trials of one run are taken, as in ``Metric.interval``; with ``"random"``, how much runs differ is
    learned from all models, and what runs do to all models alike cancels in differences.

    With ``looks`` the same call may be made again and again while trials come in: the intervals of all models by all
    metrics hold at every look, and the error of calls is shared, so that the best model is ever called worse than
    another one with a probability of at most ``1 - looks.confidence``. Two models share a rank unless their difference
    crosses the boundary. Looks need ``prior="learned"``; on a suite they are about the overall scores, and the rankings
    on all tasks share the error once more.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> print(board)
    pass@1 of 2 models on 2 questions, 3 trials each
    rank  model  score  95% interval    ranks  P(best)  top
       1  a      0.833  [0.442, 0.983]  1        0.987  *
       2  b      0.167  [0.017, 0.558]  2        0.013
    95% quantile intervals for these questions, prior learned; rank: one more than the significantly better models
    * no other model is significantly better (family-wise error 5%)
    """

    outcomes: OutcomeSet | Suite
    rankings: tuple[MetricRanking, ...]
    settings: LeaderboardSettings
    _columns: ClassVar = MetricRanking._columns

    @takes(TermOptions, Terms)
    @underflow_is_zero
    def __init__(
        self,
        metrics: MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike],
        outcomes: Any,
        *,
        task_weights: Weights = None,
        too_few: str = "raise",
        shared_only: bool = False,
        rng: int | np.random.Generator | None = 0,
        **options: Unpack[TermOptions],
    ) -> None:
        terms = accepted(options, Leaderboard.__init__)
        settings = LeaderboardSettings(too_few=too_few, rng=seed("rng", rng), **terms)
        held = as_models(outcomes)
        if OVERALL in held.by_task:
            problem = f"a task is named {OVERALL!r}, as is the ranking over all tasks"
            raise OutcomeError(problem, hint="give it another name")
        held = on_shared_questions(held) if shared_only else held
        tasks = complete_tasks(held)
        shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
        of_metrics = metrics_of_tasks(metrics, tasks)
        if settings.looks is not None:
            settings = replace(settings, looks=settings.looks.shared(len(of_metrics)))
        rankings = rank(of_metrics, tasks, shares, settings)
        first = rankings[0].settings
        shared = settings if any(ranking.settings != first for ranking in rankings[1:]) else first
        object.__setattr__(self, "settings", shared)
        object.__setattr__(self, "outcomes", held)
        object.__setattr__(self, "rankings", rankings)

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) and isinstance(other, Leaderboard) and self.outcomes == other.outcomes

    def __hash__(self) -> int:
        return hash(self.outcomes)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each model by the one metric, (L,)."""
        return self.only.scores

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The interval of each model by the one metric."""
        return self.only.intervals

    @property
    def ranks(self) -> NDArray[np.intp]:
        """The rank of each model by the one metric, (L,)."""
        return self.only.ranks

    @property
    def tied_with_top(self) -> NDArray[np.bool_]:
        """Which models are in the top set by the one metric, (L,)."""
        return self.only.tied_with_top

    @property
    def posterior(self) -> RankPosterior:
        """P(best) by the one metric, and the probabilities that models beat others."""
        return self.only.posterior

    @property
    def tasks(self) -> Mapping[str, MetricRanking]:
        """The ranking on each task of a suite by the one metric; empty for a set of outcomes."""
        return self.only.tasks

    @property
    def metrics(self) -> tuple[Metric | TaskMetrics, ...]:
        """The metrics, in order."""
        return tuple(ranking.metric for ranking in self.rankings)

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in their own order."""
        return self.rankings[0].models

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each task of a suite in overall scores; empty for a set of outcomes."""
        return self.rankings[0].weights

    def __getitem__(self, metric: MetricLike) -> MetricRanking:
        """Return the ranking by one of the metrics: the metric or its name."""
        name = spelt(metric, self._named)
        for ranking in self.rankings:
            if str(ranking.metric) == name:
                return ranking
        raise KeyError(unknown("metric", str(metric), self._named))

    @property
    def _named(self) -> list[str]:
        return [str(metric) for metric in self.metrics]

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row per metric and model, metric by metric, best first."""
        return tuple(chain.from_iterable([ranking.rows for ranking in self.rankings]))

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return sum(len(ranking) for ranking in self.rankings)

    @property
    def only(self) -> MetricRanking:
        """The ranking, if there is one metric."""
        if len(self.rankings) != 1:
            names = ", ".join(self._named)
            raise ParameterError(f"there are several metrics ({names})", hint=f"choose one: board[{self._named[0]!r}]")
        return self.rankings[0]

    def pairs(self, family: str = "each", *, by_task: bool = False) -> Pairs:
        """Return all pairs of models: differences, intervals, p-values, and which model is called better.

        With several metrics, the pairs by all of them are one family; with ``by_task``, the pairs on each task of a
        suite are. ``family`` says which error is at most ``1 - confidence``:

        - ``"each"``: that of each pair alone, as ``compare`` has it
        - ``"holm"``: the probability of any false call, by Holm's method, whatever the dependence
        - ``"fdr"``: the expected share of false calls among all calls, by the method of Benjamini and Hochberg
        - ``"simultaneous"``: the probability of any false call, by the joint law of all differences, which is more
          powerful than Holm's method; all intervals hold at the same time

        >>> board = Leaderboard("pass@1", {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 0]] * 9, "c": [[0, 1, 1, 0]] * 9})
        >>> print(board.pairs("simultaneous").error_rate)
        3 pairs, joint law of all differences: family-wise error 5%
        """
        return pairs_of(self.rankings, family, by_task=by_task)

    @property
    def leader_score(self) -> ChosenScore:
        """The highest score by the one metric, corrected for having been chosen.

        The highest of many scores is mostly too high, because it was chosen for being high. The corrected score is
        about right on average, and its interval contains the model's true value about as often as ``confidence`` says,
        whether models are equal or far apart; least often where one model is 2 to 4 standard errors ahead of many equal
        ones. It is the usual interval where no other model is near.

        >>> board = Leaderboard("pass@1", {"a": [[1, 1, 0, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 1, 1, 0]] * 9})
        >>> print(board.leader_score)
        the best of 3 scores 0.750; corrected for having been chosen 0.705 [0.589, 0.850]
        """
        return self.only.leader_score

    def verdicts(self, metric: MetricLike | TaskMetrics | None = None, power: float = 0.8) -> tuple[str, ...]:
        r"""Say in sentences which models may be the best, and how many more trials would tell tied models apart.

        ``metric`` chooses one of several. The trials are those of ``plan_separation`` for the leader and the next three
        models of the top set, each in a comparison of the two, if their difference stays as it is now.

        >>> board = Leaderboard("pass@1", {"a": [[1, 1, 0, 1]] * 4, "b": [[1, 1, 0, 0]] * 4, "c": [[0, 0, 0, 0]] * 4})
        >>> print(*board.verdicts(), sep="\n")
        a has the highest score, and 1 model may be as good (family-wise error 5%)
        the best of 3 scores 0.750; corrected for having been chosen 0.670 [0.419, 0.891]
        b is tied with a as best; 12 more trials per question would tell them apart with power 0.8
        c is not among the best (family-wise error 5%)
        """
        return verdicts(self.only if metric is None else self[str(metric)], self.outcomes, power)

    def to_methods(self) -> Methods:
        """Return a paragraph for the method section of a paper, with its references: it says what was done here.

        >>> board = Leaderboard("pass@1", {"a": [[1, 1, 0, 1]] * 4, "b": [[1, 1, 0, 0]] * 4})
        >>> methods = board.to_methods()
        >>> methods.text.split(". ")[0], methods.references
        ('We scored 2 models on 4 questions, 4 trials each by pass@1 [@chen2021evaluating]', ('chen2021evaluating',))
        """
        return Methods.of(_sentences(self.rankings))

    def __repr__(self) -> str:
        return f"Leaderboard({', '.join(self._named)}; {self.outcomes!r})"

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed, of every metric."""
        return [table for ranking in self.rankings for table in ranking.tables(digits)]

    def _repr_html_(self) -> str:
        return "\n".join(ranking._repr_html_() for ranking in self.rankings)

    def to_dict(self) -> dict[str, Any]:
        """Return rows and all parameters, ready for JSON."""
        return content(self.rankings)

    def as_records(self) -> list[dict[str, Any]]:
        return [record for ranking in self.rankings for record in ranking.as_records()]

    def draws(self, n: int, rng: int | np.random.Generator | None = None) -> NDArray[np.float64]:
        """Return ``n`` draws of the models' true values by the one metric, (n, L).

        >>> board = Leaderboard("pass@1", {"a": [[1, 1], [1, 0]], "b": [[1, 0], [0, 0]]})
        >>> draws = board.draws(10_000, rng=0)
        >>> draws.shape, round(float((draws[:, 0] > draws[:, 1]).mean()), 2)
        ((10000, 2), 0.88)
        """
        return self.only.draws(n, rng)


_PLANNED = 3  # tied models for which the trials that would tell them apart are planned


def verdicts(ranking: MetricRanking, outcomes: OutcomeSet | Suite, power: float) -> tuple[str, ...]:
    """Return the verdicts: on the leader and its score, on each model that is tied with it, and on the others."""
    if len(ranking) < 2:
        return ()
    corrected = str(ranking.leader_score)
    if ranking.settings.looks is not None:
        return (corrected,)
    leader, *others = ranking.rows
    tied = [row for row in others if row.tied_with_top]
    worse = [plain(row.model) for row in others if not row.tied_with_top]
    sentences = [ranking.as_sentence(), corrected]
    for row in tied[:_PLANNED]:
        plan = _plan(ranking, outcomes, (leader.model, row.model), power)
        sentences.append(f"{plain(row.model)} is tied with {plain(leader.model)} as best; {plan}")
    rest = [plain(row.model) for row in tied[_PLANNED:]]
    if rest:
        sentences.append(f"{listed(rest)} {'is' if len(rest) == 1 else 'are'} tied with them")
    if worse:
        sentences.append(f"{listed(worse)} {'is' if len(worse) == 1 else 'are'} not among the best{ranking.error_rate}")
    return tuple(sentences)


def _plan(ranking: MetricRanking, outcomes: OutcomeSet | Suite, pair: tuple[str, str], power: float) -> str:
    """Say how many more trials would tell two models apart in a comparison of the two."""
    metric, settings = ranking.metric, ranking.settings
    if not isinstance(metric, Metric):
        return "they differ by less than the data can show"
    if settings.runs == RANDOM:
        return "they differ by less than these runs can show"
    if any(row.forecast for row in ranking.rows):
        return "their forecasts differ by less than the trials can show"  # a plan would take many seconds
    sides = map(outcomes.one_model, pair)
    options: dict[str, Any] = {"power": power, "rng": settings.rng}
    options |= {name: getattr(settings, name) for name in ("confidence", "target", "prior")}
    may_be_paired = ranking.trials_each[0] > 0 and (ranking.tasks or metric.is_mean_over_questions)
    options |= {"task_weights": dict(ranking.weights) or None, "paired": None if may_be_paired else False}
    return told_apart(metric, sides, **options)


def _sentences(rankings: Sequence[MetricRanking]) -> Iterator[str]:
    first, settings = rankings[0], rankings[0].settings
    parts = [part for ranking in rankings for part in (ranking.tasks or {"": ranking}).values()]
    extent = f"{pluralize(len(first), 'model')} on {first.extent}"
    intervals = [interval for part in parts for interval in part.intervals]
    yield from sentences_of_scores(extent, parts, intervals, first.weights, settings, settings.given)
    if len(first) > 1:
        yield from _ranks(settings)
        yield _best(first)


def sentences_of_scores(
    extent: str, parts: Iterable[Any], intervals: Sequence[Interval], weights: Any, about: Any, prior: PriorLike
) -> Iterator[str]:
    """Say what was scored, by which metrics, and what the intervals are; ``about`` has their settings."""
    looks = "" if about.looks is None else f", {about.looks}"
    yield f"We scored {extent} by {Methods.cited_metrics(part.metric for part in parts)}"
    yield Methods.of_weights(weights)
    yield "Planned trials without an outcome were left out" * any(some.completeness < 1.0 for some in intervals)
    kind = f"{percent(about.confidence)} {kind_of(about.shape)}"
    yield f"The {kind} intervals are for {subject(about.target, about.runs)}{looks}"
    yield from Methods.of_errors(prior, about.target, [some.rewards for some in intervals])
    yield Methods.of_runs(about.runs)


def _ranks(settings: LeaderboardSettings) -> Iterator[str]:
    if settings.looks is not None:
        yield "Two models share a rank unless their difference crosses the boundary of the sequential test"
        return
    alone = "one more than the number of models that are significantly better in a comparison of the two"
    yield f"The rank of a model is {alone} (error {settings.error})"
    top = "no other model is significantly better than, by the joint law of all differences"
    yield f"The top set has the models that {top} (family-wise error {settings.error})"


def _best(ranking: MetricRanking) -> str:
    if ranking.joint.is_independent:
        return "Probabilities of being the best are those of independent normal posteriors, by quadrature"
    settings = ranking.settings
    return (
        f"Probabilities of being the best are from {DRAWS:,} draws of the joint posterior of the models on "
        f"the same questions (seed {settings.rng})"
    )


SETTLED, GO_ON, USED_UP = 0, 1, 3


@dataclass(frozen=True)
class WatchedBoard(Exports):
    """The leaderboard at one look at growing results, and what follows from it."""

    board: Leaderboard
    half_width: float | None
    looks: Looks
    _rows_alone: ClassVar = True
    _columns: ClassVar = MetricRanking._columns

    @property
    def exit_code(self) -> int:
        """0 if every metric is settled, 1 if more trials are needed, 3 if all planned trials are used up."""
        if not self.open_rankings:
            return SETTLED
        limit = self.looks.trials
        return USED_UP if limit is not None and self._trials >= limit else GO_ON

    @property
    def advice(self) -> str:
        """What to do next."""
        if self.exit_code == SETTLED:
            return "settled: no more trials are needed"
        if self.exit_code == USED_UP:
            return f"not settled, and all {self.looks.trials:g} trials per question are used up"
        limit = "" if self.looks.trials is None else f" of {self.looks.trials:g}"
        who = ", ".join(self.running)
        return f"not settled at {self._trials:.4g}{limit} trials per question: run more trials of {who}"

    @property
    def _trials(self) -> float:
        """The fewest mean trials per question of a model that may still be the best."""
        outcomes = cast("OutcomeSet", self.board.outcomes)
        return min(float(outcomes[name].mean_trials) for name in self.running)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables of the leaderboard, with what is settled."""
        tables, reasons = self.board.tables(digits), map(self._reason, self.board.rankings)
        tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *filter(None, reasons)])
        return tables

    def as_records(self) -> list[dict[str, Any]]:
        return self.board.as_records()

    @property
    def open_rankings(self) -> tuple[MetricRanking, ...]:
        """The rankings by the metrics that are not settled."""
        return tuple(ranking for ranking in self.board.rankings if not self._reason(ranking))

    @property
    def running(self) -> tuple[str, ...]:
        """The models that may still be the best by a metric that is not settled."""
        tied = (row.model for ranking in self.open_rankings for row in ranking.rows if row.tied_with_top)
        return tuple(dict.fromkeys(tied))

    def _reason(self, ranking: MetricRanking) -> str:
        """Return why a metric is settled; an empty text if it is not."""
        tied = [row.model for row in ranking.rows if row.tied_with_top]
        if len(tied) == 1 < len(ranking):
            return f"{ranking.metric} settled: {tied[0]} is best"
        halves = [(hi - lo) / 2.0 for _, _, lo, hi in ranking.intervals]
        if self.half_width is None or not all(0.0 <= half <= self.half_width for half in halves):  # NaN is not known
            return ""
        need = f"as required ({self.half_width:g})"
        return f"{ranking.metric} settled: every half-width is at most {max(halves):.4g}, {need}"


def look_at(
    metrics: Any,
    outcomes: OutcomeSet,
    *,
    trials: int | None = None,
    around: float | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    target: str = "questions",
    runs: str = "auto",
) -> WatchedBoard:
    """Look at results that still grow, and say whether they are settled.

    Either ``trials`` is declared, the largest number per question, or ``around``, about how many are expected; all
    looks at the same results declare the same. A metric is settled if one of several models is best, or if the
    half-widths of all intervals are at most ``half_width``. ``runs`` is that of ``Leaderboard``.
    """
    if (trials is None) == (around is None):
        raise ParameterError(
            "is needed, the largest number of trials per question that you will run, or around, about how many "
            "you expect to need if you set no largest number",
            argument="trials",
        )
    if half_width is not None:
        positive("half_width", half_width)
    looks = Looks(trials, around, confidence)
    about: dict[str, Any] = {"target": target, "runs": runs}
    board = Leaderboard(metrics, outcomes, prior=LEARNED, looks=looks, too_few="nan", **about)
    return WatchedBoard(board, half_width, looks)
