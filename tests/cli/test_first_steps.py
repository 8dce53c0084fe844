"""``scorio`` alone: what the folder holds, and commands that fit it and work as they are printed."""

import re
import shlex

import pytest

from helpers.command import run

HEAD = "model,question,trial,correct\n"


def rows(model):
    return "".join(f"{model},q{a},{n},{(a * n + len(model)) % 2}\n" for a in range(8) for n in range(4))


def said(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return run().output


def commands(text):
    """The printed commands that can be typed."""
    lines = text.partition("First steps:\n\n")[2].splitlines()
    return [re.split(" {2,}", line.strip())[0] for line in lines if line.startswith("  scorio ")]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"one.csv": "a"}, ["doctor", "score", "plan"]),
        ({"both.csv": "ab"}, ["doctor", "compare", "report"]),
        ({"new run.csv": "a", "old.csv": "b"}, ["doctor", "compare", "report"]),
        ({"many.csv": "abcd"}, ["doctor", "rank", "report"]),
        ({f"{model}.csv": model for model in "abcdefgh"}, ["doctor", "rank", "report"]),
        ({"a folder/all.csv": "abc", "a folder/with a trial there twice.csv": "aa"}, ["doctor", "rank", "report"]),
    ],
)
def test_the_commands_fit_the_number_of_models_and_work(files, wanted, tmp_path, monkeypatch):
    for name, models in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(HEAD + "".join(rows(model * 3) for model in models))
    text = said(tmp_path, monkeypatch)
    for name, models in files.items():
        assert name in text
        assert all(model * 3 in text for model in models)
    assert [command.split()[1] for command in commands(text)] == wanted
    for command in commands(text):
        run(*shlex.split(command)[1:])


def test_the_extent_of_a_file_is_its_questions_and_trials(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(HEAD + rows("model-a"))
    assert "a.csv  'model-a': 8 questions, 32 trials (table)" in said(tmp_path, monkeypatch)


def test_a_folder_without_logs_gets_the_usual_first_steps(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("nothing to count")
    (tmp_path / ".hidden.csv").write_text(HEAD + rows("model-a"))
    text = said(tmp_path, monkeypatch)
    assert "This folder holds" not in text
    assert "scorio rank logs/" in text


def test_what_is_large_is_not_looked_into(tmp_path, monkeypatch):
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(100 << 20)
    assert "This folder holds" not in said(tmp_path, monkeypatch)
