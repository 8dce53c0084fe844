"""An interval without a prior is the same number in every call, on real banks where they are beside the checkout."""

from pathlib import Path

import numpy as np
import pytest

from scorio import AvgMetric, Leaderboard, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.metrics import AucAtK, GeomAtK
from scorio.planning import plan_trials

DATA = Path(__file__).parents[3] / "shared" / "data"
FILES = sorted(DATA.glob("*.npz"))


def two_models(path):
    """The first and the last model of a bank, of at most 60 questions."""
    with np.load(path) as bank:
        if "R" in bank:
            R = np.asarray(bank["R"])
            tables = [R, R[::-1]] if R.ndim == 2 else [R[0], R[-1]]
            return [OutcomeMatrix(table[:60]) for table in tables]
        correct, trials = np.atleast_2d(bank["correct"]), bank["trials"]
        every = np.broadcast_to(trials if np.ndim(trials) != 1 else trials[:, None], correct.shape)
        return [OutcomeMatrix.from_counts(correct[at, :60], every[at, :60]) for at in (0, -1)]


def made():
    rng = np.random.default_rng(3)
    return [OutcomeMatrix(rng.binomial(1, rng.beta(0.4, 0.8, (25, 1)), (25, 6))) for _ in range(2)]


@pytest.mark.parametrize("path", [None, *FILES], ids=lambda path: "made" if path is None else path.stem)
def test_interval_board_and_compare_say_the_same(path):
    models = made() if path is None else two_models(path)
    k = min(8, *(each.min_trials for each in models))
    metrics = [PassAtK(k), PassHatK(min(k, 2)), AucAtK(min(k, 4)), GeomAtK(min(k, 3)), AvgMetric()]
    board = Leaderboard(metrics, {"a": models[0]})
    for metric, ranking in zip(metrics, board.rankings, strict=True):
        found = metric.interval(models[0])
        assert (found.prior, found.shape) == ("learned", "quantile")
        assert ranking.intervals == (found,)
        if models[0].max_trials > 1:
            other = metric.interval(models[1])
            result = compare(metric, *models, paired=False)
            assert result.difference == pytest.approx(found.mu - other.mu, abs=1e-12)
            assert result.sigma == pytest.approx(np.hypot(found.sigma, other.sigma))
    assert PassAtK(8).interval(models[0], prior="uniform") != PassAtK(8).interval(models[0])
    assert plan_trials(PassAtK(2), made()[0], 0.05).settings["prior"] == "learned"
