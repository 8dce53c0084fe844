"""Bars beside the numbers: on a terminal, or where they are asked for."""

import sys

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, ROOT, run
from scorio._display.table import Column, Table
from scorio.cli._output import Output


@pytest.mark.parametrize("command", ["rank", "score"])
def test_bars_are_off_in_pipes_and_on_by_request(command):
    assert "●" not in run(command, LOGS).stdout
    assert run(command, LOGS, "--bars").stdout.count("●") == 4
    assert run(command, LOGS, "--bars", "--format", "md").stdout.count("●") == 4
    assert "●" not in run(command, LOGS, "--bars", "--format", "json").stdout


def test_a_terminal_has_bars(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = Table("t", [Column("interval")], [["[0, 1]"]])
    spreads = [(0.0, 0.5, 1.0)]
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_terminal=is_terminal: is_terminal, raising=False)
        assert (len(Output().drawn(table, spreads, None).columns) == 2) is is_terminal
        assert len(Output().drawn(table, spreads, False).columns) == 1
        assert len(Output("md").drawn(table, spreads, None).columns) == 1
        assert len(Output(path=ROOT / "a.txt").drawn(table, spreads, None).columns) == 1
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "29")  # the table with bars has 30
    assert len(Output().drawn(table, spreads, None).columns) == 1
    assert len(Output().drawn(table, spreads, True).columns) == 2
    monkeypatch.setenv("COLUMNS", "30")
    assert len(Output().drawn(table, spreads, None).columns) == 2
