"""Metrics of users on the command line: classes in the current directory, plug-ins, and arguments that are data."""

import importlib
import json
import os

import pytest

from helpers.command import LOGS, MODELS, run, shell

OWN = """
from dataclasses import dataclass
import numpy as np
from scorio import CountMetric
from scorio.params import param
from scorio.params import positive


@dataclass(frozen=True)
class AtLeast(CountMetric):
    "At least ``hits`` of ``k``."

    name = "atleast"
    hits: int = param(positive, default=2)

    def credit(self):
        return np.arange(self.k + 1) >= self.hits
"""


def test_a_class_of_ones_own_from_the_current_directory(tmp_path):
    (tmp_path / "own_metric.py").write_text(OWN)
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "own_metric:AtLeast(k=1, hits=1)", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["rows"][0]["score"] == pytest.approx(151 / 240, abs=1e-13)


@pytest.mark.slow
def test_plug_ins_add_names(tmp_path):
    (tmp_path / "own_metric.py").write_text(OWN)
    info = tmp_path / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[scorio.metrics]\natleast = own_metric:AtLeast\nbroken = nowhere:X\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    logs = f"{LOGS}/aurora-70b.json"
    done = shell("score", logs, "-q", "-m", "atleast@3:hits=3", "-m", "passhat@3", "--format", "json", env=env)
    own, other = json.loads(done.stdout)["rows"]
    assert own["metric"] == "atleast@3:hits=3"
    assert own["score"] == pytest.approx(other["score"], abs=1e-13)
    broken = shell("score", logs, "-q", "-m", "broken@3", env=env)
    assert (broken.returncode, len(broken.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("code", [0, 1, None, "done"])
@pytest.mark.parametrize("place", ["method", "module", "field"])
def test_code_that_ends_the_program_is_a_failure(tmp_path, monkeypatch, code, place):
    """A metric that calls sys.exit(0) must not look like a gate that is passed."""
    name = f"quits_{place}_{code}"
    text = OWN.replace('    name = "atleast"\n', "").replace("import numpy as np", "import numpy as np\nimport sys")
    at = {
        "method": ("        return np.arange", f"        sys.exit({code!r})\n        return np.arange"),
        "module": ("@dataclass(frozen=True)", f"sys.exit({code!r})\n@dataclass(frozen=True)"),
        "field": (
            "    def credit(self):",
            f"    def __post_init__(self):\n        sys.exit({code!r})\n\n    def credit(self):",
        ),
    }[place]
    (tmp_path / f"{name}.py").write_text(text.replace(*at))
    monkeypatch.syspath_prepend(tmp_path)
    done = run("gate", LOGS, "--between", *MODELS[:2], "-q", "-m", f"{name}:AtLeast(k=1)", code=2)
    assert done.stdout == ""
    assert f"SystemExit({code!r}): it must return a value, or raise an error" in done.stderr
    if place == "method":
        metric = importlib.import_module(name).AtLeast(k=1)
        with pytest.raises(RuntimeError, match=r"AtLeast.credit ended the program by SystemExit"):
            metric.score([[1, 0], [1, 1]])


@pytest.mark.parametrize("command", [("score",), ("rank",), ("gate", "--between", *MODELS[:2]), ("curve",)], ids=str)
def test_an_interruption_ends_every_command_without_an_answer(tmp_path, monkeypatch, command):
    name = "interrupted_" + command[0]
    text = OWN.replace('    name = "atleast"\n', "").replace(
        "return np.arange", "raise KeyboardInterrupt\n        np.arange"
    )
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    metric = f"{name}:AtLeast(k=1)"
    done = run(command[0], LOGS, *command[1:], "-q", "-m", metric, "-o", tmp_path / "out.json", code=130)
    assert done.stdout == done.stderr == ""
    assert not (tmp_path / "out.json").exists()


def test_arguments_of_metrics_are_data_not_code(tmp_path):
    mark = tmp_path / "mark"
    evil = f"scorio:PassAtK(k=open({str(mark)!r}, 'w').write('x'))"
    assert "must be literals" in run("score", LOGS, "-m", evil, code=2).stderr
    assert not mark.exists()
