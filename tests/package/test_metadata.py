"""The metadata of the package: pyproject.toml and the conda recipe say the same."""

import re
import tomllib

import pytest

from helpers.command import ROOT

if not (ROOT / "recipe" / "recipe.yaml").exists() or not (ROOT / "pyproject.toml").exists():
    pytest.skip("needs the sources", allow_module_level=True)
yaml = pytest.importorskip("yaml")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())


def conda(requirements):
    """Requirements as conda writes them: lower bounds only, so that a blank is all that differs."""
    found = {re.sub(r"^([\w-]+)(>=[\d.]+)$", r"\1 \2", each) for each in requirements}
    assert all(re.fullmatch(r"[\w-]+ >=[\d.]+", each) for each in found)
    return found


def test_the_recipe_has_the_dependencies_of_the_package_and_of_its_command():
    project = PROJECT["project"]
    wanted = conda([*project["dependencies"], *project["optional-dependencies"]["cli"]])
    assert set(RECIPE["requirements"]["run"]) == wanted | {f"python {project['requires-python']}"}


def test_the_recipe_builds_with_the_requirements_of_the_build():
    wanted = conda(PROJECT["build-system"]["requires"])
    assert set(RECIPE["requirements"]["host"]) == wanted | {"python", "pip"}
    build = RECIPE["requirements"]["build"]
    assert "${{ compiler('c') }}" in build
    assert "${{ stdlib('c') }}" in build  # which conda-forge asks for beside a compiler
    [crossed] = [each["then"] for each in build if isinstance(each, dict)]
    assert {each for each in crossed if each.startswith("cython")} <= wanted
    assert "--no-build-isolation" in RECIPE["build"]["script"]
    assert "--no-deps" in RECIPE["build"]["script"]


def test_the_recipe_is_about_this_version():
    project = PROJECT["project"]
    assert RECIPE["context"]["version"] == project["version"]
    assert RECIPE["about"]["license"] == project["license"]
    assert (ROOT / RECIPE["about"]["license_file"]).exists()
    assert RECIPE["build"]["skip"] == f'match(python, "<{project["requires-python"].removeprefix(">=")}")'
    assert (ROOT / "recipe" / RECIPE["source"]["path"]).resolve() == ROOT


def test_the_recipe_tests_modules_and_commands_that_exist():
    import importlib

    python, script = RECIPE["tests"]
    for name in python["python"]["imports"]:
        importlib.import_module(name)
    testing = pytest.importorskip("click.testing")
    from scorio.cli._program import program

    for line in script["script"]:
        name, *words = line.split()
        assert name == "scorio"
        assert testing.CliRunner().invoke(program, words).exit_code == 0


def test_metadata_names_what_finds_the_package():
    project = PROJECT["project"]
    assert "Typing :: Typed" in project["classifiers"]
    for version in ("3.11", "3.12", "3.13", "3.14"):  # of the wheels
        assert f"cp{version.replace('.', '')}-*" in PROJECT["tool"]["cibuildwheel"]["build"]
        assert f"Programming Language :: Python :: {version}" in project["classifiers"]
