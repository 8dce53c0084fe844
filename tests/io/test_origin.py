"""What logs say about a run besides its outcomes: tokens, seconds and dollars."""

import pytest

from helpers.tool_files import harbor_trial, terminal_bench_run, terminal_bench_trial, verifiers_row, verifiers_run
from helpers.written import inspect_eval, inspect_header, inspect_sample, lm_eval_file, lm_eval_row, write_lines
from scorio.io import recognise


def inspect(folder):
    usage = {"input_tokens": 300, "output_tokens": 150, "total_tokens": 450, "total_cost": 0.25}
    times = {"started_at": "2026-11-20T23:26:18+00:00", "completed_at": "2026-11-20T23:26:20.5+00:00"}
    stats = times | {"model_usage": {"m": usage, "judge": {"input_tokens": 7}, "odd": None}}
    inspect_eval(folder / "a.eval", [inspect_sample("q1", 1)], inspect_header(stats=stats))
    return {"input_tokens": 307, "output_tokens": 150, "dollars": 0.25, "seconds": 2.5}


def lm_eval(folder):
    path = lm_eval_file(folder, [lm_eval_row(0)], model="m")
    results = path.with_name("results_2026-01-01T00-00-00.000001.json")
    results.write_text(results.read_text()[:-1] + ', "total_evaluation_time_seconds": "12.5"}')
    return {"seconds": 12.5}


def harbor(folder):
    harbor_trial(folder, "a", agent_result={"n_input_tokens": 10, "n_output_tokens": None, "cost_usd": 0.5})
    return {"input_tokens": 10, "dollars": 0.5}


def terminal_bench(folder):
    trials = [terminal_bench_trial("a", i, True) | {"total_input_tokens": 5, "total_output_tokens": 2} for i in (1, 2)]
    terminal_bench_run(folder, trials)
    return {"input_tokens": 10, "output_tokens": 4}


def verifiers(folder):
    verifiers_run(folder / "sums--m" / "0", [verifiers_row(0, True)], time_ms=1500)
    return {"seconds": 1.5}


def promptfoo(folder):
    about = {
        "provider": {"id": "m"},
        "prompt": {"label": "Say"},
        "success": True,
        "namedScores": {},
        "failureReason": 0,
    }
    usage = {"cost": 0.25, "tokenUsage": {"prompt": 3, "completion": 2}}
    write_lines(folder / "out.jsonl", [about | usage | {"id": name, "vars": {"q": 1}} for name in "ab"])
    return {"dollars": 0.5, "input_tokens": 6, "output_tokens": 4}


@pytest.mark.parametrize("write", [inspect, lm_eval, harbor, terminal_bench, verifiers, promptfoo])
def test_what_a_run_used(tmp_path, write):
    used = write(tmp_path)
    [about] = recognise(tmp_path).metadata.values()
    assert about["costs"] == used
