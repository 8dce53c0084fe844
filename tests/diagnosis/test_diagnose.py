"""``diagnose``: what is found in logs and outcomes of every kind, what they support, and the results as data."""

import json

import numpy as np
import pytest

from helpers.written import lm_eval_file, lm_eval_row
from scorio import OutcomeMatrix, OutcomeSet, Suite, diagnose
from scorio.io import recognise
from scorio.io._outcome_table import write_table


def outcomes(seed=0, questions=40, trials=4):
    rng = np.random.default_rng(seed)
    return rng.binomial(1, rng.beta(1, 1, (questions, 1)), (questions, trials))


def claims(diagnosis):
    return {each.claim: each for each in diagnosis.statements}


def test_what_sound_outcomes_support():
    diagnosis = diagnose({"a": outcomes(4), "b": outcomes(5), "c": outcomes(6)})
    assert diagnosis.is_sound
    said = claims(diagnosis)
    assert {claim: each.support for claim, each in said.items()} == {
        "scores on these questions": "yes",
        "Pass@8": "no",
        "scores for questions like these": "yes",
        "which of two models is better": "yes",
        "a ranking": "yes",
        "scores beside costs": "no",
    }
    assert "the fewest is 4" in said["Pass@8"].reason
    assert diagnosis.next_command == "scorio rank LOGS"
    assert "Next: scorio rank LOGS" in str(diagnosis)


def test_eight_trials_support_pass_at_8():
    said = claims(diagnose({"a": outcomes(1, trials=9)}))
    assert said["Pass@k up to k = 9"].support == "yes"
    assert said["Pass@k up to k = 9"].command == "scorio score LOGS -m pass@9"


def test_one_question_says_nothing_about_others():
    diagnosis = diagnose([[0, 1, 1, 0]])
    assert claims(diagnosis)["scores for questions like these"].support == "no"
    assert claims(diagnosis)["a ranking"].support == "no"
    assert diagnosis.next_command == "scorio score LOGS"


def test_few_questions_and_clusters_ask_for_care():
    assert claims(diagnose({"a": outcomes(questions=12)}))["scores for questions like these"].support == "with care"
    clustered = OutcomeSet({"a": outcomes(questions=40)}, clusters=[i // 10 for i in range(40)])
    assert "4 clusters" in claims(diagnose(clustered))["scores for questions like these"].reason


def test_models_that_share_few_questions():
    answers = outcomes(1, 6).astype(float)
    other = answers.copy()
    answers[:2], other[4:] = np.nan, np.nan
    models = OutcomeSet({"a": answers, "b": other}, missing="omit")
    said = claims(diagnose(models))["which of two models is better"]
    assert (said.support, said.command) == ("with care", "scorio compare LOGS --shared-only")
    assert "share 2 of 6 questions" in said.reason


def test_adaptive_trials_ask_for_care():
    said = claims(diagnose(OutcomeSet({"a": OutcomeMatrix(outcomes()).as_adaptive()})))["scores on these questions"]
    assert said.support == "with care"
    assert "mu" in said.reason


def test_rewards_of_both_kinds():
    rewards = np.random.default_rng(5).choice([0.0, 0.5, 1.0], (30, 4))
    for matrix in (OutcomeMatrix.from_rewards(rewards), OutcomeMatrix.from_rewards(rewards).as_continuous()):
        diagnosis = diagnose({"a": matrix, "b": matrix})
        assert claims(diagnosis)["Max@k up to k = 4"].support == "yes"


def test_many_copies_of_one_model_are_said_once():
    answers = outcomes(1, 60, 6)
    found = [each for each in diagnose({"a": np.hstack([answers, answers])}).findings if each.kind == "copied run"]
    assert len(found) == 1
    assert "5 more runs like this" in found[0].what


@pytest.mark.parametrize("answer", [0, 1])
def test_outcomes_that_are_all_equal(answer):
    diagnosis = diagnose({"a": np.full((20, 3), answer), "b": np.full((20, 3), answer)})
    assert diagnosis.finding("trials alike") is None
    json.loads(diagnosis.to_json())


def test_tasks_are_diagnosed_one_by_one():
    cached = np.repeat(outcomes(1, 60, 1), 5, axis=1)
    suite = Suite({"sums": {"a": outcomes(1), "b": outcomes(2)}, "maps": {"a": cached}})
    diagnosis = diagnose(suite)
    finding = diagnosis.finding("trials alike")
    assert (finding.task, finding.models) == ("maps", ("a",))
    assert "'b' lacks" not in str(diagnosis)
    assert diagnosis.finding("missing tasks").models == ("b",)
    assert claims(diagnosis)["overall scores over tasks"].support == "no"
    assert [each.task for each in diagnosis.tasks] == ["sums", "maps"]


def test_duplicate_questions_are_found_by_label_and_by_text(tmp_path):
    by_label = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]]}, questions=["Sum", "sum ", "other"])
    assert (
        diagnose(by_label).finding("duplicate questions").what.endswith("'Sum', 'sum ' differ in case or blanks only")
    )
    two_groups = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0], [1, 0]]}, questions=["Sum", "sum ", "x", "X"])
    assert diagnose(two_groups).finding("duplicate questions").what.endswith("only, and 1 more such group")
    assert diagnose(OutcomeSet({"a": [[0, 1], [1, 1]]}, questions=["q1", "q2"])).finding("duplicate questions") is None
    rows = [lm_eval_row(0, doc_hash="x"), lm_eval_row(1, doc_hash="x"), lm_eval_row(2, doc_hash="y")]
    lm_eval_file(tmp_path, rows, model="m")
    assert "have the same text" in diagnose(recognise(tmp_path)).finding("duplicate questions").what


def test_a_table_that_is_written_from_counts_raises_no_alarm(tmp_path):
    rng = np.random.default_rng(0)
    rate = rng.random(60)
    names = [f"q{i}" for i in range(60)]
    models = {name: OutcomeMatrix.from_counts(rng.binomial(6, rate), 6, questions=names) for name in "ab"}
    write_table(OutcomeSet(models), tmp_path / "outcomes.csv")
    assert diagnose(recognise(tmp_path)).is_sound
