"""What commands say beside their answers: once, and with the words that newcomers need."""

import json
import re

import click
import pytest

from helpers.command import LOGS, run
from scorio.cli._context import session


@pytest.mark.parametrize(
    ("command", "name"),
    [("rank", "rank.tex"), ("score", "score.json"), ("convert", "all.csv"), ("report", "page.html")],
)
def test_every_file_that_is_written_is_said(tmp_path, command, name):
    path = tmp_path / name
    assert run(command, LOGS, "-o", path).stderr.splitlines().count(f"wrote {path}") == 1
    assert "wrote" not in run(command, LOGS, "-q", "-o", path).stderr


def test_the_verdict_of_a_gate_is_said_once(tmp_path):
    pair = ("--between", "cirrus-7b", "aurora-70b", "-q")
    done = run("gate", LOGS, *pair, code=1)
    assert done.stdout.startswith("gate failed")
    assert done.stderr == ""
    done = run("gate", LOGS, *pair, "-o", tmp_path / "gate.json", code=1)
    assert (done.stdout, done.stderr.count("gate failed")) == ("", 1)


def test_a_report_has_the_dates_of_the_logs_and_no_place_on_a_computer(tmp_path):
    run("report", LOGS, "-q", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert re.search(r"Date.{0,40}2026-04-02", page, re.DOTALL)
    assert "/logs/inspect" not in page
    assert "inspect" in page


def test_warnings_that_differ_in_a_name_or_a_number_are_one(capsys):
    with click.Context(click.Command("rank")):
        known = session()
        known.names |= {"amber": "model", "birch": "model", "cedar-2": "model"}
        for name, count in (("amber", 3), ("birch", 3), ("cedar-2", 70)):
            known.warnings.append((UserWarning, f"{name} has {count} copies"))
        known.warnings += [(UserWarning, "another matter"), (FutureWarning, "amber has 3 copies")]
        known.say_warnings()
        known.warnings += [(UserWarning, "took 1.5 s"), (UserWarning, "took 2,500 s")]
        known.say_warnings()
        known.say_warnings()
    assert capsys.readouterr().err.splitlines() == [
        "scorio: warning: amber has 3 copies (the same holds for 2 other models)",
        "scorio: warning: another matter",
        "scorio: warning: amber has 3 copies",
        "scorio: warning: took 1.5 s (the same holds for other numbers)",
    ]


@pytest.mark.filterwarnings("default::scorio.errors.QuestionsWarning")
def test_ways_out_are_options_of_the_command(tmp_path):
    """The library writes them in Python."""
    rows = ["a,t,1,1", "a,u,1,1", "b,t,1,0", "a,t,2,0", "b,t,2,1"]
    (tmp_path / "gaps.csv").write_text("\n".join(["model,task,question,correct", *rows]))
    assert "with gaps: --only a or --task t" in run("rank", tmp_path / "gaps.csv", code=2).stderr
    for name, count in (("old", 8), ("new", 4)):
        lines = [f"{name},q{i},{trial},{i % 2}" for i in range(count) for trial in range(3)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["model,question,trial,correct", *lines]))
    page = tmp_path / "page.html"
    run("report", tmp_path / "new.csv", "--baseline", tmp_path / "old.csv", "--max-drop", "0.1", "-q", "-o", page)
    assert "compare the shared questions only (--shared-only)" in page.read_text(encoding="utf-8")
    assert "shared_only" not in page.read_text(encoding="utf-8")
    graded = [f"m,q{i},{i / 4}" for i in range(5)]
    (tmp_path / "graded.csv").write_text("\n".join(["model,question,score", *graded]))
    assert "such as avg or max@2" in run("rank", tmp_path / "graded.csv", "-m", "pass@1", code=2).stderr


def test_every_number_of_trials_is_asked_and_what_is_left_open_is_said_once():
    done = run("curve", LOGS, "-q", "-k", "8", "-k", "16,1000", "--only", "drizzle-1b")
    assert [line.split()[1] for line in done.stdout.splitlines()[2:5]] == ["8", "16", "1000"]
    assert done.stdout.count("more than half of what is not known") == 1
    assert done.stderr == ""


@pytest.mark.filterwarnings("default:a score of -1")
def test_a_word_without_an_outcome_is_written_as_it_is_typed(tmp_path):
    rows = [f"q{q},{n},{(1, 0, 1, 0, -1)[n]}" for q in range(9) for n in range(5)]
    (tmp_path / "signs.csv").write_text("\n".join(["question,trial,correct", *rows]))
    command = "score", tmp_path / "signs.csv", "--score", "correct"
    assert "--level -1=none leaves out such trials" in run(*command).stderr
    assert run(*command, "--level", "-1=none").stdout.startswith("signs: pass@1")


def test_a_paragraph_for_a_paper():
    for command in (("score", LOGS), ("rank", LOGS), ("compare", LOGS, "--between", "aurora-70b", "cirrus-7b")):
        text = run(*command, "-q", "--format", "methods").stdout
        assert text.startswith("We ") and "[@chen2021evaluating]" in text and "@misc{chen2021evaluating" in text
    assert "methods is for score, rank and compare" in run("curve", LOGS, "-q", "--format", "methods", code=2).stderr


def test_a_hint_is_given_where_nothing_better_is_known(tmp_path):
    assert "of your own" not in run("score", LOGS, "-m", "pas@8", code=2).stderr
    assert "package.module:Class(k=8) is one of your own" in run("score", LOGS, "-m", "xyzzy", code=2).stderr
    (tmp_path / "runs.csv").write_text("question,correct\n" + "".join(f"q{i},{i % 2}\n" for i in range(8)))
    (tmp_path / "labels.csv").write_text("question,label\nQ1,1\nq2,0\nq3,1\n")
    done = run("judge", tmp_path / "runs.csv", "--labels", tmp_path / "labels.csv", code=2)
    assert "lack: 'Q1', of which some differ in capitals only" in done.stderr


@pytest.mark.filterwarnings("default:the name of the outcomes")
def test_outcomes_whose_name_says_that_less_is_better_are_warned_of(tmp_path):
    (tmp_path / "runs.csv").write_text("model,question,is_error\na,q1,1\na,q2,0\na,q3,0\n")
    command = ("score", tmp_path / "runs.csv", "--score", "is_error", "-q")
    assert "--level 1=0 --level 0=1 turns 0 and 1 around" in run(*command).stderr
    turned = run(*command, "--level", "1=0", "--level", "0=1")
    assert ("0.667" in turned.stdout, turned.stderr) == (True, "")


def test_draws_are_not_called_trials():
    """Whoever joins by the names of trials must not meet numbers that are none."""
    assert run("convert", LOGS, "-q").stdout.startswith("model,question,draw,outcome\n")


def test_what_is_left_out_is_named_and_not_called_read(tmp_path):
    for name, head, rows in (
        ("a.csv", "model,question,correct", ["alpha,q1,1", "alpha,q2,0"]),
        ("b.csv", "model,question,correct", ["beta,z1,1", "beta,z2,0"]),
        ("c.csv", "model,task,question,correct", ["gamma,sums,q1,1", "delta,sums,q1,0"]),
    ):
        (tmp_path / name).write_text("\n".join([head, *rows]))
    done = run("rank", tmp_path, "--skip-bad")
    assert "left out task no task: 'alpha', 'beta': " in done.stderr
    assert "one folder or file at a time, or --only ..." in done.stderr
    assert done.stderr.count("read 1 file") == 1
    told = json.loads(run("rank", tmp_path, "--skip-bad", "--format", "json").stdout)["settings"]["left_out"]
    assert told == done.stderr.splitlines()[:1]
    (tmp_path / "d.csv").write_text("model,task,question,correct\na,t,1,1\nb,u,1,1")
    assert "take one task at a time, --task ..., or models" in run("rank", tmp_path / "d.csv", code=2).stderr
