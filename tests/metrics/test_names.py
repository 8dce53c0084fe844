"""Metrics known by name: registration, aliases, collisions and entry points."""

import importlib
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import scorio
from helpers.samples import A
from scorio import CountMetric, Leaderboard, Metric, OutcomeSet, ParameterError, PassAtK, PassHatK
from scorio.metrics import METRICS, _names, list_metrics

pytestmark = pytest.mark.usefixtures("own_names")


def two_successes():
    @dataclass(frozen=True)
    class TwoSuccesses(CountMetric):
        name = "two_successes"
        aliases = ("double",)

        def credit(self):
            return np.arange(self.k + 1) >= 2

    return TwoSuccesses


def test_a_class_with_a_name_works_by_name_everywhere():
    metric = two_successes()(k=3)
    assert str(metric) == "two_successes@3"
    for text in ("two_successes@3", "two_successes_at_3", "double@3", "two_successes:k=3"):
        assert Metric.from_string(text) == metric
    outcomes = OutcomeSet({"a": A, "b": A})
    assert Leaderboard("two_successes@3", outcomes)[metric].metric == metric
    assert "trials" in str(scorio.plan_trials("two_successes@3", A, 0.2))
    assert "two_successes" in _names.metric_names()
    assert "two_successes" not in METRICS


def test_a_class_defined_again_takes_the_place_of_the_earlier_one():
    first, second = two_successes(), two_successes()
    assert first is not second
    assert type(Metric.from_string("double@3")) is second


@pytest.mark.parametrize(("name", "aliases"), [("pass", ()), ("own", ("mean",))])
def test_a_name_of_another_class_is_refused(name, aliases):
    with pytest.raises(ParameterError, match=r"Own has the name '\w+', but scorio\.metrics\.\w+\.\w+ has it already"):
        type("Own", (CountMetric,), {"name": name, "aliases": aliases})
    assert Metric.from_string("pass@2") == PassAtK(2)


@pytest.mark.parametrize("name", ["Own", "2nd", "own metric", "own@", "own-metric"])
def test_a_name_that_no_text_can_hold_is_refused(name):
    with pytest.raises(ParameterError, match="Own.name must be lower-case letters, digits and underscores"):
        type("Own", (CountMetric,), {"name": name})


def test_a_name_is_not_inherited():
    class Mine(PassHatK):
        pass

    assert (Mine(3).name, str(Mine(3))) == ("", "Mine@3")
    assert Metric.from_string("pass^3") == PassHatK(3)


@pytest.fixture
def _plug_in(tmp_path, monkeypatch):
    """A package with the entry points ``plugged``, ``broken`` and ``other``."""
    (tmp_path / "plugged_in.py").write_text(
        "from scorio import MajAtK\n\n\nclass Plugged(MajAtK):\n    name = 'plugged'\n\n\nother = 3\n"
    )
    info = tmp_path / "plugged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    targets = {"plugged": "plugged_in:Plugged", "broken": "nowhere:X", "other": "plugged_in:other"}
    lines = [f"{name} = {target}" for name, target in targets.items()]
    (info / "entry_points.txt").write_text("\n".join(["[scorio.metrics]", *lines]))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("plugged_in", None)


@pytest.mark.usefixtures("_plug_in")
def test_entry_points_are_known_to_python():
    assert "plugged" in _names.metric_names()
    metric = Metric.from_string("plugged@3")
    assert metric.score(A) == scorio.MajAtK(3).score(A)
    assert str(metric) == "plugged@3"
    with pytest.raises(ParameterError, match=r"entry point 'broken' \(nowhere:X\) cannot be loaded"):
        Metric.from_string("broken@3")
    with pytest.raises(ParameterError, match=r"entry point 'other' \(plugged_in:other\) is not a metric class; got 3"):
        Metric.from_string("other")
    with pytest.raises(ParameterError, match="unknown metric 'plugin@3'. Did you mean 'plugged@3'"):
        Metric.from_string("plugin@3")


def test_the_class_of_every_metric_can_be_imported():
    for row in list_metrics().as_records():
        module, _, name = row["class"].rpartition(".")
        assert getattr(importlib.import_module(module), name).name == row["name"]
