"""Times of all metrics in multiples of the speed limit, which is one pass over the bytes of the outcomes.

python benchmarks/kernels.py            # against a plain counting loop that the C compiler may vectorize
python benchmarks/kernels.py --page     # and against the package of ``peer.py``, into benchmarks/RESULTS.md
"""

import ctypes
import platform
from pathlib import Path

import numpy as np
from callgrind import library
from cases import SHAPES, metrics, outcomes
from peer import arguments, measured
from runner import fill, made
from timing import interleaved

import scorio

SOURCE = """
#include <stddef.h>
#include <stdint.h>
#define LOOP(T) int64_t count_##T(const T *x, size_t n) { \\
    int64_t s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s; }
LOOP(int64_t)
LOOP(int8_t)
"""
LIMIT_SHAPES = ("10000x256,k=64", "1000x2000,k=500")


def counting_loop():
    """A function that counts the ones of a contiguous int64 or int8 array."""
    loops = library(SOURCE)

    def count(R):
        loop = getattr(loops, f"count_{R.dtype.name}_t")
        loop.restype = ctypes.c_int64
        return loop(ctypes.c_void_p(R.ctypes.data), ctypes.c_size_t(R.size))

    return count


def measure(shape, dtype, rounds):
    """Least seconds of every score and interval on a raw array and on a prepared matrix, and of the limit."""
    questions, trials, k = SHAPES[shape]
    R = outcomes(questions, trials, dtype)
    prepared = scorio.OutcomeMatrix(R)
    count = counting_loop()
    jobs = {"limit": lambda: count(R)}
    for name, (metric, _) in metrics(k).items():
        jobs |= timed(name, metric, R, prepared)
    graded = R + R * (np.random.default_rng(1).random(R.shape) < 0.5).astype(dtype)
    rewards = (0.0, 0.5, 1.0)
    for name, metric in {"max_at_k/3": scorio.MaxAtK(k, rewards), "bayes/3": scorio.BayesMetric(rewards)}.items():
        jobs |= timed(name, metric, graded, scorio.OutcomeMatrix(graded))
    return interleaved(jobs, rounds)


def timed(name, metric, R, prepared):
    """The calls to time: on an array, on a prepared matrix, the interval."""
    return {
        name: lambda: metric.score(R),
        f"{name} prepared": lambda: metric.score(prepared),
        f"{name}_ci": lambda: metric.interval(R, prior="uniform"),
    }


def limit_table():
    """The multiples of the limit of every score and interval."""
    cases = [(shape, dtype) for shape in LIMIT_SHAPES for dtype in ("int64", "int8")]
    found = [measure(shape, dtype, 15) for shape, dtype in cases]
    names = [name for name in found[0] if name != "limit" and not name.endswith("prepared")]
    yield "| call | " + " | ".join(f"{shape.replace(',', ', ')}, {dtype}" for shape, dtype in cases) + " |"
    yield "|---|" + "---:|" * len(cases)
    for name in names:
        cells = [f"{times[name] / times['limit']:.2f}{prepared(times, name)}" for times in found]
        yield f"| `{name}` | " + " | ".join(cells) + " |"


def prepared(times, name):
    """The time of a score on outcomes that were counted before."""
    seconds = times.get(f"{name} prepared")
    return "" if seconds is None else f" ({seconds * 1e6:.1f})"


def peer_table(options):
    """How many times faster every call is, at every shape, on int64."""
    rows = {}
    for label, name, peer, _, instance in measured(options):
        shape, dtype = label.rsplit(" ", 1)
        if dtype == "int64":
            ratio = f"> {options.give_up / instance:,.0f}" if peer is None else f"{peer / instance:,.0f}"
            rows.setdefault(name, {})[shape] = f"{ratio} ({instance * 1e6:.1f})"
    yield "| call | " + " | ".join(shape.replace(",", ", ") for shape in options.shapes) + " |"
    yield "|---|" + "---:|" * len(options.shapes)
    for name, cells in rows.items():
        yield f"| `{name}` | " + " | ".join(cells[shape] for shape in options.shapes) + " |"


def processor():
    """The name of the processor, where the system says it."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main():
    parser = arguments(__doc__)
    parser.add_argument("--page", action="store_true", help="write the tables into benchmarks/RESULTS.md")
    options = parser.parse_args()
    text = "\n".join(limit_table())
    print(text)
    if options.page:
        fill("RESULTS.md", "kernels", f"{text}\n\n{made()}; {processor()}, one core.")
        fill("RESULTS.md", "kernels and array functions", "\n".join(peer_table(options)))


if __name__ == "__main__":
    main()
