"""Instructions that kernels execute on fixed inputs, against those on record: ``python benchmarks/instructions.py``.

Wall time is noisy, counts are not: one that grew by more than the tolerance is a regression, and one that fell by more
asks for ``--update``. What Python and numpy execute is left out. The record (``instructions.json``) holds for the
compiler and the C library it names. Needs valgrind and its headers.
"""

import argparse
import functools
import json
import os
import pkgutil
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import callgrind
import numpy as np
from cases import metrics, outcomes
from compiled import COMPILER

import scorio
import scorio._kernels
from scorio._kernels.json_text import scan

RECORD = Path(__file__).with_suffix(".json")
KERNELS = {module.name for module in pkgutil.iter_modules(scorio._kernels.__path__)}
QUESTIONS, TRIALS, K = 200, 128, 32


def jobs():
    """The calls that are counted, by name."""
    R = outcomes(QUESTIONS, TRIALS, "int8")
    graded = scorio.OutcomeMatrix(R + R * (np.arange(TRIALS) % 3 == 0))
    rewards = (0.0, 0.5, 1.0)
    found = {f"tally {dtype}": functools.partial(scorio.OutcomeMatrix, R.astype(dtype)) for dtype in ("i1", "i8", "f8")}
    found["tally ragged"] = functools.partial(scorio.OutcomeMatrix, [row[: 64 + a % 64] for a, row in enumerate(R)])
    for name, (metric, _) in metrics(K).items():
        found |= asked(name, metric, scorio.OutcomeMatrix(R))
    found |= asked("bayes/3", scorio.BayesMetric(rewards), graded)
    found |= asked("max_at_k/3", scorio.MaxAtK(8, rewards), graded)
    found["pass_at_k learned"] = lambda: scorio.PassAtK(4).interval(R[:, :8], prior="learned", shape="quantile")
    found["pass_at_k learned population"] = lambda: scorio.PassAtK(4).interval(
        R[:, :8], prior="learned", target="population"
    )
    models = np.stack([outcomes(50, 16, "int8", seed) for seed in range(5)])
    found["leaderboard"] = lambda: scorio.Leaderboard(scorio.PassAtK(2), models).posterior.pmf
    found["convergence"] = lambda: scorio.convergence("pass@2", models, replicates=20, rng=0, progress=False)
    text = json.dumps([{"id": f"q{i}", "epoch": 1, "scores": {"exact": {"value": "C"}}} for i in range(200)]).encode()
    found["json"] = functools.partial(scan, text)
    return found


def asked(name, metric, R):
    """The score and the interval of a metric."""
    return {name: lambda: metric.score(R), f"{name}_ci": lambda: metric.interval(R, prior="uniform")}


def counts():
    """The instructions of each call in each kernel, and in the C library's mathematics."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/callgrind.out"
        command = [*callgrind.COMMAND, out, sys.executable, __file__, "--count"]
        subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "0"})
        found = callgrind.by_library(folder)
    wanted = KERNELS | {"libm"}
    kept = {job: {lib.split(".")[0]: n for lib, n in sorted(by.items()) if n} for job, by in found.items()}
    kept = {job: {lib: n for lib, n in by.items() if lib in wanted} for job, by in sorted(kept.items())}
    idle = KERNELS.difference(*kept.values())
    if idle:
        sys.exit(f"no call counts the kernels {', '.join(sorted(idle))}: add one to jobs()")
    return kept


def machine():
    """What the counts depend on."""
    compiler = subprocess.run([COMPILER, "--version"], check=True, capture_output=True, text=True).stdout
    return {"compiler": compiler.splitlines()[0], "libc": " ".join(platform.libc_ver()), "machine": platform.machine()}


def changes(recorded, now, tolerance):
    """Lines that say which counts have moved, and whether any has grown."""
    lines, grown = [], False
    for job, by in now.items():
        for library, count in by.items():
            before = recorded.get(job, {}).get(library, 0)
            if abs(count - before) > tolerance * before:
                change = f"{count / before - 1:+.1%}" if before else "new"
                lines.append(f"{job}: {library} {before} -> {count} ({change})")
                grown |= count > before
    return lines, grown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="put the counts of now on record")
    parser.add_argument("--tolerance", type=float, default=0.03, help="the relative change that is let pass")
    parser.add_argument("--count", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        callgrind.count(jobs())
        return
    now, here = counts(), machine()
    if options.update:
        RECORD.write_text(json.dumps({"machine": here, "counts": now}, indent=1) + "\n")
        return
    record = json.loads(RECORD.read_text())
    if record["machine"] != here:
        print(f"nothing to compare: the record is of {record['machine']}, this is {here}")
        return
    lines, grown = changes(record["counts"], now, options.tolerance)
    print("\n".join(lines) or f"{len(now)} calls execute as many instructions as on record")
    sys.exit(grown)


if __name__ == "__main__":
    main()
