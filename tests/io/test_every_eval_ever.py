"""Every Eval Ever: samples, one line per trial and result, with a file of settings beside them."""

from helpers.shared_formats import eee_row, eee_run, eee_settings
from helpers.written import counts, refused
from scorio import read
from scorio.io import recognise

ROWS = [eee_row("q1", 1.0), eee_row("q1", 0.0), eee_row("q2", None)]


def test_runs_add_up_and_a_run_counts_once(tmp_path):
    eee_run(tmp_path / "a", ROWS)
    eee_run(tmp_path / "b", [eee_row("q1", 1.0, run="2"), eee_row("q2", 0.0, run="2")], 1)
    assert counts(read(tmp_path))["lab/m"] == {"q1": [1, 2], "q2": [1, 0]}
    eee_run(tmp_path / "c", [row | {"evaluation_id": "converted again"} for row in ROWS], 2)
    refused(tmp_path, "of one run twice")


def test_epochs_are_trials_in_any_order(tmp_path):
    rows = [eee_row("q1", score, metadata={"epoch": epoch}) for score, epoch in ((1.0, "2"), (0.0, "1"))]
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [1, 1]}
    refused(eee_run(tmp_path, [*rows, eee_row("q1", 1.0, metadata={"epoch": "1"})]), "twice")


def test_epochs_that_were_reduced_are_refused(tmp_path):
    """The converter of Inspect (0.3.0) writes the mean over the epochs of a question in the line of each epoch."""
    about = {"stop_reason": "stop"}
    rows = [eee_row(q, mean, metadata=about | {"epoch": i}) for q, mean in (("q1", 0.5), ("q2", 1.0)) for i in "12"]
    refused(eee_run(tmp_path, rows), "every epoch of a question has one score")
    one = [row for row in rows if row["metadata"]["epoch"] == "1"]
    assert read(eee_run(tmp_path, one))["lab/m"].trials.tolist() == [1, 1]
    rows[0]["evaluation"] = {"score": 1.0, "is_correct": True}
    rows[1]["evaluation"] = {"score": 0.0, "is_correct": False}
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [1, 1], "q2": [0, 2]}


def test_results_with_equal_scores_are_one_and_others_are_chosen(tmp_path):
    """Inspect's converter writes a line per metric of a scorer, all with the score of the sample."""
    rows = [eee_row(q, score, result=name) for q, score in (("q1", 1.0), ("q2", 0.0)) for name in ("acc", "stderr")]
    assert counts(read(eee_run(tmp_path, rows)))["lab/m"] == {"q1": [0, 1], "q2": [1, 0]}
    rows += [eee_row("q1", 0.25, result="f1"), eee_row("q2", 0.5, result="f1")]
    path = eee_run(tmp_path, rows)
    refused(path, "there are several results, 'acc', 'f1'")
    assert read(path, score="f1")["lab/m"].levels == (0.25, 0.5)
    assert counts(read(path, score="f1/is_correct"))["lab/m"] == {"q1": [1, 0], "q2": [1, 0]}


def test_what_no_result_scored_is_missing(tmp_path):
    """The converter of lm-eval writes a score of 0 where it found none, in a line without a result."""
    path = eee_run(tmp_path, [eee_row("q1", 1.0, result="acc"), eee_row("q2", 0.0)])
    matrix = read(path)["lab/m"]
    assert counts({"m": matrix})["m"] == {"q1": [0, 1], "q2": [0, 0]}
    assert matrix.planned_trials.tolist() == [1, 1]
    both = [eee_row("q1", 1.0, result="acc"), eee_row("q2", 0.0, result="acc"), eee_row("q1", 0.5, result="f1")]
    assert read(eee_run(tmp_path, both), score="f1")["lab/m"].planned_trials.tolist() == [1, 1]


def test_settings_are_conditions(tmp_path):
    for i, temperature in enumerate((0.0, 1.0)):
        rows = [eee_row("q1", 1.0, run=str(i), result="acc")]
        eee_run(tmp_path, rows, i, eee_settings(run=str(i), result="acc", arguments={"temperature": temperature}))
    reading = recognise(tmp_path)
    assert sorted(reading.outcomes.models) == ["lab/m [temperature=0.0]", "lab/m [temperature=1.0]"]
    assert all("results of Every Eval Ever" in reason for reason in reading.skipped.values())
    assert len(reading.skipped) == 2


def test_a_lower_score_that_is_better_is_refused(tmp_path):
    rows = [eee_row("q1", 0.25, result="loss")]
    path = eee_run(tmp_path, rows, settings=eee_settings(result="loss", lower_is_better=True))
    refused(path, "a lower score of 'loss' is better")
    assert counts(read(path, score="is_correct"))["lab/m"] == {"q1": [1, 0]}


def test_costs_answers_and_clusters(tmp_path):
    about = {"token_usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}}
    about |= {"performance": {"latency_ms": 500.0}, "metadata": {"cluster": "c"}}
    final = {"turn_idx": 0, "source": "output.raw", "extraction_method": "none", "extracted_value": "4"}
    path = eee_run(tmp_path, [eee_row("q1", 1.0, answer_attribution=[final | {"is_terminal": True}], **about)])
    outcomes = read(path, keep="answers")
    assert outcomes.costs["lab/m"] == {"seconds": 0.5, "input_tokens": 5.0, "output_tokens": 2.0}
    assert outcomes.clusters == ("c",)
    assert recognise(path, keep="answers").sources[0].run.trials.answers == ["4"]


def test_another_question_of_one_name_is_refused(tmp_path):
    eee_run(tmp_path, [eee_row("q1", 1.0, sample_hash="a")])
    eee_run(tmp_path, [eee_row("q1", 1.0, model="lab/n", sample_hash="b")], 1)
    refused(tmp_path, "'q1'")
