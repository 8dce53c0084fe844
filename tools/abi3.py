"""Measure the cost of Python's limited API: ``python tools/abi3.py`` times the same calls on both builds.

The calls are those of ``benchmarks/instructions.py``. The two builds take turns, each in an environment and a process
of its own; a figure is the least over the turns, a ratio above 1 what one wheel for every Python would cost in time.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from workshop import ROOT, checkout, environment

BUILDS = {"full": "", "limited": "-DPy_LIMITED_API=0x030B0000"}
CHILD = """
import json
from instructions import jobs
from timing import interleaved
print(json.dumps(interleaved(jobs(), rounds=5)))
"""


def seconds(python):
    """The time of each call, in a new process."""
    done = subprocess.run(
        [python, "-c", CHILD], cwd=ROOT / "benchmarks", check=True, capture_output=True, text=True, timeout=600
    )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pythons, sizes = {}, {}
        for build, flags in BUILDS.items():
            work = Path(folder, build)
            pythons[build] = environment(work / "venv", checkout(work / "sources"), CFLAGS=flags)
            sizes[build] = sum(file.stat().st_size for file in work.glob("venv/lib/*/site-packages/scorio/**/*.so"))
        turns = [{build: seconds(python) for build, python in pythons.items()} for _ in range(options.turns)]
    least = {build: {job: min(turn[build][job] for turn in turns) for job in turns[0][build]} for build in BUILDS}
    ratios = {job: least["limited"][job] / full for job, full in least["full"].items()}
    for job, ratio in sorted(ratios.items(), key=lambda each: each[1]):
        print(f"{job:<30}{least['full'][job] * 1e6:10.1f} us{least['limited'][job] * 1e6:10.1f} us{ratio:8.2f}")
    print(f"median ratio {statistics.median(ratios.values()):.3f}; bytes of the kernels {sizes}")


if __name__ == "__main__":
    main()
