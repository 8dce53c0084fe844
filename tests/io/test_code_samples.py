"""LiveCodeBench and BigCodeBench: several graded answers per question, and names that hold the settings."""

from helpers.tool_files import bigcodebench_results, livecodebench_row
from helpers.written import counts, refused, write_json
from scorio import read
from scorio.io import recognise

ROWS = [livecodebench_row("7", [True, False]), livecodebench_row("8", [True, None])]
NAME = "codegeneration_2_0.2_eval_all.json"
BIG = bigcodebench_results({"B/0": ["pass", "fail", "timeout"], "B/1": ["pass", None, "pass"]})
BIG_NAME = "lab--m--main--bigcodebench-hard-complete--vllm-0.8-3-sanitized_calibrated_eval_results.json"


def test_the_mean_is_no_trial_and_other_files_hold_none(tmp_path):
    write_json(tmp_path / "m" / NAME, ROWS)
    write_json(tmp_path / "m" / "codegeneration_2_0.2.json", [{"question_id": "7", "output_list": ["o"]}])
    means = [{"pass@1": 0.5, "detail": {"pass@1": {"0": 0.5}}}, {"0": [[True]]}, []]
    write_json(tmp_path / "m" / "codegeneration_2_0.2_eval.json", means)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"m": {"7": [1, 1], "8": [0, 1]}}
    assert "task 'codegeneration'" in str(reading)
    assert len(reading.skipped) == 2
    assert all("LiveCodeBench" in reason for reason in reading.skipped.values())


def test_questions_about_one_problem(tmp_path):
    tests = [livecodebench_row("7", [i > 0], test_id=i) for i in range(2)]
    path = write_json(tmp_path / "m" / "testoutputprediction_1_0.2_eval_all.json", tests)
    assert read(path).questions == ("7/0", "7/1")
    programs = [livecodebench_row("7", [i > 0], id=f"sample_{i}") for i in range(2)]
    path = write_json(tmp_path / "m" / "codeexecution_1_0.2_eval_all.json", programs)
    assert read(path).questions == ("sample_0", "sample_1")


def test_halves_of_bigcodebench_are_tasks(tmp_path):
    write_json(tmp_path / BIG_NAME, BIG)
    write_json(tmp_path / BIG_NAME.replace("complete", "instruct"), BIG)
    write_json(tmp_path / BIG_NAME.replace("eval_results", "pass_at_k"), {"pass@1": 0.5, "split": "complete"})
    reading = recognise(tmp_path, task="*-complete")
    assert counts(reading.outcomes) == {"lab/m": {"B/0": [2, 1], "B/1": [0, 2]}}
    assert set(reading.skipped.values()) == {"means of BigCodeBench: read *_eval_results.json"}
    assert read(tmp_path).tasks == ("bigcodebench-hard-complete", "bigcodebench-hard-instruct")


def test_answers_graded_in_another_way_stay_apart(tmp_path):
    write_json(tmp_path / BIG_NAME, BIG)
    write_json(tmp_path / BIG_NAME.replace("_calibrated", ""), BIG)
    assert read(tmp_path).models == ("lab/m [variant=sanitized_calibrated]", "lab/m [variant=sanitized]")


def test_other_names_and_statuses_of_bigcodebench(tmp_path):
    assert read(write_json(tmp_path / "m_eval_results.json", BIG)).models == ("m",)
    path = write_json(tmp_path / BIG_NAME, bigcodebench_results({"B/0": ["pass", "maybe"]}))
    refused(path, "B/0: record 1: status must be one of pass, fail, timeout; got 'maybe'")
