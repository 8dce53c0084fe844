"""Every public function and each of its options is in some call of the contract, and every option of a command."""

import ast
import functools
import importlib
import inspect
import re
from pathlib import Path

import pytest

import scorio
from contract.answers import PACKAGES
from contract.texts import FAMILIES, texts_of

API = Path(__file__).parents[2] / "docs" / "api.md"
WHOLE = "eval", "rank", "plot", "simulate", "params"  # documented with all that they export
# What is not asked in a call: it opens windows, is a helper of readers or a check that needs a tool of its own.
ELSEWHERE = {"testing.check_format", "io.check_format", "cli.main", "params.param"}
# What readers of tools are made of, and building blocks, which the packages export for one another.
ELSEWHERE |= {f"io.{each}" for each in ("document_with", "grouped", "lines_with", "names_in", "records_with")}
ELSEWHERE |= {"params.check_fields", "params.check_result"}
# What packages ask of the objects of others.
BLOCKS = """
    admit as_records as_sentence as_trials cached check_looks checked_counts cited_metrics continuous_mean
    covariance_terms has_quantiles in_order_of interval_at is_even_and_whole is_success_rate items judged labelled
    law_of measured needs of_errors of_moments of_parts of_reduced of_runs of_trials of_weights one_model published
    published_moments question_means question_rewards reordered replaced rewards_of share_left_open trials_at values
    widest_level
"""
BY_ANSWERS = {"to_dict", "to_json", "save", "write"}  # methods that recording an answer calls, or a helper of calls
# Options that a call cannot show: they need a server, a database of its own, or say how much is printed.
NOT_ASKED = {("gate", "task_weights")}
NOT_ASKED |= {("io.read_runs", name) for name in inspect.signature(scorio.read).parameters}  # which are those of read


def documented():
    """Return the functions and classes that users need, by their names in calls."""
    found = {name: getattr(scorio, name) for name in scorio.__all__}
    places = re.findall(r"auto(?:class|function):: scorio\.(\w+)\.(\w+)", API.read_text(encoding="utf-8"))
    places += [(name, each) for name in WHOLE for each in importlib.import_module(f"scorio.{name}").__all__]
    for package, name in places:
        thing = getattr(importlib.import_module(f"scorio.{package}"), name)
        if all(thing is not other for other in found.values()):
            found[f"{package}.{name}"] = thing
    return {name: each for name, each in found.items() if callable(each) and name not in ELSEWHERE}


@functools.cache
def asked():
    """Return which names are called with which arguments: names, and how many by place."""
    found: dict[str, set] = {}
    for family in FAMILIES:
        for text in texts_of(family):
            try:
                tree = ast.parse(text, mode="eval")
            except SyntaxError as error:
                raise AssertionError(f"{family}: {text}") from error
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    given = {word.arg for word in node.keywords} | set(range(len(node.args)))
                    found.setdefault(spelt(node.func), set()).update(given)
    return found


def spelt(function) -> str:
    """``eval.avg`` of a package's function, ``.interval`` of a method of anything else."""
    if isinstance(function, ast.Name):
        return function.id
    if not isinstance(function, ast.Attribute):
        return ""
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    return f"{owner}.{function.attr}" if owner in PACKAGES or owner in scorio.__all__ else f".{function.attr}"


def missing_options(name, thing):
    given = asked().get(name, set())
    options = [each for each in inspect.signature(thing).parameters.values() if each.kind is not each.VAR_KEYWORD]
    return [each.name for i, each in enumerate(options) if each.name not in given and i not in given]


@pytest.mark.parametrize("name", [name for name, each in documented().items() if inspect.isfunction(each)])
def test_every_option_of_a_function_is_asked(name):
    missing = {option for option in missing_options(name, documented()[name]) if (name, option) not in NOT_ASKED}
    assert not missing, f"no call of the contract gives {name} {', '.join(sorted(missing))}: see tests/contract/calls"


def test_every_class_that_is_made_by_hand_is_in_a_call():
    made = [name for name in scorio.__all__ if inspect.isclass(documented().get(name))]
    bases = {"CountMetric", "Estimate", "Metric", "Prior", "Rubric"}  # what another call makes
    missing = {name for name in made if not any(name in each for each in asked())} - bases
    assert not {name for name in missing if not issubclass(documented()[name], Exception)}


def test_every_method_is_asked():
    """Methods and properties of the public classes and results, by their names."""
    words = set(re.findall(r"\.(\w+)", "\n".join(text for family in FAMILIES for text in texts_of(family))))
    missing = set()
    for name, thing in documented().items():
        if inspect.isclass(thing) and not issubclass(thing, BaseException) and not name.startswith("io."):
            own = {each for base in thing.__mro__ if base.__module__.startswith("scorio") for each in vars(base)}
            fields = set(getattr(thing, "__dataclass_fields__", ())) | set(getattr(thing, "_fields", ()))
            missing |= {
                f"{name}.{each}"
                for each in own - fields - words - {*BLOCKS.split()} - BY_ANSWERS
                if each[0] != "_" and is_method(thing, each)
            }
    assert not missing, sorted(missing)


def is_method(thing, name) -> bool:
    return inspect.isfunction(getattr(thing, name, None)) or inspect.ismethod(getattr(thing, name, None))


def test_every_option_of_every_command_is_asked():
    """Options that every command has for reading logs are asked of one command."""
    pytest.importorskip("click")
    from scorio.cli._program import program

    missing = {}
    for name in program.list_commands(None):
        params = [each for each in program.get_command(None, name).params if each.param_type_name == "option"]
        every = {each.opts[-1] for each in params if not getattr(each, "is_of_reading", False)}
        options = {each.lstrip("-").replace("-", "_") for each in every} - {"debug", "output", "format"}
        options -= {"for"}  # no name in a call of Python; tests of both accuracies ask for it
        calls = [text for text in texts_of("commands") if f"command('{name}'" in text]
        given = {option for text in calls for option in re.findall(r"(\w+)=", text)}
        if unasked := options - given:
            missing[name] = sorted(unasked)
    assert not missing
