"""Two sources of one command are held to what one folder is: the same questions, scored alike, and not one run."""

import json
import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.command import run
from helpers.written import inspect_header, inspect_sample, refused, write_json
from scorio import read

pytestmark = pytest.mark.filterwarnings("default::scorio.errors.QuestionsWarning")
IDS = [f"q{i}" for i in range(30)]


def log(path, model, seed, *, text="What is {}?", scorer="match", task="sums", version=1, data="sums"):
    """Write a log of 30 questions with four trials, whose success rates rise from 0 to 1."""
    solved = np.random.default_rng(seed).random((len(IDS), 4)) < np.linspace(0.0, 1.0, len(IDS))[:, None]
    samples = [
        inspect_sample(name, epoch, "C" if solved[i, epoch - 1] else "I", scorer, input=text.format(name))
        for i, name in enumerate(IDS)
        for epoch in (1, 2, 3, 4)
    ]
    header = inspect_header(model, IDS, 4, task, f"{model} {seed}", status="success")
    header["eval"] |= {"task_version": version}
    header["eval"]["dataset"]["name"] = data
    return write_json(path, header | {"samples": samples})


@pytest.fixture
def folder(tmp_path):
    log(tmp_path / "old.json", "old", 1)
    return tmp_path


COMMANDS = {
    "gate": ["gate", "new.json", "--baseline", "old.json", "--max-drop", "0.9"],
    "compare": ["compare", "new.json", "old.json"],
    "questions": ["questions", "new.json", "--baseline", "old.json"],
    "report": ["report", "new.json", "--baseline", "old.json", "-o", "page.html"],
}
REFUSED = {
    "inputs": ({"text": "What is half of {}?"}, "question 'q0' is another document in old.json than in new.json"),
    "scorer": ({"scorer": "judge"}, "new.json is scored by 'judge', old.json by 'match'"),
    "task": ({"task": "sums_v2"}, "the tasks differ: new.json holds 'sums_v2', old.json 'sums'"),
}
WARNED = {
    "version": ({"version": 2}, "task_version differs: 2 in new.json, and 1 in old.json"),
    "data set": ({"data": "hard sums"}, "dataset differs: hard sums in new.json, and sums in old.json"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", REFUSED)
def test_two_sources_are_refused_where_one_folder_is(command, what, folder, monkeypatch):
    """Other inputs under the same ids, another scorer and another task are no comparison (number 6)."""
    monkeypatch.chdir(folder)
    settings, said = REFUSED[what]
    log(folder / "new.json", "new", 2, **settings)
    assert said in run(*COMMANDS[command], code=2).stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", WARNED)
def test_other_versions_and_data_sets_are_warned_of(command, what, folder, monkeypatch):
    """Another version of the task, or another data set, is said wherever two models are compared (number 6)."""
    monkeypatch.chdir(folder)
    settings, said = WARNED[what]
    log(folder / "new.json", "new", 2, **settings)
    assert said in run(*COMMANDS[command]).stderr


def test_other_versions_in_one_folder_are_warned_of(folder):
    """Where one folder holds both models, compare and gate warn of other versions as well (number 6)."""
    log(folder / "new.json", "new", 2, version=2)
    for command in ("compare", "gate"):
        assert "task_version differs: 2 in" in run(command, folder, "--between", "new", "old").stderr


def test_equal_settings_of_other_runs_are_not_warned_of(folder, monkeypatch):
    """Two runs of one version with the same inputs pass without a warning (number 6)."""
    monkeypatch.chdir(folder)
    log(folder / "new.json", "new", 2)
    run("convert", "old.json", "-o", "old.npz", "-q")
    for baseline in ("old.json", "old.npz"):
        assert run("gate", "new.json", "--baseline", baseline, "-q").stderr == ""


def test_warnings_are_in_the_json_and_the_junit_of_a_verdict(folder, monkeypatch):
    """What a gate warns of is in its JSON and in its JUnit XML, as programs do not read stderr (number 6)."""
    monkeypatch.chdir(folder)
    log(folder / "new.json", "new", 2, version=2)
    answer = json.loads(run(*COMMANDS["gate"], "--format", "json", "--junit", "gate.xml").stdout)
    (text,) = answer["settings"]["warnings"]
    assert text.startswith("task_version differs: 2 in new.json")
    assert ET.parse("gate.xml").findtext(".//system-err") == text


@pytest.mark.parametrize("what", REFUSED)
def test_saved_counts_carry_the_inputs_and_the_score(what, folder, monkeypatch):
    """A baseline of saved counts is refused where the logs that it was made of are (number 6)."""
    monkeypatch.chdir(folder)
    run("convert", "old.json", "-o", "old.npz", "-q")
    settings, said = REFUSED[what]
    log(folder / "new.json", "new", 2, **settings)
    command = ["gate", "new.json", "--baseline", "old.npz"]
    assert said.replace("old.json", "old.npz") in run(*command, code=2).stderr


def test_merged_counts_of_the_same_questions_still_tell_their_inputs(folder, monkeypatch):
    """Counts of two runs of the same questions tell the inputs that both have (number 6)."""
    monkeypatch.chdir(folder)
    log(folder / "again.json", "old", 3)
    run("convert", "old.json", "again.json", "-o", "old.npz", "-q")
    log(folder / "new.json", "new", 2, text="What is half of {}?")
    assert "is another document" in run("gate", "new.json", "--baseline", "old.npz", code=2).stderr


def test_saved_counts_that_cannot_tell_say_so(folder, monkeypatch):
    """Counts without the inputs, as training loops and older versions save them, are read and said to be so (6)."""
    monkeypatch.chdir(folder)
    counted = read("old.json")
    counted.save("old.npz")
    log(folder / "new.json", "new", 2)
    said = run("gate", "new.json", "--baseline", "old.npz").stderr
    assert "old.npz holds counts that do not tell the inputs of their questions" in said


@pytest.mark.parametrize("copy", ["itself", "copied file", "same outcomes", "saved counts"])
@pytest.mark.parametrize("command", ["gate", "compare"])
def test_a_run_against_itself_is_said(command, copy, folder, monkeypatch):
    """A run against itself, a copied file, or a log with the same outcomes is said to be a copy (number 6)."""
    monkeypatch.chdir(folder)
    new = {"itself": "old.json", "saved counts": "old.npz"}.get(copy, "new.json")
    run("convert", "old.json", "-o", "old.npz", "-q")
    if copy == "copied file":
        shutil.copy("old.json", "new.json")
    else:
        log(folder / "new.json", "new", 1)
    pair = ["gate", new, "--baseline", "old.json"] if command == "gate" else ["compare", new, "old.json"]
    is_one_name = (command, copy) == ("compare", "itself")  # which the command refuses
    said = "both logs are old.json: give two different ones" if is_one_name else "compared with itself or with a copy"
    assert said in run(*pair, code=2 if is_one_name else 0).stderr


def test_a_copy_of_single_trials_is_known_by_its_file(tmp_path):
    """Equal files are copies where outcomes alone do not tell, and equal outcomes of few trials are none (number 6)."""
    rows = "".join(f"q{i},{i % 2}\n" for i in range(8))
    (tmp_path / "new.csv").write_text("question,correct\n" + rows)
    (tmp_path / "old.csv").write_text("question,correct\n" + rows)
    pair = ["compare", tmp_path / "new.csv", tmp_path / "old.csv"]
    assert "the files are equal" in run(*pair).stderr
    (tmp_path / "old.csv").write_text("question,correct,note\n" + rows.replace("\n", ",x\n"))
    assert "copy" not in run(*pair).stderr


def samples(epoch=None, ids=IDS, text="What is {}?", values="CIICC"):
    rows = [inspect_sample(name, 1, value, input=text.format(name)) for name in ids for value in values]
    for i, row in enumerate(rows):
        del row["epoch"]
        if epoch is not None:
            row["epoch"] = epoch(i)
    return rows


def written(path, rows, epochs=5):
    return write_json(path, inspect_header(ids=IDS, epochs=epochs) | {"samples": rows})


@pytest.mark.filterwarnings("default::scorio.errors.FilesWarning")
def test_rows_of_equal_epochs_are_counted_as_left_out(tmp_path):
    """Rows with the id and the epoch of a later row are left out, and their number is said (number 8)."""
    path = written(tmp_path / "a.json", samples(lambda _: 1))
    with pytest.warns(UserWarning, match="120 scored rows of 150 are left out"):
        assert read(path)["lab/one"].trials.sum() == 30
    done = run("score", path, "--too-few", "omit")
    assert "left out 120 rows" in done.stderr


@pytest.mark.parametrize("epochs", [5, None])
def test_rows_without_epochs_are_trials_in_order(epochs, tmp_path):
    """Where no row has an epoch, the rows of an id are its epochs, as the note says (number 8)."""
    path = written(tmp_path / "a.json", samples(), epochs)
    matrix = read(path)["lab/one"]
    assert (matrix.trials.tolist(), matrix.successes.tolist()) == ([5] * 30, [3] * 30)
    assert "epochs numbered in the order of the rows" in run("score", path).stderr


def test_rows_of_one_id_with_other_inputs_are_refused(tmp_path):
    """Two inputs under one id are two questions, whatever their epochs (number 8)."""
    rows = samples(lambda _: 1)
    rows[1]["input"] = "something else"
    refused(written(tmp_path / "a.json", rows), "sample 'q0', epoch 1: it has another input")


def test_ids_of_two_types_are_refused(tmp_path):
    """The ids 1 and "1" are two samples for the tool, and would be one question here (number 8)."""
    rows = samples(lambda i: i % 5 + 1, ids=[1, "1"], text="What?")
    refused(written(tmp_path / "a.json", rows), "two samples have the ids 1 and '1'")
