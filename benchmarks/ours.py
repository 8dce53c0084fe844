"""Our times against the limit: ``python benchmarks/ours.py``; with ``--json``, one line for ``peer.py``."""

import argparse
import json

from cases import SHAPES, metrics, outcomes
from limit import counting_loop
from timing import interleaved

import scorio


def measure(shape, dtype, rounds):
    """Median seconds of every score and interval on a raw array and on a prepared matrix, and of the limit."""
    questions, trials, k = SHAPES[shape]
    R = outcomes(questions, trials, dtype)
    prepared = scorio.OutcomeMatrix(R)
    count = counting_loop()
    jobs = {"limit": lambda: count(R)}
    for name, (metric, _) in metrics(k).items():
        jobs[name] = lambda metric=metric: metric.score(R)
        jobs[f"{name} prepared"] = lambda metric=metric: metric.score(prepared)
        jobs[f"{name}_ci"] = lambda metric=metric: metric.interval(R)
    return interleaved(jobs, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cases = [(shape, dtype) for shape in SHAPES for dtype in ("int64", "int8")]
    found = {f"{shape} {dtype}": measure(shape, dtype, options.rounds) for shape, dtype in cases}
    if options.json:
        print(json.dumps(found))
        return
    for case, times in found.items():
        print(f"\n{case}: one pass over the bytes takes {times['limit'] * 1e6:.1f} us")
        for name in (name for name in times if name != "limit" and "prepared" not in name):
            prepared = times.get(f"{name} prepared")
            extra = f"   prepared {prepared * 1e6:8.1f} us" if prepared else ""
            print(f"  {name:<28}{times[name] * 1e6:10.1f} us{times[name] / times['limit']:8.2f} x limit{extra}")


if __name__ == "__main__":
    main()
