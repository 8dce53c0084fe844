"""Leaderboard: several models by one metric or more, with intervals, ties and what is known of the ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..interval import BoundsLike, Interval
from ..metrics import Metric
from ..metrics.registry import as_metrics, spelt
from ..outcome_set import OutcomeSet
from ..prior import UNIFORM, PriorLike
from . import export
from .posterior import RankPosterior
from .rendering import sheet
from .rules import Method, Ranks
from .settings import LeaderboardTie, Settings, kept_seed
from .standing import Row, Standing, standing

MetricLike = Metric | str


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Leaderboard:
    """Models ranked by one metric, or by each of several, with what is known and what is not.

    ``metrics`` is a metric, its name (``"pass@8"``) or several; ``outcomes`` an OutcomeSet or what makes one: a mapping
    from names to outcomes, or a tensor (models, questions, trials). Models stand in the order of their scores;
    neighbours share a rank where ``tie`` cannot tell them apart at ``confidence``:

    - ``"zscore_adjacent"``: ``|mu - mu'| / sqrt(sigma^2 + sigma'^2)`` is below ``Phi^-1(confidence)``
    - ``"ci_overlap_adjacent"``: their intervals overlap
    - ``"paired"``: question by question, the difference is not called; what makes a question hard for both cancels

    ``ranking`` says how ties are numbered. ``prior``, ``method``, ``target`` and ``bounds`` are those of
    ``Metric.interval``, ``short`` that of ``Metric.score``. With ``target="questions"`` the models' posteriors are
    independent normals and rank probabilities exact; with ``"population"`` the questions are a shared draw, and they
    come from ``draws`` draws of the joint posterior, seeded by ``rng``, with standard error at most
    ``0.5 / sqrt(draws)``.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 0]]})
    >>> print(board)
    pass@1 of 2 models on 2 questions
    rank  model  score  95% interval    ranks  P(best)  top
       1  a      0.833  [0.447, 0.953]  1         0.99  *
       2  b      0.167  [0.047, 0.553]  2         0.01
    95% normal intervals for these questions, prior (1, 1); ties by zscore_adjacent
    * not told from the best
    >>> round(float(board.posterior.beats[0, 1]), 3)
    0.986
    """

    outcomes: OutcomeSet
    standings: tuple[Standing, ...]
    settings: Settings

    def __init__(
        self,
        metrics: MetricLike | Iterable[MetricLike],
        outcomes: Any,
        *,
        confidence: float = 0.95,
        prior: PriorLike = UNIFORM,
        method: str = "normal",
        target: str = "questions",
        bounds: BoundsLike = "range",
        tie: LeaderboardTie = "zscore_adjacent",
        ranking: Method = "competition",
        short: str = "raise",
        draws: int = 20_000,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        settings = Settings(confidence, prior, method, target, bounds, tie, ranking, short, draws, kept_seed(rng))
        asked = as_metrics(metrics)
        models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
        object.__setattr__(self, "outcomes", models)
        object.__setattr__(self, "settings", settings)
        object.__setattr__(self, "standings", tuple(standing(metric, models, settings) for metric in asked))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        metrics: MetricLike | Iterable[MetricLike],
        *,
        question: str,
        outcome: str,
        model: str,
        trial: str | None = None,
        cluster: str | None = None,
        levels: Mapping[Any, float] | None = None,
        missing: str = "raise",
        **settings: Any,
    ) -> Leaderboard:
        """Of a data frame with one trial a row: columns as for ``OutcomeSet.from_frame``, settings as for this class.

        >>> import pyarrow
        >>> frame = pyarrow.table({"model": ["a", "a", "b", "b"], "task": [1, 2, 1, 2], "passed": [1, 1, 0, 1]})
        >>> board = Leaderboard.from_frame(frame, "pass@1", question="task", outcome="passed", model="model")
        >>> [row.score for row in board["pass@1"].rows]
        [1.0, 0.5]
        """
        outcomes = OutcomeSet.from_frame(
            frame,
            question=question,
            outcome=outcome,
            model=model,
            trial=trial,
            cluster=cluster,
            levels=levels,
            missing=missing,
        )
        return cls(metrics, outcomes, **settings)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in order."""
        return tuple(each.metric for each in self.standings)

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were given."""
        return self.outcomes.names

    def __getitem__(self, metric: MetricLike) -> Standing:
        """The standing by one of the metrics: itself or its name."""
        wanted = spelt(metric, self._named)
        for each in self.standings:
            if str(each.metric) == wanted:
                return each
        raise KeyError(f"no standing by {metric}; there are {', '.join(self._named)}")

    @property
    def _named(self) -> list[str]:
        return [str(metric) for metric in self.metrics]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every model under every metric, metric by metric, best first."""
        return tuple(row for each in self.standings for row in each.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return sum(len(each) for each in self.standings)

    @property
    def only(self) -> Standing:
        """The standing by the one metric there is."""
        if len(self.standings) != 1:
            names = ", ".join(self._named)
            raise ParameterError(f"there are several metrics ({names}): say which, as in board[{self._named[0]!r}]")
        return self.standings[0]

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each model by the one metric, (L,)."""
        return self.only.scores

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The interval of each model by the one metric."""
        return self.only.intervals

    @property
    def ranks(self) -> Ranks:
        """The rank of each model by the one metric, (L,)."""
        return self.only.ranks

    @property
    def tied_with_top(self) -> NDArray[np.bool_]:
        """Which models the tie rule cannot tell from the best by the one metric, (L,)."""
        return self.only.tied_with_top

    @property
    def posterior(self) -> RankPosterior:
        """What is known of the ranks by the one metric."""
        return self.only.posterior

    def __repr__(self) -> str:
        return f"Leaderboard({', '.join(self._named)}; {self.outcomes!r})"

    def __str__(self) -> str:
        return "\n\n".join(sheet(each).text() for each in self.standings)

    def _repr_html_(self) -> str:
        return "\n".join(sheet(each).html() for each in self.standings)

    def to_markdown(self, digits: int = 3) -> str:
        """The tables in Markdown."""
        return "\n\n".join(sheet(each, digits).markdown() for each in self.standings)

    def to_latex(self, digits: int = 3) -> str:
        r"""The tables in LaTeX; they need ``\usepackage{booktabs}``."""
        return "\n\n".join(sheet(each, digits).latex() for each in self.standings)

    def to_json(self, indent: int | None = None) -> str:
        """Rows and all parameters as strict JSON."""
        return export.json_text(self.standings, self.settings, indent)

    def to_frame(self, backend: export.Backend | None = None) -> Any:
        """Rows as a data frame of ``"pandas"``, ``"polars"`` or ``"pyarrow"``; by default of what is in use."""
        return export.frame(self.rows, backend)
