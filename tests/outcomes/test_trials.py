"""Runs, answers and scores of trials stay with the outcome of each trial; trials that copy the one before are told."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from helpers.samples import answer_counts
from helpers.written import inspect_log
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, PassAtK, RewardMatrix, Suite, read
from scorio.errors import RunsWarning, TrialsWarning
from scorio.outcomes import SavedCounts, align, normalize_answer
from scorio.outcomes._trial_order import chance_of_order

MAKE = {"binary": OutcomeMatrix, "levels": OutcomeMatrix.from_rewards, "continuous": RewardMatrix}
QUESTIONS = [f"q{i}" for i in range(6)]
kinds = pytest.mark.parametrize("kind", MAKE)


def world(seed, kind="binary"):
    """Outcomes with runs, answers and two scores, of which some are missing, and the trials of each question."""
    rng = np.random.default_rng(seed)
    draw = {
        "binary": lambda: float(rng.integers(2)),
        "levels": lambda: float(rng.choice([0.0, 0.5, 1.0])),
        "continuous": lambda: round(rng.random(), 3),
    }[kind]

    def trial():
        answer = rng.choice(["4", "5", "x", None])
        return draw(), str(rng.choice(["mon", "tue", "wed"])), answer, *rng.random(2).round(2).tolist()

    rows = [[trial() for _ in range(rng.integers(1, 9))] for _ in QUESTIONS]
    outcomes, runs, answers, judge, reward = ([[each[i] for each in row] for row in rows] for i in range(5))
    for row, values in zip(rows[1:], outcomes[1:], strict=True):
        if rng.random() < 0.3:
            place = rng.integers(len(row))
            values[place] = None
            del row[place]
    about = {"runs": runs, "answers": answers, "scores": {"judge": judge, "reward": reward}}
    matrix = MAKE[kind](outcomes, questions=QUESTIONS, missing="omit", **about)
    return matrix, [sorted((value, run, str(answer), *of) for value, run, answer, *of in row) for row in rows]


def labels_of(column):
    return [None if code < 0 else column.labels[code] for code in column.of_trial.tolist()]


def trials_of(matrix):
    """The trials of each question as tuples, from what the matrix keeps."""
    columns = matrix.trial_columns
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    texts = labels_of(columns.runs), map(str, labels_of(columns.answers))
    numbers = (columns.scores[name].tolist() for name in ("judge", "reward"))
    trials = [[] for _ in range(matrix.n_questions)]
    for row, *trial in zip(rows, outcomes.tolist(), *texts, *numbers, strict=True):
        trials[row].append(tuple(trial))
    return [sorted(row) for row in trials]


def demand_runs(matrix, truth, levels=(0.0, 1.0)):
    """The trials by run, question and level are those that are counted one by one."""
    names = sorted({run for row in truth for _, run, *_ in row})
    counts = np.zeros((len(names), len(truth), len(levels)), int)
    for question, row in enumerate(truth):
        for value, run, *_ in row:
            counts[names.index(run), question, levels.index(value)] += 1
    assert (list(matrix.runs), matrix.counts_by_run.tolist()) == (names, counts.tolist())


@kinds
@pytest.mark.parametrize("seed", range(8))
def test_every_trial_keeps_what_is_known_of_it(seed, kind):
    R, truth = world(seed, kind)
    assert trials_of(R) == trials_of(pickle.loads(pickle.dumps(R))) == truth
    order = np.random.default_rng(seed).permutation(6)[:4]
    chosen = R.select([f"q{i}" for i in order])
    assert trials_of(chosen) == [truth[i] for i in order]
    other, more = world(seed + 100, kind)
    both = [sorted(mine + theirs) for mine, theirs in zip(truth, more, strict=True)]
    if R.levels == other.levels:
        assert trials_of(R.merge(other)) == both
    if kind == "continuous":
        passed = [sorted((float(value >= 0.5), *rest) for value, *rest in row) for row in truth]
        assert trials_of(R.at_least(0.5)) == passed
        demand_runs(R.at_least(0.5), passed)
    else:
        levels = R.levels or (0.0, 1.0)
        demand_runs(R, truth, levels)
        demand_runs(chosen, [truth[i] for i in order], levels)
        wider = align({"a": R, "b": OutcomeMatrix.from_rewards([[0.0, 0.25]] * 6, questions=QUESTIONS)})["a"]
        demand_runs(wider, truth, wider.levels)
        if R.levels == other.levels:
            demand_runs(R.merge(other), both, levels)


@kinds
def test_sets_suites_and_files_keep_them(kind, tmp_path):
    (a, of_a), (b, of_b) = world(1, kind), world(2, kind)
    models = OutcomeSet({"a": a, "b": b})
    assert [trials_of(matrix) for matrix in models.values()] == [of_a, of_b]
    models.save(tmp_path / "counts.npz")
    loaded = OutcomeSet.load(tmp_path / "counts.npz")
    assert loaded == models
    assert [trials_of(matrix) for matrix in loaded.values()] == [of_a, of_b]
    assert trials_of(models.split(["x", "y"] * 3)["x"]["a"]) == of_a[::2]
    suite = Suite({"one": OutcomeSet({"a": a}), "two": OutcomeSet({"a": b})})
    for pooled in (suite.pooled(), pickle.loads(pickle.dumps(suite)).pooled()):
        assert trials_of(pooled["a"]) == of_a + of_b
    SavedCounts(OutcomeSet({"a": b}), part="second").save(tmp_path / "second.npz")
    SavedCounts(OutcomeSet({"a": a}), part="first").save(tmp_path / "first.npz")
    total = SavedCounts.load(tmp_path / "first.npz").merge(tmp_path / "second.npz").outcomes["a"]
    assert trials_of(total) == [sorted(mine + theirs) for mine, theirs in zip(of_a, of_b, strict=True)]
    if kind == "binary":
        assert models["a"].to_dict()["runs"] == list(models["a"].runs)
        assert np.array_equal(models["a"].to_dict()["counts_by_run"], models["a"].counts_by_run)


def test_a_label_of_each_column_is_that_of_its_trials():
    R = np.random.default_rng(0).integers(0, 2, (6, 4))
    models = OutcomeSet({"a": R, "b": 1 - R}, questions=QUESTIONS, runs={"a": list("wxyz"), "b": list("wwxx")})
    assert np.array_equal(models["a"].counts_by_run[:, :, 1], R.T)
    assert np.array_equal(models["b"].counts_by_run[:, :, 0], [R[:, :2].sum(axis=1), R[:, 2:].sum(axis=1)])


def test_missing_trials():
    R = [[1, None, 0], [None, 1, 1]]
    answers = [["a", "b", "c"], ["d", "e", None]]
    omitted = OutcomeMatrix(R, answers=answers, missing="omit")
    assert answer_counts(omitted) == [{"a": 1, "c": 1}, {"e": 1}]
    failed = OutcomeMatrix(R, answers=answers, missing="fail")
    assert answer_counts(failed) == [{"a": 1, "b": 1, "c": 1}, {"d": 1, "e": 1}]


def test_of_other_trials_nothing_is_known():
    R, _ = world(3)
    assert R.replaced(counts=R.counts + 1).answers is None
    with pytest.warns(RunsWarning, match="the merged outcomes know no runs"):
        merged = R.merge(OutcomeMatrix([[1]] * 6, questions=R.questions))
    assert (merged.answers, merged.runs) == (None, None)


def test_damaged_files_are_refused(tmp_path):
    OutcomeSet({"a": world(0)[0]}).save(tmp_path / "counts.npz")
    with np.load(tmp_path / "counts.npz") as file:
        arrays = dict(file)
    columns = [name for name in arrays if name != "scorio"]
    assert len(columns) > 3
    for name in columns:
        np.savez(tmp_path / "damaged.npz", **arrays | {name: arrays[name][:-1]})
        with pytest.raises(OutcomeError, match="damaged"):
            OutcomeSet.load(tmp_path / "damaged.npz")


EQUAL = [
    ["0.50", "1/2", ".5", " 50% ", "$0.5$", r"\boxed{1/2}", 0.5, Fraction(1, 2), "5e-1", "2/4", "+0.5"],
    ["1,024", "1024", 1024, "1024.0", 1024.0, r"\(1024\)", "1024.", np.int64(1024)],
    ["The Hague", " the  hague ", "THE HAGUE.", "the\nhague"],
    ["-3", -3, "-3.00", "-6/2"],
    ["true", True, "True"],
    ["B", "b", "b."],
]


@pytest.mark.parametrize("answers", EQUAL, ids=str)
def test_equal_answers_have_one_label(answers):
    assert len({normalize_answer(each) for each in answers}) == 1


def test_different_answers_have_different_labels():
    firsts = [each[0] for each in EQUAL]
    others = ["1/3", "x + x", "2x", "1,02,4", "10 24", "1/0", "12 apples", "(b)", "b or c", "-0.5", "1024%"]
    assert len({normalize_answer(each) for each in [*firsts, *others]}) == len(firsts) + len(others)


@pytest.mark.parametrize("answer", ["", "  ", "none", "None", "N/A", "[invalid]", "null", None])
def test_no_answer(answer):
    assert normalize_answer(answer) is None


ODD = ["1e999", "9" * 400, "1/" + "7" * 300, float("inf"), "\u221e", "\u00bd", "\uff11\uff12"]


@pytest.mark.parametrize("answer", ODD)
def test_odd_numbers_are_labels_too(answer):
    assert isinstance(normalize_answer(answer), str)


def test_normalizing_twice_changes_nothing():
    for answers in EQUAL:
        once = normalize_answer(answers[0])
        assert normalize_answer(once) == once


def test_the_function_can_be_replaced():
    R, answers = [[0, 1, 1]], [["a b", "a  b", "A B"]]
    assert answer_counts(OutcomeMatrix(R, answers=answers)) == [{"a b": 3}]
    assert answer_counts(OutcomeMatrix(R, answers=answers, normalize=None)) == [{"a b": 1, "a  b": 1, "A B": 1}]
    assert answer_counts(OutcomeMatrix(R, answers=answers, normalize=len)) == [{3: 2, 4: 1}]


def test_answers_of_two_types_are_kept_apart_where_they_are_taken_as_they_are():
    counts = answer_counts(OutcomeMatrix([[0, 1, 1]], answers=[["1", (1, 2), "1"]], normalize=None))
    assert counts == [{"1": 2, (1, 2): 1}]


# Trials that copy the one before.


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
