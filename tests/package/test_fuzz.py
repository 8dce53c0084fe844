"""A few hundred hostile inputs of each property; ``tools/fuzz.py`` tries a million."""

import pytest
from hypothesis import given, settings

from helpers import crafted, damaged, hostile

PROPERTIES = hostile.PROPERTIES | damaged.PROPERTIES | crafted.PROPERTIES


@pytest.mark.slow
@pytest.mark.filterwarnings(f"ignore:{hostile.NUMPY_S_OWN}")
@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.__name__)
def test_a_sound_object_or_a_plain_refusal(prop):
    settings(max_examples=300, deadline=None)(given(*PROPERTIES[prop])(prop))()
