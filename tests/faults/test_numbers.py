"""Numbers and inputs that once crashed, misled or were named wrongly; one test or more for each."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t as student

from oracles.best_reward import linear
from scorio import (
    AvgMetric,
    BayesMetric,
    Leaderboard,
    MaxAtK,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    Rubric,
    VoteAtK,
    compare,
    cost_table,
    eval,
    gate,
    next_trials,
    plan_separation,
    plan_trials,
    read,
)
from scorio.comparison import compare_costs
from scorio.curves import analyze_convergence, gap, gaps, horizon
from scorio.errors import AxesWarning, OutcomeError, ParameterError, PriorWarning
from scorio.metrics import WeightedVoteAtK
from scorio.outcomes import normalize_answer
from scorio.planning import analyze_runs

NEVER, OFTEN = np.zeros((20, 4), int), np.tile([1, 0, 1, 1], (20, 1))
UNDEFINED = r"no percentage of 0 is defined"


@pytest.mark.parametrize(
    "answer",
    [
        *("1" * 5000, "-" + "1" * 5000, "0." + "0" * 5000 + "1", "1/" + "3" * 5000, "1" * 5000 + "%"),
        *("1e" + "9" * 5000, "1e999999999", "1e-999999999", "9" * 90 + "e999/" + "7" * 900),
    ],
)
def test_an_answer_of_any_length_is_an_answer(answer):
    """Answers that are longer than Python writes numbers are text, and equal to themselves alone."""
    assert normalize_answer(f" {answer}. ") == normalize_answer(answer) != normalize_answer(answer + "1")
    matrix = OutcomeMatrix([[0, 1, 1]], answers=[[answer, "2", answer]])
    assert VoteAtK(3).score(matrix) == 0.5  # two of three votes, which are right in one of two


def test_numbers_that_are_no_text_are_answers_of_any_size():
    """An int or a fraction of any size is the answer that its digits are."""
    assert normalize_answer(10**5000) == normalize_answer("1" + "0" * 5000)
    assert normalize_answer(Fraction(1, 10**5000)) == "1/1" + "0" * 5000
    assert [normalize_answer(each) for each in (7, np.int8(-3), 0.5, Fraction(2, 4), math.nan, -math.inf)] == [
        "7", "-3", "1/2", "1/2", "nan", "-inf",
    ]  # fmt: skip


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_one_long_answer_leaves_its_file_readable(tmp_path, format):
    """A model that repeats a digit 5,000 times costs no other answer of the file."""
    rows = [{"question": f"q{i}", "trial": k, "correct": k, "answer": str(k + 3) * (5000 if i else 1)}
            for i in (0, 1) for k in (0, 1)]  # fmt: skip
    path = tmp_path / f"runs.{format}"
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(map(json.dumps, rows) if format == "jsonl" else lines))
    [matrix] = read(path, keep="answers").values()
    assert matrix.trials.tolist() == [2, 2]


@pytest.mark.parametrize("metric", [VoteAtK(1), VoteAtK(2), VoteAtK(2, ties="none"), WeightedVoteAtK(2)], ids=str)
@pytest.mark.parametrize("target", ["questions", "population"])
def test_votes_without_any_answer_have_an_interval(metric, target):
    """Where no trial has an answer, a vote is worth 0, and few questions say little more."""
    matrix = OutcomeMatrix([[1, 0], [0, 0]], answers=[[None, None]] * 2, scores={"s": [[0.1, 0.2], [0.3, 0.4]]})
    found = metric.interval(matrix, target=target)
    assert (found.mu, found.lo, metric.score(matrix)) == (0.0, 0.0, 0.0)
    assert 0.3 < found.hi < 1.0
    assert compare(metric, matrix, matrix).difference == 0.0


def test_a_run_that_solved_nothing_scores_0():
    """The score of a run is 0 where it solved nothing, and no run scores beyond the metric's range."""
    runs = OutcomeMatrix([[1, 1, 0]] * 5 + [[1, 0, 0]] * 5, runs=list("abc"))
    assert [row.score for row in analyze_runs("pass@1", runs).rows] == [1.0, 0.5, 0.0]
    assert "e-1" not in str(analyze_runs("pass@1", runs))
    rng = np.random.default_rng(0)
    for _ in range(20):
        matrix = OutcomeMatrix(
            (rng.random((8, 6)) < [0.02, 0.02, 0.5, 0.5, 0.98, 0.98]).astype(int), runs=list("aabbcc")
        )
        scores = np.array([row.score for row in analyze_runs("pass@4", matrix).rows])
        assert 0.0 <= scores.min() <= scores.max() <= 1.0
    signed = OutcomeMatrix.from_rewards([[0.1, 0.2, -0.3], [-0.1, -0.2, 0.3]], runs=list("abc"))
    assert [row.score for row in analyze_runs("avg", signed).rows] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("tail", [0.95, 0.5001, 0.0, -0.1, 1.0, math.nan])
def test_the_ends_of_an_interval_cannot_be_swapped(tail):
    """``equal_tailed`` takes the probability beyond each end, and says so to who gives that of the interval."""
    law = PassAtK(1).posterior(OFTEN)
    lo, hi = law.equal_tailed(0.025)
    assert lo < hi
    with pytest.raises(ParameterError, match=r"tail must be above 0 and at most 0.5; got .*95% interval.*tail=0.025"):
        law.equal_tailed(tail)


def seen_before():
    rng = np.random.default_rng(4)
    lift = np.where(np.arange(60) < 30, 0.14, 0.0)
    rates = {"a": 0.5 + lift, "b": np.full(60, 0.5), "c": np.full(60, 0.55), "d": np.full(60, 0.4)}
    return {name: (rng.random((60, 4)) < rate[:, None]).astype(int) for name, rate in rates.items()}


def test_gaps_in_python_are_those_of_the_command(tmp_path):
    """``scorio gap`` and ``gaps`` give the same records, key by key, and with one suspect those of ``gap``."""
    pytest.importorskip("click")
    from helpers.command import run

    models = seen_before()
    rows = [f"{name},q{i:02},{k},{table[i, k]}" for name, table in models.items() for i in range(60) for k in range(4)]
    (tmp_path / "runs.csv").write_text("\n".join(["model,question,trial,correct", *rows]))
    sides = {f"q{i:02}": "before" if i < 30 else "after" for i in range(60)}
    lines = [f"{question},{side}" for question, side in sides.items()]
    (tmp_path / "sets.csv").write_text("\n".join(["question,set", *lines]))
    outcomes = read(tmp_path / "runs.csv")

    def told(*options):
        found = run("gap", "-q", tmp_path / "runs.csv", "--sets", tmp_path / "sets.csv", *options, "--format", "json")
        return json.loads(found.stdout)["rows"]

    assert told() == json.loads(json.dumps(gaps("pass@1", outcomes, sides).to_dict()["rows"]))
    assert told("--suspect", "a") == [json.loads(json.dumps(gap("pass@1", outcomes, sides, model="a").to_dict()))]
    named = gaps("pass@1", outcomes, sides, models=["a", "b"], others=["c", "d"])
    assert (
        told("--suspect", "a", "--suspect", "b", "--others", "c", "--others", "d")
        == json.loads(named.to_json())["rows"]
    )


def test_gaps_of_several_models_share_one_error_rate():
    """What one gap alone calls is not called where four are asked for and Holm's correction takes it back."""
    sets = ["before"] * 30 + ["after"] * 30
    alone = [gap("pass@1", seen_before(), sets, model=name) for name in "abcd"]
    together = gaps("pass@1", seen_before(), sets).rows
    p = np.array([each.p_value for each in alone])
    order = np.argsort(p)
    holm = np.empty(4)
    holm[order] = np.minimum(np.maximum.accumulate(p[order] * [4, 3, 2, 1]), 1.0)
    assert [each.p_corrected for each in together] == pytest.approx(holm)
    assert [each.p_corrected for each in alone] == p.tolist()
    assert [each.call != "not told" for each in together] == (holm <= 0.05).tolist()
    assert [each.call != "not told" for each in alone] == (p <= 0.05).tolist() != (holm <= 0.05).tolist()
    for options, message in (({"models": ["x"]}, "unknown model 'x'"), ({"others": list("abcd")}, "names every model")):
        with pytest.raises(ParameterError, match=message):
            gaps("pass@1", seen_before(), sets, **options)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_ratio_of_horizons_on_the_same_tasks_has_the_degrees_of_a_pair(target):
    """Degrees of freedom add up where two horizons are independent, and not where they share their tasks."""
    rng = np.random.default_rng(4)
    x = np.linspace(0.0, 8.0, 16)
    rates = [1.0 / (1.0 + np.exp(0.8 * (x - middle))) for middle in (4.0, 4.5)]
    models = {name: (rng.random((16, 4)) < rate[:, None]).astype(int) for name, rate in zip("ab", rates, strict=True)}
    found = horizon("pass@1", models, 2.0**x, at=0.5, target=target)
    ratio, (parts, degrees) = found.ratio("a", "b"), found.errors(["a", "b"])
    critical = math.log2(ratio.hi / ratio.value) / float(np.linalg.norm(parts[0] - parts[1]))
    if target == "population":
        fewest, most = sorted(degrees)
        assert student.ppf(0.975, most) <= critical <= student.ppf(0.975, fewest)
    else:
        own = (parts**2).sum(axis=1)
        assert critical == pytest.approx(student.ppf(0.975, own.sum() ** 2 / (own**2 / degrees).sum()))


@pytest.mark.parametrize("mode", ["worse", "noninferior", "equivalent"])
@pytest.mark.parametrize("new", [NEVER, OFTEN], ids=["never", "often"])
def test_a_percentage_of_a_baseline_without_a_success_is_not_defined(mode, new):
    """The gate says so, and says nothing about percentages that are excluded or about more trials."""
    result = gate("pass@1", new, NEVER, max_drop="5%", mode=mode)
    check = result.checks[0]
    assert UNDEFINED in str(result)
    assert "excluded" not in str(result).replace("percentage", "")
    assert "realistic cost" not in result.to_markdown() + str(result)
    assert (check.to_dict() | json.loads(result.to_json())["checks"][0])["ratio"] is None
    assert math.isnan(check.excluded_drop)
    assert "5%" not in str(gate("pass@1", OFTEN, OFTEN, max_drop=0.05, mode=mode))


def with_costs(**costs):
    models = {"never": NEVER, "often": OFTEN, "also": NEVER}
    given = {name: np.full((20, 4), costs.get(name, 2.0)) for name in models}
    return OutcomeSet(models, costs={name: {"usd": each} for name, each in given.items()})


def test_a_rise_of_a_cost_without_a_success_is_not_defined():
    models = with_costs()
    undecided = gate("pass@1", models, models, model=("also", "never"), max_cost_rise="10%", mode="noninferior").costs
    assert undecided.verdict == "undecided"
    assert "the baseline has no success: its cost per success is unbounded" in str(undecided)
    same = compare_costs(models, models, model=("also", "never"))
    assert "neither model has a success, so no ratio is defined" in str(same)
    assert "no ratio is defined" in same._repr_html_()


def test_successes_of_a_free_model_cost_nothing():
    """A model whose trials cost 0 stands in the table with a cost per success of 0, and others keep theirs."""
    models = with_costs(often=0.0)
    table = {row.model: row for row in cost_table("pass@1", models, per="success").rows}
    free = table["often"].success
    assert (free.value, free.lo, free.hi) == (0.0, 0.0, 0.0)
    assert math.isinf(table["never"].success.value)
    rows = {row.model: row for row in cost_table("pass@1", models).rows}
    assert rows["often"].k is None
    assert rows["never"].k == 1
    assert rows["often"].on_frontier > 0.999
    assert cost_table("pass@1", {"a": NEVER, "b": OFTEN}, {"a": 0.0, "b": 0.0}).limit is None


def test_ratios_beside_a_free_model_are_0_or_unbounded():
    """Nothing is uncertain in the ratio to a model that costs nothing, and of two of them there is none."""
    models = OutcomeSet({"a": OFTEN, "b": OFTEN, "c": OFTEN}, costs={
        name: {"usd": np.full((20, 4), cost)} for name, cost in {"a": 0.0, "b": 1.0, "c": 0.0}.items()
    })  # fmt: skip
    first, second, none = (compare_costs(models, models, model=pair) for pair in (("a", "b"), ("b", "a"), ("a", "c")))
    assert (tuple(first.ratio), first.p_less) == ((0.0, 0.0, 0.0), pytest.approx(1.0))
    assert tuple(second.ratio) == (math.inf,) * 3
    assert second.difference.value == pytest.approx(4 / 3)
    assert math.isnan(none.ratio.value)
    assert "neither model costs anything" in str(none)
    rise = gate("pass@1", models, models, model=("b", "a"), max_cost_rise="10%", mode="noninferior").costs
    assert rise.verdict == "failed"
    assert UNDEFINED in str(rise)
    with pytest.raises(ParameterError, match=r"cost per trial of 'a' must be a number, at least 0; got -1"):
        cost_table("pass@1", {"a": OFTEN}, {"a": -1})


def test_errors_about_costs_name_the_models():
    """Two models of one set are called by their names, and two of one name new and baseline."""
    models = OutcomeSet({"large": OFTEN, "small": OFTEN}, costs={"large": {"usd": 2.0}, "small": {"usd": 1.0}})
    with pytest.raises(OutcomeError, match="^large: a cost per success needs the costs of single trials"):
        compare_costs(models, models, "usd", model=("large", "small"))
    with pytest.raises(OutcomeError, match="^new: a cost per success"):
        compare_costs(models, models, "usd", model="large")
    priced = OutcomeSet({"large": OFTEN, "small": OFTEN}, costs={"large": {"usd": np.ones((20, 4))}})
    with pytest.raises(OutcomeError, match="nothing is known of 'small'"):
        compare_costs(priced, priced, model=("large", "small"))


def test_a_cost_that_is_missing_is_named_with_its_question():
    """One NaN among 80 costs says which model and question it belongs to."""
    costs = np.ones((20, 4))
    costs[3, 2] = math.nan
    named = OutcomeSet({"a": OFTEN, "b": OFTEN}, questions=[f"q{i}" for i in range(20)],
                       costs={"a": {"usd": costs}, "b": {"usd": np.ones((20, 4))}})  # fmt: skip
    with pytest.raises(
        OutcomeError, match=r"^a: .*of 'usd', these are missing for 1 of 80 trials, the first of question 'q3'"
    ):
        compare_costs(named, named, model=("a", "b"))


def test_bayes_of_a_rubric_does_not_warn_of_its_own_prior():
    """The uniform prior is part of the definition of Bayes@N: only who calls a function of another metric is told."""

    class Partial(Rubric):
        levels = {"none": 0.0, "half": 0.5, "full": 1.0}

        def classify(self, points):
            return "full" if points == 2 else "half" if points else "none"

    points = [[2, 0, 0, 1], *[[0] * 4] * 39]
    graded = Partial().outcomes(points=points)
    for metric, matrix in ((BayesMetric(Partial()), graded), (BayesMetric(), OutcomeMatrix(NEVER))):
        metric.interval(matrix)  # warnings are errors here
        assert compare(metric, matrix, matrix).prior == "uniform"
        assert "prior uniform" in str(Leaderboard(metric, {"a": matrix, "b": matrix}))
    with pytest.warns(PriorWarning, match="contradict"):
        eval.pass_at_k_ci(np.tile(NEVER, (3, 1)), 2)


READERS = {
    "matrix": OutcomeMatrix,
    "rewards": lambda table: OutcomeMatrix.from_rewards(table * 0.5),
    "mapping": lambda table: OutcomeSet({"a": table}),
    "tensor": lambda table: OutcomeSet(table[None]),
    "score": lambda table: eval.pass_at_k(table, 2),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("shape", [(16, 200), (4, 164), (32, 500), (64, 1000), (16, 500)])
def test_runs_in_rows_are_asked_about(shape, reader):
    """Runs x questions are asked about whatever the difficulties are, and labels of the questions end it."""
    rng = np.random.default_rng(0)
    for rates in (rng.beta(0.5, 0.5, shape[1]), rng.beta(8.0, 1.0, shape[1]), np.full(shape[1], 0.5)):
        table = (rng.random(shape) < rates).astype(int)
        with pytest.warns(AxesWarning, match=f"{shape[0]} questions with up to {shape[1]:,} trials each") as asked:
            READERS[reader](table)
        assert [each.filename for each in asked] == [__file__]
    OutcomeMatrix(table, questions=range(shape[0]))
    OutcomeMatrix(table.T)
    with pytest.warns(AxesWarning, match="16 questions with up to 50 trials each"):
        READERS[reader](rng.random((16, 50)) < rng.beta(0.5, 0.5, 50))


@pytest.mark.parametrize("shape", [(30, 64), (40, 256), (5, 100), (30, 256), (16, 200), (8, 256), (32, 500), (500, 16)])
def test_questions_in_rows_are_not_asked_about(shape):
    """Questions that differ from each other are told from runs by their outcomes: 40 sets of each shape are silent."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        for a, b in ((0.5, 0.5), (2.0, 2.0)):
            OutcomeMatrix((rng.random(shape) < rng.beta(a, b, (shape[0], 1))).astype(int))


@pytest.mark.filterwarnings("ignore:a flat list is one question with 4 trials:scorio.errors.AxesWarning")
@pytest.mark.parametrize(
    "statement",
    [
        lambda R: PassAtK(1).interval(R),
        lambda R: compare("pass@1", R, R),
        lambda R: Leaderboard("pass@1", {"a": R, "b": R}),
        lambda R: OutcomeSet({"a": R})["a"],
        lambda R: gate("pass@1", R, R),
        lambda R: plan_trials("pass@1", R, 0.1),
        lambda R: plan_separation("pass@1", R, [[0, 0, 0, 1]]),
        lambda R: next_trials("pass@1", R, 4),
        lambda R: analyze_convergence("pass@1", {"a": R, "b": R}, replicates=2, rng=0),
    ],
)
def test_a_flat_list_is_refused_nowhere(statement):
    """A list of outcomes is the trials of one question in every statement; a long one, or of models, is asked about."""
    flat = [0, 1, 1, 0]
    assert str(statement(flat)) == str(statement(np.array(flat))) == str(statement([flat]))
    with pytest.warns(
        AxesWarning, match=r"a flat list is one question with 64 trials.*from_single_run.*or \[results\] for one"
    ):
        statement(flat * 16)
    statement([flat * 16])


@pytest.mark.filterwarnings("ignore::scorio.errors.PriorWarning")  # the functions say that rates are not uniform
@pytest.mark.parametrize("weights", [(0.0, 1.0), (0.25, 0.75), (0.0, 0.5, 1.0), (-1.0, 0.0, 3.0, 0.5)])
@pytest.mark.parametrize("ragged", [False, True])
def test_avg_and_bayes_are_exact(weights, ragged):
    """The functions and the objects give the published mean and deviation to 3e-15, whatever path they take."""
    rng = np.random.default_rng(len(weights))
    trials = rng.integers(1, 90, 30) if ragged else np.full(30, 80)
    rows = [rng.integers(0, len(weights), n) for n in trials]
    counts = np.array([np.bincount(row, minlength=len(weights)) for row in rows])
    table = rows if ragged else np.array(rows)
    moments = [linear(row, weights, (1,) * len(weights)) for row in counts.tolist()]
    means = [Fraction(float(row @ np.array(weights))) / int(row.sum()) for row in counts]
    stretches = [Fraction(n + len(weights), n) ** 2 for n in counts.sum(axis=1).tolist()]
    variances = [stretch * variance for stretch, (_, variance) in zip(stretches, moments, strict=True)]
    truths = {(eval.bayes, BayesMetric): list(zip(*moments, strict=True)), (eval.avg, AvgMetric): (means, variances)}
    for (function, metric), (mean, variance) in truths.items():
        expected = float(sum(mean) / len(counts)), math.sqrt(sum(variance)) / len(counts)
        shown = function(table, weights)
        assert shown == pytest.approx(expected, rel=3e-15, abs=3e-16)
        assert shown == tuple(metric(weights).interval(OutcomeMatrix(table), prior="uniform"))[:2]
    if weights == (0.0, 1.0):
        assert eval.avg(table)[0] == PassAtK(1).score(table) == eval.pass_at_k(table, 1)
        assert MaxAtK(1).score(table) == AvgMetric().score(table)
