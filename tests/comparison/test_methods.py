"""The paragraph for a paper: every sentence depends on what was done, and every reference is right."""

import re

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeMatrix, PassAtK, compare
from scorio.judging import measure_agreement


def outcomes(level, questions=20, trials=4):
    return np.random.default_rng(questions).binomial(1, level, (questions, trials))


A, B = outcomes(0.8), outcomes(0.4, 20)


def text(*arguments, **options):
    return compare("pass@1", *(arguments or (A, B)), **options).to_methods().text


@pytest.mark.parametrize(
    ("options", "said", "unsaid"),
    [
        ({}, ["is for these questions", "learned from", "excludes zero (error 5%", "zou2008"], ["t test"]),
        ({"target": "population"}, ["paired t test with 20 degrees of freedom, of which one"], ["learned", "zou2008"]),
        ({"target": "population", "paired": False}, ["each model on its own", "zou2008"], ["t test", "paired by"]),
        ({"prior": "jeffreys"}, ["had the prior", "hariri2025dont"], ["learned"]),
        ({"shape": "normal"}, ["the normal intervals", "zou2008"], ["quantile"]),
        ({"rule": "published"}, ["one-sided probability", "hariri2025dont"], ["excludes zero"]),
        ({"confidence": 0.9}, ["90% interval", "error 10%"], ["95%"]),
        ({"looks": Looks(trials=8)}, ["valid at every look"], ["error 5% if the models are equal)"]),
    ],
)
def test_the_sentences_are_about_what_was_done(options, said, unsaid):
    paragraph = text(**options)
    assert all(each in paragraph for each in [*said, "20 questions, 4 trials each", "[@chen2021evaluating]"]), paragraph
    assert not any(each in paragraph for each in unsaid), paragraph


def test_single_trials_and_continuous_rewards():
    assert "McNemar's exact test" in text(A[:, :1], B[:, :1])
    assert "McNemar" not in text()
    rewards = [
        OutcomeMatrix.from_rewards(np.random.default_rng(i).uniform(size=(20, 3))).as_continuous() for i in (1, 2)
    ]
    said = compare("avg", *rewards).to_methods().text
    assert "continuous rewards" in said
    assert "prior" not in said


def test_references_are_cited_once_and_all_of_them():
    methods = Leaderboard(["pass@1", "max@2"], {"a": A, "b": B}).to_methods()
    cited = set(re.findall(r"@(\w+)", methods.text)) - {"1", "2"}
    assert cited == set(methods.references) == set(re.findall(r"^@\w+\{(\w+),", methods.bibtex, re.MULTILINE))
    assert methods.bibtex in str(methods)
    assert methods.to_dict()["bibtex"] == methods.bibtex


def test_an_interval_says_what_it_is_and_what_it_rests_on():
    said = PassAtK(4).interval(A).to_methods()
    assert "95% interval for these questions, their difficulties learned from these. The prior" in said.text
    assert "hariri2025dont" in PassAtK(8).interval(A, prior="jeffreys").to_methods().references
    assert "prior" not in measure_agreement([1] * 25 + [0] * 25, [1] * 20 + [0] * 30).kappa.to_methods().text


def test_an_own_metric_has_no_reference():
    assert Leaderboard("spectrum@2:w=.5,.5", {"a": A}).to_methods().references == ()
