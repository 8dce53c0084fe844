"""Calls that score one model: the published functions, the metrics as objects, priors, intervals and looks."""

from ..calls import calls, family

CONFIDENCES = ["0.8", "0.99"]
ARRAYS = ["plain_array", "ragged", "missing", "one_cell", "zeros", "ones", "counted", "clustered", "single", "skewed"]
PRIORS = ["'uniform'", "'jeffreys'", "'learned'", "Beta(2, 3)", "(0.5, 2)"]
BINARY = [
    "binary",
    "few",
    "single",
    "one_cell",
    "one_question",
    "zeros",
    "ones",
    "ragged",
    "missing",
    "adaptive",
    "counted",
]
BINARY += ["clustered", "in_runs", "large", "skewed"]
REWARDS = ["levels", "continuous", "bounded"]
COUNTING = ["pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "mg_pass_at_k", "maj_at_k", "auc_at_k"]
METRICS = ["'pass@1'", "'pass@2'", "'pass@4'", "'pass@30'", "'pass^2'", "'gpass@4:tau=.5'", "'mgpass@4'", "'maj@3'"]
METRICS += ["'auc@4'", "'geom@2'", "'geomds@2'", "'geospectrum@4'", "'avg'", "'bayes'"]


@family("eval")
def published():
    yield from calls(
        "eval.bayes",
        ["plain_array", "graded_array", "one_cell"],
        w=["(0, 1)", "(0, 0.4, 1)"],
        R0=["earlier_array", "plain_array"],
    )
    weighted = {
        "w": ["(0, 1)", "(0, 0.4, 1)", "(-1, 0.5, 3)"],
        "confidence": CONFIDENCES,
        "bounds": ["(0, 1)", "(-1, 3)"],
    }
    yield from calls("eval.bayes_ci", ["plain_array", "graded_array", "one_cell"], R0=["earlier_array"], **weighted)
    yield from calls("eval.avg", ["plain_array", "graded_array", "one_cell", "zeros"], w=["(0, 1)", "(0, 0.4, 1)"])
    yield from calls("eval.avg_ci", ["plain_array", "graded_array", "one_cell", "zeros"], **weighted)
    priors = {
        "confidence": CONFIDENCES,
        "bounds": ["None", "(0.1, 0.7)"],
        "alpha0": ["0.5", "3"],
        "beta0": ["0.5", "2"],
    }
    for name in COUNTING:
        yield from calls(f"eval.{name}", ARRAYS, ["1", "2", "5"])
        yield from calls(f"eval.{name}_ci", ARRAYS[:6], ["1", "2", "3"], **priors)
    yield from calls("eval.g_pass_at_k_tau", ARRAYS, ["1", "3", "5"], ["0.0", "0.3", "0.5", "2 / 3", "1.0"])
    yield from calls("eval.g_pass_at_k_tau_ci", ARRAYS[:6], ["1", "3"], ["0.0", "0.5", "1.0"], **priors)
    yield from calls("eval.threshold_spectrum_at_k", ARRAYS[:6], ["2"], ["(0.3, 0.7)", "(0, 1)"])
    yield from calls("eval.threshold_spectrum_at_k_ci", ARRAYS[:6], ["3"], ["(0.2, 0.3, 0.5)"], **priors)
    powers = {"pass_power": ["0.3", "0"], "unanimous_power": ["0.7", "1"]}
    for name in ("geom_at_k", "geom_ds_at_k"):
        yield from calls(f"eval.{name}", ARRAYS, ["1", "2", "5"], **powers)
        yield from calls(f"eval.{name}_ci", ARRAYS[:6], ["1", "2", "3"], **powers, **priors)
    spectrum = {"lam": ["0.2", "1"], "weights": ["(0.3, 0.7)"], "lambda_": ["0.7"]}
    yield from calls("eval.geo_spectrum_at_k", ARRAYS, ["1", "2", "4"], **spectrum)
    yield from calls("eval.geo_spectrum_at_k_ci", ARRAYS[:6], ["1", "2"], **spectrum, **priors)
    yield from calls("eval.geo_spectrum_star_at_k", ARRAYS, ["1", "2", "4"])
    yield from calls("eval.geo_spectrum_star_at_k_ci", ARRAYS[:6], ["1", "2"], **priors)
    for name in ("max_at_k", "worst_at_k"):
        yield from calls(
            f"eval.{name}",
            ["plain_array", "graded_array", "levels", "continuous"],
            ["1", "2", "5"],
            w=["(0, 0.4, 1)", "(2, 0, 1)"],
        )
        yield from calls(
            f"eval.{name}_ci", ["plain_array", "graded_array", "levels"], ["1", "3"], R0=["earlier_array"], **weighted
        )
    near = {"confidence": CONFIDENCES, "bounds": ["None", "(0.1, 0.7)"]}
    picked = ["answered", "valued_answers", "answered_better"]
    by = {"by": ["'judge'", "'length'"]}
    yield from calls("eval.vote_at_k", picked, ["1", "2", "3", "5"])
    yield from calls(
        "eval.vote_at_k", ["[[1, 0, 0], [0, 1, 1]]"], ["1", "2", "3"], answers=["[['a', 'b', 'b'], ['x', 'y', None]]"]
    )
    yield from calls("eval.vote_at_k_ci", picked, ["1", "2", "4"], **near)
    yield from calls(
        "eval.vote_at_k_ci", ["[[1, 0, 0], [0, 1, 1]]"], ["2"], answers=["[['a', 'b', 'b'], ['x', 'y', None]]"]
    )
    for name in ("best_at_k", "weighted_vote_at_k"):
        yield from calls(f"eval.{name}", picked, ["1", "2", "5"], **by)
        yield from calls(f"eval.{name}_ci", picked, ["1", "2", "4"], **by, **near)
        own = {"answers": ["[['a', 'b', 'b'], ['x', 'y', 'y']]"]} if name.startswith("weighted") else {}
        for end in ("", "_ci"):
            yield from calls(
                f"eval.{name}{end}",
                ["[[1, 0, 0], [0, 1, 1]]"],
                ["2"],
                scores=["[[3, 1, 2], [1, 1, 2]]", "{'s': [[3, 1, 2], [1, 1, 2]]}"],
                **own,
            )


OBJECTS = [
    "PassAtK(2)",
    "PassHatK(2)",
    "GPassTau(4, 0.6)",
    "MajAtK(3)",
    "MGPass(4)",
    "AucAtK(4)",
    "GeomAtK(2, 0.4, 0.6)",
    "GeomDsAtK(2, pass_power=0.3, unanimous_power=0.7)",
]
OBJECTS += [
    "GeoSpectrum(2, lam=0.3)",
    "GeoSpectrum(2, weights=(0.2, 0.8))",
    "ThresholdSpectrum(2, (0.4, 0.6))",
    "AvgMetric()",
    "BayesMetric((0, 1))",
    "MaxAtK(2, weights=(0, 2))",
    "MinAtK(2, weights=(0, 2))",
    "PassAtK(40)",
]
PICKS = [
    "VoteAtK(3)",
    "VoteAtK(4, ties='first')",
    "VoteAtK(2, ties='failed')",
    "BestOfK(2, by='judge')",
    "BestOfK(3, by='length')",
    "WeightedVoteAtK(3, by='judge')",
    "WeightedVoteAtK(2, by='length')",
    "VoteAtK(6)",
]


@family("metrics")
def metrics():
    ends = {
        "prior": PRIORS,
        "target": ["'population'"],
        "shape": ["'normal'", "'quantile'", "'binomial'", "'profile'"],
        "confidence": CONFIDENCES,
    }
    ends |= {
        "bounds": ["None", "(0.05, 0.9)"],
        "looks": ["Looks(trials=64)", "Looks(around=6)"],
        "runs": ["'independent'", "'random'"],
    }
    yield from calls("{}.interval", OBJECTS, BINARY, **ends)
    yield from calls("{}.interval", ["PassAtK(1)", "AvgMetric()"], BINARY, target=["'population'"])
    yield from calls(
        "{}.interval", ["AvgMetric()", "BayesMetric()", "MaxAtK(2)", "MinAtK(3)", "MaxAtK(40)"], REWARDS, **ends
    )
    yield from calls(
        "{}.interval",
        PICKS,
        ["answered", "valued_answers", "answered_better"],
        target=["'population'"],
        confidence=CONFIDENCES,
        runs=["'random'"],
    )
    anything = [*BINARY, *REWARDS]
    for method in ("score", "per_question", "observed"):
        yield from calls(
            f"{{}}.{method}", [*OBJECTS, "MaxAtK(2)", "AvgMetric((0, 0.5))"], anything, too_few=["'omit'", "'nan'"]
        )
        yield from calls(f"{{}}.{method}", PICKS, ["answered", "valued_answers"], too_few=["'omit'", "'nan'"])
    yield from calls("{}.moments", OBJECTS, anything, prior=PRIORS)
    for then in (".icdf([0.1, 0.5, 0.9])", ".cdf([0.2, 0.5, 0.8])"):
        yield from calls(
            "{}.posterior", OBJECTS[:9], BINARY, then=then, prior=PRIORS, target=["'population'"], runs=["'random'"]
        )
    yield from calls(
        "{}.cov", OBJECTS, ["PassAtK(1)", "PassHatK(3)", "AvgMetric()", "GeomAtK(2)"], BINARY, prior=PRIORS[:3]
    )
    yield from calls(
        "{}.curve", [*OBJECTS[:9], "MaxAtK(2)"], BINARY, ks=["[1, 2, 3]", "[2, 12]"], too_few=["'omit'", "'nan'"]
    )
    yield from calls(
        "{}.support", [*OBJECTS, *PICKS], ["binary", "levels", "continuous", "bounded", "answered", "valued_answers"]
    )
    yield from (f"{each}.get_params(deep=False)" for each in [*OBJECTS, *PICKS])
    yield from (
        f"{each}.credit()"
        for each in (
            "PassAtK(3)",
            "PassHatK(3)",
            "AucAtK(4)",
            "MGPass(4)",
            "GPassTau(4, .5)",
            "ThresholdSpectrum(2, (.4, .6))",
        )
    )
    yield from (f"Metric.from_string({each}).interval(large)" for each in METRICS)
    yield from (
        f"repr(Metric.from_string({each}))"
        for each in ("'vote@3:ties=first'", "'best@2:by=judge'", "'geom@2:pass_power=.3'")
    )
    yield from (
        "sorted(METRICS)",
        "metrics.metric_names()",
        "[metrics.is_metric_name(each) for each in ('pass@3', 'pass', 'x@1')]",
    )


@family("intervals")
def intervals():
    about = {
        "confidence": CONFIDENCES,
        "prior": ["'learned'"],
        "completeness": ["0.5"],
        "shape": ["'quantile'"],
        "target": ["'population'"],
    }
    about |= {
        "rewards": ["'continuous'"],
        "looks": ["Looks(trials=8)"],
        "bounds": ["(0, 1)"],
        "single_trials": ["True"],
        "runs": ["'random'"],
    }
    yield from calls("Interval", ["0.5", "-0.25"], ["0.1", "0"], ["-0.3", "0.3"], ["0.7"], **about)
    yield from calls(
        "Interval(0.5, 0.1, 0.3, 0.7, bounds=(0.2, 0.8)).draws", ["3", "20"], ["1", "np.random.default_rng(2)"]
    )
    yield "Interval(0.5, 0.1, 0.3, 0.7).draws(3, rng=1)"
    yield from (f"{value} in Interval(0.5, 0.1, 0.3, 0.7)" for value in ("0.3", "0.7", "0.29", "0.71", "0.5"))
    for looks in (
        "Looks(trials=64)",
        "Looks(around=16)",
        "Looks(8, confidence=0.9)",
        "Looks(trials=64, share=3)",
        "Looks(trials=64).shared(5)",
    ):
        yield looks
        for method in ("z", "tail", "level"):
            yield from calls(f"{looks}.{method}", ["1", "4", "8", "64"], alpha=["0.01", "1e-6"])
    yield from (
        "Looks(trials=8).limit",
        "Looks(around=8).limit",
        "Looks(8).alpha",
        "Looks(8).check_confidence(0.95)",
        "Looks(8).check_confidence(0.9)",
    )
    for prior in ("Beta(2, 3)", "Jeffreys()", "Dirichlet((1, 2, 3))", "Learned()", "Beta(0.5, 0.5)"):
        yield from calls(f"{prior}.per_category", ["2", "3"])
    yield "Beta(2, 3).pair()"
    yield from calls(
        "compute_intervals",
        ["'pass@1'", "['pass@1', 'pass@2']"],
        ["models", "[binary, better]", "models_runs"],
        confidence=CONFIDENCES,
        n_jobs=["2"],
        runs=["'random'"],
    )
    mixture = "inference.Mixture(np.array([.3, .7]), np.array([.2, .6]), np.array([.01, .02]), 0, 1)"
    yield from (
        f"{mixture}.{each}"
        for each in (
            "cdf([.1, .5])",
            "icdf([.1, .5])",
            "equal_tailed(.025)",
            "on(.1, .9).cdf(.5)",
            "scaled(.1, .5).icdf(.5)",
            "draws(4, np.random.default_rng(1))",
        )
    )
    yield "inference.Mixture.single(.3, .1).equal_tailed(.1)"


@family("single_trials")
def few_trials():
    """Options of intervals together, on the data where rules change: one trial, few trials, few questions."""
    small = [
        "few",
        "single",
        "one_question",
        "one_cell",
        "OutcomeMatrix([[1], [0]])",
        "OutcomeMatrix([[1], [0], [1]])",
        "OutcomeMatrix([[1, 0, 1]] * 3)",
    ]
    ends = {
        "target": ["'population'"],
        "prior": PRIORS[:3],
        "shape": ["'normal'", "'quantile'", "'binomial'"],
        "confidence": CONFIDENCES,
    }
    yield from calls(
        "{}.interval", ["PassAtK(1)", "PassAtK(3)", "AvgMetric()", "BayesMetric()", "PassHatK(2)"], small, **ends
    )
