"""The examples run as a user runs them, and print what they should."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import scorio

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name):
    done = subprocess.run([sys.executable, EXAMPLES / name], check=True, capture_output=True, text=True)
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


def script(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_data_is_what_its_script_writes(tmp_path, monkeypatch):
    module = script("make_data")
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(module, "__file__", str(tmp_path / "make_data.py"))
    module.main()
    assert (tmp_path / "data" / "simulated.csv").read_text() == (EXAMPLES / "data" / "simulated.csv").read_text()


def test_the_logs_are_what_their_script_writes(tmp_path):
    script("make_logs").main(tmp_path)
    written = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    logs = EXAMPLES / "logs"
    assert written == {path.relative_to(logs): path.read_text() for path in logs.rglob("*") if path.is_file()}
    assert len(written) == 5


def test_both_forms_of_the_logs_say_the_same():
    inspect, table = (scorio.read(EXAMPLES / "logs" / name) for name in ("inspect", "puzzles.csv"))
    assert inspect == table
    assert inspect["cirrus-7b"].coverage == 1 - 3 / 240


@pytest.mark.tools
def test_inspect_reads_the_logs_itself():
    log = pytest.importorskip("inspect_ai.log").read_eval_log(str(EXAMPLES / "logs" / "inspect" / "cirrus-7b.json"))
    values = [score.value for sample in log.samples for score in sample.scores.values()]
    assert (values.count("C"), len(values), len(log.samples)) == (116, 237, 240)
