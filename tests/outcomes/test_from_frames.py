"""Data frames: one test body for every engine, then what goes wrong, on the engines at hand."""

import datetime as dt
import decimal
import math
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from helpers.frames import ENGINES, PLAIN, engine, maker, rows_of
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, read
from scorio._base.exports import csv_text
from scorio.errors import TrialsWarning

NAMES = {"question": "task id", "outcome": "out.come", "model": "the.model"}
TRIALS = NAMES | {"trial": "try"}
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
    return maker(request.param)


def _pandas(rows):
    return maker("pandas")(rows)


def counts(found):
    return {name: found[name].counts.tolist() for name in found}


def test_binary_outcomes(frame_of):
    frame = frame_of(rows_of(BINARY, group=GROUPS))
    found = OutcomeSet.from_frame(frame, **TRIALS, cluster="group")
    assert found.models == ("a", "b")
    assert found.questions == ("001", "01", "1", "NA")
    assert found.clusters == ("x", "y", "x", "null")
    assert counts(found) == {"a": [[1, 0], [1, 2], [1, 1], [0, 1]], "b": [[1, 2], [0, 1], [2, 0], [0, 2]]}
    assert found["a"].levels is None
    assert found["b"] == OutcomeMatrix(
        [[1, 0, 1], [1], [0, 0], [1, 1]], questions=["001", "01", "1", "NA"], clusters=["x", "y", "x", "null"]
    )


def test_costs_are_read_as_from_files(frame_of, tmp_path):
    rows = rows_of(BINARY)
    count = len(rows["task id"])
    rows |= {"usd": [0.5 * (i % 3) for i in range(count)], "tokens": [None, *range(1, count)]}  # some tell no tokens
    path = tmp_path / "rows.csv"
    names = {"task id": "question", "out.come": "passed", "the.model": "model"}
    path.write_text(
        csv_text(
            [
                {names.get(name, name): value for name, value in zip(rows, row, strict=True)}
                for row in zip(*rows.values(), strict=True)
            ]
        )
    )
    found, expected = OutcomeSet.from_frame(frame_of(rows), **NAMES).costs, read(path).costs
    for model, costs in expected.items():
        assert found[model].keys() == costs.keys()
        for name, cost in costs.items():
            assert found[model][name] == pytest.approx(cost, rel=1e-12)
            for part in ("trials", "successes"):
                one, other = (getattr(each, part) for each in (found[model][name], cost))
                other = other.in_order_of(one.questions, one.n_questions, name)
                np.testing.assert_allclose([one.means, one.variances], [other.means, other.variances], atol=1e-12)


def test_missing_outcomes(frame_of):
    frame = frame_of(
        rows_of({"a": {"q": [True, None, False, None], "r": [True, False]}, "b": {"q": [True], "r": [None]}})
    )
    with pytest.raises(OutcomeError, match="2 trials of question 'q' of 'a' have no outcome"):
        OutcomeSet.from_frame(frame, **NAMES)
    omitted = OutcomeSet.from_frame(frame, **NAMES, missing="omit")
    assert counts(omitted) == {"a": [[1, 1], [1, 1]], "b": [[0, 1], [0, 0]]}
    assert [omitted[name].planned_trials.tolist() for name in omitted] == [[4, 2], [1, 1]]
    failed = OutcomeSet.from_frame(frame, **NAMES, missing="fail")
    assert counts(failed) == {"a": [[3, 1], [1, 1]], "b": [[0, 1], [1, 0]]}
    assert failed["a"].completeness == 1.0


def test_trials_are_single(frame_of):
    rows = rows_of({"a": {"q": [1, 0], "r": [1, 0]}, "b": {"q": [1, 1], "r": [0, 0]}})
    OutcomeSet.from_frame(frame_of(rows), **TRIALS)
    rows["try"][5] = 0
    with pytest.raises(OutcomeError, match="of question 'q', model 'b' is (there twice|empty)"):
        OutcomeSet.from_frame(frame_of(rows), **TRIALS)
    rows["try"][5] = None
    with pytest.raises(OutcomeError, match="of question 'q', model 'b' is (there twice|empty)"):
        OutcomeSet.from_frame(frame_of(rows), **TRIALS)
    assert OutcomeSet.from_frame(frame_of(rows), **NAMES)["b"].successes.tolist() == [2, 0]


def test_null_labels_are_refused(frame_of):
    for column, option in (("task id", {}), ("the.model", {}), ("group", {"cluster": "group"})):
        rows = rows_of(BINARY, group=GROUPS)
        rows[column][3] = None
        with pytest.raises(OutcomeError, match=f"column '{column}': the .* is empty"):
            OutcomeSet.from_frame(frame_of(rows), **NAMES, **option)


def test_one_row_and_one_column_in_two_roles(frame_of):
    frame = frame_of({"the.model": ["m"], "task id": ["q"], "out.come": [1]})
    found = OutcomeSet.from_frame(frame, **NAMES, cluster="task id")
    assert (counts(found), found.clusters) == ({"m": [[0, 1]]}, ("q",))


def test_values_that_mean_the_same_are_one_level():
    frame = _pandas({"q": ["a"] * 8, "o": [True, 1, 1.0, "1", "true", decimal.Decimal(1), "0.0", False]})
    found = OutcomeMatrix.from_frame(frame, question="q", outcome="o")
    assert (found.counts.tolist(), found.levels) == ([[2, 6]], None)
    given_by_value = OutcomeMatrix.from_frame(frame, question="q", outcome="o", levels={True: 0.5, False: 0.25})
    assert given_by_value.levels == (0.0, 0.25, 0.5, 1.0)


def test_a_narwhals_frame_is_as_good_as_its_own(plain_frame_of):
    frame = plain_frame_of(rows_of(BINARY))
    narwhals = pytest.importorskip("narwhals").from_native(frame)
    assert OutcomeSet.from_frame(narwhals, **NAMES) == OutcomeSet.from_frame(frame, **NAMES)


def test_labels_may_be_dates(plain_frame_of):
    days = [dt.date(2026, 11, 21), dt.date(2026, 1, 2)]
    found = OutcomeSet.from_frame(plain_frame_of(rows_of({"a": {day: [1, 0] for day in days}})), **NAMES)
    assert [str(label)[:10] for label in found.questions] == ["2026-01-02", "2026-11-21"]


def test_labels_of_several_kinds_have_an_order_all_the_same():
    frame = _pandas({"q": ["x", 2, "a", 1], "o": [1, 1, 0, 0]})
    assert OutcomeMatrix.from_frame(frame, question="q", outcome="o").questions == (1, 2, "a", "x")


def test_models_and_questions_without_outcomes():
    frame = _pandas(rows_of({"a": {"q": [1, 1]}, "b": {"q": [None]}}))
    with pytest.warns(TrialsWarning, match="model 'b' is left out: none of 1 trial has an outcome"):
        assert list(OutcomeSet.from_frame(frame, **NAMES, missing="omit")) == ["a"]
    with pytest.raises(OutcomeError, match="no trial of 'b' has an outcome: missing=\"omit\" leaves the model out"):
        OutcomeSet.from_frame(frame, **NAMES)
    with pytest.raises(OutcomeError, match="no trial of 'a' has an outcome"):
        OutcomeSet.from_frame(_pandas(rows_of({"a": {"q": [None]}})), **NAMES, missing="omit")


def test_a_question_in_two_clusters():
    rows = rows_of(BINARY, group=GROUPS)
    rows["group"][0] = "z"
    with pytest.raises(OutcomeError, match="column 'group': question '001' is in two clusters, '[xz]' and '[xz]'"):
        OutcomeSet.from_frame(_pandas(rows), **NAMES, cluster="group")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        *((value, "an outcome is infinite") for value in (math.inf, "inf", 10**400)),
        ("C", r"outcomes are words and numbers at once, 'C' and 1: .*levels="),
        ("maybe", r"'maybe' is not an outcome: levels=\{.maybe.: .\.\.\..\} gives"),
        *((value, "an outcome must be a number, a truth value or a word") for value in (dt.date(2026, 1, 1), b"x", 1j)),
    ],
)
def test_what_is_no_outcome_is_named(bad, message):
    frame = _pandas({"q": ["a", "a"], "o": np.array([bad, 1], dtype=object)})
    with pytest.raises(OutcomeError, match=f"column 'o': {message}"):
        OutcomeMatrix.from_frame(frame, question="q", outcome="o")


def test_what_is_not_installed_is_named(monkeypatch):
    frame = _pandas({"q": ["a"], "o": [1]})
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match="pip install narwhals"):
        OutcomeMatrix.from_frame(frame, question="q", outcome="o")


def test_a_lazy_engine_without_pyarrow(monkeypatch):
    relation = maker("duckdb")({"q": ["a"], "o": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        OutcomeMatrix.from_frame(relation, question="q", outcome="o")


TABLES = st.dictionaries(
    st.sampled_from(["a", "b", "model with a long name " * 5]),
    st.fixed_dictionaries(
        {question: st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=6) for question in "xyz"}
    ),
    min_size=1,
)


@pytest.mark.parametrize("library", ["pandas", "polars-lazy", "pyarrow", "duckdb"])
@given(table=TABLES)
@settings(max_examples=15, deadline=None)
def test_counts_are_those_of_plain_counting(library, table):
    found = OutcomeSet.from_frame(maker(library)(rows_of(table)), **NAMES)
    levels = found[next(iter(found))].levels or (0, 1)
    for name, matrix in found.items():
        expected = [[Counter(table[name][question])[value] for value in levels] for question in "xyz"]
        assert matrix.counts.tolist() == expected


def test_a_frame_without_models_is_refused_without_a_name(frame_of):
    frame = frame_of(rows_of({"a": {"q": [True, True], "r": [None, True]}}))
    with pytest.raises(OutcomeError, match="^1 trial of question 'r' has no outcome: missing="):
        OutcomeMatrix.from_frame(frame, question=NAMES["question"], outcome=NAMES["outcome"])


def one_question(trials):
    return rows_of({"m": {"q": [1] * len(trials)}}) | {"try": list(trials)}


@pytest.mark.parametrize(
    "names", [[-1, 0, 1], [-49, -48, 48], [0.5, 1.5, -0.5], ["0", "00", "a"], [True, False], [2**62, 2**62 + 1, 0]]
)
def test_other_names(plain_frame_of, names):
    assert OutcomeSet.from_frame(plain_frame_of(one_question(names)), **TRIALS)["m"].trials.tolist() == [len(names)]
    for twice in names:
        with pytest.raises(OutcomeError, match="is there twice"):
            OutcomeSet.from_frame(plain_frame_of(one_question([*names, twice])), **TRIALS)
