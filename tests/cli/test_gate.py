"""``scorio gate``: exit codes, files, and the workflow of the documentation as a shell script."""

import hashlib
import json
import re
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from helpers.command import LOGS, ROOT, run
from helpers.written import write_table

NEW, OLD = f"{LOGS}/borealis-70b.json", f"{LOGS}/aurora-70b.json"


@pytest.fixture
def folders(tmp_path):
    for folder, drop in (("old", 0), ("new", 3)):
        (tmp_path / folder).mkdir()
        for task in ("sums", "chess"):
            counts = [max(each - drop, 0) for each in (6, 5, 6, 4, 3, 6, 5, 6)]
            rows = [(task, "m", f"q{i}", n, int(n < count)) for i, count in enumerate(counts) for n in range(6)]
            write_table(tmp_path / folder / f"{task}.csv", ["task", "model", "question", "trial", "correct"], rows)
    return tmp_path


def test_several_tasks_in_two_folders(folders):
    done = run("gate", folders / "new", "--baseline", folders / "old", "-q", "--format", "json", code=1)
    rows = json.loads(done.stdout)["rows"]
    assert [row["task"] for row in rows] == ["chess", "sums", "overall"]
    assert all(row["baseline_score"] == pytest.approx(41 / 48) for row in rows)
    (folders / "new" / "sums.csv").unlink()
    error = run("gate", folders / "new", "--baseline", folders / "old", "-q", code=2).stderr
    assert "the new has no outcomes of 1 task of the baseline: 'sums'" in error


def test_two_models_of_one_folder():
    text = run("gate", LOGS, "--between", "borealis-70b", "aurora-70b", "-q").stdout
    assert text == run("gate", NEW, "--baseline", OLD, "-q").stdout


def test_summary_and_junit(tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    gate = ("gate", NEW, "--baseline", OLD, "-q", "--mode", "noninferior")
    run(*gate, "--junit", tmp_path / "gate.xml", code=3)
    text = summary.read_text()
    assert text.startswith("before\n**gate undecided: borealis-70b against aurora-70b**")
    assert "| pass@1 | 0.629 | 0.600 |" in text
    suite = ET.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("1", "0", "1")


def test_no_verdict_is_printed_before_its_files_are_written(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))  # a folder cannot be appended to
    done = run("gate", NEW, "--baseline", OLD, "-q", "--max-drop", "0.15", code=2)
    assert done.stdout == ""
    assert str(tmp_path) in done.stderr


@pytest.mark.filterwarnings("ignore::scorio.errors.QuestionsWarning")
@pytest.mark.parametrize("mode", ["worse", "noninferior"])
def test_a_run_that_died_stops_the_pipeline(tmp_path, mode):
    """The calls that once passed: other questions, and one question of sixty."""

    def table(name, questions, trials, outcome):
        rows = [f"{q},{n},{outcome(q, n)}" for q in questions for n in range(trials)]
        (tmp_path / name).write_text("\n".join(["question,trial,passed", *rows]) + "\n")
        return tmp_path / name

    mixed = lambda q, n: int((int(q[1:]) + n) % 5 < 3)
    old = table("old.csv", [f"q{i}" for i in range(60)], 4, mixed)
    other = table("other.csv", [f"z{i}" for i in range(60)], 8, mixed)
    one = table("one.csv", ["q0"], 4, lambda *_: 1)
    cut = table("cut.csv", [f"q{i}" for i in range(60)], 4, lambda q, n: mixed(q, n) if int(q[1:]) < 50 else "")
    options = ("-q", "--max-drop", "0.5", "--mode", mode)
    done = run("gate", other, "--baseline", old, *options, code=2)
    assert "share no question" in done.stderr
    for new, missing in ((one, 59), (cut, 10)):
        done = run("gate", new, "--baseline", old, *options, "--junit", tmp_path / "gate.xml", code=3)
        for text in (done.stdout, (tmp_path / "gate.xml").read_text()):
            assert f"the new model lacks {missing} of the 60 questions of the baseline" in text
        run("gate", new, "--baseline", old, *options, "--shared-only", code=0)
    run("gate", old, "--baseline", old, *options, code=0)


def test_a_drop_of_its_own_for_a_task(folders):
    pair = ("gate", folders / "new", "--baseline", folders / "old", "-q", "--format", "json")
    one = run(*pair, "--max-drop", "0.3", "--max-drop", "chess=0.9", code=1)
    rows = {row["task"]: row for row in json.loads(one.stdout)["rows"]}
    assert {task: row["max_drop"] for task, row in rows.items()} == pytest.approx(
        {"chess": 0.9, "sums": 0.3, "overall": 0.6}
    )
    assert [rows[task]["verdict"] for task in ("chess", "sums", "overall")] == ["passed", "failed", "passed"]
    default = json.loads(run(*pair, "--max-drop", "chess=0.9", code=1).stdout)["rows"]
    assert [row["max_drop"] for row in default] == pytest.approx([0.9, 0.02, 0.46])
    alone = json.loads(run(*pair, "--task", "chess", "--max-drop", "chess=0.9", code=0).stdout)["rows"]
    assert [(row["task"], row["max_drop"]) for row in alone] == [("chess", 0.9)]


def steps():
    """The scripts of the documented workflow, by name."""
    page = (ROOT / "docs" / "gates.md").read_text()
    block = page.partition("<!-- workflow -->")[2].partition("<!-- end of workflow -->")[0]
    found = {}
    for name, lines in re.findall(r"- name: (.*)\n        run: \|\n((?:          .*\n)+)", block):
        found[name] = "".join(line[10:] + "\n" for line in lines.splitlines())
    return found


@pytest.mark.parametrize(("model", "code"), [("borealis-70b", 0), ("drizzle-1b", 1), ("cut off", 3)])
def test_the_documented_workflow_is_a_script_that_runs(model, code, tmp_path):
    (script,) = steps().values()
    command = tmp_path / "bin" / "scorio"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scorio "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IEXEC)
    (tmp_path / "logs").mkdir()
    if code == 3:
        head, *lines = (ROOT / "examples" / "data" / "puzzles.csv").read_text().splitlines()
        rows = [line for line in lines if "borealis" in line]
        (tmp_path / "logs" / "new.csv").write_text("\n".join([head, *rows[: len(rows) // 2]]))
    else:
        (tmp_path / "logs" / "new.json").write_text((ROOT / LOGS / f"{model}.json").read_text())
    run("convert", OLD, "-q", "-o", tmp_path / "baseline.csv")
    env = {
        "PATH": f"{command.parent}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "page"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "page").read_text().startswith("**gate ")
    assert ET.parse(tmp_path / "gate.xml").getroot().tag == "testsuites"


TOML = '[[claim]]\nbest = "aurora-70b"\n[[claim]]\nholds = "`aurora-70b` > `drizzle-1b`"\n'


def test_a_file_of_claims_has_verdicts_exit_codes_and_digests_of_its_inputs(tmp_path, monkeypatch):
    file, summary = tmp_path / "claims.toml", tmp_path / "summary.md"
    file.write_text(TOML)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run("gate", LOGS, "--file", file, "-q", "--format", "json", "--junit", tmp_path / "claims.xml", code=3)
    answer = json.loads(done.stdout)
    assert [row["verdict"] for row in answer["rows"]] == ["undecided", "passed"]
    assert answer["settings"]["schema"] == "scorio-gate-file/1"
    digests = {each["file"]: (each["bytes"], each["sha256"]) for each in answer["settings"]["inputs"]}
    assert digests[str(file)] == (len(TOML), hashlib.sha256(TOML.encode()).hexdigest())
    assert len(digests) == 5
    suite = ET.parse(tmp_path / "claims.xml").getroot().find("testsuite")
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("2", "0", "1")
    assert "2 claims: 1 passed, 1 undecided" in summary.read_text()
    false = tmp_path / "false.json"
    false.write_text('{"claim": [{"best": "drizzle-1b"}]}')
    run("gate", LOGS, "--file", false, "-q", code=1)
