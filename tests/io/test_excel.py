"""Excel workbooks, written here as the format has them, and by openpyxl if it is there."""

import pytest

from helpers.command import run
from helpers.written import counts, sheet_xml, write_workbook
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
    path = write_workbook(tmp_path / "m.xlsx", {"Results": sheet_xml(ROWS)})
    reading = recognise(path)
    assert counts(reading.outcomes) == TRUTH
    assert "excel, model 'a', 3 trials (form long" in str(reading)
    assert "sheet 'Results'" in str(reading)
    assert counts(read(tmp_path)) == counts(read(path, format="excel")) == TRUTH
    assert "read 1 file: excel" in run("score", path, "--too-few", "omit").stderr


@pytest.mark.parametrize("target", ["worksheets/sheet{}.xml", "/xl/worksheets/sheet{}.xml"])
def test_the_sheet_with_values_is_read_and_others_are_chosen(target, tmp_path):
    other = [["question", "correct"], ["q1", 0]]
    sheets = {"Notes": sheet_xml([]), "R & D": sheet_xml(ROWS)}
    path = write_workbook(tmp_path / "m.xlsx", sheets, target=target)
    assert counts(read(path)) == TRUTH
    write_workbook(path, sheets | {"Old": sheet_xml(other)}, target=target)
    with pytest.raises(
        OutcomeError, match=r"several sheets with values, 'R & D', 'Old': table=\"R & D\" chooses the first"
    ):
        read(path)
    assert counts(read(path, table="R & D")) == TRUTH
    assert counts(read(path, table="Old")) == {"m": {"q1": [1, 0]}}
    with pytest.raises(OutcomeError, match=r"unknown sheet 'old'. Did you mean 'Old'\?"):
        read(path, table="old")


def test_kinds_of_cells(tmp_path):
    strings = ["<t>q1</t>", "<r><t>q</t></r><r><t>2</t></r><rPh><t>kyu</t></rPh>", "<t>a_x000A_b</t>", "<t>correct</t>"]
    rows = [
        ["question", ("s", "<v>3</v>")],
        [("s", "<v>0</v>"), True],
        [("s", "<v>1</v>"), False],
        [("s", "<v>2</v>"), ("n", "<f>1+0</f><v>1</v>")],
        [("str", "<f>A1</f><v>q4</v>"), ("n", "<v>0</v>")],
        [7, ("n", "<v>1.0</v>")],
        ["empty", None],
    ]
    path = write_workbook(tmp_path / "m.xlsx", {"S": sheet_xml(rows)}, strings)
    expected = {"q1": [0, 1], "q2": [1, 0], "a\nb": [0, 1], "q4": [1, 0], "7": [0, 1], "empty": [0, 0]}
    assert counts(read(path)) == {"m": expected}


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        (sheet_xml(ROWS, ["A1:B1"]), "the cells A1:B1 are merged: only the first of them has a value"),
        (sheet_xml(ROWS, ["B2:B3"]), "the cells B2:B3 are merged"),
        (sheet_xml([*ROWS[:2], ["a", "q2", 1, ("n", "<f>SUM(A1)</f>")]]), "row 3: cell D3 holds a formula without its"),
        (sheet_xml([*ROWS[:2], ["a", "q2", 1, ("e", "<v>#DIV/0!</v>")]]), "row 3: '#DIV/0!' is not an outcome"),
        (sheet_xml([["model", ("s", "<v>9</v>")]]), "sheet 'S': cell B1: there is no shared text 9"),
        (sheet_xml([]), "the workbook holds no values"),
        ("<worksheet><sheetData><row r='1'>", "sheet 'S': line 1 is not valid XML"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet/>", "sheet 'S': it declares a document type"),
        ('<worksheet><sheetData><row><c r="1A"><v>1</v></c></row></sheetData></worksheet>', "'1A' is no cell"),
        (sheet_xml([["question", "correct", "correct"], ["q1", 1, 0]]), "two columns are called 'correct'"),
        (sheet_xml([["question", "correct"], ["q1", 1], ["question", "correct"]]), "row 3 repeats the header"),
    ],
)
def test_faults_of_sheets(sheet, message, tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"S": sheet})
    with pytest.raises(OutcomeError) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_merged_cells_beside_the_table_do_not_matter(tmp_path):
    sheet = sheet_xml([["question", "correct"], ["q1", 1]], ["D1:E2", "A4:B4"])
    with pytest.raises(OutcomeError, match="the cells A4:B4 are merged"):
        read(write_workbook(tmp_path / "m.xlsx", {"S": sheet}))
    sheet = sheet_xml([["question", "correct"], ["q1", 1]], ["D1:E2"])
    assert counts(read(write_workbook(tmp_path / "m.xlsx", {"S": sheet}))) == {"m": {"q1": [0, 1]}}


def test_workbooks_of_openpyxl(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("Empty")
    book.save(tmp_path / "m.xlsx")
    assert counts(read(tmp_path / "m.xlsx")) == TRUTH
    book.active["D2"] = "=1+0"
    book.active.merge_cells("A4:A5")
    book.save(tmp_path / "n.xlsx")
    with pytest.raises(OutcomeError, match="the cells A4:A5 are merged"):
        read(tmp_path / "n.xlsx")
