"""Shards: parts of one run with no question in common are no runs, so nothing is said about runs like these."""

import warnings

import numpy as np
import pytest

from helpers.command import run
from helpers.written import write_lines
from scorio import (
    Leaderboard,
    OutcomeError,
    OutcomeMatrix,
    PassAtK,
    RewardMatrix,
    Suite,
    analyze_history,
    compare,
    diagnose,
    gate,
)
from scorio.comparison import diff_questions
from scorio.errors import RunsWarning
from scorio.planning import analyze_runs

REASON = "no question was tried in two runs, so runs cannot be told from questions"
SOLVED = [float((q // 4) % 10 < (2, 4, 6, 8)[q % 4]) for q in range(80)]


def shards(kind=OutcomeMatrix):
    """Return 80 questions with one trial each, in four jobs whose success rates are .2, .4, .6 and .8."""
    table = np.full((80, 4), np.nan)
    table[range(80), np.arange(80) % 4] = SOLVED
    return kind(table, missing="omit", runs=list("abcd"))


def labelled():
    """Return the same with one column, of which each trial has its run."""
    return OutcomeMatrix([[each] for each in SOLVED], runs=[["abcd"[q % 4]] for q in range(80)])


STATEMENTS = {
    "interval": lambda R: PassAtK(1).interval(R, runs="random"),
    "population": lambda R: PassAtK(1).interval(R, runs="random", target="population"),
    "posterior": lambda R: PassAtK(1).posterior(R, runs="random"),
    "analyze_runs": lambda R: analyze_runs("pass@1", R),
    "compare": lambda R: compare("pass@1", R, R, runs="random"),
    "gate": lambda R: gate("pass@1", R, R, runs="random"),
    "board": lambda R: Leaderboard("pass@1", {"a": R, "b": R}, runs="random"),
    "suite": lambda R: Leaderboard("pass@1", Suite({"s": {"a": R}, "t": {"a": R}}), runs="random"),
    "diff_questions": lambda R: diff_questions({"a": R}, {"a": R}, runs="random"),
    "history": lambda R: analyze_history("pass@1", {"2026-01-01": R, "2026-01-02": R}, runs="random"),
}


@pytest.mark.parametrize("made", [shards, labelled])
@pytest.mark.parametrize("name", STATEMENTS)
def test_nothing_is_said_about_runs_that_share_no_question(name, made):
    """Every statement about runs like these is refused with the reason where runs are shards (number 9)."""
    with pytest.raises(OutcomeError, match=REASON):
        STATEMENTS[name](made())


def test_rewards_of_shards_are_refused():
    """Continuous rewards are refused as well (number 9)."""
    made = RewardMatrix(
        [[value + 0.001 * q] for q, value in enumerate(SOLVED)], runs=[["abcd"[q % 4]] for q in range(80)]
    )
    with pytest.raises(OutcomeError, match=REASON):
        analyze_runs("avg", made)


@pytest.mark.parametrize(
    "said",
    [
        lambda R: PassAtK(1).interval(R),
        lambda R: compare("pass@1", R, R),
        lambda R: Leaderboard("pass@1", {"a": R, "b": R}),
    ],
)
def test_shards_are_warned_of_where_trials_are_independent(said):
    """By default trials are independent, and a warning says that shards are no runs; it can be silenced (number 9)."""
    with pytest.warns(RunsWarning, match="shards, parts of one run, are no runs"):
        said(shards())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PassAtK(1).interval(shards(), runs="independent")


def test_one_shared_question_connects_runs():
    """Where runs share a question, statements about them are made as before, also if all trials agree (number 9)."""
    table = np.full((10, 2), np.nan)
    table[range(10), np.arange(10) % 2] = np.arange(10) % 3 == 0
    table[9] = 1.0, 0.0
    R = OutcomeMatrix(table, missing="omit", runs=["mon", "tue"])
    assert PassAtK(1).interval(R, runs="random").runs == "random"
    agreed = OutcomeMatrix(np.ones((10, 2)), runs=["mon", "tue"])
    assert analyze_runs("pass@1", agreed).p_value == 1.0


def test_the_doctor_says_that_shards_are_no_runs(tmp_path):
    """The doctor finds shards, in Python and in the logs of four jobs; the command refuses --runs random (number 9)."""
    finding = diagnose({"a": shards()}).finding("runs without a shared question")
    assert "no question of a has trials in two of its 4 runs" in str(finding)
    for j in range(4):
        rows = [{"model": "m", "question": f"q{q}", "run": f"job {j}", "correct": SOLVED[q]} for q in range(j, 80, 4)]
        write_lines(tmp_path / f"{j}.jsonl", rows)
    assert "shards are no runs" in run("doctor", tmp_path).stdout
    assert REASON in run("score", tmp_path, "--runs", "random", code=2).stderr
