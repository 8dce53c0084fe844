"""Files of claims: verdicts at one error rate, and claims about all models as combinations of their rivals."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, Suite, compare
from scorio.comparison import Claim, check_claims
from scorio.errors import OutcomeError, ParameterError

COUNTS = {"A": [9, 8, 10, 9, 9, 10], "B": [5, 6, 4, 5, 7, 5], "C": [5, 5, 5, 5, 6, 5], "D": [0, 1, 0, 2, 0, 1]}
MODELS = {name: OutcomeMatrix.from_counts(each, 10) for name, each in COUNTS.items()}


def verdicts(*claims, of=MODELS, **options):
    return [row.verdict for row in check_claims(claims, of, **options).rows]


def test_each_kind_of_claim():
    assert verdicts({"best": "A"}, {"best": "B"}) == ["passed", "failed"]
    assert verdicts({"top": "B", "k": 3}, {"top": "D", "k": 3}) == ["passed", "failed"]
    assert verdicts({"top": "B", "k": 2}) == ["undecided"]
    assert verdicts({"holds": "A > B + 0.1"}, {"holds": "B > A"}) == ["passed", "failed"]
    assert verdicts({"holds": "B > C - 0.3"}, {"holds": "D > C - 0.1"}) == ["passed", "failed"]


def test_one_claim_about_two_models_is_their_comparison():
    between = compare("pass@1", MODELS["A"], MODELS["B"], confidence=0.9)
    for by, verdict in ((between.lo - 1e-4, "passed"), (between.lo + 1e-4, "undecided"), (between.hi + 1e-4, "failed")):
        assert verdicts({"holds": f"A > B + {by}"}) == [verdict]


def test_claims_are_corrected_for_their_number():
    between = compare("pass@1", MODELS["A"], MODELS["B"], confidence=0.9)
    near = {"holds": f"A > B + {between.lo - 1e-4}"}
    assert verdicts(near) == ["passed"]
    assert verdicts(near, {"holds": "B > C"})[0] == "undecided"


def test_tasks_and_metrics():
    suite = Suite({"a": MODELS, "b": {**MODELS, "A": MODELS["D"], "D": MODELS["A"]}})
    claims = [{"best": "A", "task": "a"}, {"best": "A", "task": "b"}, {"best": "D", "task": "b", "metric": "pass@2"}]
    result = check_claims(claims, suite)
    assert [row.verdict for row in result.rows] == ["passed", "failed", "passed"]
    assert [row.metric for row in result.rows] == ["pass@1", "pass@1", "pass@2"]
    assert (result.verdict, result.exit_code) == ("failed", 1)


def test_unknown_models_and_tasks_name_the_claim():
    with pytest.raises(OutcomeError, match="claim 2.*'Z'"):
        check_claims([{"best": "A"}, {"best": "Z"}], MODELS)
    with pytest.raises(OutcomeError, match="task"):
        check_claims([{"best": "A", "task": "chess"}], MODELS)
    with pytest.raises(ParameterError, match="'k'|has no k"):
        check_claims([{"best": "A", "k": 2}], MODELS)
    with pytest.raises(ParameterError, match="no claim"):
        check_claims([], MODELS)


def test_a_claim_says_what_it_means():
    assert str(Claim.of({"top": "A", "k": 3, "task": "chess"})) == "A is among the top 3 on chess"
    assert str(Claim.of({"best": "A", "says": "ours wins"})) == "ours wins"


@pytest.mark.simulation
def test_any_false_claim_is_passed_in_at_most_5_percent():
    rng, worlds, wrong = np.random.default_rng(1), 200, 0
    for _ in range(worlds):
        rates = rng.beta(1.0, 0.8, 60)
        models = {f"m{i}": OutcomeMatrix.from_counts(rng.binomial(4, rates), 4) for i in range(6)}
        claims = [{"holds": f"m{i} > m5"} for i in range(5)] + [{"best": "m0"}, {"top": "m1", "k": 2}]
        wrong += "passed" in verdicts(*claims[:6], of=models)
    assert wrong / worlds <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / worlds)
