"""The report after a run, in Inspect itself with its mock model: what it says, and that it never fails a run."""

import zipfile

import pytest

inspect_ai = pytest.importorskip("inspect_ai")

import scorio  # noqa: E402
import scorio.integrations.inspect_ai  # noqa: E402 - registers the hook, as the entry point does
from helpers import mock_inspect  # noqa: E402

pytestmark = mock_inspect.marks


def run(folder, solved, name="mockllm/model", task="arithmetic", **options):
    """Evaluate a model that solves the first samples in each of 4 epochs, and no other sample."""
    ids = [str(number) for number in range(12)]
    about = {"model": name, "task": {"name": task, "epochs": 4}}
    return mock_inspect.evaluated(folder, ids, lambda sample, epoch: int(sample) < solved, **about, **options)


def printed(capsys):
    """What is printed below Inspect's own lines about the hooks that are on."""
    text = capsys.readouterr().out
    return text.partition("beside the logs\n\n\n")[-1] if text.startswith("inspect_ai v") else text


@pytest.fixture
def switched_on(monkeypatch):
    monkeypatch.setenv("SCORIO_INSPECT", "1")
    monkeypatch.delenv("SCORIO_INSPECT_BASELINE", raising=False)


def test_nothing_happens_unless_it_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SCORIO_INSPECT", raising=False)
    monkeypatch.delenv("SCORIO_INSPECT_BASELINE", raising=False)
    run(tmp_path, 5)
    assert not printed(capsys)
    assert not list(tmp_path.glob("*.html"))


def test_the_board_and_the_page_are_those_of_the_log(tmp_path, switched_on, capsys):
    [log] = run(tmp_path, 5)
    board = scorio.Leaderboard("pass@1", scorio.read(log.location))
    assert str(board) in printed(capsys)
    assert "<!doctype html>" in (tmp_path / "report.html").read_text()


def test_the_last_earlier_run_of_the_task_is_the_baseline(tmp_path, switched_on, capsys):
    run(tmp_path, 12)
    run(tmp_path, 12, task="chess")  # another task is no baseline
    [old] = run(tmp_path, 2)
    capsys.readouterr()
    [new] = run(tmp_path, 9)
    now, before = (scorio.read(log.location)["mockllm/model"] for log in (new, old))
    names = ("mockllm/model", "mockllm/model before")
    assert str(scorio.compare("pass@1", now, before, names=names)) in printed(capsys)
    assert "Comparison" in (tmp_path / "report.html").read_text()


def test_a_baseline_can_be_named(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SCORIO_INSPECT", raising=False)
    [old] = run(tmp_path / "old", 2, "mockllm/other")
    monkeypatch.setenv("SCORIO_INSPECT_BASELINE", old.location)
    run(tmp_path / "new", 11)
    assert "mockllm/model is better on pass@1" in printed(capsys)


def test_metrics_can_be_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SCORIO_INSPECT", "pass@2,pass@4")
    run(tmp_path, 5)
    text = printed(capsys)
    assert "pass@2 of 1 model" in text
    assert "pass@4 of 1 model" in text


def test_an_eval_set_has_one_report_of_all_its_tasks(tmp_path, switched_on, capsys):
    is_done, _ = run(tmp_path, 5, through=inspect_ai.eval_set)
    assert is_done
    assert printed(capsys).count("pass@1 of 1 model") == 1
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("variable", "value", "lines"), [("SCORIO_INSPECT", "pess@2", 1), ("SCORIO_INSPECT_BASELINE", "no/such/folder", 5)]
)
def test_a_fault_is_the_last_line_and_the_run_succeeds(variable, value, lines, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(variable, value)
    [log] = run(tmp_path, 5)
    assert log.status == "success"
    text = printed(capsys).splitlines()
    assert text[-1].startswith("scorio: no report: ")
    assert value in text[-1]
    assert len([line for line in text if line]) == lines  # of a baseline's fault, the board comes first


def test_a_damaged_log_in_the_folder_is_no_baseline(tmp_path, switched_on, capsys):
    with zipfile.ZipFile(tmp_path / "2026-01-01T00-00-00-00-00_arithmetic_a.eval", "w") as damaged:
        damaged.writestr("header.json", '{"version": 2, "eval": 5}')
    run(tmp_path, 5)
    assert "pass@1 of 1 model" in printed(capsys)


def test_a_run_that_failed_has_no_report(tmp_path, switched_on, capsys):
    [log] = mock_inspect.evaluated(tmp_path, ["1"], lambda sample, epoch: None)
    assert log.status == "error"
    assert printed(capsys).strip() == "scorio: no report: no log of this run is complete"
