"""The walker: it goes down a record as plain Python does, and every error names the place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio import OutcomeError
from scorio.io import At, LogFile, Request, either

KEYS = st.sampled_from(["a", "b", "c.d", ""])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.floats(0, 1), st.sampled_from(["", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def down(value, keys):
    """What the keys lead to, null for what is not there; an error at the first key of what is no object."""
    for i, key in enumerate(keys):
        if value is not None and not isinstance(value, dict):
            return None, i
        value = None if value is None else value.get(key)
    return value, None


@given(st.dictionaries(KEYS, VALUES, max_size=3), st.lists(KEYS, min_size=1, max_size=3))
def test_it_goes_down_as_python_does(record, keys):
    found, fault = down(record, keys)
    at = At(record, "line 3")
    if fault is None:
        assert at[tuple(keys)].value == found
        assert "c.d" in keys or at[".".join(keys)].value == found
        assert at.peek(tuple(keys)).value == found
    else:
        with pytest.raises(OutcomeError, match="line 3: .*must be an object"):
            at[tuple(keys)]
        assert at.peek(tuple(keys)).value is None


CHECKS = {
    "obj": lambda value: value is None or isinstance(value, dict),
    "array": lambda value: value is None or isinstance(value, list),
    "text": lambda value: type(value) is int or (isinstance(value, str) and value != ""),
    "maybe": lambda value: (
        value is None or isinstance(value, (bool, float, int)) or (isinstance(value, str) and value != "")
    ),
    "flag": lambda value: value is None or isinstance(value, bool),
    "whole": lambda value: type(value) is int and value >= 0,
    "needed": lambda value: value is not None,
}


@pytest.mark.parametrize("name", CHECKS)
@given(value=VALUES)
def test_every_check_takes_what_it_says_and_names_the_place_of_other_values(name, value):
    at = At({"a": {"b": value}}, "line 3")["a.b"]
    if CHECKS[name](value):
        getattr(at, name)
    else:
        with pytest.raises(OutcomeError, match=r"^line 3: a\.b must be .*; got "):
            getattr(at, name)


def test_places_of_entries(tmp_path):
    log = At({"answers": [{"q": 1}, 5], "by": {"x": {"n": -1}}}, "line 3")
    assert [each.where for each in log["answers"].rows] == ["line 3: answers 0", "line 3: answers 1"]
    with pytest.raises(OutcomeError, match="^line 3: answers 1: it must be an object; got 5"):
        log["answers"].rows[1]["q"]
    [(name, entry)] = log["by"].items
    with pytest.raises(OutcomeError, match="^line 3: x: n must be a whole number; got -1"):
        entry["n"].whole
    assert name == "x"
    with pytest.raises(OutcomeError, match="^line 3: score: 'good' is not an outcome"):
        At({"score": "good"}, "line 3")["score"].to(Request().outcome)
    path = tmp_path / "log.jsonl"
    path.write_text('{"a": 1}\n\n{"a": []}\n')
    first, last = LogFile(path).walk()
    assert first["a"].text == "1"
    with pytest.raises(OutcomeError, match=r"^line 3: a must be a name or a whole number; got \[\]"):
        last["a"].text


def test_values_that_may_be_elsewhere_and_what_was_used():
    log = At(json.loads('{"alias": "", "model": "m", "time_ms": 1500, "tokens": {"in": 3, "out": "many"}}'))
    assert either(log["alias"], log["model"]).text == "m"
    assert (log["alias"].text_or("none"), log["lost"].text_or(None), log["lost"].whole_or(4)) == ("none", None, 4)
    used = log.spent(seconds="time_ms", input_tokens="tokens.in", output_tokens="tokens.out")
    assert used == {"seconds": 1.5, "input_tokens": 3}
    assert (log["tokens"].only(["in", "x"]), log["tokens"].without(["in"])) == ({"in": 3, "x": None}, {"out": "many"})
