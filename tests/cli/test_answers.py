"""The answers of the command line: the library's numbers and the truth's, in every format."""

import csv
import io
from pathlib import Path

import pytest

from helpers.command import LOGS, MODELS, rows, run
from helpers.pages import Page
from scorio import PassAtK, plan_questions, plan_trials, read


@pytest.mark.parametrize(
    ("target", "planner", "words"),
    [("questions", plan_trials, "on these questions"), ("population", plan_questions, "on questions like these")],
)
def test_a_model_alone_has_a_verdict_by_each_metric(target, planner, words):
    outcomes = read(LOGS)["aurora-70b"]
    text = run("score", f"{LOGS}/aurora-70b.json", "-m", "pass@1", "-m", "pass@2", "--target", target).stdout
    for k in (1, 2):
        interval = PassAtK(k).interval(outcomes, prior="learned", target=target)
        plan = planner(PassAtK(k), outcomes, (interval.hi - interval.lo) / 4.0)
        value = f"aurora-70b: pass@{k} is between {interval.lo:.3f} and {interval.hi:.3f} {words}"
        assert f"{value}; {plan.more:,} more {plan.unit} would halve the interval" in text


def test_too_few_trials_for_the_score():
    for command in ("score", "rank"):
        assert run(command, LOGS, "-q", "-m", "pass@7", code=2).stderr == (
            "scorio: aurora-70b: N is 6; pass@7 has an interval but no score: --too-few nan goes on without a score; "
            "forecast (scorio curve -k 7) says what so many trials of every question would give\n"
        )
    assert [row["forecast"] for row in rows("rank", LOGS, "-m", "pass@7", "--too-few", "nan")] == [True] * 4
    (row,) = rows("score", f"{LOGS}/aurora-70b.json", "-m", "pass@7", "--too-few", "nan")
    assert row["score"] is None
    assert 0.5 < row["lo"] < row["hi"] < 1.0
    assert row["forecast"]
    assert "  forecast  " in run("score", f"{LOGS}/aurora-70b.json", "-m", "pass@7", "--too-few", "nan").stdout
    left = rows("score", LOGS, "-m", "pass@6", "--too-few", "omit")
    assert all(0.0 < row["score"] < 1.0 for row in left)


def test_a_difference_is_planned_for_with_logs_too():
    said = run("plan", LOGS, "--difference", "0.02", "-q").stdout
    assert "more trials per question would tell a difference of 0.02 with power 0.8" in said
    assert "borealis-70b > aurora-70b: " in run("plan", LOGS, "-m", "pass@7", "-q").stdout  # by forecasts


@pytest.mark.filterwarnings("default:a run is compared with itself or with a copy")
def test_compare_two_logs_two_of_many_and_one_model_twice(tmp_path):
    chosen = rows("compare", LOGS, "--between", "aurora-70b", "drizzle-1b")
    assert chosen == rows("compare", f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json")
    again = tmp_path / "again.json"
    again.write_bytes(Path(LOGS, "aurora-70b.json").read_bytes())
    (row,) = rows("compare", f"{LOGS}/aurora-70b.json", again)
    assert (row["second"], row["difference"], row["winner"]) == ("again", 0.0, None)
    rewards = [f"{name},q{q},{(37 * q + q**shift) % 997 / 997}" for shift, name in enumerate("ab") for q in range(99)]
    (tmp_path / "rewards.csv").write_text("\n".join(["model,question,score", *rewards]))
    assert [row["metric"] for row in rows("compare", tmp_path / "rewards.csv")] == ["avg"]


def test_every_format_says_the_same(tmp_path):
    command = ["score", LOGS, "-q"]
    plain = [line.split("  ") for line in run(*command).stdout.splitlines()[4:-2]]
    table = [[cell.strip() for cell in line if cell.strip()] for line in plain]
    assert [line[0] for line in table] == MODELS
    markdown = run(*command, "--format", "md").stdout.splitlines()[6:-3]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown] == table
    assert Page(run(*command, "--format", "html").stdout).tables[0][1:-1] == table
    latex = [line for line in run(*command, "--format", "latex").stdout.splitlines() if " & " in line][1:]
    assert [
        [cell.strip(" \\").replace("\\%", "%").replace("{[}", "[") for cell in line.split("&")] for line in latex
    ] == table
    as_json = rows(*command)
    as_csv = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv").stdout)))
    assert [{name: str(value) for name, value in row.items()} for row in as_json] == as_csv
    for ending, start in {
        "md": "aurora-70b scores",
        "tex": "aurora-70b scores",
        "html": "<p>aurora-70b scores",
        "csv": "model,",
        "json": "{",
    }.items():
        target = tmp_path / f"out.{ending}"
        assert run(*command, "-o", target).stdout == ""
        assert target.read_text().startswith(start)
    assert run(*command, "-o", tmp_path / "out.txt").stdout == ""
    assert (tmp_path / "out.txt").read_text() == run(*command).stdout
