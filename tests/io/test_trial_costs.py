"""Costs of single trials: from logs, and through selections, merging, saved counts and JSON."""

import numpy as np
import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample, write_json
from scorio import read

TOKENS = {("q1", 1): 10, ("q1", 2): 30, ("q2", 1): 5, ("q2", 2): 5}


def write_log(path, run="run-1", tokens=TOKENS, without=(), task="sums", model="lab/one", values=None):
    """Write a log of Inspect whose samples, except some, tell what they used."""
    samples = [
        inspect_sample(*key, value=(values or {}).get(key, "C"))
        | ({} if key in without else {"model_usage": {"m": {"input_tokens": count, "output_tokens": 2 * count}}})
        for key, count in tokens.items()
    ]
    usage = {"input_tokens": sum(tokens.values()), "output_tokens": 2 * sum(tokens.values())}
    header = inspect_header(model, run=run, task=task, stats={"model_usage": {"m": usage}})
    return inspect_eval(path, samples, header)


def trials_of(outcomes, model="lab/one", cost="input_tokens"):
    known = outcomes.costs[model][cost].trials
    return known.trials.tolist(), *(np.nan_to_num(each).tolist() for each in (known.means, known.variances))


def test_inspect_logs_tell_the_costs_of_samples(tmp_path):
    write_log(tmp_path / "1.eval")
    outcomes = read(tmp_path)
    assert outcomes.costs["lab/one"] == {"input_tokens": 12.5, "output_tokens": 25.0}
    assert trials_of(outcomes) == ([2, 2], [20.0, 5.0], [200.0, 0.0])
    assert outcomes.to_dict()["trial_costs"]["lab/one"]["input_tokens"]["means"] == [20.0, 5.0]


def test_runs_of_a_model_add_up(tmp_path):
    write_log(tmp_path / "1.eval")
    write_log(tmp_path / "2.eval", run="run-2", tokens={("q2", 1): 20, ("q2", 2): 30, ("q1", 1): 20, ("q1", 2): 20})
    outcomes = read(tmp_path)
    numbers, means, variances = trials_of(outcomes)
    assert (numbers, means) == ([4, 4], [20.0, 15.0])
    assert variances == pytest.approx([np.var([10, 30, 20, 20], ddof=1), np.var([5, 5, 20, 30], ddof=1)])


def test_a_sample_that_does_not_tell_hides_those_of_the_others(tmp_path):
    write_log(tmp_path / "1.eval", without=[("q1", 2)])
    cost = read(tmp_path).costs["lab/one"]["input_tokens"]
    assert cost == 12.5
    assert not hasattr(cost, "trials")


def test_the_cost_of_a_sample_without_an_outcome_counts(tmp_path):
    write_log(tmp_path / "1.eval", values={("q1", 2): None})
    outcomes = read(tmp_path)
    assert outcomes.costs["lab/one"]["input_tokens"] == pytest.approx(50 / 3)
    assert trials_of(outcomes)[0] == [2, 2]


def test_a_retry_counts_each_sample_once(tmp_path):
    for hour, tokens in ((1, {("q1", 1): 10, ("q1", 2): 30}), (2, {("q1", 1): 10, ("q1", 2): 30, ("q2", 1): 5})):
        samples = [inspect_sample(*key, model_usage={"m": {"input_tokens": count}}) for key, count in tokens.items()]
        header = inspect_header()
        header["eval"] |= {"created": f"2026-01-01T0{hour}:00:00+00:00", "eval_id": str(hour)}
        inspect_eval(tmp_path / f"{hour}.eval", samples, header)
    assert trials_of(read(tmp_path)) == ([2, 1], [20.0, 5.0], [200.0, 0.0])


def test_other_tools_tell_them_too(tmp_path):
    results = [
        {
            "task_id": name,
            "trial_name": f"{name}.{i}",
            "is_resolved": True,
            "instruction": name,
            "total_input_tokens": n,
        }
        for name, i, n in (("t1", 1, 4), ("t1", 2, 8), ("t2", 1, 6))
    ]
    write_json(tmp_path / "run" / "results.json", {"id": "x", "results": results, "pass_at_k": {}, "n_resolved": 3})
    outcomes = read(tmp_path, model="m")
    assert trials_of(outcomes, "m") == ([2, 1], [6.0, 6.0], [8.0, 0.0])
