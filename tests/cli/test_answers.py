"""The answers of the command line: the library's numbers and the truth's, in every format."""

import csv
import io
import json
from pathlib import Path

import pytest

pytest.importorskip("click")


import scorio
from helpers.command import LOGS, MODELS, Cells, rows, run, trials, truth
from scorio import read


def test_scores_are_exact_and_intervals_the_librarys():
    answer = rows("score", LOGS, "-m", "pass@1", "-m", "pass@4", "--confidence", "0.9")
    assert [(row["model"], row["metric"]) for row in answer] == [(m, k) for k in ("pass@1", "pass@4") for m in MODELS]
    for row in answer:
        k = int(row["metric"][-1])
        assert row["score"] == pytest.approx(truth(k, trials()[row["model"]]), abs=1e-13)
        outcomes = scorio.OutcomeMatrix(list(trials()[row["model"]].values()))
        expected = scorio.PassAtK(k).interval(outcomes, 0.9, prior="learned", shape="quantile")
        assert [row[name] for name in ("mu", "sigma", "lo", "hi")] == list(expected)
        assert row["completeness"] == (1 - 3 / 240 if row["model"] == "cirrus-7b" else 1.0)


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


@pytest.mark.parametrize("option", [("--format", "json"), ("--family", "holm")])
def test_methods_are_a_text(option):
    assert "--methods is a text" in run("rank", LOGS, "--methods", *option, code=2).stderr


def test_curve_is_exact_and_rises():
    answer = rows("curve", LOGS)
    assert [row["k"] for row in answer] == [1, 2, 4] * 4  # cirrus-7b has questions of four trials: two of six are lost
    for row in answer:
        assert row["score"] == pytest.approx(truth(row["k"], trials()[row["model"]]), abs=1e-13)
    assert [row["metric"] for row in rows("curve", LOGS, "-m", "gpass:tau=.5", "-k", "1,3")][:2] == [
        "gpass@1:tau=0.5",
        "gpass@3:tau=0.5",
    ]


@pytest.mark.filterwarnings("default:a run is compared with itself or with a copy")
def test_compare_two_logs_two_of_many_and_one_model_twice(tmp_path):
    models = read(LOGS)
    expected = scorio.compare("pass@1", models["aurora-70b"], models["drizzle-1b"])
    for logs in (
        [LOGS, "--between", "aurora-70b", "drizzle-1b"],
        [f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json"],
    ):
        (row,) = rows("compare", *logs)
        assert (row["first"], row["second"], row["winner"]) == ("aurora-70b", "drizzle-1b", "aurora-70b")
        assert (row["difference"], row["sigma"], row["p_better"]) == (
            expected.difference,
            expected.sigma,
            expected.p_better,
        )
    again = tmp_path / "again.json"
    again.write_bytes(Path(LOGS, "aurora-70b.json").read_bytes())
    (row,) = rows("compare", f"{LOGS}/aurora-70b.json", again)
    assert (row["second"], row["difference"], row["winner"]) == (str(again), 0.0, None)
    (row,) = rows("compare", f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json", "--unpaired")
    assert row["paired"] is False
    assert "with --between out of" in run("compare", LOGS, code=2).stderr
    assert "not significant" in run("compare", LOGS, "--between", "aurora-70b", "borealis-70b").stdout


def test_plans_that_cannot_be():
    assert "needs a half_width" in run("plan", LOGS, "--unit", "questions", code=2).stderr
    assert "unknown model 'x'" in run("plan", LOGS, "--between", "aurora-70b", "x", code=2).stderr
    assert "one model" in run("plan", f"{LOGS}/aurora-70b.json", code=2).stderr


def test_every_format_says_the_same(tmp_path):
    command = ["score", LOGS, "-q"]
    plain = [line.split("  ") for line in run(*command).stdout.splitlines()[4:-2]]
    table = [[cell.strip() for cell in line if cell.strip()] for line in plain]
    assert [line[0] for line in table] == MODELS
    markdown = run(*command, "--format", "md").stdout.splitlines()[6:-2]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown] == table
    cells = Cells()
    cells.feed(run(*command, "--format", "html").stdout)
    assert cells.rows[1:-1] == table
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


def test_convert_and_read_back(tmp_path):
    target = tmp_path / "outcomes.csv"
    run("convert", LOGS, "-o", target)
    with target.open() as file:
        answer = list(csv.DictReader(file))
    assert len(answer) == 4 * 40 * 6
    assert sum(row["outcome"] == "" for row in answer) == 3
    lines = run("convert", LOGS, "-q", "--format", "jsonl").stdout.splitlines()
    assert read(target) == read(LOGS)
    as_text = [
        {name: "" if value is None else str(value) for name, value in json.loads(line).items()} for line in lines
    ]
    assert as_text == answer
