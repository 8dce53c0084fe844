"""``scorio history``: runs in the order of their dates, from logs and from saved counts."""

import pytest

from helpers.command import rows, run
from helpers.written import NIGHTLY as IDS, dated_log as log, lm_eval_file, lm_eval_row

COUNTS = {"2026-01-05": 5, "2026-02-03": 5, "2026-03-04": 1}


@pytest.fixture
def folder(tmp_path):
    for date, solved in COUNTS.items():
        log(tmp_path, date, solved)
    return tmp_path


def test_runs_are_ordered_by_date_and_changes_called(folder):
    answer = rows("history", folder, "-q", "-m", "pass@1")
    assert [(row["run"], row["change"]) for row in answer] == list(zip(COUNTS, ["", "", "worse"], strict=True))
    assert answer[0]["task"] == "sums"


def test_drift_of_settings_and_texts(folder):
    log(folder, "2026-04-05", 1, model_roles={"grader": {"model": "judge-2"}})
    last = rows("history", folder, "-q")[-1]
    assert "grader_role: judge-2, before unset" in last["drift"]
    assert "grader_role" not in rows("history", folder, "-q", "--pool", "all")[-1]["drift"]


def test_a_dataset_whose_texts_changed_is_drift_and_no_error(tmp_path):
    for date, mark in (("2026-01-05T10-00-00.000001", "one"), ("2026-02-05T10-00-00.000001", "another")):
        folder = tmp_path / date
        lm_eval_file(folder, [lm_eval_row(doc, doc_hash=f"{mark} {doc}") for doc in range(3)], date=date, model="m")
    answer = rows("history", tmp_path, "-q")
    assert [row["run"] for row in answer] == ["2026-01-05", "2026-02-05"]
    assert answer[1]["drift"] == "dataset: 3 questions with another text, '0', '1', '2'"


def test_saved_counts_are_old_runs(folder):
    first = folder / f"{'2026-01-05'[::-1]}.eval"
    run("convert", first, "-q", "-o", folder / "counts-2026-01-05.csv")
    before = rows("history", folder, "-q", "--task", "sums")
    first.unlink()
    after = rows("history", folder, "-q")
    assert [row["run"] for row in after] == list(COUNTS)
    assert [row["p_value"] for row in after] == [row["p_value"] for row in before]
    (folder / "counts-2026-01-05.csv").rename(folder / "old.csv")
    error = run("history", folder, "-q", code=2).stderr
    assert "no date is known of" in error
    assert "counts-2026-01-31.csv" in error


def test_runs_of_several_time_zones_are_in_the_order_of_their_times(tmp_path):
    for created, solved in (("2026-02-03T20:00:00+09:00", 1), ("2026-02-03T12:00:00+00:00", 5)):
        log(tmp_path, created, solved, created=created)
    answer = rows("history", tmp_path, "-q")
    assert [(row["run"], row["score"]) for row in answer] == [("2026-02-03 20:00", 1 / 6), ("2026-02-03 12:00", 5 / 6)]


def test_equal_tables_of_two_days_are_two_runs(tmp_path):
    text = "model,question,n,c\n" + "".join(f"m,{name},4,4\n" for name in IDS)
    for date in ("2026-01-05", "2026-02-03"):
        (tmp_path / f"counts-{date}.csv").write_text(text)
    assert [row["run"] for row in rows("history", tmp_path, "-q")] == ["2026-01-05", "2026-02-03"]
    (tmp_path / "counts-2026-02-03 (1).csv").write_text(text)
    assert "of one run twice" in run("history", tmp_path, "-q", code=2).stderr


def test_two_tables_of_one_day_are_told_apart_by_their_names(tmp_path):
    for name, solved in (("a", 4), ("b", 3)):
        text = "model,question,n,c\n" + "".join(f"m,{each},4,{solved}\n" for each in IDS)
        (tmp_path / f"{name}-2026-01-05.csv").write_text(text)
    labels = [row["run"].removeprefix("2026-01-05 ") for row in rows("history", tmp_path, "-q")]
    assert labels == [str(tmp_path / f"{name}-2026-01-05.csv") for name in "ab"]
