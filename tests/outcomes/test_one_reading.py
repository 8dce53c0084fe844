"""The same outcomes by every entry: arrays, lists, rewards, frames, tables, logs and plug-ins read them alike."""

import math

import numpy as np
import pytest

from helpers.frames import maker
from helpers.written import (
    inspect_eval,
    inspect_header,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    write_json,
    write_rows,
    write_table,
)
from scorio import BayesMetric, OutcomeError, OutcomeMatrix, OutcomeSet, read
from scorio.integrations._measure import Measure

NAN = math.nan
CASES = {  # trials of two questions; the levels, then the counts, where a missing trial is left out and where it fails
    "letters": ([["C", "I", "C"], ["N", "N", "C"]], None, [[1, 2], [2, 1]]),
    "partial": ([["C", "P", "I"], ["P", "N", "C"]], (0.0, 0.5, 1.0), [[1, 1, 1], [1, 1, 1]]),
    "half": ([["P", "P", "P"], ["P", "P", "P"]], (0.0, 0.5), [[0, 3], [0, 3]]),
    "words": ([["pass", "Failed", "PASSED"], ["correct", "incorrect", "fail"]], None, [[1, 2], [2, 1]]),
    "answers": ([["yes", "no", "yes"], ["No", "no", "no"]], None, [[1, 2], [3, 0]]),
    "truths": ([[True, False, True], [False, False, False]], None, [[1, 2], [3, 0]]),
    "numbers": ([[1, 0, 1], [0, 0, 0]], None, [[1, 2], [3, 0]]),
    "ones": ([[1, 1, 1], [1, 1, 1]], None, [[0, 3], [0, 3]]),
    "zeros": ([[0.0, -0.0, 0.0], [0.0, 0.0, 0.0]], None, [[3, 0], [3, 0]]),
    "rewards": ([[0.25, 0.75, 1.0], [0.25, 0.25, 0.5]], (0.25, 0.5, 0.75, 1.0), [[1, 0, 1, 1], [2, 1, 0, 0]]),
    "lone reward": ([[2.5, 2.5, 2.5], [2.5, 2.5, 2.5]], (0.0, 2.5), [[0, 3], [0, 3]]),
    "lone negative": ([[-2.0, -2.0, -2.0], [-2.0, -2.0, -2.0]], (-2.0, 0.0), [[3, 0], [3, 0]]),
}
MISSING = {  # the rows; levels and counts under "omit"; levels and counts under "fail"
    "letters": ([["C", None, "I"], [None, "C", "C"]], (None, [[1, 1], [0, 2]]), (None, [[2, 1], [1, 2]])),
    "truths": ([[True, None, False], [None, None, True]], (None, [[1, 1], [0, 1]]), (None, [[2, 1], [2, 1]])),
    "numbers": ([[1.0, NAN, 0.0], [1.0, 1.0, NAN]], (None, [[1, 1], [0, 2]]), (None, [[2, 1], [1, 2]])),
    "a question": ([[1.0, 0.0, 1.0], [NAN, NAN, NAN]], (None, [[1, 2], [0, 0]]), (None, [[1, 2], [3, 0]])),
    "rewards": (
        [[0.5, NAN, 1.0], [NAN, 0.5, 0.5]],
        ((0.5, 1.0), [[1, 1], [2, 0]]),
        ((0.0, 0.5, 1.0), [[1, 1, 1], [1, 2, 0]]),
    ),
    "penalties": (
        [[-0.5, NAN, 1.0], [NAN, 1.0, 1.0]],
        ((-0.5, 1.0), [[1, 1], [0, 2]]),
        ((-0.5, 1.0), [[2, 1], [1, 2]]),
    ),
}
QUESTIONS = ["q1", "q2"]


def is_gap(value):
    return value is None or value != value


def as_masked(rows, missing, _folder):
    gaps = [[is_gap(value) for value in row] for row in rows]
    filled = [["C" if is_gap(value) else value for value in row] for row in rows]
    return OutcomeMatrix.from_rewards(np.ma.array(np.array(filled, dtype=object), mask=gaps), missing=missing)


def frame_of(library):
    def as_frame(rows, missing, _folder):
        columns = {
            "question": [label for label, row in zip(QUESTIONS, rows, strict=True) for _ in row],
            "outcome": [value for row in rows for value in row],
        }
        return OutcomeMatrix.from_frame(
            maker(library)(columns), question="question", outcome="outcome", missing=missing
        )

    return as_frame


def records(rows):
    for label, row in zip(QUESTIONS, rows, strict=True):
        for trial, value in enumerate(row):
            yield {"question": label, "trial": trial, "outcome": None if is_gap(value) else value}


def as_csv(rows, missing, folder):
    texts = ["" if record["outcome"] is None else str(record["outcome"]) for record in records(rows)]
    cells = [(record["question"], record["trial"], text) for record, text in zip(records(rows), texts, strict=True)]
    return read(write_table(folder / "m.csv", ["question", "trial", "outcome"], cells), missing=missing)["m"]


def as_wide_csv(rows, missing, folder):
    cells = [["NA" if is_gap(value) else str(value) for value in row] for row in rows]
    lines = [[label, *row] for label, row in zip(QUESTIONS, cells, strict=True)]
    path = write_table(folder / "m.csv", ["question", "trial_1", "trial_2", "trial_3"], lines)
    return read(path, missing=missing)["m"]


def as_file(kind):
    return lambda rows, missing, folder: read(write_rows(folder / f"m.{kind}", records(rows)), missing=missing)["m"]


def samples(rows):
    for record in records(rows):
        yield inspect_sample(record["question"], record["trial"] + 1, record["outcome"])


def as_inspect_archive(rows, missing, folder):
    path = inspect_eval(folder / "a.eval", list(samples(rows)), inspect_header(epochs=3))
    return read(path, missing=missing)["lab/one"]


def as_inspect_document(rows, missing, folder):
    log = inspect_header(epochs=3) | {"samples": list(samples(rows))}
    return read(write_json(folder / "a.json", log), missing=missing)["lab/one"]


def as_lm_eval(rows, missing, folder):
    written = [
        lm_eval_row(i, [None if is_gap(value) else value for value in row], resps=[["x"] * len(row)])
        for i, row in enumerate(rows)
    ]
    return read(lm_eval_file(folder / "m", written), missing=missing)["m"]


FRAMES = {library: frame_of(library) for library in ("pandas", "pandas-nullable", "polars", "pyarrow")}
ENTRIES = {
    "list": lambda rows, missing, _: OutcomeMatrix(rows, missing=missing),
    "object array": lambda rows, missing, _: OutcomeMatrix(np.array(rows, dtype=object), missing=missing),
    "rows": lambda rows, missing, _: OutcomeMatrix([np.array(row, dtype=object) for row in rows], missing=missing),
    "set": lambda rows, missing, _: OutcomeSet({"a": rows}, missing=missing)["a"],
    "from_rewards": lambda rows, missing, _: OutcomeMatrix.from_rewards(rows, missing=missing),
    "masked array": as_masked,
    **FRAMES,
    "CSV": as_csv,
    "wide CSV": as_wide_csv,
    "JSON lines": as_file("jsonl"),
    "Parquet": as_file("parquet"),
    "Inspect archive": as_inspect_archive,
    "Inspect document": as_inspect_document,
    "lm-eval": as_lm_eval,
}
CATEGORIES_ONLY = {"list", "object array", "rows", "set"}  # which take numbers as categories, so that 0.5 is refused


def check(entry, rows, policy, levels, counts, folder):
    numbers = {value for row in rows for value in row if isinstance(value, float) and not is_gap(value)}
    if entry in CATEGORIES_ONLY and numbers - {0.0, 1.0}:
        with pytest.raises(OutcomeError, match="outcomes must be whole numbers|outcomes start at 0"):
            ENTRIES[entry](rows, policy, folder)
        return
    found = ENTRIES[entry](rows, policy, folder)
    assert (found.levels, found.counts.tolist(), found.planned_trials.tolist()) == (levels, counts, [3, 3])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("entry", ENTRIES)
def test_complete_outcomes(entry, case, tmp_path):
    for policy in ("raise", "omit", "fail"):
        check(entry, CASES[case][0], policy, *CASES[case][1:], tmp_path)


@pytest.mark.parametrize("case", MISSING)
@pytest.mark.parametrize("entry", ENTRIES)
def test_missing_outcomes(entry, case, tmp_path):
    rows, omitted, failed = MISSING[case]
    check(entry, rows, "omit", *omitted, tmp_path)
    if entry != "masked array":
        check(entry, rows, "fail", *failed, tmp_path)
        with pytest.raises(OutcomeError, match="outcome"):
            ENTRIES[entry](rows, "raise", tmp_path)


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry != "masked array"])
def test_a_model_without_any_outcome(entry, tmp_path):
    rows = [[NAN, NAN, NAN], [NAN, NAN, NAN]]
    if entry == "polars" or entry not in FRAMES:
        check(entry, rows, "fail", None, [[3, 0], [3, 0]], tmp_path)
    with pytest.raises(OutcomeError, match="no trial|no outcome|every one is missing"):
        ENTRIES[entry](rows, "omit", tmp_path)


@pytest.mark.parametrize("entry", ENTRIES)
def test_unknown_words(entry, tmp_path):
    with pytest.raises(OutcomeError, match="'perhaps' is not an outcome"):
        ENTRIES[entry]([["C", "perhaps", "C"], ["C", "C", "C"]], "omit", tmp_path)


LOGS = {"Inspect archive", "Inspect document", "lm-eval"}


COLUMNS = ["list", "from_rewards", "polars", "pyarrow", "CSV", "wide CSV", "JSON lines", "Parquet"]


@pytest.mark.parametrize("entry", COLUMNS)
def test_words_and_numbers_do_not_mix_in_a_column(entry, tmp_path):
    rows = [["C", "0.25", "C"], ["C", "C", "C"]]
    with pytest.raises(OutcomeError, match="words and numbers at once|a number written as text"):
        ENTRIES[entry](rows, "omit", tmp_path)


@pytest.mark.parametrize("entry", sorted(LOGS))
def test_logs_are_read_value_by_value(entry, tmp_path):
    check(entry, [["C", 0.5, "N"], [True, "0.5", 0]], "raise", (0.0, 0.5, 1.0), [[1, 1, 1], [1, 1, 1]], tmp_path)


@pytest.mark.parametrize("case", [*CASES, *MISSING])
def test_plug_ins_measure_what_is_read(case):
    rows, levels, counts = CASES[case] if case in CASES else (MISSING[case][0], *MISSING[case][1])
    expected = OutcomeMatrix.from_counts(counts, planned=3, levels=levels)
    value = BayesMetric().score(expected, too_few="nan")
    _, *interval = BayesMetric().interval(expected)
    numbers = [value, *interval, expected.completeness]
    measure = Measure(BayesMetric()).of(dict(zip(QUESTIONS, rows, strict=True)))
    assert list(measure.values()) == pytest.approx(numbers, nan_ok=True)


def test_levels_come_first_by_value_or_as_text(tmp_path):
    rows = [["good", "C", "bad"], ["good", "good", "I"]]
    levels = {"good": 0.75, "bad": 0.0, "C": 1.0, "I": 0.25}
    polars = pytest.importorskip("polars")
    pytest.importorskip("narwhals")
    frame = polars.DataFrame(list(records(rows)))
    found = [
        OutcomeMatrix.from_frame(frame, question="question", outcome="outcome", levels=levels),
        read(write_rows(tmp_path / "m.jsonl", records(rows)), levels=levels)["m"],
        read(inspect_eval(tmp_path / "a.eval", list(samples(rows)), inspect_header()), levels=levels)["lab/one"],
    ]
    for matrix in found:
        assert (matrix.levels, matrix.counts.tolist()) == ((0.0, 0.25, 0.75, 1.0), [[1, 0, 1, 1], [0, 1, 2, 0]])


def test_json_keeps_its_truth_values(tmp_path):
    mixed = [{"question": "q", "outcome": value} for value in (True, 1, 0, False)]
    assert read(write_json(tmp_path / "m.json", mixed))["m"].counts.tolist() == [[2, 2]]
