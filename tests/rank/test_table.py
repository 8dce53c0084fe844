"""Leaderboards on paper: aligned text, and Markdown, LaTeX, HTML, JSON and data frames that survive any name."""

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from helpers.pages import Page
from scorio import BayesMetric, Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK
from scorio._base.table import width

AWKWARD = r"a_b|c & 100% <b>$x^2$</b> #1 ~{\n}[l](u)*"
NAMES = ["plain", AWKWARD, "通义千问", "e\u0301tude", "two\nlines\tand tabs", "", "_hidden"]
COUNTS = np.random.default_rng(0).integers(0, 2, (len(NAMES), 5, 4))
BOARD = Leaderboard([PassAtK(2), BayesMetric()], OutcomeSet(COUNTS, models=NAMES))


def shown(name):
    return " ".join(name.split())


@pytest.mark.slow
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12), min_size=2, max_size=4, unique=True
    )
)
def test_text_columns_line_up_whatever_the_names(names):
    board = Leaderboard(PassAtK(1), OutcomeSet(COUNTS[: len(names)], models=names))
    _, *lines, _, _ = str(board).split("\n")
    head = lines[0]
    where = head.index("95% interval")
    starts = [
        width(line[: line.index("[0.") if "[0." in line else where]) for line in lines[1:] if line.count("[0.") < 2
    ]
    assert len(lines) == len(names) + 1
    assert set(starts) <= {where}


def test_text_says_what_was_asked():
    board = Leaderboard(PassAtK(1), COUNTS[:2], confidence=0.9, prior="jeffreys", shape="normal")
    text = str(board)
    assert text.startswith("pass@1 of 2 models on 5 questions, 4 trials each\nrank  model    score  90% interval")
    about = "90% normal intervals for these questions, prior Jeffreys"
    assert f"{about}; rank: one more than the significantly better models" in text


def test_a_chance_is_never_rounded_to_certainty():
    sure = {"a": np.ones((20, 40), int), "b": np.zeros((20, 40), int)}
    text = str(Leaderboard(PassAtK(1), sure))
    assert ">.999" in text or "1.000" in text
    close = {"a": np.repeat([[1, 1, 1, 0]], 14, axis=0), "b": np.repeat([[1, 0, 0, 0]], 14, axis=0)}
    board = Leaderboard(PassAtK(1), close)
    assert 0.9995 < board.posterior.best[0] < 1.0
    assert " >.999 " in str(board)
    assert " <.001" in str(board)


@pytest.mark.parametrize(("models", "most"), [(2, 120), (10, 200)])
def test_a_board_is_written_in_few_calls(models, most):
    board = Leaderboard("pass@1", {f"m{i}": [[1, i % 2, 0], [i % 3 > 0, 1, 0]] for i in range(models)})
    calls, text = [], str(board)
    sys.setprofile(lambda frame, event, _: calls.append(frame) if event == "call" else None)
    again = str(board)
    sys.setprofile(None)
    assert again == text
    assert len(calls) <= most


def test_a_board_of_one_model_has_no_star_and_no_chance_to_be_the_best():
    text = str(Leaderboard("pass@1", {"only": [[1, 0], [1, 1]]}))
    assert "P(best)" not in text
    assert "*" not in text
    assert "rank:" not in text


def test_markdown_has_one_line_a_row_and_no_loose_mark():
    tables = BOARD.to_markdown().split("\n\n")
    assert tables[0] == "**pass@2 of 7 models on 5 questions, 4 trials each**"
    head, rule, *rows = tables[1].split("\n")
    assert len(rows) == len(NAMES)
    assert rule.count("|") == head.count("|") == 8
    names = {re.sub(r"<!-- -->|\\(?=[^a-z\s])", "", re.split(r"(?<!\\)\|", row)[2].strip()) for row in rows}
    assert names == {shown(name) for name in NAMES}


def test_latex_is_escaped_and_has_one_line_a_row():
    lines = BOARD.to_latex(digits=2).split("\n\n")[0].split("\n")
    table = [line for line in lines if line == lines[0] or not line.startswith("% ")]
    assert table[1] == r"\begin{tabular}{rlrllrl}"
    assert table[-1] == r"\end{tabular}"
    rows = table[5:-2]
    assert len(rows) == len(NAMES)
    assert all(row.endswith(r" \\") and row.replace(r"\&", "").count("&") == 6 for row in rows)
    awkward = next(row for row in rows if "a\\_b" in row)
    for mark in (
        r"\textbar{}",
        r"\&",
        r"\%",
        r"\textless{}",
        r"\$",
        r"\textasciicircum{}",
        r"\#",
        r"\textasciitilde{}",
    ):
        assert mark in awkward
    assert r"\{\textbackslash{}n\}" in awkward


def test_html_shows_names_and_nothing_else_of_them():
    page = Page(BOARD._repr_html_())
    assert shown(AWKWARD) in [cell for table in page.tables for row in table for cell in row]
    assert page.tags <= {"p", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "br"}


@pytest.mark.slow
def test_a_frame_is_by_default_of_the_library_in_use():
    pytest.importorskip("narwhals")
    for backend in ("polars", "pyarrow"):
        pytest.importorskip(backend)
        code = (
            f"import {backend}; from scorio import Leaderboard, PassAtK;"
            "print(type(Leaderboard(PassAtK(1), [[[1, 0]]]).to_frame()).__module__)"
        )
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        assert done.stdout.startswith(backend)


def test_frame_errors(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match="pip install narwhals"):
        BOARD.to_frame("pandas")
    monkeypatch.undo()
    pytest.importorskip("narwhals")
    with pytest.raises(ValueError, match="unknown backend 'spreadsheet'"):
        BOARD.to_frame("spreadsheet")


def test_a_score_outside_its_interval_is_explained_by_its_prior_and_only_where_it_shows():
    solved, failed = OutcomeMatrix.from_counts([4] * 40, 4), OutcomeMatrix.from_counts([0] * 40, 4)
    fixed = str(Leaderboard(PassAtK(1), {"a": solved, "b": failed}, prior="uniform", shape="normal"))
    assert 'the fixed prior pulls estimates to the middle; prior="learned" does not.' in fixed
    learned = Leaderboard(PassAtK(1), {"a": failed})["pass@1"]
    assert learned.rows[0].lo == learned.rows[0].score  # no success speaks against it
    assert "outside" not in str(learned)
    rare = OutcomeMatrix.from_counts([0, 0, 0, 1], 2)
    apart = str(Leaderboard(PassAtK(1), {"a": rare}, confidence=0.05))
    assert "outside its interval: the score is of these trials" in apart
    assert "fixed" not in apart


@pytest.mark.parametrize(("more", "is_said"), [(4, False), (8, True), (12, False)])
def test_a_high_chance_that_is_not_significant_is_explained(more, is_said):
    """With two models, P(best) .95 is as sure as a test of 10%, and the star is one of 5%."""
    base = np.tile([0, 1, 0, 1, 1, 0], (6, 1))
    better = base.copy()
    better.flat[np.flatnonzero(base == 0)[:more]] = 1
    board = Leaderboard("pass@1", {"a": better, "b": base})
    notes = [line for line in str(board).splitlines() if line.startswith("P(best) asks in one direction")]
    assert bool(notes) == is_said, str(board)
