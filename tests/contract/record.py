"""The recorded answers: one file per family, one line per call; and how today's answers differ from them."""

import json
from collections.abc import Iterator
from pathlib import Path

from .answers import RENAMED, leaves_of

FOLDER = Path(__file__).parent / "record"
TOLERANCE = 1e-8  # relative: sums of draws differ in the ninth digit between processors
ROUNDING = 1e-12  # what is smaller is taken as nothing


def path_of(family: str) -> Path:
    return FOLDER / f"{family}.jsonl"


def load(family: str) -> dict[str, dict]:
    lines = path_of(family).read_text(encoding="utf-8").split("\n") if path_of(family).exists() else []
    return dict(json.loads(line) for line in lines if line)


def save(family: str, found: dict[str, dict]) -> None:
    lines = (json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in found.items())
    FOLDER.mkdir(exist_ok=True)
    path_of(family).write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(old, new, tolerance: float = TOLERANCE, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Yield path, old and new value of all that differs; numbers that agree to the tolerance do not differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        old = {RENAMED.get(key, key): each for key, each in old.items()}
        for key in [*old, *(each for each in new if each not in old)]:
            yield from differences(old.get(key, "(none)"), new.get(key, "(none)"), tolerance, f"{path}/{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, tolerance, f"{path}/{i}")
    elif not same(old, new, tolerance):
        yield path, old, new


def same(old, new, tolerance: float) -> bool:
    if {type(old), type(new)} in ({float}, {float, int}):
        return abs(old - new) <= tolerance * max(abs(old), abs(new)) + ROUNDING
    return type(old) is type(new) and old == new


def largest(old, new) -> float:
    """The largest relative difference of two answers whose numbers stand in the same order; else infinity."""
    one, other = ([each for each in leaves_of(value) if isinstance(each, int | float)] for value in (old, new))
    if len(one) != len(other):
        return float("inf")
    return max((abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in zip(one, other, strict=True)), default=0.0)
