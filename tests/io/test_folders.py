"""Folders that hold other files beside tables and logs: what may hold outcomes is never left out in silence."""

import bz2
import gzip
import io
import lzma
import tarfile

import pytest

from helpers.written import counts, inspect_eval, inspect_sample, quietly, refused, table, write_json, write_zip
from scorio import read
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
    assert counts(read(folder)) == {"a": BOTH["a"]}


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
