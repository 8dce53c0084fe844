"""Costs per trial: kept by everything that keeps models, from logs and through saved counts."""

import pickle

import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import OutcomeSet, Suite, read
from scorio.io import recognise
from scorio.outcomes import SavedCounts

R = {"a": [[0, 1, 1], [1, 1, 0]], "b": [[0, 0, 1], [0, 1, 0]]}
COSTS = {"a": {"dollars": 0.5, "seconds": 2.0}}


def test_costs_are_kept_by_selections_and_copies():
    models = OutcomeSet(R, costs=COSTS)
    assert models.costs == {"a": {"dollars": 0.5, "seconds": 2.0}, "b": {}}
    suite = models.split(["x", "y"])
    for each in (models.select([1]), pickle.loads(pickle.dumps(models)), OutcomeSet(models), suite["y"]):
        assert each.costs == models.costs
    assert suite.select(models=["a"])["x"].costs == COSTS
    assert suite.pooled().costs == models.costs
    assert models.to_dict()["costs"] == COSTS
    assert "costs" not in OutcomeSet(R).to_dict()


def test_saved_costs_are_sums_and_come_back_per_trial(tmp_path):
    OutcomeSet(R, costs=COSTS).save(tmp_path / "one.npz")
    saved = SavedCounts.load(tmp_path / "one.npz")
    for loaded in (saved.outcomes, OutcomeSet.load(tmp_path / "one.npz"), read(tmp_path / "one.npz")):
        assert loaded.costs == {"a": {"dollars": 0.5, "seconds": 2.0}, "b": {}}
    OutcomeSet({"a": [[1, 1], [1, 1]]}, costs={"a": {"dollars": 1.0}}).save(tmp_path / "two.npz")
    merged = saved.merge(tmp_path / "two.npz").outcomes
    assert merged.costs["a"] == {"dollars": pytest.approx((3.0 + 4.0) / 10)}
    assert read(tmp_path).costs["a"] == {"dollars": pytest.approx(0.7)}
    OutcomeSet({"a": [[1], [0]]}).save(tmp_path / "unknown.npz")
    assert read(tmp_path).costs["a"] == {}
    assert saved.merge(tmp_path / "unknown.npz").outcomes.costs["a"] == {}


def test_saved_suites_share_the_sum_by_trials(tmp_path):
    suite = OutcomeSet(R, costs=COSTS).split(["x", "y"])
    suite.save(tmp_path / "suite.npz")
    assert recognise(tmp_path).metadata["a"]["costs"] == pytest.approx({"dollars": 3.0, "seconds": 12.0})
    for loaded in (Suite.load(tmp_path / "suite.npz"), read(tmp_path)):
        assert loaded.costs["a"] == pytest.approx(COSTS["a"])
        assert loaded["x"].costs["a"] == pytest.approx(COSTS["a"])


def test_costs_of_logs_are_those_of_all_their_runs(tmp_path):
    for at, (model, tokens) in enumerate((("a", 60), ("a", 40), ("b", 30))):
        _write_inspect(tmp_path / f"{at}.eval", model, tokens, f"run-{at}")
    assert read(tmp_path).costs == {"a": {"input_tokens": 100 / 8}, "b": {"input_tokens": 30 / 4}}


def test_a_run_without_costs_hides_those_of_its_model(tmp_path):
    for at, (model, tokens) in enumerate((("a", 60), ("a", None), ("b", 30))):
        _write_inspect(tmp_path / f"{at}.eval", model, tokens, f"run-{at}")
    assert read(tmp_path).costs == {"a": {}, "b": {"input_tokens": 30 / 4}}


def _write_inspect(path, model, tokens, run):
    samples = [inspect_sample(name, epoch) for name in ("q1", "q2") for epoch in (1, 2)]
    stats = {} if tokens is None else {"model_usage": {"m": {"input_tokens": tokens}}}
    inspect_eval(path, samples, inspect_header(model=model, run=run, stats=stats))
