"""The walker: a value of a record that knows its place, so that whatever is wrong with it is said with the place."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from operator import itemgetter
from typing import Any, NoReturn, TypeVar

from .._base.words import text_fault
from ..errors import OutcomeError, within
from .checks import shown, spent

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)
_MOST = 1 << 53
_SECOND = 1000  # milliseconds


class At:
    """A value of a log and its place; ``at["a.b"]`` goes down, and what is not there is an empty value.

    A key that has dots of its own is one of several: ``at["a", "b.c"]``. The properties return the value in the form
    that a ``Run`` needs, or raise an ``OutcomeError`` that names the place and says what was expected. ``bool(at)`` is
    false for null, false, zero, and empty text, lists and objects.

    Parameters
    ----------
    value
        What the log has there; None if it has nothing.
    where
        The place of the record, such as ``line 7``.
    key
        The keys that lead from the record to the value.

    Examples
    --------
    >>> log = At({"model": {"name": "gpt-x"}, "answers": [{"question": 7, "right": True}, {"question": "q8"}, "q9"]})
    >>> log["model.name"].text, log["model.size"].text_or("unknown"), log["answers"].rows[1]["right"].flag
    ('gpt-x', 'unknown', None)
    >>> [answer["question"].text for answer in log["answers"].rows]
    Traceback (most recent call last):
    scorio.errors.OutcomeError: answers 2: it must be an object; got 'q9'

    """

    __slots__ = ("key", "value", "where")

    def __init__(self, value: Any, where: str = "", key: str = "") -> None:
        self.value: Any = value
        self.where: str = where
        self.key: str = key

    def __getitem__(self, path: str | tuple[str, ...]) -> At:
        value, key = self.value, self.key
        if not key and type(value) is dict and type(path) is str and "." not in path:  # most, and in large logs
            return At(value.get(path), self.where, path)
        is_record = not key
        for name in _names(path):
            if type(value) is not dict:
                at = At(value, self.where, key)
                value = at._fail("an object") if is_record else at.obj
            value, is_record = value.get(name), False
            key = f"{key}.{name}" if key else name
        return At(value, self.where, key)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __contains__(self, key: str) -> bool:
        return key in self.obj

    @property
    def name(self) -> str:
        """What an error calls the value: its keys, else "it" after the place of a record, else the document."""
        return self.key or ("it" if self.where else "the document")

    def fault(self, problem: str, **parts: Any) -> OutcomeError:
        """Return an error that names the place; ``parts`` are the other arguments of ``OutcomeError``."""
        return OutcomeError(problem, where=self.where or None, **parts)

    def _fail(self, expected: str) -> NoReturn:
        raise self.fault(f"{self.name} must be {expected}; got {shown(self.value)}")

    @property
    def here(self) -> AbstractContextManager[None]:
        """The place as a context, in which every ``OutcomeError`` names it."""
        return within(self.where) if self.where else nullcontext()

    @property
    def needed(self) -> At:
        """The same value, which must not be null."""
        return self._fail("there") if self.value is None else self

    @property
    def obj(self) -> dict[str, Any]:
        """An object; an empty one for null."""
        value = self.value
        if type(value) is dict:
            return value
        return {} if value is None else self._fail("an object")

    @property
    def plain(self) -> dict[str, Any]:
        """The same, and an empty object for whatever else is there: for a look at what may be of another tool."""
        return self.value if type(self.value) is dict else {}

    @property
    def items(self) -> list[tuple[str, At]]:
        """The entries of an object with their names, which are their places."""
        place = f"{self.where}: " if self.where else ""
        return [(name, At(entry, f"{place}{name}")) for name, entry in self.obj.items()]

    @property
    def array(self) -> list[Any]:
        """A list; an empty one for null."""
        value = self.value
        if type(value) is list:
            return value
        return [] if value is None else self._fail("a list")

    @property
    def rows(self) -> list[At]:
        """The entries of a list, each of which is a record with its number as its place."""
        place = " ".join(filter(None, (f"{self.where}:" if self.where else "", self.key or "record")))
        return [At(entry, f"{place} {i}") for i, entry in enumerate(self.array)]

    @property
    def text(self) -> str:
        """A name or a whole number, as text that a file can hold."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            self._fail("a name or a whole number")
        if (fault := text_fault(text := str(value))) is not None:
            problem = f"{self.name} {shown(text)} {fault}"
            raise self.fault(problem, hint="name it otherwise: no file can hold it")
        return text

    def text_or(self, default: _T) -> str | _T:
        """Return the text, or ``default`` where nothing is there."""
        return self.text if self.value else default

    @property
    def maybe(self) -> str | None:
        """A name, a number or a truth value as text; None for null."""
        value = self.value
        return None if value is None else str(value) if isinstance(value, (bool, float)) else self.text

    @property
    def flag(self) -> bool | None:
        """A truth value or null."""
        value = self.value
        return value if value is None or isinstance(value, bool) else self._fail("true, false or null")

    @property
    def whole(self) -> int:
        """A whole number from 0 to 2**53."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
            self._fail("a whole number")
        return value

    def whole_or(self, default: _T) -> int | _T:
        """Return the whole number, or ``default`` for null."""
        return default if self.value is None else self.whole

    def meaning(self, words: Mapping[Any, _T]) -> _T:
        """Return what the value means, which must be one of some words, or null if this is one of them."""
        if (self.value is not None and not isinstance(self.value, str)) or self.value not in words:
            self._fail(f"one of {', '.join(word for word in words if word)}")
        return words[self.value]

    def to(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Return what a function makes of the value, such as ``request.outcome``; its errors name the place."""
        try:
            return function(self.value, *arguments)
        except OutcomeError as error:
            place = ": ".join(filter(None, (self.where, self.key)))
            raise error.at(place) if place else error from error.__cause__

    def feedback(self, values: Iterable[tuple[str, Any]]) -> dict[str, At]:
        """Return what several judges, people or evaluators say of a trial, by the names of their scores.

        Values of one name must agree if they are the outcome; None says nothing.
        """
        return {
            name: At(tuple(value for _, value in named), self.where, name)
            for name, named in grouped(values, itemgetter(0)).items()
        }

    def peek(self, path: str | tuple[str, ...]) -> At:
        """Return what a path leads to, and an empty value where the record has another shape."""
        value = self.value
        for name in _names(path):
            value = value.get(name) if isinstance(value, dict) else None
        return At(value)

    @property
    def first(self) -> At:
        """The first entry of a list or an object; an empty value of whatever else is there."""
        entries = self.value if type(self.value) is list else self.plain.values()
        return At(next(iter(entries), None))

    def has(self, *keys: str) -> bool:
        """Return whether the value is an object with all of these keys."""
        return self.plain.keys() >= set(keys)

    def all_have(self, *keys: str) -> bool:
        """Return whether the value is a list or an object, whose entries are objects with all of these keys."""
        entries = self.value if type(self.value) is list else self.plain.values()
        return bool(entries) and all(At(entry).has(*keys) for entry in entries)

    def only(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the entries of an object with these names, None for one that is not there."""
        return {name: self.obj.get(name) for name in names}

    def without(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the entries of an object but those with these names."""
        left_out = frozenset(names)
        return {name: value for name, value in self.obj.items() if name not in left_out}

    def spent(self, **paths: str) -> dict[str, float]:
        """Return what was used, as far as it is known: each amount by its name, from the value at its path.

        A path that ends with ``_ms`` or ``Ms`` leads to milliseconds, which become seconds.
        """
        used = spent(**{name: self[path].value for name, path in paths.items()})
        return {
            name: amount / _SECOND if paths[name].endswith(("_ms", "Ms")) else amount for name, amount in used.items()
        }


def _names(path: str | tuple[str, ...]) -> Iterable[str]:
    return path.split(".") if isinstance(path, str) else path


def names_in(places: Iterable[At]) -> list[str]:
    """Return the names of the entries of several objects, each once.

    >>> names_in([At({"style": 1, "facts": 0}), At(None), At({"facts": 1})])
    ['style', 'facts']
    """
    return list(dict.fromkeys(name for place in places for name in place.obj))


def grouped(rows: Iterable[_T], key: Callable[[_T], _K]) -> dict[_K, list[_T]]:
    """Return the rows by their keys, in order.

    >>> grouped(["q1", "q2", "r1"], lambda row: row[0])
    {'q': ['q1', 'q2'], 'r': ['r1']}
    """
    groups: dict[_K, list[_T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def either(*places: At) -> At:
    """Return the first value that is there and not empty, else the first of all.

    >>> either(At({}, key="alias"), At("gpt-x", key="model")).text
    'gpt-x'
    """
    return next(filter(None, places), places[0])
