"""The examples run as a user runs them, and print what they should."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import scorio

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def test_quickstart_prints_both_models_and_all_metrics():
    lines = run("quickstart.py").splitlines()
    assert lines[0] == "OutcomeSet(2 models x 60 questions, binary)"
    assert [line.split()[:2] for line in lines[2:]] == [
        [model, metric]
        for model in ("model-a", "model-b")
        for metric in ("bayes", "pass@4", "passhat@4", "gpass@4:tau=0.5")
    ]


def test_token_rubric():
    assert "4 categories" in run("token_rubric.py")


def test_custom_metric():
    # three successes of five: all of three and one failure in 2 of 5 draws of four; four of five: in every draw
    assert run("custom_metric.py").startswith("AtLeast(k=4, hits=3) scores 0.7000, posterior ")


@pytest.mark.slow
def test_how_many_trials(tmp_path):
    outcomes = tmp_path / "outcomes.npz"
    np.savez(outcomes, correct=np.array([[9, 8], [1, 0], [5, 4]]), trials=10)
    truth, said, own, real = run("how_many_trials.py", "--outcomes", outcomes).strip().split("\n\n")
    for table in (truth, own, real):
        rows = [line.split() for line in table.splitlines()[2:]]
        assert [row[0] for row in rows] == ["avg", "bayes", "pass@2", "pass@4", "pass@8", "passhat@2"]
        assert rows[0][1:] == rows[1][1:]
    never = {row[0]: float(row[2].rstrip("%")) for row in (line.split() for line in truth.splitlines()[2:])}
    assert never["avg"] < never["pass@2"] < never["pass@4"] < never["pass@8"]
    assert "avg converges first, pass@8 last" in said
    page = (EXAMPLES.parent / "benchmarks" / "RESULTS.md").read_text()
    assert f"{truth}\n\n{said}\n\n{own}" in page


def test_training_loop(tmp_path):
    lines = run("training_loop.py", tmp_path).splitlines()
    rates = [float(line.split()[3]) for line in lines if "pass@1" in line]
    assert rates == sorted(rates)
    assert lines[-1].startswith("all 60 steps: OutcomeMatrix(256 questions")
    assert scorio.Accumulator.load(tmp_path / "rewards.npz").step == 60


@pytest.mark.slow
def test_watched_folder(tmp_path):
    lines = run("watched_folder.py").splitlines()
    assert [line.split()[4] for line in lines[:3]] == ["80", "160", "240"]
    (tmp_path / "a.jsonl").write_text('{"model": "m", "question": "q", "trial": 1, "correct": 1}\n')
    assert run("watched_folder.py", tmp_path) == run("watched_folder.py", tmp_path)
    assert list(scorio.outcomes.SavedCounts.load(tmp_path / "counts.npz").parts) == ["a.jsonl"]


def script(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_data_is_what_its_script_writes(tmp_path, monkeypatch):
    module = script("make_data")
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(module, "DATA", tmp_path / "data")
    module.main()
    for name in ("simulated.csv", "prompts.csv", "horizons.jsonl", "seen.csv", "seen-dates.csv"):
        assert (tmp_path / "data" / name).read_text() == (EXAMPLES / "data" / name).read_text()


@pytest.mark.slow
def test_leaderboard():
    board, other, _, _, beats, rules = run("leaderboard.py").split("\n\n")
    assert board.startswith("pass@1 of 5 models on 60 questions")
    assert other.startswith("pass@4 of 5 models")
    assert [line.split()[0] for line in beats.splitlines()[2:]] == ["amber", "birch", "cedar", "delta", "ember"]
    shares = {line[:29].strip(): [float(share) for share in line[29:].split()] for line in rules.splitlines()[2:]}
    for equal, close, far in shares.values():
        assert equal < 0.13
        assert equal < close < far
    assert shares["difference"][0] > shares["ci_overlap_adjacent"][0]


@pytest.mark.slow
def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    written = [Path(line) for line in run("../docs/draw.py", tmp_path).splitlines()]
    shown = sorted(path.name for path in (EXAMPLES.parent / "docs" / "pictures").iterdir())
    assert sorted(path.name for path in written) == shown
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_the_logs_are_what_their_script_writes(tmp_path):
    script("make_logs").main(tmp_path)
    written = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {path: (EXAMPLES / path).read_text() for path in written}
    assert sorted(map(str, written)) == [
        "data/puzzles.csv",
        *(f"logs/inspect/{name}.json" for name in ("aurora-70b", "borealis-70b", "cirrus-7b", "drizzle-1b")),
    ]


def test_the_folder_of_logs_holds_no_trial_twice():
    models = scorio.read(EXAMPLES / "logs")
    assert isinstance(models, scorio.OutcomeSet)
    assert models.n_questions == 40
    assert not scorio.diagnose(scorio.io.recognise([EXAMPLES / "logs", EXAMPLES / "data" / "puzzles.csv"])).is_sound


def test_the_labels_are_what_their_script_writes(tmp_path):
    script("make_labels").main(tmp_path)
    assert (tmp_path / "labels.csv").read_text() == (EXAMPLES / "data" / "labels.csv").read_text()


def test_both_forms_of_the_logs_say_the_same():
    inspect, table = (scorio.read(EXAMPLES / name) for name in ("logs/inspect", "data/puzzles.csv"))
    assert inspect == table
    assert inspect["cirrus-7b"].completeness == 1 - 3 / 240


@pytest.mark.tools
def test_inspect_reads_the_logs_itself():
    log = pytest.importorskip("inspect_ai.log").read_eval_log(str(EXAMPLES / "logs" / "inspect" / "cirrus-7b.json"))
    values = [score.value for sample in log.samples for score in sample.scores.values()]
    assert (values.count("C"), len(values), len(log.samples)) == (116, 237, 240)
