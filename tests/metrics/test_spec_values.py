"""The specification's check values, and published numbers with the data behind them."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from scorio import GPassTau, OutcomeMatrix, PassAtK, eval

DATA = Path(__file__).parents[3] / "shared" / "data"
A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
W = (0, 0.5, 1)
B0 = [[0, 2], [1, 2]]
TOP_P = [[int(x) for x in row] for row in ("1111011", "1001001", "0000100", "1110110", "0010000")]
GREEDY = [1, 1, 0, 1, 0]

CASES = [
    (eval.bayes, (B, W, B0), {}, (0.575, 0.084275)),
    (eval.bayes, (B, W), {}, (0.5625, 0.091998)),
    (eval.bayes_ci, (A,), {"bounds": (0, 1)}, (0.642857, 0.118451, 0.4107, 0.875)),
    (eval.avg, (A,), {}, (0.7, 0.165831)),
    (eval.avg, (B, W), {}, (0.6, 0.147196)),
    (eval.avg_ci, (A,), {"bounds": (0, 1)}, (0.7, 0.1658, 0.375, 1)),
    (eval.avg_ci, (B, W), {}, (0.6, 0.1472, 0.3115, 0.8885)),
    (eval.pass_at_k, (A, 1), {}, 0.7),
    (eval.pass_at_k, (A, 2), {}, 0.95),
    (eval.pass_hat_k, (A, 1), {}, 0.7),
    (eval.pass_hat_k, (A, 2), {}, 0.45),
    (eval.pass_at_k_ci, (A, 1), {}, (0.642857, 0.118451, 0.4107, 0.875)),
    (eval.pass_at_k_ci, (A, 2), {}, (0.839286, 0.097263, 0.6487, 1)),
    (eval.pass_hat_k_ci, (A, 2), {}, (0.446429, 0.146167, 0.1599, 0.7329)),
    (eval.auc_at_k, (A, 1), {}, 0.7),
    (eval.auc_at_k, (A, 2), {}, 0.825),
    (eval.auc_at_k, (A, 3), {}, 0.9),
    (eval.maj_at_k, (A, 1), {}, 0.7),
    (eval.maj_at_k, (A, 2), {}, 0.45),
    (eval.maj_at_k, (A, 3), {}, 0.85),
    (eval.maj_at_k_ci, (A, 2), {}, (0.446429, 0.146167, 0.1599, 0.7329)),
    (eval.maj_at_k_ci, (A, 3), {}, (0.684524, 0.151958, 0.3867, 0.9824)),
    (eval.g_pass_at_k_tau, (A, 2, 0.5), {}, 0.95),
    (eval.g_pass_at_k_tau, (A, 2, 1), {}, 0.45),
    (eval.mg_pass_at_k, (A, 2), {}, 0.45),
    (eval.mg_pass_at_k, (A, 3), {}, 0.166667),
    (eval.geom_at_k, (A, 2), {}, 0.647106),
    (eval.geom_ds_at_k, (A, 2), {}, 0.653835),
    (eval.geom_at_k_ci, (A, 2), {}, (0.610666, 0.133107, 0.3498, 0.8716)),
    (eval.geom_ds_at_k_ci, (A, 2), {}, (0.612112, 0.132755, 0.3519, 0.8723)),
    (eval.geo_spectrum_at_k, (A, 3), {}, 0.408248),
    (eval.geo_spectrum_at_k, (A, 3), {"lam": 1}, 1),
    (eval.max_at_k, (A, 2), {}, 0.95),
    (eval.max_at_k, (B, 2, W), {}, 0.85),
    (eval.max_at_k_ci, (A, 2), {}, (0.839286, 0.097263, 0.6487, 1)),
    (eval.max_at_k_ci, (B, 2, W), {}, (0.75, 0.08812, 0.5773, 0.9227)),
    (eval.bayes_ci, (TOP_P,), {}, (0.4667, 0.0629, 0.3435, 0.5899)),
    (eval.bayes_ci, (TOP_P, None, GREEDY), {}, (0.48, 0.0585, 0.3654, 0.5946)),
]


def digits(value):
    """The tolerance of a printed value: half a unit of its last digit."""
    text = repr(value)
    return 0.51 * 10.0 ** -(len(text.partition(".")[2])) if "." in text else 1e-12


@pytest.mark.parametrize(("function", "arguments", "options", "expected"), CASES)
def test_check_values(function, arguments, options, expected):
    found = np.atleast_1d(function(*arguments, **options))
    for value, truth in zip(found, np.atleast_1d(expected), strict=True):
        tolerance = max(digits(float(truth)), 0.51e-4 if len(found) > 2 and value not in found[:2] else 0.51e-6)
        assert abs(value - truth) <= tolerance, (found, expected)


def test_the_threshold_of_g_pass_is_not_rounded_up():
    known = ((0.28, 25, 7), (0.56, 25, 14), (0.55, 100, 55), (0.07, 100, 7), (0.14, 50, 7), (0.0, 9, 1), (1.0, 9, 9))
    for tau, k, hits in known:
        assert np.flatnonzero(GPassTau(k, tau).credit())[0] == hits


def published():
    path = DATA / "check_cases.json"
    return json.loads(path.read_text()) if path.exists() else []


@pytest.mark.skipif(not (DATA / "check_cases.json").exists(), reason="the published cases are not here")
def test_published_numbers():
    cases = [case for case in published() if "counts" in case or "R" in case]
    assert len(cases) >= 8
    for case in cases:
        within = {"abs": case.get("tol") or 0.51 * 10.0 ** -case["rounded"]}
        if "R" in case:
            found = eval.bayes(case["R"], case.get("w"), case.get("R0"))
            assert found == pytest.approx(case["expected"], **within), case["source"]
            continue
        R = OutcomeMatrix.from_counts(np.atleast_1d(case["counts"]), case["n"])
        for k, expected in case["expected"].items():
            found = getattr(eval, case["metric"])(R, int(k))
            assert found == pytest.approx(expected, **within), case["source"]


@pytest.mark.skipif(not (DATA / "passk_reference_monkeys.csv").exists(), reason="the published values are not here")
def test_two_thousand_published_pass_at_k():
    with (DATA / "passk_reference_monkeys.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2000
    for row in rows:
        R = OutcomeMatrix.from_counts([int(float(row["c"]))], int(row["n"]))
        assert PassAtK(int(row["k"])).score(R) == pytest.approx(float(row["pass_at_k"]), rel=1e-9, abs=1e-12)
