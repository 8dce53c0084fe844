"""Estimates: their arithmetic gives the numbers of comparisons, however a question is written."""

import itertools
import math
import sys
import warnings

import numpy as np
import pytest

from scorio import Estimate, Family, Metric, OutcomeMatrix, OutcomeSet, PassAtK, Suite, compare, estimate, gate
from scorio.errors import OutcomeError, ParameterError, QuestionsWarning
from scorio.estimates import mean, parse_statement
from scorio.inference._level import Level
from scorio.metrics import MajAtK, RuleAtK

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def outcomes(questions=30, trials=6, models="ab", seed=3):
    rng = np.random.default_rng(seed)
    ease = rng.normal(0.0, 1.2, questions)
    rates = {name: 1.0 / (1.0 + np.exp(-(ease + 0.4 * i))) for i, name in enumerate(models)}
    return OutcomeSet({name: (rng.random((questions, trials)) < p[:, None]).astype(int) for name, p in rates.items()})


def numbers(made: Estimate):
    interval = made.interval()
    return interval.mu, interval.sigma, interval.lo, interval.hi, made.p_above(), made.degrees


def of_comparison(result):
    return result.difference, result.sigma, result.lo, result.hi, result.p_better, result.degrees


def in_runs():
    rng, runs = np.random.default_rng(5), [f"run {i}" for i in range(4)]
    return [OutcomeMatrix((rng.random((30, 4)) < 0.5 + rng.normal(0, 0.1, 4)).astype(int), runs=runs) for _ in "ab"]


def in_another_order():
    rows, labels, order = np.array([[1, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0]]), list("abcd"), [2, 0, 3, 1]
    other = OutcomeMatrix(1 - rows[order], questions=[labels[i] for i in order])
    return OutcomeMatrix(rows, questions=labels), other


def with_clusters(one, other):
    return [OutcomeMatrix([[1, 0], [1, 1], [0, 0], [0, 1]], clusters=each and list(each)) for each in (one, other)]


PAIRS = {
    "usual": (outcomes(30, 6).values(), {}),
    "few trials": (outcomes(6, 2).values(), {}),
    "two questions": (outcomes(2, 3).values(), {}),
    "single trials": (outcomes(40, 1).values(), {}),
    "in another order": (in_another_order(), {}),
    "clusters of one side serve both": (with_clusters("aabc", None), {}),
    "runs": (in_runs(), {"runs": "random"}),
}
PAIRS |= {prior: (outcomes().values(), {"prior": prior}) for prior in ("uniform", "jeffreys", "learned")}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", ["pass@1", "pass@2", "maj@1", "avg"])
def test_a_difference_is_that_of_compare(pair, target, metric):
    (one, other), options = PAIRS[pair][0], PAIRS[pair][1] | {"target": target}
    gain = Metric.from_string(metric).estimate(one, **options) - Metric.from_string(metric).estimate(other, **options)
    expected = compare(metric, one, other, **options)
    assert numbers(gain) == pytest.approx(of_comparison(expected), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("weights", [None, {"one": 1, "two": 3}])
def test_overall_scores_of_suites_are_those_of_compare(target, weights):
    suite = Suite({"one": outcomes(20, 4, seed=1), "two": outcomes(35, 5, seed=2)})
    board = estimate("pass@2", suite, target=target, task_weights=weights)
    sides = (suite.select(models=[name]) for name in "ab")
    expected = compare("pass@2", *sides, target=target, task_weights=weights)
    assert numbers(board["a"] - board["b"]) == pytest.approx(of_comparison(expected), rel=1e-9)


def test_runs_add_their_noise_by_the_weight_of_their_model():
    """Two models on tasks of their own are independent, so the variance of their mean is that of both halves."""
    together, apart = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        one, other = (
            PassAtK(1).estimate(
                OutcomeMatrix((rng.random((40, 6)) < rng.normal(0.5, 0.2, 6)).astype(int), runs=range(6)),
                task=name,
                model=name,
                runs="random",
            )
            for name in ("one", "other")
        )
        together.append((0.5 * one + 0.5 * other).sd ** 2)
        apart.append((0.5 * one).sd ** 2 + (0.5 * other).sd ** 2)
    assert np.mean(together) == pytest.approx(np.mean(apart), rel=0.1)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_one_estimate_is_its_interval(target):
    matrix = outcomes()["a"]
    assert PassAtK(2).estimate(matrix, target=target).interval(0.9) == PassAtK(2).interval(matrix, 0.9, target=target)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_the_same_question_has_the_same_numbers_however_it_is_written(target):
    board = estimate("pass@1", outcomes(models="abcd"), target=target)
    a, b, c, d = board.values()
    ways = [
        (a - b) - (c - d),
        a - b - c + d,
        -(b - a) + -1.0 * (c - d),
        (a + d) - (b + c),
        2.0 * (mean([a, d]) - mean([b, c])),
        sum([a, d, -b, -c]),
        (a + 1.0) - (b + c - d) - 1.0,
    ]
    for one in ways[1:]:
        assert numbers(one) == pytest.approx(numbers(ways[0]), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_two_outcomes_under_one_name_are_two_values(target):
    one, other = outcomes().values()
    named = [PassAtK(1).estimate(matrix, model="x", target=target) for matrix in (one, other)]
    plain = [PassAtK(1).estimate(matrix, target=target) for matrix in (one, other)]
    assert numbers(named[0] - 0.5 * named[1]) == numbers(plain[0] - 0.5 * plain[1])


def test_costs_and_rates_of_the_same_trials():
    rng = np.random.default_rng(0)
    rows = {name: rng.integers(0, 2, (30, 6)) for name in "ab"}
    usd = {name: rng.uniform(1.0, 3.0, (30, 6)) + rows[name] for name in "ab"}
    models = {name: OutcomeMatrix(rows[name], scores={"usd": usd[name]}) for name in "ab"}
    spent = RuleAtK(1, lambda draw: draw.scores["usd"][0], ends=(0, 20))
    right = RuleAtK(1, lambda draw: draw.outcomes[0])
    cost, rate = estimate(spent, models), estimate(right, models)
    ratio = (cost["a"] / rate["a"]) / (cost["b"] / rate["b"])
    assert ratio.value == pytest.approx(usd["a"].sum() / rows["a"].sum() / (usd["b"].sum() / rows["b"].sum()))
    cost, rate = (estimate(metric, models, target="population") for metric in (spent, right))
    assert (cost["a"] + rate["a"]).value == pytest.approx(usd["a"].mean() + rows["a"].mean())


def test_better_at_the_same_cost_is_a_difference_of_two_budgets():
    models = outcomes()
    gap = estimate("pass@1", models)["b"] - estimate("pass@3", models)["a"]
    score = PassAtK(1).estimate(models["b"]).value - PassAtK(3).estimate(models["a"]).value
    assert gap.value == pytest.approx(score)
    assert gap.interval().lo < score < gap.interval().hi


def test_what_is_shared_cancels():
    a, b, c = estimate("pass@1", outcomes(models="abc")).values()
    nothing = a - a
    assert (nothing.value, nothing.sd, nothing.interval().hi) == (0.0, 0.0, 0.0)
    assert numbers((a + c) - (b + c)) == pytest.approx(numbers(a - b), rel=1e-12)


def test_paired_questions_cancel_for_the_population():
    models = outcomes(60)
    paired = estimate("pass@1", models, target="population")
    apart = {name: PassAtK(1).estimate(models[name], task=name, target="population") for name in "ab"}
    assert (paired["a"] - paired["b"]).sd < 0.6 * (apart["a"] - apart["b"]).sd


def test_two_metrics_of_the_same_trials_have_their_covariance():
    matrix = outcomes()["a"]
    one, other = (PassAtK(k).estimate(matrix, prior="uniform", shape="normal") for k in (1, 3))
    variance = one.sd**2 + other.sd**2 - 2.0 * PassAtK(1).cov(PassAtK(3), matrix)
    assert (other - one).sd == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_a_ratio_is_that_of_a_relative_gate():
    models = outcomes(50, 8)
    board = estimate("pass@1", models, confidence=0.9)
    [check] = gate("pass@1", models["a"], models["b"], max_drop="5%", confidence=0.95).checks
    ratio = board["a"] / board["b"]
    assert (ratio.value, *ratio.interval()[2:]) == pytest.approx(check.ratio, rel=1e-9)
    assert (board["a"] - 0.95 * board["b"]).p_above() == pytest.approx(1.0 - check.p_passed, rel=1e-6)


def test_a_ratio_to_what_may_be_nothing_has_no_end():
    board = estimate("pass@1", {"a": [[1, 1, 0]] * 5, "b": [[0, 0, 0]] * 4 + [[0, 0, 1]]}, target="population")
    ratio = board["a"] / board["b"]
    assert ratio.to_dict()["hi"] is None
    assert "inf" in str(ratio)
    with pytest.raises(OutcomeError, match="no end at this confidence"):
        ratio.interval()


def test_the_sign_of_a_ratio_is_that_of_its_difference():
    a, b = estimate("pass@1", outcomes()).values()
    assert (a / b).p_above(0.9) == pytest.approx((a - 0.9 * b).p_above(), rel=1e-12)


def test_functions_are_taken_to_first_order():
    a, b = estimate("pass@1", outcomes(), target="population").values()
    log_a = a.through(math.log)
    assert log_a.value == pytest.approx(math.log(a.value), rel=1e-12)
    assert log_a.sd == pytest.approx(a.sd / a.value, rel=1e-5)
    exact = a.through(math.log, slope=lambda value: 1.0 / value)
    assert log_a.sd == pytest.approx(exact.sd, rel=1e-6)
    assert (a.through(math.log) - b.through(math.log)).sd < log_a.sd + b.through(math.log).sd


def test_slices_add_up_to_the_whole():
    matrix = outcomes(40)["a"]
    topics = ["algebra", "sets"] * 20
    whole = PassAtK(1).estimate(matrix, target="population")
    parts = whole.by(topics)
    assert mean(parts.values()).value == pytest.approx(whole.value, abs=0.02)
    alone = PassAtK(1).interval(matrix.select(np.array([each == "sets" for each in topics])), target="population")
    assert parts["sets"].interval() == alone


def test_a_part_beside_the_whole_counts_no_trial_twice():
    whole = PassAtK(1).estimate(outcomes(40)["a"])
    parts = whole.by(["algebra", "sets"] * 20)
    with pytest.raises(OutcomeError, match="the same trials"):
        (whole - parts["sets"]).interval()


def test_metrics_of_the_same_trials_that_have_no_sum_are_refused():
    matrix = outcomes(40)["a"]
    made = [Metric.from_string(name) for name in ("pass@2", "geomds@2")]
    with pytest.raises(OutcomeError, match="pass@2 and geomds@2 are of the same trials"):
        float(made[0].estimate(matrix) - made[1].estimate(matrix))
    assert math.isfinite(made[0].estimate(matrix, target="population") - made[1].estimate(matrix, target="population"))


def test_a_part_beside_the_whole_shares_its_questions_in_a_population():
    matrix = outcomes(40)["a"]
    whole = PassAtK(1).estimate(matrix, target="population")
    part = whole.by(["algebra", "sets"] * 20)["sets"]
    assert (whole - part).sd < 0.9 * math.hypot(whole.sd, part.sd)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(("mine", "theirs", "shared"), [("abcd", "bcde", 3), ("abcd", "wxyz", 0), ("abcd", None, 0)])
def test_different_questions_are_warned_of(mine, theirs, shared, target):
    rows = [[1, 0], [1, 1], [0, 0], [1, 0]]
    one = PassAtK(1).estimate(OutcomeMatrix(rows, questions=list(mine)), target=target)
    other = PassAtK(1).estimate(OutcomeMatrix(rows, questions=theirs and list(theirs)), target=target)
    with pytest.warns(QuestionsWarning, match=f"different questions, 4 and 4, {shared} of them shared"):
        one - other


def test_tasks_that_are_named_may_have_different_questions():
    short, long = ([[1, 0]] * n for n in (4, 7))
    with warnings.catch_warnings():
        warnings.simplefilter("error", QuestionsWarning)
        mean([PassAtK(1).estimate(short, task="de"), PassAtK(1).estimate(long, task="fr")]).interval()


def test_clusters_that_differ_are_refused():
    one, other = (PassAtK(1).estimate(each, target="population") for each in with_clusters("aabc", "abbc"))
    with pytest.raises(OutcomeError, match="clusters differ"):
        (one - other).interval()


def test_clusters_of_questions_that_only_some_share_must_agree():
    rows = [[1, 0], [1, 1], [0, 0], [0, 1]]
    one = OutcomeMatrix(rows, questions=list("abcd"), clusters=list("xxyy"))
    other = OutcomeMatrix(rows, questions=list("bcde"), clusters=list("xzyy"))
    with pytest.raises(OutcomeError, match="question 'c' is in 'y' and in 'z'"):
        (PassAtK(1).estimate(one, target="population") - PassAtK(1).estimate(other, target="population")).interval()


def test_several_models_are_refused_where_one_is_asked_for():
    with pytest.raises(OutcomeError, match=r"scorio.estimate\(metric, models\)"):
        PassAtK(1).estimate(outcomes())


@pytest.mark.parametrize("change", [{"target": "population"}, {"prior": "uniform"}, {"confidence": 0.9}])
def test_what_is_not_about_the_same_is_refused(change):
    models = outcomes()
    with pytest.raises(ParameterError, match="make both alike"):
        PassAtK(1).estimate(models["a"]) - PassAtK(1).estimate(models["b"], **change)


@pytest.mark.parametrize("other", [math.nan, math.inf, "1", None, True])
def test_terms_and_factors_are_numbers(other):
    a = PassAtK(1).estimate(outcomes()["a"])
    for act in (lambda: a + other, lambda: a * other, lambda: a / other):
        with pytest.raises((ParameterError, TypeError)):
            act()


def test_nothing_is_divided_by_zero():
    a, b = estimate("pass@1", outcomes()).values()
    with pytest.raises(ZeroDivisionError):
        a / (b - b)


def test_effort_is_that_of_a_gate_and_falls_with_the_distance():
    a, b = estimate("pass@1", outcomes(100, 8)).values()
    gain = b - a
    assert gain.effort() < gain.effort(gain.value / 2.0)
    assert gain.effort(gain.value) == math.inf
    assert gain.effort(power=0.5) < gain.effort(power=0.9)


def test_equivalence_takes_both_sides():
    a, b = estimate("pass@1", outcomes(200, 8, seed=8)).values()
    gain = b - a
    assert gain.p_between(-0.9, 0.9) < 1e-6
    assert gain.p_between(-0.9, gain.value) == pytest.approx(0.5, abs=1e-12)


class TestFamily:
    def test_holm_counts_all_estimates(self):
        board = estimate("pass@1", outcomes(60, 8, "abcd"))
        gains = Family({f"{x}-{y}": board[x] - board[y] for x, y in itertools.combinations("dcba", 2)})
        rows = gains.beside().rows
        assert all(row.p_corrected >= row.p_value for row in rows)
        assert [row.p_value for row in rows] == [each.p_value() for each in gains.values()]

    def test_intervals_that_hold_together_are_wider_than_alone_and_narrower_than_by_bonferroni(self):
        board = estimate("pass@1", outcomes(60, 8, "abcd"))
        gains = Family({name: board[name] - board["a"] for name in "bcd"})
        assert 1.96 < gains.critical(0.95) < 2.3940

    def test_what_is_no_mapping_is_refused(self):
        with pytest.raises(ParameterError, match="must be a mapping from names to estimates; got list"):
            Family([])

    def test_something_else_is_refused(self):
        with pytest.raises(ParameterError, match="no estimate"):
            Family({"a": 0.5})
        with pytest.raises(ParameterError, match="no estimate"):
            Family({})

    def test_a_table_has_a_row_for_each(self):
        board = estimate("pass@1", outcomes())
        table = Family({"gain": board["b"] - board["a"]}).beside()
        assert [row["name"] for row in table.to_dict()["rows"]] == ["gain"]
        assert "family-wise error 5%" in str(table)


class TestText:
    board = estimate("pass@1", outcomes(models=("new", "old", "gpt-x")))

    @pytest.mark.parametrize(
        ("text", "made"),
        [
            ("new - 0.95 * old > 0", lambda m: m["new"] - 0.95 * m["old"]),
            ("new > 0.95 * old", lambda m: m["new"] - 0.95 * m["old"]),
            ("0.95 * old < new", lambda m: m["new"] - 0.95 * m["old"]),
            ("(new + `gpt-x`) / 2 - old > -.02", lambda m: (m["new"] + m["gpt-x"]) / 2 - m["old"] + 0.02),
            ("new / old > 0.9", lambda m: m["new"] / m["old"] - 0.9),
        ],
    )
    def test_a_statement_is_its_estimate(self, text, made):
        assert numbers(parse_statement(text, self.board)) == pytest.approx(numbers(made(self.board)), rel=1e-12)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "new",
            "new > ",
            "new > old > 0",
            "new == old",
            "1 > 0",
            "missing > 0",
            "new.value > 0",
            "new[0] > 0",
            "__import__('os').system('true') > 0",
            "new ** 2 > 0",
            "(lambda: 1)() > new",
            "[new for new in old] > 0",
            "new > 'old'",
            "new > True",
            "new / 0 > 1",
            "new > " + "(" * 300 + "old" + ")" * 300,
            "new > old" + " + old" * 400,
            "`nobody` > 0",
        ],
    )
    def test_everything_else_is_refused(self, text):
        with pytest.raises(ParameterError):
            parse_statement(text, self.board)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_odd_outcomes(target):
    odd = {"all": [[1, 1]] * 4, "none": [[0, 0]] * 4, "one": [[1, 0]] * 4}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        board = estimate("pass@1", odd, target=target)
        for one, other in itertools.permutations(board.values(), 2):
            interval = (one - other).interval()
            assert -1.0 <= interval.lo <= interval.mu <= interval.hi <= 1.0
        assert MajAtK(1).estimate([[1]], target="questions").interval().lo >= 0.0


def test_text_and_data():
    a, b = estimate("pass@1", outcomes()).values()
    gain = b - a
    assert str(gain).endswith("for these questions (confidence 0.95)")
    assert gain.to_dict()["made_of"] == 2
    assert "Estimate(" in repr(gain)
    assert f"{gain:.1%}" == f"{gain.interval():.1%}"
    pytest.importorskip("narwhals")
    pytest.importorskip("pandas")
    assert gain.to_frame("pandas").shape[0] == 1


@pytest.mark.parametrize("target", ["questions", "population"])
def test_unlabelled_questions_are_matched_by_number_at_once(target):
    counts = np.random.default_rng(0).integers(0, 9, (2, 50_000))
    one, other = (PassAtK(2).estimate(OutcomeMatrix.from_counts(row, 8), target=target) for row in counts)
    calls = []
    sys.setprofile(lambda _, event, __: calls.append(event) if event in ("call", "c_call") else None)
    (one - other).interval()
    sys.setprofile(None)
    assert len(calls) < 10_000


def test_a_claim_on_single_trials_is_as_sure_as_the_gate_about_the_same_drop():
    """The spread of single trials says nothing of a model that never succeeded: its posterior does."""
    new, old = np.zeros((128, 1), int), np.repeat([1, 0], [3, 125])[:, None]
    check = gate("pass@1", new, old, max_drop="50%", mode="noninferior").checks[0]
    board = estimate("pass@1", {"new": new, "old": old})
    law = (board["new"] - 0.5 * board["old"]).law(Level.of_error(0.1))
    assert (law.p_at_most(0.0), law.p_at_least(0.0)) == pytest.approx((check.p_passed, check.p_failed))
    assert check.p_failed > 0.08 > (board["new"] - board["old"]).law(Level.of_error(0.1)).p_at_least(0.0)
