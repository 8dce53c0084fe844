"""The name of a model whose file does not tell it."""

from __future__ import annotations

from pathlib import Path

FROM_PATH = {"model": "from the path"}  # what is shown of such a model
_SUFFIXES = [".jsonl", ".json", ".csv", ".tsv", ".parquet", ".npz", ".npy", "eval_results", "_results", ".jsonl"]
_SUFFIXES += ["_samples", "-samples", "samples", "_", "."]


def model_of_path(path: Path) -> str:
    """What the file's name says without the endings that tools add, or its folder's where that leaves nothing.

    >>> model_of_path(Path("runs/model-a_samples.jsonl_results.jsonl"))
    'model-a'
    """
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name or path.resolve().parent.name
