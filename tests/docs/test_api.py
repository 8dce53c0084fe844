"""The reference in docs/api.md, the modules' ``__all__`` and pyright agree on what is public.

What a package exports is in the reference. Classes of results and of their rows are in the reference too: a package
imports them under their own name, which makes them public for type checkers, and leaves them out of its ``__all__``.
"""

import ast
import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scorio

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "api.md", ROOT / "docs" / "metrics.md"]
PACKAGE = Path(scorio.__file__).parent
TOOL = "scorio.integrations.inspect_ai"  # its functions are made from the registry; its own tests check their docs


def public_modules():
    """The modules whose names have no part that begins with an underscore, and that need no evaluation tool."""
    names = ["scorio", *(module.name for module in pkgutil.walk_packages(scorio.__path__, "scorio."))]
    for name in names:
        if not (name.startswith(TOOL) or any(part.startswith("_") for part in name.split("."))):
            yield importlib.import_module(name)


def in_all():
    """Every public object with one of its names, from the modules' ``__all__``."""
    objects = {}
    for module in public_modules():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if type(value).__name__ != "module":
                objects.setdefault(id(value), f"{module.__name__}.{name}")
    return objects


def results():
    """The names of classes that packages have outside their ``__all__``, which are results and their rows."""
    for path in PACKAGE.glob("*/__init__.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                yield from (f"scorio.{path.parent.name}.{each.name}" for each in node.names if each.name == each.asname)


def documented():
    """Every object of the reference with one of its names, from the pages of the reference."""
    objects = {}
    for page in PAGES:
        for kind, name in re.findall(r"^\.\. auto(\w+):: ([\w.]+)", page.read_text(), re.MULTILINE):
            if kind == "module":
                module = importlib.import_module(name)
                objects |= {id(getattr(module, each)): f"{name}.{each}" for each in module.__all__}
            else:
                objects[id(pkgutil.resolve_name(name))] = name
    return objects


def of_other_packages():
    """Every object that a module of scorio imports from another package of it."""
    objects = set()
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE).parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > 1 and node.module is not None:
                module = ".".join(["scorio", *place[: len(place) - node.level], node.module])
                if node.module.split(".")[0] != place[0]:
                    objects |= {id(pkgutil.resolve_name(f"{module}.{each.name}")) for each in node.names}
    return objects


@pytest.mark.parametrize("module", list(public_modules()), ids=lambda module: module.__name__)
def test_every_public_module_lists_its_names_once(module):
    assert module.__name__ == "scorio.__main__" or len(set(module.__all__)) == len(module.__all__)


def test_the_reference_documents_what_is_public():
    if not PAGES[0].exists():
        pytest.skip("the docs are not here")
    public, pages = in_all(), documented()
    assert sorted(public[each] for each in public.keys() - pages.keys() - of_other_packages()) == []
    at_root = {id(getattr(scorio, name)): name for name in scorio.__all__ if id(getattr(scorio, name)) in public}
    assert sorted(at_root[each] for each in at_root.keys() - pages.keys()) == []
    assert sorted(pages[each] for each in pages.keys() - public.keys()) == sorted(results())


@pytest.mark.slow
def test_pyright_sees_the_same_as_public(tmp_path):
    pytest.importorskip("pyright")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("runs in a checkout")
    options = ["--ignoreexternal", "--verifytypes", "scorio", "--outputjson", "--pythonpath", sys.executable]
    path = os.pathsep.join([str(Path(scorio.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "pyright", *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    report = json.loads(done.stdout)["typeCompleteness"]
    modules = {module["name"] for module in report["modules"]}
    seen = {
        symbol["name"]
        for symbol in report["symbols"]
        if symbol["isExported"] and symbol["category"] != "module" and symbol["name"].rpartition(".")[0] in modules
    }
    seen = {name for name in seen if ".pytest_" not in name}  # pytest calls these, nobody else
    here = {module.__name__ for module in public_modules()}
    listed = {f"{m.__name__}.{n}" for m in public_modules() for n in getattr(m, "__all__", ())}
    listed = {name for name in (*listed, *results()) if type(pkgutil.resolve_name(name)).__name__ != "module"}
    assert {name for name in seen if name.rpartition(".")[0] in here and "__" not in name} == listed
    unknown = [s["name"] for s in report["symbols"] if s["isExported"] and not s["isTypeKnown"]]
    assert [name for name in unknown if not name.startswith(TOOL)] == []
