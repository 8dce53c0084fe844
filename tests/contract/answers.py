"""Evaluate a call that is written as a text, and reduce what it returns to plain numbers and words."""

import dataclasses
import importlib
import itertools
import math
import pkgutil
import re
import warnings
from collections.abc import Mapping

import numpy as np

import scorio
from scorio.errors import ScorioError
from scorio.report._page import today

from .worlds import MAKERS, made

PACKAGES = [m.name for m in pkgutil.iter_modules(scorio.__path__) if not m.name.startswith("_")]
DAY = "2026-11-28"  # of the record, in the place of the day on which a page is written
WHOLE = 8  # a list of more numbers is recorded by its length, its sums and its first numbers
UNRECORDED = {"version", "seconds", "created"}
ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, ImportError, OSError, AssertionError)
RENAMED: dict[str, str] = {}  # keys of answers that have a new name: old -> new


def known(text: str) -> dict:
    """What the names in a call stand for: data of ``worlds``, packages of scorio, and its public names."""
    found = {}
    for word in set(re.findall(r"[A-Za-z_]\w*", text)):
        if word in MAKERS:
            found[word] = made(word)
        elif word == "new_axes":
            found[word] = importlib.import_module("matplotlib.figure").Figure().subplots()
        elif word in PACKAGES and word not in scorio.__all__:
            found[word] = importlib.import_module(f"scorio.{word}")
        elif word in scorio.__all__:
            found[word] = getattr(scorio, word)
    return found


def answer(text: str) -> dict:
    """Return what a call answers, or its error's class and argument; with the classes and numbers of its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = {"answer": plain(eval(text, known(text)))}
        except ScorioError as error:
            found = {"error": type(error).__name__, "about": error.argument}
        except ERRORS as error:
            found = {"error": type(error).__name__}
    ours = (each for each in said if each.category.__module__.startswith("scorio"))
    given = sorted({" ".join([each.category.__name__, *numbers_in(str(each.message))[:4]]) for each in ours})
    return found | ({"warnings": given} if given else {})


def answers(texts) -> dict[str, dict]:
    made.cache_clear()  # some warnings are given once for each outcome: all families begin with new ones
    return {text: answer(text) for text in texts}


def plain(value):
    """Return numbers, words and short lists and mappings of these, as JSON has them."""
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return scalar(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.ndim < 2 else {"shape": list(value.shape), **sums(value.ravel().tolist())}
    if isinstance(value, Mapping):
        return several({name(key): each for key, each in value.items() if key not in UNRECORDED})
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name[0] != "_"})
    if isinstance(value, list | tuple | set | frozenset):
        return listed(sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value))
    if type(value).__module__.startswith("matplotlib"):
        return drawn(value)
    return words(str(value)) if type(value).__module__.startswith("scorio") else type(value).__name__


def scalar(value):
    return words(str(value)) if isinstance(value, str) else number(value) if isinstance(value, float) else value


def number(value: float):
    return float(f"{value:.12g}") if math.isfinite(value) else str(value)


def name(key) -> str:
    return key if isinstance(key, str) else str(plain(key))


def words(text: str):
    """A word or a short sentence as it is; of a longer text, the numbers in it."""
    if len(text) <= 60:
        return text
    found = [float(each) for each in numbers_in(text.replace(today(), DAY))]
    return {"text with numbers": len(found), **sums(found)}


def numbers_in(text: str) -> list[str]:
    return re.findall(r"(?<![\w.#])-?\d+(?:\.\d+)?(?![\w.])", text)


def sums(values: list) -> dict:
    """Of many numbers: the sum, the sum weighted by place (which shows an exchange), and the first three."""
    kept = [float(each) if isinstance(each, int | float) and math.isfinite(each) else 0.0 for each in values]
    turned = sum(each * (i % 97 + 1) for i, each in enumerate(kept))
    return {"sum": number(math.fsum(kept)), "by place": number(turned), "first": [plain(each) for each in values[:3]]}


def listed(values: list):
    if len(values) <= 4 or (len(values) <= WHOLE and all(isinstance(each, int | float | str) for each in values)):
        return [plain(each) for each in values]
    if all(each is None or isinstance(each, int | float | bool) for each in values):
        return {"length": len(values), **sums(values)}
    found = [plain(each) for each in values]
    return {"length": len(found), **totals(found), "first": found[:2], "last": found[-1]}


def several(values: dict):
    if len(values) <= 40:
        return {key: plain(each) for key, each in values.items()}
    found = {key: plain(each) for key, each in values.items()}
    return {"entries": len(found), **totals(list(found.values())), "first": dict(itertools.islice(found.items(), 2))}


def totals(values: list) -> dict:
    """The sums of all numbers within, and how often each word occurs, by a number that any change moves."""
    leaves = list(leaves_of(values))
    numbers = sums([each for each in leaves if isinstance(each, int | float)])
    letters = sum(map(ord, "".join(each for each in leaves if isinstance(each, str))))
    return {"sum": numbers["sum"], "by place": numbers["by place"], "letters": letters}


def leaves_of(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        yield value
    else:
        for each in inner:
            yield from leaves_of(each)


def drawn(thing):
    """What a picture shows: its labels, and the data of its lines, bars and points."""
    if not hasattr(thing, "get_lines"):
        return type(thing).__name__
    lines = [np.asarray(line.get_xydata(), float).ravel().tolist() for line in thing.get_lines()]
    offsets = [np.asarray(each.get_offsets(), float).ravel().tolist() for each in thing.collections]
    found = {
        "labels": [words(each) for each in (thing.get_xlabel(), thing.get_ylabel(), thing.get_title())],
        "lines": sums([round(each, 9) for line in lines for each in line]) | {"lines": len(lines)},
        "points": sums([round(each, 9) for each in itertools.chain(*offsets) if each]) | {"groups": len(offsets)},
        "bars": sums(
            [round(each.get_height() + each.get_width(), 9) for each in thing.patches if hasattr(each, "get_height")]
        ),
        "texts": len(thing.texts),
    }
    importlib.import_module("matplotlib.pyplot").close(thing.figure)
    return found
