"""How long is the way of a call? Python calls within scorio, the distinct functions among them, and their files.

    python benchmarks/walk.py

Each call is made once before it is counted, so that imports and caches of the first call do not count; reading and the
command line are counted at their first call in a fresh interpreter, because that is how they are used.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import scorio

PACKAGE = str(Path(scorio.__file__).parent)
MODELS = ("aurora-70b", "borealis-70b")
LOGS = str(Path(__file__).parent.parent / "examples" / "logs" / "inspect")


def walked(call):
    """Return the calls, the distinct functions and the files of the package that one call passes through."""
    seen = []

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name != "<module>":
            seen.append((code.co_filename, code.co_qualname))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(seen), len(set(seen)), len({file for file, _ in seen})


def matrices():
    rng = np.random.default_rng(0)
    rate = rng.beta(1.0, 1.0, 30)
    return [(rng.random((30, 16)) < np.clip(rate + shift, 0.0, 1.0)[:, None]).astype(np.int64) for shift in (0.0, 0.1)]


A, B = matrices()
WALKS = {
    "PassAtK(k=8).interval(R)": lambda: scorio.PassAtK(k=8).interval(A),
    "compare": lambda: scorio.compare("pass@1", A, B),
    "Leaderboard": lambda: scorio.Leaderboard("pass@1", {"a": A, "b": B}).rows,
    "read(folder)": lambda: scorio.read(LOGS),
}


def gate():
    from scorio.cli._program import program

    program(["gate", LOGS, "--between", *MODELS, "--quiet", "-o", os.devnull], standalone_mode=False)


def print_row(name, numbers):
    print(f"{name:28}{numbers[0]:>8}{numbers[1]:>11}{numbers[2]:>7}")


def main():
    if len(sys.argv) > 1:
        print(*walked(gate if sys.argv[1] == "scorio gate" else WALKS[sys.argv[1]]))
        return
    print(f"{'call':28}{'calls':>8}{'functions':>11}{'files':>7}")
    for name, call in WALKS.items():
        call()
        print_row(name, walked(call))
    for name in ("read(folder)", "scorio gate"):
        found = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True).stdout
        print_row(f"{name}, first", found.split()[-3:])


if __name__ == "__main__":
    main()
