"""Excel workbooks: which sheet is read, what its cells say, and what is refused."""

import zipfile

import pytest

from helpers.command import run
from helpers.written import counts, refused, write_workbook, write_zip
from scorio import OutcomeError, read
from scorio.io import recognise

ROWS = [
    ["model", "question", "run", "correct"],
    ["a", "q1", 1, 1],
    ["a", "q1", 2, 0],
    ["a", "q2", 1, 1],
    ["b", "q1", 1, 0],
]
TRUTH = {"a": {"q1": [1, 1], "q2": [0, 1]}, "b": {"q1": [1, 0], "q2": [0, 0]}}


def test_a_sheet_is_a_table(tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"Results": ROWS})
    reading = recognise(path)
    assert counts(reading.outcomes) == TRUTH
    assert "excel, model 'a', 3 trials (form long" in str(reading)
    assert "sheet 'Results'" in str(reading)
    assert counts(read(tmp_path)) == counts(read(path, format="excel")) == TRUTH
    assert "read 1 file: excel" in run("score", path, "--too-few", "omit").stderr


def test_the_sheet_with_values_is_read_and_others_are_chosen(tmp_path):
    sheets = {"Notes": [], "R & D": ROWS}
    path = write_workbook(tmp_path / "m.xlsx", sheets)
    assert counts(read(path)) == TRUTH
    write_workbook(path, sheets | {"Old": [["question", "correct"], ["q1", 0]]})
    refused(path, r"several sheets with values, 'R & D', 'Old': table=\"R & D\" chooses the first")
    assert counts(read(path, table="R & D")) == TRUTH
    assert counts(read(path, table="Old")) == {"m": {"q1": [1, 0]}}
    refused(path, r"unknown sheet 'old'. Did you mean 'Old'\?", table="old")


def test_kinds_of_cells(tmp_path):
    rows = [["question", "correct"], ["q1", True], [" q2", False], ["a\nb", 0], [7, 1.0], ["007", "1"], ["empty", None]]
    path = write_workbook(tmp_path / "m.xlsx", {"S": [[], *rows]})
    expected = {"q1": [0, 1], " q2": [1, 0], "a\nb": [1, 0], "7": [0, 1], "007": [0, 1], "empty": [0, 0]}
    assert counts(read(path)) == {"m": expected}


@pytest.mark.parametrize(
    ("rows", "merged", "message"),
    [
        (ROWS, ["A1:B1"], "the cells A1:B1 are merged: only the first of them has a value"),
        (ROWS, ["B2:B3"], "the cells B2:B3 are merged"),
        ([*ROWS[:2], ["a", "q2", 1, "=SUM(A1)"]], [], "row 3: cell D3 holds a formula without its"),
        ([*ROWS[:2], ["a", "q2", 1, "#DIV/0!"]], [], "row 3: '#DIV/0!' is not an outcome"),
        ([], [], "the workbook holds no values"),
        ([["question", "correct", "correct"], ["q1", 1, 0]], [], "two columns are called 'correct'"),
        ([["question", "correct"], ["q1", 1], ["question", "correct"]], [], "row 3 repeats the header"),
        ([["question", "correct"], ["q1", 1], [None, None], [None, 1]], [], "row 4: the question is empty"),
    ],
)
def test_faults_of_sheets(rows, merged, message, tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"S": rows}, merged)
    with pytest.raises(OutcomeError) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row r='1'>", "the workbook cannot be read: "),
        ("xl/worksheets/sheet1.xml", b"<worksheet><x>", "the workbook cannot be read: "),
        ("xl/workbook.xml", b"<workbook/>", "the workbook"),
    ],
)
def test_damaged_workbooks(member, content, message, tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"S": ROWS})
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    write_zip(path, members | {member: content})
    refused(path, message)


def test_merged_cells_beside_the_table_do_not_matter(tmp_path):
    rows = [["question", "correct"], ["q1", 1]]
    refused(write_workbook(tmp_path / "m.xlsx", {"S": rows}, ["D1:E2", "A4:B4"]), "the cells A4:B4 are merged")
    assert counts(read(write_workbook(tmp_path / "m.xlsx", {"S": rows}, ["D1:E2"]))) == {"m": {"q1": [0, 1]}}
