"""Time learned intervals of other built checkouts beside those of this one, in turns; a ratio of each call is printed.

    python benchmarks/versions.py ../before ../after --turns 5

Each folder is a checkout with its kernels built. Times are of CPU, the least of many calls in each turn; a ratio is the
median over the turns of the time in one folder, divided by the time in the first.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

_WORK = """
import json, time, warnings
import numpy as np
import scorio
warnings.simplefilter("ignore")
shapes = {"30 x 8": (30, 8), "500 x 16": (500, 16), "10,000 x 64": (10_000, 64)}
metrics = {"pass@1": scorio.PassAtK(1), "pass@4": scorio.PassAtK(4), "bayes": scorio.BayesMetric()}
found = {}
for shape, (M, N) in shapes.items():
    rng = np.random.default_rng(M)
    R = (rng.random((M, N)) < rng.beta(1, 1, (M, 1))).astype(np.uint8)
    for target in ("questions", "population"):
        for name, metric in metrics.items():
            least = float("inf")
            for _ in range(40 if M > 1000 else 200):
                outcomes = scorio.OutcomeMatrix(R)
                start = time.process_time_ns()
                metric.interval(outcomes, prior="learned", target=target)
                least = min(least, time.process_time_ns() - start)
            found[f"{name} {shape} {target}"] = least / 1e3
print(json.dumps(found))
"""


def times(folder: Path) -> dict[str, float]:
    """Return the microseconds of each call in one checkout."""
    settings = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run([sys.executable, "-c", _WORK], cwd=folder, env=settings, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, help="checkouts with kernels built; the first is the measure")
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    folders = [*(each.resolve() for each in asked.folders), Path(__file__).resolve().parents[1]]
    turns = [[times(folder) for folder in folders] for _ in range(asked.turns)]
    print(f"{'call':<36}{'us':>10}" + "".join(f"{folder.name:>10}" for folder in folders[1:]))
    for call in turns[0][0]:
        ratios = [statistics.median(turn[i][call] / turn[0][call] for turn in turns) for i in range(1, len(folders))]
        first = statistics.median(turn[0][call] for turn in turns)
        print(f"{call:<36}{first:>10.1f}" + "".join(f"{ratio:>10.3f}" for ratio in ratios))


if __name__ == "__main__":
    main()
