"""The direction of imports in docs/design.md, read off the sources: no package reaches further, without a circle."""

import ast
import pickle
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import scorio

ROOT = Path(scorio.__file__).parent
BASE = {"errors", "params", "_arrays", "_choices", "_special", "_display"}
DATA = BASE | {"_kernels", "outcomes"}
METRICS = DATA | {"inference", "metrics"}
MAY_IMPORT = {
    "errors": set(),
    "_arrays": set(),
    "_choices": set(),
    "_special": set(),
    "_display": set(),
    "params": {"errors", "_arrays", "_display"},
    "_jobs": {"errors", "_display"},
    "_kernels": set(),
    "outcomes": BASE | {"_kernels"},
    "inference": BASE | {"_kernels"},
    "metrics": METRICS,
    "eval": METRICS,
    "testing": METRICS | {"io", "_jobs"},
    "simulate": METRICS,
    "comparison": METRICS,
    "judging": METRICS | {"comparison"},
    "factorial": METRICS | {"comparison", "judging"},
    "curves": METRICS | {"comparison", "judging"},
    "forecasting": METRICS | {"comparison"},
    "integrations": METRICS | {"comparison", "io"},
    "rank": METRICS | {"comparison", "planning"},
    "planning": METRICS | {"comparison"},
    "resampling": METRICS | {"comparison", "rank", "_jobs"},
    "io": BASE | {"_kernels", "outcomes", "_jobs"},
    "diagnosis": METRICS | {"comparison", "judging", "rank", "io"},
    "plot": METRICS | {"comparison", "curves", "factorial", "forecasting", "rank", "planning", "resampling"},
    "report": METRICS | {"comparison", "curves", "forecasting", "rank", "planning"},
}
MAY_IMPORT[""] = set(MAY_IMPORT)  # the public names
MAY_IMPORT["cli"] = set(MAY_IMPORT)
MAY_IMPORT["__main__"] = {"cli"}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent.name != "_kernels")


def module_name(path):
    """The dotted name of a module below ``scorio``; the package's own ``__init__`` is the empty name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {module_name(path) for path in MODULES}


def imports(source, name, *, is_package):
    """The modules below ``scorio`` that the source of a module imports: at the top, lazily, or for types only."""
    for imported in names_imported(source, name, is_package=is_package):
        yield imported if imported in NAMES else imported.rpartition(".")[0]


def names_imported(source, name, *, is_package):
    """The modules and names below ``scorio`` that the source of a module imports."""
    package = name.split(".") if name else []
    if not is_package:
        package = package[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[2] for alias in node.names if alias.name.split(".")[0] == "scorio")
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            elif (node.module or "").split(".")[0] == "scorio":
                base = node.module.split(".")[1:]
            else:
                continue
            whole = ".".join(base)
            yield from (f"{whole}.{alias.name}" if whole else alias.name for alias in node.names)


def breaches(source, name, *, is_package=False):
    """The packages that a module imports although its row does not allow it."""
    package = name.split(".")[0]
    used = {imported.split(".")[0] for imported in imports(source, name, is_package=is_package)}
    return used - MAY_IMPORT[package] - {package}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_package_may(path):
    name = module_name(path)
    assert name.split(".")[0] in MAY_IMPORT, f"{path} belongs to no row of the table"
    assert not breaches(path.read_text(), name, is_package=path.name == "__init__.py")


def private_imports(source, name, *, is_package=False):
    """The names that a module imports from a private module of another package."""
    package = name.split(".")[0]
    for imported in names_imported(source, name, is_package=is_package):
        first, *rest = imported.split(".")
        if first != package and any(part.startswith("_") and not part.startswith("__") for part in rest):
            yield imported


def test_packages_use_what_other_packages_export():
    """A name that another package needs is exported by its package, and stands in the docs."""
    found = []
    for path in MODULES:
        name = module_name(path)
        found += private_imports(path.read_text(), name, is_package=path.name == "__init__.py")
    assert len(found) <= 1, found  # this number only falls


def test_a_private_import_is_seen():
    source = "from ..inference._prior import Beta\nfrom ..inference import _prior, Interval\nfrom ._base import Metric"
    found = list(private_imports(source, "metrics._count"))
    assert found == ["inference._prior.Beta", "inference._prior"]


def test_a_breach_is_seen():
    assert breaches("from ..inference import Interval", "outcomes._matrix") == {"inference"}
    assert breaches("def late():\n    from .. import metrics", "io._reading") == {"metrics"}
    assert breaches("import scorio.cli", "rank._rules") == {"cli"}


def circle(graph):
    """The modules of one circle of imports, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return None


@pytest.mark.slow
def test_no_circle_of_imports():
    """Lazy and type-only imports count too."""
    graph = {}
    for path in MODULES:
        name = module_name(path)
        found = set(imports(path.read_text(), name, is_package=path.name == "__init__.py"))
        graph[name] = {each for each in found if each in NAMES and each != name}
    assert circle(graph) is None


def test_a_circle_is_seen():
    assert set(circle({"a": {"b"}, "b": {"a"}})) == {"a", "b"}


def test_no_function_shadows_a_module():
    shadowed = []
    for name in NAMES:
        package = sys.modules.get(f"scorio.{name}" if name else "scorio")
        modules = {other.rpartition(".")[2] for other in NAMES if other and other.rpartition(".")[0] == name}
        shadowed += [
            f"{name}.{each}" for each in modules if callable(getattr(package, each, None)) and package is not None
        ]
    assert not shadowed


def test_every_package_has_a_row_in_the_docs():
    page = ROOT.parent / "docs" / "design.md"
    if not page.exists():
        pytest.skip("the docs are not here")
    table = page.read_text().split("## Packages")[1].split("##")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} | {"", "__main__"} == set(MAY_IMPORT)


def test_the_root_has_at_most_ten_modules():
    assert len(list(ROOT.glob("*.py"))) <= 10


def loaded_by(code):
    """The modules that a fresh interpreter has after the code."""
    code += "\nimport sys; sys.__stderr__.write(chr(10).join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stderr.split())


def ours(modules):
    return {name for name in modules if name.split(".")[0] == "scorio"}


@pytest.mark.slow
def test_importing_the_package_stays_light():
    assert "numpy" not in loaded_by("import scorio")
    assert ours(loaded_by("import scorio")) == {"scorio"}
    heavy = {"scipy.stats", "matplotlib", "pandas", "sklearn", "joblib"}
    assert not heavy & loaded_by("from scorio import *")


def test_a_name_loads_only_what_it_needs():
    packages = {name.split(".")[1] for name in ours(loaded_by("from scorio import PassAtK")) if "." in name}
    assert packages <= METRICS


def test_help_loads_no_numpy():
    pytest.importorskip("click")
    code = "from scorio.cli._program import program; program(['--help'], standalone_mode=False)"
    assert "numpy" not in loaded_by(code)


def test_every_public_name_is_there():
    assert {*scorio.__all__, "eval", "plot", "report", "testing"} <= set(dir(scorio))
    for name in scorio.__all__:
        value = getattr(scorio, name)
        assert value is getattr(scorio, name)
        assert pickle.loads(pickle.dumps(value)) is value if callable(value) else value
    assert scorio.__version__
    assert not hasattr(scorio, "nothing")


def test_public_modules_are_loaded_when_they_are_used():
    code = "import scorio; scorio.eval.bayes, scorio.plot.leaderboard, scorio.report.html_report, scorio.testing"
    subprocess.run([sys.executable, "-c", code], check=True)
