"""What a new user passes first: lists, dicts, records and words; each is taken, or refused in words."""

import numpy as np
import pytest

import scorio
from scorio import Leaderboard, OutcomeError, OutcomeMatrix, OutcomeSet, compare, eval as functions, gate

FLAT = [0, 1, 1, 0]
LABELED = OutcomeMatrix([[0, 1], [1, 1]], questions=["q1", "q2"])
RECORDS = [{"item": q, "is_correct": value} for q, value in (("q1", 0), ("q1", 1), ("q2", 1), ("q2", 1))]
SEVERAL = [{"model": name, **record} for name in "ab" for record in RECORDS]


def test_a_flat_list_stays_one_question_where_published():
    assert OutcomeMatrix(FLAT).counts.tolist() == [[2, 2]]
    assert functions.pass_at_k(FLAT, 2) == pytest.approx(1 - 1 / 6)


def test_flat_lists_of_compared_models_are_asked_about():
    for ask in (
        lambda one, other: compare("pass@1", one, other),
        lambda *both: Leaderboard("pass@1", dict(zip("ab", both, strict=True))),
    ):
        for values in (FLAT, np.array(FLAT)):
            with pytest.warns(scorio.errors.AxesWarning, match=r"one question with 4 trials; .*from_single_run"):
                ask(values, FLAT)
        ask([FLAT], [FLAT])
        ask(OutcomeMatrix.from_single_run(FLAT), OutcomeMatrix.from_single_run(FLAT))


@pytest.mark.parametrize("column", ["failed", "Error", "isWrong"])
@pytest.mark.parametrize("with_model", [True, False])
def test_a_column_of_failures_is_not_taken_for_successes(column, with_model):
    records = [
        {**({"model": "m"} if with_model else {}), "question": q, column: value}
        for q, value in zip("abcd", FLAT, strict=True)
    ]
    with pytest.raises(OutcomeError, match=f"no column of outcomes was found; the columns are '{column}'"):
        OutcomeSet(records) if with_model else OutcomeMatrix(records)
    with pytest.warns(scorio.errors.FilesWarning, match=f"'{column}', says that less is better"):
        stated = OutcomeMatrix.from_frame(records, question="question", outcome=column)
    assert stated.successes.tolist() == FLAT


def test_a_single_run():
    run = OutcomeMatrix.from_single_run(FLAT, ["a", "b", "c", "d"])
    assert run.counts.tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert run.questions == ("a", "b", "c", "d")
    assert OutcomeMatrix.from_single_run({"q1": "C", "q2": "I"}).successes.tolist() == [1, 0]
    assert OutcomeMatrix.from_single_run([1, None], missing="omit").trials.tolist() == [1, 0]
    assert OutcomeMatrix.from_single_run(np.ma.array([1, 0], mask=[0, 1]), missing="omit").trials.tolist() == [1, 0]


@pytest.mark.parametrize(
    "results",
    [
        {"q1": [0, 1], "q2": [1, 1]},
        {"q1": ["fail", "pass"], "q2": ("pass", "pass")},
        {"q1": {"run-1": 0, "run-2": 1}, "q2": {"run-1": 1, "run-2": 1}},
        {"q1": np.array([0, 1]), "q2": np.array([True, True])},
        RECORDS,
    ],
)
def test_results_by_question(results):
    assert OutcomeMatrix(results) == LABELED
    assert compare("pass@1", results, LABELED).difference == 0.0


def test_a_table_of_one_model_is_refused_for_its_fault_and_not_for_its_columns():
    faulty = [*RECORDS, {**RECORDS[-1], "is_correct": None}]
    for ask in (compare, gate):
        with pytest.raises(OutcomeError, match="trial of question .q2. .*has no outcome"):
            ask("pass@1", faulty, LABELED)


def test_a_dict_from_questions_to_one_result_each():
    assert OutcomeMatrix({"q1": True, "q2": False}).successes.tolist() == [1, 0]


def test_dicts_of_dicts_and_records_of_several_models():
    by_name = {"a": {"q1": [0, 1], "q2": [1, 1]}, "b": {"q2": [1, 1], "q1": [0, 1]}}
    assert OutcomeSet(by_name) == OutcomeSet(SEVERAL) == OutcomeSet({"a": LABELED, "b": LABELED})
    assert [row.score for row in Leaderboard("pass@1", SEVERAL)] == [0.75, 0.75]


def test_questions_that_one_model_has_no_record_of():
    records = [*SEVERAL, {"model": "a", "item": "q3", "is_correct": 1}]
    with pytest.raises(OutcomeError, match=r"^2 trials of question 'q3' of 'b' have no outcome: missing="):
        OutcomeSet(records)
    assert OutcomeSet(records, missing="omit")["b"].trials.tolist() == [2, 2, 0]


@pytest.mark.parametrize("outcome", ["acc", "score", "reward", "is_correct", "resolved", "isCorrect", "Passed"])
@pytest.mark.parametrize("question", ["item", "sample", "Question ID", "problem", "task_id"])
def test_usual_names_of_columns(question, outcome):
    records = [{question: "q1", outcome: value, "cluster": "c"} for value in ("C", "I")]
    outcomes = OutcomeMatrix(records)
    assert (outcomes.successes.tolist(), outcomes.questions, outcomes.clusters) == ([1], ("q1",), ("c",))


@pytest.mark.parametrize(
    "words", [("C", "I"), ("pass", "FAIL"), ("True", "false"), ("correct", "incorrect"), ("C", "N"), (True, False)]
)
def test_words_are_read_everywhere_alike(words):
    right, wrong = words
    rows = [[right, wrong], [right, right]]
    assert OutcomeMatrix(rows).successes.tolist() == [1, 2]
    assert functions.pass_at_k(rows, 1) == 0.75
    assert compare("pass@1", rows, [[1, 0], [1, 1]]).difference == 0.0
    assert OutcomeSet(np.array([rows], object))["model-0"].successes.tolist() == [1, 2]
    assert scorio.rank.avg([rows, [[wrong, wrong]] * 2]).tolist() == [1, 2]
    assert OutcomeMatrix.from_rewards(rows).successes.tolist() == [1, 2]
    assert OutcomeMatrix({"q1": rows[0], "q2": rows[1]}).successes.tolist() == [1, 2]
