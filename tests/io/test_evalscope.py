"""EvalScope: reviews of repeated answers, with answers that failed, and settings beside them."""

from helpers.tool_files import evalscope_row
from helpers.written import counts, refused, write_json, write_lines
from scorio import read
from scorio.io import recognise

ROWS = [
    evalscope_row(0, 0, 0, {"acc": 1.0}),
    evalscope_row(1, 0, 1, {"acc": 0.0}),
    evalscope_row(2, 1, 0, {"acc": 1.0}),
    evalscope_row(3, 1, 1, {"acc": 0.0}, status="error"),
]
CONFIG = """api_url: null
datasets:
- mcq
eval_backend: Native
evalscope_version: 1.14.1
generation_config:
  batch_size: 8
  temperature: {temperature}
  top_p: null
model: some/m
model_id: m
repeats: {repeats}
"""


def reviews(folder, rows=ROWS, model="m", task="mcq_main"):
    return write_lines(folder / "reviews" / model / f"{task}.jsonl", rows)


def configured(folder, repeats=2, temperature=0.5):
    folder.joinpath("configs").mkdir(parents=True)
    text = CONFIG.format(repeats=repeats, temperature=temperature)
    folder.joinpath("configs", "task_config.yaml").write_text(text)


def test_other_files_hold_no_trials(tmp_path):
    reviews(tmp_path)
    configured(tmp_path)
    write_lines(tmp_path / "predictions" / "m" / "mcq_main.jsonl", [{"index": 0, "model": "m", "model_output": {}}])
    write_json(tmp_path / "reports" / "m" / "mcq.json", {"dataset_name": "mcq", "model_name": "m", "metrics": []})
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"m": {"0": [1, 1], "1": [0, 1]}}
    assert "task 'mcq_main'" in str(reading)
    assert len(reading.skipped) == 3
    assert all("EvalScope" in reason for reason in reading.skipped.values())


def test_answers_that_failed_have_no_row_and_are_missing(tmp_path):
    path = reviews(tmp_path, [ROWS[0], evalscope_row(2, 0, 2, {"acc": 0.0}), ROWS[2]])
    assert read(path)["m"].planned_trials.tolist() == [3, 3]
    configured(tmp_path, repeats=4)
    assert read(path)["m"].planned_trials.tolist() == [4, 4]
    other = reviews(tmp_path, [ROWS[0]], model="other")
    assert read(other)["other"].planned_trials.tolist() == [1]


def test_the_main_score_must_have_been_computed(tmp_path):
    rows = [evalscope_row(0, 0, 0, {"f1": 0.5, "em": 0.0}, main_score_name="Rouge-L-R")]
    path = reviews(tmp_path, rows)
    refused(path, "there are several metrics, 'f1', 'em'")
    assert read(path, score="f1")["m"].levels == (0.0, 0.5)
    empty = reviews(tmp_path, [evalscope_row(0, 0, 0, {}, main_score_name="Rouge-L-R")])
    refused(empty, "no trial of .m. has an outcome")


def test_runs_under_other_settings_stay_apart(tmp_path):
    for i, temperature in enumerate((0.0, 1.0)):
        reviews(tmp_path / str(i), [row | {"messages": [{"id": i}]} for row in ROWS])
        configured(tmp_path / str(i), temperature=temperature)
    assert read(tmp_path).models == ("m [temperature=0.0]", "m [temperature=1.0]")
    assert counts(read(tmp_path, pool=True)) == {"m": {"0": [2, 2], "1": [0, 2]}}


def test_a_question_with_another_target_is_refused(tmp_path):
    reviews(tmp_path)
    reviews(tmp_path, [row | {"target": ["B"]} for row in ROWS], model="other")
    refused(tmp_path, "question '0' is another document")
