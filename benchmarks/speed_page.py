"""Write ``docs/benchmarks.md``: ``python benchmarks/speed_page.py``, of one run each against the limit and the peer."""

import platform
from pathlib import Path

from marked import DOCS, made
from ours import measure
from peer import PEER, arguments, measured

PAGE = DOCS / "benchmarks.md"
LIMIT_SHAPES = ("10000x256,k=64", "1000x2000,k=500")

HEAD = """# Benchmarks

Written by `benchmarks/speed_page.py`: {made}, {machine},
one core. A figure is the least of several turns. Ratios within a run are what to compare;
`benchmarks/README.md` has the other measurements.

"""
LIMIT = """## Against the limit

The limit is one pass of a plain counting loop, compiled with -O3, over the bytes of the outcomes. Times are multiples
of it, through the objects on a raw array; in brackets the microseconds of a score on an `OutcomeMatrix` made before.

"""
PEER_HEAD = """
## Against array functions

`{peer}` from PyPI, whose functions have the signatures of `scorio.eval`, on the same arrays in the same run: how many
times faster the object's call is, and its microseconds. A name with `/3` has three categories.

"""


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
    options = arguments(__doc__).parse_args()
    facts = {"made": made(), "machine": processor()}
    parts = [HEAD.format(**facts), LIMIT, "\n".join(limit_table()), "\n", PEER_HEAD.format(peer=PEER)]
    PAGE.write_text("".join(parts) + "\n".join(peer_table(options)) + "\n")


if __name__ == "__main__":
    main()
