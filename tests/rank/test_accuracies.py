"""Both accuracies of NIST AI 800-3: they are the intervals of both targets, and the sources add up to the whole."""

import numpy as np
import pytest

import scorio
from helpers.command import LOGS, run
from scorio.rank import accuracies


@pytest.fixture
def outcomes():
    rng = np.random.default_rng(3)
    rates = rng.beta(0.7, 0.5, (60, 1))
    moved = np.clip(rates + 0.15 * rng.normal(size=4).repeat(2), 0.0, 1.0)
    first = scorio.OutcomeMatrix((rng.random((60, 8)) < moved).astype(int), runs=list("aabbccdd"))
    return {"runs": first, "none": scorio.OutcomeMatrix((rng.random((60, 8)) < rates).astype(int))}


def test_they_are_the_intervals_of_both_targets(outcomes):
    found = accuracies(scorio.OutcomeSet(outcomes))
    for row in found.rows:
        these, like = (
            scorio.PassAtK(1).interval(outcomes[row.model], target=target, runs="independent")
            for target in ("questions", "population")
        )
        score = scorio.PassAtK(1).score(outcomes[row.model])
        assert (row.benchmark, row.benchmark_lo, row.benchmark_hi) == (score, these.lo, these.hi)
        assert (row.generalized, row.generalized_lo, row.generalized_hi) == (like.mu, like.lo, like.hi)
        assert row.trials_sd**2 + row.questions_sd**2 == pytest.approx(like.sigma**2, rel=1e-12)


def test_runs_add_theirs_where_they_are_known(outcomes):
    row, without = accuracies(scorio.OutcomeSet(outcomes)).rows
    about_runs = scorio.PassAtK(1).interval(outcomes["runs"], runs="random")
    assert row.runs_sd**2 + row.trials_sd**2 == pytest.approx(about_runs.sigma**2, rel=1e-12)
    assert without.runs_sd is None
    alone = scorio.OutcomeMatrix([[0, 1], [1, 1], [0, 0]], runs=["a", "a"])
    assert accuracies(scorio.OutcomeSet({"m": alone})).rows[0].runs_sd is None


def test_a_report_has_them_with_what_they_assume(tmp_path):
    page = tmp_path / "page.html"
    run("report", LOGS, "-q", "--for", "nist-800-3", "-o", page)
    text = page.read_text()
    assert "generalized accuracy" in text
    found = accuracies(scorio.read(LOGS))
    assumptions = [note for note in found.tables()[0].notes if note.startswith("assumed: ")]
    assert len(assumptions) == 4
    assert all(note[1:] in text for note in assumptions)
    for row in found.rows:
        assert f"[{row.generalized_lo:.3f}, {row.generalized_hi:.3f}]" in text


def test_what_makes_a_set_is_one_and_several_tasks_are_refused(outcomes):
    wanted = accuracies(scorio.OutcomeSet(outcomes))
    assert accuracies(outcomes).rows == wanted.rows
    assert accuracies(outcomes["none"]).rows[0][1:] == wanted.rows[1][1:]
    suite = scorio.Suite({"algebra": {"a": outcomes["none"]}, "chess": {"a": outcomes["none"]}})
    with pytest.raises(scorio.OutcomeError, match="choose one of 'algebra', 'chess'"):
        accuracies(suite)
