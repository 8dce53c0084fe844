"""Answers and scores of trials: every operation keeps each trial's outcome, answer and scores together."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from helpers.samples import answer_counts
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from scorio.outcomes import SavedCounts, normalize_answer

KINDS = ["binary", "levels", "continuous"]


def world(seed, kind="binary", questions=6):
    """Return outcomes with answers and two scores, and the trials of each question as tuples."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, questions)
    draw = {
        "binary": lambda n: rng.integers(0, 2, n),
        "levels": lambda n: rng.choice([0.0, 0.5, 1.0], n),
        "continuous": lambda n: rng.random(n).round(3),
    }[kind]
    R = [draw(n).tolist() for n in lengths]
    answers = [[rng.choice(["4", "5", "x", None]) for _ in row] for row in R]
    scores = {name: [rng.random(len(row)).round(2).tolist() for row in R] for name in ("judge", "reward")}
    labels = [f"q{i}" for i in range(questions)]
    about = {"answers": answers, "scores": scores, "questions": labels}
    if kind == "binary":
        made = OutcomeMatrix(R, **about)
    elif kind == "levels":
        made = OutcomeMatrix.from_rewards(R, **about)
    else:
        made = RewardMatrix(R, **about)
    truth = [
        sorted(zip(map(float, R[i]), map(str, answers[i]), scores["judge"][i], scores["reward"][i], strict=True))
        for i in range(questions)
    ]
    return made, truth


def trials_of(matrix):
    """Return the trials of each question as tuples, from what the matrix keeps."""
    known = matrix.trial_columns
    rows, outcomes = matrix.trials_at(np.arange(matrix.n_questions))
    names = [None if code < 0 else known.answers.labels[code] for code in known.answers.of_trial]
    found = [[] for _ in range(matrix.n_questions)]
    for row, *trial in zip(rows, outcomes, map(str, names), known.scores["judge"], known.scores["reward"], strict=True):
        found[row].append(tuple(trial))
    return [sorted(each) for each in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_every_trial_keeps_its_answer_and_scores(seed, kind):
    R, truth = world(seed, kind)
    assert trials_of(R) == truth
    assert trials_of(pickle.loads(pickle.dumps(R))) == truth
    order = np.random.default_rng(seed).permutation(6)[:4]
    assert trials_of(R.select([f"q{i}" for i in order])) == [truth[i] for i in order]
    other, more = world(seed + 100, kind)
    if R.levels == other.levels:
        both = R.merge(other)
        assert trials_of(both) == [sorted(mine + theirs) for mine, theirs in zip(truth, more, strict=True)]
        assert both.trials.tolist() == [len(each) for each in trials_of(both)]


@pytest.mark.parametrize("kind", KINDS)
def test_sets_suites_and_files_keep_them(kind, tmp_path):
    (a, of_a), (b, of_b) = world(1, kind), world(2, kind)
    models = OutcomeSet({"a": a, "b": b})
    assert [trials_of(each) for each in models.values()] == [of_a, of_b]
    models.save(tmp_path / "counts.npz")
    loaded = OutcomeSet.load(tmp_path / "counts.npz")
    assert loaded == models
    assert [trials_of(each) for each in loaded.values()] == [of_a, of_b]
    groups = ["x", "y", "x", "y", "x", "y"]
    parts = models.split(groups)
    assert trials_of(parts["x"]["a"]) == of_a[::2]
    pooled = Suite({"one": OutcomeSet({"a": a}), "two": OutcomeSet({"a": b})}).pooled()
    assert trials_of(pooled["a"]) == of_a + of_b
    SavedCounts(OutcomeSet({"a": b}), part="second").save(tmp_path / "second.npz")
    SavedCounts(OutcomeSet({"a": a}), part="first").save(tmp_path / "first.npz")
    total = SavedCounts.load(tmp_path / "first.npz").merge(tmp_path / "second.npz").outcomes["a"]
    assert trials_of(total) == [sorted(mine + theirs) for mine, theirs in zip(of_a, of_b, strict=True)]


def test_missing_trials():
    R = [[1, None, 0], [None, 1, 1]]
    answers = [["a", "b", "c"], ["d", "e", None]]
    omitted = OutcomeMatrix(R, answers=answers, missing="omit")
    assert answer_counts(omitted) == [{"a": 1, "c": 1}, {"e": 1}]
    failed = OutcomeMatrix(R, answers=answers, missing="fail")
    assert answer_counts(failed) == [{"a": 1, "b": 1, "c": 1}, {"d": 1, "e": 1}]


def test_other_trials_have_no_known_answers():
    R, _ = world(3)
    assert R.replaced(counts=R.counts + 1).answers is None
    assert R.merge(OutcomeMatrix([[1]] * 6, questions=R.questions)).answers is None
    with pytest.raises(OutcomeError, match="answers of the trials are not known"):
        _ = answer_counts(OutcomeMatrix([[0, 1]]))


def test_thresholds_keep_the_order():
    R, truth = world(4, "continuous")
    right = R.at_least(0.5)
    assert trials_of(right) == [sorted((float(x >= 0.5), *rest) for x, *rest in each) for each in truth]


def test_damaged_files_are_refused(tmp_path):
    R, _ = world(0)
    path = tmp_path / "counts.npz"
    OutcomeSet({"a": R}).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    for name in [name for name in arrays if name.startswith("samples/")]:
        damaged = dict(arrays)
        damaged[name] = damaged[name][:-1]
        np.savez(tmp_path / "damaged.npz", **damaged)
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
