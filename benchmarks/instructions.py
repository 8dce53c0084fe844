"""Instructions of kernels and of whole small calls, against those on record: ``python benchmarks/instructions.py``.

Wall time is noisy, counts are not: one that grew by more than the tolerance is a regression, and one that fell by more
asks for ``--update``. The counts of kernels leave out what Python and numpy execute. They hold for the compiler and the
C library that the record (``instructions.json``) names. The counts of whole calls, from Python to the kernel and back,
hold for the build of Python and the versions of numpy and scipy that it names. Needs valgrind and its headers.
"""

import argparse
import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import callgrind
import numpy as np
import scipy
from cases import CALLS, SHAPES, SMALL, metrics, outcomes

import scorio
import scorio._kernels

RECORD = Path(__file__).with_suffix(".json")
KERNELS = {stub.stem for folder in scorio._kernels.__path__ for stub in Path(folder).glob("*.pyi")}
QUESTIONS, TRIALS, K = 200, 128, 32
KEPT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR", "HOME")  # others would move the stack
SETTINGS = {"PYTHONHASHSEED": "0"}
WARM_UP = 50  # calls after which Python has its caches, and has specialized its instructions


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
    found["pass_at_k beyond the trials"] = lambda: scorio.PassAtK(12).interval(R[:, :8], prior="learned")
    found["auc_at_k of a large budget"] = lambda: scorio.metrics.AucAtK(3000).interval(R[:, :8], prior="uniform")
    found["published pass_at_k"] = lambda: scorio.eval.pass_at_k_ci(R, 8)
    found["published bayes/3"] = lambda: scorio.BayesMetric(rewards).interval(graded)
    found["pass_at_k about runs"] = lambda: scorio.PassAtK(4).interval(
        scorio.OutcomeMatrix(R[:, :8], runs=range(8)), runs="random"
    )
    ranks = np.arange(R.size).reshape(R.shape) * 7919 % 97
    sampled = {"answers": R * (1 + ranks % 5), "scores": {"score": ranks}}  # outcomes keep what was computed of them
    found["vote_at_k"] = lambda: scorio.VoteAtK(8).interval(scorio.OutcomeMatrix(R, **sampled))
    found["best_at_k"] = lambda: scorio.metrics.BestOfK(8).interval(scorio.OutcomeMatrix(R, **sampled))
    models = np.stack([outcomes(50, 16, "int8", seed) for seed in range(5)])
    found["leaderboard"] = lambda: scorio.Leaderboard(scorio.PassAtK(2), models).posterior.best
    found["convergence"] = lambda: scorio.curves.analyze_convergence(
        "pass@2", models, replicates=20, rng=0, progress=False
    )
    return found


def asked(name, metric, R):
    """The score and the interval of a metric."""
    return {name: lambda: metric.score(R), f"{name}_ci": lambda: metric.interval(R, prior="uniform")}


def calls():
    """The small calls that are counted from Python to the kernel and back, by name."""
    questions, trials, k = SHAPES[SMALL]
    R = outcomes(questions, trials)
    graded = R + R * (np.arange(trials) % 3 == 0)
    found = {}
    for name, (function, arguments, categories, _) in CALLS.items():
        found[name] = functools.partial(getattr(scorio.eval, function), R if categories == 2 else graded, *arguments)
    metric = scorio.PassAtK(k)
    found["PassAtK.score"] = lambda: metric.score(R)
    found["PassAtK.interval"] = lambda: metric.interval(R, prior="uniform")
    found["PassAtK.interval learned"] = lambda: metric.interval(R, prior="learned")
    found["AvgMetric.interval"] = lambda: scorio.AvgMetric().interval(R, prior="uniform")
    found["BayesMetric.score of lists"] = functools.partial(scorio.BayesMetric().score, R.tolist())
    found["compare"] = lambda: scorio.compare(metric, R, R[::-1])
    return found


def counts():
    """The instructions of each job in each kernel, in what the kernels share, and in the C library's mathematics."""
    found = counted("jobs")
    wanted = KERNELS | {"_shared", "libm"}
    kept = {job: {lib.split(".")[0]: n for lib, n in sorted(by.items()) if n} for job, by in found.items()}
    kept = {job: {lib: n for lib, n in by.items() if lib in wanted} for job, by in sorted(kept.items())}
    idle = KERNELS.difference(*kept.values())
    if idle:
        sys.exit(f"no call counts the kernels {', '.join(sorted(idle))}: add one to jobs()")
    return kept


def counts_of_calls():
    """The instructions of each small call, of all libraries together."""
    return {name: {"all": sum(by.values())} for name, by in sorted(counted("calls").items())}


def counted(what):
    """Count in a process of its own, whose names and addresses are the same each time."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"--callgrind-out-file={folder}/callgrind.out"
        command = [*callgrind.COMMAND, out, sys.executable, __file__, "--count", what]
        variables = {name: value for name, value in os.environ.items() if name in KEPT}
        subprocess.run(command, check=True, env=variables | SETTINGS)
        return callgrind.by_library(folder)


def machine():
    """What the counts of kernels depend on."""
    compiler = subprocess.run([callgrind.COMPILER, "--version"], check=True, capture_output=True, text=True).stdout
    return {"compiler": compiler.splitlines()[0], "libc": " ".join(platform.libc_ver()), "machine": platform.machine()}


def interpreter():
    """What the counts of whole calls depend on as well."""
    return machine() | {"python": sys.version, "numpy": np.__version__, "scipy": scipy.__version__}


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


def compared(title, record, here, now, tolerance):
    """Print what changed against a part of the record; return whether any count has grown."""
    if record["machine"] != here:
        print(f"{title}: nothing to compare: the record is of {record['machine']}, this is {here}")
        return False
    lines, grown = changes(record["counts"], now, tolerance)
    print("\n".join(lines) or f"{title}: {len(now)} execute as many instructions as on record")
    return grown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="put the counts of now on record")
    parser.add_argument("--tolerance", type=float, default=0.03, help="the relative change that is let pass")
    parser.add_argument("--count", choices=("jobs", "calls"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count == "jobs":
        callgrind.count(jobs())
    elif options.count == "calls":
        callgrind.count(calls(), WARM_UP)
    else:
        parts = {"kernels": (machine(), counts()), "small calls": (interpreter(), counts_of_calls())}
        if options.update:
            found = {title: {"machine": here, "counts": now} for title, (here, now) in parts.items()}
            RECORD.write_text(json.dumps(found, indent=1) + "\n")
            return
        record = json.loads(RECORD.read_text())
        grown = [compared(title, record[title], *part, options.tolerance) for title, part in parts.items()]
        sys.exit(any(grown))


if __name__ == "__main__":
    main()
