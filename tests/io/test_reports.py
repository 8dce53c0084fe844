"""Reports of evaluations, tests and experiments, on files by hand."""

import json
import shutil

import pytest

from helpers.tool_files import (
    bfcl_result,
    bfcl_run,
    bfcl_wrong,
    deepeval_case,
    deepeval_log,
    langfuse_item,
    langfuse_page,
    langfuse_score,
    langsmith_run,
    promptfoo_document,
    promptfoo_result,
)
from helpers.written import counts, mlflow_trace, refused, write_json, write_lines, write_table
from scorio import read
from scorio.io import recognise


def test_numbered_names_and_names_of_several_inputs_give_way_to_the_input(tmp_path):
    named = [("test_case_0", "1+1"), ("test_case_1", "1+1"), ("sum", "2+2"), ("sum", "3+3")]
    path = deepeval_log(tmp_path / "run.json", [deepeval_case(*case) for case in named])
    assert read(path).questions == ("1+1", "2+2", "3+3")


def test_the_cache_of_deepeval_and_a_run_without_a_model(tmp_path):
    run = {"testCases": [deepeval_case("q1")], "runDuration": 1.5}
    [source] = recognise(write_json(tmp_path / "m7.json", {"testRunData": run})).sources
    assert (source.run.model, source.run.model_from) == ("m7", "file name")
    assert source.run.origin == {"seconds": 1.5}


def test_the_same_results_of_promptfoo_in_two_files_count_once(tmp_path):
    rows = [promptfoo_result(name, success=not i, reason=i, score=1.25) for i, name in enumerate("abc")]
    write_json(tmp_path / "out.json", promptfoo_document(rows))
    write_lines(tmp_path / "out.jsonl", rows)
    head = '"q","[m] Say","Status","Score","Named Scores","Grader Reason","Status"\n'
    (tmp_path / "out.csv").write_text(head + "1,2,3,4,5,6,7\n")
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"m": {"t": [1, 1]}}
    assert reading.outcomes["m"].planned_trials.tolist() == [3]
    assert "promptfoo's CSV repeats its column names" in str(reading)


def test_models_prompts_and_questions_of_promptfoo(tmp_path):
    rows = [
        promptfoo_result("a", test="", variables={"q": "1", "a": "x"}),
        promptfoo_result("b", test="twice", variables={"q": "2"}),
        promptfoo_result("c", test="twice", variables={"q": "3"}),
        promptfoo_result("d", model="", test="", variables={"q": "2"}),
        promptfoo_result("e", prompt="Tell {{q}}", variables={"q": "2"}, test="", success=False),
    ]
    outcomes = read(write_lines(tmp_path / "out.jsonl", rows))
    assert outcomes.models == ("m [prompt=Say {{q}}]", "echo", "m [prompt=Tell {{q}}]")
    assert outcomes.questions == ('{"a": "x", "q": "1"}', '{"q": "2"}', '{"q": "3"}')


def test_tests_with_equal_variables_and_other_assertions_are_two_questions(tmp_path):
    cases = [{"assert": [{"type": "equals", "value": str(i % 2)}]} for i in range(4)]
    rows = [promptfoo_result(str(i), testCase=case) for i, case in enumerate(cases)]
    names = ['{"q": "1"} [assertions 1]', '{"q": "1"} [assertions 2]']
    assert counts(read(write_lines(tmp_path / "out.jsonl", rows))) == {"m": {name: [0, 2] for name in names}}


def case(name, assertions=(), scores=(), source=None, **more):
    """A case of pydantic-evals."""
    results = {"assertions": dict(assertions), "scores": dict(scores), "labels": {}}
    shown = {kind: {key: {"name": key, "value": value} for key, value in of.items()} for kind, of in results.items()}
    return {"name": name, "inputs": name, "source_case_name": source, "task_duration": 0.5} | shown | more


def report(path, cases, failures=(), **more):
    return write_json(path, {"name": "answer", "cases": list(cases), "failures": list(failures)} | more)


def test_a_report_of_pydantic_evals(tmp_path):
    failed = {"name": "q1 [3/3]", "inputs": "q1", "error_message": "503", "source_case_name": "q1"}
    cases = [
        case("q1 [1/3]", {"exact": True}, {"closeness": 0.5}, "q1"),
        case("q1 [2/3]", {"exact": False}, {"closeness": 0.25}, "q1"),
        case("q2", {"exact": True}, {"closeness": 1}),
    ]
    path = report(tmp_path / "gull.json", cases, [failed], dataset_name="quiz")
    refused(path, "several evaluators, 'exact', 'closeness'")
    reading = recognise(path, score="exact")
    assert counts(reading.outcomes) == {"gull": {"q1": [1, 1], "q2": [0, 1]}}
    assert reading.outcomes["gull"].planned_trials.tolist() == [3, 1]
    assert reading.sources[0].run.task == "quiz"
    assert sum(told or 0 for told in reading.sources[0].run.trials.costs["seconds"]) == 1.5
    assert read(path, score="closeness")["gull"].levels == (0.25, 0.5, 1.0)


def test_the_model_may_be_in_the_metadata(tmp_path):
    for i, model in enumerate(("tern", "gull")):
        about = {"model": model, "prompt": "short"}
        report(tmp_path / f"{i}.json", [case("q1", {"exact": bool(i)})], experiment_metadata=about)
    assert counts(read(tmp_path)) == {"tern": {"q1": [1, 0]}, "gull": {"q1": [0, 1]}}
    assert read(tmp_path, factors="prompt").conditions["tern"]["prompt"] == "short"


def test_the_name_of_an_evaluator_that_failed_may_be_taken_by_another(tmp_path):
    """Of two evaluators of one name, the second gets a number, but its results move up where the first fails."""
    lost = [{"name": "Judge", "error_message": "quota"}]
    one, other = case("q1", {"Judge": True, "Judge_2": False}), case("q2", {"Judge": False}, evaluator_failures=lost)
    path = report(tmp_path / "m.json", [one, other])
    assert counts(read(path, score="Judge")) == {"m": {"q1": [0, 1], "q2": [0, 0]}}
    assert counts(read(path, score="Judge_2")) == {"m": {"q1": [1, 0], "q2": [0, 0]}}
    alone = report(tmp_path / "alone.json", [case("q1", {"Judge": True}), case("q2", evaluator_failures=lost)])
    assert counts(read(alone)) == {"alone": {"q1": [0, 1], "q2": [0, 0]}}


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ({"nodeid": "a", "outcome": "maybe"}, "tests 0: outcome must be one of passed, failed, .*; got 'maybe'"),
        ({"nodeid": "a", "outcome": ["passed"]}, "tests 0: outcome must be one of"),
        ({"nodeid": "", "outcome": "passed"}, "tests 0: nodeid must be a name"),
        ("a", "tests 0: it must be an object"),
    ],
)
def test_faults_of_reports_of_pytest(test, message, tmp_path):
    refused(write_json(tmp_path / "m.json", {"exitcode": 1, "root": "/", "summary": {}, "tests": [test]}), message)


TRACES = [
    mlflow_trace("t1", "1+1", {"exact": True, "style": 0.5}),
    mlflow_trace("t2", "1+1", {"exact": False, "style": 0.25}),
    mlflow_trace("t3", "1+2", {"exact": False}, state="ERROR"),
    mlflow_trace("t4", "1+1", {"exact": "yes", "style": 0.5}, run="r2"),
    mlflow_trace("t5", "1+2", {"exact": "no", "style": 0.25}, run="r2"),
]
OF_TRACES = {"r1": {"1+1": [1, 1], "1+2": [0, 0]}, "r2": {"1+1": [0, 1], "1+2": [1, 0]}}
SHOWN = ["trace_id", "state", "request", "trace_metadata", "assessments"]  # columns, as Python shows lists and objects


def test_exported_traces_of_mlflow(tmp_path):
    whole = [[json.dumps({"info": row, "data": {"spans": []}}), *(row[name] for name in SHOWN)] for row in TRACES]
    paths = [
        write_json(tmp_path / "a.json", TRACES),
        write_lines(tmp_path / "b.jsonl", TRACES),
        write_table(tmp_path / "c.csv", ["trace", *SHOWN], whole),
    ]
    for path in paths:
        refused(path, "several scorers, 'exact', 'style'")
        assert counts(read(path, score="exact")) == OF_TRACES
        assert read(path, score="exact")["r1"].planned_trials.tolist() == [2, 1]
        assert list(read(path, score="style")["r1"].levels) == [0.25, 0.5]
    refused(paths, "'1[+]1' of 'r1' has trial 't1' of one run twice", score="exact")
    lacking = write_table(tmp_path / "m.csv", SHOWN, [row[1:] for row in whole])
    refused(lacking, r"line 2: trace_metadata must be JSON; .*keep the column trace")


def test_feedback_on_a_trace_may_be_overridden_repeated_or_lost(tmp_path):
    def judged(value, **more):
        return {"assessment_name": "a", "feedback": {"value": value}, "valid": True} | more

    lost = {"assessment_name": "a", "feedback": {"value": None, "error": {"error_code": "quota"}}}
    every = [[judged(False, valid=False), judged(True)], [judged(0), judged(False)], [lost], [lost, judged(1)]]
    traces = [mlflow_trace(f"t{i}", "q", {}, assessments=feedback) for i, feedback in enumerate(every)]
    outcomes = read(write_lines(tmp_path / "m.jsonl", traces))
    assert counts(outcomes) == {"r1": {"q": [1, 2]}}
    assert outcomes["r1"].planned_trials.tolist() == [4]
    twice = [mlflow_trace("t", "q", {}, assessments=[judged(True), judged(False)])] * 2
    refused(write_lines(tmp_path / "m.jsonl", twice), r"line 1: it has different values of 'a'")


def junit(path, cases, before=""):
    body = "".join(f'<testcase classname="t" name="{name}">{inner}</testcase>' for name, inner in cases)
    head = f'<?xml version="1.0" encoding="utf-8"?>{before}'
    path.write_text(f"{head}<testsuites><testsuite>{body}</testsuite></testsuites>")
    return path


@pytest.mark.parametrize(
    "names", [["a[1-1]", "a[1-2]", "a[2-1]", "a[2-2]"], ["a[1-5]"], ["a[3-2]", "a[4-2]"], ["a[x]", "a[1-2]", "a[2-2]"]]
)
def test_parameters_of_tests_are_no_repeats(tmp_path, names):
    path = junit(tmp_path / "m.xml", [(name, "") for name in names])
    assert read(path).questions == tuple(f"t::{name}" for name in names)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x SYSTEM "http://localhost/x.dtd">',
    ],
)
def test_document_types_are_refused(tmp_path, declaration):
    refused(junit(tmp_path / "m.xml", [("a", "")], declaration), "it declares a document type")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<testsuite><testcase name='a'>", "line 1 is not valid XML: no element found"),
        ("<testsuite><testcase/></testsuite>", "test case 1: name must be a name"),
        ("<testsuite></testsuite>", "there is no test case"),
        ("<testsuite>&b;</testsuite>", "line 1 is not valid XML: undefined entity"),
    ],
)
def test_damaged_reports_are_refused(tmp_path, text, message):
    path = tmp_path / "m.xml"
    path.write_text(text)
    refused(path, message)


def test_a_large_report_is_refused_and_other_xml_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "page.xml").write_text("<html><testsuitesque/></html>")
    junit(tmp_path / "m.xml", [("a", "")])
    assert len(recognise(tmp_path).skipped) == 1
    monkeypatch.setattr("scorio.io._formats.junit._MOST_BYTES", 1 << 20)
    refused(junit(tmp_path / "m.xml", [("a", " " * (1 << 21))]), "it has more than 1 MiB")


# Experiments of Langfuse and LangSmith, and scores of BFCL.


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
