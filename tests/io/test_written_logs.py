"""Outcomes written as logs of other tools: what was read reads back the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, read
from scorio.io._written_logs import WRITERS

NAMES = ["q1", "007", "7", "NA", "a/b", "é\n", "1e3"]
VALUES = {"pass or fail": [0.0, 1.0], "graded": [0.0, 0.5, 1.0], "negative": [-1.0, 0.25, 2.0]}


def model(rows, names=NAMES, clusters=None):
    return OutcomeMatrix.from_rewards(rows, questions=names[: len(rows)], clusters=clusters, missing="omit")


@st.composite
def outcome_sets(draw):
    """Draw models with ragged and missing trials, of one kind of reward."""
    values = draw(st.sampled_from(list(VALUES.values())))
    questions = draw(st.integers(1, 4))
    rewards = st.one_of(st.none(), st.sampled_from(values))
    clusters = draw(st.sampled_from([None, ["c1", "c2", "c1", "c2"][:questions]]))
    models = {}
    for name in draw(st.lists(st.sampled_from(["m", "lab/m:1", "m [temperature=1.0]"]), min_size=1, unique=True)):
        rows = draw(st.lists(st.lists(rewards, min_size=1, max_size=4), min_size=questions, max_size=questions))
        rows[0] = [*values, *rows[0]]  # every reward occurs, so that the levels are those of the data
        models[name] = model(rows, clusters=clusters)
    return OutcomeSet(models)


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITERS)
@settings(max_examples=60, deadline=None)
@given(outcomes=outcome_sets())
def test_what_was_written_reads_back_the_same(form, outcomes, tmp_path_factory):
    folder = tmp_path_factory.mktemp(form)
    WRITERS[form](folder, outcomes)
    again = read(folder)
    assert again == outcomes
    for name in outcomes:
        assert again[name].planned_trials.tolist() == outcomes[name].planned_trials.tolist()
        assert again[name].clusters == outcomes[name].clusters


@pytest.mark.parametrize("form", WRITERS)
def test_continuous_rewards(form, tmp_path):
    rewards = np.random.default_rng(0).normal(size=(4, 30)).tolist()
    outcomes = OutcomeSet({"m": model(rewards), "other": model([row[:7] for row in rewards])})
    WRITERS[form](tmp_path, outcomes)
    assert read(tmp_path) == outcomes


def test_one_log_twice_is_refused(tmp_path):
    """Two copies of what was written hold the same trials."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        WRITERS["inspect"](tmp_path / name, OutcomeSet({"m": model([[1.0, 0.0]])}))
    with pytest.raises(OutcomeError, match="of one run twice"):
        read(tmp_path)
