"""Results as the flat dictionaries that experiment trackers take, logged by the trackers themselves and read again."""

import numpy as np
import pytest

import scorio
from scorio._base.exports import numbers_of

A = np.random.default_rng(1).random((10, 6)) < 0.6
B = np.random.default_rng(2).random((10, 6)) < 0.4


def board():
    return scorio.Leaderboard(["pass@1", "pass@2"], {"a": A, "b": B})


def test_a_value_has_the_name_of_its_metric_and_the_rest_stands_below():
    interval = scorio.PassAtK(2).interval(A)
    numbers = interval.to_metrics("val/pass@2")
    assert numbers["val/pass@2"] == interval.mu
    assert (numbers["val/pass@2/lo"], numbers["val/pass@2/hi"]) == (interval.lo, interval.hi)


def test_several_models_and_metrics_have_names_of_their_own():
    pytest.importorskip("pandas")
    numbers = board().to_metrics("step")
    for ranking in board().rankings:
        for row in ranking.rows:
            assert numbers[f"step/{row.model}/{ranking.metric}"] == row.score
    assert len(numbers) == sum(
        isinstance(value, (bool, int, float)) for record in board().to_frame("pandas").to_dict("records")
        for name, value in record.items()
    )  # fmt: skip


def test_a_difference_is_no_score():
    comparison = scorio.compare("pass@1", A, B)
    numbers = comparison.to_metrics()
    assert "pass@1" not in numbers
    assert numbers["pass@1/difference"] == comparison.difference


def test_every_value_is_a_finite_number_and_every_name_a_text():
    shown = [board(), scorio.compare("pass@1", A, B), scorio.gate("pass@1", A, B), scorio.PassAtK(2).estimate(A)]
    for result in shown:
        numbers = result.to_metrics()
        assert numbers
        assert all(isinstance(name, str) and np.isfinite(value) for name, value in numbers.items())


def test_records_that_texts_do_not_tell_apart_keep_all_their_numbers():
    taus = [{"metric": "pass@1", "end": "below" if n == 1 else 2.0, "n": n, "tau": n / 4} for n in (1, 2)]
    assert numbers_of(taus, "val", "@") == {
        "val/n_1/pass@1/tau": 0.25, "val/n_2/pass@1/tau": 0.5, "val/n_2/pass@1/end": 2.0
    }  # fmt: skip
    changes = scorio.comparison.diff_questions(A, B)
    assert {f"question_{q}" for q in range(10)} == {name.split("/")[-2] for name in changes.to_metrics()}


@pytest.mark.tools
def test_weights_and_biases(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(project="evaluations", dir=str(tmp_path)) as run:
        run.log(board().to_metrics())
        assert run.summary["a/pass@2"] == board().to_metrics()["a/pass@2"]


@pytest.mark.tools
def test_mlflow(tmp_path):
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("sqlalchemy")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("evaluations")
    numbers = board().to_metrics(at="_at_")
    with mlflow.start_run() as run:
        mlflow.log_metrics(numbers)
    assert mlflow.get_run(run.info.run_id).data.metrics == pytest.approx(numbers)


@pytest.mark.tools
def test_tensorboard(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    numbers = board().to_metrics()
    writer = EventFileWriter(str(tmp_path))
    values = [Summary.Value(tag=name, simple_value=value) for name, value in numbers.items()]
    writer.add_event(Event(step=1, summary=Summary(value=values)))
    writer.close()
    read = EventAccumulator(str(tmp_path)).Reload()
    assert {name: read.Scalars(name)[0].value for name in numbers} == pytest.approx(numbers, rel=1e-6)
