"""Tables as people make them: each is read as it is meant, or refused or warned of in words that say what to do."""

import json

import pytest

from helpers.written import counts, refused, table, write_json, write_lines
from scorio import OutcomeSet, read
from scorio.errors import PoolingWarning

GRADED = {"a": {"q1": [0, 0, 1, 0], "q2": [0, 0, 0, 1]}, "b": {"q1": [1, 0, 0, 0], "q2": [0, 1, 0, 0]}}
BINARY = {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [0, 1], "q2": [0, 1]}}


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("model,question,score\na,q1,50 %\na,q2,100 %\nb,q1,0 %\nb,q2,25 %\n", GRADED),
        ("model;question;score;\na;q1;0,5;\na;q2;1;\nb;q1;0;\nb;q2;0,25;\n", GRADED),
        (",model,question,correct\n0,a,q1,1\n1,a,q2,0\n2,b,q1,1\n3,b,q2,1\n", BINARY),
        ("llm,question,correct\na,q1,1\na,q2,0\nb,q1,1\nb,q2,1\n", BINARY),
        ("model,question,correct\na,q1, TRUE\na,q2,FALSE \nb,q1,True\nb,q2,true\n", BINARY),
        (
            "Model,Question,Correct answer,Is correct?\na,q1,A,Yes\na,q2,A,No\nb,q1,A,Yes\nb,q2,A,Yes\n",
            BINARY,
        ),
        (
            "model,question,epoch_1,epoch_2,mean\na,q1,1,0,0.5\na,q2,0,0,0\nb,q1,1,1,1.0\nb,q2,0,0,0\n",
            {"a": {"q1": [1, 1], "q2": [2, 0]}, "b": {"q1": [0, 2], "q2": [2, 0]}},
        ),
    ],
)
def test_tables_that_are_read_as_they_are_meant(text, truth, tmp_path):
    assert counts(read(table(tmp_path, text))) == truth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,question,run,,\n,,1,2,3\na,q1,1,0,1\n", "no column of outcomes was found"),
        ("model,question,correct\na,q1,1\na,q2,0\n,TOTAL,1\n", "line 4: the model is empty"),
        ("model,question,prediction,correct\na,q1,A,A\na,q2,B,A\n", "line 2: 'A' is not an outcome"),
        ("model,question,accuracy\na,q1,50\na,q2,100\n", "'accuracy' is 50, which is not from 0 to 1"),
        ("question,try1,try2\nq1,C,E\nq2,C,C\n", "line 2: 'E' is not an outcome"),
        ("# my results, 2026\nmodel,question,correct\na,q1,1\n", "if the first line is a title, remove it"),
        (
            "model,question,correct\na,q1,1\na,q2,0\na,Durchschnitt,0.5\n",
            "the row 'Durchschnitt' is no question: it holds the means or sums of the others",
        ),
    ],
)
def test_tables_that_are_refused(text, message, tmp_path):
    refused(table(tmp_path, text), message)


@pytest.mark.parametrize(
    ("head", "advice"),
    [
        ("question,answer,gpt-4o,claude-3", r": score=.*; fields=\{\"models\": \[\"...\"\]\} names"),
        ("question,gpt_run1,gpt_run2,claude_run1,claude_run2", ""),  # neither runs nor models alone are columns
        ("model,question,trial,status", ""),
    ],
)
def test_no_advice_takes_keys_or_trials_for_models(head, advice, tmp_path):
    rows = ["x" + ",1" * head.count(","), "y" + ",0" * head.count(",")]
    error = refused(table(tmp_path, "\n".join([head, *rows])), f"no column of outcomes was found.*{advice}")
    assert ("models" in str(error)) == bool(advice)


def test_models_in_a_column_of_another_name_are_warned_of(tmp_path):
    """Else the answers of two models count as trials of one, which is called like the file."""
    rows = [
        {"meta": {"model": model}, "question": f"q{i}", "score": int(i > 0 or model == "a"), "note": f"{model}{i}"}
        for model in "ab"
        for i in range(3)
    ]
    path = write_lines(tmp_path / "m.jsonl", rows)
    with pytest.warns(PoolingWarning, match="differ in 'meta.model', which may name models"):
        assert counts(read(path)) == {"m": {"q0": [1, 1], "q1": [0, 2], "q2": [0, 2]}}
    assert list(read(path, fields={"model": "meta.model"})) == ["a", "b"]


def test_numbers_that_begin_again_in_each_subject_are_warned_of(tmp_path):
    path = table(tmp_path, "model,subject,question,correct\na,math,1,1\na,math,2,0\na,law,1,1\na,law,2,1\n")
    with pytest.warns(PoolingWarning, match="differ in 'subject'"):
        read(path)


def test_objects_of_lists_and_of_records_say_what_to_do(tmp_path):
    nested = {"a": {"q1": [1, 0], "q2": [1, 1]}, "b": {"q1": [0, 0], "q2": [1, 0]}}
    path = write_json(tmp_path / "m.json", nested)
    refused(path, "but an object of lists: .*pass what json.load returns to OutcomeSet")
    assert counts(OutcomeSet(json.loads(path.read_text())))["a"] == {"q1": [1, 1], "q2": [0, 2]}
    records = {"model": "a", "results": [{"question": "q1", "correct": True}]}
    refused(
        write_json(tmp_path / "r.json", records), "but an object with records in 'results': write that list to a file"
    )
