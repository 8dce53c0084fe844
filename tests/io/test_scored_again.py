"""Logs of Inspect beside what ``inspect score`` made of them: each score is read from the log that has it."""

from helpers.written import counts, inspect_eval, inspect_header, inspect_sample, refused
from scorio import read
from scorio.io import recognise


def write(folder, name, scores, run="one"):
    """Write a log of one question with three epochs, whose scores are letters by name."""
    header = inspect_header(ids=["q1"], epochs=3, run=run)
    header["eval"] |= {"eval_id": f"eval {run}", "run_id": f"run {run}", "created": "2026-01-01T00:00:00+00:00"}
    samples = [
        inspect_sample("q1", epoch + 1) | {"scores": {score: {"value": text[epoch]} for score, text in scores.items()}}
        for epoch in range(3)
    ]
    return inspect_eval(folder / name, samples, header)


def test_a_log_that_was_scored_again_counts_once(tmp_path):
    first = write(tmp_path, "a.eval", {"exact": "CCI"})
    later = write(tmp_path, "a-scored.eval", {"exact": "CCI", "judge": "III"})
    for source in (tmp_path, [first, later], [later, first]):
        assert counts(read(source, score="exact")) == {"lab/one": {"q1": [1, 2]}}
        assert counts(read(source, score="judge")) == {"lab/one": {"q1": [3, 0]}}
        refused(source, r"a-scored.eval: there are several scores, 'exact', 'judge'")
    assert counts(read(first)) == {"lab/one": {"q1": [1, 2]}}
    reading = recognise(tmp_path, score="judge")
    assert reading.skipped == {first: "its samples were scored again in a-scored.eval, which is read"}
    refused(tmp_path, r"unknown score 'other'", score="other")


def test_a_later_score_of_the_same_name_counts(tmp_path):
    write(tmp_path, "a.eval", {"exact": "CCI"})
    write(tmp_path, "a-scored.eval", {"exact": "III"})
    assert counts(read(tmp_path)) == {"lab/one": {"q1": [3, 0]}}


def test_a_score_that_only_the_first_log_has(tmp_path):
    write(tmp_path, "a.eval", {"exact": "CCI"})
    later = write(tmp_path, "a-scored.eval", {"judge": "III"})
    assert counts(read(tmp_path, score="exact")) == {"lab/one": {"q1": [1, 2]}}
    assert recognise(tmp_path, score="exact").skipped == {
        later: "its samples are those of a.eval, which has the score 'exact'"
    }
    assert counts(read(tmp_path, score="judge")) == {"lab/one": {"q1": [3, 0]}}
    refused(tmp_path, "is scored by")


def test_another_run_of_such_a_name_is_added_up(tmp_path):
    write(tmp_path, "a.eval", {"exact": "CCI"})
    write(tmp_path, "a-scored.eval", {"exact": "III"}, run="two")
    assert counts(read(tmp_path)) == {"lab/one": {"q1": [4, 2]}}
