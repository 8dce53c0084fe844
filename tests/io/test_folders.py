"""Paths, globs and folders: what files are taken for, and that what may hold outcomes is never left out in silence."""

import bz2
import gzip
import io
import lzma
import os
import tarfile

import pytest

from helpers.written import (
    counts,
    inspect_eval,
    inspect_sample,
    quietly,
    refused,
    table,
    write_json,
    write_lines,
    write_zip,
)
from scorio import OutcomeError, ParameterError, read
from scorio.errors import FilesWarning
from scorio.io import recognise

HEADER = "model,question,trial,correct\n"
A, B = HEADER + "a,q1,1,1\na,q2,1,0\n", HEADER + "b,q1,1,1\nb,q2,1,1\n"
BOTH = {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [0, 1], "q2": [0, 1]}}
PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": lambda text: b"(\xb5/\xfd" + text}
SCRIPT = "import os, sys\n\nfor name in sys.argv:\n    print(name)\n"


@pytest.fixture
def folder(tmp_path):
    table(tmp_path, A, "a.csv")
    return tmp_path


def test_a_script_and_notes_beside_tables_are_skipped(folder):
    script = table(folder, SCRIPT, "run.py")
    table(folder, "# Notes, first run\n\nAll is well.\n", "README.md")
    reading = recognise(folder, score="correct")
    assert counts(reading.outcomes) == {"a": BOTH["a"]}
    assert set(reading.skipped.values()) == {"text that is not a table"}
    refused(script, "run.py: no column of questions was found")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("eval-set.json", '{"eval_set_id": "x", "tasks": []}', "Inspect's list of the logs"),
        ("logs.json", '{"a.eval": {"eval": {"model": "m"}, "status": "success"}}', "Inspect's list of the logs"),
        ("results.json", '{"config_general": {}, "results": {}, "versions": {}}', "lighteval's results file"),
        ("out.html", "<!DOCTYPE html>\n<html><title>x</title></html>", "it is a web page: have the tool export"),
    ],
)
def test_companions_are_named(folder, name, content, reason):
    path = table(folder, content, name)
    assert recognise(folder).skipped[path].startswith(reason)


def test_damaged_files_are_skipped_and_listed(folder):
    damaged = table(folder, HEADER + "b,q", "b.csv")
    for name, text in (("empty.jsonl", ""), ("other.csv", "x,y\n1,2\n")):
        table(folder, text, name)
    reading = recognise(folder, skip_bad=True)
    assert reading.outcomes.models == ("a",)
    assert [path.name for path in reading.bad] == ["b.csv", "empty.jsonl", "other.csv"]
    assert reading.skipped[damaged] == "line 2 has 2 fields where the header has 4"
    assert read([folder / "a.csv", damaged], skip_bad=True).models == ("a",)
    refused(damaged, "no file holds outcomes; .*b.csv: line 2 has 2 fields", skip_bad=True)


@pytest.mark.parametrize("ending", PACKED)
def test_a_compressed_table_beside_tables_is_an_error(folder, ending):
    path = folder / f"b.csv{ending}"
    path.write_bytes(PACKED[ending](B.encode()))
    refused(folder, rf"b.csv{ending}: it is compressed with .*unpack it first: skip_bad=True")
    reading = recognise(folder, skip_bad=True)
    assert (reading.bad, counts(reading.outcomes)) == ((path,), {"a": BOTH["a"]})


def test_a_packed_copy_beside_the_file_is_no_loss(folder):
    (folder / "a.csv.gz").write_bytes(gzip.compress(A.encode()))
    assert counts(quietly(folder)) == {"a": BOTH["a"]}


def test_a_compressed_log_beside_logs_is_a_warning(tmp_path):
    inspect_eval(tmp_path / "one.eval", [inspect_sample("q1", 1)])
    other = inspect_eval(tmp_path / "two.eval", [inspect_sample("q2", 1)])
    (tmp_path / "two.eval.gz").write_bytes(gzip.compress(other.read_bytes()))
    other.unlink()
    with pytest.warns(FilesWarning, match=r"1 file may hold outcomes and was not read; .*two.eval.gz: it is"):
        assert len(recognise(tmp_path).sources) == 1


def test_archives_and_json_of_no_known_form_are_warnings(folder):
    write_zip(folder / "b.zip", {"b.csv": B})
    with tarfile.open(folder / "b.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("b.csv"), io.BytesIO())
    write_json(folder / "c.json", {"c": {"q1": [1, 0]}})
    write_json(folder / "settings.json", {"temperature": 0.5})
    with pytest.warns(FilesWarning, match=r"3 files may hold outcomes .*b.tar \(also 'b.zip', 'c.json'\): it is a tar"):
        read(folder)


@pytest.mark.parametrize("title", ["My results\n\n", "# made on Monday\n", "My results, of Monday\n"])
def test_a_table_below_a_title_beside_tables_is_an_error(folder, title):
    path = table(folder, title + B, "b.csv")
    refused(folder, r"b.csv: (its first line, .*may be line|no column of questions)")
    path.rename(folder / "README.md")  # text, and not a table by its name
    summary = table(folder, "model,accuracy,n\na,.5,120\n", "summary.csv")
    assert counts(read(folder)) == {"a": BOTH["a"]}
    summary.write_text("model,correct\na,1\na,0\n")
    refused(folder, "summary.csv: no column of questions .*; skip_bad=True leaves out")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("b.jsonl", 'INFO started\n{"model": "b"}\n', "b.jsonl: its first line, 'INFO started', is not JSON: remove"),
        ("a (1).csv", A, "has trial '1' of one run twice: the files are equal: read one of them"),
        (".results.json", "[]", "no file to read: files whose names begin with a dot are passed over"),
    ],
)
def test_a_file_that_is_not_read_is_named(folder, name, text, message):
    table(folder, text, name)
    if name.startswith("."):
        (folder / "a.csv").unlink()
    refused(folder, message)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_the_line_by_which_spreadsheets_name_the_delimiter_is_no_header(folder, mark, bom):
    table(folder, f"{bom}sep={mark}\n" + B.replace(",", mark), "b.csv")
    assert counts(read(folder)) == BOTH


def test_lines_that_end_by_a_carriage_return_are_told(tmp_path):
    (tmp_path / "a.csv").write_bytes(A.replace("\n", "\r").encode())
    refused(tmp_path / "a.csv", "its lines end as on an old Macintosh")


def test_a_trial_that_two_files_have_comes_with_advice(folder):
    table(folder, A.replace(",1,0", ",1,1"), "a (1).csv")
    remedy, *_ = refused(folder, "if these are two runs, whose trials add up").remedies
    assert counts(read(folder, fields=remedy.value)) == {"a": {"q1": [0, 2], "q2": [1, 1]}}


# Paths, globs and directories.


TEXT = "question,trial,correct\nq1,{},1\n"


def part(folder, name, trial=1):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(TEXT.format(trial))
    return path


def test_a_path_a_glob_a_directory_and_several(tmp_path, monkeypatch):
    first, second = part(tmp_path / "x", "m.csv", 1), part(tmp_path / "y", "m.csv", 2)
    both = {"m": {"q1": [0, 2]}}
    assert counts(read(str(first))) == {"m": {"q1": [0, 1]}}
    globs = [tmp_path / "*", tmp_path / "*" / "m.csv", f"{tmp_path}/**/*.csv"]
    for source in ([first, second], tmp_path, *globs, [tmp_path, first]):
        assert counts(read(source, model="m")) == both
    monkeypatch.chdir(tmp_path)
    assert counts(read("**/*.csv", model="m")) == counts(read(".", model="m")) == both


def test_files_of_one_name_may_be_of_one_model_or_of_two(tmp_path):
    first = part(tmp_path / "x", "m.csv", 1)
    part(tmp_path / "y", "m.csv", 2)
    refused(tmp_path, "x/m.csv and .*y/m.csv do not say whether they are of one model: model=")
    assert read(tmp_path, model={"*/x/*": "x", "*/y/*": "y"}).models == ("x", "y")
    assert read(tmp_path, model={"m": "m"}).models == ("m",)
    assert read([first, part(tmp_path / "x", "n.csv")]).models == ("m", "n")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_file_by_two_ways_is_one_file(tmp_path):
    path = part(tmp_path, "m.csv")
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    assert counts(read([path, link])) == {"m": {"q1": [0, 1]}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes there")
def test_a_pipe_is_no_file(tmp_path):
    part(tmp_path, "m.csv")
    os.mkfifo(tmp_path / "pipe")
    assert counts(read(tmp_path)) == counts(read(tmp_path / "*")) == {"m": {"q1": [0, 1]}}
    refused(tmp_path / "pipe", "pipe: it is neither a file nor a directory")


def test_hidden_files_are_left_alone(tmp_path):
    part(tmp_path, "m.csv")
    part(tmp_path / ".cache", "m.csv")
    part(tmp_path, ".m.csv")
    assert counts(read(tmp_path)) == {"m": {"q1": [0, 1]}}


def test_nothing_there(tmp_path):
    pytest.importorskip("joblib")
    refused(tmp_path / "none.csv", "no such file or directory")
    refused("s3://bucket/*.csv", "no such file or directory: copy the files to a local folder first")
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
    path = part(tmp_path, "m.csv")
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
    part(folder, "part-0.csv")
    for source in (folder, tmp_path, str(tmp_path / "*")):
        refused(source, rf"runs: it is a table of {message}.* to OutcomeSet.from_frame")
    assert read(folder / "part-0.csv").models == ("part-0",)
