"""Curves over a property of questions: against direct formulas, other optimisers, and data whose answer is plain."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from scorio import AvgMetric, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, PassAtK, curve_over, horizon
from scorio.curves._crossing import crossing
from scorio.curves._logistic import of_clusters, of_trials, parameters_of
from scorio.curves._monotone import monotone
from scorio.curves._profile import Profile
from scorio.curves._trial_noise import share_variances
from scorio.inference import Level


def world(seed=0, tasks=40, runs=4, families=12, slope=0.7, spread=0.7):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, 10.0, tasks)
    family = rng.integers(0, families, tasks)
    effect = rng.normal(0.0, spread, tasks) + rng.normal(0.0, spread, families)[family]
    p = expit(-slope * (x - 5.0) + effect)
    return x, family, p, (rng.random((tasks, runs)) < p[:, None]).astype(int)


def outcomes_of(family, **rows):
    return OutcomeSet(rows, clusters=[f"f{i}" for i in family])


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_the_curve_is_the_one_that_another_optimiser_finds(ridge):
    x, _, _, R = world()
    y, w = R.mean(axis=1), np.linspace(0.5, 2.0, len(R))

    def loss(b):
        eta = b[0] + b[1] * x
        return (w / w.sum()) @ (np.logaddexp(0.0, eta) - y * eta) + 0.5 * ridge * b[1] ** 2

    best = minimize(loss, np.zeros(2), tol=1e-12).x
    assert parameters_of(x, y, w, None, ridge) == pytest.approx(best, abs=1e-5)


def test_the_penalty_is_that_of_firth():
    x, _, _, R = world(tasks=30, runs=1)
    y = R[:, 0].astype(float)
    design = np.column_stack([np.ones_like(x), x])

    def loss(b):
        eta = design @ b
        p = expit(eta)
        information = design.T @ ((p * (1 - p))[:, None] * design)
        return np.sum(np.logaddexp(0.0, eta) - y * eta) - 0.5 * np.linalg.slogdet(information)[1]

    best = minimize(loss, np.array([2.0, -0.5]), tol=1e-12).x
    assert parameters_of(x, y, np.ones(30), np.ones(30), 0.0) == pytest.approx(best, abs=1e-4)


def test_separated_outcomes_have_a_finite_curve():
    x, y = np.arange(8.0), np.array([1, 1, 1, 1, 0, 0, 0, 0.0])
    intercept, slope = parameters_of(x, y, np.ones(8), np.ones(8), 0.0)
    assert -intercept / slope == pytest.approx(3.5)
    assert -5.0 < slope < 0.0
    with pytest.raises(OutcomeError, match="separated"):
        parameters_of(x, y, np.ones(8), None, 0.0)


def by_hand(x, y, w, parameters, clusters, contrast):
    """The CR2 covariance, and the degrees of freedom of a contrast, with whole matrices and no short cut."""
    p = expit(parameters[0] + parameters[1] * x)
    root = np.sqrt(p * (1 - p))
    Z = root[:, None] * np.column_stack([np.ones_like(x), x])
    W = np.diag(w / w.sum())
    M = np.linalg.inv(Z.T @ W @ Z)
    left = np.eye(len(x)) - Z @ M @ Z.T @ W
    residual = (y - p) / root
    total, columns = np.zeros((2, 2)), []
    for name in np.unique(clusters):
        rows = clusters == name
        values, vectors = np.linalg.eigh((left @ left.T)[np.ix_(rows, rows)])
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T
        to_parameters = M @ Z[rows].T @ W[np.ix_(rows, rows)] @ adjusted
        own = to_parameters @ residual[rows]
        total += np.outer(own, own)
        columns.append((contrast @ to_parameters) @ left[rows])
    gram = np.array(columns) @ np.array(columns).T
    return total, np.trace(gram) ** 2 / np.trace(gram @ gram)


def test_errors_of_clusters_are_those_of_whole_matrices():
    x, family, _, R = world(1)
    y, w = R.mean(axis=1), np.linspace(0.5, 2.0, len(R))
    parameters = parameters_of(x, y, w, None, 0.0)
    contrast = np.array([1.0, 4.0])
    fit = of_clusters(x, y, w, parameters, family)
    covariance, degrees = by_hand(x, y, w, parameters, family, contrast)
    assert fit.covariance == pytest.approx(covariance, rel=1e-9)
    assert fit.degrees(contrast) == pytest.approx(degrees, rel=1e-9)
    assert 2.0 < degrees < 12.0


def test_errors_of_trials_are_the_sandwich():
    x, _, p, _ = world(2)
    parameters = parameters_of(x, p, np.ones(40), None, 0.0)
    q = expit(parameters[0] + parameters[1] * x)
    design = np.column_stack([np.ones(40), x])
    bread = np.linalg.inv(design.T @ ((q * (1 - q))[:, None] * design))
    expected = bread @ (design.T @ ((p * (1 - p) / 4)[:, None] * design)) @ bread
    assert of_trials(x, np.ones(40), parameters, p * (1 - p) / 4).covariance == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ridge", [None, 0.1])
def test_an_interval_holds_the_values_that_the_likelihood_does_not_reject(ridge):
    """Twice the loss of another optimiser's best curve through the end, in units of the sandwich, is critical."""
    x, family, _, R = world(3)
    y, w, firth = R.mean(axis=1), np.linspace(0.5, 2.0, 40), np.full(40, 0.25) if ridge is None else None
    parameters = parameters_of(x, y, w, firth, ridge or 0.0)
    fit = of_clusters(x, y, w, parameters, family, ridge or 0.0)
    found = crossing(fit, Profile.of(x, y, w, parameters, firth, ridge or 0.0), 0.6, Level(0.95), (-50.0, 50.0))
    design, share = np.column_stack([np.ones(40), x]), w / w.sum()
    p = expit(design @ parameters)
    spread = share * p * (1 - p)
    information = design.T @ (spread[:, None] * design) + np.diag([0.0, ridge or 0.0])
    added = 0.0 if firth is None else firth * spread * np.sum((design @ np.linalg.inv(information)) * design, axis=1)

    def loss(b, h):
        eta = b[0] + b[1] * (x - h)
        likelihood = share @ ((y + 0.5 * added) * eta - (1.0 + added) * np.logaddexp(0.0, eta))
        return 0.5 * (ridge or 0.0) * b[1] ** 2 - likelihood

    best = minimize(lambda b: loss(b, 0.0), parameters, tol=1e-12)
    assert best.x == pytest.approx(parameters, abs=1e-5)
    whole = design.T @ ((spread * (1.0 + added))[:, None] * design) + np.diag([0.0, ridge or 0.0])
    for end in (found.lo, found.hi):
        contrast = np.array([1.0, end])
        through = minimize_scalar(lambda b, h: loss((math.log(1.5), b), h), args=(end,), options={"xtol": 1e-12})
        naive, robust = contrast @ np.linalg.inv(whole) @ contrast, contrast @ fit.covariance @ contrast
        critical = Level(0.95).critical(fit.degrees(contrast))
        assert math.sqrt(2.0 * (through.fun - best.fun) * naive / robust) == pytest.approx(critical, rel=1e-5)
    assert found.lo < found.raw < found.hi


def test_many_questions_have_the_interval_of_fiellers_theorem():
    x, family, _, R = world(3, tasks=4000, families=4000)
    y, w = R.mean(axis=1), np.ones(4000)
    parameters = parameters_of(x, y, w, None, 0.0)
    fit = of_clusters(x, y, w, parameters, family)
    found = crossing(fit, Profile.of(x, y, w, parameters, None, 0.0), 0.5, Level(0.95), (0.0, 10.0))
    (a, b), v, t = fit.parameters, fit.covariance, Level(0.95).critical(fit.degrees(np.array([1.0, found.raw])))
    roots = np.roots([b**2 - t**2 * v[1, 1], 2 * (a * b - t**2 * v[0, 1]), a**2 - t**2 * v[0, 0]])
    assert sorted([found.lo, found.hi]) == pytest.approx(sorted(roots), abs=0.02 * (found.hi - found.lo))


@pytest.mark.parametrize("increasing", [True, False])
def test_the_monotone_curve_is_the_largest_of_the_smallest_means(increasing):
    """The closed form of isotonic regression: max over starts a <= i of min over ends b >= i of the mean of a..b."""
    rng = np.random.default_rng(4)
    x, y, w = np.sort(rng.random(50)), rng.random(50), rng.random(50)
    sign = 1.0 if increasing else -1.0

    def mean(a, b):
        return np.average(sign * y[a : b + 1], weights=w[a : b + 1])

    closed = [max(min(mean(a, b) for b in range(i, 50)) for a in range(i + 1)) for i in range(50)]
    shuffled = rng.permutation(50)
    found = monotone(x[shuffled], y[shuffled], w[shuffled], increasing=increasing)
    assert found == pytest.approx(sign * np.array(closed)[shuffled], abs=1e-12)


def test_noise_of_shares():
    rng = np.random.default_rng(5)
    p = np.full(4000, 0.5)
    for rate in (p, rng.beta(0.5, 0.5, 4000)):
        s = rng.binomial(4, rate)
        found = share_variances(s, np.full(4000, 4), p).mean()
        assert found == pytest.approx((rate * (1 - rate)).mean() / 4, rel=0.03)


def test_a_horizon_beyond_the_data_is_not_given():
    x, family, _, R = world(6)
    found = horizon("pass@1", outcomes_of(family, m=R), 2.0**x, at=(0.5, 0.01, 0.999))
    inside, above, below = found.horizons
    assert (above.value, above.hi, above.beyond) == (None, None, "above")
    assert (below.value, below.lo, below.beyond) == (None, None, "below")
    assert above.extrapolated > 2.0 ** x.max() > inside.hi > inside.value > inside.lo
    assert "beyond the data, above all values" in str(above)
    with pytest.raises(ParameterError, match="beyond the data"):
        found.curves["m"].at(1e9)


@pytest.mark.parametrize("fit", ["logistic", "metr"])
@pytest.mark.parametrize("outcome", [0, 1])
def test_a_model_without_a_slope_has_no_horizon(outcome, fit):
    x, family, _, R = world(7)
    models = outcomes_of(family, m=R, flat=np.full_like(R, outcome))
    found = horizon("pass@1", models, 2.0**x, at=0.5, fit=fit)
    flat = found.of("flat")
    assert (flat.value, flat.lo, flat.hi, flat.beyond) == (None, None, None, "either side")
    assert found.of("m").value is not None
    assert found.ratio("m", "flat").winner is None


def test_ratios_are_paired_and_antisymmetric():
    x, family, _, R = world(8)
    rng = np.random.default_rng(0)
    noise = (rng.random(R.shape) < 0.05).astype(int)
    models = outcomes_of(family, m=R, n=R ^ noise)
    found = horizon("pass@1", models, 2.0**x, at=0.5, target="population")
    one, other = found.ratio("m", "n"), found.ratio("n", "m")
    assert one.value == pytest.approx(1 / other.value)
    assert (one.lo, one.hi) == pytest.approx((1 / other.hi, 1 / other.lo))
    parts, _ = found.errors(["m", "n"])
    apart = math.sqrt((parts**2).sum())
    assert np.linalg.norm(parts[0] - parts[1]) < 0.5 * apart  # what tasks have in common cancels
    assert found.ratio("m", "m").value == 1.0


def test_weights_of_copies_and_of_zero():
    x, family, _, R = world(9)
    keep = np.arange(40) < 30
    whole = horizon("pass@1", outcomes_of(family, m=R), 2.0**x, weights=keep.astype(float), at=0.5)
    part = horizon("pass@1", outcomes_of(family[keep], m=R[keep]), 2.0 ** x[keep], at=0.5)
    assert whole.of("m").value == pytest.approx(part.of("m").value)


def test_values_by_label_by_date_and_as_kept_by_readers():
    x, _, _, R = world(10)
    names = [f"q{i}" for i in range(40)]
    minutes = np.round(2.0**x, 3)
    plain = horizon("pass@1", {"m": R}, minutes).of("m")
    labelled = OutcomeSet({"m": R}, questions=names)
    assert horizon("pass@1", labelled, dict(zip(names, minutes.tolist(), strict=True))).of("m") == plain
    kept = OutcomeMatrix(R, scores={"minutes": np.repeat(minutes[:, None], 4, axis=1)})
    assert horizon("pass@1", {"m": kept}, "minutes").of("m") == plain
    dates = [f"2025-01-{1 + int(each):02d}" for each in x]
    linear = curve_over("pass@1", {"m": R}, dates, scale="linear")["m"]
    assert linear.extent[1] - linear.extent[0] <= 10
    assert linear.slope == pytest.approx(curve_over("pass@1", {"m": R}, np.floor(x), scale="linear")["m"].slope)


def test_other_metrics_and_missing_trials():
    x, family, _, R = world(11)
    found = horizon(PassAtK(2), outcomes_of(family, m=R), 2.0**x, at=0.5)
    assert found.of("m").value > horizon("pass@1", outcomes_of(family, m=R), 2.0**x, at=0.5).of("m").value
    holed = R.astype(float)
    holed[:5] = np.nan
    some = OutcomeSet({"m": holed, "n": R.astype(float)}, missing="omit")
    assert len(horizon("pass@1", some, 2.0**x).curves["m"].values) == 35


@pytest.mark.parametrize("solved", [0, 1])
@pytest.mark.parametrize(
    ("metric", "target"), [("pass@1", "questions"), ("pass^2", "questions"), ("pass@1", "population")]
)
def test_a_model_that_solves_all_or_nothing_leaves_its_curve_open(solved, metric, target):
    found = curve_over(metric, {"m": np.full((40, 4), solved)}, range(1, 41), target=target)["m"].at(20)
    score = PassAtK(1).interval(np.full((40, 4), solved), 0.95, target=target)
    assert abs(found.rate - solved) < 0.03
    near, far = (found.lo, found.hi) if solved else (found.hi, found.lo)
    assert abs(near - solved) > 0.75 * abs((score.lo if solved else score.hi) - solved)
    assert abs(far - solved) < 0.005
    horizons = horizon(metric, {"m": np.full((40, 4), solved)}, range(1, 41), target=target)
    assert all((each.value, each.lo, each.hi) == (None, None, None) for each in horizons.horizons)


def test_trials_and_questions_of_a_cluster_that_agree_say_no_more_than_one():
    values = 2.0 ** np.arange(40)
    one, four = (
        curve_over("pass@1", {"m": np.ones((40, n))}, values, target="population")["m"].at(1024) for n in (1, 4)
    )
    assert (one.rate, one.lo) == pytest.approx((four.rate, four.lo))
    family = np.arange(40) // 4
    joined = curve_over("pass@1", outcomes_of(family, m=np.ones((40, 1))), values, target="population")["m"].at(1024)
    assert joined.rate == pytest.approx(11 / 12, abs=0.002)
    assert joined.lo < one.lo


def test_rewards_that_agree_in_all_trials_leave_their_curve_open():
    levels = np.repeat([[0, 1, 1, 2]] * 10, 3).reshape(40, 3)
    found = curve_over(AvgMetric([0.0, 0.5, 1.0]), {"m": levels}, range(1, 41))["m"].at(20)
    assert found.lo < 0.45
    assert found.hi > 0.55


def test_categories_hold_together():
    _, family, _, R = world(12)
    topics = ["even" if i % 2 else "odd" for i in range(40)]
    found = curve_over("pass@1", outcomes_of(family, m=R), topics, confidence=0.9)
    each = PassAtK(1).interval(outcomes_of(family, m=R).split(topics)["odd"]["m"], 0.95)
    assert found.categories == ("odd", "even")
    assert (found.of("m")[0].lo, found.of("m")[0].hi) == pytest.approx((each.lo, each.hi))


@pytest.mark.parametrize(
    ("values", "about", "message"),
    [
        ([1.0] * 40, {}, "5 different values; got 1"),
        ([0.0, *range(1, 40)], {}, "above 0"),
        ([1.0] * 3, {}, "one value for each of 40 questions; got 3"),
        ([math.inf, *range(1, 40)], {}, "finite"),
        ("minutes", {}, "no trial has 'minutes'"),
        ({"a": 1}, {}, "these have none"),
        (range(1, 41), {"weights": [-1.0] * 40}, "must not be negative"),
        (range(1, 41), {"scale": "cubic"}, "scale"),
        (range(1, 41), {"fit": "probit"}, "fit"),
        (range(1, 41), {"at": 1.0}, "at"),
        (["a", "b"] * 20, {}, "no order to cross"),
        ([*range(1, 39), None, math.nan], {}, r"no value \(None or NaN\) for 2 questions: 38, 39"),
        (["a", None] * 20, {}, "no value .* for 20 questions: 1, 3"),
        (range(1, 41), {"weights": [None] + [1.0] * 39}, "weights has no value .* for 1 question: 0"),
    ],
)
def test_faults_say_what_is_wrong(values, about, message):
    R = world(13)[3]
    with pytest.raises((OutcomeError, ParameterError), match=message):
        horizon("pass@1", {"m": R}, values, **about)


def test_results_are_data():
    x, family, _, R = world(14)
    found = horizon("pass@1", outcomes_of(family, m=R), 2.0**x)
    assert [row["rate"] for row in found._records()] == [0.5, 0.8]
    assert found.to_dict()["horizons"][0]["value"] == found.of("m").value
    assert len(found.curves.to_dict()["points"]) == 21


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_horizons_cover(target):
    """Of 300 worlds, 95% intervals cover at least 92%, less three standard errors of 1.3%, and at most 99.5%."""
    hits = 0
    nodes, shares = np.polynomial.hermite_e.hermegauss(41)
    grid = np.linspace(0.0, 10.0, 4001)
    average = expit(-0.7 * (grid[:, None] - 5.0) + math.hypot(0.7, 0.7) * nodes) @ shares / shares.sum()
    like = grid[np.argmin(np.abs(average - 0.5))]
    for seed in range(300):
        x, family, p, R = world(seed, tasks=60, families=20)
        these = parameters_of(x, p, np.ones(60), None, 0.0)
        truth = 2.0 ** (like if target == "population" else -these[0] / these[1])
        found = horizon("pass@1", outcomes_of(family, m=R), 2.0**x, at=0.5, target=target).of("m")
        hits += (found.lo is None or found.lo <= truth) and (found.hi is None or truth <= found.hi)
    assert 0.88 <= hits / 300 <= 0.995


@pytest.mark.parametrize(("solved", "side"), [(8, "above"), (0, "below")])
def test_where_all_or_none_is_solved_the_side_is_told(solved, side):
    found = horizon("pass@1", {"m": OutcomeMatrix.from_counts([solved] * 12, 8)}, [2.0**i for i in range(12)])
    for each in found.horizons:
        assert (each.value, each.beyond, each.throughout) == (None, "either side", side)
        rate = f"{each.rate:.0%}"
        assert f"beyond the data, {side} all values if success falls with them: success is {side} {rate}" in str(each)
        assert f"success is {side} {rate} at all values" in str(found)


def test_where_the_data_do_not_say_on_which_side_of_the_rate_success_is_nothing_is_told():
    found = horizon("pass@1", {"m": OutcomeMatrix.from_counts([4] * 12, 8)}, [2.0**i for i in range(12)], at=0.5)
    assert str(found.of("m")).endswith("on a side that is not told")
    few = horizon("pass@1", {"m": OutcomeMatrix.from_counts([1] * 5, 1)}, [2.0**i for i in range(5)], at=0.95)
    assert str(few.of("m")).endswith("on a side that is not told")


def test_pictures_of_horizons_say_what_they_are():
    plot = pytest.importorskip("scorio.plot")
    pytest.importorskip("matplotlib")
    found = horizon("pass@1", {"m": OutcomeMatrix.from_counts([8, 8, 7, 5, 3, 2, 1, 0], 8)}, [2.0**i for i in range(8)])
    assert plot.horizon(found).get_title() == str(found).split("\n")[0] == "horizons of pass@1 at 50%, 80%: 1 model"


def test_the_curve_of_metr_passes_as_many_as_were_solved():
    """Its penalty is on the slope alone, so that where the intercept is best, the curve's mean is that of the rates."""
    x = np.geomspace(1, 512, 40)
    solved = np.random.default_rng(0).binomial(5, expit(0.6 * (4 - np.log2(x))))
    [curve] = curve_over("pass@1", {"m": OutcomeMatrix.from_counts(solved, 5)}, x, fit="metr").curves.values()
    fitted = [curve.at(value).rate for value in x]
    assert np.mean(fitted) == pytest.approx(np.mean(solved / 5), abs=1e-9)
