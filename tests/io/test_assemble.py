"""Trials of many runs become one OutcomeSet: the same as one by one in plain dictionaries."""

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorio import OutcomeError
from scorio.io._assemble import assemble
from scorio.io._records import Run, Source, Trial, TrialColumns
from scorio.io._trial_table import TrialSet

ALIKE = [0, 1, True, 1.0, "1", "1.0", None, "é", "e\u0301"]
OUTCOMES = [None, 0.0, 1.0, -0.5]
SETS = st.builds(TrialSet, st.lists(st.sampled_from(["0", "1", "63", "64", "9999", "01", "a"]), max_size=3))
LABELS = st.sampled_from(["1", "1.0", "é", "e\u0301"])
TRIALS = st.builds(Trial, LABELS, st.sampled_from(ALIKE) | SETS, st.sampled_from(OUTCOMES), st.none(), st.just(1))
RUNS = st.builds(
    Run,
    st.sampled_from(["a", "b"]),
    st.lists(TRIALS, max_size=8),
    st.sampled_from(["", "x"]),
    planned=st.dictionaries(st.sampled_from(["1", "planned"]), st.integers(0, 3)),
)


def sources(runs):
    return [Source(Path(f"file {i}"), "some", run) for i, run in enumerate(runs)]


def given_twice(key, earlier):
    """A trial that was given before, and the file."""
    if not isinstance(key, TrialSet):
        return [(key, path) for other, path in earlier if not isinstance(other, TrialSet) and other == key]
    shared = [(other.shared(key), path) for other, path in earlier if isinstance(other, TrialSet)]
    return [(trial, path) for trial, path in shared if trial is not None]


def first_twice(found):
    """The words for the first trial that is there twice, if one is."""
    earlier = defaultdict(list)
    for source in found:
        for trial in source.run.trials:
            before = earlier[source.run.model, source.run.identity, trial.question]
            if trial.outcome is None and not isinstance(trial.key, TrialSet):
                continue
            for key, path in given_twice(trial.key, before):
                both = path if path == source.path else f"{path} and {source.path}"
                what = f"question {trial.question!r} of {source.run.model!r}"
                return f"{both}: {what} has trial {key!r} of one run twice"
            before.append((trial.key, source.path))
    return None


def tallied(found):
    """Of each question of each model: trials by outcome, and how many were meant to be run."""
    there, planned = defaultdict(dict), defaultdict(int)
    outcomes = defaultdict(lambda: defaultdict(int))
    for source in found:
        run = source.run
        for question, times in run.planned.items():
            at = run.model, run.identity, question
            planned[at] = max(planned[at], times)
        for trial in run.trials:
            at = run.model, run.identity, trial.question
            planned[at] += 0
            there[at][trial.key] = trial.times
            if trial.outcome is not None:
                outcomes[run.model, trial.question][trial.outcome] += trial.times
    meant = defaultdict(int)
    for (model, identity, question), times in planned.items():
        meant[model, question] += max(times, sum(there[model, identity, question].values()))
    return outcomes, meant


@given(st.lists(RUNS, min_size=1, max_size=5), st.sampled_from(["omit", "fail"]))
def test_as_one_by_one(runs, missing):
    found = sources(runs)
    try:
        models = assemble(found, missing)
    except OutcomeError as error:
        twice = first_twice(found)
        lost = ("no trial of", "has no question that", "has no question in common", "counts hold no trial")
        assert str(error) == twice or (twice is None and any(words in str(error) for words in lost))
        return
    assert first_twice(found) is None
    outcomes, meant = tallied(found)
    assert set(models) == {run.model for run in runs}
    for name, matrix in models.items():
        most = max(times for (model, _), times in meant.items() if model == name)
        levels = matrix.levels or (0.0, 1.0)
        for label, counts, planned in zip(matrix.questions, matrix.counts.tolist(), matrix.planned_trials, strict=True):
            expected = dict.fromkeys(levels, 0) | outcomes[name, label]
            assert planned == meant.get((name, label), most)
            if missing == "fail":
                expected[levels[0]] += planned - sum(expected.values())
            assert dict(zip(levels, counts, strict=True)) == expected


@given(st.lists(RUNS, min_size=1, max_size=3))
def test_trials_in_columns_are_the_same(runs):
    found = sources(runs)
    assert [Run(run.model, run.columns, "").columns for run in runs] == [run.columns for run in runs]
    columns = sources(Run(run.model, run.columns, run.identity, planned=run.planned) for run in runs)
    assert [source.present for source in columns] == [source.present for source in found]
    try:
        expected = assemble(found, "omit")
    except OutcomeError as error:
        with pytest.raises(OutcomeError) as raised:
            assemble(columns, "omit")
        assert str(raised.value) == str(error)
    else:
        assert assemble(columns, "omit") == expected


def test_questions_come_as_the_first_model_has_them():
    runs = [
        Run("b", [Trial("q2", 0, 1.0), Trial("q1", 0, 1.0)], "", planned={"q3": 1}),
        Run("a", [Trial("q4", 0, 1.0), Trial("q1", 0, 0.0)], ""),
        Run("b", [Trial("q5", 0, 0.0)], ""),
    ]
    models = assemble(sources(runs), "omit")
    assert (models.models, models.questions) == (("b", "a"), ("q3", "q2", "q1", "q5", "q4"))


def test_the_first_trial_without_an_outcome_is_the_models_own():
    runs = [
        Run("b", [Trial(label, 0, 1.0) for label in ("q1", "q2")], ""),
        Run("a", [Trial(label, 0, None) for label in ("q2", "q1")] + [Trial("q1", 1, 1.0)], ""),
    ]
    with pytest.raises(OutcomeError, match="^file 1: 1 trial of question 'q2' of 'a' has no outcome"):
        assemble(sources(runs), "raise")


def test_one_set_of_trials_may_stand_for_many_questions():
    both = TrialSet(["0", "1"])
    trials = TrialColumns(["q1", "q2"], [both, both], [1.0, 0.0], [None, None], [2, 2])
    assert assemble(sources([Run("m", trials, "")]), "raise")["m"].counts.tolist() == [[0, 2], [2, 0]]
    twice = TrialColumns(["q1", "q1"], [both, both], [1.0, 0.0], [None, None], [2, 2])
    with pytest.raises(OutcomeError, match="trial '1' of one run twice"):
        assemble(sources([Run("m", twice, "")]), "raise")
