"""Saved counts as somebody may craft them: any header and any arrays, with a digest that fits.

A digest finds damage, and anybody can make it. ``crafted_counts`` is a property for ``tools/fuzz.py``: whatever such a
file says, it is read or refused, and what is read can be used.
"""

import hashlib
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from scorio import BayesMetric, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, PassAtK, VoteAtK
from scorio.outcomes import SavedCounts

SPECIAL = [0, 1, 2, 3, 255, 2**31, 2**32, 2**53, 2**53 + 1, 2**62, 2**63 - 1]


def sealed(header, arrays):
    """The digest that a file of saved counts has."""
    content = {key: each for key, each in header.items() if key != "digest"}
    hashed = hashlib.blake2b(json.dumps(content, separators=(",", ":")).encode(), digest_size=20)
    for name in sorted(arrays):
        hashed.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        hashed.update(np.ascontiguousarray(arrays[name]).data)
    return hashed.hexdigest()


def unpacked(path):
    """The header and the arrays of a file."""
    with np.load(path) as archive:
        members = dict(archive)
    return json.loads(members.pop("scorio").tobytes()), members


def write(path, header, arrays):
    """Write a file whose digest fits."""
    header["digest"] = sealed(header, arrays)
    text = json.dumps(header, separators=(",", ":")).encode()
    np.savez(path, scorio=np.frombuffer(text, np.uint8), **arrays)
    return path


def example(path):
    """Save outcomes with runs, answers and scores; return the header and the arrays."""
    known = {"runs": ["x", "y"], "answers": [["p", "q"], ["q", "q"]], "scores": {"s": [[0.1, 0.2], [0.3, 0.4]]}}
    OutcomeSet({"a": OutcomeMatrix([[0, 1], [1, 1]], **known)}, questions=["q1", "q2"]).save(path)
    return unpacked(path)


def numbers(draw, shape, kinds=("u1", "u2", "u4", "u8")):
    """An array of this shape: mostly small numbers, and a few of those that overflow."""
    kind = np.dtype(draw(st.sampled_from(kinds)))
    size = int(np.prod(shape))
    large = [each for each in SPECIAL if kind.kind == "f" or each <= np.iinfo(kind).max]
    entry = st.one_of(st.integers(0, 3), st.integers(0, 3), st.sampled_from(large))
    return np.array(draw(st.lists(entry, min_size=size, max_size=size)), dtype=kind).reshape(shape)


@st.composite
def changes(draw):
    """Changes of arrays, of the shape that the file should have or another one, and numbers of planned trials."""
    counts = numbers(draw, (4,))
    total = int(counts.astype(object).sum())
    made = {"counts": counts} if draw(st.booleans()) else {}
    for name in draw(st.lists(st.sampled_from(["runs", "answers", "scores"]), unique=True)):
        size = draw(st.sampled_from([0, 1, 3, 4, 5, min(total, 50), total % 2**8]))
        made[name] = numbers(draw, (size,), ("f8",) if name == "scores" else ("u1", "u2", "u4"))
    if draw(st.integers(0, 5)) == 0:
        made["planned"] = numbers(draw, (draw(st.integers(1, 3)),))
    return made, draw(st.sampled_from([None, None, *SPECIAL]))


def planned_at(header, planned):
    """Set the planned trials wherever the header has them."""
    for task in header["tasks"].values():
        for model in task["models"].values():
            model["planned"] = planned


def crafted_counts(change):
    """A crafted file is refused, or its outcomes can be used."""
    arrays_changed, planned = change
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "crafted.npz")
        header, arrays = example(path)
        if planned is not None:
            planned_at(header, planned)
        write(path, header, arrays | arrays_changed)
        try:
            outcomes = SavedCounts.load(path).outcomes
            matrix = outcomes["a"]
        except (OutcomeError, ParameterError):
            return
        assert 0 <= matrix.trials.min() <= matrix.planned
        for metric in (PassAtK(1), BayesMetric(), VoteAtK(1)):
            for options in ({}, {"runs": "random"}):
                try:
                    interval = metric.interval(matrix, **options)
                except (OutcomeError, ParameterError):
                    continue
                assert interval.lo <= interval.hi


PROPERTIES = {crafted_counts: (changes(),)}
