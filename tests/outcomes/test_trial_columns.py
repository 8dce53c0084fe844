"""Trial columns of data frames: a trial is there once, whatever its name."""

import itertools

import pytest

from helpers.frames import maker, rows_of
from scorio import OutcomeError, OutcomeSet

COLUMNS = {"question": "task id", "outcome": "out.come", "model": "the.model", "trial": "try"}


@pytest.fixture(params=["pandas", "pandas-nullable", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb"])
def frame_of(request):
    return maker(request.param)


def one_question(trials):
    return rows_of({"m": {"q": [1] * len(trials)}}) | {"try": list(trials)}


@pytest.mark.slow
def test_every_triple_of_trials(frame_of):
    for trials in itertools.combinations_with_replacement([0, 1, 46, 47, 48, 96, 2**40, 2**40 + 1], 3):
        frame = frame_of(one_question(trials))
        if len(set(trials)) == 3:
            assert OutcomeSet.from_frame(frame, **COLUMNS)["m"].trials.tolist() == [3]
        else:
            with pytest.raises(OutcomeError, match="of question 'q', model 'm' is (there twice|empty)"):
                OutcomeSet.from_frame(frame, **COLUMNS)


@pytest.mark.parametrize(
    "names", [[-1, 0, 1], [-49, -48, 48], [0.5, 1.5, -0.5], ["0", "00", "a"], [True, False], [2**62, 2**62 + 1, 0]]
)
def test_other_names(frame_of, names):
    assert OutcomeSet.from_frame(frame_of(one_question(names)), **COLUMNS)["m"].trials.tolist() == [len(names)]
    for twice in names:
        with pytest.raises(OutcomeError, match="is there twice"):
            OutcomeSet.from_frame(frame_of(one_question([*names, twice])), **COLUMNS)


def test_many_copies_that_carry(frame_of):
    """Copies whose sum has as many bits as a group of other trials."""
    for trials in ([0, 0, 1, 1], [0] * 48, [47] * 64, [5] * 3 + [6] * 2, [0] * 3 + [1] * 4 + [47]):
        with pytest.raises(OutcomeError, match="is there twice"):
            OutcomeSet.from_frame(frame_of(one_question(trials)), **COLUMNS)
