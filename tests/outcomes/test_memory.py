"""The memory that reading an array takes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from scorio.outcomes import OutcomeMatrix


@pytest.mark.parametrize("layout", ["C", "F", "strided", "float16", "masked"])
def test_memory_stays_small(layout):
    shape = (20_000, 1000)
    values = np.zeros(shape, np.int8, order="F" if layout == "F" else "C")
    if layout == "strided":
        values = np.zeros((20_000, 2000), np.int8)[:, ::2]
    elif layout == "float16":
        values = np.zeros(shape, np.float16)
    elif layout == "masked":
        values = np.ma.array(values, mask=np.zeros(shape, bool))
    tracemalloc.start()
    try:
        OutcomeMatrix(values)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000
