"""``choose_questions`` and the score on all questions from its sample: exact by enumeration of every sample."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import scorio.judging._estimate as estimating
from scorio import AvgMetric, OutcomeMatrix, OutcomeSet, choose_questions
from scorio.errors import OutcomeError, ParameterError
from scorio.judging import QuestionSample, estimate_models, read_question_sample

pytestmark = pytest.mark.filterwarnings("ignore::scorio.errors.LabelsWarning")


def made(stratum, drawn, rate):
    """A sample by hand."""
    names = tuple(f"q{i}" for i in range(len(stratum)))
    return QuestionSample(names, tuple(drawn), tuple(stratum), tuple(rate), "avg", 0, ())


def every_sample(stratum, sizes, rate):
    """All samples with these numbers of questions of each stratum."""
    parts = [combinations(np.flatnonzero(np.array(stratum) == h).tolist(), n) for h, n in enumerate(sizes)]
    for chosen in product(*parts):
        inside = set().union(*map(set, chosen))
        yield made(stratum, [i in inside for i in range(len(stratum))], rate)


STRATUM, SIZES = (0, 0, 0, 0, 1, 1, 1, 2, 2), (2, 2, 2)
RATE = (0.1, 0.3, 0.2, 0.0, 0.55, 0.6, 0.4, 0.9, 1.0)
COUNTS = np.array([0, 3, 1, 4, 2, 0, 4, 4, 1])


def outcomes_of(sample, counts=COUNTS):
    return OutcomeMatrix.from_counts(counts[sample.places()], 4, questions=sample.questions)


@pytest.mark.parametrize("lam", [0.0, 1.0, 0.37])
def test_the_score_and_its_variance_are_unbiased_over_all_samples(lam, monkeypatch):
    """The mean over all samples is the score on all questions; that of the variance is the variance over samples."""
    monkeypatch.setattr(estimating, "FEW_DISAGREEMENTS", 0)  # no variance is added for what was not seen
    found = [
        estimating.estimate(estimating.asked_units(AvgMetric(), outcomes_of(each), each), lam, "questions")
        for each in every_sample(STRATUM, SIZES, RATE)
    ]
    truth = Fraction(int(COUNTS.sum()), 4 * len(COUNTS))
    assert np.mean([each.mu for each in found]) == pytest.approx(float(truth), abs=1e-14)
    rates = COUNTS / 4
    noise = np.mean(rates * (1 - rates) / 3) / len(COUNTS)  # of the trials of these questions, unbiased
    variance = np.var([each.mu for each in found])
    assert np.mean([each.sigma**2 for each in found]) == pytest.approx(variance + noise, rel=1e-12)


def test_what_is_too_rare_to_be_seen_lies_on_one_side():
    """With few successes the upper end reaches further, with few failures the lower one, and by as much."""
    models = history(questions=200)
    sample, solved = choose_questions(models, 40), np.zeros(200, int)
    solved[sample.places()[[3, 20, 30]]] = 4
    rate = np.full(200, 0.3)
    ends = []
    for counts, predicted in ((solved, rate), (4 - solved, 1 - rate)):
        found = estimated("avg", outcomes_of_all(counts), replace(sample, rate=tuple(predicted)))
        ends.append((found.hi - found.mu, found.mu - found.lo))
    assert ends[0][0] > 1.05 * ends[0][1]
    assert ends[1] == pytest.approx(ends[0][::-1])


def outcomes_of_all(counts):
    return OutcomeMatrix.from_counts(counts, 4)


def test_an_estimated_weight_of_the_predictions_keeps_the_score_unbiased(monkeypatch):
    monkeypatch.setattr(estimating, "MANY", 2)
    found = [estimated("avg", outcomes_of(each), each) for each in every_sample(STRATUM, SIZES, RATE)]
    assert len({round(each.lam, 9) for each in found}) > 10
    assert np.mean([each.mu for each in found]) == pytest.approx(COUNTS.mean() / 4, abs=1e-13)


def test_a_difference_of_two_models_is_unbiased_over_all_samples():
    other = COUNTS[::-1].copy()
    found = [
        difference_of(estimate_models("avg", {"one": outcomes_of(each), "other": outcomes_of(each, other)}, each))
        for each in every_sample(STRATUM, SIZES, RATE)
    ]
    assert np.mean([sign * each.mu for sign, each in found]) == pytest.approx(
        (COUNTS.mean() - other.mean()) / 4, abs=1e-14
    )
    assert "asked" in str(found[0][1])
    assert "predictions" not in str(found[0][1])


def estimated(metric, outcomes, sample, **options):
    return estimate_models(metric, {"one": outcomes}, sample, **options).rows[0].score


def difference_of(estimates):
    """The only difference, of the better model, with the sign of that of "one" less "other"."""
    [pair] = estimates.pairs
    return (1 if pair.first == "one" else -1), pair.difference


def test_all_questions_leave_only_the_noise_of_trials():
    sample = made(STRATUM, [True] * 9, RATE)
    found = estimated("avg", outcomes_of(sample), sample)
    rates = COUNTS / 4
    assert found.mu == pytest.approx(rates.mean())
    assert found.sigma**2 == pytest.approx(np.mean(rates * (1 - rates) / 3) / 9)


def history(models=5, questions=60, seed=0, names=None):
    rng = np.random.default_rng(seed)
    rates = 1 / (1 + np.exp(2 * rng.normal(size=questions) - rng.normal(size=(models, 1))))
    counts = rng.binomial(4, rates)
    return OutcomeSet({f"m{i}": OutcomeMatrix.from_counts(each, 4, questions=names) for i, each in enumerate(counts)})


@pytest.mark.parametrize("n", [2, 9, 30, 59, 60])
def test_every_question_has_a_chance_and_every_stratum_two_questions(n):
    sample = choose_questions(history(), n)
    assert sum(sample.is_drawn) == len(sample.questions) == n
    assert (sample.chances > 0).all()
    assert sample.chances.sum() == pytest.approx(n)
    sizes, drawn = np.bincount(sample.stratum), np.bincount(sample.stratum, sample.is_drawn)
    assert (drawn >= np.minimum(sizes, 2)).all()
    assert sample == choose_questions(history(), n)


def test_questions_are_drawn_as_often_as_their_probabilities_say():
    models, rng = history(), np.random.default_rng(1)
    first = choose_questions(models, 20)
    drawn = np.mean([choose_questions(models, 20, rng=rng).is_drawn for _ in range(200)], axis=0)
    assert abs((drawn - first.chances) / np.sqrt(first.chances * (1 - first.chances) / 200)).max() < 4.2


def test_equal_models_get_one_probability():
    same = OutcomeSet({"a": [[0], [1]] * 20, "b": [[0], [1]] * 20})
    assert set(choose_questions(same, 10).probabilities.values()) == {0.25}


def test_the_file_says_how_the_sample_was_drawn(tmp_path):
    names = [f"q,{i}" for i in range(60)]
    sample = choose_questions(history(names=names), 20, rng=3)
    path = tmp_path / "sample.csv"
    sample.write(path)
    assert read_question_sample(path) == sample
    text = path.read_text()
    assert all(word in text for word in ("pass@1", "m4", "probability", "stratum", "seed"))
    with pytest.raises(OutcomeError, match="exists already"):
        sample.write(path)


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "sample.csv"
    choose_questions(history(), 20).write(path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-4]) + "\n")
    with pytest.raises(OutcomeError, match="rows were removed or changed"):
        read_question_sample(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(OutcomeError, match="no sample of questions"):
        read_question_sample(path)
    with pytest.raises(ParameterError, match=r"must end with \.csv"):
        choose_questions(history(), 20).write(tmp_path / "sample.txt")


def test_a_question_that_was_not_asked_is_an_error():
    sample = made(STRATUM, [i not in (1, 5) for i in range(9)], RATE)
    asked = OutcomeMatrix.from_counts([1] * 6, 4, questions=sample.questions[:-1])
    with pytest.raises(OutcomeError, match="lacks questions of the sample: 'q8'"):
        estimated("avg", asked, sample)


def test_errors():
    with pytest.raises(OutcomeError, match="one model"):
        choose_questions({"a": [[0], [1]]}, 2)
    with pytest.raises(ParameterError, match="between 2 and the 60 questions"):
        choose_questions(history(), 61)


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("of", ["score", "difference"])
def test_intervals_contain_the_truth(of, target):
    """Coverage of scores and differences of models that are not in the history; Monte Carlo error .011."""
    rng, runs, hits = np.random.default_rng([4, len(of), len(target)]), 400, 0
    sample = None
    for run in range(runs):
        if run % 20 == 0 or target == "population":
            difficulty = 2 * rng.normal(size=200)
            rates = 1 / (1 + np.exp(difficulty - rng.normal(size=(8, 1)) - 0.5 * rng.normal(size=(8, 200))))
            if target == "population":
                rates[:2] = 1 / (1 + np.exp(difficulty - np.array([[0.3], [-0.3]])))
            counts = rng.binomial(4, rates)
            past = OutcomeSet({f"m{i}": OutcomeMatrix.from_counts(each, 4) for i, each in enumerate(counts[2:])})
        sample = choose_questions(past, 40, rng=rng)
        one, other = (OutcomeMatrix.from_counts(rng.binomial(2, each), 2) for each in rates[:2])
        if of == "score":
            sign, found = 1, estimated("pass@1", one, sample, target=target)
        else:
            sign, found = difference_of(estimate_models("pass@1", {"one": one, "other": other}, sample, target=target))
        truth = rates[0].mean() - (0 if of == "score" else rates[1].mean())
        if target == "population":
            nodes, weights = np.polynomial.hermite_e.hermegauss(80)
            means = [np.sum(weights / (1 + np.exp(2 * nodes - a))) / weights.sum() for a in (0.3, -0.3)]
            truth = means[0] - (0 if of == "score" else means[1])
        hits += found.lo <= sign * truth <= found.hi
    assert 0.93 - 3 * 0.011 < hits / runs < 0.97 + 3 * 0.011
