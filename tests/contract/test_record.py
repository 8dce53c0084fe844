"""Every answer is as it was recorded; a change is accepted by ``tools/contract.py accept FAMILY --why REASON``."""

import importlib.util

import pytest

from contract.answers import answers
from contract.record import TOLERANCE, differences, load
from contract.texts import FAMILIES, texts_of

NEEDS = {
    "frame_of": "pandas",
    "to_frame": "pandas",
    "plot.": "matplotlib",
    "read_truthful": "pandas",
}  # what a call needs: an extra


def is_possible(text: str) -> bool:
    return all(importlib.util.find_spec(extra) for word, extra in NEEDS.items() if word in text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", FAMILIES)
def test_answers_are_as_recorded(family):
    old = load(family)
    assert list(old) == list(texts_of(family)), (
        f"the calls have changed: python tools/contract.py accept {family} --why .."
    )
    texts = [text for text in old if is_possible(text)]
    now = answers(texts)
    moved = [
        f"{text}\n    {path}: {before!r} -> {after!r}"
        for text in texts
        for path, before, after in differences(old[text], now[text], TOLERANCE)
    ]
    assert not moved, f"{len(moved)} answers moved:\n" + "\n".join(moved[:20])
