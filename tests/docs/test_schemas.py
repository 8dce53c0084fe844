"""The JSON schemas of the docs: every command has one, and what commands write is as they say."""

import hashlib
import importlib.util
import json

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, ROOT

FOLDER = ROOT / "docs" / "schemas"
if not FOLDER.exists():
    pytest.skip("the docs are not here", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("schemas", ROOT / "docs" / "schemas.py")
schemas = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(schemas)

VALIDATOR = pytest.importorskip("jsonschema").Draft202012Validator
WITHOUT_ROWS = {"convert", "report"}  # commands that write logs and pages
OTHER_CALLS = [  # than those that the schemas are made of
    f"rank {LOGS} --prior uniform -m pass^2 --target population",
    f"gate {LOGS} --between aurora-70b cirrus-7b --max-drop 0.5 --mode noninferior -m pass@4",
    "gate {priced} --between old new --max-cost-rise 0.1 --mode noninferior",
    f"score {LOGS} -m gpass@4:tau=.5 --prior 1,1",
    f"compare {LOGS} --between cirrus-7b drizzle-1b -m pass@2 --target population",
    "costs {priced} --per success --target population",
    f"gate-file {LOGS} --file {{claims}} --target population",
]


def schema(command):
    return json.loads((FOLDER / f"{command}.json").read_text())


def test_every_command_that_writes_rows_has_a_schema():
    import click

    from scorio.cli._program import program

    names = program.list_commands(click.Context(program))
    assert {*names} - WITHOUT_ROWS == {each.partition("-")[0] for each in schemas.CALLS}
    assert {*schemas.CALLS} == {path.stem for path in FOLDER.glob("*.json")}
    for path in FOLDER.glob("*.json"):
        VALIDATOR.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize("command", schemas.CALLS)
def test_answers_are_as_the_schema_says(command):
    for answer in schemas.answers(command):
        VALIDATOR(schema(command)).validate(answer)
        assert answer["settings"]["schema"] == schema(command)["title"]


@pytest.mark.parametrize("call", OTHER_CALLS)
def test_other_answers_are_as_the_schema_says(call, monkeypatch):
    command, *arguments = call.split()
    monkeypatch.setitem(schemas.CALLS, command, [tuple(arguments)])
    [answer] = schemas.answers(command)
    VALIDATOR(schema(command)).validate(answer)


def test_the_digests_are_those_of_the_files():
    [answer] = [schemas.written("rank", [f"{LOGS}/aurora-70b.json", f"{LOGS}/cirrus-7b.json"])]
    found = {each["file"].rpartition("/")[2]: (each["bytes"], each["sha256"]) for each in answer["settings"]["inputs"]}
    content = {name: (ROOT / LOGS / name).read_bytes() for name in ("aurora-70b.json", "cirrus-7b.json")}
    assert found == {name: (len(each), hashlib.sha256(each).hexdigest()) for name, each in content.items()}
