"""``-m TASK=METRIC``: the same numbers as a mapping from tasks to metrics in Python."""

import json

import pytest

from helpers.command import rows, run
from scorio import compare, gate, read
from scorio.io._outcome_table import write_table
from scorio.simulate import coins, rates

TASKS = ("chess", "maths")


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    from scorio import Suite

    folder = tmp_path_factory.mktemp("logs") / "all"
    folder.mkdir()
    suite = Suite(
        {
            task: coins(rates([0.5, -0.2], 25, rng=seed), 5, models=["a", "b"], rng=seed).outcomes
            for seed, task in enumerate(TASKS)
        }
    )
    write_table(suite, folder / "outcomes.csv")
    return folder


BOTH = ("-m", "chess=pass@4", "-m", "maths=gpass@4:tau=.5")
METRICS = {"chess": "pass@4", "maths": "gpass@4:tau=.5"}


def test_compare_gate_and_report_take_it_too(logs, tmp_path):
    suite = read(logs)
    first, second = (suite.select(models=[name]) for name in ("a", "b"))
    expected = compare(METRICS, first, second)
    overall = next(row for row in rows("compare", logs, *BOTH) if row["task"] == "overall")
    assert (overall["difference"], overall["lo"]) == (expected.difference, expected.lo)
    result = gate(METRICS, suite, suite, max_drop=0.05, model=("a", "b"))
    made = run(
        "gate", logs, *BOTH, "--between", "a", "b", "--max-drop", ".05", "--format", "json", code=result.exit_code
    )
    assert json.loads(made.stdout)["rows"] == json.loads(json.dumps(result.as_records()))
    page = tmp_path / "page.html"
    run("report", logs, *BOTH, "-o", page)
    assert "pass@4" in page.read_text(encoding="utf-8")
    run("report", logs, "--baseline", logs, "--between", "a", "b", *BOTH, "-o", page)
    assert "chess" in page.read_text(encoding="utf-8")


def test_a_task_without_a_name_has_no_metric_of_its_own(tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("question,trial,correct\nq1,0,1\nq1,1,0\nq2,0,1\nq2,1,1\n", encoding="utf-8")
    assert "leave out the name of the task" in run("score", table, "-m", "chess=pass@2", code=2).stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("-m", "cards=pass@4"), "cards"),
        (("-m", "chess=pas@4"), "Did you mean 'pass@4'"),
        (("-m", "chess=pass@4", "-m", "chess=avg"), "task 'chess' has two metrics"),
        (("-m", "chess=pass@4", "-m", "avg", "-m", "pass@2"), "several metrics for the other tasks: avg, pass@2"),
    ],
)
def test_what_is_wrong_is_said(logs, options, problem):
    assert problem in run("rank", logs, *options, code=2).stderr
