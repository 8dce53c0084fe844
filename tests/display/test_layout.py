"""Tables on narrow screens: nothing is lost, no number is broken, and no line is too long."""

import re

import pytest

from scorio._display.layout import laid_out
from scorio._display.table import Column, Table, width

HEADS = [Column("rank", True), Column("model"), Column("score", True), Column("95% interval"), Column("why")]
CELLS = [
    [
        "1",
        "aurora-70b",
        "0.629",
        "[0.580, 0.676]",
        "answers differ much, and more questions would help",
    ],
    ["2", "通义千问-72b", "0.600", "[0.547, 0.650]", ""],
]
TABLE = Table("pass@1 of 2 models on 40 questions", HEADS, CELLS, ["95% intervals for these questions"])


@pytest.mark.parametrize("most", range(36, 140))
def test_every_cell_is_shown_and_no_line_is_too_long(most):
    lines = [line.text for line in laid_out(TABLE, most)]
    assert max(map(width, lines)) <= most
    words = re.findall(r"\S+", " ".join(lines))
    for cell in (cell for row in [[column.head for column in HEADS], *CELLS] for cell in row):
        for word in cell.split():
            assert word in words
    assert {"0.629", "[0.580, 0.676]"} <= set(re.split(r"\s{2,}", "  ".join(lines)))  # numbers and intervals are whole


def test_a_table_that_fits_is_written_as_anywhere_else():
    assert "\n".join(line.text for line in laid_out(TABLE, 140)) == TABLE.text()


def test_every_block_begins_with_the_names_of_the_rows():
    blocks = "\n".join(line.text for line in laid_out(TABLE, 40) if line.part in ("head", "row")).split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        head, first, *_ = block.splitlines()
        assert head.split()[:2] == ["rank", "model"]
        assert first.split()[:2] == ["1", "aurora-70b"]


def test_names_longer_than_the_screen_are_broken():
    table = Table("", [Column("model"), Column("score", True)], [["x" * 100, "0.5"]])
    lines = [line.text for line in laid_out(table, 30)]
    assert max(map(width, lines)) <= 30
    assert "".join(lines).count("x") == 100


def test_a_table_without_rows_is_its_title_and_notes():
    table = Table("nothing", HEADS, [], ["a note of some words"])
    assert [line.text for line in laid_out(table, 12)] == ["nothing", "a note of", "some words"]
