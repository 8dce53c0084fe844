"""Does an arm help: verdicts, what would tell, costs, the grader's noise; false calls against simulated truth."""

import itertools
from math import comb

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, Suite, compare
from scorio.arms import analyze_arms, baseline_of

WITH, WITHOUT = [[1, 1, 1], [1, 1, 1], [1, 0, 1]], [[0, 0, 0], [0, 1, 0], [0, 0, 1]]


def counted(successes, runs):
    return OutcomeMatrix.from_counts(np.asarray(successes), runs)


def the_row(with_skill, without, **options):
    return analyze_arms({"with_skill": with_skill, "without_skill": without}, **options).rows[0]


def test_the_four_verdicts():
    assert the_row(WITH, WITHOUT).verdict == "helps"
    assert the_row(WITHOUT, WITH).verdict == "hurts"
    assert the_row(WITH, WITH).verdict == "cannot tell"
    many = [counted([10, 195, 190], 200), counted([11, 195, 191], 200)]
    assert the_row(*many).verdict == "practically equal"
    assert the_row(*many, margin=0.005).verdict == "cannot tell"


def test_what_would_tell_is_said_where_it_cannot_be_told():
    row = the_row(WITH, WITHOUT)
    assert row.verdict_like_these == "cannot tell"
    assert row.needed == ""
    assert row.needed_like_these.endswith("tasks would tell with power 0.8")


def test_more_runs_or_more_tasks_would_tell():
    row = the_row([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [[0, 1, 0], [0, 1, 0], [0, 1, 1]])
    assert row.verdict == "cannot tell"
    assert row.needed.endswith("more runs per task would tell with power 0.8")
    slight = the_row(*(counted([3 + 3 * more, 5, 6 - 2 * more, 2], 8) for more in (1, 0)))
    assert "not even 1,000 tasks would tell" in slight.needed_like_these
    alone = the_row([[1], [1], [0], [1]], [[0], [1], [0], [0]])
    assert alone.needed == "one run of each task does not show how much runs vary: run each at least three times"


def test_arms_of_equal_score_say_how_many_runs_show_that_they_are_practically_equal():
    row = the_row([[1, 1, 1]] * 4, [[1, 1, 1]] * 4)
    more, *words = row.needed.split(maxsplit=1)
    assert words == ["more runs per task would show that they are practically equal with power 0.8"]
    told = the_row(*(counted([3 + int(more)] * 4, 3 + int(more)) for _ in range(2)))
    assert told.verdict == "practically equal"
    assert the_row(WITH, WITH, margin=0.0).needed_like_these == "not even 1,000 tasks would tell"


def test_what_is_missing_is_said():
    arms = [OutcomeMatrix(rows, missing="omit") for rows in ([*WITH, [1, 1, 1]], [*WITHOUT, [np.nan] * 3])]
    arms[0] = OutcomeMatrix([[1, 1, np.nan], *WITH[1:], [1, 1, 1]], missing="omit")
    assert the_row(*arms).extent == (
        "3 tasks, 8 and 9 runs; 1 task left out, of which only one arm has runs; 1 planned run without an outcome"
    )
    assert the_row(WITH, WITHOUT).extent == "3 tasks, 9 runs of each arm"


def test_as_many_tasks_as_it_says_would_tell_with_that_power():
    rng, rates = np.random.default_rng(2), {True: (0.98, 0.02), False: (0.5, 0.5)}
    one, other = (np.array([rates[i < 2][arm] for i in range(6)]) for arm in (0, 1))
    row = the_row(*(counted(np.round(5 * rate), 5) for rate in (one, other)))
    needed = int(row.needed_like_these.split()[3])
    told = 0
    for _ in range(60):
        kinds = [rates[bool(kind)] for kind in rng.random(needed) < 1 / 3]
        arms = [counted(rng.binomial(5, [kind[arm] for kind in kinds]), 5) for arm in (0, 1)]
        told += the_row(*arms).verdict_like_these == "helps"
    assert 0.7 < told / 60 <= 1.0


def test_one_task_says_nothing_of_others():
    row = the_row([[1, 1, 1]], [[0, 0, 0]])
    assert (row.verdict, row.verdict_like_these, row.like_these) == ("helps", None, None)
    assert "on this task" in str(row)


def test_a_placebo_is_an_arm_that_the_others_are_set_against():
    arms = {"skill": WITH, "placebo skill": WITHOUT, "no skill": WITHOUT}
    pairs = [(row.arm, row.against) for row in analyze_arms(arms).rows]
    assert pairs == [("skill", "no skill"), ("placebo skill", "no skill"), ("skill", "placebo skill")]
    [alone] = analyze_arms({"skill": WITH, "no skill": WITHOUT}).rows
    assert analyze_arms(arms).rows[0].these.lo < alone.these.lo  # the verdicts of all arms hold together
    assert alone.these.confidence == 0.95


def test_a_suite_has_a_verdict_for_each_skill():
    arms = analyze_arms(Suite({"pdf": {"a": WITH, "baseline": WITHOUT}, "xls": {"a": WITHOUT, "baseline": WITHOUT}}))
    assert [(row.task, row.verdict) for row in arms.rows] == [("pdf", "helps"), ("xls", "cannot tell")]
    assert arms.verdicts()[0].startswith("pdf: a helps on these 3 tasks")


def test_costs_per_success_and_how_often_the_skill_was_used():
    costs = {
        "a": {"tokens": [[10.0] * 3] * 3, "skill_used": [[1, 1, 0]] * 3},
        "baseline": {"tokens": [[4.0] * 3] * 3, "skill_used": [[0, 0, 0]] * 3},
    }
    arms = analyze_arms(OutcomeSet({"a": WITH, "baseline": WITHOUT}, costs=costs))
    record = arms.rows[0].record()
    assert (record["tokens_per_success"], record["tokens_per_success_against"]) == pytest.approx((90 / 8, 36 / 2))
    assert record["used"] == pytest.approx(2 / 3)
    assert "67%" in str(arms)
    assert len(arms.as_records()) == 1
    assert arms.to_markdown().startswith("**what 'a' changes**")


def test_the_noise_of_a_grader_is_how_often_two_grades_differ():
    graded = OutcomeMatrix(WITH, scores={"regraded": [[1, 0, 1], [1, 1, np.nan], [1, 1, 1]]})
    noise = analyze_arms({"a": graded, "baseline": OutcomeMatrix(WITHOUT)}).noise
    assert (noise.differ, noise.trials) == (2, 8)
    assert str(noise).endswith("about 14.6% [2.9%, 50%] of its single grades are wrong")
    assert analyze_arms({"a": WITH, "baseline": WITHOUT}).noise is None


def test_arms_are_compared_on_the_tasks_that_both_have_runs_of():
    lost = [np.nan] * 3
    arms = [OutcomeMatrix([*rows, more], missing="omit") for rows, more in ((WITH, [1, 1, 1]), (WITHOUT, lost))]
    assert the_row(*arms).these.n_questions == (3, 3)
    assert the_row(*arms).these.lo == the_row(WITH, WITHOUT).these.lo
    with pytest.raises(OutcomeError, match="no task has runs of both"):
        the_row(*(OutcomeMatrix(rows, missing="omit") for rows in ([lost, [1, 1, 1]], [[1, 1, 1], lost])))


@pytest.mark.parametrize(
    ("models", "baseline"),
    [
        (["with_skill", "without_skill"], "without_skill"),
        (["terminus/gpt [skills=unset]", 'terminus/gpt [skills=["pdf"]]'], "terminus/gpt [skills=unset]"),
        (["plugin", "baseline", "isolated"], "baseline"),
        (["new_skill", "old_skill"], "old_skill"),
        (["old_skill", "with_skill", "without_skill"], "without_skill"),
        (["none", "tools"], "none"),
        (["llama-base", "llama-chat"], None),
        (["gpt-x", "gpt-y"], None),
        (["baseline", "control"], None),
        (["baseline"], None),
    ],
)
def test_the_baseline_is_the_only_arm_that_is_called_so(models, baseline):
    assert baseline_of(models) == baseline


@pytest.mark.parametrize(
    ("arms", "options", "words"),
    [
        ({"a": WITH, "b": WITHOUT}, {}, "name the arm without"),
        ({"a": WITH, "b": WITHOUT}, {"baseline": "c"}, "'c'"),
        ({"a": WITH}, {"baseline": "a"}, "two arms"),
        ({"a": WITH, "b": WITHOUT}, {"baseline": "b", "margin": -1}, "margin"),
        ({"a": WITH, "b": WITHOUT}, {"baseline": "b", "margin": 2}, "5 points of 100 are 0.05"),
        ({"a": WITH, "b": WITHOUT}, {"baseline": "b", "confidence": 1}, "confidence"),
    ],
)
def test_what_is_refused(arms, options, words):
    with pytest.raises((OutcomeError, ParameterError), match=words):
        analyze_arms(arms, **options)


@pytest.mark.parametrize(("tasks", "runs"), [(1, 3), (1, 4), (1, 5), (1, 10), (2, 2), (2, 3)])
def test_equal_arms_are_seldom_called_different_whatever_the_rates_are(tasks, runs):
    """By enumeration of all outcomes, for rates on a grid."""
    cells = list(itertools.product(range(runs + 1), repeat=2))
    rates = np.linspace(0.02, 0.98, 13)
    ways = np.array([comb(runs, k) for k in range(runs + 1)])
    law = ways * rates[:, None] ** np.arange(runs + 1) * (1 - rates[:, None]) ** (runs - np.arange(runs + 1))
    joint = np.array([[p[a] * p[b] for a, b in cells] for p in law])  # (rates, cells)
    known, called = {}, np.zeros((len(cells),) * tasks)
    for place in itertools.product(range(len(cells)), repeat=tasks):
        pairs = tuple(sorted(cells[i] for i in place))
        if pairs not in known:
            one, other = zip(*pairs, strict=True)
            known[pairs] = compare("pass@1", counted(one, runs), counted(other, runs)).winner is not None
        called[place] = known[pairs]
    false = joint @ called if tasks == 1 else joint @ called @ joint.T
    assert false.max() < 0.063


@pytest.mark.simulation
def test_helps_hardly_ever_turns_into_hurts_where_nothing_changed():
    rng, known = np.random.default_rng(5), {}

    def verdict(p):
        one, other = rng.binomial(3, p), rng.binomial(3, p)
        key = tuple(sorted(zip(one.tolist(), other.tolist(), strict=True)))
        if key not in known:
            found = compare("pass@1", counted(one, 3), counted(other, 3))
            known[key] = 0 if found.winner is None else 1 if found.difference > 0 else -1
        return known[key]

    rates = [rng.beta(0.8, 0.8, rng.integers(1, 7)) for _ in range(63 * 40)]
    verdicts = np.array([[verdict(p), verdict(p)] for p in rates])
    moved = verdicts[:, 0] != verdicts[:, 1]
    assert moved.mean() < 0.1
    assert (verdicts.prod(axis=1) < 0).mean() < 0.002
