"""Several Inspect logs: runs of a model, attempts at one run, tasks, and what tells their questions apart."""

import shutil

import pytest

from helpers.written import counts, inspect_eval, inspect_header, inspect_sample, refused
from scorio import OutcomeError, ParameterError, read
from scorio.io import assemble, read_runs, recognise


def attempt(folder, number, samples):
    header = inspect_header(ids=["q1", "q2", "q3"], epochs=1)
    header["eval"] |= {"eval_id": f"attempt-{number}", "created": f"2026-01-01T00:00:0{number}+00:00"}
    return inspect_eval(folder / f"{number}.eval", samples, header)


def test_attempts_at_one_run_are_one_run(tmp_path):
    """A retry holds the samples that were done before once more; the last one that was scored stands."""
    attempt(tmp_path, 1, [inspect_sample("q1", 1), inspect_sample("q2", 1, "I"), inspect_sample("q3", 1, None)])
    attempt(tmp_path, 2, [inspect_sample("q1", 1), inspect_sample("q2", 1, "C"), inspect_sample("q3", 1, None)])
    killed = attempt(tmp_path, 3, [inspect_sample("q1", 1), inspect_sample("q2", 1, None)])
    reading = recognise(tmp_path)
    assert counts(reading.outcomes)["lab/one"] == {"q1": [0, 1], "q2": [0, 1], "q3": [0, 0]}
    assert reading.outcomes["lab/one"].completeness == pytest.approx(2 / 3)
    assert "1.eval: inspect, model 'lab/one', task 'sums', 0 trials" in str(reading)
    assert "counted in other attempts 3" in str(reading)
    shutil.copy(killed, tmp_path / "copy.eval")
    refused(tmp_path, r"3\.eval and .*copy\.eval: question 'q1' .* has trial 1 of one run twice")


def test_a_run_without_a_trial_takes_no_answers_from_the_others(tmp_path):
    for number, samples in enumerate([[], [inspect_sample("q1", 1), inspect_sample("q1", 2)]]):
        header = inspect_header(ids=["q1"], run=f"run-{number}", status="error")
        inspect_eval(tmp_path / f"{number}.eval", samples, header)
    outcomes = recognise(tmp_path, keep=["answers"]).outcomes["lab/one"]
    assert outcomes.trials.tolist() == [2]
    assert set(outcomes.trial_columns.answers.labels) == {"4"}


def test_runs_one_by_one(tmp_path):
    """Each trial is in one attempt, models are renamed, other tasks left out, and the outcomes are those of read."""
    attempt(tmp_path, 1, [inspect_sample("q1", 1), inspect_sample("q2", 1, "I")])
    attempt(tmp_path, 2, [inspect_sample("q1", 1), inspect_sample("q2", 1, "C")])
    inspect_eval(tmp_path / "other.eval", [inspect_sample("q1", 1)], inspect_header(task="words", run="2"))
    runs = read_runs(tmp_path, task="sums", model={"lab/one": "one"})
    assert [(each.path.name, each.run.model, each.present) for each in runs] == [
        ("1.eval", "one", 0),
        ("2.eval", "one", 2),
    ]
    assert assemble(runs) == read(tmp_path, task="sums", model={"lab/one": "one"})
    with pytest.raises(OutcomeError, match="unknown task 'none'"):
        read_runs(tmp_path, task="none")
    with pytest.raises(ParameterError, match="'filter' cannot be chosen in files of inspect"):
        read_runs(tmp_path, filter="x")


def test_a_limited_run_plans_what_it_asked(tmp_path):
    header = inspect_header(ids=range(100), epochs=2, results={"total_samples": 4})
    samples = [inspect_sample(id, epoch) for id in (0, 1) for epoch in (1, 2)]
    matrix = read(inspect_eval(tmp_path / "a.eval", samples, header))["lab/one"]
    assert (matrix.n_questions, matrix.completeness) == (2, 1.0)


def test_several_tasks_are_not_mixed(tmp_path):
    for task in ("sums", "words"):
        header = inspect_header(task=task, run=task, ids=["q1"], epochs=1)
        inspect_eval(tmp_path / f"{task}.eval", [inspect_sample("q1", 1, "C" if task == "sums" else "I")], header)
    refused(tmp_path, r"2 tasks, and one is needed here, of 'sums', 'words': task=", suite=False)
    assert counts(read(tmp_path, task="w*")) == {"lab/one": {"q1": [1, 0]}}
    assert counts(read(tmp_path, task="w*", suite=True)["words"]) == {"lab/one": {"q1": [1, 0]}}
    for suite in (read(tmp_path), read(tmp_path, task="*"), read(tmp_path, suite=True)):
        assert suite.tasks == ("sums", "words")
        assert counts(suite["words"]) == {"lab/one": {"q1": [1, 0]}}
        assert counts(suite.pooled()) == {"lab/one": {"sums/q1": [0, 1], "words/q1": [1, 0]}}
    refused(tmp_path, "suite must be None, True or False", by=ParameterError, suite="yes")
    refused(tmp_path, "unknown task 'x'. Choose from: sums, words", task="x")


def test_different_scores_of_two_files_are_not_compared(tmp_path):
    a = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1, scorer="match")])
    b = inspect_eval(tmp_path / "b.eval", [inspect_sample("q1", 1, scorer="judge")], inspect_header("lab/two"))
    refused([a, b], r"scored by 'match', .* by 'judge': score=")


def shuffled(folder, model, *names):
    """A log whose samples are numbered as they come, and say in their metadata who they are."""
    parts = {"q1": "one", "q2": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "two  2"}]}]}
    samples = [inspect_sample(i, 1, "CI"[i], input=parts[q], metadata={"name": q}) for i, q in enumerate(names)]
    return inspect_eval(folder / f"{model}.eval", samples, inspect_header(model, ids=[0, 1], epochs=1))


def test_samples_of_one_number_are_one_question(tmp_path):
    """Datasets without ids are numbered after they were shuffled."""
    shuffled(tmp_path, "a", "q1", "q2")
    thinned = [{"role": "user", "content": [{"type": "text", "text": t} for t in ("(Image)", "two 2")]}]
    samples = [inspect_sample(1, 1, "I", input=thinned), inspect_sample(0, 1, "I", input="one\n")]
    inspect_eval(tmp_path / "c.eval", samples, inspect_header("c", ids=[0, 1], epochs=1))
    assert read(tmp_path).models == ("a", "c")
    shuffled(tmp_path, "b", "q2", "q1")
    with pytest.raises(OutcomeError, match=r"question '[01]' is another document in .*c\.eval than in .*b\.eval"):
        read([tmp_path / "b.eval", tmp_path / "c.eval"])
    pair = [tmp_path / "a.eval", tmp_path / "b.eval"]
    assert counts(read(pair, fields={"question": "name"})) == {
        "a": {"q1": [0, 1], "q2": [1, 0]},
        "b": {"q1": [1, 0], "q2": [0, 1]},
    }
    assert read(pair, fields={"question": "id"}).questions == ("0", "1")
    refused(pair, "sample '0', epoch 1: metadata.who must be a name", fields={"question": "who"})
