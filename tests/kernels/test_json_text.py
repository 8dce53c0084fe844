"""The pass over JSON text before it is decoded, against the standard library's decoder."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio._kernels.json_text import scan


class Pairs(list):
    """The keys and values of an object, in the order of the text; a key may occur twice."""


NAMES = st.text(alphabet='ab"\\{[,:é', max_size=4)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), NAMES)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(st.tuples(NAMES, inner), max_size=40).map(Pairs),
    ),
    max_leaves=60,
)


def written(value):
    """Return JSON text; keys are escaped only where they have to be."""
    if isinstance(value, Pairs):
        inner = (f"{json.dumps(key, ensure_ascii=False)}: {written(part)}" for key, part in value)
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def objects(value):
    """Yield every object in a value."""
    if isinstance(value, Pairs):
        yield value
        value = [part for _, part in value]
    if isinstance(value, list):
        for part in value:
            yield from objects(part)


def marks(value):
    """Count lists, objects and commas."""
    if not isinstance(value, list):
        return 0
    parts = [part for _, part in value] if isinstance(value, Pairs) else value
    return 1 + max(len(parts) - 1, 0) + sum(map(marks, parts))


@given(VALUES)
def test_any_value(value):
    repeats = any(len({key for key, _ in pairs}) < len(pairs) for pairs in objects(value))
    escapes = any(set(key) & set('"\\') for pairs in objects(value) for key, _ in pairs)
    assert scan(written(value).encode()) == (marks(value), repeats or escapes)


@given(st.text(alphabet='{}[]",:\\a1 ', max_size=40))
def test_any_text(text):
    """What an object has twice is never missed, and no text is read beyond its end."""
    twice = []

    def seen(pairs):
        twice.append(len(dict(pairs)) < len(pairs))

    with contextlib.suppress(ValueError):  # text that is not JSON: the decoder says so
        json.loads(text, object_pairs_hook=seen)
    assert scan(text.encode())[1] or not any(twice)


@pytest.mark.parametrize("size", [2, 24, 25, 26, 1000])
@pytest.mark.parametrize("first", [0, 1])
def test_large_objects(size, first):
    keys = [f"question {i}" for i in range(size)]
    inner = '{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}'
    text = ", ".join(f'"{key}": {inner}' for key in keys)
    assert not scan(f"{{{text}}}".encode())[1]
    assert scan(f'{{{text}, "{keys[first]}": 0}}'.encode())[1]


DOUBTFUL = [
    b"",
    b'{"a\\',
    b'{"12345678\\',
    b"{",
    b"]",
    b"[}",
    b'{"a": 1]',
    b"[" * 300 + b"]" * 300,
    b'{"\\u0061": 1, "a": 2}',
]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_what_cannot_be_decided_is_doubtful(text):
    assert scan(text)[1]


def test_depth_up_to_200():
    assert scan(b'{"a": ' * 200 + b"1" + b"}" * 200) == (200, False)
