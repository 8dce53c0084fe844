"""Options of numpy's types, and numbers on another scale than the score's."""

import numpy as np
import pytest

from helpers.written import refused
from scorio import OutcomeMatrix, ParameterError, PassAtK, Suite, forecast, gate, plan_questions, plan_trials, read
from scorio.curves import analyze_convergence

A = OutcomeMatrix([[0, 1, 1, 0], [1, 1, 0, 1], [0, 0, 0, 1]])
B = OutcomeMatrix([[1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
REWARDS = OutcomeMatrix.from_rewards([[10.0, 90.0, 35.5], [20.0, 70.0, 0.0]])
BOTH = Suite({"sums": {"m": A}, "words": {"m": B}})
EVERY_DROP = r"max_drop of .* accepts every drop: the score can fall by 1 at most: 2 "
JOBS = "n_jobs must be None, a whole number of jobs, at least 1, or -1"
WIDTH = "half_width must be less than the range of the score, 1; got 5: 5 points of"

REFUSED = [
    *(
        (lambda limit=limit, mode=mode: gate("pass@1", A, B, max_drop=limit, mode=mode), EVERY_DROP)
        for limit in (1, 2, 8.0, "2")
        for mode in ("noninferior", "equivalent")
    ),
    *(
        (
            lambda words=words, overall=overall: gate(
                "pass@1", BOTH, BOTH, max_drop={"sums": 0.1, "words": words, "overall": overall}
            ),
            f"the score {what} can fall by 1 at most",
        )
        for words, overall, what in ((5, 0.1, "on 'words'"), (0.1, 1, "overall"))
    ),
    *((lambda plan=plan: plan("pass@1", A, 5), WIDTH) for plan in (plan_trials, plan_questions)),
    *((lambda k=k: forecast("pass@1", A, k), "k must be an integer, at least 1; got") for k in (8.0, "8", True)),
    (lambda: forecast(PassAtK, A, 8), "must be a Metric or its name"),
    *(
        (lambda n=n: analyze_convergence("pass@1", BOTH["sums"], replicates=20, n_jobs=n, progress=False), JOBS)
        for n in (0, "2", 1.5, True)
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_on_another_scale_or_no_number_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def test_other_scores_have_other_scales_and_integers_of_numpy_are_integers():
    for mode in ("noninferior", "equivalent"):
        assert gate("avg", REWARDS, REWARDS, max_drop=2, mode=mode).checks  # of scores up to 90
    for plan in (plan_trials, plan_questions):
        assert plan("pass@1", A, 0.4).more is not None
        assert plan("avg", REWARDS, 30).more is not None
    assert forecast("pass@1", A, np.int64(2)).ks == (2,)


def test_options_of_read(tmp_path):
    (tmp_path / "m.csv").write_text("question,correct\nq1,1\nq2,\n")
    with (tmp_path / "m.csv").open() as stream, pytest.raises(ParameterError, match="source must be a path.*TextIOW"):
        read(stream)
    for n in (0, "2", 1.5, True):
        refused(tmp_path, JOBS, by=ParameterError, n_jobs=n)
    refused(tmp_path / "m.csv", "1 trial of question 'q2' of 'm' has no outcome", missing="raise")
    refused(tmp_path / "m.csv", "unknown condition 'date'. Choose from: none", by=ParameterError, pool="date")
