"""What hostile or unusual surroundings must not change: files that fill the memory, numpy's settings, subclasses."""

import json
import zipfile

import numpy as np
import pytest

import scorio
from helpers.damaged import damaged_file
from scorio import Leaderboard, Metric, OutcomeError, OutcomeMatrix, PassAtK, compare
from scorio.io import _files
from scorio.io._files import parsed

RNG = np.random.default_rng(0)
MIXED = (RNG.random((30, 8)) < RNG.random((30, 1))).astype(int)


@pytest.mark.parametrize("text", ["[" + "[]," * 40 + "0]", "[" + "{}," * 40 + "0]", "[" + "1," * 120 + "0]"])
def test_json_is_bounded_by_its_values(text, monkeypatch):
    monkeypatch.setattr(_files, "MOST_VALUES", 50)
    with pytest.raises(OutcomeError, match=r"the JSON holds \d+ values; the most that are read at once are 50"):
        parsed(text)
    words = json.dumps({"a": "[,{" * 100, 'b"\\': '\\",[' * 50})
    assert parsed(words) == json.loads(words)


def test_a_small_archive_of_many_objects_is_refused(tmp_path):
    """Under 100 kB, and some gigabytes once it is read."""
    log = tmp_path / "bomb.eval"
    with zipfile.ZipFile(log, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "[" + "{}," * (_files.MOST_VALUES // 2 + 1) + "{}]")
    assert log.stat().st_size < 100_000
    with pytest.raises(OutcomeError, match=r"bomb.eval: .*the JSON holds 5,000,\d+ values; the most"):
        scorio.read(log, format="inspect")


def test_json_is_bounded_by_its_depth(tmp_path):
    with pytest.raises(OutcomeError, match="nested too deeply"):
        parsed("[" * 500_000)
    table = tmp_path / "deep.jsonl"
    table.write_text('{"question": "q", "correct": 1, "more": ' + "[" * 500_000 + "]" * 500_000 + "}\n")
    with pytest.raises(OutcomeError, match=r"deep.jsonl: .*nested too deeply"):
        scorio.read(table)
    damaged_file(("deep.json", b'{"eval": {"model": "m", "scorers": ' + b"[" * 900 + b"]" * 900 + b'}, "samples": []}'))


@pytest.mark.parametrize("name", ["runs.json", "runs.jsonl"])
def test_the_last_of_equal_keys_counts(tmp_path, name):
    """As for the tools' own readers."""
    table = tmp_path / name
    row = '{"model": "a", "question": "q", "correct": 1, "correct": 0}'
    table.write_text(f"[{row}, {row}]" if name.endswith("json") else f"{row}\n{row}\n")
    assert scorio.read(table)["a"].counts.tolist() == [[2, 0]]


def answers():
    """One number of everything that computes, under any settings of numpy."""
    sets = {
        "mixed": OutcomeMatrix(MIXED),
        "hard": OutcomeMatrix(np.zeros((20, 4), int)),
        "spiky": OutcomeMatrix(np.repeat([[0] * 8, [1] * 8], 15, axis=0)),
    }
    for name, outcomes in sets.items():
        for metric in map(Metric.from_string, ("bayes", "pass^4", "geom@4", "pass@10000")):
            for prior in ("uniform", "learned", (1e-3, 1e3)):
                yield name, metric, prior, metric.interval(outcomes, prior=prior)
            yield name, metric, metric.interval(outcomes, prior="learned", target="population")
    for values in (np.array([[0, 0.25, 1.0]] * 5), RNG.permutation(np.linspace(-1, 1, 80)).reshape(20, 4)):
        rewards = OutcomeMatrix.from_rewards(values)
        yield [Metric.from_string(text).interval(rewards, prior="learned") for text in ("avg", "max@2")]
    both = {"a": MIXED, "b": 1 - MIXED, "c": sets["spiky"]}
    for target in ("questions", "population"):
        yield compare("pass@2", MIXED, 1 - MIXED, target=target)
        yield Leaderboard("pass@2", both, target=target).to_json()
    yield scorio.plan_trials("pass@1", MIXED, 0.03), scorio.plan_separation("pass@1", MIXED, 1 - MIXED)
    yield (
        scorio.next_trials("pass@1", MIXED, 10),
        str(scorio.curves.analyze_convergence("pass@1", both, replicates=5, rng=0)),
    )
    yield OutcomeMatrix(np.float16([[0, np.nan]]), missing="omit"), OutcomeMatrix.from_rewards([[1e-320, 1.0]])


@pytest.mark.slow
def test_settings_of_numpy_change_nothing():
    state = RNG.bit_generator.state
    usual = list(map(str, answers()))
    RNG.bit_generator.state = state
    with np.errstate(all="raise"):
        assert list(map(str, answers())) == usual


def test_powers_become_zero_and_not_subnormal():
    """1,000 distinct numbers of trials: with subnormal factors, each of 1e8 steps takes some twenty times as long."""
    n = np.arange(1, 1001)
    outcomes = OutcomeMatrix.from_counts(n // 2, n)
    for name in ("pass^100000", "pass@100000", "geom@100000"):
        moments = Metric.from_string(name).moments(outcomes)
        assert np.isfinite(moments.mean).all()
        assert not ((moments.mean > 0.0) & (moments.mean < np.finfo(float).tiny)).any()
    assert PassAtK(100_000).interval(outcomes, prior="uniform").mu == pytest.approx(1.0, abs=0.01)
