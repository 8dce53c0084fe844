"""The names of models: read off paths, and changed as the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from .._display.words import shorten
from ..errors import OutcomeError, ParameterError, Remedy
from ._records import Source

Models = str | Mapping[str, str] | None  # one name for all, or names by model or path pattern
_SUFFIXES = [
    ".jsonl",
    ".json",
    ".xml",
    ".csv",
    ".tsv",
    ".parquet",
    ".npz",
    ".npy",
    ".duckdb",
    ".sqlite3",
    ".sqlite",
    ".db",
    "_eval_results",
    "eval_results",
    "_results",
    ".jsonl",
]
_SUFFIXES += ["_samples", "-samples", "samples", "_", "."]


def model_of_path(path: Path) -> str:
    """Return the file's name without the endings that tools add, or the folder's name if nothing is left.

    >>> model_of_path(Path("runs/model-a_samples.jsonl_results.jsonl"))
    'model-a'
    """
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return path.resolve().parent.name if name in ("", "results") else name


def check_models(models: object) -> None:
    """Check that ``model`` is a name or a mapping."""
    if not (models is None or isinstance(models, (str, Mapping))):
        raise ParameterError(
            f"must be a name, or a mapping from path patterns to names; got {models!r}", argument="model"
        )


def rename_models(sources: Sequence[Source], models: Models) -> list[Source]:
    """Return the sources with their models named as the user says."""
    if isinstance(models, str):
        own = {source.run.model for source in sources if source.run.model_from == "log"}
        if len(own) > 1:
            remedy = Remedy("model", dict.fromkeys(sorted(own)[:2], "..."), "gives each its name")
            raise OutcomeError(
                f"names one model, the files hold {shorten(sorted(own))}", argument="model", remedies=[remedy]
            )
    return [_renamed(source, models) for source in sources]


def _renamed(source: Source, models: Models) -> Source:
    name: str | None = models if isinstance(models, str) else None
    for pattern, new in models.items() if isinstance(models, Mapping) else ():
        if _is_of(source, pattern):
            name = new
    return source if name is None else replace(source, run=replace(source.run, model=name, model_from="user"))


def rename_separated(before: Sequence[Source], after: Sequence[Source], models: Models) -> list[Source]:
    """Return the sources with new names for those whose conditions became part of their names."""
    names = models if isinstance(models, Mapping) else {}
    return [
        replace(new, run=replace(new.run, model=names[new.run.model], model_from="user"))
        if new.run.model != old.run.model and new.run.model in names
        else new
        for old, new in zip(before, after, strict=True)
    ]


def _is_of(source: Source, pattern: str) -> bool:
    """Return whether a pattern is the name of a source's model, or matches its path."""
    return pattern == source.run.model or fnmatchcase(source.path.as_posix(), pattern)


def unknown_models(sources: Sequence[Source], models: Models) -> list[str]:
    """Return the keys of the mapping ``models`` that are neither the name of a model nor match a path."""
    keys = models if isinstance(models, Mapping) else ()
    return [key for key in keys if not any(_is_of(source, key) for source in sources)]


def check_one_folder(sources: Sequence[Source]) -> None:
    """Check that files of one name in two folders are not taken for one model by chance."""
    first: dict[str, Path] = {}
    for source in sources:
        if source.run.model_from == "file name":
            other = first.setdefault(source.run.model, source.path)
            if other.parent != source.path.parent:
                remedy = Remedy("model", {"*PATTERN*": "..."}, "names the models of paths")
                raise OutcomeError(
                    f"{other} and {source.path} do not say whether they are of one model",
                    remedies=[Remedy("model", "...", "is a name for both"), remedy],
                )
