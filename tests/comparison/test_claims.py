"""Claims: verdicts at one error rate."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, Suite, compare
from scorio.comparison import check_claims
from scorio.errors import ParameterError

COUNTS = {"A": [9, 8, 10, 9, 9, 10], "B": [5, 6, 4, 5, 7, 5], "C": [5, 5, 5, 5, 6, 5], "D": [0, 1, 0, 2, 0, 1]}
MODELS = {name: OutcomeMatrix.from_counts(each, 10) for name, each in COUNTS.items()}


def verdicts(*claims, of=MODELS, **options):
    return [row.verdict for row in check_claims(claims, of, **options).rows]


def test_each_verdict():
    assert verdicts("A > B + 0.1", "B > A") == ["passed", "failed"]
    assert verdicts("B > C - 0.3", "D > C - 0.1", "A > 0.8", "A > 0.9") == ["passed", "failed", "passed", "undecided"]


def test_one_claim_about_two_models_is_their_comparison():
    between = compare("pass@1", MODELS["A"], MODELS["B"], confidence=0.9)
    for by, verdict in (
        (between.lo - 1e-4, "passed"),
        (between.lo + 1e-4, "undecided"),
        (between.hi + 1e-4, "failed"),
    ):
        assert verdicts(f"A > B + {by}") == [verdict]


def test_claims_are_corrected_for_their_number():
    between = compare("pass@1", MODELS["A"], MODELS["B"], confidence=0.9)
    near = f"A > B + {between.lo - 1e-4}"
    assert verdicts(near) == ["passed"]
    assert verdicts(near, "B > C")[0] == "undecided"


def test_a_claim_about_tasks_is_about_the_overall_score():
    suite = Suite({"a": MODELS, "b": {**MODELS, "A": MODELS["D"], "D": MODELS["A"]}})
    result = check_claims(["A > 0.7", "A > B - 0.5"], suite, metric="pass@2")
    assert [row.verdict for row in result.rows] == ["failed", "passed"]
    assert (result.metric, result.verdict, result.exit_code) == ("pass@2", "failed", 1)


@pytest.mark.parametrize(
    ("claims", "says"), [(["A > B", "A > Z"], "unknown model 'Z'"), ([], "one text"), ([3], "one text")]
)
def test_what_is_no_claim_is_refused(claims, says):
    with pytest.raises(ParameterError, match=says):
        check_claims(claims, MODELS)


@pytest.mark.simulation
def test_any_false_claim_is_passed_in_at_most_5_percent():
    rng, worlds, wrong = np.random.default_rng(1), 200, 0
    for _ in range(worlds):
        rates = rng.beta(1.0, 0.8, 60)
        models = {f"m{i}": OutcomeMatrix.from_counts(rng.binomial(4, rates), 4) for i in range(6)}
        wrong += "passed" in verdicts(*(f"m{i} > m5" for i in range(5)), of=models)
    assert wrong / worlds <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / worlds)
