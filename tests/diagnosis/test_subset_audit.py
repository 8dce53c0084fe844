"""``audit_subset``: errors by hand, a p-value that is valid, and subsets that were chosen on the models."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, audit_subset, choose_questions
from scorio.errors import OutcomeError, ParameterError


def models(rng, count=6, questions=80, trials=4):
    difficulty = 2 * rng.normal(size=questions)
    rates = 1 / (1 + np.exp(difficulty - rng.normal(size=(count, 1)) - 0.8 * rng.normal(size=(count, questions))))
    return rng.binomial(trials, rates) / trials


def as_set(values, trials=4):
    counts = np.rint(values * trials).astype(int)
    return OutcomeSet({f"m{i}": OutcomeMatrix.from_counts(each, trials) for i, each in enumerate(counts)})


def test_errors_and_ranks_by_hand():
    values = models(np.random.default_rng(1))
    ids = list(range(0, 80, 4))
    audit = audit_subset(as_set(values), ids)
    full, part = values.mean(axis=1), values[:, ids].mean(axis=1)
    assert [each.error for each in audit.scores] == pytest.approx(part - full)
    left = [(part - full)[i] - np.delete(part - full, i).mean() for i in range(6)]
    assert [each.left_out_error for each in audit.scores] == pytest.approx(left)
    assert audit.rms_error == pytest.approx(np.sqrt(np.mean((part - full) ** 2)))
    pairs = [(i, j) for i in range(6) for j in range(i)]
    swapped = sum(abs(np.sign(full[i] - full[j]) - np.sign(round(part[i] - part[j], 12))) / 2 for i, j in pairs)
    assert (audit.swapped, audit.pairs) == (swapped, 15)
    assert audit.max_drop > audit.full_max_drop > 0
    assert audit.to_dict()["p_chosen"] == audit.p_chosen
    assert "m5" in audit._display_table().text()


def test_a_subset_that_carries_no_gate_says_so():
    few = as_set(models(np.random.default_rng(3), count=3, questions=6, trials=1), trials=1)
    audit = audit_subset(few, [0, 3], draws=99)
    assert audit.max_drop == np.inf
    assert audit.to_dict()["max_drop"] is None
    assert "carries no gate;" in str(audit)
    assert "the subset carries no gate" in audit._display_table().text()
    assert "inf" not in str(audit)


@pytest.mark.parametrize("ids", [[0, 4, 4, 8], [0, 4, "4", 8]])
def test_a_question_that_is_named_twice_is_refused(ids):
    with pytest.raises(ParameterError, match="names questions more than once: '4'"):
        audit_subset(as_set(models(np.random.default_rng(1))), ids)


def closest(values, n, rng, tries=4000):
    """Of many random subsets, the one that fits these models best."""
    each = np.argsort(rng.random((tries, values.shape[1])), axis=1)[:, :n]
    errors = values[:, each].mean(axis=2) - values.mean(axis=1)[:, None]
    return each[np.argmin((errors**2).sum(axis=0))]


def test_a_subset_that_was_chosen_on_the_models_is_found_and_others_are_not():
    """Power of at least .9 over 20 worlds; false calls of .05 give more than 5 of 40 with probability .014."""
    rng = np.random.default_rng(2)
    found, false = 0, 0
    for world in range(20):
        values = models(rng)
        past, new = as_set(values[:3]), as_set(values[3:])
        found += audit_subset(new, closest(values[3:], 20, rng), draws=199, rng=world).is_chosen
        false += audit_subset(new, rng.permutation(80)[:20], draws=199, rng=world).is_chosen
        false += audit_subset(new, choose_questions(past, 20, rng=rng), draws=199, rng=world).is_chosen
    assert found >= 18
    assert false <= 5


def test_models_that_the_subset_was_chosen_on_are_left_out():
    values = models(np.random.default_rng(3))
    audit = audit_subset(as_set(values), range(20), chosen_on=["m0", "m1"])
    assert [each.model for each in audit.scores] == ["m2", "m3", "m4", "m5"]


def test_an_easy_subset_is_no_random_draw():
    values = models(np.random.default_rng(4))
    easy = np.argsort(-values.mean(axis=0))[:20]
    audit = audit_subset(as_set(values), easy)
    assert audit.p_random < 0.01
    assert "random draw" in audit.verdict or audit.is_chosen


def test_errors():
    values = models(np.random.default_rng(5))
    with pytest.raises(ParameterError, match="that the outcomes lack: 80"):
        audit_subset(as_set(values), [1, 2, 80])
    with pytest.raises(ParameterError, match="not all of the 80 questions"):
        audit_subset(as_set(values), range(80))
    with pytest.raises(OutcomeError, match="at least 2 are needed"):
        audit_subset(as_set(values[:1]), range(9))
    with pytest.raises(ParameterError, match="unknown model"):
        audit_subset(as_set(values), range(9), chosen_on=["x"])
