"""Ranking models: the functional face over tensors, and the rules for ties."""

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
from .rules import competition_ranks_from_scores, rank_scores

__all__ = [
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
