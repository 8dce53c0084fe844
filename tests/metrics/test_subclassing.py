"""Subclasses: a credit, a rubric, and what is refused of them."""

import dataclasses

import numpy as np
import pytest

import scorio
from helpers.samples import A
from scorio import BayesMetric, CountMetric, GPassTau, MaxAtK, ParameterError, PassAtK, Rubric


@dataclasses.dataclass(frozen=True)
class AtLeast(CountMetric):
    hits: int = scorio.params.param(scorio.params.positive, default=2)

    def credit(self):
        return np.arange(self.k + 1) >= self.hits


def test_a_count_metric_needs_only_its_credit():
    metric = AtLeast(k=3)
    built_in = GPassTau(k=3, tau=0.5)
    assert metric.score(A) == pytest.approx(built_in.score(A), rel=1e-14)
    assert metric.interval(A)[:] == pytest.approx(built_in.interval(A)[:], rel=1e-13)
    assert metric.cov(PassAtK(5), A) == pytest.approx(built_in.cov(PassAtK(5), A), rel=1e-12)
    assert repr(metric) == "AtLeast(k=3, hits=2)"
    assert metric.curve(A)[0] == 0.0
    with pytest.raises(scorio.ParameterError, match="hits must be a positive number; got -1"):
        AtLeast(k=3, hits=-1)


@pytest.mark.parametrize("credit", [[0, 1], [0, 1, float("nan"), 1], "no", [[0, 1, 1, 1]]])
def test_a_credit_that_is_none(credit):
    class Wrong(CountMetric):
        def credit(self):
            return credit

    with pytest.raises(ValueError):
        Wrong(3).score(A)


class Efficient(Rubric):
    levels = {"wrong, long": 0.0, "wrong": 0.2, "correct, long": 0.75, "correct": 1.0}

    def classify(self, correct, token_ratio):
        return ("correct" if correct else "wrong") + (", long" if token_ratio > 1 else "")


class Vectorized(Efficient):
    vectorized = True

    def classify(self, correct, token_ratio):
        return np.char.add(np.where(correct, "correct", "wrong"), np.where(token_ratio > 1, ", long", ""))


@pytest.mark.parametrize("rubric", [Efficient(), Vectorized()], ids=repr)
def test_rubrics(rubric):
    correct, ratio = np.array([[1, 1, 0], [0, 1, 1]]), np.array([[0.5, 1.5, 2.0], [0.5, 1.0, 1.1]])
    R = rubric.outcomes(correct=correct, token_ratio=ratio)
    assert R == rubric.outcomes(correct, ratio)
    assert R.counts.tolist() == [[1, 0, 1, 1], [0, 1, 1, 1]]
    assert BayesMetric(rubric).interval(R)[:] == BayesMetric((0, 0.2, 0.75, 1)).interval(R)[:]
    assert MaxAtK(2, rubric).score(R) == MaxAtK(2, (0, 0.2, 0.75, 1)).score(R)
    assert BayesMetric(rubric) == BayesMetric(type(rubric)())
    assert eval(repr(BayesMetric(rubric)), {**vars(scorio), **globals()}) == BayesMetric(rubric)
    with pytest.raises(ValueError, match="unknown level 'maybe'"):
        rubric.encode([["correct", "maybe"]])


def test_a_rubric_needs_levels():
    with pytest.raises(ValueError, match="levels"):
        Rubric()


@pytest.mark.parametrize("levels", [{"a": 0, "b": "x"}, {"a": 0, "b": None}, {"a": 0}], ids=str)
def test_levels_have_finite_weights(levels):
    with pytest.raises(ParameterError, match="Odd.levels must have at least two names with a finite weight each"):
        type("Odd", (Rubric,), {"levels": levels})()
