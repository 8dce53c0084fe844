"""Measure the peak memory of counting a 100,000 x 1,000 int8 matrix, by tracemalloc and by the operating system."""

import resource
import tracemalloc

import numpy as np

from scorio import OutcomeMatrix, PassAtK


def main():
    R = np.zeros((100_000, 1_000), dtype=np.int8)
    R[::2, ::3] = 1
    PassAtK(4).score(R[:10])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    score = PassAtK(4).score(OutcomeMatrix(R))
    _, peak = tracemalloc.get_traced_memory()
    extra = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{R.nbytes / 1e6:.0f} MB in, score {score:.4f}: {peak / 1e6:.2f} MB traced, {extra / 1e3:.2f} MB resident")


if __name__ == "__main__":
    main()
