"""What looks cost: the first and later boundaries, and intervals with looks against intervals without.

python benchmarks/looks_speed.py
"""

from __future__ import annotations

import time
import timeit

import numpy as np
from timing import interleaved

from scorio import Looks, OutcomeMatrix, PassAtK
from scorio.inference._boundary import _crossing_table, boundary_constant


def first_and_later() -> tuple[float, float, float]:
    """Seconds of the first boundary, of one at a new error probability, and of one at a known one."""
    boundary_constant.cache_clear()
    _crossing_table.cache_clear()
    start = time.perf_counter()
    boundary_constant(0.05)
    first = time.perf_counter() - start
    start = time.perf_counter()
    boundary_constant(0.0123)
    new = time.perf_counter() - start
    looks = Looks(trials=64)
    looks.z(8.0)
    return first, new, timeit.timeit(lambda: looks.z(17.5), number=100_000) / 100_000


def fresh(R: OutcomeMatrix) -> OutcomeMatrix:
    """The same outcomes, with nothing learned from them yet, as at every new look."""
    return OutcomeMatrix.from_counts(R.counts)


def main() -> None:
    """Print the figures."""
    first, new, later = first_and_later()
    print(f"z: first {first * 1e3:.1f} ms, another error {new * 1e6:.0f} us, later {later * 1e6:.2f} us")
    rng = np.random.default_rng(0)
    R = OutcomeMatrix((rng.random((500, 16)) < rng.beta(0.4, 0.4, (500, 1))).astype(int))
    looks = Looks(trials=64)
    for shape in ("normal", "quantile"):
        for target in ("questions", "population"):
            options = {"prior": "learned", "shape": shape, "target": target}
            jobs = {
                "without": lambda options=options: PassAtK(4).interval(R, **options),
                "with": lambda options=options: PassAtK(4).interval(R, looks=looks, **options),
                "same tail": lambda options=options: PassAtK(4).interval(R, 1.0 - looks.tail(16), **options),
            }
            times = interleaved(jobs)
            shown = ", ".join(f"{name} {seconds * 1e6:.0f} us" for name, seconds in times.items())
            print(f"{shape} {target}, the same outcomes again: {shown}, ratio {times['with'] / times['without']:.3f}")
            new = {
                name: lambda more=more: PassAtK(4).interval(fresh(R), **more)
                for name, more in (("without", options), ("with", options | {"looks": looks}))
            }
            times = interleaved(new)
            shown = ", ".join(f"{name} {seconds * 1e6:.0f} us" for name, seconds in times.items())
            print(f"{shape} {target}, new outcomes: {shown}, ratio {times['with'] / times['without']:.3f}")


if __name__ == "__main__":
    main()
