"""What can be said of the tree without running it: ``python tools/structure.py`` prints every breach and what to do.

It needs nothing but Python and takes seconds, so that it runs before anything is built: which packages import which,
without a circle; the size of files, functions and pages; tests that assert nothing.
"""

import ast
import copy
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_LINES, MOST_LINES_OF_A_FUNCTION, MOST_WORDS, MOST_MODULES, MOST_EXPORTED = 700, 60, 45_000, 10, 250
MOST_PARAMETERS, PUBLISHED = 8, {"geo_spectrum_at_k_ci"}  # of a function, but for those whose signature is published
# From the bottom up: the packages of each layer, and how many lines it may have. To grow is a decision, taken here.
# A package imports from its own layer, without a circle, and from lower ones.
LAYERS = {
    "base": ({"errors", "params", "_base"}, 2_050),
    "kernels": ({"_kernels"}, 6_900),
    "data": ({"outcomes"}, 7_450),
    "io": ({"io"}, 7_940),
    "posteriors": ({"inference"}, 1_600),
    "metrics": ({"metrics", "eval", "simulate"}, 5_950),
    "estimates": ({"estimates"}, 2_500),
    "statements": ({"comparison", "rank", "planning", "arms"}, 8_700),
    "applications": ({"judging", "factorial", "curves", "diagnosis"}, 6_350),
    "views": ({"plot", "report"}, 1_300),
    "tools": ({"integrations", "testing"}, 1_150),
    "commands": ({"cli", "__main__", ""}, 3_100),  # "" is the root, which has the public names
}
ABOVE_FILES = {"applications", "views", "tools", "commands"}  # the layers that may read files


def tracked(*patterns):
    """The files of the repository with these names, by path."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in listed.stdout.splitlines() if (ROOT / path).exists()]


def module_name(path):
    """The dotted name of a module below ``scorio``; the package's own ``__init__`` is the empty name."""
    parts = Path(path).relative_to("scorio").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class RunTime(ast.NodeTransformer):
    """Leave out what is imported for types only, which is no import when the program runs."""

    def visit_If(self, node):
        return None if getattr(node.test, "id", "") == "TYPE_CHECKING" else self.generic_visit(node)


def names_imported(tree, name, *, is_package):
    """The modules and names below ``scorio`` that a module imports: at the top, lazily, or for types only."""
    package = name.split(".") if name else []
    if not is_package:
        package = package[:-1]
    for node in ast.walk(tree):
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


def modules_of(found, names):
    """The modules that imported names are, or belong to."""
    return {each if each in names else each.rpartition(".")[0] for each in found}


def imports(trees):
    """Imports of a higher layer, of private names of other packages, and circles of modules or packages."""
    names, modules_used, packages_used = {module_name(path) for path in trees}, {}, {}
    layer_of = {package: layer for layer, (packages, _) in LAYERS.items() for package in packages}
    height = {layer: place for place, layer in enumerate(LAYERS)}
    for path, tree in trees.items():
        name, package = module_name(path), module_name(path).split(".")[0]
        if package not in layer_of:
            yield f"{path}: its package has no layer (LAYERS of tools/structure.py)"
            continue
        imported = list(names_imported(tree, name, is_package=path.endswith("__init__.py")))
        others = {other.split(".")[0] for other in modules_of(imported, names)} & layer_of.keys() - {package}
        for other in sorted(others):
            if height[layer_of[other]] > height[layer_of[package]]:
                yield f"{path}: imports scorio.{other}, whose layer stands above it (LAYERS of tools/structure.py)"
            if other == "io" and layer_of[package] not in ABOVE_FILES:
                yield f"{path}: imports scorio.io; what it computes must not depend on files"
        packages_used.setdefault(package, set()).update(others)
        for other in imported:
            if other.split(".")[0] != package and other not in names and re.match(r"_(?!_)", other.rpartition(".")[2]):
                yield f"{path}: imports {other}, which is private to its module"
        run = names_imported(RunTime().visit(copy.deepcopy(tree)), name, is_package=path.endswith("__init__.py"))
        modules_used[name] = {other for other in modules_of(run, names) if other in names and other != name}
    for graph in (modules_used, packages_used):
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            yield f"a circle of imports: {' -> '.join(error.args[1])}"


def exports(trees):
    """More exported names than users can survey."""
    exported = 0
    for path, tree in trees.items():
        if path.endswith("__init__.py") or path.count("/") == 1:
            lists = [
                node.value
                for node in tree.body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            ]
            exported += sum(len(names.elts) for names in lists if isinstance(names, ast.List))
    if exported > MOST_EXPORTED:
        yield f"packages and public modules export {exported} names; they may export {MOST_EXPORTED}"


def sizes(trees):
    """Files and functions that are too long to be read at once, or to be called, and too many modules at the root."""
    for path in tracked("*.py", "*.pyx", "*.pxd", "*.pyi"):
        lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
        if lines > MOST_LINES:
            yield f"{path}: {lines} lines; split it below {MOST_LINES}"
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            if node.end_lineno - node.lineno > MOST_LINES_OF_A_FUNCTION:
                yield f"{path}: {node.name} has {node.end_lineno - node.lineno} lines; split it"
            parameters = len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
            if parameters > MOST_PARAMETERS and node.name not in PUBLISHED:
                advice = "declare those that belong together as a TypedDict (scorio/_base/options.py)"
                yield f"{path}: {node.name} has {parameters} parameters; {advice}"
    at_root = [path for path in trees if path.count("/") == 1]
    if len(at_root) > MOST_MODULES:
        yield f"{len(at_root)} modules stand at the root of the package; move one into a folder: {', '.join(at_root)}"


def layers():
    """Layers with more lines than they may have."""
    lines = {package: 0 for packages, _ in LAYERS.values() for package in packages}
    for path in tracked("scorio/*.py", "scorio/*.pyx", "scorio/*.pxd", "scorio/*.pyi"):
        lines[module_name(path).split(".")[0]] += (ROOT / path).read_text(encoding="utf-8").count("\n")
    for layer, (packages, budget) in LAYERS.items():
        if (has := sum(lines[package] for package in packages)) > budget:
            advice = "shorten it, or raise the budget in LAYERS and say why"
            yield f"the layer {layer} has {has} lines; it may have {budget}: {advice}"


def pages():
    """The documentation in words, and packages that its page of design leaves out."""
    words = sum(len((ROOT / page).read_text(encoding="utf-8").split()) for page in tracked("docs/*.md"))
    if words > MOST_WORDS:
        yield f"the pages of docs/ have {words} words; shorten them below {MOST_WORDS}"
    table = (ROOT / "docs/design.md").read_text(encoding="utf-8").split("## Packages")[1].split("##")[0]
    rows = [row.split("|")[2] for row in table.splitlines() if row.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)} | {"", "__main__"}
    packages = {package for packages, _ in LAYERS.values() for package in packages}
    if named != packages:
        yield f"docs/design.md: its table of packages differs from LAYERS: {sorted(named ^ packages)}"


def asserts(node):
    """Whether a test can fail by what it says: an assertion, an expected error or warning, or a helper that has one."""
    said = ast.unparse(node)
    return bool(re.search(r"\b(assert|raises|warns|check|assert_\w+|refus\w*|fail|run|main|subprocess|exec)", said))


def tests():
    """Tests that assert nothing, or are skipped without a reason."""
    for path in tracked("tests/*.py"):
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                calls = any(isinstance(each, ast.Call) for statement in node.body for each in ast.walk(statement))
                if not asserts(node) and not calls:
                    yield f"{path}: {node.name} asserts nothing"
                if any(ast.unparse(each) == "pytest.mark.skip" for each in node.decorator_list):
                    yield f"{path}: {node.name} is skipped without a reason"


def main():
    """Print every breach."""
    sources = [path for path in tracked("scorio/*.py") if "/_kernels/" not in path]
    trees = {path: ast.parse((ROOT / path).read_text(encoding="utf-8")) for path in sources}
    breaches = [*imports(trees), *exports(trees), *layers(), *sizes(trees), *pages(), *tests()]
    print(*breaches, sep="\n", end="\n" if breaches else "")
    sys.exit(bool(breaches))


if __name__ == "__main__":
    main()
