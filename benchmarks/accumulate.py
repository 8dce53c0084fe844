"""Time of one step of an ``Accumulator``: 512 questions x 16 trials; ``--write`` into docs/growing-logs.md.

Steps are timed in blocks of 20, in processor time and by the clock, and the best block counts, because other work on
the machine can only add time. bfloat16 arrays are those of ml_dtypes (as of jax); without it, these rows are left out.
"""

import argparse
import importlib
import time

import numpy as np
from marked import fill

from scorio import Accumulator

QUESTIONS, ASKED, TRIALS, STEPS, BLOCK = 4096, 512, 16, 400, 20


def outcomes(rng, kind):
    """Outcomes of one step, as doubles."""
    shape = (ASKED, TRIALS)
    if kind == "0 and 1":
        return rng.integers(0, 2, shape).astype(float)
    return rng.integers(0, 5, shape) / 4 if kind == "5 levels" else rng.random(shape)


def measured(kind, dtype, **options):
    """Microseconds per step in processor time and by the clock, and milliseconds to read everything."""
    rng = np.random.default_rng(0)
    labels = [f"question-{i}" for i in range(QUESTIONS)]
    steps = [
        ([labels[i] for i in rng.choice(QUESTIONS, ASKED, replace=False)], outcomes(rng, kind).astype(dtype))
        for _ in range(STEPS)
    ]
    log = Accumulator(**options)
    blocks = []
    for start in range(0, STEPS, BLOCK):
        begin = time.process_time(), time.perf_counter()
        for questions, values in steps[start : start + BLOCK]:
            log.add(questions, values)
        blocks.append((time.process_time() - begin[0], time.perf_counter() - begin[1]))
    assert int(log.outcomes.trials.sum()) == STEPS * ASKED * TRIALS
    return [1e6 * min(each) / BLOCK for each in zip(*blocks, strict=True)] + [read(log)]


def read(log):
    """The least processor time of five reads, in milliseconds."""
    times = []
    for _ in range(5):
        start = time.process_time()
        _ = log.outcomes
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def types():
    """The types of arrays by name."""
    found = {"int8": np.int8, "float32": np.float32}
    try:
        return found | {"bfloat16": importlib.import_module("ml_dtypes").bfloat16}
    except ImportError:
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/growing-logs.md")
    asked = parser.parse_args()
    cases = [("categories 0 and 1", "0 and 1", name, {}) for name in types()]
    cases += [("rewards 0 and 1", "0 and 1", name, {"rewards": True}) for name in types()]
    floats = [name for name in types() if name != "int8"]
    cases += [("rewards of 5 levels", "5 levels", name, {"rewards": True}) for name in floats]
    cases += [("continuous rewards", "continuous", name, {"rewards": True}) for name in floats]
    cases += [("continuous rewards, not kept", "continuous", "float32", {"rewards": True, "keep_values": False})]
    lines = [
        f"| {ASKED} questions x {TRIALS} trials per step | type | step | by the clock | `outcomes` |",
        "|---|---|---|---|---|",
    ]
    for title, kind, name, options in cases:
        step, clock, everything = measured(kind, types()[name], **options)
        lines.append(f"| {title} | {name} | {step:.0f} us | {clock:.0f} us | {everything:.1f} ms |")
    print("\n".join(lines))
    if asked.write:
        fill("growing-logs.md", "steps", "\n".join(lines))


if __name__ == "__main__":
    main()
