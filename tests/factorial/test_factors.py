"""``analyze_factors``: which conditions are crossed, gaps, odd shapes, words, exports, and simulated coverage."""

import numpy as np
import pytest

from helpers.crossed import crossed, world
from scorio import OutcomeSet, RewardMatrix, analyze_factors
from scorio.errors import OutcomeError, ParameterError

RNG = np.random.default_rng(21)
_, TRIALS = world(RNG, (20, 2, 3, 2), 3, {(0,): 1.0, (1,): 0.7, (2,): 0.5})
TWO = crossed(TRIALS, ("prompt", "judge"))
CONDITIONS = {row: dict(each) for row, each in TWO.conditions.items()}


def without(outcomes, *rows):
    kept = {name: matrix for name, matrix in outcomes.items() if name not in rows}
    return OutcomeSet(kept, conditions={name: outcomes.conditions[name] for name in kept})


def test_all_conditions_that_differ_are_crossed():
    conditions = {row: {**each, "version": "2"} for row, each in CONDITIONS.items()}
    analysis = analyze_factors("pass@1", OutcomeSet(TWO, conditions=conditions))
    assert analysis.factors == ("prompt", "judge")
    assert analysis.levels["prompt"] == ("p0", "p1", "p2")
    assert analysis.extent == "2 models x 3 prompts x 2 judges, 20 questions, 3 trials each"
    assert analysis.random == ("prompt",)
    assert "judge has 2 levels, too few to say anything about levels like these" in analysis.notes


def test_a_factor_that_is_left_out_needs_pooling():
    with pytest.raises(OutcomeError, match="same model under the same levels; they differ in 'judge'") as error:
        analyze_factors("pass@1", TWO, "prompt")
    assert 'factors=["prompt", "judge"] crosses it' in str(error.value)


@pytest.mark.parametrize(
    ("outcomes", "options", "message"),
    [
        (TWO, {"factors": ["prmpt"]}, "factors has an unknown condition 'prmpt'. Did you mean 'prompt'"),
        (TWO, {"metric": "geomds@2"}, "is not a mean over questions"),
        (crossed(TRIALS[:1], ("prompt", "judge")), {}, "at least 2 questions"),
        (
            without(TWO, "m1 {'prompt': 'p2', 'judge': 'j0'}"),
            {},
            "1 cell without outcomes, 'model m1, prompt=p2, judge=j0'",
        ),
        (TWO, {"factors": ["prompt", "prompt"]}, "factors must be different names"),
        (TWO, {"random": "judge"}, "2 levels say nothing about levels like these, at least 3"),
        (TWO, {"random": ["model"]}, "unknown factor 'model'"),
        (OutcomeSet({"a": [[1, 0]], "b": [[1, 1]]}), {}, "nothing to cross"),
        ({"a": [[1, 0]]}, {}, 'nothing to cross: factors=\\["..."\\] keeps a column'),
        (without(TWO, *[row for row in TWO if "j1" in row]), {"factors": ["prompt", "judge"]}, "a single level, 'j0'"),
    ],
)
def test_what_cannot_be_analysed_says_why(outcomes, options, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        analyze_factors(**{"metric": "pass@1", "outcomes": outcomes} | options)


def test_questions_with_too_few_trials_are_named():
    ragged = {
        name: [list(row) for row in TRIALS[(slice(None), *index)]]
        for name, index in zip(TWO, np.ndindex(2, 3, 2), strict=True)
    }
    ragged[next(iter(TWO))][4] = [1]
    outcomes = OutcomeSet(ragged, conditions=CONDITIONS)
    assert analyze_factors("pass@1", outcomes).extent.endswith("1-3 trials each")
    with pytest.raises(OutcomeError, match=r"\(m0, p0, j0\) has fewer of question 4.*leave the question out"):
        analyze_factors("pass@2", outcomes)


def test_one_model_has_its_factors_analysed():
    analysis = analyze_factors("pass@1", crossed(TRIALS[:, :1], ("prompt", "judge")))
    assert [test.term for test in analysis.tests] == ["prompt", "judge", "prompt x judge"]
    assert analysis.verdicts == ()
    assert "model" not in " ".join(each.name for each in analysis.components)
    assert len(analysis.tables()) == 3


def test_continuous_rewards():
    rewards = np.random.default_rng(3).normal(size=(15, 2, 3, 4)) + np.array([0.0, 5.0])[:, None, None]
    rows = {f"m{i} {j}": rewards[:, i, j] for i in range(2) for j in range(3)}
    conditions = {f"m{i} {j}": {"model": f"m{i}", "seed": j} for i in range(2) for j in range(3)}
    outcomes = OutcomeSet({name: RewardMatrix(each) for name, each in rows.items()}, conditions=conditions)
    analysis = analyze_factors("avg", outcomes)
    assert analysis.best() == analysis.best(like=True) == ("m1",)
    assert analysis.components[-1].variance == pytest.approx(np.mean(rewards.var(axis=-1, ddof=1)) / 4)
    assert analysis.interaction("model", "seed").p_value > 0.001


def test_the_trial_component_is_the_variance_of_the_mean_of_trials():
    expected = np.mean(TRIALS.var(axis=-1, ddof=1)) / 3
    assert analyze_factors("pass@1", TWO).components[-1].variance == pytest.approx(expected)


def test_verdicts_say_who_is_best_and_what_depends_on_the_model():
    rates = np.array([[0.95, 0.5, 0.9], [0.1, 0.5, 0.2]])  # the second prompt hurts the first model and helps the other
    trials = (np.random.default_rng(5).random((60, 2, 3, 4)) < rates[None, :, :, None]).astype(int)
    analysis = analyze_factors("pass@1", crossed(trials))
    assert analysis.verdicts[0] == "over these prompts: m0 is the best model"
    assert analysis.verdicts[1] == "over prompts like these: m0, m1 are tied as the best model"
    assert analysis.verdicts[2] == (
        "the effect of prompt depends on the model (model x prompt: p <.001);"
        " the highest score is with p0 for m0, p1 for m1"
    )
    assert all(each.effect.p_corrected < 0.05 for each in analysis.cells if "p1" in each.levels)
    same = analyze_factors("pass@1", crossed(np.concatenate([trials[:, :1]] * 2, axis=1)))
    assert same.verdicts[0] == "over these prompts: m0, m1 are tied as the best model"
    assert same.verdicts[2].startswith("no sign that the effect of prompt depends on the model")


@pytest.mark.simulation
@pytest.mark.parametrize("trials", [1, 3])
def test_intervals_contain_the_truth(trials):
    """Margins of these and of like prompts in 250 worlds; the standard error of a coverage of .95 is .014."""
    rng, hits = np.random.default_rng(8), []
    every = 400  # prompts, of which the first six are used
    for _ in range(250):
        rates, _ = world(rng, (40, 2, every), 1, {(0,): 1.2, (1,): 0.5, (2,): 0.6, (1, 2): 0.3, (0, 1, 2): 0.3})
        used = rates[:, :, :6]
        outcomes = crossed((rng.random((*used.shape, trials)) < used[..., None]).astype(int))
        analysis = analyze_factors("pass@1", outcomes)
        row = []
        for i in range(2):
            margin = analysis.margins[i]
            row += [margin.these.lo <= used[:, i].mean() <= margin.these.hi]
            row += [margin.like.lo <= rates[:, i].mean() <= margin.like.hi]
        gap = rates[:, 0] - rates[:, 1]
        pair = analysis.pairs[0]
        row += [pair.these.lo <= gap[:, :6].mean() <= pair.these.hi, pair.like.lo <= gap.mean() <= pair.like.hi]
        hits.append(row)
    assert np.mean(hits, axis=0) == pytest.approx(np.full(6, 0.955), abs=0.045)
