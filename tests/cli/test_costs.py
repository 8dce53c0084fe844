"""Costs on the command line: the library's numbers from logs that tell what their runs used."""

import json

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import Leaderboard, cost_table, next_trials, read


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for at, (model, tokens, rate) in enumerate((("big", 6000, 3), ("small", 400, 2))):
        samples = [
            inspect_sample(f"q{q}", epoch, "C" if (q + epoch) % 4 < rate else "I")
            for q in range(8)
            for epoch in range(1, 5)
        ]
        stats = {"model_usage": {"m": {"input_tokens": tokens, "output_tokens": 10 * tokens}}}
        header = inspect_header(model, [f"q{q}" for q in range(8)], 4, run=f"run-{at}", stats=stats)
        inspect_eval(folder / f"{at}.eval", samples, header)
    return folder


def test_costs_prints_the_table_of_the_library(logs):
    table = cost_table("pass@2", read(logs), "output_tokens", limit=3000)
    options = ("-m", "pass@2", "--cost", "output_tokens", "--limit", "3000")
    expected = [{"metric": "pass@2", **record} for record in table._records()]
    for record in expected:  # what buys as much is a forecast: NumPy before 2 rounds logarithms by where they lie
        record |= {name: pytest.approx(each, rel=1e-9) for name, each in record.items() if isinstance(each, float)}
    assert rows("costs", logs, *options) == expected
    assert str(table) in run("costs", logs, "-q", *options).stdout
    settings = json.loads(run("costs", logs, *options, "--format", "json").stdout)["settings"]
    assert settings["cost"] == "output_tokens"


def test_costs_may_be_given_by_model():
    prices = {"aurora-70b": 0.07, "borealis-70b": 0.06, "cirrus-7b": 0.01, "drizzle-1b": 0.002}
    given = [part for name, price in prices.items() for part in ("--cost", f"{name}={price}")]
    expected = cost_table("pass@1", read(LOGS), prices)
    assert rows("costs", LOGS, *given) == [{"metric": "pass@1", **record} for record in expected._records()]
    error = run("costs", LOGS, *given[:2], code=2).stderr
    assert "--cost names no cost per trial of model 'borealis-70b'" in error
    assert (
        "'dear' is neither one NAME nor of the form MODEL=NUMBER"
        in run("costs", LOGS, *given[:2], "--cost", "dear", code=2).stderr
    )


def test_next_trials_spend_a_cost(logs, tmp_path):
    file, state = tmp_path / "next.json", tmp_path / "state.json"
    options = ("--trials", "64", "--spend", "6000", "--cost", "input_tokens", "--next-file", file, "--state", state)
    text = run("watch", logs, *options, code=1).stderr
    assert "of 6000 input_tokens" in text
    expected = next_trials("pass@1", read(logs), 6000, cost="input_tokens").write(tmp_path / "expected.json")
    same = {(row["model"], row["question"]): row["trials"] for row in json.loads(expected.read_text())}
    assert {(row["model"], row["question"]): row["trials"] for row in json.loads(file.read_text())} == same


def test_rank_shows_the_intervals_of_costs_that_logs_tell_of_every_trial(tmp_path):
    counts = {("q1", 1): 100, ("q1", 2): 300, ("q2", 1): 50, ("q2", 2): 70}
    samples = [inspect_sample(*key, model_usage={"m": {"output_tokens": n}}) for key, n in counts.items()]
    stats = {"model_usage": {"m": {"output_tokens": 520}}}
    inspect_eval(tmp_path / "1.eval", samples, inspect_header(stats=stats))
    cost = Leaderboard("pass@1", read(tmp_path)).costs["lab/one"]["output_tokens"]
    text = run("rank", tmp_path, "-q", "--costs", "--no-bars").stdout
    assert f"{cost.mean:,.0f}  [{cost.lo:,.0f}, {cost.hi:,.0f}]" in text
    assert "costs: means per trial with 95% intervals for these questions" in text
    [record] = rows("rank", tmp_path, "--costs")
    assert record["output_tokens_per_trial_hi"] == cost.hi
