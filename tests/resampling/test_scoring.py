"""Scores of replicates are the metric's own scores of the same trials, by tables or without."""

from dataclasses import dataclass

import numpy as np
import pytest

from helpers.samples import ALL, each_metric
from scorio import AvgMetric, BayesMetric, MaxAtK, OutcomeMatrix, OutcomeSet, PassAtK, analyze_convergence
from scorio.resampling._scoring import scorer
from scorio.resampling._source import trial_sources

rng = np.random.default_rng(0)
BINARY = rng.integers(0, 2, (3, 5, 6))
GRADED = rng.integers(0, 3, (3, 5, 6))
WEIGHTED = [AvgMetric(weights=(0, 0.5, 1)), BayesMetric(weights=(0, 0.2, 1)), MaxAtK(k=2, weights=(0, 0.5, 1))]
SEEDS = rng.integers(2**64, size=(7, 3), dtype=np.uint64)
GRID = np.array([1, 2, 4, 6])


def check(metrics, outcomes, scheme="rows"):
    """The scorer's numbers against the metric on the counts of each replicate."""
    models, sources = trial_sources(outcomes, scheme, True)
    score = scorer(metrics, models, GRID)
    for matrix, source in zip(models.values(), sources, strict=True):
        found, counts = score(source, SEEDS), source.counts(SEEDS, GRID)
        for metric, scores in zip(metrics, found, strict=True):
            expected = [[own_score(metric, matrix, each) for each in of_replicate] for of_replicate in counts]
            np.testing.assert_allclose(scores, expected, rtol=1e-13, atol=1e-16)
    return score


def own_score(metric, like, counts):
    drawn = OutcomeMatrix.from_counts(counts, prior_counts=like.prior_counts, levels=like.levels)
    return metric.score(drawn) if counts[0].sum() >= metric._required_trials else np.nan


@pytest.mark.parametrize("scheme", ["rows", "columns"])
@each_metric
def test_every_metric_on_binary_outcomes(metric, scheme):
    check([metric], BINARY, scheme)


@pytest.mark.parametrize("scheme", ["rows", "columns"])
def test_all_metrics_at_once_share_tables(scheme):
    score = check(ALL, BINARY, scheme)
    assert all(score.factors)
    assert len(score.tables) < sum(map(len, score.factors))


@pytest.mark.parametrize("scheme", ["rows", "columns"])
@pytest.mark.parametrize("metric", WEIGHTED, ids=str)
def test_categories(metric, scheme):
    assert check([metric], GRADED, scheme).factors == (None,)


def test_prior_outcomes_count_in():
    assert check([BayesMetric(), PassAtK(2)], OutcomeSet(BINARY, prior=[[0, 1, 1]] * 5)).factors == (None, None)


def test_rewards_of_one_s_own():
    outcomes = {
        "a": OutcomeMatrix.from_rewards([[0.0, 0.25, 1.0]] * 2),
        "b": OutcomeMatrix.from_rewards([[0, 1.0]] * 2),
    }
    models, _ = trial_sources(outcomes, "rows", True)
    assert {matrix.levels for matrix in models.values()} == {(0.0, 0.25, 1.0)}
    check([AvgMetric(), MaxAtK(k=2)], outcomes)


@dataclass(frozen=True)
class Worst(AvgMetric, is_mean_over_questions=False):
    """The lowest mean of a question."""

    def score(self, R, *, too_few="raise"):
        return float(self.per_question(R, too_few=too_few).min())


def test_a_metric_that_is_no_mean_is_asked_itself():
    assert check([Worst(), AvgMetric()], BINARY).factors[0] is None
    found = analyze_convergence([Worst()], BINARY, replicates=5, rng=0)
    assert next(iter(found.values())).tau.shape == (5, 6)


def test_a_large_bank_is_scored_in_batches(monkeypatch):
    from scorio.resampling import _scoring as scoring

    whole = analyze_convergence(WEIGHTED, GRADED, replicates=40, rng=0)
    monkeypatch.setattr(scoring, "_ROWS", 1)
    parts = analyze_convergence(WEIGHTED, GRADED, replicates=40, rng=0)
    assert all(whole[name].tau.tobytes() == parts[name].tau.tobytes() for name in whole)
