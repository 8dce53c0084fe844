"""What readers make of the values of a log for a ``Run``: settings, seeds, costs, and names of models by their files.

>>> conditions(temperature=0.5, top_p=None), spent(dollars=0.5, tokens="many")
({'temperature': '0.5'}, {'dollars': 0.5})
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._base.words import warn
from ..errors import FilesWarning

__all__ = [
    "all_and_share",
    "conditions",
    "digest",
    "model_of_path",
    "seed_of",
    "short_setting",
    "shown",
    "spent",
    "warn_of_lost",
]

_ADDRESS = re.compile(r"\b0x[0-9a-f]+")  # in the text of objects that have no other
_LONGEST_SETTING = 40  # characters of a setting that may be part of a name
_LONGEST = 60  # characters of a value that a message shows
_REPETITIONS = {"seed", "random_seed", "trial", "run", "repeat", "replicate"}  # these number runs of equal conditions
_ENDINGS = [".jsonl", ".json", ".xml", ".csv", ".tsv", ".parquet", ".npz", ".npy"]  # they are taken off in this order
_ENDINGS += [".xlsx", ".sqlite3", ".sqlite", ".db"]
_ENDINGS += ["_eval_results", "eval_results", "_results", ".jsonl", "_samples", "-samples", "samples", "_", "."]


def shown(value: Any) -> str:
    """Return a value as messages show it, cut off where it is long."""
    text = repr(value[: _LONGEST + 1] if isinstance(value, (str, bytes)) else value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}.."


def conditions(**groups: Any) -> dict[str, str]:
    """Return the ``conditions`` of a run: settings by name, as text, without None and seeds, and groups one by one.

    >>> conditions(version=2, generation={"temperature": 0.5, "top_p": None, "seed": 3})
    {'version': '2', 'temperature': '0.5'}
    """
    settings: dict[str, str] = {}
    for group, content in groups.items():
        for name, value in content.items() if isinstance(content, dict) else [(group, content)]:
            if value is not None and name not in _REPETITIONS:
                settings[f"{group}.{name}" if name in settings else str(name)] = _text(value)
    return settings


def digest(value: Any) -> str:
    """Return eight characters that tell long settings apart, such as prompts, without the addresses of objects.

    >>> digest({"f": "<function f at 0x7f01>"}) == digest({"f": "<function f at 0x8a55>"}) != digest({"f": "g"})
    True
    """
    return hashlib.sha256(_ADDRESS.sub("", json.dumps(value, sort_keys=True, default=str)).encode()).hexdigest()[:8]


def short_setting(value: Any) -> Any:
    """Return a setting that may be part of a model's name: a model by its own name, and what is long by a hash.

    >>> short_setting({"model": "lab/judge", "args": {}}), short_setting(0.5), short_setting("Grade it. " * 9)
    ('lab/judge', 0.5, 'fd0447ef')
    """
    if isinstance(value, dict) and isinstance(value.get("model"), str):
        return value["model"]
    return value if len(_text(value)) <= _LONGEST_SETTING else digest(value)


def seed_of(settings: Any) -> dict[str, str]:
    """Return the seed among settings by name, as text, for the ``origin`` of a run; nothing if there is none.

    >>> seed_of({"temperature": 0.5, "seed": 3})
    {'seed': '3'}
    """
    seed = settings.get("seed") if isinstance(settings, Mapping) else None
    return {} if seed is None else {"seed": _text(seed)}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def spent(**amounts: Any) -> dict[str, float]:
    """Return what a run or a trial used, such as tokens, seconds and dollars, as far as these are known numbers.

    >>> spent(seconds=2.5, dollars=None, input_tokens="many")
    {'seconds': 2.5}
    """
    return {name: value for name, value in amounts.items() if type(value) in (int, float)}


def model_of_path(path: Path) -> str:
    """Return a model's name for a file that does not say it: the file's name without the endings that tools add.

    Where nothing is left of it, the name of the folder is taken.

    >>> model_of_path(Path("runs/model-a_samples.jsonl_results.jsonl"))
    'model-a'
    """
    name = path.name
    for suffix in _ENDINGS:
        name = name.removesuffix(suffix)
    return path.resolve().parent.name if name in ("", "results") else name


def all_and_share(met: Sequence[bool | None]) -> dict[str, float | None]:
    """Return whether all expectations are met, and the share that is; None where not all were graded.

    >>> all_and_share([True, False]), all_and_share([True, None])
    ({'all': 0.0, 'share': 0.5}, {'all': None, 'share': None})
    """
    if not met or None in met:
        return {"all": None, "share": None}
    return {"all": float(all(met)), "share": sum(map(bool, met)) / len(met)}


def warn_of_lost(path: Path, present: int, counted: Any, what: str) -> None:
    """Warn if a log has fewer of something than the file beside it counts: it was cut off, or edited.

    ``counted`` is the number in the log as it is: anything but a whole number says nothing.
    """
    if isinstance(counted, int) and present < counted:
        lost = f"{path} has {present} of the {counted} {what} beside it counts"
        warn(f"{lost}: scores are about these alone", FilesWarning)
