"""What commands say: names of models, reasons, options that exist, and numbers as people write them."""

import json
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, ROOT, run
from scorio import Leaderboard, OutcomeMatrix, compare, diagnose, gate
from scorio.errors import QuestionsWarning
from scorio.io import recognise

AURORA = ROOT / "examples" / "logs" / "inspect" / "aurora-70b.json"


def table(folder, name, questions, outcomes="1100"):
    """Write a table of one model with these questions, four trials each."""
    path = folder / f"{name}.csv"
    rows = [f"{name},{question},{t},{each}" for question in questions for t, each in enumerate(outcomes)]
    path.write_text("\n".join(["model,question,trial,correct", *rows]) + "\n")
    return path


def test_models_without_a_shared_question_are_not_compared(tmp_path):
    """Compare refuses them as gate and rank do, by name, and sees that names differ in capitals only."""
    one, other = table(tmp_path, "alpha", ["Q1", "Q2"]), table(tmp_path, "beta", ["q1", "q2"])
    done = run("compare", one, other, code=2)
    assert "'alpha' and 'beta' share no question, though some names differ in capitals only" in done.output
    done = run("compare", one, other, "--unpaired")
    assert "alpha" in done.output
    third = table(tmp_path, "gamma", ["x", "y"])
    assert "share no question:" in run("compare", one, third, code=2).output


def test_the_warning_of_different_questions_names_the_models():
    sides = ([[1, 0]] * 3, [[1, 1]] * 3)
    one, other = OutcomeMatrix(sides[0], questions=list("abc")), OutcomeMatrix(sides[1], questions=list("abd"))
    with pytest.warns(QuestionsWarning, match="new and old have different questions, 3 and 3, 2 of them shared"):
        compare("pass@1", one, other, names=("new", "old"))


@pytest.mark.filterwarnings("default::scorio.errors.QuestionsWarning")
def test_a_report_names_only_options_that_it_has(tmp_path):
    one, other = table(tmp_path, "alpha", ["a", "b", "c"]), table(tmp_path, "beta", ["a", "b"])
    done = run("report", one, "--baseline", other, "-o", tmp_path / "page.html")
    said = " ".join(done.output.split())
    assert "2 of them shared: compare on the shared questions (--shared-only)" in said
    assert "(scorio compare --unpaired)" in said  # report has no such option
    run("report", one, "--baseline", other, "--shared-only", "-o", tmp_path / "page.html")


def test_a_model_that_is_unknown_is_named(tmp_path):
    for name in ("alpha", "beta"):
        table(tmp_path, name, ["a", "b"])
    done = run("compare", tmp_path, "--between", "alpha", "betta", code=2)
    assert "there is no model 'betta'" in done.output


@pytest.fixture
def crashed(tmp_path):
    """Two logs, of which one ended with an error before any sample was scored."""
    log = json.loads(AURORA.read_text())
    (tmp_path / "sound.json").write_text(json.dumps(log))
    log["eval"] |= {"model": "mock/crashed"}
    log |= {"status": "error", "samples": [], "error": {"message": "ConnectionError: the server went away\nline 2"}}
    (tmp_path / "crashed.json").write_text(json.dumps(log))
    return tmp_path


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_a_crashed_log_says_its_error(crashed, command):
    said = run(command, crashed / "crashed.json", code=2).output if command != "compare" else ""
    said = said or run(command, crashed, "--between", "aurora-70b", "mock/crashed", code=2).output
    assert "ConnectionError: the server went away" in said
    assert "line 2" not in said


def test_the_doctor_says_what_ended_a_log(crashed):
    log = json.loads((crashed / "crashed.json").read_text())
    log["samples"] = json.loads(AURORA.read_text())["samples"][:100]
    log["error"]["message"] = "RuntimeError: GPU fell off the bus"
    (crashed / "crashed.json").write_text(json.dumps(log))
    said = str(diagnose(recognise(crashed)))
    assert "a log of mock/crashed ends with an error: RuntimeError: GPU fell off the bus" in " ".join(said.split())


def test_numbers_of_trials_are_written_as_people_write_them():
    """About "1.3e+02 times as many" trials is no number that anybody says."""
    result = gate("pass@1", [[1, 0, 1, 1]] * 30, [[1, 1, 0, 1]] * 30, max_drop=0.011)
    assert "e+" not in str(result)
    assert "times as many" in str(result)


def test_every_log_of_the_examples_is_sound():
    assert not [each for each in recognise(LOGS).sources if each.run.notes.get("error")]


HARMFUL = ["[1cm]", "*best", "@octocat", "see http://a.b", "www.a.b", "not\ufffea\uffffchar"]


def test_names_stay_names_in_every_format():
    """A row of LaTeX may begin with a bracket or a star, Markdown mentions nobody, and XML has no noncharacters."""
    board = Leaderboard("pass@1", {name: [[i % 2, 1]] * 3 for i, name in enumerate(HARMFUL)})
    latex = board.to_latex()
    assert not [line for line in latex.splitlines() if line.lstrip().startswith(("[", "*"))]
    assert "{[}1cm]" in latex
    assert "{*}best" in latex
    markdown = board.to_markdown()
    assert "@<!-- -->octocat" in markdown
    assert "pass@1" in markdown
    assert "http://" not in markdown
    assert "www." not in markdown
    verdict = gate("pass@1", [[0, 1]] * 4, {HARMFUL[-1]: [[0, 1]] * 4}, max_drop=0.5)
    xml = verdict.junit(HARMFUL)
    assert ET.fromstring(xml).find(".//system-err").text.endswith(r"not\ufffea\uffffchar")
