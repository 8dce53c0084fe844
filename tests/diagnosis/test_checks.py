"""Each check finds what was put into simulated outcomes, and raises false alarms no more often than promised."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from scorio import OutcomeMatrix, OutcomeSet, Suite, diagnose
from scorio.diagnosis._diagnose import _findings
from scorio.diagnosis._diagnosis import ALIKE, COPIES, SATURATED
from scorio.diagnosis._gaps import dependence, gaps
from scorio.diagnosis._reliability import reliability
from scorio.diagnosis._runs import cochran, runs_of_arrays
from scorio.diagnosis._stability import predict


def worlds(rng, count, alpha=None, beta=None):
    """Outcomes of two sound models: rates of any Beta distribution, and trials that are independent."""
    for _ in range(count):
        m, r = rng.uniform(size=2)
        s = (1 - r) / r
        questions, trials = int(rng.integers(10, 60)), int(rng.integers(2, 7))
        a, b = (m * s, (1 - m) * s) if alpha is None else (alpha, beta)
        rates = rng.beta(a, b, (2, questions))
        yield rng.binomial(1, rates[..., None], (2, questions, trials))


def kinds_found(outcomes):
    """The kinds of findings, without the rest of a diagnosis."""
    models = {"a": outcomes[0], "b": outcomes[1]}
    return {each.kind for each in _findings({"": OutcomeSet(models)}, runs_of_arrays(models), [], 0.05)} - {SATURATED}


@pytest.mark.simulation
def test_false_alarms_are_as_rare_as_promised():
    found = [kinds_found(each) for each in worlds(np.random.default_rng(1), 300)]
    assert np.mean([bool(kinds) for kinds in found]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.simulation
def test_models_that_solve_nearly_everything_are_not_called_copies():
    found = [kinds_found(each) for each in worlds(np.random.default_rng(2), 80, 60.0, 0.4)]
    assert any(len(np.unique(each[0])) == 1 for each in worlds(np.random.default_rng(2), 80, 60.0, 0.4))
    assert not any(kinds & {COPIES, ALIKE} for kinds in found)
    assert diagnose({"a": np.ones((50, 5), int)}).finding("copied trials") is None
    assert diagnose({"a": np.zeros((50, 5), int)}).finding("copied trials") is None
    one_failed = np.ones((50, 5), int)
    one_failed[0] = 0
    assert diagnose({"a": one_failed}).finding("copied trials") is None


def test_cached_trials_are_found():
    rng = np.random.default_rng(3)
    first = rng.binomial(1, 0.6, (60, 1))
    sound = rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 5))
    found = diagnose({"cached": np.repeat(first, 5, axis=1), "sound": sound})
    assert found.finding("copied trials").models == ("cached",)
    assert [each.kind for each in found.findings].count("copied trials") == 1
    assert found.finding("copied run") is None  # said once
    assert "outcomes of cached" in found.next_reason


def test_cached_trials_are_found_from_counts_alone():
    solved = np.arange(80) % 2
    found = diagnose({"a": OutcomeMatrix.from_counts(4 * solved, 4)})
    assert "copied trials, or success rates near 0 and 1" in found.finding("trials alike").advice
    assert found.finding("copied trials") is None  # there is nothing to compare with
    assert found.next_command == "scorio convert LOGS"
    ragged = OutcomeMatrix([[one] * (2 + i % 3) for i, one in enumerate(solved.tolist())])
    assert diagnose({"a": ragged}).finding("trials alike")
    sound = OutcomeMatrix.from_counts(np.random.default_rng(0).binomial(4, 0.5, 80), 4)
    assert diagnose({"a": ragged, "b": sound}).finding("copied trials").models == ("a",)


def test_one_trial_per_question_is_never_called_a_copy():
    assert diagnose({"a": (np.arange(500) % 2)[:, None]}).finding("copied trials") is None


def test_a_run_that_was_read_twice_is_found():
    rng = np.random.default_rng(4)
    outcomes = rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 4))
    twice = np.hstack([outcomes, outcomes[:, 1:2]])
    found = diagnose({"a": twice, "b": outcomes})
    finding = found.finding("copied run")
    assert finding.models == ("a",)
    assert "trial 1 and trial 4" in finding.what
    assert diagnose({"a": outcomes}).is_sound


def test_a_model_under_two_names_is_found():
    rng = np.random.default_rng(5)
    outcomes = rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 4))
    assert diagnose({"a": outcomes, "b": outcomes}).finding("copied model").models == ("a", "b")


def test_cochrans_test_is_that_of_the_textbook():
    outcomes = np.random.default_rng(6).binomial(1, 0.5, (30, 4)).astype(float)
    columns, rows, total = outcomes.sum(0), outcomes.sum(1), outcomes.sum()
    q = 3 * (4 * (columns**2).sum() - total**2) / (4 * total - (rows**2).sum())
    assert cochran(outcomes) == pytest.approx(chi2.sf(q, 3), rel=1e-10)


def test_swapped_axes_are_found():
    rng = np.random.default_rng(7)
    right = rng.binomial(1, rng.beta(0.4, 0.4, (50, 1)), (50, 6))
    with pytest.warns(UserWarning, match="transpose"):
        diagnosis = diagnose({"a": right.T})
    assert diagnosis.finding("swapped axes")
    assert diagnosis.next_command == "scorio convert LOGS"
    assert diagnose({"a": right}).finding("swapped axes") is None


def test_swapped_axes_of_counts_are_told_by_their_shape():
    with pytest.warns(UserWarning, match="transpose"):
        matrix = OutcomeMatrix(np.random.default_rng(8).binomial(1, 0.5, (2, 400)))
    assert diagnose({"a": matrix}).finding("swapped axes")


def test_a_run_that_went_wrong_is_found():
    rng = np.random.default_rng(9)
    outcomes = rng.binomial(1, rng.beta(1, 1, (80, 1)), (80, 5))
    outcomes[:, 2] = rng.binomial(1, 0.1, 80)
    finding = diagnose({"a": outcomes}).finding("trials differ")
    assert "trial 2" in finding.what
    assert diagnose({"a": outcomes}).finding("swapped axes") is None


def with_gaps(rng, by_outcome):
    rates = rng.beta(1, 1, 60)
    outcomes = rng.binomial(1, rates[:, None], (60, 5)).astype(float)
    chance = np.where(outcomes > 0, 0.02, 0.3) if by_outcome else np.full(outcomes.shape, 0.15)
    outcomes[rng.uniform(size=outcomes.shape) < chance] = np.nan
    return OutcomeSet({"a": outcomes}, missing="omit")


def test_missing_trials_that_depend_on_the_outcome_are_found():
    found = diagnose(with_gaps(np.random.default_rng(10), by_outcome=True))
    assert "fails on" in found.finding("missing by outcome").what
    assert found.next_command == "scorio rank LOGS --missing fail"
    assert found.finding("missing trials") is None


@pytest.mark.simulation
def test_trials_that_are_missing_by_chance_raise_few_alarms():
    rng = np.random.default_rng(11)
    alarms = [[each.kind for each in gaps("", with_gaps(rng, by_outcome=False), 0.05)] for _ in range(200)]
    assert np.mean(["missing by outcome" in each for each in alarms]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_the_permutation_test_is_that_of_all_permutations():
    missing, means = np.array([2.0, 0, 0, 1, 0]), np.array([0.1, 0.5, 0.7, 0.2, 0.9])
    centered = means - means.mean()
    every = [abs(missing @ np.array(each)) for each in permutations(centered)]
    exact = np.mean(np.array(every) >= abs(missing @ centered) - 1e-12)
    assert dependence(missing, means) == pytest.approx(exact, abs=4 * np.sqrt(exact / 2000))


@pytest.mark.parametrize(("a", "b", "questions"), [(0.5, 0.5, 30), (2.0, 2.0, 30), (1.0, 1.0, 100)])
@pytest.mark.simulation
def test_the_interval_of_the_icc_contains_the_truth(a, b, questions):
    rng, truth, worlds_each = np.random.default_rng(12), 1 / (a + b + 1), 400
    results = [
        reliability("m", OutcomeMatrix.from_counts(rng.binomial(4, rng.beta(a, b, questions)), 4), 0.95)
        for _ in range(worlds_each)
    ]
    covered = np.mean([each.lo <= truth <= each.hi for each in results])
    assert covered == pytest.approx(0.95, abs=0.01 + 3 * np.sqrt(0.95 * 0.05 / worlds_each))
    icc = np.array([each.icc for each in results])
    assert icc.mean() == pytest.approx(truth, abs=0.01 + 3 * icc.std() / np.sqrt(worlds_each))


def test_the_icc_is_that_of_all_pairs_of_trials():
    rows = [[1, 1, 0], [0, 0], [1, 0, 1, 1], [0, 1], [1, 1]]
    within = np.mean(
        [np.mean([(x - y) ** 2 for i, x in enumerate(r) for j, y in enumerate(r) if i != j]) for r in rows]
    )
    between = np.mean(
        [
            np.mean([(x - y) ** 2 for x in r for y in s])
            for i, r in enumerate(rows)
            for j, s in enumerate(rows)
            if i != j
        ]
    )
    assert reliability("m", OutcomeMatrix(rows), 0.95).icc == pytest.approx(1 - within / between, abs=1e-12)


def test_reliability_of_rewards_is_the_same_for_categories_and_continuous_ones():
    rewards = np.random.default_rng(13).choice([0.0, 0.25, 1.0], (20, 4))
    matrix = OutcomeMatrix.from_rewards(rewards)
    one, other = (reliability("m", each, 0.95) for each in (matrix, matrix.as_continuous()))
    assert one.icc == pytest.approx(other.icc, abs=1e-12)
    assert (one.lo, one.hi) == pytest.approx((other.lo, other.hi), abs=1e-9)


def test_another_run_is_predicted_with_the_spread_that_it_has():
    rng, errors = np.random.default_rng(14), []
    for _ in range(300):
        rates = rng.beta(1, 2, 40)
        mean, variance = predict(OutcomeMatrix.from_counts(rng.binomial(3, rates), 3))
        errors.append((rng.binomial(3, rates).mean() / 3 - mean) / variance**0.5)
    assert np.mean(errors) == pytest.approx(0, abs=4 / np.sqrt(300))
    assert np.std(errors) == pytest.approx(1, abs=4 / np.sqrt(600))


@pytest.mark.simulation
def test_the_best_model_stays_as_often_as_predicted():
    rng, predicted, stayed, order_predicted, order_stayed = np.random.default_rng(15), [], [], [], []
    for _ in range(120):
        level = rng.normal(0, 0.5, 3)
        rates = 1 / (1 + np.exp(-(rng.normal(0, 1.5, 40)[None] + level[:, None])))
        first, second = (rng.binomial(2, rates) for _ in range(2))
        [stable] = diagnose({str(i): OutcomeMatrix.from_counts(c, 2) for i, c in enumerate(first)}).stability
        again = second.mean(axis=1)
        names = np.array(list(map(int, stable.order)))
        ties = (again == again.max()).sum()
        predicted.append(stable.p_best)
        stayed.append((again[names[0]] == again.max()) / ties)
        order_predicted.append(stable.p_order)
        order_stayed.append((np.diff(again[names]) <= 0).all() - 0.5 * (np.diff(again[names]) == 0).any())
    error = 3.5 * np.sqrt(0.25 / 120)
    assert np.mean(predicted) == pytest.approx(np.mean(stayed), abs=error)
    assert np.mean(order_predicted) == pytest.approx(np.mean(order_stayed), abs=error)


def test_two_tasks_with_the_same_outcomes():
    rng = np.random.default_rng(5)
    one = {name: rng.binomial(1, rng.beta(1, 1, 30)[:, None], (30, 4)) for name in ("a", "b")}
    other = {name: rng.binomial(1, rng.beta(1, 1, 30)[:, None], (30, 4)) for name in ("a", "b")}
    found = diagnose(Suite({"log": one, "table": one, "else": other})).finding("copied task")
    assert found.models == ("a", "b")
    assert "log and table have the same outcomes of 'a', 'b' on every question" in found.what
    assert diagnose(Suite({"log": one, "else": other})).finding("copied task") is None
    labels = [f"q{i}" for i in range(30)]
    shuffled = OutcomeSet({"a": OutcomeMatrix(one["a"][::-1], questions=labels[::-1])})
    tasks = {"log": OutcomeSet({"a": OutcomeMatrix(one["a"], questions=labels)}), "table": shuffled}
    assert diagnose(Suite(tasks)).finding("copied task").models == ("a",)
    easy = {"a": np.ones((30, 1), int)}
    assert diagnose(Suite({"log": easy, "table": easy})).finding("copied task") is None


@pytest.mark.parametrize(("questions", "is_found"), [(9, False), (10, True)])
def test_models_that_are_opposites_are_found_from_10_questions_on(questions, is_found):
    solved = np.linspace(2, 98, questions).astype(int)
    models = {"a": OutcomeMatrix.from_counts(solved, 100), "b": OutcomeMatrix.from_counts(100 - solved, 100)}
    assert bool(diagnose(OutcomeSet(models)).findings) is is_found


def test_two_trials_of_every_question_are_enough_to_find_opposites():
    rng = np.random.default_rng(0)
    rates = rng.random(300)
    models = {"a": rng.binomial(2, rates), "b": 2 - rng.binomial(2, rates)}
    [finding] = diagnose(OutcomeSet({name: OutcomeMatrix.from_counts(s, 2) for name, s in models.items()})).findings
    assert finding.what.startswith("where a succeeds, b fails")
