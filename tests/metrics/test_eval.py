"""The functional face: names, signatures, return types, errors, and the classes behind it."""

import inspect

import numpy as np
import pytest

import scorio
from scorio import OutcomeMatrix, eval

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
NAMES = list(eval.__all__)

FOUR = "confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0"
SIGNATURES = {
    "bayes": "R, w=None, R0=None",
    "bayes_ci": "R, w=None, R0=None, confidence=0.95, bounds=None",
    "avg": "R, w=None",
    "avg_ci": "R, w=None, confidence=0.95, bounds=None",
    "g_pass_at_k_tau": "R, k, tau",
    "g_pass_at_k_tau_ci": f"R, k, tau, {FOUR}",
    "max_at_k": "R, k, w=None",
    "max_at_k_ci": "R, k, w=None, R0=None, confidence=0.95, bounds=None",
    "threshold_spectrum_at_k": "R, k, weights",
    "threshold_spectrum_at_k_ci": f"R, k, weights, {FOUR}",
    "geo_spectrum_at_k": "R, k, lam=0.5, weights=None, lambda_=None",
    "geo_spectrum_at_k_ci": f"R, k, lam=0.5, weights=None, lambda_=None, {FOUR}",
}
for family in ("pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "mg_pass_at_k", "maj_at_k", "auc_at_k"):
    SIGNATURES |= {family: "R, k", f"{family}_ci": f"R, k, {FOUR}"}
SIGNATURES |= {"geo_spectrum_star_at_k": "R, k", "geo_spectrum_star_at_k_ci": f"R, k, {FOUR}"}
for family in ("geom_at_k", "geom_ds_at_k"):
    SIGNATURES[family] = "R, k, pass_power=0.5, unanimous_power=0.5"
    SIGNATURES[f"{family}_ci"] = f"R, k, pass_power=0.5, unanimous_power=0.5, {FOUR}"
SIGNATURES |= {"worst_at_k": SIGNATURES["max_at_k"], "worst_at_k_ci": SIGNATURES["max_at_k_ci"]}
for family, kept in (
    ("vote_at_k", "answers=None"),
    ("best_at_k", "scores=None, by=None"),
    ("weighted_vote_at_k", "answers=None, scores=None, by=None"),
):
    SIGNATURES |= {family: f"R, k, {kept}", f"{family}_ci": f"R, k, {kept}, confidence=0.95, bounds=(0.0, 1.0)"}

EXTRA = {"g_pass_at_k_tau": (0.4,), "threshold_spectrum_at_k": ((0.25, 0.5),)}
OF_SAMPLES = {"vote_at_k": 1, "best_at_k": 1, "weighted_vote_at_k": 2}  # tables of answers and scores
BOUNDED_K = ["pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "g_pass_at_k_tau", "mg_pass_at_k", "maj_at_k"]
BOUNDED_K += ["auc_at_k", *OF_SAMPLES]
POINTS = [name for name in NAMES if not name.endswith("_ci") and name not in ("bayes", "avg")]


def call(name, k=2, R=A, **options):
    family = name.removesuffix("_ci")
    if family in ("bayes", "avg"):
        return getattr(eval, name)(R, **options)
    extra = EXTRA.get(family, ())
    if family == "threshold_spectrum_at_k":
        extra = ((0.5 / k,) * k,) if isinstance(k, int) and k > 0 else ((1.0,),)
    if family in OF_SAMPLES:
        extra = (R,) * OF_SAMPLES[family]
    return getattr(eval, name)(R, k, *extra, **options)


def test_every_function_has_its_published_signature():
    assert set(NAMES) == set(SIGNATURES)


@pytest.mark.parametrize("name", NAMES)
def test_signatures(name):
    parameters = inspect.signature(getattr(eval, name)).parameters.values()
    text = ", ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    assert text == SIGNATURES[name]
    assert all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)


@pytest.mark.parametrize("name", NAMES)
def test_returns_plain_floats(name):
    found = call(name)
    if name in POINTS:
        assert type(found) is float
    else:
        assert type(found) is tuple
        assert [type(value) for value in found] == [float] * (4 if name.endswith("_ci") else 2)


CLASSES = {
    "pass_at_k": scorio.PassAtK(2),
    "pass_hat_k": scorio.PassHatK(2),
    "unanimous_at_k": scorio.PassHatK(2),
    "g_pass_at_k": scorio.PassHatK(2),
    "g_pass_at_k_tau": scorio.GPassTau(2, 0.4),
    "mg_pass_at_k": scorio.MGPass(2),
    "maj_at_k": scorio.MajAtK(2),
    "auc_at_k": scorio.metrics.AucAtK(2),
    "max_at_k": scorio.MaxAtK(2),
    "threshold_spectrum_at_k": scorio.metrics.ThresholdSpectrum(2, (0.25, 0.25)),
    "geom_at_k": scorio.metrics.GeomAtK(2),
    "geom_ds_at_k": scorio.metrics.GeomDsAtK(2),
    "geo_spectrum_at_k": scorio.GeoSpectrum(2),
    "geo_spectrum_star_at_k": scorio.GeoSpectrum(2),
    "worst_at_k": scorio.metrics.MinAtK(2),
    "vote_at_k": scorio.VoteAtK(2),
    "best_at_k": scorio.metrics.BestOfK(2),
    "weighted_vote_at_k": scorio.metrics.WeightedVoteAtK(2),
}


def test_every_metric_has_functions():
    behind = {type(metric) for metric in CLASSES.values()} | {scorio.BayesMetric, scorio.AvgMetric}
    assert behind | {scorio.metrics.AgreementAtK} == set(scorio.metrics.METRICS.values())
    assert set(CLASSES) == set(POINTS)


@pytest.mark.parametrize("name", CLASSES)
def test_functions_are_their_classes(name):
    metric = CLASSES[name]
    R = OutcomeMatrix(A, answers=A, scores={"score": A}) if name in OF_SAMPLES else A
    assert call(name) == metric.score(R)
    assert call(f"{name}_ci") == tuple(metric.interval(R, prior="uniform"))
    assert call(f"{name}_ci", confidence=0.8)[2:] == tuple(metric.interval(R, 0.8, prior="uniform"))[2:]
    if name not in ("max_at_k", "worst_at_k", *OF_SAMPLES):
        assert call(f"{name}_ci", alpha0=0.5, beta0=2.0) == tuple(metric.interval(A, prior=(0.5, 2.0)))


@pytest.mark.parametrize("name", BOUNDED_K)
@pytest.mark.parametrize("ending", ["", "_ci"])
def test_k_is_bounded_by_the_trials(name, ending):
    for k in (0, -1, 6, 2**31):
        with pytest.raises(ValueError, match=rf"k must satisfy 1 <= k <= N \(N=5\); got k={k}"):
            call(name + ending, k)


@pytest.mark.parametrize("name", [name for name in POINTS if name not in BOUNDED_K])
def test_only_intervals_of_the_others_go_beyond(name):
    with pytest.raises(ValueError, match=r"k must satisfy 1 <= k <= N \(N=5\); got k=6"):
        call(name, 6)
    assert len(call(f"{name}_ci", 6)) == 4


@pytest.mark.parametrize("name", NAMES)
def test_binary_is_needed_without_weights(name):
    with pytest.raises(ValueError, match="binary"):
        call(name, 2, B)


def test_an_outcome_above_the_weights_is_an_error_and_an_absent_one_is_not():
    with pytest.raises(ValueError, match="categories 0..1"):
        eval.bayes(B, (0, 1))
    mu, _ = eval.bayes(A, (0, 1, 5))
    counts = np.array([[2, 3, 0], [1, 4, 0]]) + 1
    assert mu == pytest.approx((counts / 8 @ [0, 1, 5]).mean(), rel=1e-15)


def test_lambda_is_an_alias():
    assert eval.geo_spectrum_at_k(A, 2, lambda_=0.3) == eval.geo_spectrum_at_k(A, 2, 0.3)
    with pytest.raises(ValueError, match="one parameter"):
        eval.geo_spectrum_at_k(A, 2, 0.2, lambda_=0.3)
    with pytest.raises(ValueError, match="lam"):
        eval.geo_spectrum_at_k(A, 2, 1.2)


def test_the_old_spelling_still_imports():
    with pytest.warns(DeprecationWarning, match="g_pass_at_k_tau"):
        assert eval.g_pass_at_k_tao is eval.g_pass_at_k_tau
    assert "g_pass_at_k_tao" not in eval.__all__


def test_clipped_intervals_never_invert():
    assert eval.pass_at_k_ci(A, 2, bounds=(0.0, 0.3))[2:] == (0.3, 0.3)
    assert eval.pass_at_k_ci(A, 2, bounds=(1.5, 1.6))[2:] == (1.5, 1.5)
    assert eval.avg_ci(A)[3] > 1
    assert eval.max_at_k_ci(A, 1) == eval.bayes_ci(A)
    assert eval.max_at_k_ci([[1] * 9], 1)[3] == eval.bayes_ci([[1] * 9])[3] > 1 >= eval.max_at_k_ci([[1] * 9], 2)[3]


def test_prior_outcomes():
    greedy = [1, 0]
    assert eval.bayes(A, R0=greedy) == eval.bayes(A, R0=[[1], [0]])
    assert eval.max_at_k_ci(A, 1, R0=greedy) == eval.bayes_ci(A, R0=greedy)
    with pytest.raises(ValueError, match="R0"):
        eval.bayes(OutcomeMatrix(A), R0=greedy)
    with pytest.raises(ValueError, match="R0"):
        eval.bayes(A, R0=[[1], [0], [1]])
