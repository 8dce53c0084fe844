"""Options of reading on the command line: what Python can do, options can."""

import json

import pytest

from helpers.command import LOGS, rows, run
from helpers.written import inspect_eval, inspect_header, inspect_sample, lm_eval_file, lm_eval_row, refused
from scorio import ParameterError, read
from scorio.metrics._registry import as_metric


@pytest.fixture
def sweep(tmp_path):
    """Two runs of one model at two temperatures, and one more run at the second."""
    for i, temperature in enumerate([0.0, 1.0, 1.0]):
        header = inspect_header(epochs=1, run=f"run {i}")
        header["eval"]["model_generate_config"] = {"temperature": temperature}
        inspect_eval(tmp_path / f"{i}.eval", [inspect_sample(q, 1, "C" if i else "I") for q in ("q1", "q2")], header)
    return tmp_path


def names(*args):
    return [row["model"] for row in rows("score", *args)]


def test_pooling_of_conditions(sweep):
    assert names(sweep) == ["lab/one [temperature=0.0]", "lab/one [temperature=1.0]"]
    for condition in ("temperature", "all"):
        (row,) = rows("score", sweep, "--pool", condition)
        assert row["score"] == pytest.approx(2 / 3)
    assert "--pool has an unknown condition 'heat'" in run("score", sweep, "--pool", "heat", code=2).stderr


def test_every_table_says_how_many_runs_were_added_up(sweep):
    note = "added up: 2 runs of lab/one [temperature=1.0]"
    for command in ("score", "rank", "curve", "compare"):
        done = run(command, sweep)
        assert done.stdout.splitlines()[-1] == note
        assert note in done.stderr
    answer = json.loads(run("score", sweep, "--format", "json").stdout)
    assert answer["settings"]["runs"] == {"lab/one [temperature=1.0]": 2}
    assert "added up" not in run("score", LOGS).output


def test_separated_runs_can_be_renamed_and_compared(sweep):
    hot, cold = "lab/one [temperature=1.0]", "lab/one [temperature=0.0]"
    assert names(sweep, "--model", f"hot={hot}") == [cold, "hot"]
    assert names(sweep, "--model", "a=lab/one") == ["a [temperature=0.0]", "a [temperature=1.0]"]
    (row,) = rows("compare", sweep, "--between", hot, cold)
    assert row["difference"] > 0.5
    (row,) = rows("compare", sweep, "--model", f"hot={hot}", "--between", "hot", cold)
    assert row["difference"] > 0.5
    assert names(sweep, "--model", "m [all=1]") == ["m [all=1] [temperature=0.0]", "m [all=1] [temperature=1.0]"]
    wrong = run("score", sweep, "--model", "hot=lab/one [temperature=2.0]", code=2).stderr
    assert "'lab/one [temperature=2.0]' is neither a model nor a path; the models are" in wrong
    assert set(read(sweep, model={hot: "hot", cold: "cold"})) == {"hot", "cold"}


def test_responses_are_graded_by_a_function(tmp_path, monkeypatch):
    path = lm_eval_file(tmp_path, [lm_eval_row(0, 0.5, resps=(("yes", "no"),))], model="m")
    (tmp_path / "graders.py").write_text("def says_yes(response):\n    return response == 'yes'\n\nWORDS = 'yes'\n")
    monkeypatch.syspath_prepend(tmp_path)
    run("convert", path, "--grade", "graders:says_yes", "-o", tmp_path / "graded.csv")
    (row,) = rows("score", tmp_path / "graded.csv")
    assert row["score"] == 0.5
    for wrong, message in {
        "graders": "'graders' is not of the form package.module:function",
        "graders:WORDS": "'graders:WORDS' is no function; it is 'yes'",
        "graders:says_no": "module 'graders' has no 'says_no'",
        "no_graders:f": "no module named 'no_graders'",
    }.items():
        assert message in run("convert", path, "--grade", wrong, code=2).stderr
    advice = "scorio convert --grade ... grades each response"
    assert advice in run("score", path, code=2).stderr
    assert advice.removeprefix("scorio convert ") in run("convert", path, code=2).stderr
    known = "No such option '--grade': scorio convert has it, and every command reads its file"
    assert known in run("score", path, "--grade", "graders:says_yes", code=2).stderr


def test_what_a_metric_needs_of_logs_is_read(tmp_path):
    table, saved = tmp_path / "runs.csv", tmp_path / "runs.npz"
    table.write_text(
        "model,question,trial,correct,answer,checker\n"
        + "".join(f"m,q{q},{n},{int(n < 2)},{n // 2},{n / 4}\n" for q in range(3) for n in range(3))
    )
    for metric in ("vote@3", "best@3:by=checker", "weighted_vote@3:by=checker"):
        (row,) = rows("score", table, "-m", metric)
        assert row["score"] == pytest.approx(as_metric(metric).score(read(table, keep=["answers", "checker"])["m"]))
    run("convert", table, "--keep", "answers", "-o", saved)
    assert rows("score", saved, "-m", "vote@3") == rows("score", table, "-m", "vote@3")


def test_saved_counts_lose_nothing(tmp_path):
    table, target = tmp_path / "runs.csv", tmp_path / "counts.npz"
    table.write_text("model,question,cluster,reward\na,007,x,0.5\na,007,x,\na,b,y,2\na,NA,y,-1\n")
    run("convert", table, "-o", target)
    assert read(target) == read(table)
    copy = target.with_name("copy.npz")
    copy.write_bytes(target.read_bytes())
    assert "both files hold the part" in run("score", target, copy, code=2).stderr


def test_a_pattern_that_chooses_no_model_is_an_error(sweep):
    assert names(sweep, "--only", "*1.0]") == ["lab/one [temperature=1.0]"]
    assert names(sweep, "--only", "lab/one [temperature=0.0]") == ["lab/one [temperature=0.0]"]
    assert read(sweep, only=["*0.0]"]).models == ("lab/one [temperature=0.0]",)
    refused(LOGS, "only has an unknown name", by=ParameterError, only=["aurora*", "dizzle*"])
    new = run("compare", LOGS, "-q", "--only", "a*", "--only", "b*").stdout
    assert "aurora-70b against borealis-70b" in new
