"""Names stay names in every format, and cells are written with the digits that are asked for."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from helpers.pages import Page
from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, analyze_factors, cost_table, forecast, gate
from scorio._base.numbers import score_text
from scorio._base.table import Column, Field, Table
from scorio.planning import analyze_runs
from scorio.report import html_report

STARTS = ["[x] a", "*b*", "[", "*", "[1, 2]"]
LINKS = ["https://a.example/x", "www.example.org", "ask @owner", "a@b.example", "fixes #12", "ftp://x", "mailto:a@b.c"]
UNSEEN = ["a\ufffeb", "a\uffffb", "a\x01b", "a\u202eb", "a\u200bb"]


def board(names):
    return Leaderboard("pass@1", {name: [[1, 0, i % 2], [1, 1, 0]] for i, name in enumerate(names)})


def test_no_row_of_latex_begins_with_an_argument_of_the_row_before():
    rows = [[name, "1"] for name in STARTS]
    text = Table("names", [Column("name"), Column("n", True)], rows).latex()
    inside = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(inside) == len(STARTS)
    assert not [line for line in inside if line.lstrip().startswith(("[", "*"))]
    assert [line.partition(" & ")[0].replace("{", "").replace("}", "") for line in inside] == STARTS


@pytest.mark.parametrize("name", LINKS)
def test_markdown_neither_links_nor_calls_anybody(name):
    text = Table("names", [Column("name")], [[name]]).markdown()
    assert not re.search(r"\w://|\bwww\.|@\w|#\d", text)
    assert re.sub(r"<!-- -->|\\(?=[^\w\s])", "", text).splitlines()[-1] == f"| {name} |"


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_an_escape_in_every_format(name):
    shown = f"a{name[1:-1].encode('unicode_escape').decode()}b"
    found = board([name, "plain"])
    texts = [str(found), found.to_markdown(), found.to_latex(), found.to_html(), html_report(found)]
    assert not [text for text in texts if name in text]
    assert shown in str(found)
    assert shown in found.to_html()
    old, new = OutcomeMatrix([[1, 1]] * 5), OutcomeMatrix([[0, 0]] * 5)
    for result in (gate("pass@1", {name: new}, {name: old}), gate("pass@1", {"m": new}, {"m": old})):
        ET.fromstring(result.junit())


def test_a_report_shows_all_names_as_text():
    names = [*STARTS, *LINKS, "<b>&amp;", "$x$"]
    text = Page(html_report(board(names))).all_text
    assert not [name for name in names if name not in text]


RUNS = OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 5, runs=["a", "b", "c"])
PAIR = OutcomeSet({"a": [[1, 1, 0, 1]] * 9, "b": [[1, 0, 0, 1]] * 9})
CROSSED = OutcomeSet(
    {f"{m} {p}": [[m < "b", p < "y"], [1, 0], [m < "b", 0]] for m in "ab" for p in "xyz"},
    conditions={f"{m} {p}": {"model": m, "prompt": p} for m in "ab" for p in "xyz"},
)
ROUNDED = {
    "board": lambda: board(["a", "b"]),
    "gate": lambda: gate("pass@1", PAIR["a"], PAIR["b"]),
    "runs": lambda: analyze_runs("pass@1", RUNS),
    "forecast": lambda: forecast("pass@1", RUNS, [1, 2]),
    "factors": lambda: analyze_factors("pass@1", CROSSED),
    "costs": lambda: cost_table("pass@2", PAIR, {"a": 0.3, "b": 0.1}),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SCORES = re.compile(r"(?:score|interval|difference|equal cost|\d%|levels|baseline|new|sd|alone give|mean)")


@pytest.mark.parametrize("name", ROUNDED)
def test_every_score_has_the_digits_that_are_asked_for(name):
    for table in ROUNDED[name]().tables(6):
        for column, cells in zip(table.columns, np.transpose(np.array(table.cells)), strict=True):
            if SCORES.search(column.head) and "cost" not in table.title and column.head != "model":
                numbers = re.findall(r"(?<![\w.])\d\.\d+(?![\de])", " ".join(cells))
                assert {len(each) for each in numbers} <= {8}, (column.head, cells)


def test_a_form_is_given_the_digits_and_nothing_that_is_missing():
    rows = [{"v": 0.5}, {"v": None}]
    field = Field("v", True, "v", score_text, missing="-")

    class Row:
        def __init__(self, v):
            self.v = v

    assert field.cells([Row(each["v"]) for each in rows], 5) == ["0.50000", "-"]
    assert Field("v", of="v", form=str).cells([Row(1)], 5) == ["1"]
