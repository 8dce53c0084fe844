"""The test suite on kernels built with AddressSanitizer and UndefinedBehaviorSanitizer: ``python tools/sanitize.py``.

Any finding ends the run: reads and writes outside a buffer, use after free, undefined arithmetic, conversions of
floats that do not fit. At the end what a kernel allocated and lost is a finding as well; what Python, numpy and others
keep to themselves is not (``leaks.supp``). Linux and gcc. Arguments are passed on to pytest. Extras are not installed:
tests of other libraries say little about these kernels.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop import ROOT, checkout, environment

CHECKS = "-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer -g"
RUNTIMES = ("libasan.so", "libubsan.so", "libstdc++.so")


def runtime(name):
    """Where the compiler keeps one of its libraries."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def main():
    variables = {
        "LD_PRELOAD": ":".join(map(runtime, RUNTIMES)),
        # Two frames: the allocator and who called it, which decides whose leak it is.
        "ASAN_OPTIONS": "detect_leaks=1:malloc_context_size=2:detect_stack_use_after_return=1",
        "LSAN_OPTIONS": f"suppressions={ROOT / 'tools' / 'leaks.supp'}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONHASHSEED": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        sources = checkout(Path(folder, "sources"))
        requirements = ["-e", sources, "pytest", "hypothesis", "mpmath"]
        python = environment(Path(folder, "venv"), *requirements, CFLAGS=CHECKS, LDFLAGS=CHECKS)
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]
        sys.exit(subprocess.run(command, cwd=sources, env=os.environ | variables, check=False).returncode)


if __name__ == "__main__":
    main()
