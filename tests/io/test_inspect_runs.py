"""Several logs of Inspect: runs, attempts, tasks, scores that came later, and what each trial cost."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.tool_files import terminal_bench_run, terminal_bench_trial
from helpers.written import counts, inspect_eval, inspect_header, inspect_log, inspect_sample, refused
from scorio import Leaderboard, OutcomeError, OutcomeSet, ParameterError, Suite, read
from scorio.io import assemble, read_runs, recognise
from scorio.io._outcome_table import write_table


def attempt(folder, number, letters):
    """An attempt at a run of three questions, of which the first have a letter each."""
    about = {"eval_id": f"attempt-{number}", "created": f"2026-01-01T00:00:0{number}+00:00"}
    about["dataset"] = {"samples": 3, "sample_ids": ["q1", "q2", "q3"]}
    return inspect_log(folder / f"{number}.eval", {f"q{i}": each for i, each in enumerate(letters, 1)}, **about)


def test_attempts_at_one_run_are_one_run(tmp_path):
    """A retry holds the samples that were done before once more; the last one that was scored stands."""
    attempt(tmp_path, 1, "CI ")
    attempt(tmp_path, 2, "CC ")
    killed = attempt(tmp_path, 3, "C ")
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
    attempt(tmp_path, 1, "CI")
    attempt(tmp_path, 2, "CC")
    inspect_log(tmp_path / "other.eval", {"q1": "C"}, task="words", run="2")
    runs = read_runs(tmp_path, task="sums", model={"lab/one": "one"})
    of_files = [(source.path.name, source.run.model, source.present) for source in runs]
    assert of_files == [("1.eval", "one", 0), ("2.eval", "one", 2)]
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
    for task, letter in (("sums", "C"), ("words", "I")):
        inspect_log(tmp_path / f"{task}.eval", {"q1": letter}, task=task, run=task)
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
    a = inspect_log(tmp_path / "a.eval", {"q1": "C"}, scorer="match")
    b = inspect_log(tmp_path / "b.eval", {"q1": "C"}, "lab/two", scorer="judge")
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


# Scores that `inspect score` added: each is read from the log that has it.


def scored(folder, name, scores, run="one"):
    """Write a log of one question with three epochs, whose scores are letters by name."""
    header = inspect_header(ids=["q1"], epochs=3, run=run)
    header["eval"] |= {"eval_id": f"eval {run}", "run_id": f"run {run}", "created": "2026-01-01T00:00:00+00:00"}
    samples = [
        inspect_sample("q1", epoch + 1) | {"scores": {score: {"value": text[epoch]} for score, text in scores.items()}}
        for epoch in range(3)
    ]
    return inspect_eval(folder / name, samples, header)


def test_a_log_that_was_scored_again_counts_once(tmp_path):
    first = scored(tmp_path, "a.eval", {"exact": "CCI"})
    later = scored(tmp_path, "a-scored.eval", {"exact": "CCI", "judge": "III"})
    for source in (tmp_path, [first, later], [later, first]):
        assert counts(read(source, score="exact")) == {"lab/one": {"q1": [1, 2]}}
        assert counts(read(source, score="judge")) == {"lab/one": {"q1": [3, 0]}}
        refused(source, r"a-scored.eval: there are several scores, 'exact', 'judge'")
    assert counts(read(first)) == {"lab/one": {"q1": [1, 2]}}
    reading = recognise(tmp_path, score="judge")
    assert reading.skipped == {first: "its samples were scored again in a-scored.eval, which is read"}
    refused(tmp_path, r"unknown score 'other'", score="other")


def test_a_later_score_of_the_same_name_counts(tmp_path):
    scored(tmp_path, "a.eval", {"exact": "CCI"})
    scored(tmp_path, "a-scored.eval", {"exact": "III"})
    assert counts(read(tmp_path)) == {"lab/one": {"q1": [3, 0]}}


def test_a_score_that_only_the_first_log_has(tmp_path):
    scored(tmp_path, "a.eval", {"exact": "CCI"})
    later = scored(tmp_path, "a-scored.eval", {"judge": "III"})
    assert counts(read(tmp_path, score="exact")) == {"lab/one": {"q1": [1, 2]}}
    assert recognise(tmp_path, score="exact").skipped == {
        later: "its samples are those of a.eval, which has the score 'exact'"
    }
    assert counts(read(tmp_path, score="judge")) == {"lab/one": {"q1": [3, 0]}}
    refused(tmp_path, "is scored by")


def test_another_run_of_such_a_name_is_added_up(tmp_path):
    scored(tmp_path, "a.eval", {"exact": "CCI"})
    scored(tmp_path, "a-scored.eval", {"exact": "III"}, run="two")
    assert counts(read(tmp_path)) == {"lab/one": {"q1": [4, 2]}}


# Folders of several tasks.


RATES = {"algebra": (0.8, 0.3), "chess": (0.2, 0.6), "law": (0.5, 0.5)}


def written_suite():
    """Two models with known rates, one of them at two temperatures, on tasks of unequal size."""
    rng = np.random.default_rng(7)
    conditions = {"lab/one": {"temperature": "0.7"}, "lab/two": {"temperature": "0.0"}}
    tasks = {}
    for size, (task, (first, second)) in enumerate(RATES.items(), start=2):
        rates = {"lab/one": first, "lab/two": second, "lab/three": second}
        tables = {model: rng.binomial(1, rate, (10 * size, 3)) for model, rate in rates.items()}
        tasks[task] = OutcomeSet(tables, questions=[f"q{i}" for i in range(10 * size)], conditions=conditions)
    return Suite(tasks)


def test_a_suite_survives_a_table(tmp_path):
    suite = written_suite()
    write_table(suite, tmp_path / "outcomes.csv")
    again = read(tmp_path)
    assert set(again) == set(suite)
    for task, models in suite.items():
        assert counts(again[task]) == counts(models)
    boards = (Leaderboard("pass@1", each) for each in (again.select(models=suite.models), suite))
    scores, truth = (dict(zip(board.models, board.scores, strict=True)) for board in boards)
    assert scores == pytest.approx(truth)


def test_one_model_under_two_conditions_is_two_models_of_every_task(tmp_path):
    for task in ("sums", "words"):
        for letter, config in (("C", {"temperature": 0.0}), ("I", {"temperature": 1.0})):
            about = {"task": task, "run": f"{task} {letter}", "model_generate_config": config}
            inspect_log(tmp_path / f"{task}{letter}.eval", {"q1": letter}, **about)
    suite = read(tmp_path)
    assert suite.models == ("lab/one [temperature=0.0]", "lab/one [temperature=1.0]")
    assert suite.missing == {}
    assert dict(suite["sums"].conditions["lab/one [temperature=1.0]"])["temperature"] == "1.0"
    pooled = read(tmp_path, pool="temperature")
    assert pooled.models == ("lab/one",)
    assert "temperature" not in pooled["sums"].conditions["lab/one"]


def bad_folder(folder: Path):
    """A task whose two files disagree about the score, beside a good one."""
    for task, scorers in (("good", ("match", "match")), ("bad", ("match", "judge"))):
        for i, scorer in enumerate(scorers):
            about = {"task": task, "run": f"{task} {i}", "scorer": scorer}
            inspect_log(folder / f"{task}{i}.eval", {"q1": "CI"[i]}, f"lab/{i}", **about)


def test_one_bad_task_does_not_hide_the_others(tmp_path):
    bad_folder(tmp_path)
    refused(tmp_path, r"^task bad: .*scored by 'match'.*skip_bad=True leaves the task out")
    reading = recognise(tmp_path, skip_bad=True)
    assert reading.outcomes.tasks == ("good",)
    assert "scored by 'match'" in reading.bad_tasks["bad"]
    assert "task 'bad': left out" in str(reading)
    assert read(tmp_path, task="good").models == ("lab/0", "lab/1")


def test_if_every_task_is_bad_the_first_error_is_raised(tmp_path):
    bad_folder(tmp_path)
    for path in tmp_path.glob("good*"):
        path.unlink()
    inspect_log(tmp_path / "e.eval", {"q1": " "}, task="empty", run="e")
    refused(tmp_path, "^task bad: ", skip_bad=True)


def test_a_single_file_without_a_task_is_named_by_the_file(tmp_path):
    (tmp_path / "math.csv").write_text("task,model,question,correct\nalgebra,a,q1,1\n")
    (tmp_path / "chess.csv").write_text("model,question,correct\na,q1,0\n")
    assert read(tmp_path).tasks == ("chess", "algebra")
    assert read(tmp_path, task="chess", suite=False)["a"].successes.tolist() == [0]
    (tmp_path / "chess.csv").rename(tmp_path / "algebra.csv")
    assert read(tmp_path).tasks == ("algebra.csv", "algebra")
    (tmp_path / "7.jsonl").write_text('{"input": "q2", "output": "", "score": 1, "step": 7}\n')  # of verl
    assert set(read(tmp_path).tasks) == {"algebra.csv", "algebra", "no task"}
    (tmp_path / "7.jsonl").unlink()
    (tmp_path / "b.csv").write_text("model,question,correct\nb,q1,0\n")
    assert set(read(tmp_path).tasks) == {"no task", "algebra"}


# Costs of single trials.


TOKENS = {("q1", 1): 10, ("q1", 2): 30, ("q2", 1): 5, ("q2", 2): 5}


def write_log(path, run="run-1", tokens=TOKENS, without=(), task="sums", model="lab/one", values=None):
    """Write a log of Inspect whose samples, except some, tell what they used."""
    samples = [
        inspect_sample(*key, value=(values or {}).get(key, "C"))
        | ({} if key in without else {"model_usage": {"m": {"input_tokens": count, "output_tokens": 2 * count}}})
        for key, count in tokens.items()
    ]
    usage = {"input_tokens": sum(tokens.values()), "output_tokens": 2 * sum(tokens.values())}
    header = inspect_header(model, run=run, task=task, stats={"model_usage": {"m": usage}})
    return inspect_eval(path, samples, header)


def trials_of(outcomes, model="lab/one", cost="input_tokens"):
    known = outcomes.costs[model][cost].trials
    return known.trials.tolist(), *(np.nan_to_num(each).tolist() for each in (known.means, known.variances))


def test_inspect_logs_tell_the_costs_of_samples(tmp_path):
    write_log(tmp_path / "1.eval")
    outcomes = read(tmp_path)
    assert outcomes.costs["lab/one"] == {"input_tokens": 12.5, "output_tokens": 25.0}
    assert trials_of(outcomes) == ([2, 2], [20.0, 5.0], [200.0, 0.0])
    assert outcomes.costs["lab/one"]["input_tokens"].trials.means.tolist() == [20.0, 5.0]


def test_runs_of_a_model_add_up(tmp_path):
    write_log(tmp_path / "1.eval")
    write_log(tmp_path / "2.eval", run="run-2", tokens={("q2", 1): 20, ("q2", 2): 30, ("q1", 1): 20, ("q1", 2): 20})
    outcomes = read(tmp_path)
    numbers, means, variances = trials_of(outcomes)
    assert (numbers, means) == ([4, 4], [20.0, 15.0])
    assert variances == pytest.approx([np.var([10, 30, 20, 20], ddof=1), np.var([5, 5, 20, 30], ddof=1)])


def test_a_sample_that_does_not_tell_hides_those_of_the_others(tmp_path):
    write_log(tmp_path / "1.eval", without=[("q1", 2)])
    cost = read(tmp_path).costs["lab/one"]["input_tokens"]
    assert cost == 12.5
    assert not hasattr(cost, "trials")


def test_the_cost_of_a_sample_without_an_outcome_counts(tmp_path):
    write_log(tmp_path / "1.eval", values={("q1", 2): None})
    outcomes = read(tmp_path)
    assert outcomes.costs["lab/one"]["input_tokens"] == pytest.approx(50 / 3)
    assert trials_of(outcomes)[0] == [2, 2]


def test_a_retry_counts_each_sample_once(tmp_path):
    for hour, tokens in ((1, {("q1", 1): 10, ("q1", 2): 30}), (2, {("q1", 1): 10, ("q1", 2): 30, ("q2", 1): 5})):
        samples = [inspect_sample(*key, model_usage={"m": {"input_tokens": count}}) for key, count in tokens.items()]
        header = inspect_header()
        header["eval"] |= {"created": f"2026-01-01T0{hour}:00:00+00:00", "eval_id": str(hour)}
        inspect_eval(tmp_path / f"{hour}.eval", samples, header)
    assert trials_of(read(tmp_path)) == ([2, 1], [20.0, 5.0], [200.0, 0.0])


def test_other_tools_tell_them_too(tmp_path):
    tokens = (("t1", 1, 4), ("t1", 2, 8), ("t2", 1, 6))
    trials = [terminal_bench_trial(name, i, True) | {"total_input_tokens": count} for name, i, count in tokens]
    terminal_bench_run(tmp_path / "run", trials)
    assert trials_of(read(tmp_path, model="m"), "m") == ([2, 1], [6.0, 6.0], [8.0, 0.0])
