"""``--family`` of ``rank`` and ``compare``: the pairs and their error rate, as the library has them."""

import json

import numpy as np
import pytest

pytest.importorskip("click")


from helpers.command import LOGS, run
from scorio import Leaderboard, OutcomeSet, Suite, read
from scorio.io._written_logs import write_inspect


def test_rank_shows_all_pairs_with_their_error_rate():
    pairs = Leaderboard("pass@1", read(LOGS)).pairs("holm")
    text = run("rank", LOGS, "--family", "holm").stdout
    assert str(pairs) in text
    settings = json.loads(run("rank", LOGS, "--family", "holm", "--format", "json").stdout)["settings"]
    assert settings["pairs"]["error_rate"] == pairs.error_rate == "6 pairs, Holm: family-wise error 5%"
    assert len(settings["pairs"]["rows"]) == 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(2)
    rates = {"big": 0.8, "small": 0.4}
    path = tmp_path_factory.mktemp("logs")
    tasks = {
        task: {name: rng.binomial(1, rate, (count, 4)) for name, rate in rates.items()}
        for task, count in (("algebra", 8), ("chess", 14))
    }
    write_inspect(path, Suite({task: OutcomeSet(models) for task, models in tasks.items()}))
    return path


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_tasks_join_the_family(folder, command):
    settings = json.loads(run(command, folder, "--family", "holm", "--by-task", "--format", "json").stdout)["settings"]
    pairs = Leaderboard("pass@1", read(folder)).pairs("holm", tasks=True)
    assert settings["pairs"]["error_rate"] == pairs.error_rate == "3 pairs, Holm: family-wise error 5%"
    rows = settings["pairs"]["rows"]
    assert [row["task"] for row in rows] == [None, "algebra", "chess"]
    assert [row["p_corrected"] for row in rows] == pytest.approx([row.p_corrected for row in pairs])
    assert "overall" in run(command, folder, "--family", "holm", "--by-task").stdout
