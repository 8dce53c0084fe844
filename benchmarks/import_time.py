"""Measure the seconds that ``import scorio`` adds to ``import numpy, scipy.special``: the median of fresh processes."""

import statistics
import subprocess
import sys

CODE = (
    "import time, numpy, scipy.special; start = time.perf_counter(); import scorio; print(time.perf_counter() - start)"
)


def main():
    times = [
        float(subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True).stdout)
        for _ in range(9)
    ]
    print(f"import scorio: {statistics.median(times) * 1e3:.1f} ms over numpy and scipy.special")


if __name__ == "__main__":
    main()
