"""Check the properties of ``tests/helpers/hostile.py`` and ``tests/helpers/damaged.py`` on a million inputs.

python tools/fuzz.py --inputs 1000000 --seed 0

Inputs are drawn in batches, each with its own seed, so that memory stays small; nothing is kept between runs. The first
input that breaks a property ends the run, after it was made as small as possible.
"""

import argparse
import functools
import sys
import warnings
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers import damaged, hostile

PROPERTIES = hostile.PROPERTIES | damaged.PROPERTIES
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", hostile.NUMPY_S_OWN)
    tried, number = dict.fromkeys(PROPERTIES, 0), options.seed
    while sum(tried.values()) < options.inputs:
        for prop in PROPERTIES:
            tried[prop] += batch(prop, number)
        number += 1
    figures = ", ".join(f"{prop.__name__} {count}" for prop, count in tried.items())
    print(f"{sum(tried.values())} inputs, seeds {options.seed}..{number - 1}: {figures}")


if __name__ == "__main__":
    main()
