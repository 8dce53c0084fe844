"""``tools/mutants.py`` draws the same changes each time; a test that fails kills one, and an equal program survives."""

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "tools/mutations.py").exists():
    pytest.skip("the tools are not here", allow_module_level=True)
SPEC = importlib.util.spec_from_file_location("mutations", ROOT / "tools/mutations.py")
mutations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mutations)

MODULE = '''
"""A module of 2 lines that run."""
from math import floor


def share(part: int = 3, whole: int = 4) -> float:
    """Return 1 of 2."""
    if whole <= 0:
        raise ValueError(f"whole is {whole + 1}")
    return max(part, 0) / whole
'''


def test_the_draw_is_reproducible_and_every_mutant_is_another_program(tmp_path):
    files = ["scorio/_kernels/best_of_k.pyx", "scorio/_kernels/hypergeometric.pxd", "scorio/simulate.py"]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    drawn = mutations.draw(tmp_path, 20, seed=3)
    assert drawn == mutations.draw(tmp_path, 20, seed=3)
    assert drawn != mutations.draw(tmp_path, 20, seed=4)
    assert len({(mutant.file, mutant.line) for mutant in drawn}) == 20
    assert sum(mutant.file.startswith("scorio/_kernels") for mutant in drawn) == 3
    for mutant in drawn:
        source = (ROOT / mutant.file).read_text()
        new = mutant.apply(source)
        assert new != source
        if mutant.file.endswith(".py"):
            assert ast.dump(ast.parse(new)) != ast.dump(ast.parse(source))


@pytest.mark.slow
def test_a_test_that_fails_kills_and_an_equal_program_survives(tmp_path):
    mutants = [
        {"file": "scorio/tiny.py", "line": 11, "before": "max(part, 0)", "after": "min(part, 0)"},
        {"file": "scorio/tiny.py", "line": 9, "before": "whole <= 0", "after": "not whole > 0"},
        {"file": "scorio/tiny.py", "line": 11, "before": "/ whole", "after": "* whole"},
    ]
    for folder in ("scorio", "tests/contract", "tests/tiny"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "scorio/__init__.py").touch()
    (tmp_path / "scorio/tiny.py").write_text(MODULE)
    (tmp_path / "tests/contract/test_share.py").write_text(
        "from scorio.tiny import share\n\ndef test_share():\n    assert share(1, 1) == 1.0\n"
    )
    (tmp_path / "tests/tiny/test_tiny.py").write_text(
        "from scorio.tiny import share\n\ndef test_half():\n    assert share(1, 2) == 0.5\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    (tmp_path / "mutants.jsonl").write_text("".join(json.dumps(mutant) + "\n" for mutant in mutants))
    command = [sys.executable, ROOT / "tools/mutants.py", "--root", tmp_path, "--file", tmp_path / "mutants.jsonl"]
    run = subprocess.run(
        [*command, "--survivors", tmp_path / "survivors.jsonl"], capture_output=True, text=True, check=True
    )
    assert "killed tests/contract/test_share.py::test_share\nscorio/tiny.py:11\n- max(part, 0)" in run.stdout
    assert "killed tests/tiny/test_tiny.py::test_half\nscorio/tiny.py" in run.stdout
    assert json.loads((tmp_path / "survivors.jsonl").read_text()) == mutants[1]
    assert run.stdout.splitlines()[-1].split() == ["all", "1", "1", "1", "0"]
