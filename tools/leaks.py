"""Whether calls leave memory behind: ``python tools/leaks.py`` makes the calls of every docstring, 100,000 in all.

Each docstring's example is run over and over, first to warm up caches, then counted: neither what Python has allocated
(tracemalloc) nor what the process holds (resident, which sees kernels too) may grow by a few bytes each time. The
smallest block an allocator hands out has 32. Growth has to show up ``TURNS`` times in a row: the heap settles in steps.
"""

import argparse
import contextlib
import doctest
import gc
import importlib
import io
import os
import pkgutil
import sys
import tracemalloc
from pathlib import Path

import scorio

MOST = 16.0  # bytes a run may leave behind
TURNS = 4


def modules():
    """The modules of the package, without those that need a tool which is not installed."""
    names = [module.name for module in pkgutil.walk_packages(scorio.__path__, "scorio.")]
    for name in ["scorio", *names]:
        try:
            yield importlib.import_module(name)
        except ModuleNotFoundError as missing:
            print(f"{name} is left out: it needs {missing.name}")


def examples():
    """The name, the globals and the compiled calls of every docstring with an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for module in modules():
        for test in finder.find(module):
            yield test.name, test.globs, [compile(each.source, test.name, "single") for each in test.examples]


def run(names, codes, rounds):
    """Run the calls of one docstring so many times, each time from fresh globals."""
    for _ in range(rounds):
        scope = dict(names)
        with contextlib.redirect_stdout(io.StringIO()):
            for code in codes:
                exec(code, scope)
    gc.collect()


def resident():
    """Bytes of memory that the process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def held():
    """What Python has allocated, and what the process holds."""
    return tracemalloc.get_traced_memory()[0], resident()


def left_behind(names, codes, rounds):
    """Bytes that each run leaves behind: the least of some turns, of the worse of the two measures."""
    run(names, codes, rounds // 4)
    least = float("inf")
    for _ in range(TURNS):
        before = held()
        run(names, codes, rounds)
        least = min(least, max(now - then for now, then in zip(held(), before, strict=True)) / rounds)
        if least <= MOST:
            break
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100_000)
    options = parser.parse_args()
    tests = [(name, names, codes) for name, names, codes in examples() if codes]
    rounds = -(-options.calls // sum(len(codes) for _, _, codes in tests))
    tracemalloc.start()
    found = {name: left_behind(names, codes, rounds) for name, names, codes in tests}
    print(f"{len(found)} docstrings, {rounds} runs each: at most {max(found.values()):.1f} bytes a run stay")
    leaks = [f"{name} ({left:.0f} bytes a run)" for name, left in found.items() if left > MOST]
    if leaks:
        sys.exit(f"memory is left behind by {', '.join(leaks)}")


if __name__ == "__main__":
    main()
