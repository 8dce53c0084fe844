"""``--family`` of ``rank``: the pairs and their error rate, as the library has them."""

import json

import pytest

pytest.importorskip("click")


from helpers.command import LOGS, run
from scorio import Leaderboard, read


def test_rank_shows_all_pairs_with_their_error_rate():
    pairs = Leaderboard("pass@1", read(LOGS)).pairs("holm")
    text = run("rank", LOGS, "--family", "holm").stdout
    assert str(pairs) in text
    settings = json.loads(run("rank", LOGS, "--family", "holm", "--format", "json").stdout)["settings"]
    assert settings["pairs"]["error_rate"] == pairs.error_rate == "6 pairs, Holm: family-wise error 5%"
    assert len(settings["pairs"]["rows"]) == 6
