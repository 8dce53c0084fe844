"""Bars beside the numbers: on a terminal, or where they are asked for."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, run


@pytest.mark.parametrize("command", ["rank", "score"])
def test_bars_are_off_in_pipes_and_on_by_request(command):
    assert "●" not in run(command, LOGS).stdout
    assert run(command, LOGS, "--bars").stdout.count("●") == 4
    assert run(command, LOGS, "--bars", "--format", "md").stdout.count("●") == 4
    assert "●" not in run(command, LOGS, "--bars", "--format", "json").stdout
