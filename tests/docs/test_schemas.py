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

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
WITHOUT_ROWS = {"convert", "report"}  # commands that write logs and pages
OTHER_CALLS = [  # than those that the schemas are made of
    ("rank", LOGS, "--prior", "uniform", "-m", "pass^2", "--target", "population"),
    (
        "gate",
        LOGS,
        "--between",
        "aurora-70b",
        "cirrus-7b",
        "--max-drop",
        "0.5",
        "--mode",
        "noninferior",
        "-m",
        "pass@4",
    ),
    ("gate", "{priced}", "--between", "old", "new", "--max-cost-rise", "0.1", "--mode", "noninferior"),
    ("score", LOGS, "-m", "gpass@4:tau=.5", "--prior", "1,1"),
    ("compare", LOGS, "--between", "cirrus-7b", "drizzle-1b", "-m", "pass@2", "--target", "population"),
    ("costs", "{priced}", "--per", "success", "--target", "population"),
    ("gate-file", LOGS, "--file", "{claims}", "--target", "population"),
]


def problems(value, schema, place="answer"):
    """Yield how a value differs from a schema of the kinds of statements that ours make."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    known = [TYPES[each] for each in kinds if each != "null"]
    is_number = isinstance(value, bool) and "boolean" not in kinds
    if (
        kinds
        and not (value is None and "null" in kinds)
        and (is_number or not any(isinstance(value, t) for t in known))
    ):
        yield f"{place} is {value!r}, not {kinds}"
    if "const" in schema and value != schema["const"]:
        yield f"{place} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {value!r}, not one of {schema['enum']}"
    if isinstance(value, dict):
        yield from (f"{place} lacks {key}" for key in schema.get("required", ()) if key not in value)
        for key, each in value.items():
            own = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            yield from problems(each, own, f"{place}.{key}")
    if isinstance(value, list):
        for i, each in enumerate(value):
            yield from problems(each, schema.get("items", {}), f"{place}[{i}]")


def schema(command):
    return json.loads((FOLDER / f"{command}.json").read_text())


def test_the_check_finds_what_is_wrong():
    answer = {"settings": {"schema": "scorio-gate/2", "verdict": "maybe", "exit_code": True}, "rows": [{"lo": "low"}]}
    found = " ".join(problems(answer, schema("gate")))
    for part in ("schema is 'scorio-gate/2'", "verdict is 'maybe'", "exit_code is True", "lo is 'low'", "lacks inputs"):
        assert part in found


def test_every_command_that_writes_rows_has_a_schema():
    import click

    from scorio.cli._program import program

    names = program.list_commands(click.Context(program))
    assert {*names} - WITHOUT_ROWS == {each.partition("-")[0] for each in schemas.CALLS}
    assert {*schemas.CALLS} == {path.stem for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("command", schemas.CALLS)
def test_answers_are_as_the_schema_says(command):
    for answer in schemas.answers(command):
        assert list(problems(answer, schema(command))) == []
        assert answer["settings"]["schema"] == schema(command)["title"]


@pytest.mark.parametrize("call", OTHER_CALLS, ids=" ".join)
def test_other_answers_are_as_the_schema_says(call, monkeypatch):
    command, *arguments = call
    monkeypatch.setitem(schemas.CALLS, command, [tuple(arguments)])
    [answer] = schemas.answers(command)
    assert list(problems(answer, schema(command))) == []


def test_the_digests_are_those_of_the_files():
    [answer] = [schemas.written("rank", [f"{LOGS}/aurora-70b.json", f"{LOGS}/cirrus-7b.json"])]
    found = {each["file"].rpartition("/")[2]: (each["bytes"], each["sha256"]) for each in answer["settings"]["inputs"]}
    content = {name: (ROOT / LOGS / name).read_bytes() for name in ("aurora-70b.json", "cirrus-7b.json")}
    assert found == {name: (len(each), hashlib.sha256(each).hexdigest()) for name, each in content.items()}


def test_the_schemas_are_json_schemas():
    jsonschema = pytest.importorskip("jsonschema")
    for path in FOLDER.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))
    jsonschema.validate(schemas.answers("gate")[0], schema("gate"))
