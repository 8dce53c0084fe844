"""What is read is what was written, for every format: ``tools/fuzz.py`` tries a hundred thousand such files."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from helpers import truthful, truthful_agents, truthful_folders, truthful_logs, truthful_results, truthful_tables
from scorio.io._registry import formats

FILES = 16  # of each format
NEEDS_DUCKDB = {"lighteval", "database"}
# Importing these fills GENERATORS.
_ = (truthful_agents, truthful_folders, truthful_logs, truthful_results, truthful_tables)


def test_every_format_has_a_generator():
    assert truthful.GENERATORS.keys() == formats().keys()


@pytest.mark.parametrize("name", list(truthful.GENERATORS))
def test_nothing_is_misread(name, tmp_path):
    if name in NEEDS_DUCKDB | {"table"}:
        for module in ("duckdb", "pandas", "polars", "pyarrow"):
            pytest.importorskip(module)
    results = Counter()
    for number in range(FILES):
        folder = tmp_path / str(number)
        folder.mkdir()
        results[truthful.check(truthful.drawn(name, Random(f"test {name} {number}"), folder))] += 1
    assert results["right"] > FILES / 2, results  # or the readers refuse what they should read


@pytest.mark.parametrize("name", sorted(truthful.GENERATORS.keys() - NEEDS_DUCKDB - {"table"}))
def test_another_truth_is_noticed(name, tmp_path):
    cases = (truthful.drawn(name, Random(number), _new(tmp_path / str(number))) for number in range(9))
    case = next(case for case in cases if case.truth and truthful.check(case) == "right")
    model = next(iter(next(iter(case.truth.values())).values()))
    counts = next(iter(model.values()))
    counts[next(iter(counts))] += 1
    with pytest.raises(truthful.MisreadError):
        truthful.check(case)


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder
