"""``scorio plan`` before any trial: the library's answers, and a picture."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, run


def test_what_is_for_plans_with_logs_and_without():
    assert "plan needs logs of results so far; before any trial, --questions N" in run("plan", code=2).stderr
    design = ("plan", "--questions", 100, "--trials", 4)
    assert "--questions cannot be combined with --unit" in run(*design, "--unit", "trials", code=2).stderr
    assert "--profile is for plans before any trial" in run("plan", LOGS, "--profile", "hard", code=2).stderr


def test_a_difference_is_planned_for_with_logs_too():
    said = run("plan", LOGS, "--difference", "0.02", "-q").stdout
    assert "more trials per question would tell a difference of 0.02 with power 0.8" in said
    assert "that of two models" in run("plan", LOGS, "--difference", "0.02", "--half-width", "0.1", code=2).stderr
