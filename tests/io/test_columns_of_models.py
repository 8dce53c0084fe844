"""Tables with one column per model."""

import pytest

from helpers.written import counts, refused, table
from scorio import read

WIDE = "question,gpt,claude,topic\nq1,1,0,x\nq2,1,1,y\nq3,0,,x\n"
TRUTH = {"gpt": {"q1": [0, 1], "q2": [0, 1], "q3": [1, 0]}, "claude": {"q1": [1, 0], "q2": [0, 1], "q3": [0, 0]}}


@pytest.mark.parametrize("models", [["gpt", "claude"], ["[gc]*"]])
def test_each_column_is_a_model(tmp_path, models):
    outcomes = read(table(tmp_path, WIDE), fields={"models": models})
    assert counts(outcomes) == TRUTH
    assert outcomes["claude"].planned_trials.tolist() == [1, 1, 1]


def test_rows_of_a_question_are_its_trials(tmp_path):
    text = "question,trial,gpt,claude\nq1,1,1,0\nq1,2,1,1\nq2,1,0,0\nq2,2,1,0\n"
    truth = {"gpt": {"q1": [0, 2], "q2": [1, 1]}, "claude": {"q1": [1, 1], "q2": [2, 0]}}
    assert counts(read(table(tmp_path, text), fields={"models": "*"})) == truth
    unnamed = "question,gpt,claude\nq1,1,0\nq1,1,1\nq2,0,0\nq2,1,0\n"
    assert counts(read(table(tmp_path, unnamed), fields={"models": "*"})) == truth
    refused(table(tmp_path, text.replace("q1,2", "q1,1")), "has trial '1' of one run twice", fields={"models": "*"})


def test_the_error_names_the_call_that_reads_models(tmp_path):
    error = refused(table(tmp_path, "question,gpt,claude\nq1,1,0\n"), r'fields={"models": \["..."\]} names the columns')
    assert "trial=" not in str(error)
    assert '"trial"' not in str(error)


def test_numbered_columns_may_be_trials_or_models(tmp_path):
    refused(
        table(tmp_path, "question,gen 1,gen 2\nq1,1,0\n"), r'{"trial": "gen\*"} reads one column per trial; .*models'
    )


@pytest.mark.parametrize(
    ("text", "models", "match"),
    [
        (WIDE, "llama*", r"unknown column 'llama\*'"),
        (WIDE, "*", "line 2, column 'topic'"),
        ("question,model,gpt,claude\nq1,m,1,0\n", "*", "'model' is a column of models already"),
    ],
)
def test_patterns_that_cannot_be_models(tmp_path, text, models, match):
    refused(table(tmp_path, text), match, fields={"models": models})
