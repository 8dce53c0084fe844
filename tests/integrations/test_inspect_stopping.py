"""Early stopping in Inspect itself, with its mock model: what is saved, what is the same, and what the log says."""

import pytest

inspect_ai = pytest.importorskip("inspect_ai")

from helpers import mock_inspect  # noqa: E402
from scorio import Looks, OutcomeMatrix, PassAtK, read  # noqa: E402
from scorio.integrations.inspect_ai import StopWhen  # noqa: E402
from scorio.io import recognise  # noqa: E402

pytestmark = mock_inspect.marks
EPOCHS = 32
SAMPLES = [f"q{a:02}" for a in range(12)]


def is_right(sample, epoch):
    """The same answer in every run: some samples are always right, some never, some now and then."""
    number = int(sample[1:])
    return number < 4 or (number < 8 and (epoch * (2 * number + 1)) % 3 == 0)


def run(folder, stopper=None, lost=frozenset(), **options):
    def answer(sample, epoch):
        return None if (sample, epoch) in lost else is_right(sample, epoch)

    task = {"early_stopping": stopper, "epochs": inspect_ai.Epochs(EPOCHS, "mean")}
    return mock_inspect.log_of(folder, SAMPLES, answer, task=task, max_samples=4, **options)


def scores(log):
    return {(str(each.id), each.epoch): each.scores["match"].value for each in log.samples}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return run(tmp_path_factory.mktemp("whole"))


def test_a_narrow_interval_stops_all_remaining_epochs(tmp_path, whole):
    log = run(tmp_path, StopWhen("pass@1", half_width=0.15))
    mine, all_ = scores(log), scores(whole)
    assert len(all_) == EPOCHS * len(SAMPLES)
    assert mine.items() <= all_.items()  # the same seeds give the same scores as far as the run goes
    summary = log.results.early_stopping
    assert summary.manager == "scorio"
    found = summary.metadata
    assert found["stopped"] is True
    rounds = found["look"]["rounds"]
    assert rounds < EPOCHS / 2
    assert len(mine) + len(summary.early_stops) == EPOCHS * len(SAMPLES)
    assert found["trials_run"] == len(mine) <= (rounds + 1) * len(SAMPLES)
    assert found["trials_not_run"] == len(summary.early_stops)
    assert f"after {rounds} rounds" in found["reason"] == summary.early_stops[0].reason
    counts = [sum(all_[id, epoch] == "C" for epoch in range(1, rounds + 1)) for id in SAMPLES]
    outcomes = OutcomeMatrix.from_counts(counts, rounds)
    expected = PassAtK(1).interval(outcomes, prior="learned", shape="quantile", looks=Looks(trials=EPOCHS))
    assert (found["look"]["lo"], found["look"]["hi"]) == (expected.lo, expected.hi)


def test_stopped_trials_are_read_as_not_run(tmp_path):
    log = run(tmp_path, StopWhen("pass@1", half_width=0.15))
    outcomes = read(str(tmp_path))["mockllm/model"]
    rounds = log.results.early_stopping.metadata["look"]["rounds"]
    assert rounds <= outcomes.min_trials <= outcomes.max_trials <= rounds + 1
    assert outcomes.completeness == 1.0
    assert outcomes.planned == outcomes.counts.sum() == len(log.samples)
    [source] = recognise(str(tmp_path)).sources
    assert f"{len(log.results.early_stopping.early_stops)} trials not run" in source.run.notes["stopped"]


def test_a_baseline_is_read_from_its_logs(tmp_path):
    run(tmp_path / "old", StopWhen("pass@1", half_width=0.15))
    log = run(tmp_path / "new", StopWhen("pass@1", baseline=str(tmp_path / "old")))
    found = log.results.early_stopping.metadata
    assert found["baseline"] is True
    assert not found["stopped"]  # the same model
    assert found["reason"] == "the answer was not clear before all epochs were run"
    assert len(log.samples) == EPOCHS * len(SAMPLES)


def test_without_a_condition_nothing_is_stopped(tmp_path, whole):
    log = run(tmp_path, StopWhen("pass@1"))
    assert scores(log) == scores(whole)
    assert log.results.early_stopping.metadata["reason"] == "no condition to stop was given"


def test_lost_samples_are_no_trials(tmp_path):
    lost = {("q00", 1), ("q09", 2)}
    log = run(tmp_path, StopWhen("pass@1", half_width=0.15), lost, fail_on_error=False)
    found = log.results.early_stopping.metadata
    assert found["stopped"] is True
    outcomes = read(str(tmp_path))["mockllm/model"]
    assert outcomes.min_trials >= found["look"]["rounds"]
    assert outcomes.planned - outcomes.counts.sum() == 2  # these two are missing, and only these
