"""The votes of EvalScope on its real logs: the rule that it documents, and what Vote@k makes of it."""

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest

from helpers.samples import answer_counts
from scorio import VoteAtK, read

LOGS = Path(__file__).parents[3] / "shared" / "logs" / "tools"
pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not there")


def first_of_most(answers, outcomes, k):
    """The rule of EvalScope's vote@k: of the first k, the most frequent; ties by first place."""
    first = [answer for answer in answers[:k] if answer is not None]
    if not first:
        return 0.0
    chosen = max(first, key=first.count)
    return float(any(o for a, o in zip(answers[:k], outcomes[:k], strict=True) if a == chosen))


def trials(matrix):
    """Return the answers and outcomes of each question."""
    known = matrix.trial_columns.answers
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    for row in range(matrix.n_questions):
        here = np.flatnonzero(rows == row)
        codes = known.of_trial[here]
        yield [known.labels[i] if i >= 0 else None for i in codes], outcomes[here].tolist()


def test_a_vote_is_the_mean_of_the_tools_rule_over_all_orders_of_the_samples():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = read(LOGS / "evalscope", keep="answers")
    for matrix in models.values():
        for k in range(1, matrix.min_trials + 1):
            ours = VoteAtK(k).per_question(matrix)
            for row, (answers, outcomes) in enumerate(trials(matrix)):
                orders = itertools.permutations(range(len(answers)))
                theirs = [first_of_most([answers[i] for i in o], [outcomes[i] for i in o], k) for o in orders]
                assert ours[row] == pytest.approx(np.mean(theirs), abs=1e-12)
            if k == matrix.min_trials:  # all samples: the same number wherever there is no tie
                tied = [len(c) > 1 and sorted(c.values())[-2] == max(c.values()) for c in answer_counts(matrix)]
                assert {ours[i] for i in np.flatnonzero(~np.array(tied))} <= {0.0, 1.0}
