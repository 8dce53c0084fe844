"""verl's validation metrics: its names and nesting, exact values by enumeration, intervals, and missing samples."""

import itertools

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, PassAtK
from scorio.integrations.verl import process_validation_metrics

RNG = np.random.default_rng(5)
ACC = (RNG.random((12, 6)) < RNG.beta(0.6, 0.6, (12, 1))).astype(int)
REWARD = ACC - 0.25 * RNG.integers(0, 3, ACC.shape)


def lists(**tables):
    """One value per sample, as verl has them: the prompts of two data sources, mixed."""
    prompts = [(a, n) for n in range(6) for a in range(12)]
    sources = ["math" if a % 2 else "code" for a, _ in prompts]
    return (
        sources,
        [f"p{a}" for a, _ in prompts],
        {name: [table[a][n] for a, n in prompts] for name, table in tables.items()},
    )


@pytest.mark.parametrize(("name", "reduce"), [("best", max), ("worst", min)])
@pytest.mark.parametrize("n", [2, 4, 6])
def test_best_and_worst_are_the_means_over_all_choices_of_trials(name, reduce, n):
    found = process_validation_metrics(*lists(acc=ACC, reward=REWARD))
    for variable, table in (("acc", ACC), ("reward", REWARD)):
        wanted = np.mean([[reduce(chosen) for chosen in itertools.combinations(row, n)] for row in table[1::2]])
        assert found["math"][variable][f"{name}@{n}/mean"] == pytest.approx(wanted, abs=1e-12)


def test_the_names_are_those_that_the_trainer_sorts():
    found = process_validation_metrics(*lists(acc=ACC, pred=ACC.astype(str)))
    assert found.keys() == {"math", "code"}
    assert found["math"].keys() == {"acc"}  # answers are no numbers
    assert {int(name.split("@")[-1].split("/")[0]) for name in found["math"]["acc"]} == {2, 4, 6}
    assert {"mean@6", "mean@6/lo", "best@4/mean", "best@4/hi", "maj@2/mean"} <= found["math"]["acc"].keys()


def test_bounds_are_those_of_the_interval():
    found = process_validation_metrics(*lists(acc=ACC))["code"]["acc"]
    interval = PassAtK(4).interval(OutcomeMatrix(ACC[::2]))
    assert (found["best@4/lo"], found["best@4/hi"]) == (interval.lo, interval.hi)
    assert found["mean@6"] == pytest.approx(ACC[::2].mean())


def test_votes_are_over_answers_and_ties_are_shared():
    found = process_validation_metrics(*lists(acc=ACC, pred=ACC.astype(str)))["math"]["acc"]
    for n in (2, 4, 6):
        votes = [[np.sign(2 * sum(c) - n) / 2 + 0.5 for c in itertools.combinations(row, n)] for row in ACC[1::2]]
        assert found[f"maj@{n}/mean"] == pytest.approx(np.mean(votes), abs=1e-12)


def test_missing_samples_are_left_out_or_count_as_failures():
    given = {"acc": [1, None, 1, 0]}
    found = process_validation_metrics(["s"] * 4, ["a", "a", "b", "b"], given)["s"]
    assert found["acc"]["mean@2"] == 0.75
    counts = {("s", "a"): 2, ("s", "b"): 2, ("s", "c"): 2}
    found = process_validation_metrics(["s"] * 4, ["a", "a", "b", "b"], given, expected_acc_counts=counts)["s"]
    assert found["acc"]["mean@2"] == pytest.approx((0.5 + 0.5 + 0.0) / 3)
    assert found["acc_success_only"]["mean@2"] == 0.75


def test_nan_is_missing_and_lists_of_other_lengths_are_refused():
    found = process_validation_metrics(["s"] * 3, ["a", "a", "b"], {"acc": [1.0, float("nan"), 0.0]})["s"]["acc"]
    assert found["mean@1"] == 0.5
    for uids, values in ((["a"], [1, 0]), (["a", "b"], [1])):
        with pytest.raises(OutcomeError, match=r"has 1 values for 2 samples"):
            process_validation_metrics(["s"] * 2, uids, {"acc": values})
