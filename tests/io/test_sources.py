"""Paths, globs, directories; what files are taken for; what is skipped and what is refused."""

import os

import pytest

from helpers.written import counts, inspect_eval, inspect_sample, refused, write_json, write_lines, write_zip
from scorio import OutcomeError, ParameterError, read
from scorio.io import recognise

TEXT = "question,trial,correct\nq1,{},1\n"


def table(folder, name, trial=1):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(TEXT.format(trial))
    return path


def test_a_path_a_glob_a_directory_and_several(tmp_path, monkeypatch):
    first, second = table(tmp_path / "x", "m.csv", 1), table(tmp_path / "y", "m.csv", 2)
    both = {"m": {"q1": [0, 2]}}
    assert counts(read(str(first))) == {"m": {"q1": [0, 1]}}
    globs = [tmp_path / "*", tmp_path / "*" / "m.csv", f"{tmp_path}/**/*.csv"]
    for source in ([first, second], tmp_path, *globs, [tmp_path, first]):
        assert counts(read(source, model="m")) == both
    monkeypatch.chdir(tmp_path)
    assert counts(read("**/*.csv", model="m")) == counts(read(".", model="m")) == both


def test_files_of_one_name_may_be_of_one_model_or_of_two(tmp_path):
    first = table(tmp_path / "x", "m.csv", 1)
    table(tmp_path / "y", "m.csv", 2)
    refused(tmp_path, "x/m.csv and .*y/m.csv do not say whether they are of one model: model=")
    assert read(tmp_path, model={"*/x/*": "x", "*/y/*": "y"}).models == ("x", "y")
    assert read(tmp_path, model={"m": "m"}).models == ("m",)
    assert read([first, table(tmp_path / "x", "n.csv")]).models == ("m", "n")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_by_two_ways_is_one_file(tmp_path):
    path = table(tmp_path, "m.csv")
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    assert counts(read([path, link])) == {"m": {"q1": [0, 1]}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes there")
def test_a_pipe_is_no_file(tmp_path):
    table(tmp_path, "m.csv")
    os.mkfifo(tmp_path / "pipe")
    assert counts(read(tmp_path)) == counts(read(tmp_path / "*")) == {"m": {"q1": [0, 1]}}
    refused(tmp_path / "pipe", "pipe: it is neither a file nor a directory")


def test_hidden_files_are_left_alone(tmp_path):
    table(tmp_path, "m.csv")
    table(tmp_path / ".cache", "m.csv")
    table(tmp_path, ".m.csv")
    assert counts(read(tmp_path)) == {"m": {"q1": [0, 1]}}


def test_nothing_there(tmp_path):
    pytest.importorskip("joblib")
    refused(tmp_path / "none.csv", "no such file or directory")
    refused(tmp_path / "*.csv", "no file matches")
    for n_jobs in (None, 1):
        refused(tmp_path, "no file to read", n_jobs=n_jobs)
    refused([], "source must name at least one file", by=ParameterError)


def test_a_directory_may_hold_other_things(tmp_path):
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample("q1", 1)])
    (tmp_path / "notes.txt").write_text("words\n")
    write_json(tmp_path / "config.json", {"seed": 1})
    write_lines(tmp_path / "questions.jsonl", [{"id": 1, "text": "x"}, {"id": 2, "text": "y"}])
    (tmp_path / "settings.toml").write_text("[tool]\nname = 1\n")
    (tmp_path / "run.py").write_text('"""Runs it, as it was run,\n\nand "more".\n"""\nimport os\n')
    reading = recognise(tmp_path)
    assert [source.path for source in reading.sources] == [path]
    names = ["config.json", "notes.txt", "questions.jsonl", "run.py", "settings.toml"]
    assert sorted(path.name for path in reading.skipped) == names
    assert f"{tmp_path / 'notes.txt'}: skipped, it is of no known format" in str(reading)


@pytest.mark.parametrize("name", ["notes.txt", "image.png", "page.bin"])
def test_a_named_file_must_be_known(tmp_path, name):
    path = tmp_path / name
    path.write_bytes({"notes.txt": b"words", "image.png": b"\x89PNG\r\n\x1a\n\0\0", "page.bin": b"<xhtml>"}[name])
    refused(path, f"{name}: it is of no known format")


def test_compressed_files_are_to_be_unpacked(tmp_path):
    import gzip

    path = tmp_path / "m.csv.gz"
    path.write_bytes(gzip.compress(TEXT.format(1).encode()))
    refused(path, "it is compressed with gzip: unpack it first")
    with pytest.raises(OutcomeError, match="it is a zip archive of something else: unpack it first"):
        read(write_zip(tmp_path / "m.csv.zip", {"m.csv": TEXT.format(1)}))


def test_the_format_is_told_by_content_not_by_name(tmp_path):
    path = inspect_eval(tmp_path / "odd.csv", [inspect_sample("q1", 1)])
    assert recognise(path).sources[0].format == "inspect"


def test_the_format_may_be_named(tmp_path):
    path = write_lines(tmp_path / "m.jsonl", [{"task_id": "q1", "result": "", "passed": True, "run": 4}] * 2)
    assert counts(read(path)) == {"m": {"q1": [0, 2]}}
    refused(path, "trial '4' of question .* is there twice", format="table", score="passed")
    refused(path, "unknown format 'word'. Choose from: arrays, bfcl, ", by=ParameterError, format="word")
    refused(path, "m.jsonl: it is no Excel workbook", format="excel")
    refused(path, "m.jsonl: the document must be an object; got None", format="inspect")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every file can be read")
def test_a_file_that_may_not_be_read(tmp_path):
    path = table(tmp_path, "m.csv")
    path.chmod(0)
    refused(path, "it cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("_delta_log/00000000000000000000.json", "Delta Lake, .*deltalake"),
        ("metadata/00000-a.metadata.json", "Iceberg, .*pyiceberg"),
    ],
)
def test_the_files_of_a_table_with_a_log_are_not_read_one_by_one(tmp_path, log, message):
    folder = tmp_path / "lake" / "runs"
    (folder / log).parent.mkdir(parents=True)
    (folder / log).write_text("{}")
    table(folder, "part-0.csv")
    for source in (folder, tmp_path, str(tmp_path / "*")):
        refused(source, rf"runs: it is a table of {message}.* to OutcomeSet.from_frame")
    assert read(folder / "part-0.csv").models == ("part-0",)
