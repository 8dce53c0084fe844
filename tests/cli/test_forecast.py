"""``scorio curve`` beyond the trials: the library's forecasts, and the errors and findings that point to it."""

import pytest

import scorio
from helpers.command import LOGS, run

PAIR = ("--only", "aurora-70b", "--only", "drizzle-1b")


@pytest.mark.parametrize("command", ["score", "rank"])
def test_a_score_beyond_the_trials_points_to_it(command):
    said = run(command, LOGS, "-q", "-m", "pass@1000", code=2).stderr
    assert said.endswith("forecast (scorio curve -k 1000) says what so many trials of every question would give\n")


def test_where_others_have_the_trials_or_nothing_is_known_beyond_nothing_points_to_it():
    ragged = {"m": scorio.OutcomeMatrix.from_counts([1, 2, 3], [4, 4, 9])}
    for metric in ("pass@8", "gpass@12:tau=.5"):
        with pytest.raises(scorio.OutcomeError) as caught:
            scorio.Leaderboard(metric, ragged)
        assert "forecast" not in str(caught.value)
    with pytest.raises(scorio.OutcomeError, match=r"forecast \(scorio curve -k 12\) says"):
        scorio.Leaderboard("pass@12", ragged)


def test_a_curve_beyond_the_trials_has_no_warning(tmp_path):
    pytest.importorskip("matplotlib")
    asked = ("curve", LOGS, "-q", *PAIR, "-k", "6,24,1000", "--too-few", "nan", "--picture", tmp_path / "c.svg")
    assert not run(*asked).stderr
