"""The build compiles what changed and nothing else, and says what is missing."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import scorio

ROOT = Path(scorio.__file__).parents[1]
EDITABLE = "from setuptools.build_meta import build_editable; build_editable('wheels')"  # what pip install -e calls
MAKE_BUILD = ["setup.py", "--quiet", "build_ext", "--inplace"]

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("Cython") is None, reason="needs Cython"),
    pytest.mark.skipif(importlib.util.find_spec("setuptools") is None, reason="needs setuptools"),
    pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="needs the sources"),
]


@pytest.fixture
def project(tmp_path):
    """A project with scorio's build and two small kernels, of which the first uses a ``.pxd``."""
    kernels = tmp_path / "scorio" / "_kernels"
    kernels.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for package in (kernels.parent, kernels):
        (package / "__init__.py").touch()
    (kernels / "double.pxd").write_text("cdef inline double double_of(double x) noexcept:\n    return 2 * x\n")
    (kernels / "first.pyx").write_text(
        "from scorio._kernels.double cimport double_of\n\ndef f(double x):\n    return double_of(x)\n"
    )
    (kernels / "second.pyx").write_text("def f(list x, Py_ssize_t i):\n    return x[i]\n")
    return tmp_path


def run(project, *arguments, **environment):
    env = {**os.environ, "SCORIO_DEBUG": "", **environment}
    return subprocess.run(
        [sys.executable, *arguments], cwd=project, env=env, capture_output=True, text=True, check=False
    )


def compiled(project, *arguments, **environment):
    """The kernels that this command compiles."""

    def versions():
        modules = (project / "scorio" / "_kernels").glob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}")
        return {module.name.split(".")[0]: module.stat().st_mtime_ns for module in modules}

    before = versions()
    done = run(project, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return {name for name, version in versions().items() if before.get(name) != version}


@pytest.mark.slow
def test_a_build_after_an_editable_installation_compiles_what_changed_only(project):
    kernels = project / "scorio" / "_kernels"
    (project / "wheels").mkdir()
    assert compiled(project, "-c", EDITABLE) == {"_shared", "first", "second"}
    assert compiled(project, *MAKE_BUILD) == set()
    os.utime(kernels / "second.pyx")
    assert compiled(project, *MAKE_BUILD) == {"second"}
    os.utime(kernels / "double.pxd")
    assert compiled(project, *MAKE_BUILD) == {"first"}
    assert compiled(project, "-c", EDITABLE) == set()


@pytest.mark.slow
def test_a_build_with_other_settings_compiles_everything(project):
    everything = {"_shared", "first", "second"}
    for debug, expected in [("", everything), ("1", everything), ("1", set())]:
        assert compiled(project, *MAKE_BUILD, SCORIO_DEBUG=debug) == expected


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("readelf") is None, reason="reads files of Linux")
def test_a_compiler_that_lacks_one_hardening_flag_gets_the_others(project):
    compiler = project / "compiler"
    compiler.write_text('#!/bin/sh\ncase "$*" in *-Wl,-s*) exit 1;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    assert compiled(project, *MAKE_BUILD, CC=str(compiler)) == {"_shared", "first", "second"}
    [module] = (project / "scorio" / "_kernels").glob("_shared*.so")
    command = ["readelf", "--wide", "--dynamic", "--symbols", module]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "__stack_chk_fail" in found
    assert "BIND_NOW" in found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the compiler of Windows is not found by a name")
def test_without_a_compiler_the_build_says_what_to_install(project):
    done = run(project, *MAKE_BUILD, CC="no-such-compiler")
    assert done.returncode == 1
    assert "needs a C compiler, and 'no-such-compiler' is not installed" in done.stderr
