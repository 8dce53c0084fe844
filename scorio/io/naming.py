"""The name of a model whose file does not tell it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FROM_FOLDER = {"model": "from the folder"}  # what is shown of a model that the tool's own folders or names tell
FROM_NAME = {"model": "from the file's name"}  # and of one that is called as its file is, and others may be by chance
_SUFFIXES = [".jsonl", ".json", ".csv", ".tsv", ".parquet", ".npz", ".npy", "eval_results", "_results", ".jsonl"]
_SUFFIXES += ["_samples", "-samples", "samples", "_", "."]


def is_told(notes: Mapping[str, str]) -> bool:
    """Whether a file itself says which model it is of."""
    return not (FROM_FOLDER.items() <= notes.items() or FROM_NAME.items() <= notes.items())


def model_of_path(path: Path) -> str:
    """What the file's name says without the endings that tools add, or its folder's where that leaves nothing.

    >>> model_of_path(Path("runs/model-a_samples.jsonl_results.jsonl"))
    'model-a'
    """
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name or path.resolve().parent.name
