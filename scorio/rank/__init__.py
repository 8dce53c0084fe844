"""Rankings of models: leaderboards, one ranking function per metric, and the rules for ties."""

from ._agreement import RankAgreement, rank_agreement
from ._cost_interval import CostInterval
from ._cost_table import CostTable, cost_table
from ._functions import (
    auc_at_k,
    avg,
    bayes,
    g_pass_at_k_tau,
    geo_spectrum_at_k,
    geom_at_k,
    maj_at_k,
    max_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
)
from ._joined_pairs import join_pairs
from ._leaderboard import Leaderboard
from ._metric_ranking import MetricRanking
from ._race import Beaten, Race
from ._rank_posterior import RankPosterior
from ._row import Row
from ._rules import competition_ranks_from_scores, rank_scores
from ._settings import LeaderboardSettings

__all__ = [
    "Beaten",
    "CostInterval",
    "CostTable",
    "Leaderboard",
    "LeaderboardSettings",
    "MetricRanking",
    "Race",
    "RankAgreement",
    "RankPosterior",
    "Row",
    "auc_at_k",
    "avg",
    "bayes",
    "competition_ranks_from_scores",
    "cost_table",
    "g_pass_at_k_tau",
    "geo_spectrum_at_k",
    "geom_at_k",
    "join_pairs",
    "maj_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "pass_at_k",
    "pass_hat_k",
    "rank_agreement",
    "rank_scores",
]
