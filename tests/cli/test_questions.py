"""``scorio questions`` and ``scorio diff``: the library's answers, and the logs of each question."""

import json

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import describe_questions, diff_questions, read

AURORA, DRIZZLE = f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json"


def plain(records):
    return json.loads(json.dumps(records).replace("NaN", "null"))


def test_questions_are_the_librarys():
    expected = describe_questions(read(LOGS)).sorted()
    assert rows("questions", LOGS, "-q") == plain(expected._records())
    ascending = expected.sorted("discrimination", descending=False).first(3)
    answer = rows("questions", LOGS, "-q", "--sort", "discrimination", "--ascending", "--top", "3", "--by-model")
    assert answer == plain(ascending._records("model"))
    assert len(answer) == 3 * 4


def test_flags_choose_questions():
    text = run("questions", LOGS, "-q", "--flag", "never solved").stdout
    assert text.splitlines()[0] == "1 question: 1 never solved"
    (row,) = rows("questions", LOGS, "-q", "--flag", "never solved")
    assert (row["question"], row["reasons"]) == ("q01", "no success in 24 trials of 4 models")


def test_the_diff_is_the_librarys_and_names_logs():
    outcomes = read(LOGS)
    expected = diff_questions(outcomes["drizzle-1b"], outcomes["aurora-70b"], fdr=0.2)
    answer = rows("diff", DRIZZLE, "--baseline", AURORA, "-q", "--fdr", "0.2")
    numbers = [{name: value for name, value in row.items() if not name.endswith("_log")} for row in answer]
    assert numbers == plain(expected._records())
    assert {(row["old_log"], row["new_log"]) for row in answer} == {(AURORA, DRIZZLE)}
    text = run("diff", DRIZZLE, "--baseline", AURORA, "-q", "--fdr", "0.2").stdout
    assert f"{len(expected.improved)} improved and {len(expected.worse)} are worse" in text
    assert len(expected.worse) > 0
    assert text.count(DRIZZLE) == len(expected.of_kind("improved", "worse", "flipped"))


def test_two_models_of_one_folder():
    answer = rows("diff", LOGS, "-q", "--between", "drizzle-1b", "aurora-70b")
    assert {(row["old_log"], row["new_log"]) for row in answer} == {(AURORA, DRIZZLE)}
    assert "name the baseline's logs with --baseline" in run("diff", LOGS, "-q", code=2).stderr


def test_several_tasks(tmp_path):
    for folder, value in (("old", "C"), ("new", "I")):
        (tmp_path / folder).mkdir()
        for task in ("sums", "chess"):
            ids = ["q1", "q2"]
            samples = [inspect_sample(name, i + 1, value if name == "q1" else "C") for name in ids for i in range(8)]
            header = inspect_header("lab/m", ids, 8, task, f"{folder}-{task}")
            inspect_eval(tmp_path / folder / f"{task}.eval", samples, header)
    answer = rows("diff", tmp_path / "new", "--baseline", tmp_path / "old", "-q")
    assert [(row["task"], row["question"], row["change"]) for row in answer] == [
        *(("chess", "q1", "worse"), ("chess", "q2", "same")),
        *(("sums", "q1", "worse"), ("sums", "q2", "same")),
    ]
    assert answer[2]["new_log"] == str(tmp_path / "new" / "sums.eval")
    listed = rows("questions", tmp_path / "old", "-q", "--sort", "question", "--ascending")
    assert [(row["task"], row["question"]) for row in listed] == [
        (t, q) for t in ("chess", "sums") for q in ("q1", "q2")
    ]
