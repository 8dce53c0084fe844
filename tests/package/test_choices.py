"""The names that options offer are those of the tables that they choose from."""

import pytest

pytest.importorskip("click")

from scorio import _choices
from scorio._display import words
from scorio.cli import _pictures
from scorio.comparison import _comparison, _families, _gate_result, _question_limits
from scorio.inference import _prior
from scorio.io import _written_logs
from scorio.metrics import Metric
from scorio.planning import _design
from scorio.rank import _rules


def test_choices_are_the_keys_of_their_tables():
    assert set(_choices.TARGETS) == set(words.SUBJECT)
    assert _choices.TIES == (_choices.DIFFERENCE, *_rules.ADJACENT_TIES)
    assert _choices.RANKINGS == tuple(_rules.RANKINGS)
    assert _choices.RULES == tuple(_comparison.RULES)
    assert _choices.FAMILIES == tuple(_families.CORRECTIONS)
    assert _choices.QUESTION_RULES == tuple(_question_limits.RULES)
    assert _choices.GATE_MODES == tuple(_gate_result.MODES)
    assert _choices.PICTURES == tuple(_pictures.KINDS)
    assert _choices.PROFILES == tuple(_design._NAMED)
    assert _choices.WRITERS == tuple(_written_logs.WRITERS)
    assert _choices.LEARNED == _prior.LEARNED


def test_every_shape_is_that_of_an_interval():
    metric = Metric.from_string("pass@1")
    for shape in _choices.SHAPES:
        assert metric.interval([[0, 1]], prior="learned", shape=shape).shape == shape
