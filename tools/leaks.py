"""Check that calls free their memory: ``python tools/leaks.py`` runs the docstrings' examples 100,000 times.

Each docstring's example is run over and over, first to warm up caches, then counted: neither what Python has allocated
(tracemalloc) nor what malloc has handed out (which sees kernels too) may grow by a few bytes each time. The smallest
block an allocator hands out has 32. Growth has to show ``TURNS`` times in a row: caches fill in steps. Needs glibc.
Each docstring is named on the error stream when it is done, with the seconds so far.
Optional libraries are hidden: what they keep is their own affair.
"""

import argparse
import contextlib
import ctypes
import doctest
import gc
import importlib
import importlib.metadata
import io
import pkgutil
import re
import sys
import tempfile
import time
import tracemalloc

import scorio

MOST = 16.0  # bytes a run may leave behind
NOISE = 5500.0  # bytes that a turn may leave behind, whatever the number of runs
TURNS = 8
PATIENCE = 2.0  # seconds for the runs of one turn; slow examples run fewer times
FIGURES = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
OURS = ("all", "test", "bench", "docs", "dev")  # extras for developers, or of others


def hide_extras():
    """Let no optional library be imported."""
    for requirement in importlib.metadata.requires("scorio"):
        extra = re.search(r"extra == .(\w+)", requirement)
        name = re.match(r"[\w.-]+", requirement)[0].replace("-", "_")
        if extra and extra[1] not in OURS and name != scorio.__name__:
            sys.modules[name] = None


def modules():
    """The modules of the package that need nothing optional."""
    for name in ["scorio", *(module.name for module in pkgutil.walk_packages(scorio.__path__, "scorio."))]:
        with contextlib.suppress(ImportError):
            yield importlib.import_module(name)


def examples():
    """The name, the globals and the compiled calls of every docstring with an example that needs nothing optional.

    Each call comes with whether an error is what it shows.
    """
    finder = doctest.DocTestFinder(exclude_empty=True)
    for test in (test for module in modules() for test in finder.find(module) if test.examples):
        codes = [(compile(each.source, test.name, "single"), each.exc_msg is not None) for each in test.examples]
        with contextlib.suppress(ImportError):
            run(test.globs, codes, 1)
            yield test.name, test.globs, codes


def run(names, codes, rounds):
    """Run the calls of one docstring so many times, each time from fresh globals."""
    for _ in range(rounds):
        scope = dict(names)
        with contextlib.redirect_stdout(io.StringIO()):
            for code, is_error in codes:
                with contextlib.suppress(Exception) if is_error else contextlib.nullcontext():
                    exec(code, scope)
    gc.collect()


class Heap(ctypes.Structure):
    """What glibc's ``mallinfo2`` says of the heap."""

    _fields_ = [(name, ctypes.c_size_t) for name in FIGURES]


LIBC = ctypes.CDLL(None)
LIBC.mallinfo2.restype = Heap


def held():
    """Bytes that Python has allocated, and bytes that malloc has handed out."""
    heap = LIBC.mallinfo2()
    return tracemalloc.get_traced_memory()[0], heap.uordblks + heap.hblkhd


def left_behind(names, codes, rounds):
    """Bytes that each run leaves behind: the least of some turns, of the worse of the two measures."""
    start = time.perf_counter()
    run(names, codes, 3)
    rounds = min(rounds, max(12, int(3.0 * PATIENCE / (time.perf_counter() - start))))
    run(names, codes, rounds // 4)
    least = float("inf")
    for _ in range(TURNS):
        before = held()
        run(names, codes, rounds)
        least = min(least, max(now - then for now, then in zip(held(), before, strict=True)) / rounds)
        if least <= max(MOST, NOISE / rounds):
            return 0.0 if least > MOST else least
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100_000)
    options = parser.parse_args()
    hide_extras()
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        check(options.calls)


def check(calls):
    """Run every docstring, so that there are so many calls in all."""
    tests = list(examples())
    rounds = -(-calls // sum(len(codes) for _, _, codes in tests))
    gc.freeze()  # what is loaded by now stays, and need not be searched for garbage after each run
    tracemalloc.start()
    found: dict[str, float] = {}
    start = time.perf_counter()
    for name, names, codes in tests:
        found[name] = left = left_behind(names, codes, rounds)
        mark = f": {left:.0f} bytes a run stay" if left > MOST else ""
        so_far = f"[{len(found)}/{len(tests)}, {time.perf_counter() - start:.0f} s]"
        print(f"{so_far} {name}{mark}", file=sys.stderr, flush=True)
    print(f"{len(found)} docstrings, at most {rounds} runs each: at most {max(found.values()):.1f} bytes a run stay")
    leaks = [f"{name} ({left:.0f} bytes a run)" for name, left in found.items() if left > MOST]
    if leaks:
        sys.exit(f"memory is left behind by {', '.join(leaks)}")


if __name__ == "__main__":
    main()
