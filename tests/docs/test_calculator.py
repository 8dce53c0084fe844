"""The calculator of the documentation, in a real browser: its numbers are those of Python."""

import json
import re
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from helpers import browser
from scorio import Design, OutcomeMatrix, PassAtK
from scorio.errors import TrialsWarning

PAGE = Path(__file__).parents[2] / "docs" / "calculator.html"
SAME = {"abs": 1e-6, "rel": 1e-6, "nan_ok": True}


def test_the_page_loads_nothing():
    text = PAGE.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", text)
    linked = set(re.findall(r'href="([\w-]+)\.html"', text))
    assert linked == {"index", "how-many-trials", "intervals"}
    for page in ("index", "how-many-trials"):
        assert 'href="calculator.html"' in (PAGE.parent / f"{page}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page():
    with browser.Browser() as opened:
        opened.open(PAGE)
        yield opened


def designs():
    """Every profile, target and pairing, with trials, metrics, sizes and levels that alternate."""
    shapes = product(("typical", "hard", "two-sided"), ("questions", "population"), (True, False))
    scales = ((200, 4, "pass", 1, 0.7), (60, 1, "pass", 1, -0.2), (25, 8, "pass", 4, 0.9), (1000, 5, "all", 3, 0.5),
              (2, 2, "pass", 2, 0.7), (100000, 12, "all", 2, 1.0))  # fmt: skip
    for i, (profile, target, paired) in enumerate(shapes):
        for j, (questions, trials, metric, k, correlation) in enumerate(scales):
            about = {"questions": questions, "trials": trials, "metric": metric, "k": k, "correlation": correlation}
            if (i + j) % 4:
                continue
            level = (0.95, 0.8, 0.99)[(i + j) // 4 % 3]
            yield about | {"profile": profile, "target": target, "paired": paired, "confidence": level}


@pytest.mark.slow
@browser.needed
def test_plans_are_those_of_design(page):
    """Detectable differences, power, standard errors and numbers of questions, for 18 designs."""
    asked, goal, gap = list(designs()), 0.8, 0.03
    found = page.run(f"""return {json.dumps(asked)}.map(each => {{ const design = designOf(each); return [
        detectable(design, {goal}), powerAt(design, {gap}), questionsFor(design, {gap}, {goal}),
        sigmaOfOne(design, {gap}) / Math.sqrt(each.questions)] }})""")
    for about, (least, power, questions, sigma) in zip(asked, found, strict=True):
        metric = f"pass{'@' if about['metric'] == 'pass' else '^'}{about['k']}"
        names = ("profile", "correlation", "target", "paired", "confidence")
        design = Design(about["questions"], about["trials"], metric, **{name: about[name] for name in names})
        expected = design.detectable(goal), design.power(gap), design.sigma(gap)
        assert (np.nan if least is None else least, power, sigma) == pytest.approx(expected, **SAME), about
        assert questions == design.questions_for(gap, goal), about


def sets():
    """Counts of 2 to 500 questions with 1 to 64 trials, as many of each question or not, of several kinds of rates."""
    rng = np.random.default_rng(1)
    for questions, least, most, alpha, beta in ((10, 4, 4, 0.8, 0.6), (50, 8, 8, 0.3, 2.0), (500, 64, 64, 0.8, 0.6),
            (200, 1, 1, 2.0, 1.0), (60, 1, 16, 0.8, 0.6), (200, 4, 32, 1.0, 1.0), (500, 8, 8, 0.1, 0.1)):  # fmt: skip
        trials = rng.integers(least, most + 1, questions)
        yield np.stack([rng.binomial(trials, rng.beta(alpha, beta, questions)), trials], axis=1).tolist()
    for rates, trials in (((0.3, 0.7), 16), ((0.05, 0.5, 1.0), 8), ((0.5,), 6)):
        yield [[int(rng.binomial(trials, rate)), trials] for rate in rates for _ in range(40)]
    dependent = [[int(rng.binomial(n, n / 18)), int(n)] for n in rng.integers(4, 17, 100)]
    stopped = [[hits, hits * n] for n in (1, 2, 3, 5) for hits in [2] * 10]
    yield from (dependent, stopped, [[c, 8] for c in (8, 7, 0, 3, 8, 0, 1, 8, 5, 8)], [[10, 64], [60, 64]])
    yield from ([[0, 8]] * 50, [[5, 5]] * 7, [[1, 8]] * 2 + [[0, 8]] * 60, [[8, 8]] * 20 + [[0, 8]] * 20)


@browser.needed
@pytest.mark.parametrize(("confidence", "near"), [(0.8, 0.001), (0.95, 0.001), (0.999, 0.005)])
def test_intervals_are_those_of_python(page, confidence, near):
    """The default and the binomial interval, and the score."""
    asked = [(counts, k) for counts in sets() for k in (1, 4) if k <= min(n for _, n in counts)]
    assert len(asked) > 30
    found = page.run(f"""return {json.dumps(asked)}.map(([counts, k]) => [learnedInterval(statesOf(counts), k,
        {confidence}), binomialInterval(counts, {confidence}), scoreOf(statesOf(counts), k).mean])""")
    names = ("mu", "sigma", "lo", "hi")
    for (counts, k), (learned, sure, score) in zip(asked, found, strict=True):
        outcomes = OutcomeMatrix.from_counts(*np.array(counts).T)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrialsWarning)
            interval = PassAtK(k).interval(outcomes, confidence)
        assert [learned[name] for name in names] == pytest.approx(list(interval), abs=near), (counts, k)
        assert score == pytest.approx(PassAtK(k).score(outcomes), **SAME)
        assert (sure is None) == (outcomes.min_trials < outcomes.max_trials)
        if sure is not None:
            interval = PassAtK(1).interval(outcomes, confidence, shape="binomial")
            assert [sure[name] for name in names] == pytest.approx(list(interval), **SAME)


SHOW = """const form = document.getElementById(FORM); for (const [name, value] of Object.entries(VALUES))
    form.elements[name].value = value; refresh(FORM + "-answer", FORM === "power" ? showPower : showInterval);
    return document.getElementById(FORM + "-answer").innerText"""


def shown(page, form, **values):
    """What the page says when the fields of a form have these values."""
    return page.run(SHOW.replace("FORM", json.dumps(form)).replace("VALUES", json.dumps(values)))


@browser.needed
def test_what_the_page_says(page):
    design = Design(200, 4, "pass@2", target="population")
    told = shown(page, "power", questions=200, trials=4, k=2, target="population", difference=0.05)
    assert f"A difference of {design.detectable():.3f} in Pass@2 is detected with power 0.8 for questions" in told
    assert f"{design.questions_for(0.05):,}" in told
    assert "no model can be better by more than" in shown(page, "power", difference=0.9)
    assert "k should be a whole number from 1 to 4" in shown(page, "power", k=5)
    shown(page, "power", k=1, difference=0.03)
    told = shown(page, "interval", outcomes="8 8\n" * 20 + "0/8\n" * 20, k=4)
    interval = PassAtK(4).interval(OutcomeMatrix.from_counts([8] * 20 + [0] * 20, 8))
    assert f"95% interval for these questions is {interval.lo:.3f} to {interval.hi:.3f}" in told
    assert "PassAtK(4).interval(R)" in told
    assert 'PassAtK(1).interval(R, shape="binomial")' in shown(page, "interval", outcomes="1 3\n2 3", k=1)
    assert "binomial" not in shown(page, "interval", outcomes="1 3\n2 4")
    assert "rests on a guess" in shown(page, "interval", outcomes="1 1\n0 1")
    assert "needs the package" in shown(page, "interval", outcomes="1 3\n2 4000")
    same = [shown(page, "interval", kind=kind, outcomes=text) for kind, text in
            (("trials", "0 1 1\n1,1,1"), ("counts", "2 3\n3 3"))]  # fmt: skip
    assert same[0] == same[1]
    wrongs = {"1 2 3": "two numbers", "5 3": "from 0 to the number", "a b": "whole numbers", "": "Paste"}
    for wrong, message in wrongs.items():
        assert message in shown(page, "interval", outcomes=wrong)
    assert "Pass@4 needs 4 trials" in shown(page, "interval", outcomes="1 3", k=4)


@browser.needed
@pytest.mark.parametrize("width", [390, 1300])
def test_the_page_fits_the_screen(page, width):
    page.size(width, 900)
    assert page.run("return document.documentElement.scrollWidth") <= width
