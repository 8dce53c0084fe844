"""Counts that add up, merged or batch by batch: exactly those of all trials in one place, and no part twice."""

import pickle
from functools import reduce
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from helpers.saved_counts import BINARY, CATEGORIES, FEW_REWARDS, LABELS, REWARDS, examples, trial_lists
from scorio import Accumulator, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, RewardMatrix, Suite, read
from scorio.outcomes import SavedCounts
from scorio.outcomes._rewards import RewardSummary

QUESTIONS = ["q1", "q2", "q3", 4, ("t", 5)]
KINDS = {"binary": BINARY, "categories": CATEGORIES, "rewards": FEW_REWARDS, "continuous": REWARDS}


def made(kind, rows):
    given = {"questions": list(rows), "missing": "omit"}
    build = {"rewards": OutcomeMatrix.from_rewards, "continuous": RewardMatrix}.get(kind, OutcomeMatrix)
    return build(list(rows.values()), **given)


def truth_of(kind, tables):
    """The outcomes of all trials of each model, made at once."""
    models = {}
    for table in tables:
        for model, rows in table.items():
            of_model = models.setdefault(model, {})
            for label, trials in rows.items():
                of_model.setdefault(label, []).extend(trials)
    labels = {label for rows in models.values() for label in rows}
    return OutcomeSet(
        {name: made(kind, {label: rows.get(label, []) for label in labels}) for name, rows in models.items()}
    )


def by_label(outcomes):
    """What each model has of each question, in no order of questions and models."""
    found = {}
    for name, matrix in outcomes.items():
        for i, label in enumerate(matrix.questions):
            one = matrix.select([i] if matrix.questions is None else [label]) if matrix.trials[i] else None
            content = None
            if one is not None:
                content = one.ordered.tolist() if one.is_continuous else counted(one)
            found[name, label] = matrix.trials[i], matrix.planned_trials[i], content
    return found


def counted(one):
    """How often each reward or category of one question occurs."""
    levels = one.levels or range(one.n_categories)
    return {level: count for level, count in zip(levels, one.counts[0].tolist(), strict=True) if count}


def levels_of(outcomes):
    return set(next(iter(outcomes.values())).levels or ())


@st.composite
def parts(draw):
    """Draw a kind of outcomes, and parts with some questions of some models each."""
    kind = draw(st.sampled_from(list(KINDS)))
    tables = []
    for _ in range(draw(st.integers(1, 4))):
        names = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True))
        tables.append({name: draw(trial_lists(KINDS[kind], questions=QUESTIONS)) for name in names})
    return kind, tables


def saved(kind, tables):
    """Each model of each table on its own: models of one part need not have the same questions."""
    return [
        SavedCounts(OutcomeSet({name: made(kind, rows)}), part=f"{name} of {i}")
        for i, table in enumerate(tables)
        for name, rows in table.items()
    ]


@pytest.mark.slow
@given(parts(), st.randoms(use_true_random=False))
def test_counts_are_those_of_all_trials_in_any_order(drawn, random):
    kind, tables = drawn
    pieces = saved(kind, tables)
    at_once = pieces[0].merge(*pieces[1:])
    truth = truth_of(kind, tables)
    assert by_label(at_once.outcomes) == by_label(truth)
    # A part whose rewards are all alike brings the 0 (or 1) that a lone level is paired with.
    assert levels_of(truth) <= levels_of(at_once.outcomes) <= levels_of(truth) | {0.0, 1.0}
    random.shuffle(pieces)
    one_by_one = reduce(SavedCounts.merge, pieces)
    assert one_by_one.to_bytes() == at_once.to_bytes() or len(pieces) == 1


def test_groups_of_parts_give_equal_bytes():
    rng = np.random.default_rng(0)
    rewards = rng.normal(size=(4, 3, 50)) * 10.0 ** rng.integers(-8, 8, (4, 3, 50))
    a, b, c, d = (
        SavedCounts(OutcomeSet({"m": RewardMatrix(part, questions=["z", "y", "x"])}), part=str(i))
        for i, part in enumerate(rewards)
    )
    expected = a.merge(b, c, d).to_bytes()
    assert a.merge(b).merge(c.merge(d)).to_bytes() == expected
    assert d.merge(a.merge(c.merge(b))).to_bytes() == expected


def test_rewards_without_trials_agree_up_to_rounding():
    rng = np.random.default_rng(1)
    rewards = rng.normal(size=(3, 2, 40))
    whole = RewardMatrix(np.concatenate(rewards, axis=1))
    pieces = [SavedCounts(OutcomeSet({"m": RewardMatrix(part, keep_values=False)})) for part in rewards]
    results = [one.merge(*others).outcomes["m"] for one, *others in permutations(pieces)]
    assert len({each.means.tobytes() + each.variances.tobytes() for each in results}) == 1
    np.testing.assert_allclose(results[0].means, whole.means, rtol=1e-13)
    np.testing.assert_allclose(results[0].variances, whole.variances, rtol=1e-13)


def test_a_part_is_never_counted_twice(tmp_path):
    outcomes = examples()["binary"]
    named, unnamed = SavedCounts(outcomes, part="night 1"), SavedCounts(outcomes)
    assert named.merge(unnamed).outcomes["a"].trials.tolist() == [4, 4, 4]
    for once, again in [(named, named), (unnamed, unnamed), (named.merge(unnamed), named)]:
        with pytest.raises(OutcomeError, match="would be counted twice: merge each part once"):
            once.merge(again)
    outcomes.save(tmp_path / "one.npz")
    with pytest.raises(OutcomeError, match="would be counted twice"):
        unnamed.merge(tmp_path / "one.npz")
    merged = named.merge(unnamed)
    merged.outcomes.save(tmp_path / "both.npz")  # the sum under a name of its own
    with pytest.raises(OutcomeError, match="the same merged counts would be counted twice"):
        merged.merge(tmp_path / "both.npz")


def test_costs_add_up_and_conditions_must_agree():
    def part(name, temperature, **costs):
        models = OutcomeSet({"a": [[1]]}, conditions={"a": {"temperature": temperature}}, costs={"a": costs})
        return SavedCounts(models, metadata={"a": {"day": name, "gpu": "x"}}, part=name)

    merged = part("1", 0.5, usd=0.1, tokens=3).merge(part("2", 0.5, usd=0.2), part("3", 0.5, usd=0.3))
    assert merged.metadata == {"a": {"day": None, "gpu": "x"}}
    assert merged.outcomes.conditions["a"] == {"temperature": 0.5}
    assert merged.outcomes.costs["a"] == {"usd": pytest.approx(0.2)}  # what all parts tell
    assert merged.parts["2"]["a"]["day"] == "2"
    with pytest.raises(OutcomeError, match="'a' was run under different conditions.*0.5.*0.7"):
        merged.merge(part("4", 0.7))


def test_prior_outcomes_count_once():
    def part(name, prior, label="q"):
        return SavedCounts(OutcomeSet({"a": [[1, 0]]}, questions=[label], prior=prior), part=name)

    assert part("1", [[0, 1]]).merge(part("2", [[0, 1]])).outcomes["a"].prior_counts.tolist() == [[1, 1]]
    apart = part("1", [[0, 1]]).merge(part("2", [[1, 1]], "other")).outcomes["a"]
    assert apart.prior_counts.tolist() == [[0, 2], [1, 1]]
    with pytest.raises(OutcomeError, match="two parts have different prior outcomes of 'a'"):
        part("1", [[0, 1]]).merge(part("2", [[1, 1]]))


def test_a_mark_of_adaptive_trials_stays():
    adaptive = OutcomeSet({"a": OutcomeMatrix([[1]]).as_adaptive(), "b": [[1]]})
    merged = SavedCounts(OutcomeSet({"a": [[0]], "b": [[0]]})).merge(SavedCounts(adaptive)).outcomes
    assert [matrix.is_adaptive for matrix in merged.values()] == [True, False]


def test_tasks_are_merged_one_by_one():
    first = Suite({"x": {"a": [[0, 1]]}, "y": {"a": [[1]], "b": [[0]]}})
    second = Suite({"y": {"b": [[1]]}, "w": {"c": [[1]]}})
    merged = SavedCounts(first).merge(SavedCounts(second)).outcomes
    assert list(merged) == ["w", "x", "y"]
    assert {name: matrix.counts.tolist() for name, matrix in merged["y"].items()} == {"a": [[0, 1]], "b": [[1, 1]]}
    with pytest.raises(OutcomeError, match="some parts have tasks, others do not"):
        SavedCounts(first).merge(SavedCounts(OutcomeSet({"a": [[1]]})))


def test_what_cannot_be_merged_is_named():
    def one(rows, **given):
        return SavedCounts(OutcomeSet({"a": rows}, **given))

    with pytest.raises(OutcomeError, match="some parts label their questions, others do not"):
        one([[1]], questions=["q"]).merge(one([[1], [1]]))
    with pytest.raises(OutcomeError, match="the parts have 1, 2 questions: label the questions"):
        one([[1]]).merge(one([[1], [0]]))
    with pytest.raises(OutcomeError, match="question 'q' is in two clusters, 'c' and 'd'"):
        one([[1]], questions=["q"], clusters=["c"]).merge(one([[0]], questions=["q"], clusters=["d"]))
    with pytest.raises(OutcomeError, match="question 'p' is in no cluster"):
        one([[1]], questions=["q"], clusters=["c"]).merge(one([[0]], questions=["p"]))
    with pytest.raises(OutcomeError, match="some parts have real rewards, others have categories"):
        one([[2]]).merge(one(OutcomeMatrix.from_rewards([[0.5, 2]])))
    with pytest.raises(ParameterError, match="others must be saved counts or files of them"):
        one([[1]]).merge([[1]])


MOST = 2**53


def successes_of(right, label="q", prior=0):
    prior_counts = np.array([[0, prior]]) if prior else None
    return OutcomeMatrix.from_counts([[0, right]], questions=[label]).replaced(prior=prior_counts)


def moments(trials):
    numbers = [np.array([number]) for number in (trials, 0.5, 0.25, np.nan)]
    return RewardMatrix.of_parts(RewardSummary(*numbers), numbers[0], None, ["q"])


def one_part(matrix, part):
    return SavedCounts(OutcomeSet({"a": matrix}), part=part)


def accumulated(matrix, name):
    log = Accumulator(name=name)
    log._total_and_waiting = matrix, []
    return log


@pytest.mark.parametrize(
    ("merge", "part"),
    [
        (lambda a, b: a.merge(b), successes_of),
        (lambda a, b: a.merge(b), moments),
        (lambda a, b: one_part(a, "a").merge(one_part(b, "b")).outcomes["a"], successes_of),
        (lambda a, b: one_part(a, "a").merge(one_part(b, "b")).outcomes["a"], moments),
        (lambda a, b: successes_of(int(a.trials[0]), prior=int(b.trials[0])).with_prior_counts, successes_of),
        (lambda a, b: accumulated(a, "a").merge(accumulated(b, "b")).outcomes, successes_of),
    ],
)
def test_a_question_has_at_most_so_many_trials(merge, part):
    """Above 2**53 trials, a double no longer tells one from the next: the sum is refused, not only its file."""
    assert merge(part(MOST - 1), part(1)).trials.tolist() == [MOST]
    for one, other in [(MOST, 1), (MOST, MOST)]:
        with pytest.raises(OutcomeError, match=rf"question 'q' would have {one + other} trials: .* at most 2\*\*53"):
            merge(part(one), part(other))


def test_many_large_parts_are_refused_before_they_overflow():
    one, *others = [one_part(successes_of(MOST - 1), str(i)) for i in range(1100)]
    with pytest.raises(OutcomeError, match=r"at most 2\*\*53"):
        one.merge(*others)


# The accumulator: whatever the batches, the outcomes are those of all trials at once.


STREAMS = {
    "binary": BINARY,
    "whole rewards": CATEGORIES,
    "few rewards": FEW_REWARDS,
    "rewards": REWARDS,
    "many rewards": st.integers(-200, 200).map(lambda value: value / 4),
}


@st.composite
def batches(draw, *, missing=True):
    """Draw batches of one kind: lists of labels, and of the trials of each, some of which are missing."""
    kind = draw(st.sampled_from(list(STREAMS)))
    outcome = STREAMS[kind]
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    trial = st.one_of(outcome, st.none()) if missing else outcome
    row = st.lists(trial, min_size=1, max_size=30 if kind == "many rewards" else 5)
    asked = st.lists(st.sampled_from(labels), min_size=1, max_size=5)
    made = []
    for _ in range(draw(st.integers(1, 6))):
        own = draw(asked)
        made.append((own, [draw(row) for _ in own]))
    made[0][1][0][0] = draw(outcome)
    return made


def whole_of(made):
    """The outcomes of all trials of some batches, made at once; None where there is no trial."""
    trials = {}
    for labels, rows in made:
        for label, row in zip(labels, rows, strict=True):
            trials.setdefault(label, []).extend(row)
    if all(each is None for row in trials.values() for each in row):
        return None
    return OutcomeMatrix.from_rewards(list(trials.values()), questions=list(trials), missing="omit")


def filled(made):
    log = Accumulator(missing="omit")
    for labels, rows in made:
        log.add(labels, rows)
    return log


@pytest.mark.slow
@given(batches())
def test_outcomes_are_those_of_all_trials(made):
    assert filled(made).outcomes == whole_of(made)


def sorted_rows(matrix):
    order = sorted(matrix.questions, key=repr)
    return matrix.reordered(np.array([matrix.questions.index(label) for label in order]))


@pytest.mark.slow
@given(batches(), st.data())
def test_a_saved_state_goes_on_as_if_nothing_had_happened(made, data):
    stop = data.draw(st.integers(1, len(made)))
    state = filled(made[:stop]).to_state()
    log, whole = Accumulator.from_state(state), filled(made)
    assert log.step == stop
    assert Accumulator.from_state(log.to_state()).to_state() == log.to_state() == state
    for labels, rows in made[stop:]:
        log.add(labels, rows)
    assert log.outcomes == whole.outcomes
    assert log.step == whole.step


@pytest.mark.slow
@given(batches(), st.data())
def test_workers_merge_to_the_whole(made, data):
    """Each batch goes to one of two workers, under the number of its step."""
    workers = [Accumulator(missing="omit", name=name) for name in ("one", "two")]
    for step, (labels, rows) in enumerate(made, 1):
        workers[data.draw(st.integers(0, 1))].add(labels, rows, step=step)
    merged = workers[0].merge(workers[1])
    assert merged.step == len(made)
    assert sorted_rows(merged.outcomes) == sorted_rows(whole_of(made))
    assert sorted_rows(workers[1].merge(workers[0]).outcomes) == sorted_rows(merged.outcomes)


@pytest.mark.slow
@given(batches(missing=False))
def test_rewards_that_are_not_kept_have_the_same_moments(made):
    whole = filled(made).outcomes.as_continuous()
    log = Accumulator(keep_values=False)
    for labels, rows in made:
        log.add(labels, rows)
    log = Accumulator.from_state(log.to_state())
    found = log.outcomes.as_continuous()
    assert found.trials.tolist() == whole.trials.tolist()
    np.testing.assert_allclose(found.means, whole.means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.variances, whole.variances, rtol=1e-9, atol=1e-9)


def test_a_flat_batch_has_one_outcome_per_question():
    log = Accumulator()
    log.add(["q1", "q2", "q1"], [1, 0, 0])
    log.add(["q3"], [1, 1, 0])
    assert log.outcomes.counts.tolist() == [[1, 1], [1, 0], [1, 2]]
    log.add(["q4", "q5"], ["pass", "fail"])
    assert log.outcomes.successes.tolist() == [1, 0, 2, 1, 0]


def test_missing_trials():
    rows = [[1, None], [0, float("nan")]]
    for missing, counts in (("omit", [[0, 1], [1, 0]]), ("fail", [[1, 1], [2, 0]])):
        log = Accumulator(missing=missing)
        log.add(["a", "b"], rows)
        log.add(["a", "b"], np.array([[np.nan, 1.0], [1.0, np.nan]]))
        expected = np.array(counts) + [[0, 1], [0, 1]] + (np.array([[1, 0], [1, 0]]) if missing == "fail" else 0)
        assert log.outcomes.counts.tolist() == expected.tolist()
        assert log.outcomes.planned_trials.tolist() == [4, 4]
    with pytest.raises(OutcomeError, match="a trial without an outcome"):
        Accumulator().add(["a", "b"], rows)
    log = Accumulator(missing="fail")
    for batch in ([[0.5, None]], [[-2.0, 0.5]]):  # a failure is worth the lowest reward of all batches
        log.add(["a"], batch)
        failure = min(0.0, *filter(None, batch[0]))
        assert log.outcomes.question_rewards()[1].tolist() == [[0.25], [-0.75]][failure < 0]


def test_a_refused_batch_changes_nothing():
    log = Accumulator()
    log.add(["a"], [[0, 1]])
    before = log.to_state()
    for questions, outcomes in [
        (["a", "b"], [[0, 1], [0, np.inf]]),
        (["c", "d"], [[0, 1]]),
        (["e", []], [[0], [1]]),
        (["f", float("nan")], [[0], [1]]),
        ([], []),
        (["g"], [["maybe"]]),
        (3, [[1]]),
    ]:
        with pytest.raises((OutcomeError, TypeError)):
            log.add(questions, outcomes)
        assert log.to_state() == before
    log.add(["b"], [[1, 1]])
    assert log.outcomes.questions == ("a", "b")


def test_faults_are_named():
    log = Accumulator()
    with pytest.raises(OutcomeError, match="no outcome was added yet"):
        _ = log.outcomes
    with pytest.raises(OutcomeError, match="there is nothing to save"):
        log.to_state()
    with pytest.raises(OutcomeError, match="outcomes have 3 rows for 2 questions"):
        log.add(["a", "b"], [[1], [1], [0]])
    log.add(["a"], [[1]], step=5)
    with pytest.raises(ParameterError, match="step must be a whole number from 5 on; got 4"):
        log.add(["a"], [[1]], step=4)
    with pytest.raises(ParameterError, match="name must be a name"):
        Accumulator(name="")
    with pytest.raises(OutcomeError, match="not the state of an accumulator"):
        Accumulator.from_state(SavedCounts(OutcomeSet({"model": log.outcomes})).to_bytes())


# The state: a file of saved counts that other processes go on with, and that never counts twice.


def test_two_states_of_one_accumulator_are_never_added(tmp_path):
    log = Accumulator(name="worker 1")
    log.add(["a"], [[0, 1]])
    log.save(tmp_path / "early.npz")
    log.add(["a"], [[1, 1]])
    with pytest.raises(OutcomeError, match="the accumulator 'worker 1' would be counted twice"):
        log.merge(Accumulator.load(tmp_path / "early.npz"))
    log.save(tmp_path / "late.npz")
    with pytest.raises(OutcomeError, match="part 'worker 1' would be counted twice"):
        SavedCounts.load(tmp_path / "early.npz").merge(tmp_path / "late.npz")
    with pytest.raises(OutcomeError, match="different settings cannot be merged"):
        log.merge(Accumulator(keep_values=False))


def test_a_state_is_saved_counts(tmp_path):
    log = Accumulator(model="policy", name="run")
    log.add(["a", "b"], [[0, 1], [1, 1]])
    log.save(tmp_path / "state.npz", metadata={"costs": {"tokens": 7}})
    assert read(tmp_path / "state.npz")["policy"] == log.outcomes
    assert SavedCounts.load(tmp_path / "state.npz").metadata == {"policy": {"costs": {"tokens": 7}}}
    other = Accumulator(model="policy")
    other.add(["a"], [[1]])
    log.merge(other).save(tmp_path / "both.npz", metadata={"seed": 7})
    assert SavedCounts.load(tmp_path / "both.npz").metadata == {"policy": {"seed": 7}}
    assert pickle.loads(pickle.dumps(log)).outcomes == log.outcomes
    with pytest.raises(ParameterError, match=r"must end with .npz"):
        log.save(tmp_path / "state.parquet")
