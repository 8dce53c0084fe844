"""The layout of saved counts: everything is under a digest."""

import io
import json

import numpy as np
import pytest

from helpers.saved_counts import example_of_a_state, examples_with_costs, examples_with_facts
from scorio import Accumulator, OutcomeError, OutcomeSet, Suite, read
from scorio.outcomes import SavedCounts

BITS = (1, 8, 64)


def merged_example():
    first, second = examples_with_facts()
    return first.merge(second)


def files():
    """The bytes of files that hold everything there is, and what reads them and writes them again."""

    def saved(content):
        return SavedCounts.from_bytes(content).to_bytes()

    def state(content):
        return Accumulator.from_state(content).to_state()

    return {
        "facts": (merged_example().to_bytes(), saved),
        "trial costs": (SavedCounts(examples_with_costs()["tasks"], part="p").to_bytes(), saved),
        "state": (example_of_a_state().to_state(), state),
    }


def is_refused(content, again, expected):
    """Whether bytes are refused in one line; if they are not, they hold exactly what was saved."""
    try:
        assert again(content) == expected
    except OutcomeError as error:
        assert "\n" not in str(error)
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", files())
def test_no_changed_byte_changes_anything(kind):
    """Every byte in three ways, and cuts: names of parts, conditions, costs and states are as safe as counts."""
    content, again = files()[kind]
    assert again(content) == content
    refused = 0
    for i, byte in enumerate(content):
        for bit in BITS:
            refused += is_refused(content[:i] + bytes([byte ^ bit]) + content[i + 1 :], again, content)
    assert refused > len(content)
    assert all(is_refused(content[:end], again, content) for end in range(0, len(content), 7))


def members_of(content):
    with np.load(io.BytesIO(content)) as archive:
        members = dict(archive)
    return json.loads(members.pop("scorio").tobytes()), members


def file_of(header, members):
    """Return an archive whose checksums are right."""
    target = io.BytesIO()
    text = json.dumps(header, separators=(",", ":")).encode()
    np.savez(target, scorio=np.frombuffer(text, np.uint8), **members)
    return target.getvalue()


def places(value, path=()):
    """The path of every value and every key of JSON."""
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def other(value):
    """A value of the same kind that is not the same."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return value + "x" if isinstance(value, str) else [value]


def variants(header, path):
    """The header with one value changed, left out, and under another key."""
    for change in ("value", "left out", "key"):
        changed = json.loads(json.dumps(header))
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        last = path[-1]
        if change == "value":
            holder[last] = other(holder[last])
        elif change == "left out" or isinstance(holder, list):
            del holder[last]
        else:
            holder[f"{last}x"] = holder.pop(last)
        yield changed


@pytest.mark.parametrize("kind", files())
def test_nothing_in_the_header_can_be_exchanged(kind):
    """Also where the checksums of the archive are right, as after a mistake of another tool."""
    content, again = files()[kind]
    header, members = members_of(content)
    assert again(file_of(header, members)) == content
    tried = 0
    for path in places(header):
        for changed in variants(header, path) if path else ():
            assert is_refused(file_of(changed, members), again, content), (path, changed)
            tried += 1
    assert tried > 90


def facts_of(suite):
    """The costs and conditions of each task and model."""
    return {
        (task, name): (dict(models.costs[name]), dict(models.conditions[name]))
        for task, models in suite.items()
        for name in models
    }


def test_tasks_keep_their_own_costs_and_conditions(tmp_path):
    """Also where one task tells what its trials cost, and another only a mean, or nothing."""
    first, _ = examples_with_facts()
    first.save(tmp_path / "one.npz")
    expected = facts_of(first.outcomes)
    assert expected["x", "a"][0] == {"usd": 0.25}
    assert expected["y", "a"][0] == {"usd": 1.1, "tokens": 7.0}
    assert facts_of(Suite.load(tmp_path / "one.npz")) == expected
    known = Suite.load(tmp_path / "one.npz")["x"].costs["a"]["usd"].trials
    assert known.means.tolist() == [0.375, 0.125]
    as_read = facts_of(read(tmp_path))
    assert {key: costs for key, (costs, _) in as_read.items()} == {
        key: pytest.approx(costs) for key, (costs, _) in expected.items()
    }
    assert as_read["y", "a"][1] == {"temperature": "1"}


def test_merged_parts_have_the_mean_of_each_task():
    first, second = examples_with_facts()
    settings = {"a": {"temperature": 1}}
    late = OutcomeSet({"a": [[1]]}, questions=["r"], conditions=settings, costs={"a": {"usd": 0.7}})
    third = SavedCounts(Suite({"y": late}), part="wednesday")
    merged = first.merge(second, third)
    found = facts_of(merged.outcomes)
    assert found["x", "a"] == facts_of(first.outcomes)["x", "a"]
    assert found["y", "a"] == ({"usd": pytest.approx((3 * 1.1 + 2 * 1.1 + 1 * 0.7) / 6)}, {"temperature": 1})
    assert found["y", "b"] == ({}, {})
    for again in (third.merge(first).merge(second), second.merge(third.merge(first))):
        assert again == merged
        costs = {key: pytest.approx(own) for key, (own, _) in facts_of(again.outcomes).items()}
        assert {key: own for key, (own, _) in found.items()} == costs
    hot = Suite({"y": OutcomeSet({"a": [[1]]}, questions=["r"], conditions={"a": {"temperature": 2}})})
    with pytest.raises(OutcomeError, match="'a' was run under different conditions"):
        merged.merge(SavedCounts(hot, part="thursday"))


def test_a_part_that_does_not_tell_the_cost_of_a_model_hides_it():
    """Its trials count, and what they cost is not known: a mean over all would be too small."""
    both = SavedCounts(OutcomeSet({"a": [[1, 1]], "b": [[0]]}, questions=["q"], costs={"b": {"usd": 1.0}}), part="1")
    one = SavedCounts(OutcomeSet({"a": [[1, 1]]}, questions=["q"], costs={"a": {"usd": 1.0}}), part="2")
    merged = both.merge(one)
    assert {name: dict(each) for name, each in merged.outcomes.costs.items()} == {"a": {}, "b": {"usd": 1.0}}


def test_numbers_in_the_metadata_are_no_costs(tmp_path):
    metadata = {"a": {"seed": 7, "costs": {"usd": 1.5}}}
    SavedCounts(OutcomeSet({"a": [[1, 0]]}), metadata=metadata).save(tmp_path / "one.npz")
    assert dict(read(tmp_path).costs["a"]) == {"usd": 0.75}
