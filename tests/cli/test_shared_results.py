"""Results as others publish them: Every Eval Ever, and model pages of the Hugging Face Hub."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from helpers.command import run
from helpers.written import write_lines
from scorio import OutcomeMatrix, OutcomeSet, PassAtK, Suite, read
from scorio.integrations.shared_results import write_results
from scorio.io._outcome_table import question_trials

TOOL = shutil.which("every_eval_ever")  # it needs Python 3.12, so it may be in an environment of its own
RANDOM = np.random.default_rng(5)
ROWS = [
    {"task": task, "model": model, "question": f"q{q}", "trial": i, "correct": bool(RANDOM.random() < 0.6)}
    for task in ("sums", "words")
    for model in ("lab/a", "lab/bee:1")
    for q in range(6)
    for i in range(4)
]


@pytest.fixture
def table(tmp_path):
    rows = [row | ({"correct": None} if (row["question"], row["trial"]) == ("q2", 3) else {}) for row in ROWS]
    return write_lines(tmp_path / "runs.jsonl", rows)


def records(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


def test_records_have_the_mean_and_its_interval(table, tmp_path):
    run("convert", table, "--to", "eee", "-o", tmp_path / "out")
    suite = read(table)
    found = records(tmp_path / "out")
    assert len(found) == 4
    for record in found:
        (result,) = record["evaluation_results"]
        matrix = suite[result["evaluation_name"]][record["model_info"]["id"]]
        interval = PassAtK(k=1).interval(matrix, prior="learned")
        about = result["score_details"]
        assert about["score"] == PassAtK(k=1).score(matrix)
        assert about["uncertainty"]["standard_error"]["value"] == interval.sigma
        ends = about["uncertainty"]["confidence_interval"]
        assert (ends["lower"], ends["upper"], ends["confidence_level"]) == (interval.lo, interval.hi, 0.95)
        assert about["uncertainty"]["num_samples"] == 23
        assert about["details"] == {"questions": "6", "trials": "23", "planned_trials": "24"}
        samples = tmp_path / "out" / record["detailed_evaluation_results"]["file_path"]
        assert len(samples.read_text().splitlines()) == record["detailed_evaluation_results"]["total_rows"] == 24


@pytest.mark.parametrize("values", [[0.0, 1.0], [0.0, 0.5, 1.0], [-2.0, 0.1, 1 / 3]])
def test_any_outcomes_read_back_the_same(values, tmp_path):
    random = np.random.default_rng(1)
    rows = random.choice([*values, None], size=(5, 6)).tolist()
    rows[0][: len(values)] = values
    names, clusters = ["q/1", "007", "é\n", "data", "x" * 300], ["c", "c", "e", "f", "d"]
    matrix = OutcomeMatrix.from_rewards(rows, questions=names, clusters=clusters, missing="omit")
    outcomes = OutcomeSet({"m [temperature=1.0]": matrix, "data": matrix})
    write_results(Suite({"a/b": outcomes}), tmp_path)
    again = read(tmp_path)
    assert {name: again[name] for name in sorted(again)} == {name: outcomes[name] for name in sorted(outcomes)}
    assert again["data"].planned_trials.tolist() == matrix.planned_trials.tolist()
    assert again.clusters == outcomes.clusters


def test_answers_and_scores_read_back_the_same(tmp_path):
    rows = [row | {"answer": f"a{row['trial']}", "judge": row["trial"] / 4} for row in ROWS if row["task"] == "sums"]
    table = write_lines(tmp_path / "runs.jsonl", rows)
    keep = ("--keep", "answers", "--keep", "judge")
    run("convert", table, *keep, "--score", "correct", "--to", "eee", "-o", tmp_path / "out")
    first = read(table, keep=("answers", "judge"), score="correct")
    again = read(tmp_path / "out", keep=("answers", "judge"))
    for name in first:
        kept = [
            {row.question: sorted(map(str, row.kept)) for row in question_trials(each[name], "m")}
            for each in (first, again)
        ]
        assert kept[0] == kept[1]


def test_hub_results_have_trials_and_interval(table, tmp_path):
    out = tmp_path / "out"
    ids = ("--dataset", "lab/sums", "--dataset", "words=lab/words")
    run("convert", table, "--to", "hf-eval-results", *ids, "-o", out)
    paths = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.yaml"))
    assert paths == [f"lab_{model}/.eval_results/{task}.yaml" for model in ("a", "bee_1") for task in ("sums", "words")]
    text = (out / paths[1]).read_text()
    matrix = read(table)["words"]["lab/a"]
    interval = PassAtK(k=1).interval(matrix, prior="learned")
    fields = dict(re.findall(r"^ *(?:- )?(\w+): (.+)$", text, flags=re.MULTILINE))
    assert json.loads(fields["id"]) == "lab/words"
    assert json.loads(fields["task_id"]) == "words"
    assert float(fields["value"]) == pytest.approx(PassAtK(k=1).score(matrix), abs=1e-6)
    ends = f"[{interval.lo:.3f}, {interval.hi:.3f}]"
    assert json.loads(fields["notes"]).startswith(f"pass@1 of 23 trials on 6 questions, {ends}: 95% interval for these")


def test_hub_results_are_what_the_hub_takes(table, tmp_path):
    yaml, hub = pytest.importorskip("yaml"), pytest.importorskip("huggingface_hub")
    run("convert", table, "--to", "hf-eval-results", "--dataset", "lab/x", "-o", tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.yaml"):
        (entry,) = hub.parse_eval_result_entries(yaml.safe_load(path.read_text()))
        assert (entry.dataset_id, entry.task_id) == ("lab/x", path.stem)
        assert 0 <= entry.value <= 1


@pytest.mark.tools
@pytest.mark.skipif(TOOL is None, reason="every_eval_ever is not installed")
def test_the_tool_accepts_records(table, tmp_path):
    run("convert", table, "--to", "eee", "-o", tmp_path / "out")
    files = sorted((tmp_path / "out" / "data").rglob("*.json*"))
    checked = subprocess.run([TOOL, "validate", "--format", "json", *files], capture_output=True, text=True)
    reports = json.loads(checked.stdout)
    assert len(reports) == 8
    assert [(each["errors"], each["warnings"]) for each in reports] == [([], [])] * 8
