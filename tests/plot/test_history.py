"""What the picture of a history shows."""

import pytest

pytest.importorskip("matplotlib")

from scorio import OutcomeMatrix, analyze_history, plot
from scorio.comparison import PastRun


def made(*solved, facts=None):
    runs = {f"run {i}": OutcomeMatrix.from_counts([count] * 20, 10) for i, count in enumerate(solved)}
    if facts is not None:
        runs["run 1"] = PastRun(runs["run 1"], facts)
        runs["run 0"] = PastRun(runs["run 0"], {"judge": "a"})
    return analyze_history("pass@1", runs)


def lines(ax, marker):
    return [line for line in ax.lines if line.get_marker() == marker and len(line.get_xdata())]


def test_points_intervals_and_calls():
    result = made(8, 2, 2, 9)
    ax = plot.draw(result)
    (series,) = lines(ax, "o")
    assert series.get_ydata().tolist() == [0.8, 0.2, 0.2, 0.9]
    assert [line.get_xdata().tolist() for line in lines(ax, "v")] == [[1.0]]
    assert [line.get_xdata().tolist() for line in lines(ax, "^")] == [[3.0]]
    segments = ax.collections[0].get_segments()
    assert [(s[0][1], s[1][1]) for s in segments] == [(p.lo, p.hi) for p in result.rows]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["model", "called worse", "called improved"]


def test_a_dotted_line_stands_before_a_run_under_other_circumstances():
    ax = plot.draw(made(8, 8, facts={"judge": "b"}))
    (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert list(dotted.get_xdata()) == [0.5, 0.5]
