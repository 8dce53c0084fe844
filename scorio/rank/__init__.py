"""Rankings of models: leaderboards, one ranking function per metric, and the rules for ties."""

from ._agreement import RankAgreement, in_order, rank_agreement, read_ranking
from ._chosen import ChosenScore
from ._comparisons import Comparisons, compare_by
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
from ._leaderboard import Leaderboard
from ._metric_ranking import MetricRanking, Row
from ._pairs import Pair, Pairs
from ._rank_posterior import RankPosterior
from ._rules import TOLERANCE, competition_ranks_from_scores, rank_scores
from ._scores import Accuracies, Score, Scores, accuracies, score_models
from ._watch import look_at

__all__ = [
    "TOLERANCE",
    "Accuracies",
    "ChosenScore",
    "Comparisons",
    "CostTable",
    "Leaderboard",
    "MetricRanking",
    "Pair",
    "Pairs",
    "RankAgreement",
    "RankPosterior",
    "Row",
    "Score",
    "Scores",
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
    "in_order",
    "look_at",
    "maj_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "pass_at_k",
    "pass_hat_k",
    "rank_agreement",
    "rank_scores",
    "read_ranking",
    "score_models",
]
