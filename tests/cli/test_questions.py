"""``scorio questions``, with a baseline and without: the library's answers, and the logs of each question."""

import json

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from scorio import read
from scorio.comparison import diff_questions

AURORA, DRIZZLE = f"{LOGS}/aurora-70b.json", f"{LOGS}/drizzle-1b.json"


def plain(records):
    return json.loads(json.dumps(records).replace("NaN", "null"))


def test_the_diff_is_the_librarys():
    outcomes = read(LOGS)
    expected = diff_questions(outcomes["drizzle-1b"], outcomes["aurora-70b"], fdr=0.2)
    answer = rows("questions", DRIZZLE, "--baseline", AURORA, "-q", "--fdr", "0.2")
    assert answer == plain(expected.as_records())
    text = run("questions", DRIZZLE, "--baseline", AURORA, "-q", "--fdr", "0.2").stdout
    assert f"{len(expected.improved)} improved and {len(expected.worse)} are worse" in text
    assert len(expected.worse) > 0
    assert rows("questions", LOGS, "--between", "drizzle-1b", "aurora-70b", "--fdr", "0.2", "-q") == answer


def test_options_of_the_list_are_not_for_what_changed():
    wrong = run("questions", DRIZZLE, "--baseline", AURORA, "--sort", "mean", code=2).stderr
    assert "--baseline cannot be combined with --sort" in wrong
    assert "--runs is for questions that changed" in run("questions", LOGS, "--runs", "random", code=2).stderr
