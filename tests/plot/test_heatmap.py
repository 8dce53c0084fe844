"""What the heat map shows: the leaderboard's numbers in their places, readable, with frames around ties."""

import pytest

pytest.importorskip("matplotlib")

from scorio import Leaderboard, plot
from scorio.errors import ParameterError


def test_one_task_has_no_heat_map():
    with pytest.raises(ParameterError, match="plot.leaderboard draws it"):
        plot.heatmap(Leaderboard("pass@1", {"a": [[1, 0]]}))
