"""The rooms of docs/design.md: who may import whom, read off the sources."""

import ast
import re
from pathlib import Path

import pytest

import scorio

ROOT = Path(scorio.__file__).parent
KERNELS = "_kernels"
PLAIN = {"errors", "words", "params", "credit", "interval", "prior", "mixture", "hierarchy", "lattice"}
DATA = {"outcomes", "outcome_set", "intake", "counted", "rewards", "labels", "matching", "grouped"} | {
    "blocks",
    "engines",
    "tabular",
}
MAY_IMPORT = {
    "errors": set(),
    "words": set(),
    "params": {"errors"},
    "credit": set(),
    "prior": {"errors"},
    "mixture": set(),
    "lattice": set(),
    "hierarchy": {KERNELS, "lattice", "prior"},
    "interval": {"errors", "params", "prior", "mixture"},
    **dict.fromkeys(DATA, DATA | {KERNELS, "errors", "words", "params", "hierarchy"}),
    "metrics": DATA | PLAIN | {KERNELS, "metrics"},
    "eval": {"metrics", "outcomes", "interval", "params", "errors"},
    "paired": DATA | PLAIN | {"metrics"},
    "sheet": set(),
    "rank": DATA | PLAIN | {KERNELS, "metrics", "paired", "sheet", "rank"},
    "integrations": {"errors", "metrics", "outcomes", "integrations"},
    "compare": {"metrics", "outcomes", "outcome_set", "paired", "params", "prior", "errors"},
    "preposterior": {"metrics", "outcomes", "prior"},
    "plan": {"metrics", "outcomes", "interval", "params", "prior", "errors", "compare", "preposterior"},
    "agreement": DATA | PLAIN | {"rank"},
    "parallel": {"errors"},
    "convergence": DATA | PLAIN | {KERNELS, "metrics", "rank", "agreement", "parallel", "convergence"},
    "simulate": DATA | PLAIN | {"metrics", "simulate"},
    "io": {"errors", "labels", "outcomes", "outcome_set", "parallel", "io"},
    "plot": DATA | PLAIN | {"metrics", "compare", "rank", "convergence", "sheet", "plot"},
    "report": DATA | PLAIN | {"metrics", "rank", "plan", "sheet", "report"},
    "testing": DATA | PLAIN | {"metrics", "interval"},
    "": DATA | PLAIN | {"metrics", "compare", "plan", "rank", "agreement", "convergence", "simulate", "io"},
}
MAY_IMPORT["cli"] = set(MAY_IMPORT) | {"cli"}  # and is imported by nobody but the door to it
MAY_IMPORT["__main__"] = {"cli"}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent.name != KERNELS)


def room(parts):
    """The room a module's path inside the package belongs to; the package's own ``__init__`` is the empty one."""
    first = parts[0] if parts else ""
    return "" if first == "__init__" else first


def imported(path):
    """The rooms that a module imports."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level]
            whole = base + tuple((node.module or "").split(".") if node.module else ())
            names = [whole] if whole else [(alias.name,) for alias in node.names]
            yield from (room(name) for name in names)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (room(tuple(name.split(".")[1:])) for name in names if name.split(".")[0] == "scorio")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_imports_only_what_it_may(path):
    own = room(path.relative_to(ROOT).with_suffix("").parts)
    assert own in MAY_IMPORT, f"{path} belongs to no room of docs/design.md"
    assert set(imported(path)) <= MAY_IMPORT[own]


def test_every_room_is_in_the_table_of_the_docs():
    page = ROOT.parent / "docs" / "design.md"
    if not page.exists():
        pytest.skip("the docs are not here")
    table = page.read_text().split("## Rooms")[1].split("##")[0]
    named = {
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert named | {"", "__main__"} == set(MAY_IMPORT) | {KERNELS}


def test_the_walk_sees_imports():
    found = {room for path in MODULES for room in imported(path)}
    assert {KERNELS, "errors", "metrics", "outcomes"} <= found


def test_importing_the_package_stays_light():
    import subprocess
    import sys

    code = (
        "import scorio, sys; print([m for m in ('scipy.stats', 'matplotlib', 'pandas', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_public_rooms_are_there_when_they_are_asked_for():
    import subprocess
    import sys

    code = "import scorio; scorio.eval.bayes, scorio.plot.leaderboard, scorio.report.html_report, scorio.testing"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not hasattr(scorio, "nothing")
