"""Metrics of users on the command line: classes in the current directory, plug-ins, and arguments that are data."""

import json
import os

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, run, shell, trials, truth

OWN = """
from dataclasses import dataclass
import numpy as np
from scorio import CountMetric, param
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
    assert json.loads(done.stdout)["rows"][0]["score"] == pytest.approx(truth(1, trials()["aurora-70b"]), abs=1e-13)


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


def test_arguments_of_metrics_are_data_not_code(tmp_path):
    mark = tmp_path / "mark"
    evil = f"scorio:PassAtK(k=open({str(mark)!r}, 'w').write('x'))"
    assert "must be literals" in run("score", LOGS, "-m", evil, code=2).stderr
    assert not mark.exists()
