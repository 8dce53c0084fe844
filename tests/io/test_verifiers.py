"""verifiers: rollouts in results.jsonl (below 0.4), and episodes in traces.jsonl (since 0.4)."""

from helpers.tool_files import (
    verifiers_episode,
    verifiers_row,
    verifiers_run,
    verifiers_trace,
    verifiers_traces,
)
from helpers.written import counts, refused
from scorio import read
from scorio.io import recognise

ROWS = [verifiers_row(0, True), verifiers_row(0, False), verifiers_row(1, True), verifiers_row(1, False, error="lost")]
EPISODES = [
    verifiers_episode("1", "a"),
    verifiers_episode("2", "b", [verifiers_trace(0.0, 1.0)]),
    verifiers_episode("3", "a", [verifiers_trace(None, ok=False)], ok=False),
]


def test_two_models_of_one_file_name_stay_apart(tmp_path):
    for model in ("lab/a", "lab/b"):
        verifiers_run(tmp_path / f"sums--{model.replace('/', '--')}" / "0a1b2c3d", ROWS, model=model)
    assert read(tmp_path).models == ("lab/a", "lab/b")
    refused(tmp_path, "is a name for one model, the files hold 'lab/a', 'lab/b'", model="m")


def test_early_versions_repeat_the_examples_in_turn_and_number_them_wrongly(tmp_path):
    rows = [verifiers_row(example, example == 0, id=i // 2) for i, example in enumerate((0, 1, 0, 1))]
    for row in rows:
        del row["example_id"]
    path = verifiers_run(tmp_path / "sums--lab--m" / "0a1b2c3d", rows, env="sums", env_id=None)
    assert counts(read(path, score="correct_answer")) == {"lab/m": {"0+0": [0, 2], "1+1": [2, 0]}}
    assert len(recognise(tmp_path).skipped) == 1


def test_rollouts_under_other_settings_stay_apart(tmp_path):
    for temperature in (0.0, 1.0):
        settings = {"n": 1, "temperature": temperature, "seed": 3}
        verifiers_run(tmp_path / str(temperature), ROWS, sampling_args=settings)
    assert read(tmp_path).models == ("lab/m [temperature=0.0]", "lab/m [temperature=1.0]")


def test_another_prompt_of_one_example_is_refused(tmp_path):
    verifiers_run(tmp_path / "one", ROWS)
    verifiers_run(tmp_path / "two", [row | {"prompt": "5+5"} for row in ROWS])
    refused(tmp_path, "question '0' is another document")


def test_an_only_reward_is_read_without_its_weight(tmp_path):
    trace = verifiers_trace(rewards={"style": {"score": 1.0, "weight": 0.2}})
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", [trace])])
    assert counts(read(path)) == {"lab/m": {"a": [0, 1]}}


def test_a_time_out_that_was_graded_counts(tmp_path):
    trace = verifiers_trace(0.0, None, is_timeout=True, stop_condition="timeout")
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", [trace]), verifiers_episode("2", "a", [], ok=False)])
    matrix = read(path, score="exact")["lab/m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 0]], [2])


def test_one_of_several_agents_is_chosen(tmp_path):
    traces = [verifiers_trace(1.0, None, "proposer"), verifiers_trace(0.0, None, "solver", model="lab/n")]
    path = verifiers_traces(tmp_path, [verifiers_episode("1", "a", traces)])
    assert counts(read(path, filter="proposer")) == {"lab/m": {"a": [0, 1]}}
    assert counts(read(path, filter="solver")) == {"lab/n": {"a": [1, 0]}}
    refused(path, "there are several agents, 'proposer', 'solver'")
    twice = verifiers_traces(tmp_path, [verifiers_episode("1", "a", traces[:1] * 2)])
    refused(twice, "line 1: one agent has 2 traces in one episode")


def test_a_run_that_has_just_begun_has_no_episodes(tmp_path):
    begun = verifiers_traces(tmp_path / "new", [])
    verifiers_traces(tmp_path / "old", EPISODES)
    reading = recognise(tmp_path)
    assert reading.outcomes.models == ("lab/m",)
    assert reading.skipped[begun] == "no episode of the verifiers run has finished yet"
    refused(begun, r"traces\.jsonl: no episode of the verifiers run has finished yet")


def test_episodes_under_other_settings_stay_apart(tmp_path):
    for i, temperature in enumerate((0.0, 1.0)):
        rows = [verifiers_episode("1", "a", run=f"run-{i}")]
        verifiers_traces(tmp_path / str(i), rows, {"sampling": {"temperature": temperature}})
    assert read(tmp_path).models == ("lab/m [temperature=0.0]", "lab/m [temperature=1.0]")
