"""Runs of trials: what is kept of them, and what they survive."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from scorio.errors import RunsWarning
from scorio.outcomes import SavedCounts, align

QUESTIONS = ["u", "v", "w", "x", "y", "z"]


@st.composite
def tables(draw, values=(0, 1)):
    """Outcomes with missing trials, and the run of each."""
    questions, trials = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    size = questions * trials
    outcomes = draw(st.lists(st.sampled_from([*values, np.nan]), min_size=size, max_size=size))
    runs = draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    table = np.array(outcomes, np.float64).reshape(questions, trials)
    table[0, 0] = values[0]
    return table, np.array(runs).reshape(questions, trials)


def counted(table, runs, levels):
    """Return the trials by run, question and level, counted one by one."""
    names = sorted({run for run, value in zip(runs.ravel(), table.ravel(), strict=True) if not np.isnan(value)})
    found = np.zeros((len(names), len(table), len(levels)), int)
    for (question, trial), value in np.ndenumerate(table):
        if not np.isnan(value):
            found[names.index(runs[question, trial]), question, levels.index(value)] += 1
    return names, found


@given(tables())
def test_trials_are_counted_by_run(case):
    table, runs = case
    matrix = OutcomeMatrix(table, runs=runs, missing="omit", questions=range(len(table)))
    names, found = counted(table, runs, [0, 1])
    assert list(matrix.runs) == names
    assert np.array_equal(matrix.counts_by_run, found)
    assert np.array_equal(matrix.counts_by_run.sum(axis=0), matrix.counts)


@given(tables(), st.randoms())
def test_a_selection_keeps_the_runs_of_its_trials(case, random):
    table, runs = case
    matrix = OutcomeMatrix(table, runs=runs, missing="omit", questions=range(len(table)))
    order = random.sample(range(len(table)), random.randint(1, len(table)))
    if not matrix.trials[order].any():
        return
    names, found = counted(table[order], runs[order], [0, 1])
    selection = matrix.select(order)
    assert (list(selection.runs), selection.counts_by_run.tolist()) == (names, found.tolist())


@given(tables((0.0, 0.25, 1.0)))
def test_rewards_and_their_levels(case):
    table, runs = case
    matrix = OutcomeMatrix.from_rewards(table, runs=runs, missing="omit", questions=range(len(table)))
    levels = list(matrix.levels or (0.0, 1.0))
    names, found = counted(table, runs, levels)
    assert (list(matrix.runs), matrix.counts_by_run.tolist()) == (names, found.tolist())
    wider = align(
        {"a": matrix, "b": OutcomeMatrix.from_rewards([[0.0, 0.5]] * len(table), questions=range(len(table)))}
    )
    kept = [list(wider["a"].levels).index(level) for level in levels]
    assert wider["a"].counts_by_run[:, :, kept].tolist() == found.tolist()


@given(tables(), tables())
def test_merged_trials_keep_their_runs(case, other):
    (table, runs), (more, others) = case, other
    rows = min(len(table), len(more))
    parts = [(table[:rows], runs[:rows]), (more[:rows], others[:rows])]
    one, two = (OutcomeMatrix(t, runs=r, missing="omit", questions=range(rows)) for t, r in parts)
    if one.runs is None or two.runs is None:
        return
    names, found = counted(*(np.hstack([p[i] for p in parts]) for i in (0, 1)), [0, 1])
    merged = one.merge(two)
    assert (list(merged.runs), merged.counts_by_run.tolist()) == (names, found.tolist())


def example():
    """Return pass/fail outcomes, levels and continuous rewards with runs, as a suite, with the runs of each."""
    rng = np.random.default_rng(0)
    R, G, C = rng.integers(0, 2, (6, 4)), rng.integers(0, 3, (6, 4)) / 2, rng.random((6, 4))
    graded = OutcomeMatrix.from_rewards(G, questions=QUESTIONS, runs=[1, 2, 3, 4])
    return Suite(
        {
            "bits": OutcomeSet({"a": R, "b": 1 - R}, questions=QUESTIONS, runs={"a": list("wxyz"), "b": list("wwxx")}),
            "grades": OutcomeSet({"a": graded}),
            "scores": OutcomeSet({"b": RewardMatrix(C, questions=QUESTIONS, runs=list("dcba"))}),
        }
    )


def runs_of(suite):
    """Return what is known of the runs of each task and model."""
    return {
        (task, name): (each.runs, each.trial_columns.runs.of_trial.tolist())
        for task, models in suite.items()
        for name, each in models.items()
    }


def test_saved_counts_pickles_and_json_keep_runs(tmp_path):
    suite = example()
    suite.save(tmp_path / "counts.npz")
    assert runs_of(Suite.load(tmp_path / "counts.npz")) == runs_of(suite)
    assert runs_of(pickle.loads(pickle.dumps(suite))) == runs_of(suite)
    bits = suite["bits"]["a"].to_dict()
    assert bits["runs"] == list("wxyz")
    assert np.array_equal(bits["counts_by_run"], suite["bits"]["a"].counts_by_run)


def test_merged_saved_counts_have_the_runs_of_all_parts(tmp_path):
    R = np.random.default_rng(0).integers(0, 2, (6, 4))
    for name in ("mon", "tue"):
        runs = [f"{name} {i}" for i in range(4)]
        OutcomeSet({"a": R}, questions=QUESTIONS, runs=runs).save(tmp_path / f"{name}.npz")
    merged = SavedCounts.load(tmp_path / "mon.npz").merge(SavedCounts.load(tmp_path / "tue.npz"))
    matrix = merged.outcomes["a"]
    assert len(matrix.runs) == 8
    assert np.array_equal(matrix.counts_by_run[:4, :, 1], R.T)


def test_splits_and_pools_keep_runs():
    suite = example()
    split = suite["bits"].split(["e", "e", "h", "h", "h", "e"])
    assert np.array_equal(split["e"]["a"].counts_by_run, suite["bits"]["a"].counts_by_run[:, [0, 1, 5]])
    pooled = Suite({"t": suite["bits"], "u": suite["bits"]}).pooled()["a"]
    assert np.array_equal(pooled.counts_by_run, np.tile(suite["bits"]["a"].counts_by_run, (1, 2, 1)))


def test_continuous_rewards_become_passes():
    C = np.array([[0.2, 0.7, 0.4], [0.9, 0.1, 0.6]])
    passed = RewardMatrix(C, runs=list("abc")).at_least(0.5)
    assert np.array_equal(passed.counts_by_run[:, :, 1], (C >= 0.5).T)


def test_what_changes_the_trials_forgets_their_runs():
    matrix = example()["bits"]["a"]
    with pytest.warns(RunsWarning, match="the merged outcomes know no runs"):
        assert matrix.merge([[1]] * 6).runs is None
