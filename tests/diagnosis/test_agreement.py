"""Models with equal outcomes, and models that fail where others succeed, are found where the data show it."""

import time

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, diagnose

QUESTIONS = 150


def bank(rng, models=4, questions=QUESTIONS, trials=4):
    """Outcomes of models that share the difficulties of questions, (models, questions, trials)."""
    logits = rng.normal(0, 0.8, (models, 1)) + rng.normal(0, 2, questions) + rng.normal(0, 0.9, (models, questions))
    return rng.binomial(1, 1 / (1 + np.exp(-logits))[..., None], (models, questions, trials))


def named(outcomes):
    return {f"m{i}": each for i, each in enumerate(outcomes)}


def kinds(outcomes, **options):
    found = diagnose(OutcomeSet(outcomes, **options) if options else outcomes).findings
    return {each.kind for each in found}


@pytest.mark.parametrize("seed", range(3))
def test_a_sound_bank_is_sound(seed):
    assert kinds(named(bank(np.random.default_rng(seed)))) <= {"trials differ"}


def test_nothing_is_said_of_trials_that_few_questions_could_show():
    outcomes = bank(np.random.default_rng(3), questions=8)
    outcomes[0] = outcomes[0, :, :1]
    assert kinds(named(outcomes)) == set()


@pytest.mark.parametrize("as_counts", [False, True])
def test_models_with_the_same_outcomes_are_found_together(as_counts):
    outcomes = bank(np.random.default_rng(5), models=5)
    outcomes[2] = outcomes[4] = outcomes[0]
    models = named(outcomes)
    if as_counts:
        models = {name: OutcomeMatrix(each) for name, each in models.items()}
    [finding] = [each for each in diagnose(models).findings if each.kind == "copied model"]
    assert finding.models == ("m0", "m2", "m4")
    assert "m0, m2 and 1 more model have the same outcomes on every question" in finding.what
    assert diagnose(models | {"m2": np.roll(outcomes[2], 1, axis=0)}).finding("copied model").models == ("m0", "m4")


@pytest.mark.slow
def test_a_hundred_models_take_seconds():
    outcomes = bank(np.random.default_rng(6), models=100, questions=200, trials=8)
    start = time.process_time()
    diagnose(named(outcomes))
    assert time.process_time() - start < 6.0  # 1 on most machines


def test_the_same_model_twice_is_no_copy():
    rng = np.random.default_rng(6)
    rates = rng.beta(0.3, 0.3, 300)
    assert kinds({name: rng.binomial(1, rates[:, None], (300, 4)) for name in "ab"}) <= {"trials differ"}


def test_single_trials_that_are_equal_are_found():
    outcomes = bank(np.random.default_rng(7), trials=1)
    outcomes[1] = outcomes[0]
    assert diagnose(named(outcomes)).finding("copied model").models == ("m0", "m1")


def test_adaptive_trials_are_not_called_copies():
    rng = np.random.default_rng(8)
    first = rng.binomial(1, 0.5, 80)
    stopped = OutcomeMatrix([[one] * (2 if one else 4) for one in first.tolist()]).as_adaptive()
    assert kinds({"a": stopped}) == set()


@pytest.mark.parametrize(("models", "named_models"), [(4, ("m0",)), (2, ("m0", "m1"))])
def test_inverted_outcomes_are_found(models, named_models):
    outcomes = bank(np.random.default_rng(11), models=models)
    outcomes[0] = 1 - outcomes[0]
    finding = diagnose(named(outcomes)).finding("inverted outcomes")
    assert finding.models == named_models


def test_a_model_that_is_sure_of_its_answers_is_not_inverted():
    rng = np.random.default_rng(17)
    for _ in range(10):
        outcomes = bank(rng, questions=400)
        outcomes[0] = outcomes[0, :, :1]
        assert kinds(named(outcomes)) - {"trials differ"} == {"trials alike"}
        one_trial = {f"m{i}": each[:, : 1 if i == 0 else 4] for i, each in enumerate(bank(rng, questions=400))}
        assert kinds(one_trial) <= {"trials differ"}


def test_a_model_that_solves_what_others_fail_is_not_inverted():
    rng = np.random.default_rng(16)
    outcomes = bank(rng, questions=600)
    outcomes[0] = np.maximum(outcomes[0], rng.random(outcomes[0].shape) < 0.9)
    assert "inverted outcomes" not in kinds(named(outcomes))


def test_clusters_count_once():
    rng = np.random.default_rng(13)
    rates = np.repeat([[0.1, 0.9, 0.2, 0.8], [0.9, 0.1, 0.8, 0.2]], 50, axis=1)
    outcomes = named(rng.binomial(1, rates[..., None], (2, 200, 3)))
    assert "inverted outcomes" in kinds(outcomes)
    assert kinds(outcomes, clusters=[i // 50 for i in range(200)]) <= {"trials differ"}


def test_independent_models_agree_about_nothing():
    rng = np.random.default_rng(14)
    assert kinds(named(rng.binomial(1, rng.random((5, 200, 1)), (5, 200, 3)))) <= {"trials differ"}
