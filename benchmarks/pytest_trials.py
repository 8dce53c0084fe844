"""How often flaky tests of known rate get each verdict of the pytest plug-in, in sessions with pytest-xdist.

python benchmarks/pytest_trials.py --runs 400
python benchmarks/pytest_trials.py --write              # also into benchmarks/RESULTS.md
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from runner import fill, share

LIMIT, ERROR = 0.8, 0.05
RATES = (0.5, 0.7, 0.8, 0.9, 0.98)
TRIALS = (14, 30)
VERDICTS = ("passed", "failed", "undecided")
TESTS = """
import random, pytest

numbers = {{}}


@pytest.mark.trials(n={n}, at_least={limit})
@pytest.mark.parametrize("run", range({runs}))
@pytest.mark.parametrize("rate", {rates})
def test_flaky(rate, run):
    own = numbers.setdefault((rate, run), random.Random(f"{seed} {{rate}} {{run}}"))
    assert own.random() < rate
"""


def session(n: int, runs: int, seed: int) -> dict[float, list[str]]:
    """Return the verdicts of all runs by the rate of the test."""
    with tempfile.TemporaryDirectory() as place:
        text = TESTS.format(n=n, limit=LIMIT, runs=runs, rates=RATES, seed=seed)
        Path(place, "test_flaky.py").write_text(text)
        plugins = ["-p", "xdist.plugin", "-p", "scorio.integrations.pytest_trials", "-n", "2"]
        command = [sys.executable, "-m", "pytest", *plugins, "-q", "--tb=no", "--junitxml=report.xml"]
        env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        subprocess.run(command, cwd=place, env=env, check=False, stdout=subprocess.DEVNULL)
        found: dict[float, list[str]] = {rate: [] for rate in RATES}
        for case in ET.parse(Path(place, "report.xml")).iter("testcase"):
            rate = float(case.get("name", "").partition("[")[2].partition("-")[0])
            verdict = case.find("properties/property[@name='scorio_verdict']")
            found[rate].append("" if verdict is None else verdict.get("value", ""))
    return found


def exact(n: int, rate: float) -> dict[str, float]:
    """Return the probability of each verdict: both tails have a probability of at most the error at the limit."""

    def chance(k: int, p: float) -> float:
        return math.comb(n, k) * p**k * (1 - p) ** (n - k)

    passed = [k for k in range(n + 1) if sum(chance(i, LIMIT) for i in range(k, n + 1)) <= ERROR]
    failed = [k for k in range(n + 1) if sum(chance(i, LIMIT) for i in range(k + 1)) <= ERROR]
    shares = [sum(chance(k, rate) for k in each) for each in (passed, failed)]
    return dict(zip(VERDICTS, [*shares, 1.0 - sum(shares)], strict=True))


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into benchmarks/RESULTS.md")
    options = parser.parse_args()
    rows = [f"| `n` | true rate | {' | '.join(VERDICTS)} |", "|---|---|---|---|---|"]
    for n in TRIALS:
        found = session(n, options.runs, options.seed)
        for rate in RATES:
            truth = exact(n, rate)
            cells = [f"{share(found[rate].count(each), options.runs)} ({truth[each]:.3f})" for each in VERDICTS]
            rows.append(f"| {n} | {rate:g} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    if options.write:
        note = f"`at_least=0.8`; {options.runs} runs per row; ± is one standard error."
        fill("RESULTS.md", "pytest verdicts", "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
