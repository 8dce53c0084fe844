"""Saved counts read like logs, alone and beside logs: nothing is lost, and nothing counts twice."""

import pytest

from helpers.saved_counts import examples
from helpers.written import refused
from scorio import OutcomeMatrix, OutcomeSet, read
from scorio.io import recognise
from scorio.outcomes import SavedCounts

ROWS = "model,question,trial,correct\na,q1,1,1\na,q3,2,0\na,q1,3,\n"


@pytest.mark.parametrize("name", [name for name in examples() if name != "suite"])
def test_a_file_reads_as_it_was_saved(name, tmp_path):
    path = tmp_path / "counts.npz"
    examples()[name].save(path)
    assert read(path) == examples()[name]
    assert [source.format for source in recognise(path).sources] == ["saved-counts"] * len(examples()[name])


def saved(folder, rows, part, **options):
    outcomes = OutcomeSet({"a": OutcomeMatrix(rows, missing="omit"), "b": OutcomeMatrix(rows, missing="omit")})
    SavedCounts(outcomes, part=part, **options).save(folder / f"{part}.npz")
    return folder / f"{part}.npz"


def test_logs_add_up_with_saved_counts(tmp_path):
    counts, log = saved(tmp_path, {"q1": [0, 1], "q2": [1, None]}, "night"), tmp_path / "day.csv"
    log.write_text(ROWS)
    outcomes = read([counts, log])
    assert outcomes.questions == ("q1", "q2", "q3")
    assert outcomes["a"].counts.tolist() == [[1, 2], [0, 1], [1, 0]]
    assert outcomes["a"].planned_trials.tolist() == [4, 2, 1]
    assert outcomes["b"].planned_trials.tolist() == [2, 2, 2]  # a question that was not asked, as for logs
    failed = read([counts, log], missing="fail")
    assert failed["a"].counts.tolist() == [[2, 2], [1, 1], [1, 0]]
    assert failed["b"].counts.tolist() == [[1, 1], [1, 1], [2, 0]]
    assert failed["a"].completeness == failed["b"].completeness == 1.0
    refused(counts, "1 trial of question 'q2' of 'a' has no outcome", missing="raise")


def test_the_same_trials_as_logs_and_as_counts(tmp_path):
    """Reading logs of two nights is reading the counts of both, in every order."""
    nights = []
    for night in (1, 2):
        log = tmp_path / f"{night}.csv"
        rows = [f"m{m},q{q},{night},{(m * q + night) % 3 / 2}\n" for m in range(3) for q in range(4)]
        log.write_text("model,question,trial,reward\n" + "".join(rows))
        read(log).save(tmp_path / f"{night}.npz", part=f"night {night}")
        nights.append((log, tmp_path / f"{night}.npz"))
    truth = read([log for log, _ in nights])
    (log_1, counts_1), (log_2, counts_2) = nights
    for sources in ([counts_1, counts_2], [counts_2, counts_1], [counts_1, log_2], [log_1, counts_2]):
        assert read(sources) == truth


def test_no_part_counts_twice(tmp_path):
    first, second = saved(tmp_path, [[0, 1]], "one"), saved(tmp_path, [[1, 1]], "two")
    merged = tmp_path / "merged.npz"
    SavedCounts.load(first).merge(second).save(merged)
    assert read([first, second])["a"].counts.tolist() == [[1, 3]]
    refused([first, merged], "both files hold the part 'one' of 'a': read only one of them")
    alone = tmp_path / "alone.npz"
    SavedCounts(OutcomeSet({"a": [[0, 1]]}), part="one").save(alone)
    assert list(read([first, alone], model={str(alone): "other"})) == ["a", "b", "other"]
