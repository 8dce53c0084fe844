"""Statements about runs like these: exact moments, the noise that is added, and how often intervals hold."""

import itertools
import math
import warnings
from dataclasses import astuple
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from scorio import (
    AvgMetric,
    BayesMetric,
    Interval,
    Leaderboard,
    MaxAtK,
    Metric,
    OutcomeError,
    OutcomeMatrix,
    PassAtK,
    RewardMatrix,
    Suite,
    compare,
    gate,
)
from scorio.errors import RunsWarning
from scorio.inference._level import Level
from scorio.inference._run_noise import SIZES, RunNoise
from scorio.metrics import GeomAtK, GeomDsAtK
from scorio.metrics._runs import RunSums, run_sums
from scorio.planning import analyze_runs

METRICS = ["pass@1", "pass@3", "passhat@2", "gpass@3:tau=0.5", "auc@3", "geom@2", "geomds@2", "bayes", "avg", "max@2"]
SEVERAL = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]]
NAMES = ["mon", "tue", "wed"]


def drawn(questions, runs, s, seed):
    """Return outcomes of a model whose runs shift the log odds of success by ``s x``."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, questions)[:, None] + s * rng.standard_normal(runs)
    return OutcomeMatrix((rng.random(logits.shape) < expit(logits)).astype(int), runs=range(runs))


def odd_shape(name):
    """Return rows of outcomes and the labels of their runs, of an odd shape."""
    rng = np.random.default_rng(len(name))
    table, labels = rng.integers(0, 4 if name == "rewards" else 2, (60, 8)), np.tile([*"abcdefgh"], (60, 1))
    if name in ("columns of two trials", "rewards"):
        labels[:, 1] = "a"
    if name == "another composition":
        labels[19] = [*"aabcdefg"]
    if name == "one trial is missing":
        return [row[: 7 if i == 11 else 8] for i, row in enumerate(table)], labels
    if name == "some are missing":
        kept = [np.flatnonzero(rng.random(8) < 0.8) for _ in table]
        kept = [own if len(own) else np.array([3]) for own in kept]
        return [row[own] for row, own in zip(table, kept, strict=True)], [labels[i][own] for i, own in enumerate(kept)]
    if name == "two halves of other runs":
        labels[30:] = [*"ijklmnop"]
    if name == "ragged":
        return [row[:n] for row, n in zip(table, rng.integers(1, 9, 60), strict=True)], labels
    if name == "labels by chance":
        labels = rng.choice([*"abcde"], table.shape)
    if name == "three hundred runs":
        return table, (np.arange(60)[:, None] * 5 + np.arange(8) * 37) % 300
    if name == "strided and read-only":
        wide, many = np.zeros((120, 24), np.int8), np.tile(np.arange(24)[::-1], (120, 1))
        wide[::2, ::3] = table
        wide.setflags(write=False)
        many.setflags(write=False)
        return wide[::2, ::3], many[::2, ::3]
    return table, labels


SHAPES = ["one trial is missing", "some are missing", "two halves of other runs", "ragged", "labels by chance"]
SHAPES += ["columns of two trials", "another composition", "rewards", "three hundred runs", "strided and read-only"]


@pytest.mark.parametrize("name", SHAPES)
def test_sums_of_runs_are_those_of_their_definition_in_odd_shapes(name):
    rows, labels = odd_shape(name)
    labels = [own[: len(row)].tolist() for own, row in zip(labels, rows, strict=True)]
    metric, span = (AvgMetric(range(4)), 3) if name == "rewards" else (PassAtK(1), 1)
    found = run_sums(metric, OutcomeMatrix(rows, runs=labels[0] if name == "columns of two trials" else labels))
    number = {label: i for i, label in enumerate(sorted(set(itertools.chain(*labels))))}
    runs, count = len(number), len(rows)
    effects, shares, weights, noise, pull = (np.zeros((runs,) * n) for n in (1, 1, 1, 2, 2))
    variances = [np.var(row, ddof=1) if len(row) > 1 else math.nan for row in rows]
    variances = np.where(np.isnan(variances), np.nanmean(variances), variances)
    for row, own, variance in zip(rows, labels, variances, strict=True):
        f = np.zeros(runs)
        for outcome, label in zip(row.tolist(), own, strict=True):
            effects[number[label]] += (outcome - row.mean()) / len(row) / count
            f[number[label]] += 1.0 / len(row)
        spread = np.diag(f) - np.outer(f, f)
        noise += variance / len(row) / count**2 * spread
        pull += variance / span / count * spread
        shares += variance / span / count * f
        weights += f / count
    assert list(found.labels) == list(number)
    for one, other in zip((effects, noise, pull, shares, weights), astuple(found)[1:-1], strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-11, atol=1e-14)


def test_the_ends_solve_their_equation():
    weights = RunNoise.posterior_of_sizes(-0.5 * (SIZES - 0.3) ** 2 / 0.1**2)
    noise, level = RunNoise(weights, 0.01), Level(0.9)
    d = noise.reach(0.05, level)
    spread = np.sqrt((0.05 / level.critical()) ** 2 + 0.01 * SIZES**2)
    assert weights @ stats.norm.cdf(-d / spread) == pytest.approx(0.05, rel=1e-9)
    assert noise.variance_at(0.05 / level.critical(), level) == pytest.approx((d**2 - 0.05**2) / level.critical() ** 2)


def test_the_posterior_of_the_size_is_that_of_a_dense_quadrature():
    matrix = drawn(60, 4, 0.3, 3)
    sums = run_sums(PassAtK(1), matrix)
    cov = sums.pull @ sums.pull

    def density(s):
        values, vectors = np.linalg.eigh(sums.noise + s * s * cov)
        kept = values > 1e-12
        z = vectors[:, kept].T @ sums.effects
        likelihood = math.exp(-0.5 * float(np.sum(np.log(values[kept]) + z**2 / values[kept])) - 20)
        return likelihood / (1 + (s / 0.2) ** 2)

    total, _ = integrate.quad(density, 0, 10, limit=400, points=[0.1, 0.3, 1.0])
    mean, _ = integrate.quad(lambda s: s * density(s), 0, 10, limit=400, points=[0.1, 0.3, 1.0])
    found = RunNoise.posterior_of_sizes(sums.log_likelihood)
    assert found @ SIZES == pytest.approx(mean / total, rel=0.02)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("target", ["questions", "population"])
def test_every_metric_is_wider_about_runs_like_these(metric, target):
    matrix, chosen = drawn(40, 5, 0.6, 1), Metric.from_string(metric)
    plain = chosen.interval(matrix, target=target, runs="independent")
    wide = chosen.interval(matrix, target=target, runs="random")
    assert wide.lo < plain.lo < plain.hi < wide.hi or (wide.hi == 1.0 and wide.lo < plain.lo)
    assert (wide.mu, wide.runs, plain.runs) == (plain.mu, "random", "independent")
    assert "and runs like these" in str(wide)


def test_rewards_and_rubrics():
    rng = np.random.default_rng(0)
    shift = rng.standard_normal(6) * 0.2
    R = RewardMatrix(rng.random((40, 1)) + shift + 0.1 * rng.standard_normal((40, 6)), runs=range(6))
    assert AvgMetric().interval(R, runs="random").sigma > 2 * AvgMetric().interval(R, runs="independent").sigma
    assert MaxAtK(3).interval(R, runs="random").sigma > MaxAtK(3).interval(R, runs="independent").sigma
    graded = OutcomeMatrix((rng.random((40, 6, 1)) + shift[:, None] > [0.3, 0.6]).sum(axis=2), runs=range(6))
    metric = BayesMetric(weights=(0, 0.5, 1))
    assert metric.interval(graded, runs="random").sigma > metric.interval(graded, runs="independent").sigma


def test_numbers_do_not_depend_on_the_order_of_runs():
    R = np.random.default_rng(0).integers(0, 2, (30, 5))
    one = PassAtK(2).interval(OutcomeMatrix(R, runs=list("abcde")), runs="random")
    other = PassAtK(2).interval(OutcomeMatrix(R[:, [3, 1, 0, 4, 2]], runs=list("dbaec")), runs="random")
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_outcomes_without_noise_gain_none():
    sure = OutcomeMatrix([[1, 1, 1], [0, 0, 0]], runs=NAMES)
    assert PassAtK(1).interval(sure, runs="random")[:4] == PassAtK(1).interval(sure, runs="independent")[:4]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (OutcomeMatrix(SEVERAL), "it is not known which run each trial belongs to"),
        (OutcomeMatrix(SEVERAL, runs=["a"] * 3), "all trials are of one run, which does not show how much runs differ"),
        (
            OutcomeMatrix([[1, 0], [0, 1]] * 4, runs=[["a", "a"], ["b", "b"]] * 4),
            "no question was tried in two runs, so runs cannot be told from questions",
        ),
    ],
)
def test_what_cannot_be_known_is_refused(matrix, message):
    for call in (
        lambda: PassAtK(1).interval(matrix, runs="random"),
        lambda: compare("pass@1", matrix, matrix, runs="random"),
        lambda: Leaderboard("pass@1", {"a": matrix, "b": matrix}, runs="random"),
        lambda: gate("pass@1", matrix, matrix, runs="random"),
    ):
        with pytest.raises(OutcomeError, match=message):
            call()


def test_a_warning_says_both_errors_and_the_remedy():
    matrix = drawn(100, 5, 1.0, 0)
    with pytest.warns(RunsWarning, match=r"alone the score has .* about runs like these .*: runs=\"random\""):
        assert PassAtK(1).interval(matrix) == PassAtK(1).interval(matrix, runs="independent")
    with pytest.warns(RunsWarning, match='equal models may be called different: runs="random"'):
        compare("pass@1", matrix, drawn(100, 5, 1.0, 1))


def test_models_share_the_size_of_effects():
    matrices = [drawn(100, 3, 0.2, seed) for seed in range(6)]
    sums = [run_sums(PassAtK(1), each) for each in matrices]
    alone, together = RunSums.noise_of_models(sums[:1])[0], RunSums.noise_of_models(sums)[0]
    assert together.reach(0.03, Level(0.95)) < alone.reach(0.03, Level(0.95))
    board = Leaderboard("pass@1", dict(zip("abcdef", matrices, strict=True)), runs="random")
    interval = matrices[0] and board.rankings[0].intervals[0]
    assert isinstance(interval, Interval)
    assert interval.hi - interval.lo < 2 * alone.reach(0.06, Level(0.95))


def test_what_runs_do_to_both_models_cancels():
    rng = np.random.default_rng(4)
    logits, shift = rng.normal(0, 1.7, 200)[:, None], 0.8 * rng.standard_normal(5)
    tables = [(rng.random((200, 5)) < expit(logits + shift)).astype(int) for _ in range(2)]
    same = [OutcomeMatrix(table, runs=[*NAMES, "thu", "fri"]) for table in tables]
    apart = [same[0], OutcomeMatrix(tables[1], runs=range(5))]
    paired, unpaired = (compare("pass@1", *pair, runs="random") for pair in (same, apart))
    assert paired.hi - paired.lo < 0.6 * (unpaired.hi - unpaired.lo)
    assert "and runs like these" in str(paired)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_suite_of_one_task_says_what_the_task_says(target):
    A, B = drawn(40, 4, 0.4, 0), drawn(40, 4, 0.4, 1)
    about = {"runs": "random", "target": target}
    task, suite = (
        compare("pass@2", A, B, **about),
        compare("pass@2", Suite({"t": {"a": A}}), Suite({"t": {"a": B}}), **about),
    )
    assert suite.lo == pytest.approx(task.lo, abs=1e-12)
    assert suite.runs == task.runs == "random"
    board = Leaderboard("pass@2", Suite({"t": {"a": A, "b": B}}), **about)
    single = Leaderboard("pass@2", {"a": A, "b": B}, **about)
    for one, other in zip(board.rankings[0].intervals, single.rankings[0].intervals, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_one_run_of_several_tasks_has_one_effect():
    """Two copies of a task in the same runs know no more about runs than one; in other runs they do."""
    A = drawn(100, 4, 0.8, 0)
    same = Leaderboard("pass@1", Suite({"t": {"a": A}, "u": {"a": A}}), runs="random").rankings[0].intervals[0]
    R = A.counts_by_run[:, :, 1].T
    other = OutcomeMatrix(R, runs=["x", "y", "z", "v"])
    apart = Leaderboard("pass@1", Suite({"t": {"a": A}, "u": {"a": other}}), runs="random").rankings[0].intervals[0]
    assert apart.hi - apart.lo < 0.9 * (same.hi - same.lo)


def test_analyze_runs():
    matrix = drawn(200, 8, 0.5, 2)
    effects = analyze_runs("pass@1", matrix)
    scores = [row.score for row in effects.rows]
    np.testing.assert_allclose(scores, matrix.counts_by_run[:, :, 1].mean(axis=1), atol=1e-9)
    assert effects.lo < effects.sd < effects.hi
    assert 0.0 < effects.share < 1.0
    following = effects.next_run()
    assert following.lo < min(scores)
    assert effects.half_width(16) < effects.half_width(8, 2) < effects.half_width(8)
    assert "the next run is expected in" in str(effects)
    assert effects.to_dict()["rows"][0]["run"] == 0


def test_blends_and_forecasts_know_runs():
    matrix = drawn(60, 4, 0.5, 5)
    for metric in (GeomAtK(2), GeomDsAtK(2), PassAtK(8)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert metric.interval(matrix, runs="random").sigma > metric.interval(matrix, runs="independent").sigma


# Layouts that are not even: effects and covariances of all assignments, and the likelihood of the size of the effect.

LAYOUTS = {
    "a question twice in one run": ([[1, 0, 0], [1, 1, 0], [0, 0, 1]], [["mon", "mon", "tue"], NAMES, NAMES]),
    "missing trials": ([[1, 0, None], [1, None, 0], [0, 1, 1]], [NAMES] * 3),
    "runs of different questions": ([[1, 0], [0, 1], [1, 1], [0, 0]], [NAMES[:2], NAMES[1:], NAMES[:2], NAMES[1:]]),
    "both": ([[1, 0, 1, 0], [1, 0], [0, 1, None]], [["wed", "wed", "mon", "tue"], ["tue", "tue"], NAMES]),
}


def matrix_of(layout):
    values, runs = LAYOUTS[layout]
    return OutcomeMatrix(values, runs=runs, missing="omit")


def trials_of(layout):
    """Return the outcomes of each question that has trials, and the run of each of them."""
    values, runs = LAYOUTS[layout]
    kept = [[(v, r) for v, r in zip(*row, strict=True) if v is not None] for row in zip(values, runs, strict=True)]
    return [([v for v, _ in row], [r for _, r in row]) for row in kept]


def effect(questions, name):
    """Return the effect of a run on the success rate, by its definition, as a fraction."""
    found = Fraction(0)
    for outcomes, runs in questions:
        centre = Fraction(sum(outcomes), len(outcomes))
        own = sum((outcome - centre for outcome, run in zip(outcomes, runs, strict=True) if run == name), Fraction(0))
        found += own / len(outcomes)
    return found / len(questions)


def assignments(questions):
    """Yield the questions with their outcomes in every order."""
    orders = [list(itertools.permutations(outcomes)) for outcomes, _ in questions]
    for each in itertools.product(*orders):
        yield [(outcomes, runs) for outcomes, (_, runs) in zip(each, questions, strict=True)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_effects_and_their_covariance_are_those_of_all_assignments(layout):
    questions = trials_of(layout)
    sums = run_sums(PassAtK(1), matrix_of(layout))
    assert sums.labels == tuple(NAMES)
    np.testing.assert_allclose(sums.effects, [float(effect(questions, name)) for name in NAMES], atol=1e-12)
    every = [[effect(each, name) for name in NAMES] for each in assignments(questions)]
    for i, j in itertools.product(range(3), repeat=2):
        exact = sum((row[i] * row[j] for row in every), Fraction(0)) / len(every)
        assert sums.noise[i, j] == pytest.approx(float(exact), abs=1e-12)


def even(runs, seed=0):
    rng = np.random.default_rng(seed)
    return OutcomeMatrix(rng.integers(0, 2, (30, runs)), runs=range(runs))


@pytest.mark.parametrize("outcomes", [even(2), even(5), even(300), *map(matrix_of, LAYOUTS)], ids=str)
def test_the_likelihood_is_that_of_a_normal_law(outcomes):
    """Even layouts take a shorter way, which must be the same."""
    sums = run_sums(PassAtK(1), outcomes)
    found = sums.log_likelihood - sums.log_likelihood[0]
    covariances = [sums.noise + s**2 * sums.pull @ sums.pull for s in SIZES[::8]]
    exact = [stats.multivariate_normal(cov=each, allow_singular=True).logpdf(sums.effects) for each in covariances]
    np.testing.assert_allclose(found[::8], np.array(exact) - exact[0], atol=1e-6)
    assert sums.degrees == np.linalg.matrix_rank(sums.noise)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(3)], ids=str)
def test_the_posterior_is_that_of_the_interval(metric, target):
    outcomes = drawn(200, 5, 1.0, 1)
    law = metric.posterior(outcomes, target=target, runs="random")
    interval = metric.interval(outcomes, target=target, runs="random")
    plain = metric.posterior(outcomes, target=target, runs="independent")
    assert law.mean == pytest.approx(plain.mean)
    assert law.sd > 1.1 * plain.sd
    np.testing.assert_allclose(np.minimum(law.icdf(np.array([0.025, 0.975])), 1.0), interval[2:4], atol=0.01)
    with pytest.warns(RunsWarning, match="Trials are taken as independent"):
        assert metric.posterior(outcomes, target=target).sd == plain.sd


def test_a_posterior_of_rewards_is_refused():
    rewards = RewardMatrix(np.random.default_rng(0).random((20, 3)), runs=NAMES)
    with pytest.raises(OutcomeError, match="has no form with the noise of runs"):
        MaxAtK(1).posterior(rewards, runs="random")
    with pytest.raises(OutcomeError, match="not known which run"):
        PassAtK(1).posterior([[1, 0]], runs="random")


@pytest.mark.simulation
@pytest.mark.parametrize(("metric", "s"), [("pass@1", 0.0), ("pass@1", 0.4), ("passhat@4", 0.4)])
def test_intervals_contain_the_value_over_runs(metric, s):
    """Five models share the size of effects: coverage .95 within three standard errors of 80 boards, .02 below."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    hits = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        logits = rng.normal(0, 1.7, (5, 100))
        mean = expit(logits[..., None] + s * nodes) @ (weights / weights.sum())
        truth = (mean if metric == "pass@1" else mean**4).mean(axis=1)
        shifted = logits[:, :, None] + s * rng.standard_normal((5, 1, 5))
        models = {
            str(i): OutcomeMatrix((rng.random((100, 5)) < expit(each)).astype(int), runs=range(5))
            for i, each in enumerate(shifted)
        }
        board = Leaderboard(metric, models, runs="random")
        hits += [each.lo <= t <= each.hi for each, t in zip(board.rankings[0].intervals, truth, strict=True)]
    error = math.sqrt(0.95 * 0.05 / len(hits))
    assert 0.93 - 3 * error < np.mean(hits) < 0.985 + 3 * error


@pytest.mark.simulation
def test_false_alarms_and_calls_have_their_rates():
    alarms, calls = [], []
    for seed in range(300):
        same = drawn(100, 5, 0.0, seed)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            PassAtK(1).interval(same)
        alarms.append(any(each.category is RunsWarning for each in said))
        rng = np.random.default_rng([1, seed])
        logits = rng.normal(0, 1.7, 100)[:, None]
        pair = [
            OutcomeMatrix(
                (rng.random((100, 5)) < expit(logits + 0.4 * rng.standard_normal(5))).astype(int), runs=range(5)
            )
            for _ in range(2)
        ]
        calls.append(compare("pass@1", *pair, runs="random").winner is not None)
    assert np.mean(alarms) < 0.01 + 3 * math.sqrt(0.01 / 300)
    assert np.mean(calls) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_warnings_of_several_models_have_both_standard_errors():
    """By trials alone it is that of a mean of independent trials; about runs like these the runs' variance is added."""
    chances = np.clip(np.linspace(0.1, 0.9, 60)[:, None] + [-0.3, 0.0, 0.2, 0.3], 0.0, 1.0)
    R = np.random.default_rng(2).binomial(1, chances)
    outcomes = OutcomeMatrix(R, runs=["mon", "tue", "wed", "thu"])
    sums = run_sums(PassAtK(1), outcomes)
    own, wide = sums.standard_errors
    assert own == pytest.approx(np.sqrt((R.var(axis=1, ddof=1) / 4).sum()) / 60)
    assert wide**2 - own**2 == pytest.approx(sums.spread(0.5) ** 2 / 4)
    assert sums.share == pytest.approx(analyze_runs("pass@1", outcomes).share)
    said = f"standard error of {own:.3f}, about runs like these of {wide:.3f}"
    other = OutcomeMatrix(np.random.default_rng(3).binomial(1, 0.5, (60, 4)), runs=["a", "b", "c", "d"])
    with pytest.warns(RunsWarning, match=said):
        compare("pass@1", outcomes, other)
    with pytest.warns(RunsWarning, match=said):
        PassAtK(1).posterior(outcomes)
