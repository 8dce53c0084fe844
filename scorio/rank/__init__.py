"""Rankings of models: leaderboards, one ranking function per metric, and the rules for ties."""

from ._chosen import ChosenScore
from ._comparisons import Comparisons, compare_by
from ._cost_table import CostTable, cost_table
from ._functions import (
    auc_at_k,
    avg,
    bayes,
    competition_ranks_from_scores,
    g_pass_at_k_tau,
    geo_spectrum_at_k,
    geom_at_k,
    maj_at_k,
    max_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
    rank_scores,
)
from ._leaderboard import Leaderboard, look_at
from ._metric_ranking import MetricRanking
from ._pairs import Pair, Pairs
from ._scores import accuracies, score_models

__all__ = [
    "ChosenScore",
    "Comparisons",
    "CostTable",
    "Leaderboard",
    "MetricRanking",
    "Pair",
    "Pairs",
    "accuracies",
    "auc_at_k",
    "avg",
    "bayes",
    "compare_by",
    "competition_ranks_from_scores",
    "cost_table",
    "g_pass_at_k_tau",
    "geo_spectrum_at_k",
    "geom_at_k",
    "look_at",
    "maj_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "pass_at_k",
    "pass_hat_k",
    "rank_scores",
    "score_models",
]
