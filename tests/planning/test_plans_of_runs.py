"""Plans take trials as independent: they warn where runs differ, and refuse to speak about runs like these."""

import numpy as np
import pytest

from scorio import (
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    next_trials,
    plan_questions,
    plan_separation,
    plan_trials,
)
from scorio.errors import RunsWarning


def drawn(s, seed=1, runs=5, trials=2, shift=0.0):
    """Return outcomes whose runs shift the log odds of success by ``s x``."""
    rng = np.random.default_rng(seed)
    names = np.repeat([f"job {i}" for i in range(runs)], trials)
    logits = rng.normal(0, 1.7, (100, 1)) + np.repeat(s * rng.standard_normal(runs), trials) + shift
    return OutcomeMatrix((rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int), runs=names.tolist())


@pytest.mark.parametrize("plan", [plan_trials, plan_questions], ids=["trials", "questions"])
def test_plans_warn_where_runs_differ(plan):
    outcomes = drawn(0.5)
    with pytest.warns(RunsWarning, match="differ by more than their trials explain"):
        found = plan("pass@1", outcomes, 0.05)
    assert found == plan("pass@1", outcomes, 0.05, runs="independent")


def test_what_says_nothing_about_runs_is_refused():
    for plan in (plan_trials, plan_questions, next_trials):
        with pytest.raises(ParameterError, match="plans take trials as independent: analyze_runs"):
            plan("pass@1", drawn(0.5), 0.1, runs="random")
    with pytest.raises(ParameterError, match="plans take trials as independent: analyze_runs"):
        plan_separation("pass@1", drawn(0.5), drawn(0.3), runs="random")
    models = OutcomeSet({"a": drawn(0.8, 1), "b": drawn(0.8, 2)})
    with pytest.warns(RunsWarning, match="differ by more than their trials explain"):
        chosen = next_trials("pass@1", models, 10)
    assert chosen.total == next_trials("pass@1", models, 10, runs="independent").total
