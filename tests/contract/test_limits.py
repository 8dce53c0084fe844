"""Limits of rules that a user can meet: what happens at each, just below and just above."""

import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import scorio
from helpers.tool_files import harbor_trial
from helpers.truthful_logs import g_pass
from scorio import Looks, OutcomeMatrix, OutcomeSet, PassAtK, rank
from scorio.errors import ScorioError


def warned(call):
    """The classes of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    return {each.category.__name__ for each in said}


def is_taken(call) -> bool:
    try:
        call()
    except ScorioError:
        return False
    return True


def ladder(n, trials=6):
    """Questions of rising difficulty, on which models agree."""
    return (np.arange(trials) < np.linspace(0, trials, n).round()[:, None]).astype(int)


ENDS = {  # a value of an option, and whether it is taken
    "confidence": [(0.0, False), (1e-9, True), (0.999999, True), (1.0, False)],
    "prior": [((0.0, 1.0), False), ((1e-6, 1.0), True), ((1.0, math.inf), False)],
    "bounds": [((0.5, 0.5), True), ((0.6, 0.5), False)],
}


@pytest.mark.parametrize(("option", "value", "taken"), [(o, v, t) for o, each in ENDS.items() for v, t in each])
def test_ends_of_options_of_an_interval(option, value, taken):
    assert is_taken(lambda: PassAtK(2).interval(OutcomeMatrix([[1, 0, 1], [0, 0, 1]]), **{option: value})) == taken


CALLS = {  # a call of one number: the numbers that it takes, and those next to them that it refuses
    "k of a score": (lambda k: PassAtK(k).score(OutcomeMatrix([[1, 0, 1]])), [1, 3], [0, 4]),
    "k of an interval": (
        lambda k: PassAtK(k).interval(OutcomeMatrix([[1, 0, 1]] * 3)),
        [1],  # and 10,000,000, which takes seconds: tests/metrics/test_extreme_numbers.py
        [0, 10_000_001],
    ),
    "tau": (lambda tau: scorio.GPassTau(2, tau), [0, 1], [-1e-9, 1 + 1e-9]),
    "lam": (lambda lam: scorio.GeoSpectrum(2, lam=lam), [0, 1], [-1e-9, 1 + 1e-9]),
    "a weight of a spectrum": (lambda w: scorio.metrics.ThresholdSpectrum(2, (0.4, w)), [0, 0.6], [-1e-9, 0.61]),
    "fdr": (lambda fdr: scorio.describe_questions(models(), fdr=fdr), [1e-9, 1 - 1e-9], [0, 1]),
    "looks": (lambda n: Looks(trials=8).z(n), [1, 8], [-1, 8.1]),
    "correlation": (lambda c: scorio.Design(9, 2, correlation=c), [-1, 1], [-1.01, 1.01]),
    "sigma in ranks": (lambda s: rank.rank_scores([1, 2], sigmas=[s, 1]), [0, 1e-300], [-1e-300, math.nan]),
    "tol in ranks": (lambda tol: rank.rank_scores([1, 2], tol=tol), [0], [-1e-12]),
    "quantile of ranks": (lambda q: rank.bayes(np.ones((2, 2, 2), int), quantile=q), [1e-6, 0.999], [0, 1]),
    "rate of a simulation": (lambda p: scorio.simulate.coins([[p]], 2, rng=1), [0, 1], [-1e-9, 1 + 1e-9]),
    "a whole number": (lambda n: scorio.io.At(n).whole, [0, 2**53], [-1, 2**53 + 1]),
    "questions to label": (lambda n: scorio.judging.sample_to_label(OutcomeMatrix([[1], [0], [1]]), n), [1, 3], [0, 4]),
    "sample of questions": (lambda n: scorio.choose_questions(models(), n), [10], [0, 13]),
    "values of a curve": (lambda n: scorio.curves.horizon("avg", models(), [*range(1, n), *[n] * (13 - n)]), [5], [4]),
    "questions of a gap": (
        lambda n: scorio.curves.gap("avg", models(), ["x"] * n + ["y"] * (12 - n), model="m0"),
        [3, 9],
        [2, 10],
    ),
    "goal of a gate": (lambda p: scorio.gate("avg", models()["m0"], per_question=p), [0.01, 0.99], [-0.1, 1.1]),
}


def models(n=12):
    return OutcomeSet({f"m{i}": np.roll(ladder(n), i, axis=1) * (i < 2) + ladder(n) * (i == 2) for i in range(3)})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "value", "taken"), [(n, v, i == 1) for n, c in CALLS.items() for i in (1, 2) for v in c[i]]
)
def test_numbers_at_the_end_are_taken_and_those_beyond_refused(name, value, taken):
    assert is_taken(lambda: CALLS[name][0](value)) == taken


@pytest.mark.parametrize(("trials", "has_hint"), [(3, False), (4, True), (5, True)])
def test_forecast_is_advised_from_four_trials_on(trials, has_hint):
    with pytest.raises(scorio.OutcomeError) as error:
        PassAtK(9).score(OutcomeMatrix([[1, 0, 1, 0, 1][:trials]] * 3))
    assert (error.value.hint is not None) == has_hint


@pytest.mark.parametrize("metric", ["pass@8", "gpass@12:tau=.5"])
def test_forecast_is_not_advised_where_others_have_the_trials_or_nothing_is_known_beyond(metric):
    with pytest.raises(scorio.OutcomeError) as error:
        scorio.Leaderboard(metric, {"m": OutcomeMatrix.from_counts([1, 2, 3], [4, 4, 9])})
    assert "forecast" not in str(error.value)


@pytest.mark.parametrize(("questions", "found"), [(9, False), (10, True), (11, True)])
@pytest.mark.parametrize("trials", [1, 2, 3])
def test_ten_questions_show_that_a_model_is_inverted(questions, trials, found):
    hard = (np.arange(questions) * 2 < questions).astype(int)[:, None].repeat(trials, axis=1)
    data = OutcomeSet({"a": hard, "b": hard, "c": 1 - hard})
    kinds = [each.kind for each in scorio.diagnose(data).findings]
    assert ("inverted outcomes" in kinds) == found


@pytest.mark.parametrize(("best", "found"), [(9.99, False), (10, False), (10.01, True), (100, True), (100.01, False)])
def test_scores_look_like_percentages(tmp_path, best, found):
    rows = [("a", 0, 0), ("a", 1, 1), ("b", 0, 5), ("b", 1, best)]
    (tmp_path / "t.csv").write_text("model,question,score\n" + "".join(f"{m},q{q},{v}\n" for m, q, v in rows))
    assert ("FilesWarning" in warned(lambda: scorio.read(tmp_path / "t.csv"))) == found


@pytest.mark.parametrize(("difference", "tied"), [(0.99e-12, True), (1.01e-12, False)])
def test_scores_tie_up_to_the_tolerance(difference, tied):
    assert (rank.competition_ranks_from_scores([0.0, difference]).tolist() == [1, 1]) == tied


@pytest.mark.parametrize("n", [6, 11, 19, 30])
def test_tables_as_probable_as_the_observed_one_count(n):
    """Fisher's test of one question, for all tables of so many trials: ties do not depend on rounding."""
    for new, old in [(a, b) for a in range(n + 1) for b in range(a + 1)][:: 1 + n // 8]:
        both = new + old
        ways = {x: math.comb(n, x) * math.comb(n, both - x) for x in range(max(0, both - n), min(n, both) + 1)}
        truth = Fraction(sum(each for each in ways.values() if each <= ways[new]), math.comb(2 * n, both))
        diff = scorio.comparison.diff_questions(*(OutcomeMatrix.from_counts([each], n) for each in (new, old)))
        assert diff.rows[0].p_value == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize("lowest", [-0.5, 0.0, 0.25])
def test_a_vote_of_rewards_may_be_worth_nothing(lowest):
    data = OutcomeMatrix.from_rewards([[lowest, 1.0, 0.5]] * 4, answers=[["a", "b", None]] * 4)
    assert scorio.VoteAtK(2).support(data) == (min(lowest, 0.0), 1.0)


@pytest.mark.parametrize("successes", [1, 5, 10**6 - 1])
def test_variance_of_a_rate_that_is_nearly_certain(successes):
    """The variance is a millionth of a millionth of the mean's square: a difference of moments has no digit of it."""
    data = OutcomeMatrix.from_counts([successes], 10**6)
    a, b = successes + 1, 10**6 - successes + 1
    truth = Fraction(a * b, (a + b) ** 2 * (a + b + 1))
    for metric in (PassAtK(1), scorio.MajAtK(1), scorio.metrics.ThresholdSpectrum(1, (1.0,))):
        assert metric.interval(data, prior="uniform").sigma == pytest.approx(math.sqrt(truth), rel=1e-9)


@pytest.mark.parametrize(("numbers", "trials"), [((1, 1), 1), ((1, 2), 2)])
def test_harbor_knows_a_trial_by_its_id(tmp_path, numbers, trials):
    for folder, number in enumerate(numbers):
        harbor_trial(
            tmp_path / "job", f"t{folder}", id=f"id {number}", trial_name=f"name {folder if trials == 1 else 0}"
        )
    found = scorio.io.recognise(tmp_path).outcomes if is_taken(lambda: scorio.io.recognise(tmp_path)) else None
    count = 1 if found is None else int(next(iter(found.values())).trials.sum())
    assert count == trials


@pytest.mark.parametrize(("off", "taken"), [(0.0, True), (5e-10, True), (5e-8, False)])
@pytest.mark.parametrize("successes", [30, 31])
def test_lighteval_g_pass_is_read_as_a_whole_number_of_successes(tmp_path, successes, off, taken):
    duckdb = pytest.importorskip("duckdb")
    values = {f"g-pass@2_{t}": g_pass(32, successes, 2, t) - off for t in (0.5, 1.0)}
    row = {"doc": {"id": "q"}, "metric": values, "model_response": {"text": ["x"] * 32}}
    (tmp_path / "rows.json").write_text(json.dumps([row]))
    path = tmp_path / "details" / "m" / "d" / "details_sums|0_2026-01-01T00-00-00.parquet"
    path.parent.mkdir(parents=True)
    duckdb.sql(f"COPY (SELECT * FROM read_json('{tmp_path / 'rows.json'}')) TO '{path}' (FORMAT parquet)")
    if not taken:
        assert not is_taken(lambda: scorio.read(tmp_path / "details"))
        return
    found = scorio.read(tmp_path / "details")
    assert next(iter(found.values())).successes.tolist() == [successes]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_law_of_few_trials_is_normal_from_five_trials_on(n):
    """Of one question with three trials it is the exact law of all permutations, where the observed counts half."""
    ours, theirs = OutcomeMatrix([[1, 1, 1]] * n), OutcomeMatrix([[0, 0, 1]] * n)
    one = {d: Fraction(math.comb(3, j) * math.comb(3, 4 - j), math.comb(6, 4)) for j, d in ((1, -2), (2, 0), (3, 2))}
    law = {0: Fraction(1)}
    for _ in range(n):
        law = {
            s: sum(p * q for a, p in law.items() for d, q in one.items() if a + d == s)
            for s in range(-2 * n, 2 * n + 1)
        }
    exact = sum(p * (1 if abs(s) > 2 * n else Fraction(1, 2)) for s, p in law.items() if abs(s) >= 2 * n)
    z = 2 * n / math.sqrt(sum(p * s * s for s, p in law.items()))
    normal = math.erfc(z / math.sqrt(2))
    p = scorio.compare("pass@1", ours, theirs).p_value
    assert p >= (normal if 3 * n >= 5 else float(exact)) * (1 - 1e-8)
