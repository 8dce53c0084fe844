"""``estimate_with_judge``: exact formulas, all samples of labels, and simulated judges with known truth."""

import pickle

import numpy as np
import pytest
from scipy import stats

from helpers.judged_worlds import judged_world, some
from scorio import OutcomeMatrix, RewardMatrix, estimate_with_judge
from scorio._base.special import stdtrit
from scorio.errors import LabelsWarning, OutcomeError, ParameterError
from scorio.judging import judge_models
from scorio.metrics import PassAtK

HUMAN = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]])
JUDGE = np.array([[1, 1, 1], [0, 1, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1]])
TWO = some(HUMAN, [0, 1])


def test_the_interval_is_students():
    rng = np.random.default_rng(5)
    human, judge, _ = judged_world(rng, 80, 4)
    found = estimate_with_judge("pass@2", OutcomeMatrix(judge), some(human, np.arange(30)), confidence=0.9)
    reach = stdtrit(29, 0.95) * found.sigma
    assert tuple(found) == pytest.approx((found.mu, found.sigma, found.mu - reach, found.mu + reach))
    assert (found.n_labelled, found.n_questions, found.degrees, found.lam) == (30, 80, 29, 1.0)
    assert found.predicted == pytest.approx(PassAtK(2).score(judge))
    assert found.labels_alone.mu == pytest.approx(PassAtK(2).score(human[:30]))
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found)).labels_alone == found.labels_alone
    assert "prior" not in found.to_dict()


def test_all_labels_leave_the_noise_of_trials():
    """With one draw per trial, the variance is that of the mean of independent coins."""
    rng = np.random.default_rng(6)
    human, judge, _ = judged_world(rng, 50, 6)
    found = estimate_with_judge("pass@1", OutcomeMatrix(judge), OutcomeMatrix(human))
    p = human.mean(axis=1)
    assert found.mu == pytest.approx(p.mean())
    assert found.sigma**2 == pytest.approx(np.sum(p * (1 - p) / 5) / 50**2)


def test_labels_match_by_name_in_any_order():
    rng = np.random.default_rng(7)
    human, judge, _ = judged_world(rng, 40, 3)
    names = [f"q{i}" for i in range(40)]
    place = rng.permutation(40)[:25]
    judged = OutcomeMatrix(judge, questions=names)
    by_name = estimate_with_judge("pass@2", judged, {names[i]: human[i].tolist() for i in place})
    rows = [human[i].tolist() if i in place else [None] * 3 for i in range(40)]
    by_place = estimate_with_judge("pass@2", OutcomeMatrix(judge), OutcomeMatrix(rows, missing="omit"))
    assert tuple(by_name) == pytest.approx(tuple(by_place))


def test_a_difference_is_that_of_the_values():
    rng = np.random.default_rng(8)
    rates = rng.random(60)
    (a, ja, _), (b, jb, _) = (judged_world(rng, 60, 4, rates=rates**power) for power in (1, 2))
    place = rng.choice(60, 30, replace=False)
    judged, human = {"a": ja, "b": jb}, {"a": some(a, place), "b": some(b, place[::-1])}
    [pair] = judge_models("pass@2", judged, human).pairs
    each = [estimate_with_judge("pass@2", judged[name], human[name]) for name in (pair.first, pair.second)]
    assert pair.difference.mu == pytest.approx(each[0].mu - each[1].mu)
    gaps = [PassAtK(2).per_question(h)[place] - PassAtK(2).per_question(j)[place] for h, j in ((a, ja), (b, jb))]
    assert pair.difference.sigma**2 > 0.5 * np.var(gaps[0] - gaps[1], ddof=1) / 30
    [same] = judge_models("pass@2", {"a": ja, "b": ja}, {"a": human["a"], "b": human["a"]}).pairs
    assert same.difference.mu == 0.0


def test_continuous_rewards():
    rng = np.random.default_rng(12)
    truth = rng.random((80, 3))
    judge = np.clip(truth + 0.05 + 0.05 * rng.normal(size=(80, 3)), 0, 1)
    place = np.arange(30)
    human = RewardMatrix(truth[place], questions=place.tolist())
    found = estimate_with_judge("avg", RewardMatrix(judge, support=(0, 1)), human)
    gaps = (truth - judge).mean(axis=1)[place]
    assert found.mu == pytest.approx(judge.mean() + gaps.mean())
    noise = np.mean(truth[place].var(axis=1, ddof=1) / 3) / 80
    assert found.sigma**2 == pytest.approx((1 - 30 / 80) * np.var(gaps, ddof=1) / 30 + noise)
    assert found.rewards == "continuous"
    assert tuple(estimate_with_judge("bayes", RewardMatrix(judge, support=(0, 1)), human)) == pytest.approx(
        tuple(found)
    )


def test_judge_and_people_may_use_different_rewards():
    judged = OutcomeMatrix.from_rewards([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]] * 20)
    human = OutcomeMatrix.from_rewards([[0.0, 0.5], [1.0, 0.5], [0.0, 0.0]] * 10)
    human = OutcomeMatrix.from_counts(human.counts, levels=human.levels, questions=range(30))
    assert estimate_with_judge("avg", judged, human).mu == pytest.approx(judged.counts[:, 1].mean() / 2 - 0.5 / 3)


@pytest.mark.parametrize(("k", "trials"), [(1, 8), (4, 8), (4, 4)])
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.filterwarnings("ignore::scorio.errors.LabelsWarning")
def test_coverage(k, trials, target):
    """95% intervals contain the truth, and are much narrower than those of the labels alone."""
    rng, runs = np.random.default_rng([13, k, trials]), 200
    population = 0.65 * (1 - 1 / (k + 1))
    hits, widths = 0, np.zeros(2)
    for _ in range(runs):
        human, judge, p = judged_world(rng, 200, trials)
        place = rng.choice(200, 50, replace=False)
        truth = float(np.mean(1 - (1 - p) ** k)) if target == "questions" else population
        found = estimate_with_judge(f"pass@{k}", OutcomeMatrix(judge), some(human, place), target=target)
        hits += found.lo <= truth <= found.hi
        widths += [found.hi - found.lo, found.labels_alone.hi - found.labels_alone.lo]
    error = np.sqrt(0.95 * 0.05 / runs)
    assert 0.95 - 3.5 * error < hits / runs < 0.995
    assert widths[0] < 0.9 * widths[1]


def test_a_biased_sample_is_seen():
    rng = np.random.default_rng(14)
    human, judge, p = judged_world(rng, 200, 4)
    judged = OutcomeMatrix(judge)
    with pytest.warns(LabelsWarning, match="do not look like a random sample"):
        estimate_with_judge("pass@1", judged, some(human, np.argsort(p)[:60]))
    with pytest.warns(LabelsWarning, match="12 labelled questions: the interval is rough"):
        estimate_with_judge("pass@1", judged, some(human, rng.choice(200, 12, replace=False)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate_with_judge("geomds@2", JUDGE, TWO), "not a mean over questions"),
        (lambda: estimate_with_judge("pass@1", JUDGE, HUMAN[:3]), "nothing says which is which"),
        (lambda: estimate_with_judge("pass@1", JUDGE, {9: [1, 1, 1], 0: [1, 1, 0]}), "that the other outcomes lack: 9"),
        (lambda: estimate_with_judge("pass@1", JUDGE, {0: [1, 1, 0]}), "covers 1 question; at least 2"),
        (
            lambda: estimate_with_judge("pass@1", JUDGE, some(HUMAN[:, :2], [0, 1])),
            "3 judged trials and 2 labels: label",
        ),
        (lambda: estimate_with_judge("pass@1", JUDGE, {0: [1], 1: [0]}), "1 label: every question has a single label"),
        (
            lambda: estimate_with_judge("pass@4", JUDGE, TWO),
            "judged: pass@4 needs 4 trials of every question, and the fewest is 3: choose a smaller k",
        ),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        call()


def test_labels_alone_cover_by_enumeration():
    """Twenty of a hundred questions, each always or never solved: the number of solved ones is hypergeometric."""
    trials, drawn = [1, 1, 1, 1], 20
    judged = [trials] * 100
    intervals = [
        estimate_with_judge("pass@1", judged, {i: trials if i < solved else [0] * 4 for i in range(drawn)}).labels_alone
        for solved in range(drawn + 1)
    ]
    for solved in range(4, 97, 4):
        chance = stats.hypergeom(100, solved, drawn).pmf(np.arange(drawn + 1))
        covered = sum(p * (each.lo <= solved / 100 <= each.hi) for p, each in zip(chance, intervals, strict=True))
        assert covered >= 0.90, solved
