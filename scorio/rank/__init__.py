"""Ranking models: leaderboards, the functional face over tensors, and the rules for ties."""

from .face import (
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
from .leaderboard import Leaderboard
from .posterior import RankPosterior
from .rules import competition_ranks_from_scores, rank_scores
from .settings import Settings
from .standing import Row, Standing

__all__ = [
    "Leaderboard",
    "RankPosterior",
    "Row",
    "Settings",
    "Standing",
    "auc_at_k",
    "avg",
    "bayes",
    "competition_ranks_from_scores",
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
