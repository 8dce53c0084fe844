"""Costs on the command line: the library's numbers from logs that tell what their runs used."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import Leaderboard, read


def test_costs_may_be_given_by_model():
    prices = {"aurora-70b": 0.07, "borealis-70b": 0.06, "cirrus-7b": 0.01, "drizzle-1b": 0.002}
    given = [part for name, price in prices.items() for part in ("--cost", f"{name}={price}")]
    error = run("costs", LOGS, *given[:2], code=2).stderr
    assert "--cost names no cost per trial of model 'borealis-70b'" in error
    assert (
        "'dear' is neither one NAME nor of the form MODEL=NUMBER"
        in run("costs", LOGS, *given[:2], "--cost", "dear", code=2).stderr
    )


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
