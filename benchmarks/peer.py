"""Write a table of time ratios to the package ``scorio==0.2.3`` from PyPI: ``python benchmarks/peer.py``.

It shares the import name, so it lives in a virtual environment of its own (``--venv``, made when missing). Both sides
take turns in one run, each in a process of its own, on the same arrays: a figure is the least over the turns. A call
of the peer that takes longer than ``--patience`` seconds is timed once; one that outlasts ``--give-up`` is left out,
and said so. ``max_at_k/3`` has three categories with rewards 0, 1/2, 1. The two ratios are those of our function, of
the same signature as the peer's, and of the metric object. With ``--small``, small calls alone are timed: one whose
ratio is below its bar is marked, and the exit code is then 1.
"""

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
PEER = "scorio==0.2.3"

WORKER = """
import json, signal, sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from timing import seconds
from scorio import eval as face
PATIENCE, GIVE_UP = float(sys.argv[2]), int(sys.argv[3])

def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, stop)
for line in sys.stdin:
    case = json.loads(line)
    rng = np.random.default_rng(0)
    M, N = case["shape"]
    R = (rng.random((M, N)) < rng.random((M, 1))).astype(case["dtype"])
    if case["categories"] == 3:
        R += R * (rng.random((M, N)) < 0.5).astype(R.dtype)
    if case["metric"]:
        from scorio import Metric
        metric = Metric.from_string(case["metric"])
        call, arguments = metric.interval if case["name"].endswith("_ci") else metric.score, []
    else:
        call, arguments = getattr(face, case["name"]), case["arguments"]
    job = lambda: call(R, *arguments)
    signal.alarm(GIVE_UP)
    try:
        start = time.perf_counter()
        job()
        once = time.perf_counter() - start
        value = once if once > PATIENCE else seconds(job)
    except TimeoutError:
        value = None
    finally:
        signal.alarm(0)
    print(json.dumps(value), flush=True)
"""


def environment(folder):
    """The Python of a virtual environment that holds the peer."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def worker(python, options, *flags):
    """A process that times one case a line; ``flags`` are Python's own: with ``-I``, it ignores ``PYTHONPATH``."""
    arguments = [python, *flags, "-c", WORKER, HERE, str(options.patience), str(options.give_up)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE)


def ask(process, case):
    """Seconds of one call, or None for a call that was given up."""
    process.stdin.write(json.dumps(case) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def cases(shapes):
    """Every function and its interval, at every shape and dtype."""
    from cases import SHAPES, metrics

    from scorio import MaxAtK

    for shape in shapes:
        questions, trials, k = SHAPES[shape]
        for dtype in ("int64", "int8"):
            graded = {"max_at_k/3": (MaxAtK(k, (0, 0.5, 1)), (k, (0, 0.5, 1)))}
            for name, (metric, arguments) in (metrics(k) | graded).items():
                case = {"shape": [questions, trials], "dtype": dtype, "arguments": list(arguments)}
                case["metric"] = str(metric)
                case["categories"] = 3 if name in graded else 2
                for ending in ("", "_ci"):
                    yield f"{shape} {dtype}", case | {"name": name.removesuffix("/3") + ending}


def workers(options):
    """The processes of this package and of the peer."""
    return worker(sys.executable, options), worker(environment(options.venv), options, "-I")


def measured(options):
    """Of every case, its label and name, and the least seconds of the peer, of our function and of our object."""
    ours, peers = workers(options)
    for label, case in cases(options.shapes):
        function, instance, theirs = [], [], []
        for _ in range(options.turns):
            function.append(ask(ours, case | {"metric": None}))
            instance.append(ask(ours, case))
            if not theirs or (theirs[-1] is not None and theirs[-1] <= options.patience):
                theirs.append(ask(peers, case | {"metric": None}))
        name = case["name"] + ("/3" if case["categories"] == 3 else "")
        yield label, name, None if theirs[0] is None else min(theirs), min(function), min(instance)


def small(options):
    """Print the small calls beside the peer's; return whether one has a ratio below its bar."""
    from cases import CALLS, SHAPES, SMALL

    (ours, peers), below = workers(options), False
    print(f"{'call':<24}{'peer us':>10}{'ours us':>10}{'ratio':>8}{'bar':>6}")
    for name, (function, arguments, categories, bar) in CALLS.items():
        case = {"name": function, "arguments": arguments, "categories": categories, "metric": None}
        case |= {"shape": SHAPES[SMALL][:2], "dtype": "int64"}
        both = [(ask(peers, case), ask(ours, case)) for _ in range(options.turns)]
        theirs, mine = (min(times) for times in zip(*both, strict=True))
        below |= theirs / mine < bar
        mark = "  below" if theirs / mine < bar else ""
        print(f"{name:<24}{theirs * 1e6:>10.1f}{mine * 1e6:>10.1f}{theirs / mine:>8.1f}{bar:>6g}{mark}", flush=True)
    return below


def arguments(description):
    """The parser of what a table of ratios needs to know."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--venv", type=Path, default=HERE / ".venv-peer")
    parser.add_argument("--shapes", nargs="*", default=["30x80,k=20", "500x64,k=16", "10000x256,k=64"])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--patience", type=float, default=0.5)
    parser.add_argument("--give-up", type=int, default=60)
    return parser


def main():
    parser = arguments(__doc__)
    parser.add_argument("--small", action="store_true", help="time small calls alone, and check their bars")
    options = parser.parse_args()
    if options.small:
        sys.exit(small(options))
    print(f"{'case':<24}{'function':<30}{'peer us':>14}{'function us':>14}{'ratio':>10}{'object us':>12}{'ratio':>10}")
    for label, name, peer, function, instance in measured(options):
        shown = [f"> {options.give_up} s", "", ""]
        if peer is not None:
            shown = [f"{peer * 1e6:.1f}", f"{peer / function:.1f}", f"{peer / instance:.1f}"]
        times = f"{shown[0]:>14}{function * 1e6:>14.1f}{shown[1]:>10}{instance * 1e6:>12.1f}{shown[2]:>10}"
        print(f"{label:<24}{name:<30}{times}", flush=True)


if __name__ == "__main__":
    main()
