"""Options that are declared once: every function shows and takes all of its group, and names what a wrong one means."""

import inspect
from dataclasses import fields

import pytest

import scorio
from scorio import comparison, curves
from scorio.inference._terms import TermOptions, Terms
from scorio.integrations._stopping import StopWhen

R = [[1, 0], [1, 1], [0, 0]]
CALLS = {  # one of each group of options
    "analyze_convergence": lambda **options: curves.analyze_convergence("pass@1", {"a": R}, **options),
    "analyze_history": lambda **options: comparison.analyze_history("pass@1", {"May": R, "June": R}, **options),
    "compare_costs": lambda **options: comparison.compare_costs(R, R, **options),
    "gaps": lambda **options: curves.gaps("pass@1", {"a": R, "b": R}, **options),
    "Leaderboard.__init__": lambda **options: scorio.Leaderboard("pass@1", {"a": R}, **options),
    "Metric.interval": lambda **options: scorio.PassAtK(1).interval(R, **options),
    "OutcomeMatrix.__init__": lambda **options: scorio.OutcomeMatrix(R, **options),
    "OutcomeSet.from_frame": lambda **options: scorio.OutcomeSet.from_frame([], **options),
    "read": lambda **options: scorio.read("nowhere.csv", **options),
    "StopWhen.__init__": lambda **options: StopWhen("pass@1", **options),
    "Suite.from_frame": lambda **options: scorio.Suite.from_frame([], task="task", **options),
}
WRONG = {  # where there is no confidence
    "analyze_convergence": ("progress_", "progress"),
    "StopWhen.__init__": ("success_", "success"),
    "read": ("modle", "model"),
    **{name: ("normalise", "normalize") for name in CALLS if "Outcome" in name or "Suite" in name},
}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_option_is_refused_with_the_one_that_may_be_meant(name):
    wrong, meant = WRONG.get(name, ("confidnce", "confidence"))
    with pytest.raises(TypeError) as caught:
        CALLS[name](**{wrong: 0.9})
    assert str(caught.value) == f"{name}() got an unexpected keyword argument {wrong!r}; did you mean {meant}?"


def test_an_option_that_is_like_no_other_is_refused_alone():
    with pytest.raises(TypeError, match=r"^gaps\(\) got an unexpected keyword argument 'xyz'$"):
        CALLS["gaps"](xyz=1)


def test_a_function_with_some_of_the_terms_refuses_the_others():
    with pytest.raises(TypeError, match=r"^compare_costs\(\) got an unexpected keyword argument 'looks'"):
        CALLS["compare_costs"](looks=None)


@pytest.mark.parametrize(
    "options", [{"runs": "arbitrary"}, {"target": "world"}, {"confidence": 1.0}, {"prior": "flat"}]
)
def test_the_terms_are_checked_as_those_of_any_function(options):
    with pytest.raises(scorio.ParameterError):
        CALLS["analyze_history"](**options)


def test_the_options_are_those_that_are_checked():
    assert TermOptions.__optional_keys__ == {field.name for field in fields(Terms)}


def test_signatures_show_every_option_with_its_default():
    shown = inspect.signature(scorio.compare).parameters
    assert all(option.kind is not option.VAR_KEYWORD for option in shown.values())
    assert {shown[name].default for name in ("paired", "rule", "runs", "names")} == {
        None,
        "interval",
        "auto",
        ("A", "B"),
    }
    assert inspect.signature(scorio.read).parameters["missing"].default == "omit"
    assert inspect.signature(scorio.Leaderboard).parameters["confidence"].default == 0.95
    assert list(inspect.signature(scorio.PassAtK(1).interval).parameters)[-2:] == ["looks", "runs"]
