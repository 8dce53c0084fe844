"""Histories: the intervals of the metric, calls against comparisons, drift, and the rate of false calls."""

from dataclasses import replace

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, PassAtK, analyze_history, compare
from scorio.errors import RunsWarning

LABELS = [f"q{i}" for i in range(30)]


def run(rates, rng, trials=6, labels=LABELS):
    return OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials, questions=labels)


def test_each_run_is_compared_with_all_since_the_last_call():
    rng = np.random.default_rng(2)
    high, low = rng.beta(2, 1, 30), rng.beta(1, 3, 30)
    runs = {str(i): run(high if i < 3 else low, rng) for i in range(6)}
    points = analyze_history("pass@1", runs).rows
    assert [point.change for point in points] == ["", "", "", "worse", "", ""]
    pooled = runs["0"].merge(runs["1"]).merge(runs["2"])
    expected = compare("pass@1", runs["3"], pooled, confidence=1 - 0.05 / 5)
    assert (points[3].difference, points[3].difference_lo) == (expected.difference, expected.lo)
    later = compare("pass@1", runs["5"], runs["3"].merge(runs["4"]), confidence=1 - 0.05 / 5)
    assert points[5].difference_hi == later.hi


def test_false_calls_of_histories_without_change():
    """At most 20% of histories of six runs have any call; with its Monte Carlo error."""
    rng = np.random.default_rng(4)
    called, worlds = 0, 150
    for _ in range(worlds):
        rates = rng.beta(0.7, 0.7, 30)
        runs = {str(i): run(rates, rng) for i in range(6)}
        called += bool(analyze_history("pass@1", runs, confidence=0.8).changes)
    assert called / worlds <= 0.2 + 3 * np.sqrt(0.16 / worlds)
    assert called > 0


def test_only_shared_questions_are_compared():
    rng = np.random.default_rng(5)
    hard = np.r_[np.full(20, 0.9), np.full(10, 0.05)]
    runs = {
        "1": run(hard, rng),
        "2": run(hard[:20], rng, labels=LABELS[:20]),
        "3": run(hard[5:], rng, labels=LABELS[5:]),
    }
    result = analyze_history("pass@1", runs)
    assert result.changes == ()
    one, two, three = result.rows
    assert (one.drift, two.drift) == ("", "dataset: 10 questions removed")
    assert three.drift == "dataset: 10 questions added, 5 questions removed"
    both = [runs[name].select(LABELS[5:20]) for name in "123"]
    expected = compare("pass@1", both[2], both[0].merge(both[1]), confidence=1 - 0.05 / 2)
    assert three.difference == pytest.approx(expected.difference, abs=1e-12)
    other = {"1": run(hard, rng), "2": run(hard, rng, labels=[f"x{i}" for i in range(30)])}
    assert analyze_history("pass@1", other).rows[1].difference is None


def test_errors_name_the_run():
    with pytest.raises(OutcomeError, match="mapping from labels to evaluations"):
        analyze_history(None, {})
    with pytest.raises(OutcomeError, match="run two"):
        analyze_history(None, {"one": [[0, 1], [1, 1]], "two": [["maybe"]]})


def night(s, seed, runs=4):
    """Return a night's outcomes, whose runs shift the log odds of success by ``s x``."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, (60, 1)) + s * rng.standard_normal(runs)
    return OutcomeMatrix((rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int), runs=range(runs))


def test_histories_about_runs_like_these():
    nights = {f"night {i}": night(0.7, i) for i in range(4)}
    random, plain = (analyze_history("pass@1", nights, runs=runs) for runs in ("random", "independent"))
    assert random.smallest_change > 1.5 * plain.smallest_change
    for point, outcomes in zip(random.rows, nights.values(), strict=True):
        assert (point.lo, point.hi) == tuple(PassAtK(1).interval(outcomes, runs="random"))[2:4]
    assert random.to_dict()["runs"] == "random"
    assert "these questions and runs like these" in str(random.tables()[0].text())
    with pytest.warns(RunsWarning) as caught:
        assert analyze_history("pass@1", nights).rows == analyze_history("pass@1", nights, runs="independent").rows
    assert len(caught) == 1  # for a series, not for every comparison


def test_runs_of_different_nights_are_different_runs():
    """Equal labels pair nothing: the comparison is that of runs with other names."""
    first, second = night(0.7, 1), night(0.7, 2)
    result = analyze_history("pass@1", {"1": first, "2": second}, runs="random").rows[1]
    runs = replace(second.trial_columns.runs, labels=tuple("abcd"))
    apart = second.replaced(trial_columns=replace(second.trial_columns, runs=runs))
    expected = compare("pass@1", apart, first, runs="random")
    assert (result.difference_lo, result.difference_hi) == (expected.lo, expected.hi)


def test_a_night_of_one_run_says_nothing_about_runs():
    with pytest.raises(OutcomeError, match=r"run 2: .*all trials are of one run"):
        analyze_history("pass@1", {"1": night(0, 1), "2": night(0, 2, runs=1)}, runs="random")
