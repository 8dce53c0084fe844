"""Tables on narrow screens: nothing is lost, no number is broken, and no line is too long."""

import re

import pytest

from scorio._base.layout import laid_out
from scorio._base.table import Column, Table, width

HEADS = [Column("rank", True), Column("model"), Column("score", True), Column("95% interval"), Column("why")]
CELLS = [
    ["1", "aurora-70b", "0.629", "[0.580, 0.676]", "answers differ much, and more questions would help"],
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


def test_every_block_begins_with_the_columns_that_tell_rows_apart():
    heads = [Column("first"), Column("second"), *(Column(head, True) for head in ("difference", "p", "p corrected"))]
    cells = [["a", "b", "+0.100", "0.010", "0.020"], ["a", "c", "+0.200", "0.001", "0.003"]]
    lines = [line.text for line in laid_out(Table("pairs", heads, cells), 28)]
    assert [line for line in lines if line.startswith("first")] == [
        "first  second  difference",
        "first  second      p",
        "first  second  p corrected",
    ]
