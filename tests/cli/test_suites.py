"""The command line on folders of several tasks: the library's numbers, and what cannot be done."""

import numpy as np
import pytest

from helpers.command import rows, run
from scorio import OutcomeSet, Suite, compare, read
from scorio.io._outcome_table import write_table

TASKS = ("algebra", "chess", "law")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    rng = np.random.default_rng(2)
    folder = tmp_path_factory.mktemp("logs")
    tasks = {
        task: OutcomeSet(
            {name: rng.binomial(1, rate, (8 + 6 * i, 4)) for name, rate in (("big", 0.8), ("small", 0.4))},
            questions=[f"q{a}" for a in range(8 + 6 * i)],
        )
        for i, task in enumerate(TASKS)
    }
    write_table(Suite(tasks), folder / "outcomes.csv")
    return folder


@pytest.fixture(scope="module")
def suite(logs):
    return read(logs)


def test_compare_of_one_folder_and_of_two(logs, suite, tmp_path):
    big, small = (suite.select(models=[name]) for name in ("big", "small"))
    expected = compare("pass@1", big, small, names=("big", "small")).as_records()
    answer = rows("compare", logs)
    assert [row["difference"] for row in answer] == [record["difference"] for record in expected]
    assert [row["task"] for row in answer] == ["overall", *TASKS]
    for name, part in (("old", small), ("new", big)):
        (tmp_path / name).mkdir()
        write_table(part, tmp_path / name / "outcomes.csv")
    both = rows("compare", tmp_path / "new", tmp_path / "old")
    assert [row["lo"] for row in both] == [record["lo"] for record in expected]
    assert "big against small on 3 tasks" in run("compare", "-q", logs).stdout


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["rank", "--task-weight", "algebra"], "'algebra' is neither 'questions' nor of the form TASK=NUMBER"),
        (["rank", "--task-weight", "algebra=1"], "--task-weight lacks the tasks 'chess', 'law'"),
        (["score", "--task-weight", "go=1"], "unknown task 'go'"),
        (
            ["curve"],
            "there are 3 tasks, and one is needed here, of 'algebra', 'chess', 'law': --task algebra chooses the first",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_options(logs, typed, said):
    command, *options = typed
    assert said in run(command, logs, "-q", *options, code=2).stderr


def test_a_bad_task_is_left_out_and_said(logs, tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("task,model,question,correct,cluster\nx,a,q1,1,c\nx,b,q1,0,d\ny,a,q1,0,c\ny,b,q1,1,c\n")
    assert "task x: " in run("rank", table, "-q", code=2).stderr
    done = run("rank", table, "-q", "--skip-bad", "--format", "json")
    assert "left out task x: " in done.stderr
