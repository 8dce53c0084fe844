"""Gates: each verdict against the law it follows from, Holm by hand, overall against independent simulation."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t

from helpers.few import one_more
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, Suite, compare, gate
from scorio._base.numbers import number
from scorio.errors import QuestionsWarning

OLD = OutcomeMatrix.from_counts([9, 5, 10, 2, 8, 7], 10)
WORSE = OutcomeMatrix.from_counts([4, 1, 6, 0, 3, 2], 10)


def suites(**pairs):
    return [Suite({task: {"m": pair[side]} for task, pair in pairs.items()}) for side in range(2)]


def test_the_bound_is_where_the_verdict_changes():
    """A check passes exactly for limits beyond its lower bound, and fails exactly for those before its upper bound."""
    check = gate("pass@1", WORSE, OLD, max_drop=0.4).checks[0]
    promised = {"mode": "noninferior"}
    for beyond, verdict in ((1e-6, "passed"), (-1e-6, "undecided")):
        assert gate("pass@1", WORSE, OLD, max_drop=-check.lo + beyond, **promised).verdict == verdict
    for beyond, verdict in ((-1e-6, "failed"), (1e-6, "undecided")):
        assert gate("pass@1", WORSE, OLD, max_drop=-check.hi + beyond, **promised).verdict == verdict


def test_the_population_is_a_paired_t_test_with_one_more():
    new, old = np.array([4, 1, 6, 0, 3, 2, 8, 5]), np.array([9, 5, 10, 2, 8, 7, 8, 6])
    pair = [OutcomeMatrix.from_counts(each, 10) for each in (new, old)]
    check = gate("pass@1", *pair, target="population", max_drop=0.2, mode="noninferior").checks[0]
    mean, sd, df = one_more((new - old) / 10)
    assert check.p_passed == pytest.approx(t.sf((mean + 0.2) / sd, df), abs=1e-12)
    assert check.p_failed == pytest.approx(t.cdf((mean + 0.2) / sd, df), abs=1e-12)


def test_failures_are_corrected_for_their_number_and_passes_are_not():
    pair = (WORSE, OLD)
    alone = gate("pass@1", *pair, max_drop=0.3).checks[0]
    result = gate("pass@1", *suites(a=pair, b=pair, c=pair), max_drop=0.3, decided_by="tasks")
    tasks = [each for each in result.checks if each.decides]
    assert [each.task for each in tasks] == ["a", "b", "c"]
    assert [each.p_failed for each in tasks] == pytest.approx([min(3 * alone.p_failed, 1.0)] * 3)
    assert [each.p_passed for each in tasks] == pytest.approx([alone.p_passed] * 3)


def test_overall_for_the_population_is_welchs_t_test():
    rng = np.random.default_rng(2)
    counts = {task: (rng.integers(0, 11, n), rng.integers(0, 11, n)) for task, n in (("a", 8), ("b", 14))}
    pairs = {task: [OutcomeMatrix.from_counts(each, 10) for each in pair] for task, pair in counts.items()}
    options = {"target": "population", "task_weights": {"a": 1, "b": 3}, "max_drop": 0.3}
    overall = gate("pass@1", *suites(**pairs), **options).checks[-1]
    gaps = {task: (new - old) / 10 for task, (new, old) in counts.items()}
    a, b = (one_more(gaps[task], share=len(gaps[task]) / 22) for task in "ab")  # one more of both together
    mean, parts = (a.mean + 3 * b.mean) / 4, ((a.sd / 4) ** 2, (3 * b.sd / 4) ** 2)
    sd, df = np.sqrt(sum(parts)), sum(parts) ** 2 / (parts[0] ** 2 / a.degrees + parts[1] ** 2 / b.degrees)
    assert overall.difference == pytest.approx(mean, abs=1e-12)
    assert overall.lo == pytest.approx(mean - t.isf(0.05, df) * sd, abs=1e-12)
    assert overall.p_passed == pytest.approx(t.sf((mean + 0.3) / sd, df), abs=1e-9)


def test_single_trials_of_many_tasks_are_no_surer_than_they_can_be():
    """One trial per question does not show how different questions are: the guess must not make a sum too sure.

    On equal questions, which the learned prior guesses to be different, the true variance is known.
    """
    rng, rate, limit, sigmas = np.random.default_rng(8), 0.6, 0.05, []
    for _ in range(12):
        pairs = {
            f"task {task}": [OutcomeMatrix.from_counts(rng.binomial(1, [p] * 40), 1) for p in (rate - limit, rate)]
            for task in range(12)
        }
        check = gate("pass@1", *suites(**pairs), max_drop=limit).checks[-1]
        sigmas.append((check.hi - check.lo) / 2 / norm.ppf(0.95))
    true = np.sqrt((rate * (1 - rate) + (rate - limit) * (1 - rate + limit)) / (12 * 40))
    assert np.mean(sigmas) == pytest.approx(true, rel=0.05)


def test_a_metric_and_a_drop_for_each_task():
    pairs = {"a": (WORSE, OLD), "b": (OLD, OLD)}
    sides = suites(**pairs)
    drops, weights, mode = {"b": 0.01, "a": 0.5}, {"a": 3, "b": 1}, "noninferior"
    result = gate({"a": "pass@1", "b": "pass@4"}, *sides, max_drop=drops, task_weights=weights, mode=mode)
    assert [(each.task, each.metric) for each in result.checks] == [
        ("a", "pass@1"),
        ("b", "pass@4"),
        ("overall", "overall"),
    ]
    for check, (task, metric, drop) in zip(result.checks, (("a", "pass@1", 0.5), ("b", "pass@4", 0.01)), strict=False):
        [alone] = gate(metric, *pairs[task], max_drop=drop).checks
        assert (check.lo, check.hi, check.p_passed) == pytest.approx((alone.lo, alone.hi, alone.p_passed))
    overall = result.checks[-1]
    assert overall.max_drop == pytest.approx(0.75 * 0.5 + 0.25 * 0.01)
    assert str(overall).startswith("undecided: overall, ")
    text = str(result.to_markdown())
    assert "| max drop |" in text
    assert "| 0.5 |" in text
    assert "passed if the drop is below its limit with 95% confidence" in text
    assert result.to_dict()["max_drop"] == {"b": 0.01, "a": 0.5}
    own = gate("pass@1", *sides, max_drop={"a": 0.5, "b": 0.01, "overall": 0.2}).checks
    assert [each.max_drop for each in own] == [0.5, 0.01, 0.2]
    assert own[-1].p_passed == gate("pass@1", *sides, max_drop=0.2).checks[-1].p_passed


def test_what_undecided_gates_say():
    result = gate("pass@1", OLD, OLD, max_drop=0.05, mode="noninferior")
    assert (result.verdict, result.exit_code, result.passed) == ("undecided", 3, False)
    assert "times as many trials of both models" in str(result)
    text = gate("pass@1", OLD, OLD, max_drop=0.0, mode="noninferior").checks[0].needs("trials")
    assert text == "the drop is too close to the limit to tell at any realistic cost"


MODES = ("worse", "noninferior")


def rising(counts, start=0, trials=10):
    labels = [f"q{i}" for i in range(start, start + len(counts))]
    return OutcomeMatrix.from_counts(counts, trials, questions=labels)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_without_a_mode_a_gate_fails_where_the_new_model_is_shown_to_be_worse(target):
    """It fails exactly where the upper bound of the difference is below 0, unless the drop is shown to be accepted."""
    rng, seen = np.random.default_rng(5), set()
    for _ in range(60):
        rates = rng.beta(1, 1, 20)
        old, new = (
            OutcomeMatrix.from_counts(rng.binomial(6, np.clip(rates - d, 0, 1)), 6) for d in (0, rng.choice([0, 0.1]))
        )
        result = gate("pass@1", new, old, target=target, max_drop=0.15)
        (check,) = result.checks
        excludes = check.lo > -0.15
        assert result.verdict == ("failed" if check.hi < 0 and not excludes else "passed")
        assert check.excluded_drop == max(-check.lo, 0)
        says = f"drops above {number(check.excluded_drop)} are excluded" in str(check)
        assert says == (check.verdict != "failed")
        assert bool(check.needs("trials")) == (result.passed and not excludes)
        seen.add((result.verdict, excludes))
    assert {("failed", False), ("passed", True), ("passed", False)} <= seen


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_run_against_itself_passes(target):
    for R in (
        OLD,
        WORSE,
        OutcomeMatrix([[1, 1], [1, 1]]),
        OutcomeMatrix([[0], [0]]),
        OutcomeMatrix.from_counts([5], 9),
    ):
        if R.n_questions > 1 or target == "questions":
            assert gate(None, R, R, target=target).passed
    rewards = OutcomeMatrix.from_rewards([[0.5, 0.7], [0.1, 0.3], [0.2, 0.9]])
    assert gate(None, rewards, rewards, target=target).passed


def test_outcomes_against_themselves_are_doubted():
    with pytest.warns(QuestionsWarning, match="nothing can have changed: give those of an earlier run"):
        gate(None, OLD, OLD)
    both = OutcomeSet({"n": WORSE, "o": OLD})
    with pytest.raises(OutcomeError, match="a pair of names, the new one first"):
        gate(None, both, both)
    assert gate(None, both, both, model=("n", "o")).verdict == "failed"


def test_what_it_takes_to_exclude_the_drop_is_enough():
    """With so many times the data, a drop of ``max_drop`` is excluded in 80% of all repetitions."""
    old = OutcomeMatrix.from_counts([5] * 50, 10)
    check = gate("pass@1", old, old, max_drop=0.04).checks[0]
    assert "to exclude a drop of 0.04: about" in check.needs("trials")
    trials = round(10 * check.effort)
    rng = np.random.default_rng(3)
    passed = [
        gate("pass@1", *(OutcomeMatrix.from_counts(rng.binomial(trials, 0.5, 50), trials) for _ in "ab"), max_drop=0.04)
        .checks[0]
        .excludes
        for _ in range(200)
    ]
    assert 0.7 < np.mean(passed) < 0.9
    below = gate("pass@1", OutcomeMatrix.from_counts([4, 5] * 25, 10), old, max_drop=0.04).checks[0]
    assert (below.verdict, below.effort) == ("passed", None)
    assert "no number of trials is enough" in below.needs("trials")


@pytest.mark.parametrize("mode", MODES)
def test_nothing_passes_on_questions_that_are_not_shared(mode):
    old = rising([9, 5, 10, 2, 8, 7])
    about = {"max_drop": 0.9, "mode": mode}
    with pytest.raises(OutcomeError, match="share no question: they have outcomes of 6 and 6"):
        gate("pass@1", rising([9] * 6, start=6), old, **about)
    died = gate("pass@1", rising([10]), old, **about)
    assert (died.verdict, died.exit_code) == ("undecided", 3)
    more = gate("pass@1", rising([9] * 8), old, **about)
    assert (more.verdict, more.checks[0].scores) == ("undecided", (0.9, pytest.approx(41 / 60)))  # of the shared ones
    assert "lacks 2 of the 8 questions of the new model" in str(more)
    for text in (str(died), died.junit(), died.to_json(), died.to_markdown()):
        assert "the new model lacks 5 of the 6 questions of the baseline" in text
        assert "shared_only=True" in text.replace("\\", "")
    with pytest.warns(match="rests on 1 of the 6 questions of the baseline"):
        shared = gate("pass@1", rising([10]), old, shared_only=True, **about)
    assert (shared.passed, shared.checks[0].n_questions, shared.checks[0].n_shared) == (True, (1, 6), 1)
    for text in (str(shared), shared.junit(), shared.to_markdown()):
        assert "1 shared question (new 1, baseline 6), 10 trials of each model" in text
    record = json.loads(shared.to_json())["checks"][0]
    assert [record[f"{each}_questions"] for each in ("new", "baseline", "shared")] == [1, 6, 1]
    with pytest.raises(OutcomeError, match="cannot be matched without labels: there are 1 and 6"):
        gate("pass@1", OutcomeMatrix.from_counts([10], 10), old, **about)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_passes_on_a_run_that_ended_early(mode):
    full = np.ones((6, 10))
    about = {"max_drop": 0.9, "mode": mode}
    unanswered, thin, half = full.copy(), full.copy(), full[:, :5]
    unanswered[4:] = np.nan
    thin[:, 8:] = np.nan
    old = OutcomeMatrix.from_counts([9, 5, 10, 2, 8, 7], 10)
    cases = {
        "the new model lacks 2 of the 6 questions": (OutcomeMatrix(unanswered, missing="omit"), old),
        "the new model has outcomes of only 80% of its planned trials": (OutcomeMatrix(thin, missing="omit"), old),
        "the baseline has outcomes of only 80% of its planned trials": (old, OutcomeMatrix(thin, missing="omit")),
        "fewer trials per question (2) than a quarter of the baseline's (10)": (OutcomeMatrix(full[:, :2]), old),
    }
    for problem, (new, base) in cases.items():
        result = gate("pass@1", new, base, **about)
        assert result.verdict == "undecided", problem
        assert problem in str(result)
        assert problem in result.junit()
        if "lacks" not in problem:
            assert gate("pass@1", new, base, allow_missing=True, **about).passed
            assert "allow_missing=True" in str(result)
    assert gate("pass@1", OutcomeMatrix(half), old, **about).passed
    one = suites(a=(old, old), b=cases["the new model has outcomes of only 80% of its planned trials"])
    assert [each.verdict for each in gate("pass@1", *one, **about).checks] == ["passed", "undecided", "undecided"]


@pytest.mark.parametrize("mode", MODES)
def test_numbers_that_are_not_known_pass_nothing(mode):
    check = gate("pass@1", OLD, OLD, max_drop=0.9).checks[0]
    unknown = replace(check, scores=(np.nan, np.nan), difference=np.nan, lo=np.nan, p_passed=np.nan)
    assert unknown.judged(mode, 0.05, np.nan).verdict != "passed"


A, B = suites(a=(WORSE, OLD), b=(OLD, OLD))


@pytest.mark.parametrize(
    ("sides", "options", "message"),
    [
        ((A.select(tasks=["a"]), B), {}, "the new has no outcomes of 1 task of the baseline: 'b'.*select"),
        ((WORSE, OutcomeSet({"n": WORSE, "o": OLD})), {}, "the baseline outcomes hold 2 models, 'n', 'o': model"),
        (suites(a=(WORSE, OLD), overall=(OLD, OLD)), {}, "a task is named 'overall'"),
        ((WORSE, OLD), {"mode": "noninferiority"}, "unknown mode 'noninferiority'. Did you mean 'noninferior'"),
        ((WORSE, OLD), {"max_drop": -0.1}, "max_drop must be a number, at least 0"),
        ((WORSE, OLD), {"confidence": 0.4}, "confidence must be above 0.5"),
        ((WORSE, OLD), {"max_drop": {"a": 1}}, "max_drop can only be given for a suite of tasks, and these"),
        ((A, B), {"max_drop": {"a": 0.1}}, "max_drop lacks the tasks 'b': name every task"),
        ((A, B), {"max_drop": {"a": 0.1, "b": 0.1, "c": 0.1}}, "max_drop has an unknown task 'c'"),
        ((A, B), {"max_drop": {"a": 0.1, "b": -0.1}}, "the limit of 'b' must be a number, at least 0"),
    ],
)
def test_errors_say_what_to_do(sides, options, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        gate(**{"metric": None, "new": sides[0], "baseline": sides[1]} | options)


def test_a_passed_gate_about_the_population_says_what_too_few_questions_cannot_show():
    """Of 300 questions in 60 clusters, 59 were never solved; where the new model fails need not be among them."""
    clusters = [f"family {a // 5}" for a in range(300)]
    old, new = (
        OutcomeMatrix.from_counts([c] * 5 + [0] * 295, 32, clusters=clusters, questions=range(300)) for c in (4, 3)
    )
    with pytest.warns(QuestionsWarning, match="about 1.0 of 60 clusters tell the models apart.* as much as 5%"):
        assert gate("pass^3", new, old, target="population").verdict == "passed"
    with pytest.warns(QuestionsWarning, match="none of 60 clusters"):
        gate("pass^3", old, old, target="population")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gate("pass^3", new, old)  # about these questions
        rates = np.random.default_rng(0).random(200)
        pair = [OutcomeMatrix.from_counts(np.random.default_rng(i).binomial(64, rates), 64) for i in (1, 2)]
        assert gate("pass@1", *pair, target="population", max_drop=0.05).verdict == "passed"


def test_a_copy_is_warned_of_and_a_failed_check_excludes_nothing():
    counts = [3, 4, 6, 2, 8, 7, 1, 5]
    run, again = (OutcomeMatrix.from_counts(counts, 10) for _ in "ab")
    with pytest.warns(QuestionsWarning, match="are the same, so nothing can have changed"):
        same = gate("pass@1", run, again)
    with pytest.warns(QuestionsWarning, match="the same outcomes of every question: a run is compared with itself"):
        assert compare("pass@1", run, again).difference == 0.0
    noted = same.annotations(["a run is compared with itself"]).splitlines()
    assert noted[-1] == "::warning title=scorio gate::a run is compared with itself"
    failed = gate("pass@1", OutcomeMatrix.from_counts([0] * 8, 10), run)
    assert failed.verdict == "failed"
    assert "excluded" not in failed.annotations()
    with pytest.raises(OutcomeError, match="share no question, though some names differ in capitals only"):
        gate("pass@1", *(run.replaced(questions=[f"{q}{i}" for i in range(8)]) for q in "qQ"))


def test_a_comparison_calls_the_models_as_their_outcomes_do():
    models = OutcomeSet({"alpha": [[1, 1, 0]] * 4, "delta": [[0, 1, 0]] * 4})
    assert compare("pass@1", models, models, model=("alpha", "delta")).names == ("alpha", "delta")
    assert compare("pass@1", models["alpha"], models["delta"]).names == ("A", "B")
