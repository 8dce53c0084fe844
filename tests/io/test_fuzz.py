"""What random damage cannot show: that the files were valid before, and JSON too deep or too long to be true."""

import pytest

from helpers.damaged import damaged_file, placed, valid
from scorio import OutcomeError, read


@pytest.mark.parametrize("name", valid())
def test_they_are_valid_before(name, tmp_path):
    path = placed(tmp_path, name, valid()[name])
    assert read(path).n_questions >= 1


def test_depths_are_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(OutcomeError, match="not JSON|nested too deeply"):
        read(path)
    damaged_file(("deep.json", b'{"eval": {"model": "m", "scorers": ' + b"[" * 900 + b"]" * 900 + b'}, "samples": []}'))


def test_numbers_of_any_length(tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text('{"question": 1' + "0" * 5000 + ', "correct": 1}\n{"question": 2, "correct": 1}\n')
    with pytest.raises(OutcomeError, match="long.jsonl: line 1: a whole number has more than 4,300 digits"):
        read(path)
