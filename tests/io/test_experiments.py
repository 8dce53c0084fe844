"""Experiments of Phoenix and Langfuse, and scores of BFCL."""

import json
import shutil

import pytest

from helpers.experiments import (
    bfcl_result,
    bfcl_run,
    bfcl_wrong,
    langfuse_item,
    langfuse_page,
    langfuse_score,
    langsmith_run,
)
from helpers.written import counts, refused, write_json, write_lines
from scorio import read
from scorio.io import recognise

ITEMS = [
    langfuse_item("i1", "q1", langfuse_score("exact", True, "BOOLEAN"), langfuse_score("style", 0.5)),
    langfuse_item("i2", "q2", langfuse_score("exact", False, "BOOLEAN"), langfuse_score("note", "good", "TEXT")),
    langfuse_item("i3", "q1", langfuse_score("exact", 0.0, "CATEGORICAL", stringValue="correct"), experiment="tern"),
    langfuse_item("i4", "q2", langfuse_score("exact", False, "BOOLEAN"), experiment="tern", level="ERROR"),
]
OF_ITEMS = {"gull v1": {"q1": [0, 1], "q2": [1, 0]}, "tern": {"q1": [0, 1], "q2": [0, 0]}}


def test_items_of_experiments_of_langfuse(tmp_path):
    """What a score is called in words counts, not the number 0 that stands for every category without a number."""
    paths = [
        langfuse_page(tmp_path / "page.json", ITEMS),
        write_json(tmp_path / "list.json", ITEMS),
        write_lines(tmp_path / "lines.jsonl", ITEMS),
    ]
    for path in paths:
        refused(path, "several scores, 'exact', 'style'")
        assert counts(read(path, score="exact")) == OF_ITEMS
    refused(paths, "trial 'i1' of one run twice", score="exact")


def test_pages_of_one_experiment_add_up(tmp_path):
    for i in range(2):
        items = [langfuse_item(f"i{i}", "q", langfuse_score("exact", i), model="gull", experiment=f"night {i}")]
        langfuse_page(tmp_path / f"{i}.json", items)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"gull": {"q": [1, 1]}}
    assert reading.sources[0].notes["experiment"] == "'night 0'"


def test_scores_that_contradict_each_other(tmp_path):
    item = langfuse_item("i", "q", langfuse_score("exact", 1), langfuse_score("exact", 0))
    refused(langfuse_page(tmp_path / "m.json", [item]), "data 0: it has different values of 'exact'")


RUNS = [
    langsmith_run("r1", "q1", feedback={"exact": 1, "style": 0.5}),
    langsmith_run("r2", "q2", feedback={"exact": 0, "style": 1.0}),
    langsmith_run("r3", "q1", "s2", {"exact": "correct"}, extra={"metadata": {"model": "gull"}}),
    langsmith_run("r4", "q2", "s2", {"exact": 1}, error="boom"),
    langsmith_run("r5", "q2", "s2", {"exact": 1}, parent_run_id="r4"),
]
OF_RUNS = {"s1": {"q1": [0, 1], "q2": [1, 0]}, "gull": {"q1": [0, 1], "q2": [0, 0]}}


def test_runs_of_experiments_of_langsmith(tmp_path):
    """A run has the numbers and words of its feedback; one that failed is missing, and parts of a task do not count."""
    examples = [{"id": row["reference_example_id"], "runs": [row]} for row in RUNS]
    paths = [write_json(tmp_path / "runs.json", RUNS), write_lines(tmp_path / "lines.jsonl", examples)]
    answer = tmp_path / "query" / "answer.json"  # of a query of runs, as people save it
    answer.parent.mkdir()
    answer.write_text(json.dumps({"runs": RUNS, "cursors": {"next": None}}, indent=2))
    for path in (*paths, answer, write_json(answer.with_name("one_line.json"), {"runs": RUNS, "cursors": {}})):
        refused(path, "several feedbacks, 'exact', 'style'")
        assert counts(read(path, score="exact")) == OF_RUNS
    refused(paths, "trial 'r1' of one run twice", score="exact")
    twice = langsmith_run("r", "q") | {"feedback_stats": {"exact": {"n": 2, "avg": 0.5, "values": {}}}}
    path = write_json(tmp_path / "m.json", [twice])
    refused(path, r"record 0: the run has 2 values of 'exact', of which only the mean is known")


def test_scores_of_bfcl(tmp_path):
    """Right answers are those of the result file that the score file does not list."""
    lost = bfcl_result("irrelevance_2", "Error during inference: 503")
    bfcl_run(tmp_path, "irrelevance", ["irrelevance_0", "irrelevance_1", lost], ["irrelevance_1"], group="non_live")
    turns = [bfcl_result(f"multi_turn_base_{i}", [["f()"]], latency=[[1, 2], [0.5]]) for i in range(2)]
    bfcl_run(tmp_path, "multi_turn_base", turns, [], group="multi_turn")
    (tmp_path / "score" / "data_live.csv").write_text(
        "Rank,Model,Live Overall Acc,AST Summary\n1,lab/m,50.00%,50.00%\n"
    )
    reading = recognise(tmp_path)
    assert counts(reading.outcomes["irrelevance"]) == {
        "lab_m": {"irrelevance_0": [0, 1], "irrelevance_1": [1, 0], "irrelevance_2": [0, 0]}
    }
    assert counts(reading.outcomes["multi_turn_base"]) == {
        "lab_m": {"multi_turn_base_0": [0, 1], "multi_turn_base_1": [0, 1]}
    }
    (source,) = [each for each in reading.sources if each.run.task == "multi_turn_base"]
    costs = {name: sum(each) for name, each in source.run.trials.costs.items()}
    assert costs == {"seconds": 7.0, "input_tokens": 20, "output_tokens": 10}
    assert sorted(path.name for path in reading.skipped) == [
        "BFCL_v4_irrelevance_result.json",
        "BFCL_v4_multi_turn_base_result.json",
        "data_live.csv",
    ]


def test_one_question_in_several_formats_is_a_cluster(tmp_path):
    names = [f"format_sensitivity_{i}:ret_fmt={i}:live_simple_3-1-0" for i in range(3)]
    outcomes = read(bfcl_run(tmp_path, "format_sensitivity", names, names[:1], accuracy_std=1.5))
    assert set(outcomes.clusters) == {"live_simple_3-1-0"}


def test_scores_of_bfcl_without_the_answers(tmp_path):
    bfcl_run(tmp_path, "multiple", ["multiple_0", "multiple_1"], ["multiple_1"])
    shutil.rmtree(tmp_path / "result")
    message = "only the questions that were answered wrongly; .* keep BFCL's folders score and result side by side"
    refused(tmp_path, message)


@pytest.mark.parametrize(
    ("questions", "wrong", "header", "message"),
    [
        (["a", "b"], ["c"], {}, "question 'c' is not in the result file: .*evaluate the results again"),
        (["a", "b"], ["b"], {"total_count": 3}, "total_count is 3, but the result file has 2 questions"),
        (
            ["a", "b"],
            ["b"],
            {"correct_count": 0},
            "correct_count is 0 of 2, beside a list of 1 wrong answer: the score file is incomplete",
        ),
        (["a", "a"], [], {}, "question 'a' is there twice"),
        (["a", "b"], ["b", "b"], {}, "question 'b' is there twice"),
        (["a", "b"], [bfcl_wrong("b", valid=True)], {}, "line 2: valid must be false"),
    ],
)
def test_faults_of_scores_of_bfcl(questions, wrong, header, message, tmp_path):
    refused(bfcl_run(tmp_path, "c", questions, wrong, **header), message)
