"""Trials that copy the one before: warned of where arrays, rewards and logs are read, and found by ``diagnose``."""

import itertools
import math
import warnings

import numpy as np
import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import OutcomeMatrix, OutcomeSet, PassAtK, diagnose, read
from scorio._kernels.count_outcomes import fewer_changes, scan
from scorio.errors import TrialsWarning

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


WAYS = {
    "array": OutcomeMatrix,
    "bytes": lambda R: OutcomeMatrix(R.astype(np.int8)),
    "columns": lambda R: OutcomeMatrix(np.asfortranarray(R.astype(float))),
    "lists": lambda R: OutcomeMatrix(R.tolist()),
    "words": lambda R: OutcomeMatrix(np.where(R > 0, "pass", "fail")),
    "levels": lambda R: OutcomeMatrix.from_rewards(0.5 * R + 0.2),
    "continuous": lambda R: OutcomeMatrix.from_rewards(
        np.random.default_rng(0).random((len(R), 2))[np.arange(len(R))[:, None], R]
    ),
    "tensor": lambda R: OutcomeSet(np.array([trials(0.0), R])),
    "interval": PassAtK(2).interval,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_copies_are_warned_of_once_and_independent_trials_are_not(way):
    with pytest.warns(TrialsWarning, match=SAYS) as found:
        way(trials(0.5))
    assert len(found) == 1
    way(trials(0.0, seed=1))


def test_an_order_that_is_none_of_repetitions_is_not_warned_of():
    OutcomeMatrix(np.sort(trials(0.0), axis=1))  # counts, written as trials
    OutcomeMatrix(np.sort(trials(0.0), axis=1)[:, ::-1])
    OutcomeMatrix([[0] * j + [1] for j in range(1, 40)])  # until a success
    OutcomeMatrix(trials(0.5), runs=list("aabbccdd"))  # the user says what they share


def test_large_arrays_are_looked_at_in_part():
    with pytest.warns(TrialsWarning, match=SAYS):
        OutcomeMatrix(trials(0.3, 100_000))


def test_logs(tmp_path):
    R = trials(0.5)
    samples = [inspect_sample(f"q{i}", j + 1, "C" if R[i, j] else "I") for i, j in np.ndindex(R.shape)]
    header = inspect_header(ids=[f"q{i}" for i in range(len(R))], epochs=8)
    inspect_eval(tmp_path / "log.eval", samples, header)
    with pytest.warns(TrialsWarning, match="follow one another of .* agree more often"):
        read(tmp_path)


def test_the_statistic_is_that_of_all_orders():
    rows = np.array([[0, 0, 1, 1, 0], [1, 1, 0, 1, 1], [0, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]])
    mean = variance = 0.0
    for row in rows:
        changes = [np.count_nonzero(np.diff(order)) for order in itertools.permutations(row)]
        mean, variance = mean + np.mean(changes), variance + np.var(changes)
    expected = (mean - np.count_nonzero(np.diff(rows)) - 0.5) / math.sqrt(variance)
    assert fewer_changes(rows, scan(rows)[0], 4096) == pytest.approx(expected)
    assert fewer_changes(rows[:3], scan(rows[:3])[0], 4096) == 0.0  # too few questions


@pytest.mark.filterwarnings("ignore::scorio.errors.TrialsWarning")
def test_a_diagnosis_names_the_model():
    models = {"a": trials(0.0, seed=1), "b": trials(0.5)}
    of_runs = OutcomeSet({name: OutcomeMatrix(R, runs=range(8)) for name, R in models.items()})
    for outcomes in (models, of_runs):
        finding = diagnose(outcomes).finding("neighbouring trials")
        assert finding.models == ("b",)
        assert finding.chance < 0.01
        assert "cache and the seeds" in finding.advice


@pytest.mark.slow
def test_false_alarms_and_power():
    """Independent trials are called in .001 of all sets when they are read, and in at most .01 by a diagnosis."""
    said = {0.0: np.zeros(2), 0.3: np.zeros(2)}
    for copied, seed in itertools.product(said, range(400)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", TrialsWarning)
            OutcomeMatrix(trials(copied, 100, 8, seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrialsWarning)
            finding = diagnose({"a": trials(copied, 100, 8, seed)}).finding("neighbouring trials")
        said[copied] += bool(found), finding is not None
    assert said[0.0][0] <= 3
    assert said[0.0][1] <= 10
    assert (said[0.3] >= (360, 380)).all()
