"""Check on random inputs that nothing breaks, and on random files with known outcomes that nothing is misread.

python tools/fuzz.py --inputs 1000000 --files 100000 --seed 0

Inputs are thrown at the properties of ``hostile.py``, ``damaged.py`` and ``crafted.py`` in ``tests/helpers``, in
batches with their own seeds, so that memory stays small; the first one that breaks a property ends the run, after it
was made as small as possible. Files come from the generators of ``tests/helpers/truthful.py``, for every format: what
is read must be what was written, or be refused. Each file that is misread is shown with its number, and ``--formats
NAME --seed NUMBER --files 1 --inputs 0`` writes it again.
"""

import argparse
import functools
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers import (
    crafted,
    damaged,
    hostile,
    truthful,
    truthful_agents,
    truthful_folders,
    truthful_logs,
    truthful_results,
    truthful_tables,
)

PROPERTIES = hostile.PROPERTIES | damaged.PROPERTIES | crafted.PROPERTIES
GENERATORS = truthful.GENERATORS
GENERATORS_OF = (
    truthful_agents,
    truthful_folders,
    truthful_logs,
    truthful_results,
    truthful_tables,
)  # importing these fills GENERATORS
BATCH = 5_000
SETTINGS = settings(
    max_examples=BATCH,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def batch(prop, number):
    """Try a batch of inputs, which depend on the number; return how many there were."""
    tried = 0

    @functools.wraps(prop)
    def counted(**inputs):
        nonlocal tried
        tried += 1
        prop(**inputs)

    SETTINGS(seed(number)(given(*PROPERTIES[prop])(counted)))()
    return tried


def fuzz_inputs(inputs, first, properties):
    tried, number = dict.fromkeys(properties, 0), first
    while sum(tried.values()) < inputs:
        for prop in properties:
            tried[prop] += batch(prop, number)
        number += 1
    figures = ", ".join(f"{prop.__name__} {count}" for prop, count in tried.items())
    print(f"{sum(tried.values())} inputs, seeds {first}..{number - 1}: {figures}")


def fuzz_files(files, first, formats):
    """Read so many files, and print per format what became of them; return how many were misread or broke a reader."""
    results = {name: Counter() for name in formats}
    for number in range(first, first + -(-files // len(formats))):
        for name in formats:
            results[name][_result(name, number)] += 1
    faults = sum(found["misread"] + found["broken"] for found in results.values())
    print(f"{sum(map(Counter.total, results.values()))} files from number {first} on, {faults} misread or broken")
    for name, found in results.items():
        kinds = ", ".join(f"{found.pop(kind, 0)} {kind}" for kind in _KINDS)
        reasons = "; ".join(f"{count} {reason}" for reason, count in found.most_common())
        print(f"{name}: {kinds}, {found.total()} refused ({reasons})")
    return faults


_KINDS = ("right", "misread", "broken")  # whatever else becomes of a file is the reason why it was refused


def _result(name, number):
    with tempfile.TemporaryDirectory() as folder:
        try:
            return truthful.check(truthful.drawn(name, Random(f"{name} {number}"), Path(folder)))
        except Exception as error:  # noqa: BLE001 - whatever a reader raises, it is shown, and the run goes on
            print(f"--- {name}, number {number}", traceback.format_exc(limit=-3), sep="\n", flush=True)
            return "misread" if isinstance(error, truthful.MisreadError) else "broken"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--formats", nargs="+", choices=list(GENERATORS), default=list(GENERATORS))
    parser.add_argument("--seed", type=int, default=0)
    names = [prop.__name__ for prop in PROPERTIES]
    parser.add_argument("--properties", nargs="+", choices=names, default=names)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", hostile.NUMPY_S_OWN)
        if options.inputs:
            fuzz_inputs(
                options.inputs, options.seed, [each for each in PROPERTIES if each.__name__ in options.properties]
            )
    sys.exit(1 if options.files and fuzz_files(options.files, options.seed, options.formats) else 0)


if __name__ == "__main__":
    main()
