"""Rankings of models: leaderboards, one ranking function per metric, and the rules for ties."""

from ._chosen import ChosenScore as ChosenScore
from ._cost_table import CostTable as CostTable, cost_table
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
from ._leaderboard import Leaderboard
from ._pairs import Pair as Pair, Pairs as Pairs
from ._scores import accuracies

__all__ = [
    "Leaderboard",
    "accuracies",
    "auc_at_k",
    "avg",
    "bayes",
    "competition_ranks_from_scores",
    "cost_table",
    "g_pass_at_k_tau",
    "geo_spectrum_at_k",
    "geom_at_k",
    "maj_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "pass_at_k",
    "pass_hat_k",
    "rank_scores",
]
