"""Trials that copy the one before: warned of where arrays and logs are read, and found by ``diagnose``."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from helpers.written import inspect_log
from scorio import OutcomeMatrix, OutcomeSet, PassAtK, read
from scorio._kernels.count_outcomes import scan
from scorio.errors import TrialsWarning
from scorio.outcomes._trial_order import chance_of_order

SAYS = "trials that follow one another.* agree more often than others .*check the cache and the seeds.*runs="


def trials(copied, questions=60, count=8, seed=0):
    """Independent trials, of which a share repeats the outcome of the one before."""
    rng = np.random.default_rng(seed)
    rates = rng.random((questions, 1))
    outcomes = (rng.random((questions, count)) < rates).astype(int)
    again = rng.random((questions, count)) < copied
    for j in range(1, count):
        outcomes[again[:, j], j] = outcomes[again[:, j], j - 1]
    return outcomes


def logs_of(path, R):
    """A log of Inspect with these outcomes, in their order."""
    inspect_log(path / "log.eval", {f"q{i}": np.where(row, "C", "I").tolist() for i, row in enumerate(R)})
    return path


WAYS = {
    "array": OutcomeMatrix,
    "bytes": lambda R: OutcomeMatrix(R.astype(np.int8)),
    "columns": lambda R: OutcomeMatrix(np.asfortranarray(R.astype(float))),
    "floats": lambda R: OutcomeMatrix(R.astype(np.float32)),
    "lists": lambda R: OutcomeMatrix(R.tolist()),
    "long": lambda _: OutcomeMatrix(trials(0.5, 60, 300)),
    "tensor": lambda R: OutcomeSet(R[None]),
    "interval": PassAtK(2).interval,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_copies_in_arrays_are_warned_of_once(way):
    with pytest.warns(TrialsWarning, match=SAYS) as found:
        way(trials(0.5))
    assert len(found) == 1


def test_arrays_without_copies_are_not_warned_of():
    OutcomeMatrix(trials(0.0, seed=1))
    OutcomeMatrix(np.sort(trials(0.0), axis=1))  # counts, written as trials
    OutcomeMatrix(np.sort(trials(0.0), axis=1)[:, ::-1])
    OutcomeMatrix(trials(0.5)[0])  # one question
    OutcomeMatrix(trials(0.5), runs=list("aabbccdd"))  # the user says what they share


def test_copies_in_logs_are_warned_of_once(tmp_path):
    with pytest.warns(TrialsWarning, match=SAYS) as found:
        read(logs_of(tmp_path, trials(0.5)))
    assert len(found) == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_independent_trials_are_not_warned_of(tmp_path, seed):
    read(logs_of(tmp_path, trials(0.0, seed=seed)))


def test_an_order_that_is_none_of_repetitions_is_not_warned_of(tmp_path):
    read(logs_of(tmp_path, np.sort(trials(0.0), axis=1)))  # counts, written as trials
    assert chance_of_order(np.sort(trials(0.0), axis=1)[:, ::-1]) == 1.0


def test_the_statistic_is_that_of_all_orders():
    rows = np.array([[0, 0, 1, 1, 0], [1, 1, 0, 1, 1], [0, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
    mean = variance = 0.0
    for row in rows:
        changes = [np.count_nonzero(np.diff(order)) for order in itertools.permutations(row)]
        mean, variance = mean + np.mean(changes), variance + np.var(changes)
    expected = norm.cdf((np.count_nonzero(np.diff(rows)) + 0.5 - mean) / math.sqrt(variance))
    assert chance_of_order(rows) == pytest.approx(expected)
    assert chance_of_order(rows[:3]) == 1.0  # too few questions


def test_false_alarms_and_power():
    """Independent trials are called in at most .01 of all sets, and copies with the probability .3 in most."""
    chances = {copied: [chance_of_order(trials(copied, 100, 8, seed)) for seed in range(400)] for copied in (0.0, 0.3)}
    assert np.mean(np.array(chances[0.0]) < 0.01) < 0.01 + 3 * 0.005
    assert np.mean(np.array(chances[0.3]) < 0.01) > 0.95


def test_the_screen_of_arrays_passes_copies_on_and_stops_nearly_all_independent_trials():
    """The kernel returns -2 where neighbours agree too often; 100 x 8 outcomes of which .3 are copies mostly do."""
    screened = {copied: [scan(trials(copied, 100, 8, seed))[1] == -2 for seed in range(400)] for copied in (0.0, 0.3)}
    assert np.mean(screened[0.0]) < 0.01
    assert np.mean(screened[0.3]) > 0.7
