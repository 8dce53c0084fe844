"""What holds of every tool: settings, documents, runs, costs, and files beside the results; on small files by hand."""

import json

import pytest

from helpers import tool_files as tool
from helpers.damaged import places, replaced
from helpers.written import (
    counts,
    inspect_eval,
    inspect_header,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    quietly,
    refused,
    write_json,
    write_lines,
)
from scorio import OutcomeError, OutcomeSet, read
from scorio.errors import FilesWarning
from scorio.io import recognise

QUESTIONS = {"a": 1.0, "b": 0.0}  # whose only trial of every run is right, and wrong


# What writes a run of a tool: of a name, under a setting, with documents of some content; and its path.


def bigcodebench(folder, run, setting="sanitized"):
    name = f"lab--m--main--bigcodebench-hard-complete--vllm-0.8-3-{setting}_eval_results.json"
    return write_json(folder / name, tool.bigcodebench_results({"a": ["pass"], "b": ["fail"]}) | {"date": run})


def deepeval(folder, run, setting=0):
    cases = [tool.deepeval_case(name, name, bool(right)) for name, right in QUESTIONS.items()]
    return tool.deepeval_log(folder / f"{run}.json", cases, temperature=setting)


def evalscope(folder, run, setting=0.5, document="A"):
    rows = [tool.evalscope_row(i, name, 0, {"acc": right}) for i, (name, right) in enumerate(QUESTIONS.items())]
    tool.evalscope_config(folder / run, 1, setting)
    return tool.evalscope_reviews(
        folder / run, [row | {"target": [document], "messages": [{"id": run}]} for row in rows]
    )


def every_eval_ever(folder, run, setting=0.5, document="A"):
    about = {"run": folder.name + run, "result": "acc", "output": {"raw": [run]}, "sample_hash": document}
    settings = tool.eee_settings(run=about["run"], result="acc", arguments={"temperature": setting})
    return tool.eee_run(
        folder / run, [tool.eee_row(name, right, **about) for name, right in QUESTIONS.items()], 0, settings
    )


def harbor(folder, run, setting="low", document="A"):
    agent = {"name": "terminus-2", "kwargs": {"effort": setting}, "override_timeout_sec": 60.0}
    for name, right in QUESTIONS.items():
        about = {"config": {"agent": agent}, "task_checksum": document}
        path = tool.harbor_trial(folder / "job", f"{name}{run}", name, right, **about)
    return path


def helm(folder, run, setting=0):
    tokens = tool.helm_stat(int(run), "num_output_tokens")
    rows = [tool.helm_row(name, 0, tool.helm_stat(right), tokens) for name, right in QUESTIONS.items()]
    return tool.helm_run(folder / run, rows, max_train_instances=setting, num_train_trials=1)


def inspect(folder, run, setting=0.0, document="A"):
    header = inspect_header(ids=list(QUESTIONS), epochs=1, run=f"run {run}")
    header["eval"]["model_generate_config"] = {"temperature": setting, "seed": run, "max_connections": int(run)}
    samples = [inspect_sample(name, 1, right, input=document) for name, right in QUESTIONS.items()]
    return inspect_eval(folder / f"{run}.eval", samples, header)


def lm_eval(folder, run, setting=0, document="A"):
    date = f"2026-01-0{run}T00-00-00.000001"
    rows = [lm_eval_row(name, right, doc_hash=document) for name, right in QUESTIONS.items()]
    path = lm_eval_file(folder / "m", rows, date=date, model="m")
    results = path.with_name(f"results_{date}.json")
    write_json(results, json.loads(results.read_text()) | {"n-shot": {"sums": setting}, "config": {"gen_kwargs": None}})
    return path


def lm_eval_without_hashes(folder, run, document="A"):
    rows = [{"doc_id": name, "doc": {"text": document}, "resps": [["x"]], "acc": 1.0} for name in QUESTIONS]
    return write_lines(folder / f"model_{run}.jsonl", rows)


def openai_evals(folder, run, setting=0):
    config = {"eval_spec": {"args": {"num_few_shot": setting}}, "seed": run}
    return tool.openai_log(
        folder / f"{run}.jsonl", [(name, right > 0) for name, right in QUESTIONS.items()], run, config
    )


def opencompass(folder, run, document="A"):
    rows = [{"example_abbr": name, "answer": [document], "correct": right > 0} for name, right in QUESTIONS.items()]
    return tool.opencompass_results(folder / f"2026010{run}_000000", rows)


def phoenix(folder, run, document="A"):
    rows = [
        tool.phoenix_run(q, 1, tool.phoenix_annotation("exact", x), input={"q": document}) for q, x in QUESTIONS.items()
    ]
    return write_json(folder / f"{run}.json", rows)


def promptfoo(folder, run, setting=0):
    """The JSON lines of a run have the settings of the JSON beside them."""
    provider = {"id": "echo", "label": "m", "config": {"temperature": setting, "apiKey": f"key of {run}"}}
    rows = [tool.promptfoo_result(f"{run} {name}", test=name, success=right > 0) for name, right in QUESTIONS.items()]
    write_json(folder / f"{run}.json", tool.promptfoo_document(rows, providers=[provider, "openai:gpt"]))
    return write_lines(folder / f"{run}.jsonl", rows)


def swe_bench(folder, run):
    return write_json(folder / f"lab__m.run-{run}.json", tool.swe_bench_report(resolved=["a"], unresolved=["b"]))


def tau_bench(folder, run, document="A"):
    rows = [tool.tau_row(name, int(run), right, task={"user_id": document}) for name, right in QUESTIONS.items()]
    return write_json(folder / run / "m.json", rows)


def terminal_bench(folder, run, setting="low", document="A"):
    trials = [
        tool.terminal_bench_trial(name, 1, right > 0) | {"instruction": document} for name, right in QUESTIONS.items()
    ]
    return tool.terminal_bench_run(folder / f"run-{run}", trials, agent_kwargs={"effort": setting}, n_attempts=1)


def verifiers(folder, run, setting=0.5, document="A"):
    rows = [tool.verifiers_row(name, right, prompt=document, reward=right) for name, right in QUESTIONS.items()]
    about = {"sampling_args": {"temperature": setting, "seed": run}, "rollouts_per_example": 1}
    return tool.verifiers_run(folder / run, [row | {"completion": run} for row in rows], **about)


def traces(folder, run, setting=0.5):
    made = {name: [tool.verifiers_trace(right, None)] for name, right in QUESTIONS.items()}
    episodes = [tool.verifiers_episode(name, name, traces, run=run) for name, traces in made.items()]
    return tool.verifiers_traces(folder / run, episodes, {"sampling": {"temperature": setting}, "num_rollouts": 1})


SETTINGS = {  # how a model under a setting is called, and two settings
    bigcodebench: ("lab/m [variant={}]", ("sanitized", "sanitized_calibrated")),
    deepeval: ("m [temperature={}]", (0, 1)),
    evalscope: ("m [temperature={}]", (0.0, 1.0)),
    every_eval_ever: ("lab/m [temperature={}]", (0.0, 1.0)),
    harbor: ("terminus-2/lab/gpt-x [effort={}]", ("low", "high")),
    helm: ("org/m [max_train_instances={}]", (0, 5)),
    inspect: ("lab/one [temperature={}]", (0.0, 1.0)),
    lm_eval: ("m [num_fewshot={}]", (0, 5)),
    openai_evals: ("gpt [num_few_shot={}]", (0, 3)),
    promptfoo: ("m [temperature={}]", (0, 1)),
    terminal_bench: ("terminus/gpt-x [effort={}]", ("low", "high")),
    verifiers: ("lab/m [temperature={}]", (0.0, 1.0)),
    traces: ("lab/m [temperature={}]", (0.0, 1.0)),
}
DOCUMENTS = [evalscope, every_eval_ever, harbor, inspect, lm_eval, lm_eval_without_hashes, opencompass, phoenix]
DOCUMENTS += [tau_bench, terminal_bench, verifiers]
RUNS = [every_eval_ever, evalscope, harbor, helm, inspect, lm_eval, openai_evals, opencompass, promptfoo, swe_bench]
RUNS += [terminal_bench, tau_bench, verifiers, traces]


@pytest.mark.parametrize("write", SETTINGS)
def test_runs_under_other_settings_are_other_models_unless_they_are_pooled(write, tmp_path):
    name, settings = SETTINGS[write]
    for run, setting in zip("12", settings, strict=True):
        write(tmp_path, run, setting)
    apart = read(tmp_path)
    assert sorted(apart.models) == sorted(name.format(setting) for setting in settings)
    assert all(matrix.counts.tolist() == [[0, 1], [1, 0]] for matrix in apart.values())
    if write is not bigcodebench:  # whose files do not tell runs apart
        assert counts(read(tmp_path, pool=True)) == {name.partition(" [")[0]: {"a": [0, 2], "b": [2, 0]}}


@pytest.mark.parametrize("write", DOCUMENTS)
def test_another_document_of_one_name_is_refused(write, tmp_path):
    for run, document in zip("12", "AB", strict=True):
        write(tmp_path, run, document=document)
    refused(tmp_path, "question 'a' is another document", model="m")


@pytest.mark.parametrize("write", RUNS)
def test_runs_of_a_model_add_up_and_a_copy_of_a_run_is_refused(write, tmp_path):
    for run in "12":
        write(tmp_path, run)
    [matrix] = read(tmp_path, model="m").values()
    assert matrix.counts.tolist() == [[0, 2], [2, 0]]
    assert matrix.planned_trials.tolist() == [2, 2]
    write(tmp_path / "copy", "1")
    refused(tmp_path, r"question 'a' of '.*' has trial .* of one run twice", model="m")


# Other files of a run are known, and hold no trials.


def beside_bigcodebench(folder):
    path = bigcodebench(folder, "1")
    write_json(path.with_name(path.name.replace("eval_results", "pass_at_k")), {"pass@1": 0.5, "split": "complete"})


def beside_evalscope(folder):
    evalscope(folder, "1")
    write_lines(folder / "predictions" / "m" / "mcq_main.jsonl", [{"index": 0, "model": "m", "model_output": {}}])
    write_json(folder / "reports" / "m" / "mcq.json", {"dataset_name": "mcq", "model_name": "m", "metrics": []})


def beside_harbor(folder):
    harbor(folder, "1")
    job = folder / "job"
    write_json(job / "result.json", {"id": "1", "n_total_trials": 1, "stats": {}, "trial_results": []})
    write_json(job / "config.json", {"job_name": "job", "n_attempts": 1, "agents": [], "datasets": []})
    write_json(job / "a1" / "verifier" / "reward.json", {"reward": 0.5})
    write_json(job / "a1" / "agent" / "logs" / "trajectory.json", {"steps": []})
    (job / "a1" / "trial.log").write_text("question,correct\nq1,1\n")


def beside_livecodebench(folder):
    rows = [tool.livecodebench_row(name, [right > 0]) for name, right in QUESTIONS.items()]
    write_json(folder / "m" / "codegeneration_1_0.2_eval_all.json", rows)
    write_json(folder / "m" / "codegeneration_1_0.2.json", [{"question_id": "a", "output_list": ["o"]}])
    means = [{"pass@1": 0.5, "detail": {"pass@1": {"0": 0.5}}}, {"0": [[True]]}, []]
    write_json(folder / "m" / "codegeneration_1_0.2_eval.json", means)


def beside_opencompass(folder):
    opencompass(folder, "1")
    write_json(folder / "predictions" / "m" / "add.json", {"0": {"origin_prompt": "p", "prediction": "x", "gold": "g"}})
    write_json(folder / "results" / "m" / "bleu.json", {"bleu": 31.5})


def beside_swe_bench(folder):
    swe_bench(folder, "1")
    instance = {"a": {"patch_is_None": False, "patch_exists": True, "resolved": True}}
    write_json(folder / "logs" / "a" / "report.json", instance)
    patch = {"instance_id": "a", "model_patch": "", "model_name_or_path": "m"}
    write_lines(folder / "preds.jsonl", [patch, patch | {"instance_id": "b"}])
    write_json(folder / "list.json", [patch])
    write_json(folder / "preds.json", {"a": patch})


def beside_terminal_bench(folder):
    terminal_bench(folder, "1")
    (folder / "run-1" / "tb.lock").write_text('{"version": 1}')


def beside_vally(folder):
    tool.vally_run(folder, [tool.vally_trial(name, 0, right) for name, right in QUESTIONS.items()])


COMPANIONS = {  # how many files are skipped, and what is said of them
    beside_bigcodebench: (1, "means of BigCodeBench: read *_eval_results.json"),
    beside_evalscope: (3, "EvalScope"),
    lambda folder: every_eval_ever(folder, "1"): (1, "results of Every Eval Ever"),
    beside_harbor: (7, "Harbor"),
    beside_livecodebench: (2, "LiveCodeBench"),
    beside_opencompass: (2, "OpenCompass"),
    beside_swe_bench: (4, "SWE-bench run"),
    beside_terminal_bench: (4, "terminal-bench run"),
    beside_vally: (2, "Vally"),
}


@pytest.mark.parametrize("write", COMPANIONS)
def test_other_files_of_a_run_hold_no_trials(write, tmp_path):
    write(tmp_path)
    reading = recognise(tmp_path)
    [matrix] = reading.outcomes.values()
    assert (matrix.questions, matrix.counts.tolist()) == (("a", "b"), [[0, 1], [1, 0]])
    number, reason = COMPANIONS[write]
    assert len(reading.skipped) == number
    assert all(reason in said for said in reading.skipped.values())


# What a run used is read besides its outcomes.


def used_by_inspect(folder):
    usage = {"input_tokens": 300, "output_tokens": 150, "total_tokens": 450, "total_cost": 0.25}
    times = {"started_at": "2026-11-20T23:26:18+00:00", "completed_at": "2026-11-20T23:26:20.5+00:00"}
    stats = times | {"model_usage": {"m": usage, "judge": {"input_tokens": 7}, "odd": None}}
    inspect_eval(folder / "a.eval", [inspect_sample("q1", 1)], inspect_header(stats=stats))


def used_by_lm_eval(folder):
    path = lm_eval(folder, "1")
    results = path.with_name("results_2026-01-01T00-00-00.000001.json")
    write_json(results, json.loads(results.read_text()) | {"total_evaluation_time_seconds": "12.5"})


def used_by_harbor(folder):
    tool.harbor_trial(folder, "a", agent_result={"n_input_tokens": 10, "n_output_tokens": None, "cost_usd": 0.5})


def used_by_terminal_bench(folder):
    spent = {"total_input_tokens": 5, "total_output_tokens": 2}
    tool.terminal_bench_run(folder, [tool.terminal_bench_trial("a", i, True) | spent for i in (1, 2)])


def used_by_promptfoo(folder):
    usage = {"cost": 0.25, "tokenUsage": {"prompt": 3, "completion": 2}}
    write_lines(folder / "out.jsonl", [tool.promptfoo_result(name, **usage) for name in "ab"])


USED = {
    used_by_inspect: {"input_tokens": 307, "output_tokens": 150, "dollars": 0.25, "seconds": 2.5},
    used_by_lm_eval: {"seconds": 12.5},
    used_by_harbor: {"input_tokens": 10, "dollars": 0.5},
    used_by_terminal_bench: {"input_tokens": 10, "output_tokens": 4},
    lambda folder: tool.verifiers_run(folder, [tool.verifiers_row(0, True)], time_ms=1500): {"seconds": 1.5},
    used_by_promptfoo: {"dollars": 0.5, "input_tokens": 6, "output_tokens": 4},
}


@pytest.mark.parametrize("write", USED)
def test_what_a_run_used(tmp_path, write):
    write(tmp_path)
    [outcomes] = recognise(tmp_path).outcomes.by_task.values()
    [costs] = outcomes.costs.values()
    assert {name: mean * outcomes.first.trials.sum() for name, mean in costs.items()} == pytest.approx(USED[write])


# Logs that end early at the end of a line, which only a number beside them tells.


def samples_of_lm_eval(folder):
    path = lm_eval_file(folder, [lm_eval_row(doc) for doc in range(3)], model="org/m")
    results = path.with_name("results_2026-01-01T00-00-00.000001.json")
    write_json(results, json.loads(results.read_text()) | {"n-samples": {"sums": {"effective": 3}}})
    return path


def rollouts_of_verifiers(folder):
    return tool.verifiers_run(folder, [tool.verifiers_row(i, True) for i in range(3)], model="m")


def events_of_openai(folder):
    return tool.openai_log(folder / "m.jsonl", [(f"q{i}", True) for i in range(3)])


@pytest.mark.parametrize(
    ("write", "lines", "message"),
    [
        (samples_of_lm_eval, 2, r"samples_sums.* has 2 of the 3 samples that the results file beside it"),
        (rollouts_of_verifiers, 1, "results.jsonl has 1 of the 3 examples that metadata.json beside it counts"),
        (events_of_openai, 3, "m.jsonl has no final_report, so that samples may be missing at its end"),
    ],
)
def test_a_log_that_was_cut_off_is_warned_of(write, lines, message, tmp_path):
    path = write(tmp_path)
    assert quietly(path).n_questions == 3
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))
    with pytest.warns(FilesWarning, match=message):
        read(path)
    with pytest.raises(FilesWarning):  # where the caller makes a warning an error, the reader has not failed
        quietly(path)


# Settings beside logs that are damaged: the logs are read, or refused in one line.


def harbor_settings(folder):
    tool.harbor_trial(folder, "a")
    return write_json(folder / "config.json", {"n_attempts": 2, "agents": []})


def terminal_bench_settings(folder):
    tool.terminal_bench_run(folder, [tool.terminal_bench_trial("a", 1, True)], task_ids=["a", "b"], dataset_version="1")
    return folder / "run_metadata.json"


def verifiers_settings(folder):
    tool.verifiers_run(folder, [tool.verifiers_row(0, True)])
    return folder / "metadata.json"


def traces_settings(folder):
    tool.verifiers_traces(
        folder, [tool.verifiers_episode("1", "a")], {"env": {"agent": {"max_turns": 3}, "taskset": {}}}
    )
    return folder / "configs" / "resolved" / "eval.json"


JUNK = [None, True, -1, 0.5, "", "x", [], [[]], {}, {"a": {}}]


@pytest.mark.parametrize("write", [harbor_settings, terminal_bench_settings, verifiers_settings, traces_settings])
def test_damaged_settings(tmp_path, write):
    path = write(tmp_path / "run")
    assert read(tmp_path).n_questions >= 1
    valid = json.loads(path.read_text())
    damaged = [json.dumps(replaced(valid, place, junk)) for place in places(valid) for junk in JUNK]
    for content in [*damaged, "", "{", '{"a": 1}\n{"a": 2}\n', "\xff"]:
        path.write_text(content, encoding="latin-1")
        try:
            assert isinstance(read(tmp_path), OutcomeSet)
        except OutcomeError as error:
            assert "\n" not in str(error)
