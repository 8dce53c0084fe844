"""``scorio doctor``: the library's diagnosis, and commands that run as they are printed."""

import json
import shlex
from contextlib import nullcontext

import numpy as np
import pytest

from helpers.command import run
from scorio import read
from scorio.errors import FilesWarning


def commands_of(*arguments):
    content = json.loads(run("doctor", *arguments, "--format", "json").stdout)["settings"]
    supported = [each["command"] for each in content["statements"] if each["command"]]
    return content["next"]["command"], [content["next"]["command"], *supported]


def written(path, rates, trials, rng, missing=False):
    lines = ["model,question,trial,correct"]
    for model, rate in rates.items():
        for q, p in enumerate(rate):
            answers = rng.binomial(1, p, trials)
            lines += [f"{model},q{q},{t},{'' if missing and q == 3 and t == 1 else a}" for t, a in enumerate(answers)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("models", [1, 2, 3])
@pytest.mark.parametrize("missing", [False, True])
def test_every_command_runs_as_it_is_printed(tmp_path, models, missing):
    rng = np.random.default_rng(models)
    rates = {f"model {i}": rng.beta(1, 1, 25) for i in range(models)}
    folder = tmp_path / "my logs"
    folder.mkdir()
    path = written(folder / "runs.csv", rates, 3, rng, missing)
    following, every = commands_of(path, "--field", "trial=trial", "--missing", "omit", "-q")
    assert "--field trial=trial" in following
    for command in every:
        words = shlex.split(command)
        assert words[0] == "scorio"
        run(*words[1:])


def test_commands_of_several_tasks_run(tmp_path):
    lines = ["task,model,question,trial,correct"]
    lines += [
        f"{task},{m},q{q},{t},{(q + t) % 2}"
        for task in "xy"
        for m in "ab"
        for q in range(5)
        for t in range(2)
        if (task, m) != ("y", "b")
    ]
    path = tmp_path / "tasks.csv"
    path.write_text("\n".join(lines) + "\n")
    for command in commands_of(path, "-q")[1]:
        run(*shlex.split(command)[1:])


def test_suspicious_logs_are_no_error(tmp_path):
    rng = np.random.default_rng(1)
    path = written(tmp_path / "cached.csv", {"m": rng.binomial(1, 0.6, 80)}, 5, rng)
    answer = run("doctor", path)
    assert "trials alike" in answer.stdout
    assert "Next: scorio convert" in answer.stdout


@pytest.mark.parametrize(("outcomes", "is_key"), [("010010", True), ("010011", False), ("000000", False)])
def test_a_column_of_right_answers_is_named(outcomes, is_key, tmp_path):
    """A column ``correct`` may hold the key: then every model has the same value there."""
    rows = ["id,model,pred,correct", *(f"q{i % 3},{'ab'[i // 3]},0,{value}" for i, value in enumerate(outcomes))]
    (tmp_path / "m.csv").write_text("\n".join(rows))
    said = run("doctor", tmp_path / "m.csv").stdout
    expected = "answers as outcomes  the column 'correct' has one value per question, for all models and trials, beside"
    assert (expected in said) == is_key


@pytest.mark.parametrize(("answers", "is_key"), [("000111", True), ("000000", False), ("BBBCCC", False)])
def test_a_column_that_must_hold_the_right_answers_is_warned_of_where_it_is_read(answers, is_key, tmp_path):
    """Answers of the same kind differ where the outcome does not: one of them would be wrong."""
    rows = (f"q{i % 3},{'ab'[i // 3]},{answer},{int(i % 3 == 1)}" for i, answer in enumerate(answers))
    (tmp_path / "m.csv").write_text("\n".join(["id,model,pred,correct", *rows]))
    warned = pytest.warns(FilesWarning, match="'correct' seems to hold the right answers") if is_key else nullcontext()
    with warned:
        read(tmp_path / "m.csv")
