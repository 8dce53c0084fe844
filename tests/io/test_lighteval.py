"""The lighteval reader, on Parquet files with the tool's nested columns."""

import itertools
import math

import pytest

from helpers.written import counts, refused
from scorio import read

duckdb = pytest.importorskip("duckdb")
NAME = "details_aime|0_2026-01-01T00-00-00.000001.parquet"


def details(path, rows):
    """A details file of rows (id, metrics by name, number of responses)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for id, metrics, texts in rows:
        metric = ", ".join(f"'{name}': {'NULL' if value is None else value}::DOUBLE" for name, value in metrics.items())
        response = ", ".join(["'x'"] * texts)
        lines.append(f"({{'id': '{id}', 'query': 'q'}}, {{{metric}}}, {{'text': [{response}]::VARCHAR[]}})")
    table = f"SELECT * FROM (VALUES {', '.join(lines)}) AS t(doc, metric, model_response)"
    duckdb.sql(f"COPY ({table}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize(
    "metric",
    ["pass@k:k=1&n=4", "pass@k:n=4&k=1", "gpqa_pass@k:k=1&n=4", "avg@n:n=4", "pass@1:4_samples", "codegen_pass@1:4"],
)
def test_counts_from_a_mean_over_samples(tmp_path, metric):
    path = details(tmp_path / NAME, [(str(i), {metric: i / 4}, 4) for i in (3, 1, 0, 4)])
    outcomes = read(path, model="m")
    assert counts(outcomes) == {"m": {str(i): [4 - i, i] for i in (0, 1, 3, 4)}}
    assert outcomes.questions == ("0", "1", "3", "4")


def test_pass_at_1_is_picked_among_others(tmp_path):
    metrics = {"pass@k:k=1&n=2": 0.5, "pass@k:k=2&n=2": 1.0, "maj@n:n=2": 1.0}
    path = details(tmp_path / NAME, [("0", metrics, 2)])
    assert read(path) == read(path, score="pass@k:k=1&n=2")
    assert counts(read(path, score="pass@k:k=1&n=2", model="m")) == {"m": {"0": [1, 1]}}
    for several in ("pass@k:k=2&n=2", "maj@n:n=2"):
        refused(path, "document '0': .* is about several samples together", score=several)


def test_of_two_metrics_with_the_same_numbers_one_is_read(tmp_path):
    same = details(tmp_path / "a" / NAME, [(str(i), {"pass@k:k=1&n=4": i / 4, "avg@n:n=4": i / 4}, 4) for i in (1, 3)])
    assert counts(read(same, model="m")) == {"m": {"1": [3, 1], "3": [1, 3]}}
    other = details(tmp_path / "b" / NAME, [("0", {"pass@k:k=1&n=1": 1.0, "avg@n:n=4": 1.0}, 4)])
    refused(other, r"several metrics, 'pass@k:k=1&n=1', 'avg@n:n=4': score=\"pass@k:k=1&n=1\" chooses the first")


@pytest.mark.parametrize("n", [8, 16, 64])
def test_equal_shares_may_differ_in_the_last_digit(tmp_path, n):
    """Pass@1 is written as 1 - comb(n - c, 1) / comb(n, 1) by a product, which rounds otherwise than c / n."""
    shares = {c: 1.0 - math.prod(1.0 - 1.0 / (i + 1) for i in range(n - c, n)) for c in range(n + 1)}
    rows = [(str(c), {f"pass@k:k=1&n={n}": share, f"avg@n:n={n}": c / n}, n) for c, share in shares.items()]
    assert any(share != c / n for c, share in shares.items())
    assert counts(read(details(tmp_path / NAME, rows), model="m"))["m"] == {str(c): [n - c, c] for c in shares}


def test_one_number_about_several_samples_says_nothing(tmp_path):
    path = details(tmp_path / NAME, [("0", {"em": 1.0}, 4)])
    refused(path, "document '0': 'em' is one number about 4 samples")


def test_missing_responses_and_metrics_are_missing(tmp_path):
    rows = [("0", {"pass@k:k=1&n=4": 0.25}, 3), ("1", {"pass@k:k=1&n=4": None}, 4)]
    matrix = read(details(tmp_path / NAME, rows))[tmp_path.name]
    assert counts({"m": matrix}) == {"m": {"0": [2, 1], "1": [0, 0]}}
    assert matrix.planned_trials.tolist() == [4, 4]


def test_the_missing_extra_is_named(tmp_path, monkeypatch):
    path = details(tmp_path / NAME, [("0", {"acc": 1.0}, 1)])
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    refused(path, "pip install duckdb")


def test_columns_that_were_written_as_text(tmp_path):
    path = tmp_path / NAME
    duckdb.sql(f"COPY (SELECT '{{}}' AS doc, '{{}}' AS metric, '{{}}' AS model_response) TO '{path}' (FORMAT parquet)")
    refused(path, "the columns 'doc', 'metric', 'model_response' are VARCHAR: the tool failed")


def g_pass(k, n, c):
    """G-Pass@k of c successes in n samples for the tool's five thresholds, by enumeration."""
    draws = [sum(draw) for draw in itertools.combinations([1] * c + [0] * (n - c), k)]
    least = {threshold: max(math.ceil(k * threshold), 1) for threshold in (0.0, 0.25, 0.5, 0.75, 1.0)}
    return {f"g-pass@{k}_{t}": sum(hits >= least[t] for hits in draws) / len(draws) for t in least}


@pytest.mark.parametrize(("k", "n"), [(4, 8), (2, 5)])
def test_g_pass_determines_the_number_of_successes(tmp_path, k, n):
    rows = [(str(c), {**g_pass(k, n, c), f"mg-pass@{k}": 0.5}, n) for c in range(n + 1)]
    path = details(tmp_path / NAME, rows)
    assert counts(read(path, model="m")) == {"m": {str(c): [n - c, c] for c in range(n + 1)}}
    assert read(path) == read(path, score=f"g-pass@{k}_0.5")
    refused(path, "is about several samples together", score=f"mg-pass@{k}")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (g_pass(2, 2, 0) | {"g-pass@2_1.0": 0.5}, "no number of successes of 2 samples gives the values of"),
        ({"g-pass@2_1.0": 0.0}, "do not determine the successes of 2 samples: 0 or 1"),
        ({"g-pass@4_1.0": 0.0}, "G-Pass@4 needs 4 samples, but there are 2"),
    ],
)
def test_g_pass_that_determines_nothing(tmp_path, values, message):
    refused(details(tmp_path / NAME, [("0", values, 2)]), f"document '0': .*{message}")
