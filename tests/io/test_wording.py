"""Errors that say what to do where nothing was read, and names that may be shortened."""

from helpers.written import LONG, counts, refused, table, write_lines
from scorio import read


def test_hidden_files_are_said_to_be_passed_over(tmp_path):
    (tmp_path / ".results.json").write_text("[]")
    refused(tmp_path, "no file to read: files whose names begin with a dot are passed over")


def test_a_task_of_logs_without_tasks(tmp_path):
    refused(table(tmp_path, LONG), "task='x' cannot be chosen: the logs do not name their tasks", task="x")


def test_the_last_part_of_a_column_names_it_where_it_is_unique(tmp_path):
    rows = [{"doc_id": i, "metrics": {"acc": i % 2, "loss": 0.5}, "other": {"loss": 1}} for i in range(3)]
    path = write_lines(tmp_path / "m.jsonl", rows)
    assert counts(read(path, score="acc")) == {"m": {"0": [1, 0], "1": [0, 1], "2": [1, 0]}}
    refused(path, "unknown column 'loss'", score="loss")
