"""Run the tests on kernels with all checks of the compilers: ``python tools/sanitize.py``.

The kernels are built with Cython's checks of bounds, AddressSanitizer and UndefinedBehaviorSanitizer, and every entry
is called by eight threads at a time (``tests/helpers/crowd.py``). Any finding ends the run: an index out of bounds,
reads and writes outside a buffer, use after free, undefined arithmetic, conversions of floats that do not fit, threads
that disagree. Lost memory is looked for by ``leaks.py``: the leak sanitizer has to stop every thread of the process and
read its memory, and breaks off where a library has threads of its own. Linux and gcc.

The tests are those of folders that call kernels most closely: those of kernels and of data, and with ``--upper`` those
of posteriors, metrics and ranks, which take their turn in another landing; with ``--nearest`` only those of kernels, of
counting and of hostile inputs, and with ``--upper --nearest`` both, on one build. The libraries have the lowest
versions that are promised (``.ci/lowest.txt``). Of the slow tests, those of kernels are run, without the threads; work
that takes minutes and is interrupted takes too long with these checks. Other arguments are given to pytest instead.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop import checkout, environment

CHECKS = "-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer -g"
LOWER = ["tests/kernels", "tests/outcomes"]
UPPER = ["tests/inference", "tests/metrics", "tests/rank", "tests/kernels/test_resample.py"]
NEAREST = ["tests/kernels", "tests/outcomes/test_counting.py"]
NEAREST += [
    "tests/metrics/test_spec_values.py",
    "tests/metrics/test_prior_warning.py",
    "tests/metrics/test_profile.py",
    "tests/metrics/test_runs.py",
    "tests/rank/test_rank_posterior.py",
]
RUNTIMES = ("libasan.so", "libubsan.so", "libstdc++.so")
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
OLD = ["-W", "default::DeprecationWarning"]  # old libraries say what newer ones of theirs will drop: no error here
EACH = ["-n", "logical", "--dist", "worksteal", *OLD, "--deselect", "tests/kernels/test_interrupts.py"]
QUICK = [*EACH, "-p", "helpers.crowd", "-m", "not slow and not timing"]
HOSTILE = [*EACH, "-m", "not slow and not timing", "tests/faults/test_memory.py"]  # one thread: an array changes
RUNS = {
    "": [[*QUICK, *LOWER], HOSTILE, [*EACH, "-m", "slow", "tests/kernels"]],
    "--upper": [[*QUICK, *UPPER]],
    "--nearest": [[*QUICK, *NEAREST], HOSTILE],
    "--upper --nearest": [[*QUICK, *NEAREST[:2], *UPPER], HOSTILE],
}


def runtime(name):
    """Where the compiler keeps one of its libraries."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def main():
    variables = {
        "LD_PRELOAD": ":".join(map(runtime, RUNTIMES)),
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": "tests",
        "PYTHONMALLOC": "malloc",  # so that the sanitizer sees the bounds of Python's small objects
    }
    with tempfile.TemporaryDirectory() as folder:
        sources = checkout(Path(folder, "sources"))
        tests = ["pytest", "pytest-xdist", "pytest-timeout", "hypothesis", "mpmath"]
        requirements = ["-e", sources, *tests, "-r", sources / ".ci" / "lowest.txt"]
        build = {"SCORIO_DEBUG": "1", "CFLAGS": CHECKS, "LDFLAGS": CHECKS}
        python = environment(Path(folder, "venv"), *requirements, **build)
        settings = {"cwd": sources, "env": os.environ | variables}
        runs = RUNS.get(" ".join(sys.argv[1:]), [sys.argv[1:]])
        started = [subprocess.Popen([python, *PYTEST, *names], **settings) for names in runs]
        codes = [run.wait() for run in started]
        sys.exit(any(codes))


if __name__ == "__main__":
    main()
