"""Costs per success: against closed forms, exact limits, and in simulated worlds with known truth."""

import json
import math

import numpy as np
import pytest
from scipy.stats import norm

from scorio import OutcomeSet, PassAtK, Suite, cost_table, gate, read
from scorio.comparison import compare_costs
from scorio.comparison._costs import ModelCosts, _Trials, ratio_ends
from scorio.errors import OutcomeError, ParameterError
from scorio.estimates._difference_law import DifferenceLaw
from scorio.inference._terms import Terms

RNG = np.random.default_rng(5)
R = {name: RNG.binomial(1, rate, (40, 6)) for name, rate in (("a", 0.6), ("b", 0.5))}
SPENT = {name: RNG.lognormal(shift, 0.6, (40, 6)) for name, shift in (("a", -0.4), ("b", 0.0))}
PRICED = OutcomeSet(R, costs={name: {"dollars": each} for name, each in SPENT.items()})


def one(outcomes, model="a", cost="dollars", **about):
    prices = cost if isinstance(cost, str) else dict.fromkeys(outcomes.models, cost)
    return ModelCosts.of(outcomes, prices).per_success(model, Terms(**about))


def test_the_value_is_the_total_cost_over_the_successes():
    for name, solved in R.items():
        found = one(PRICED, name)
        assert found.value == pytest.approx(SPENT[name].sum() / solved.sum())
        assert (found.successes, found.trials) == (solved.sum(), solved.size)
        assert found.lo < found.value < found.hi


def test_a_price_has_the_interval_of_the_success_rate():
    """Where every trial costs the same, the cost per success is the price over the rate, and so are the ends."""
    rate = PassAtK(1).interval(R["a"], 0.95)
    found = one(OutcomeSet(R), cost=0.25)
    assert (found.lo, found.hi) == pytest.approx((0.25 / rate.hi, 0.25 / rate.lo))
    same = OutcomeSet(R, costs={name: {"dollars": np.full((40, 6), 0.25)} for name in R})
    assert (one(same).lo, one(same).hi) == pytest.approx((found.lo, found.hi), rel=1e-6)


@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.5])
def test_the_ends_solve_the_equation(correlation):
    cost, rate = DifferenceLaw(2.0, 0.35, 0.45, 0.2, 0.025), DifferenceLaw(0.4, 0.08, 0.12, 0.05, 0.025)
    for end, down, up in zip(ratio_ends(cost, rate, correlation), (0.35, 0.45), (0.12, 0.08), strict=True):
        reach = down**2 + (end * up) ** 2 - 2.0 * correlation * end * down * up
        assert (cost.mean - end * rate.mean) ** 2 == pytest.approx(reach)
    assert ratio_ends(cost, DifferenceLaw(0.4, 0.4, 0.4, 0.2, 0.025), 0.0)[1] == math.inf


def test_the_correlation_is_that_of_all_trials():
    known = PRICED.costs["a"]["dollars"]
    spent, solved = SPENT["a"], R["a"]
    trials = _Trials(
        known.trials.trials,
        PRICED["a"].successes,
        known.trials.means,
        known.trials.summary.squares,
        np.nan_to_num(known.successes.means),
        None,
    )
    moved = [each - each.mean(axis=1, keepdims=True) for each in (spent, solved)]
    both, cost, rate = ((one * two).sum() for one, two in ((*moved,), (moved[0], moved[0]), (moved[1], moved[1])))
    assert trials.correlation("questions") == pytest.approx(both / math.sqrt(cost * rate))
    between = np.corrcoef(spent.mean(axis=1), solved.mean(axis=1))[0, 1]
    assert trials.correlation("population") == pytest.approx(between)


def test_dependence_of_cost_and_success_changes_the_width():
    """Failures that cost more make the cost per success less sure; failures that cost less make it surer."""
    solved = np.tile([1, 0, 1, 0, 0, 1], (40, 1))
    noise = np.random.default_rng(2).lognormal(0.0, 0.1, solved.shape)
    width = {}
    for factor in (3.0, 1.0, 1.0 / 3.0):
        spent = np.where(solved == 1, noise, factor * noise)
        found = one(OutcomeSet({"a": solved}, costs={"a": {"dollars": spent}}))
        width[factor] = math.log(found.hi / found.lo)
    assert width[3.0] > width[1.0] > width[1.0 / 3.0]


def test_without_a_success_there_is_no_upper_end():
    none = OutcomeSet({"a": R["a"], "b": 0 * R["b"]}, costs={name: {"dollars": SPENT[name]} for name in R})
    found = one(none, "b")
    assert (found.value, found.hi) == (math.inf, math.inf)
    assert 0.0 < found.lo < math.inf
    both = compare_costs(none, none, model=("a", "b"))
    assert (both.ratio.value, both.ratio.lo, both.difference.lo) == (0.0, 0.0, -math.inf)
    assert both.ratio.hi < 1.0  # that b costs more is certain
    assert both.p_less > 0.999
    json.loads(both.to_json())
    assert "unbounded" in cost_table("pass@1", none, per="success").tables()[0].text()
    spent = {name: {"dollars": each} for name, each in SPENT.items()}
    neither = OutcomeSet({name: 0 * each for name, each in R.items()}, costs=spent)
    assert math.isnan(compare_costs(neither, neither, model=("a", "b")).ratio.value)


TABLE = "model,question,trial,correct,dollars\na,q1,1,1,2\na,q1,2,0,4\na,q1,3,,6\na,q2,1,0,1\na,q2,2,1,3\na,q2,3,1,2\n"


def test_readers_keep_the_costs_of_successes(tmp_path):
    """A trial without an outcome costs 6, and is no success."""
    path = tmp_path / "log.csv"
    path.write_text(TABLE)
    outcomes = read(path, missing="omit")
    known = outcomes.costs["a"]["dollars"]
    assert known.successes.trials.tolist() == [1, 2]
    assert known.successes.means.tolist() == [2.0, 2.5]
    assert one(outcomes).value == pytest.approx(18.0 / 3)
    outcomes.save(tmp_path / "saved.npz")
    for again in (read(tmp_path / "saved.npz"), OutcomeSet.load(tmp_path / "saved.npz")):
        assert one(again).value == pytest.approx(6.0)
        assert one(again).hi == pytest.approx(one(outcomes).hi)


def test_tasks_are_weighted_like_scores():
    halves = {"x": PRICED.select(range(30)), "y": PRICED.select(range(30, 40))}
    suite = Suite(halves)
    weights = {"x": 0.75, "y": 0.25}
    table = cost_table("pass@1", suite, per="success", task_weights="questions")
    assert {row.model: row.success.value for row in table.rows} == pytest.approx(
        {name: SPENT[name].sum() / R[name].sum() for name in R}
    )
    found = ModelCosts.of(suite, "dollars").per_success("a", Terms(), weights)
    whole = one(PRICED)
    assert (found.lo, found.hi) == pytest.approx((whole.lo, whole.hi), rel=0.05)
    both = compare_costs(suite, suite, model=("a", "b"), task_weights="questions")
    assert both.ratio == pytest.approx(compare_costs(PRICED, PRICED, model=("a", "b")).ratio, rel=0.05)


def test_two_models_have_the_ratio_and_the_difference():
    found = compare_costs(PRICED, PRICED, model=("a", "b"))
    back = compare_costs(PRICED, PRICED, model=("b", "a"))
    one_cost, other = (each.value for each in found.costs)
    assert found.ratio.value == pytest.approx(one_cost / other)
    assert found.difference.value == pytest.approx(one_cost - other)
    assert (found.ratio.lo, found.ratio.hi) == pytest.approx((1 / back.ratio.hi, 1 / back.ratio.lo))
    assert (found.difference.lo, found.difference.hi) == pytest.approx((-back.difference.hi, -back.difference.lo))
    assert found.p_less + back.p_less == pytest.approx(1.0)
    assert (found.ratio.hi < 1.0) == (found.p_less > norm.cdf(1.96))


@pytest.mark.parametrize(("target", "share"), [("questions", (0.99, 1.01)), ("population", (0.3, 0.95))])
def test_dear_questions_are_dear_for_both_models_only_where_questions_are_drawn(target, share):
    """The reach of the difference, as a share of that of independent costs."""
    dear = np.random.default_rng(3).lognormal(0.0, 1.0, (40, 1))
    models = OutcomeSet(R, costs={name: {"dollars": dear * each} for name, each in SPENT.items()})
    found = compare_costs(models, models, model=("a", "b"), target=target)
    one_cost, other = found.costs
    below = math.hypot(one_cost.value - one_cost.lo, other.hi - other.value)
    least, most = share
    assert least <= (found.difference.value - found.difference.lo) / below <= most


def test_a_question_that_one_model_lacks_is_an_error():
    short = OutcomeSet({"b": R["b"][:30]}, costs={"b": {"dollars": SPENT["b"][:30]}})
    with pytest.raises(OutcomeError):
        compare_costs(PRICED, short, model=("a", "b"))


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (OutcomeSet(R, costs={name: {"dollars": 0.3} for name in R}), "needs the costs of single trials"),
        (OutcomeSet({n: [[0, 2]] for n in R}, costs={n: {"dollars": [[1, 2]]} for n in R}), "rewards"),
    ],
)
def test_costs_that_are_not_known_are_refused(outcomes, message):
    with pytest.raises(OutcomeError, match=message):
        compare_costs(outcomes, outcomes, model=("a", "b"))


def test_the_gate_limits_the_rise():
    results = {
        (names, rise): gate("pass@1", PRICED, PRICED, model=names, max_drop=0.9, max_cost_rise=rise, mode="noninferior")
        for names in (("a", "b"), ("b", "a"))
        for rise in ("10%", "300%", 5.0)
    }
    verdicts = {key: result.costs.verdict for key, result in results.items()}
    assert verdicts[("a", "b"), "10%"] == "passed"
    assert verdicts[("b", "a"), "10%"] == "failed"
    assert verdicts[("b", "a"), "300%"] == verdicts[("b", "a"), 5.0] == "passed"
    failed = results[("b", "a"), "10%"]
    assert (failed.verdict, failed.exit_code) == ("failed", 1)
    assert "cost per success failed" in failed.junit()
    assert failed.to_dict()["costs"]["verdict"] == "failed"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": "dollars"}, "goes with max_cost_rise"),
        ({"max_cost_rise": -1}, "must be a number, at least 0"),
        ({"max_cost_rise": "10%", "runs": "random"}, "take trials as independent"),
    ],
)
def test_options_of_costs_that_cannot_be_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        gate("pass@1", PRICED, PRICED, model=("a", "b"), **options)


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:trials that follow one another")  # one world of a thousand, and here are 400
@pytest.mark.parametrize(("rate", "factor"), [(0.1, 3.0), (0.6, 0.3), (0.95, 3.0)])
def test_intervals_contain_the_truth(rate, factor):
    """200 worlds of 40 questions with 4 trials, failures that cost more or less: .95 within three standard errors."""
    rng, hits = np.random.default_rng([round(100 * rate), 1]), np.zeros(2)
    for _ in range(200):
        rates = rng.beta(4 * rate, 4 * (1 - rate), 40)
        each = rng.lognormal(0.0, 0.4, 40)
        solved = (rng.random((2, 40, 4)) < rates[:, None]).astype(int)
        spent = each[:, None] * rng.lognormal(-0.125, 0.5, solved.shape) * np.where(solved, 1.0, factor)
        truth = float((each * (rates + (1 - rates) * factor)).mean() / rates.mean())
        both = OutcomeSet(dict(zip("ab", solved, strict=True)), costs={n: {"s": spent[i]} for i, n in enumerate("ab")})
        found = compare_costs(both, both, model=("a", "b"))
        hits += [found.costs[0].lo <= truth <= found.costs[0].hi, found.ratio.lo <= 1.0 <= found.ratio.hi]
    assert hits / 200 == pytest.approx(0.95, abs=0.05)
