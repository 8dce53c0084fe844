"""The HELM reader, on files by hand."""

from helpers.written import counts, refused, write_json
from scorio import read

NAME = "per_instance_stats.json"
SPEC = {"name": "mmlu:subject=x,model=org_m", "adapter_spec": {"model": "org/m", "num_train_trials": 2}}


def stat(value, name="exact_match", split="test", count=1, **more):
    return {"name": {"name": name, "split": split, **more}, "count": count, "sum": value}


def row(question, trial, *stats, **more):
    return {"instance_id": question, "train_trial_index": trial, "stats": list(stats), **more}


def written(folder, rows, spec=SPEC):
    if spec:
        write_json(folder / "run_spec.json", spec)
    return write_json(folder / NAME, rows)


def test_counts_of_tokens_and_the_best_of_several_are_no_outcomes(tmp_path):
    stats = [stat(1.0), stat(7, "num_output_tokens"), stat(1.0, "exact_match@5"), stat(0.5, "inference_runtime")]
    assert counts(read(written(tmp_path, [row("a", 0, *stats)]))) == {"org/m": {"a": [0, 1]}}


def test_instances_of_another_split_are_left_out(tmp_path):
    path = written(tmp_path, [row("a", 0, stat(1.0)), row("b", 0, stat(0.0, split="valid"))])
    refused(path, "several statistics, 'test/exact_match', 'valid/exact_match'")
    assert counts(read(path, score="test/exact_match")) == {"org/m": {"a": [0, 1]}}


def test_a_statistic_of_no_value_is_missing_and_a_mean_is_refused(tmp_path):
    rows = [row("a", 0, stat(1.0)), row("a", 1, stat(0.0, count=0)), row("b", 0), row("b", 1, stat(2.0, count=2))]
    assert counts(read(written(tmp_path, rows))) == {"org/m": {"a": [0, 1], "b": [0, 1]}}
    path = written(tmp_path, [row("a", 0, stat(1.0, count=2))])
    refused(path, "record 0: stats 0: 'test/exact_match' is a mean over 2 values, sum 1.0")


def test_other_settings_of_the_adapter_are_conditions(tmp_path):
    for shots in (0, 5):
        spec = {**SPEC, "adapter_spec": {**SPEC["adapter_spec"], "max_train_instances": shots}}
        written(tmp_path / str(shots), [row("a", 0, stat(float(shots > 0)))], spec)
    assert read(tmp_path).models == ("org/m [max_train_instances=0]", "org/m [max_train_instances=5]")
