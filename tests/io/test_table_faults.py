"""Faults of tables are named, with file and line."""

import sqlite3
from contextlib import closing

import pytest

from helpers.written import counts, refused, table, write_lines
from scorio import read
from scorio.errors import AxesWarning, OutcomeError


def test_models_of_other_questions_are_refused(tmp_path):
    path = table(tmp_path, "model,question,correct\na,q1,1\nb,q2,1\n")
    refused(path, "m.csv: 'b' has no question in common with 'a'; it has 'q2'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("  \n\n", "the file is empty"),
        ("question,correct\n", "the table has no rows"),
        ("question,correct\nq1,1\nq2\n", "line 3 has 1 fields where the header has 2"),
        ("question,correct\nq1,1\nq2,1,1\n", "line 3 has 3 fields where the header has 2"),
        ("question,correct\nq1,C\nq2,0.5\n", "line 3: outcomes are words and numbers at once, 'C' and '0.5'"),
        ("question,correct\nq1,1\nq2,maybe\n", "line 3: 'maybe' is not an outcome"),
        ("question,correct\nq1,1\nq2,inf\n", "line 3: an outcome is infinite"),
        ("question,correct\nq1,1\n,1\n", "line 3: the question is empty"),
        ("question,correct,correct\nq1,1,1\n", "two columns are called 'correct'"),
        (
            "question,trial,correct\nq1,1,1\nq1,1,0\n",
            "line 3: trial '1' of question 'q1' is there twice",
        ),
        (
            "question,trial,correct\nq1,1,1\nq1,1,1\n",
            "line 3: trial '1' of question 'q1' is there twice",
        ),
        ("question,trial,correct\nq1,1,1\nq1,,0\n", "line 3: the trial is empty"),
        (
            "question,t1,t2\nq1,1,1\nq1,0,0\n",
            "line 3: question 'q1' is there twice, in a table with one row per question",
        ),
        (
            "question,n,c\nq1,5,2\nq1,5,2\n",
            "line 3: question 'q1' is there twice, in a table with one row per question",
        ),
        ("question,n,c\nq1,5,6\n", "line 2: there are 6 successes of 5 trials"),
        ("question,n,c\nq1,5,2.5\n", "line 2: a whole number from 0 to 2..53 was expected; got '2.5'"),
        ("question,n,c\nq1,5,-1\n", "line 2: a whole number from 0 to 2..53 was expected; got '-1'"),
        ("question,n,c\nq1,5,\n", "line 2: a whole number from 0 to 2..53 was expected; got ''"),
        ("question,n,c\nq1,9007199254740993,1\n", "whole number from 0 to 2..53 was expected; got '9007199254740993'"),
        ("question,n,c\nq1,9007199254740991.5,1\n", "whole number from 0 to 2..53 was .*; got '9007199254740991.5'"),
        ("question,n,c\nq1,1e99999999999999999999,1\n", "whole number from 0 to 2..53 was expected"),
        ("question,n,c\nq1,inf,1\n", "whole number from 0 to 2..53 was expected; got 'inf'"),
        ("question,n,c\nq1,nan,1\n", "line 2: a whole number from 0 to 2..53 was expected; got 'nan'"),
        ("question,cluster,correct\nq1,x,1\nq1,y,1\n", "question 'q1' is in two clusters, 'x' and 'y'"),
        ('question,correct\nq1,"1\n', "line 2 is not valid CSV"),
        ("question,correct\nq1,\n", "m.csv: no trial of 'm' has an outcome"),
        (
            "question,passed,correct\nq1,1,1\n",
            r"several columns may be the outcome, 'passed'",
        ),
        ("answer,correct\nq1,1\n", r"no column of questions was found; .*: fields=\{\"question\": \"...\"\} names it"),
        ("question,trial,note1,note2\nq1,1,x,y\n", "no column of outcomes was found"),
        (
            "question,a1,b1\nq1,1,0\n",
            r"the columns are 'a1', 'b1': score=\"...\" names it, .*; fields=\{\"models\": \[\"...\"\]\} names",
        ),
        ("question,gpt4,gpt5\nq1,1,0\n", "no column of outcomes was found"),
        (
            "question,trial_1,trial_2,correct\nq1,1,0,1\n",
            "'correct' may be the outcome, or 'trial_1', 'trial_2' may be the outcomes of one trial each",
        ),
        (
            "question,total,correct\nq1,5,3\n",
            "is read as the outcome of one trial, but column 'total' counts trials",
        ),
        ("question,correct\nq1,3\n", "line 2: 'correct' is 3, which is not from 0 to 1: score="),
        ("question,accuracy\nq1,-1\n", "line 2: 'accuracy' is -1, which is not from 0 to 1"),
        ("question,passed_1,passed_2\nq1,1,2\n", "line 2: 'passed_1' is 2, which is not from 0 to 1"),
        ("question,pass@1,pass@5\nq1,1,1\n", "no column of outcomes was found"),
        ("question,n,c\nq1,0,0\n", "m.csv: no trial of 'm' has an outcome"),
        ("just words\n", "it is of no known format"),
        ("question,n,note\nq1,5,x\n", "no column of outcomes was found"),
    ],
)
def test_faults_are_named(tmp_path, text, message):
    path = table(tmp_path, text)
    caught = refused(path, message)
    assert "\n" not in str(caught)
    assert str(path) in str(caught)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"question": "q1", "correct": 1}\n{"question": "q2", "corr', "line 2: the JSON ends in the middle"),
        ('{"question": "q1", "correct": 1}\n{"question": "q2"}\n', "line 2: the row has no 'correct'"),
        ('{"question": "q1", "correct": 1}\n[1, 2]\n', "line 2: an object was expected"),
        ('{"question": "q1", "correct": 1}\nq2\n', "line 2: not JSON at line 1, column 1"),
        (
            '{"question": "q1", "correct": 1}\n{"question": "q2", "correct": [1, 0]}\n',
            "line 2: 'correct' must be a plain",
        ),
        ('{"question": "q1", "correct": true}\n{"question": "q2", "correct": 0.5}\n', "words and numbers at once"),
    ],
)
def test_faults_of_json_lines_are_named(tmp_path, text, message):
    refused(table(tmp_path, text, "m.jsonl"), f"m.jsonl: {message}"[:80] if "words" not in message else message)


def test_a_question_without_a_cluster_among_others(tmp_path):
    rows = [{"question": "q1", "cluster": "x", "correct": 1}, {"question": "q2", "cluster": None, "correct": 1}]
    refused(write_lines(tmp_path / "m.jsonl", rows), "the cluster is empty")
    with_one = table(tmp_path, "question,cluster,correct\nq1,x,1\n", "1.csv")
    without = table(tmp_path, "question,correct\nq2,1\n", "2.csv")
    refused([with_one, without], "2.csv: question 'q2' is in no cluster, others are", model="m")


def test_a_run_s_name_may_not_tell_trials_apart(tmp_path):
    path = table(tmp_path, "run_id,question,correct\nx,q1,1\nx,q1,0\n")
    refused(path, r"fields=\{\"trial\": None\} if 'run_id' does not number the trials")
    assert counts(read(path, fields={"trial": None})) == {"m": {"q1": [1, 1]}}


@pytest.mark.parametrize("head", ["run,q1,q2,q3", "model,q1,q2,q3", "model,epoch,Item 1,Item 2"])
def test_a_table_with_a_column_per_question_is_to_be_transposed(head, tmp_path):
    n = head.count(",")
    path = table(tmp_path, "\n".join([head, "a" + ",1" * n, "b" + ",0" * n]))
    refused(path, "no column of questions .* if the questions are the columns, transpose")


def test_runs_that_are_named_as_questions_are_warned_of(tmp_path):
    path = table(tmp_path, "run,q1,q2,q3\n1,1,0,1\n2,0,0,1\n")
    with pytest.warns(AxesWarning, match="the rows of 'run' are read as questions"):
        read(path, fields={"question": "run"})


def test_a_store_of_mlflow_names_its_query(tmp_path):
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as store:
        for name in ("runs", "trace_info", "assessments"):
            store.execute(f"CREATE TABLE {name} (id)")
    refused(tmp_path / "mlflow.db", "it is a store of mlflow, for which the page on readers has a query")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("question,op_name,output.scores.match.correct,latency", 'score="output.scores.match.correct" names it'),
        ("question,Name,exact_match_score,started", 'score="exact_match_score" names it'),
        ("question,Name,exact_match_score,judge_score", "perhaps 'exact_match_score', 'judge_score'"),
    ],
)
def test_exports_of_trackers_are_told_which_column_may_have_the_outcomes(columns, said, tmp_path):
    (tmp_path / "a.csv").write_text(f"{columns}\nq1,a,1,0.5\n")
    error = refused(tmp_path / "a.csv", "no column of outcomes was found")
    assert said in str(error)


def test_a_text_among_lists_of_outcomes_is_named(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text('{"question": "q1", "correct": [1, 0]}\n{"question": "q2", "correct": ":"}\n')
    with pytest.raises(OutcomeError, match="'correct' must be a list, as in other rows; got ':'"):
        read(path)
