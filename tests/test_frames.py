"""Data frames: one test body for every engine, then what goes wrong, on the engines at hand."""

import math

import pytest

from frames import ENGINES, PLAIN, engine, rows_of
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet

NAMES = {"question": "task id", "outcome": "out.come", "model": "the.model"}
BINARY = {
    "b": {"001": [True, False, True], "01": [True], "1": [False, False], "NA": [True, True]},
    "a": {"001": [False], "01": [True, True, False], "1": [False, True], "NA": [True]},
}
GROUPS = {"001": "x", "01": "y", "1": "x", "NA": "null"}


@pytest.fixture(scope="module", params=ENGINES)
def frame_of(request):
    with engine(*request.param) as make:
        yield make


@pytest.fixture(params=sorted(PLAIN))
def plain_frame_of(request):
    needs, make = PLAIN[request.param]
    for module in ("narwhals", "pyarrow", needs):
        pytest.importorskip(module)
    return make


def counts(found):
    return {name: found[name].counts.tolist() for name in found}


def test_binary_outcomes(frame_of):
    frame = frame_of(rows_of(BINARY, group=GROUPS))
    found = OutcomeSet.from_frame(frame, **NAMES, trial="try", cluster="group")
    assert found.names == ("a", "b")
    assert found.questions == ("001", "01", "1", "NA")
    assert found.clusters == ("x", "y", "x", "null")
    assert counts(found) == {"a": [[1, 0], [1, 2], [1, 1], [0, 1]], "b": [[1, 2], [0, 1], [2, 0], [0, 2]]}
    assert found["a"].levels is None
    assert found["b"] == OutcomeMatrix(
        [[1, 0, 1], [1], [0, 0], [1, 1]], questions=["001", "01", "1", "NA"], clusters=["x", "y", "x", "null"]
    )


def test_missing_outcomes(frame_of):
    frame = frame_of(
        rows_of({"a": {"q": [True, None, False, None], "r": [True, False]}, "b": {"q": [True], "r": [None]}})
    )
    with pytest.raises(OutcomeError, match="'a', question 'q': a trial without an outcome"):
        OutcomeSet.from_frame(frame, **NAMES)
    omitted = OutcomeSet.from_frame(frame, **NAMES, missing="omit")
    assert counts(omitted) == {"a": [[1, 1], [1, 1]], "b": [[0, 1], [0, 0]]}
    assert [omitted[name].planned_trials.tolist() for name in omitted] == [[4, 2], [1, 1]]
    failed = OutcomeSet.from_frame(frame, **NAMES, missing="fail")
    assert counts(failed) == {"a": [[3, 1], [1, 1]], "b": [[0, 1], [1, 0]]}
    assert failed["a"].coverage == 1.0


def test_rewards(frame_of):
    table = {"a": {7: [0.1, 0.7, -0.0], 8: [0.1, 0.0, math.nan]}, "b": {7: [1.0, 1.0, 1.0], 8: [0.7, 0.3, 0.3]}}
    found = OutcomeSet.from_frame(frame_of(rows_of(table)), **NAMES, missing="omit")
    assert found["a"].levels == found["b"].levels == (0.0, 0.1, 0.3, 0.7, 1.0)
    assert counts(found) == {"a": [[1, 1, 0, 1, 0], [1, 1, 0, 0, 0]], "b": [[0, 0, 0, 0, 3], [0, 0, 2, 1, 0]]}
    assert found.questions == (7, 8)
    assert {type(question) for question in found.questions} == {int}


def test_letters(frame_of):
    frame = frame_of(rows_of({"a": {"q": ["C", "P", "I", "N", None], "r": ["C", "C", "C", "C", "C"]}}))
    levels = {"C": 1, "P": 0.5, "I": 0, "N": 0}
    found = OutcomeMatrix.from_frame(frame, question="task id", outcome="out.come", levels=levels, missing="omit")
    assert (found.counts.tolist(), found.levels) == ([[2, 1, 1], [0, 0, 5]], (0.0, 0.5, 1.0))
    with pytest.raises(OutcomeError, match=r"'out.come' has the outcome '[CPIN]', which is no number"):
        OutcomeMatrix.from_frame(frame, question="task id", outcome="out.come", missing="omit")


def test_whole_numbers(frame_of):
    found = OutcomeSet.from_frame(frame_of(rows_of({1: {3: [1, 0, 1]}, 20: {3: [2, 0]}})), **NAMES)
    assert found.names == ("1", "20")
    assert (counts(found), found["1"].levels) == ({"1": [[1, 2, 0]], "20": [[1, 0, 1]]}, (0.0, 1.0, 2.0))


def test_trials_are_single(frame_of):
    rows = rows_of({"a": {"q": [1, 0], "r": [1, 0]}, "b": {"q": [1, 1], "r": [0, 0]}})
    OutcomeSet.from_frame(frame_of(rows), **NAMES, trial="try")
    rows["try"][5] = 0
    with pytest.raises(OutcomeError, match="'try' is null, or the same twice, for question 'q' of model 'b'"):
        OutcomeSet.from_frame(frame_of(rows), **NAMES, trial="try")
    rows["try"][5] = None
    with pytest.raises(OutcomeError, match="'try' is null, or the same twice, for question 'q' of model 'b'"):
        OutcomeSet.from_frame(frame_of(rows), **NAMES, trial="try")
    assert OutcomeSet.from_frame(frame_of(rows), **NAMES)["b"].successes.tolist() == [2, 0]


def test_null_labels_are_refused(frame_of):
    for column, option in (("task id", {}), ("the.model", {}), ("group", {"cluster": "group"})):
        rows = rows_of(BINARY, group=GROUPS)
        rows[column][3] = None
        with pytest.raises(OutcomeError, match=f"column '{column}' is null"):
            OutcomeSet.from_frame(frame_of(rows), **NAMES, **option)


def test_columns_are_found_by_their_exact_names(frame_of):
    frame = frame_of(rows_of(BINARY))
    with pytest.raises(OutcomeError, match=r"there is no column 'task'; the columns are 'the.model', 'task id', 'try'"):
        OutcomeSet.from_frame(frame, question="task", outcome="out.come")


def test_no_rows(frame_of):
    pyarrow = pytest.importorskip("pyarrow")
    kinds = zip(NAMES.values(), ("string", "int8", "string"), strict=True)
    empty = {column: pyarrow.array([], kind) for column, kind in kinds}
    with pytest.raises(OutcomeError, match="the data frame has no rows"):
        OutcomeSet.from_frame(frame_of(empty), **NAMES)


def test_one_row_and_one_column_in_two_roles(frame_of):
    frame = frame_of({"the.model": ["m"], "task id": ["q"], "out.come": [1]})
    found = OutcomeSet.from_frame(frame, **NAMES, cluster="task id")
    assert (counts(found), found.clusters) == ({"m": [[0, 1]]}, ("q",))
