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

R = [[1, 0], [1, 1]]
RECORDS = [{"item": q, "is_correct": value} for q, value in (("q1", 0), ("q1", 1), ("q2", 1), ("q2", 1))]
BY_NAME = {"a": {"q1": [0, 1], "q2": [1, 1]}, "b": {"q2": [1, 1], "q1": [0, 1]}}
IN_MEMORY = "must be a path, .* got a .*OutcomeMatrix and OutcomeSet take outcomes in"
TWO_WAYS = r"two dimensions .*{'model': R} .*numpy.asarray\(R\)\[:, :, None\]"


class Right(scorio.metrics.Rubric):
    levels = {"wrong": 0.0, "right": 1.0}


def board(outcomes, metric="pass@1"):
    return Leaderboard(metric, outcomes)


REFUSED = [  # a call, the class of the error, and its words
    *((lambda v=v: scorio.read(v), ParameterError, IN_MEMORY) for v in (np.ones((2, 2)), [[0, 1]], {"a": [0, 1]}, 3)),
    *(
        (lambda read=read, text=text: read(text), OutcomeError, r"(is|are) text, .*scorio.read.* reads (log )?files")
        for read in (OutcomeMatrix, OutcomeSet, board)
        for text in ("logs/", "0110", b"01")
    ),
    *(
        (lambda read=read, R=R: read(R), OutcomeError, TWO_WAYS)
        for read in (OutcomeSet, board)
        for R in ([[0, 1], [1, 1]], np.ones((3, 4), int), np.ma.ones((3, 4), int))
    ),
    (
        lambda: board({"a": OutcomeMatrix([[0, 1], []], missing="omit", questions=["q1", "q3"])}),
        OutcomeError,
        r"^a: question 'q3' has no trial, and pass@1 needs 1: too_few=\"omit\" leaves",
    ),
    (lambda: AvgMetric().score([[0, 4], [3, 2]]), OutcomeError, r"OutcomeMatrix.from_rewards\(values\)"),
    (lambda: PassAtK(1).score([[0, 4], [3, 2]]), OutcomeError, "say which outcomes are right, as in R >= 2"),
    (lambda: compare("pass@1", {"a": R}), TypeError, "missing 1 required positional argument: 'B': .*Leaderboard"),
    (lambda: compare("pass@1", R, R, R), TypeError, "two models"),
    (lambda: pass_at_k(10, 3, 2, 1), TypeError, "or as human-eval n trials and c successes"),
    (lambda: board({"a": R}, "pass@k"), ParameterError, "'pass@k': k must be a number, as in 'pass@8'"),
    (lambda: board({"a": R}, "pass4"), ParameterError, "Did you mean 'pass@4'"),
    (lambda: OutcomeMatrix.from_single_run([[0, 1]]), OutcomeError, "one outcome per question"),
    (lambda: OutcomeMatrix.from_single_run({"q1": 1}, questions=["a"]), OutcomeError, "labeled twice"),
    (lambda: OutcomeMatrix(BY_NAME["a"], questions=["x", "y"]), OutcomeError, "labeled twice"),
    (lambda: OutcomeMatrix(BY_NAME), OutcomeError, "from models to questions to trials: pass it to OutcomeSet"),
    (lambda: OutcomeMatrix(OutcomeSet(BY_NAME)), OutcomeError, "several models: pass it to OutcomeSet, or choose one"),
    (lambda: OutcomeSet(RECORDS), OutcomeError, "no column of models was found"),
    (
        lambda: OutcomeSet([{"model": name, "question": f"{name}1", "correct": 1} for name in "ab"]),
        OutcomeError,
        "'b' has no question in common with 'a'",
    ),
    (lambda: board({"a": R}, "avg@4"), ParameterError, "avg takes no k: say avg"),
    (lambda: Right().outcomes((1, 2), (1, 2, 3)), OutcomeError, r"of one shape; got shapes \(2,\), \(3,\)"),
    *(
        (lambda records=records: OutcomeMatrix(records), OutcomeError, message)
        for records, message in (
            ([{"correct": 1}], "no column of questions was found; the columns are 'correct'"),
            ([{"question": "q", "trial": 1, "acc": 1}] * 2, "trial 1 of question 'q'"),
            ([{"question": None, "score": 1}], "record 0: the question is empty"),
            ([{"question": "q", "score": 1}, 3], "record 1 is no mapping"),
        )
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_what_is_refused_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


ROW = '{"model": "a", "question": "q1", "correct": 1}\n'


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


def test_a_type_error_inside_a_call_has_no_hint():
    class Unfit:
        @property
        def __array__(self):
            raise TypeError("inside")

    with pytest.raises(TypeError) as error:
        pass_at_k(Unfit(), 1)
    assert "human-eval" not in str(error.value)


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
    assert (done.returncode, done.stderr) == (2, "scorio: the command line needs click: pip install click\n")


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
