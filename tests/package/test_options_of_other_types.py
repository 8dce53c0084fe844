"""Options of numpy's types, and numbers on another scale than the score's."""

import numpy as np
import pytest

from helpers.written import refused
from scorio import (
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    Suite,
    forecast,
    gate,
    plan_questions,
    read,
)
from scorio import plan_trials as plan
from scorio.curves import analyze_convergence

A = OutcomeMatrix([[0, 1, 1, 0], [1, 1, 0, 1], [0, 0, 0, 1]])
B = OutcomeMatrix([[1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
REWARDS = OutcomeMatrix.from_rewards([[10.0, 90.0, 35.5], [20.0, 70.0, 0.0]])


@pytest.mark.parametrize("limit", [1, 2, 8.0, "2"])
@pytest.mark.parametrize("mode", ["noninferior", "equivalent"])
def test_a_limit_that_accepts_every_drop(mode, limit):
    with pytest.raises(ParameterError, match=r"max_drop of .* accepts every drop: the score can fall by 1 at most: 2 "):
        gate("pass@1", A, B, max_drop=limit, mode=mode)
    assert gate("avg", REWARDS, REWARDS, max_drop=2, mode=mode).checks  # of scores up to 90


def test_a_limit_of_one_task_that_accepts_every_drop():
    both = Suite({"sums": {"m": A}, "words": {"m": B}})
    with pytest.raises(ParameterError, match="the score on 'words' can fall by 1 at most"):
        gate("pass@1", both, both, max_drop={"sums": 0.1, "words": 5, "overall": 0.1})
    with pytest.raises(ParameterError, match="the score overall can fall by 1 at most"):
        gate("pass@1", both, both, max_drop={"sums": 0.1, "words": 0.1, "overall": 1})


@pytest.mark.parametrize("planned", [plan, plan_questions])
def test_a_half_width_on_another_scale(planned):
    with pytest.raises(
        ParameterError, match="half_width must be less than the range of the score, 1; got 5: 5 points of"
    ):
        planned("pass@1", A, 5)
    assert planned("pass@1", A, 0.4).more is not None
    assert planned("avg", REWARDS, 30).more is not None


def test_integers_of_numpy():
    assert forecast("pass@1", A, np.int64(2)).ks == (2,)


@pytest.mark.parametrize("k", [8.0, None, "8", True])
def test_what_is_no_number_of_trials(k):
    with pytest.raises(ParameterError, match="k must be an integer, at least 1; got"):
        forecast("pass@1", A, k)
    with pytest.raises(ParameterError, match="must be a Metric or its name"):
        forecast(PassAtK, A, 8)


@pytest.mark.parametrize("n_jobs", [0, "2", 1.5, True])
def test_what_is_no_number_of_jobs(tmp_path, n_jobs):
    (tmp_path / "m.csv").write_text("question,correct\nq1,1\nq2,0\n")
    refused(
        tmp_path, "n_jobs must be None, a whole number of jobs, at least 1, or -1", by=ParameterError, n_jobs=n_jobs
    )
    with pytest.raises(ParameterError, match="n_jobs must be None, a whole number of jobs, at least 1, or -1"):
        analyze_convergence("pass@1", {"a": A, "b": B}, replicates=20, n_jobs=n_jobs, progress=False)


def test_an_open_file_is_no_path(tmp_path):
    (tmp_path / "m.csv").write_text("question,correct\nq1,1\nq2,\n")
    with (
        (tmp_path / "m.csv").open() as stream,
        pytest.raises(ParameterError, match="source must be a path.*TextIOWrapper"),
    ):
        read(stream)
    refused(tmp_path / "m.csv", "1 trial of question 'q2' of 'm' has no outcome", missing="raise")
    refused(tmp_path / "m.csv", "unknown condition 'date'. Choose from: none", by=ParameterError, pool="date")
