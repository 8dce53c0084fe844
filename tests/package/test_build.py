"""Building from source says what is missing."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import scorio

ROOT = Path(scorio.__file__).parents[1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the compiler of Windows is not found by a name")
@pytest.mark.skipif(importlib.util.find_spec("Cython") is None, reason="needs Cython")
@pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="needs the sources")
def test_without_a_compiler_the_build_says_what_to_install(tmp_path):
    build = [sys.executable, "setup.py", "build_ext", "--build-temp", tmp_path, "--build-lib", tmp_path]
    env = {**os.environ, "CC": "no-such-compiler"}
    done = subprocess.run(build, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs a C compiler, and 'no-such-compiler' is not installed" in done.stderr
