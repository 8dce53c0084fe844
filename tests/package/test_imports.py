"""What importing the package loads; which packages may import which is a matter of tools/structure.py."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import scorio

ROOT = Path(scorio.__file__).parent
METRICS = {"errors", "params", "_base", "_kernels", "outcomes", "inference", "metrics"}
PATHS = [path.relative_to(ROOT).with_suffix("") for path in ROOT.rglob("*.py")]
NAMES = {".".join(path.parts[:-1] if path.name == "__init__" else path.parts) for path in PATHS}


def test_no_function_shadows_a_module():
    shadowed = []
    for name in NAMES:
        package = sys.modules.get(f"scorio.{name}" if name else "scorio")
        modules = {other.rpartition(".")[2] for other in NAMES if other and other.rpartition(".")[0] == name}
        shadowed += [
            f"{name}.{each}" for each in modules if callable(getattr(package, each, None)) and package is not None
        ]
    assert not shadowed


def loaded_by(code):
    """The modules that a fresh interpreter has after the code."""
    code += "\nimport sys; sys.__stderr__.write(chr(10).join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr.split())


def ours(modules):
    return {name for name in modules if name.split(".")[0] == "scorio"}


@pytest.mark.slow
def test_importing_the_package_stays_light():
    assert "numpy" not in loaded_by("import scorio")
    assert ours(loaded_by("import scorio")) == {"scorio"}
    heavy = {"scipy.stats", "matplotlib", "pandas", "sklearn", "joblib"}
    assert not heavy & loaded_by("from scorio import *")


def test_a_name_loads_only_what_it_needs():
    packages = {name.split(".")[1] for name in ours(loaded_by("from scorio import PassAtK")) if "." in name}
    assert packages <= METRICS


def test_every_public_name_is_there():
    assert {*scorio.__all__, "eval", "plot", "report", "testing"} <= set(dir(scorio))
    for name in scorio.__all__:
        value = getattr(scorio, name)
        assert value is getattr(scorio, name)
        assert pickle.loads(pickle.dumps(value)) is value if callable(value) else value
    assert scorio.__version__
    assert not hasattr(scorio, "nothing")


def test_public_modules_are_loaded_when_they_are_used():
    code = "import scorio; scorio.eval.bayes, scorio.plot.draw, scorio.report.html_report, scorio.testing"
    subprocess.run([sys.executable, "-c", code], check=True)
