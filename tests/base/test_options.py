"""Options that are declared once: every function shows and takes all of its group, and names what a wrong one means."""

import inspect
from dataclasses import fields

import pytest

import scorio
from scorio import comparison, curves, report
from scorio.inference._terms import TermOptions, Terms
from scorio.integrations._stopping import StopWhen
from scorio.io._reading import read_runs

R = [[1, 0], [1, 1], [0, 0]]
CALLS = {
    "analyze_convergence": lambda **options: curves.analyze_convergence("pass@1", {"a": R}, **options),
    "analyze_history": lambda **options: comparison.analyze_history("pass@1", {"May": R, "June": R}, **options),
    "compare": lambda **options: scorio.compare("pass@1", R, R, **options),
    "compare_costs": lambda **options: comparison.compare_costs(R, R, **options),
    "comparison_report": lambda **options: report.comparison_report(R, R, **options),
    "cost_table": lambda **options: scorio.cost_table("pass@1", {"a": R}, {"a": 1.0}, **options),
    "estimate": lambda **options: scorio.estimate("pass@1", {"a": R}, **options),
    "gaps": lambda **options: curves.gaps("pass@1", {"a": R, "b": R}, **options),
    "gate": lambda **options: scorio.gate("pass@1", R, R, **options),
    "Leaderboard.__init__": lambda **options: scorio.Leaderboard("pass@1", {"a": R}, **options),
    "Metric.estimate": lambda **options: scorio.PassAtK(1).estimate(R, **options),
    "Metric.interval": lambda **options: scorio.PassAtK(1).interval(R, **options),
    "OutcomeMatrix.__init__": lambda **options: scorio.OutcomeMatrix(R, **options),
    "OutcomeMatrix.from_frame": lambda **options: scorio.OutcomeMatrix.from_frame([], **options),
    "OutcomeMatrix.from_rewards": lambda **options: scorio.OutcomeMatrix.from_rewards(R, **options),
    "OutcomeSet.__init__": lambda **options: scorio.OutcomeSet({"a": R}, **options),
    "OutcomeSet.from_frame": lambda **options: scorio.OutcomeSet.from_frame([], **options),
    "plan_separation": lambda **options: scorio.plan_separation("pass@1", R, R, **options),
    "read": lambda **options: scorio.read("nowhere.csv", **options),
    "read_runs": lambda **options: read_runs("nowhere.csv", **options),
    "recognise": lambda **options: scorio.io.recognise("nowhere.csv", **options),
    "RewardMatrix.__init__": lambda **options: scorio.RewardMatrix(R, **options),
    "StopWhen.__init__": lambda **options: StopWhen("pass@1", **options),
    "Suite.from_frame": lambda **options: scorio.Suite.from_frame([], task="task", **options),
}
WRONG = {  # where there is no confidence
    "analyze_convergence": ("progress_", "progress"),
    "StopWhen.__init__": ("success_", "success"),
    **dict.fromkeys(["read", "read_runs", "recognise"], ("modle", "model")),
    **{name: ("normalise", "normalize") for name in CALLS if "Outcome" in name or "Reward" in name or "Suite" in name},
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
