"""Grade the tests: change one place of the package at a time, and see whether a test fails.

python tools/mutants.py --count 130
python tools/mutants.py --count 130 --draw > changes.jsonl
python tools/mutants.py --file changes.jsonl

A mutant is the package with one change; ``mutations.py`` says which there are, and draws them with a fixed seed. It is
killed if a test fails, crashes, or takes ten times its time and 20 seconds more. The tests run on copies of the working
tree: first the contract (``tests/contract``), then, for the mutants that survive it, the quick tests of the package's
own folder; of both only those that reach the changed statement, or that call the changed kernel. A first run of each
folder finds these, with a marker before each statement, and ``build/mutants`` keeps what it found. Each mutant runs in
the fork of a process that has loaded NumPy and SciPy, so this needs Linux or macOS.
"""

import argparse
import ast
import collections
import contextlib
import functools
import hashlib
import importlib
import itertools
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import pytest
from mutations import Mutant, draw

QUICK = "not slow and not simulation and not tools and not spark and not dask"
KERNELS = "scorio/_kernels"
MARKER = """
import json, os
seen = set()
def reach(place):
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    key = (test.split("::")[0] if test.endswith("(setup)") else test.rpartition(" ")[0], place)
    if key not in seen:
        seen.add(key)
        with open(os.environ["REACHED"], "a") as file:
            file.write(json.dumps(key) + "\\n")
"""
MARKED_KERNELS = """
import functools, importlib, pkgutil, marker
def marked(call, place):
    return functools.wraps(call)(lambda *arguments, **options: (marker.reach(place), call(*arguments, **options))[1])
for found in pkgutil.iter_modules(__path__):
    module = importlib.import_module(f"{__name__}.{found.name}")
    for name, call in list(vars(module).items()):
        if type(call).__name__ == "cython_function_or_method":
            setattr(module, name, marked(call, found.name))
"""


def mark(source, places):
    """Return a module with a marker before the statement of each place: its number, and its first and last line."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for number, first, last in places:
        holds = lambda node, first=first, last=last: node.lineno <= first and last <= node.end_lineno
        blocks = [getattr(node, field, 0) for node in ast.walk(tree) for field in ("body", "orelse", "finalbody")]
        blocks = [block for block in blocks if isinstance(block, list)]
        block, statement = [(block, one) for block in blocks for one in block if holds(one)][-1]
        around = [node for node in functions if node is not statement and holds(node)]
        if around and not any("cache" in ast.dump(decorator) for decorator in around[-1].decorator_list):
            spots = [(block, block.index(statement))]
        else:  # it runs once in a process: every test that calls a function of the module is near
            spots = [(node.body, int(ast.get_docstring(node) is not None)) for node in functions]
        for body, at in spots:
            marker = ast.parse(f"__import__('marker').reach({number})").body[0]
            body.insert(at, ast.copy_location(marker, body[0]))
    return ast.unparse(ast.fix_missing_locations(tree))


class Recorder:
    """A plug-in of pytest that keeps the seconds of each test that passes."""

    def __init__(self, file):
        self.file = file

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            with self.file.open("a") as file:
                file.write(json.dumps([report.nodeid, report.duration]) + "\n")


class Chosen:
    """A plug-in of pytest that runs only some tests, by files in their order, each with a time limit."""

    def __init__(self, seconds, current):
        self.seconds, self.current = seconds, current
        self.files = list(dict.fromkeys(test.split("::")[0] for test in seconds))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid in self.seconds]
        items.sort(key=lambda item: (self.files.index(item.nodeid.split("::")[0]), self.seconds[item.nodeid]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.current.write_text(item.nodeid)
        signal.alarm(20 + int(10 * self.seconds[item.nodeid]))  # ends the process: what it runs may not return


class Tree:
    """A copy of the working tree, in which files are changed and tests are run."""

    def __init__(self, root, folder):
        unseen = shutil.ignore_patterns(".git", ".venv*", ".tools", "__pycache__", "build", "dist", "*_cache")
        self.root, self.path, self.own = root, folder / "tree", folder
        shutil.copytree(root, self.path, ignore=unseen)
        settings = Path("build/settings-of-kernels.txt")
        if (root / settings).exists():
            (self.path / "build").mkdir()
            shutil.copy2(root / settings, self.path / settings)
        (folder / "tmp").mkdir()
        self.clock = itertools.count(1_000_000_000)

    def write(self, file, text):
        """Write a module, with another time of change than ever before: Python may have kept the compiled one."""
        (self.path / file).write_text(text)
        os.utime(self.path / file, (next(self.clock),) * 2)

    @contextlib.contextmanager
    def changed(self, sources):
        """Change files for a time, and compile the kernels that depend on them; yield whether that succeeded."""
        kernels, built = any(not file.endswith(".py") for file in sources), True
        for file, text in sources.items():
            (self.path / file).write_text(text) if kernels else self.write(file, text)
        if kernels:
            command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
            built = subprocess.run(command, cwd=self.path, capture_output=True, check=False).returncode == 0
        yield built
        for file in sources:
            self.write(file, (self.root / file).read_text())
        if kernels:
            shutil.copytree(self.root / KERNELS, self.path / KERNELS, dirs_exist_ok=True)

    def run(self, plugin, *arguments):
        """Run tests in a fork, and return the exit code; it is negative if a signal ended the process."""
        child = os.fork()
        if child == 0:
            code = 3
            try:
                code = self._session(plugin, arguments)
            finally:
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(status)

    def _session(self, plugin, arguments):
        os.setsid()
        log = os.open(self.own / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(self.path)
        paths = {"PYTHONPATH": self.path, "TMPDIR": self.own / "tmp", "REACHED": self.own / "reached"}
        os.environ.update({name: str(path) for name, path in paths.items()})
        sys.path.insert(0, str(self.path))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", QUICK]
        return int(pytest.main([*options, "--rootdir", str(self.path), *arguments], plugins=[plugin]))


@functools.cache
def tree(root, scratch):
    """Return the tree of this process."""
    return Tree(root, Path(tempfile.mkdtemp(dir=scratch)))


def reached(root, scratch, folder, mutants):
    """Return the seconds of a folder's tests, and pairs of a test and what it reaches: a mutant by number, a kernel."""
    here, marked = tree(root, scratch), {}
    for file in {mutant.file for mutant in mutants if mutant.file.endswith(".py")}:
        source, places = (root / file).read_text(), []
        for number, mutant in enumerate(mutants):
            if mutant.file == file:
                first = source.count("\n", 0, mutant.place(source)) + 1
                places.append((number, first, first + mutant.before.count("\n")))
        marked[file] = mark(source, places)
    if (root / KERNELS).is_dir():
        marked[f"{KERNELS}/__init__.py"] = (root / KERNELS / "__init__.py").read_text() + MARKED_KERNELS
    (here.path / "marker.py").write_text(MARKER)
    for name in ("seconds", "reached"):
        (here.own / name).write_text("")
    with here.changed(marked):
        here.run(Recorder(here.own / "seconds"), folder)
    lines = [[json.loads(line) for line in (here.own / name).open()] for name in ("seconds", "reached")]
    if not lines[0]:
        raise RuntimeError(f"no test of {folder} passed:\n" + (here.own / "log").read_text()[-2000:])
    return dict(lines[0]), lines[1]


def users(root, file):
    """Return the kernels that are compiled from a file."""
    names, found = set(), {Path(file).stem}
    while found - names:
        names |= found
        sources = [path for path in (root / KERNELS).glob("*.p[yx][xd]") if path.suffix != ".pyi"]
        uses = re.compile(rf"from scorio\._kernels\.({'|'.join(names)}) cimport").search
        found = {path.stem for path in sources if uses(path.read_text())}
    return names


def grade(root, scratch, mutant, seconds):
    """Return "killed" with the test that failed, "survived", or that the kernel cannot be compiled.

    A test that fails on the unchanged package too, as one that depends on the others, kills nothing.
    """
    here = tree(root, scratch)
    current = here.own / "current"
    while True:
        with here.changed({mutant.file: mutant.apply((root / mutant.file).read_text())}) as built:
            if not built:
                return "not compiled", ""
            current.write_text("while the tests were collected")
            files = dict.fromkeys(test.split("::")[0] for test in seconds)
            code = here.run(Chosen(seconds, current), "-x", *files) if files else 0
        if code in (0, 5):
            return "survived", ""
        test = current.read_text()
        if test not in seconds or here.run(Chosen({test: seconds[test]}, current), test.split("::")[0]) == 0:
            return "killed", test
        seconds = {name: time for name, time in seconds.items() if name != test}


def folders(root, file):
    """Return the folders of tests of a module's own package."""
    package = Path(file).parts[1].removesuffix(".py").strip("_")
    if package == "kernels":
        return ["kernels", "metrics", "inference"]
    return [package] if (root / "tests" / package).is_dir() else ["package", "metrics"]


def digest(root, folder, mutants):
    """Return what the result of a first run depends on, as a short hash."""
    paths = [path for part in (folder, "tests/helpers", "scorio") for path in sorted((root / part).rglob("*.p*[dixy]"))]
    told = [repr(mutants), folder, *(path.read_text() for path in paths)]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def first_runs(pool, root, scratch, wanted, mutants):
    """Return the result of ``reached`` for each folder that is wanted, from an earlier run where nothing changed."""
    kept = {folder: root / "build/mutants" / f"{digest(root, folder, mutants)}.json" for folder in wanted}
    runs = {
        pool.submit(reached, root, scratch, folder, mutants): folder for folder in wanted if not kept[folder].exists()
    }
    for run in as_completed(runs):
        kept[runs[run]].parent.mkdir(parents=True, exist_ok=True)
        kept[runs[run]].write_text(json.dumps(run.result()))
        print(f"{runs[run]}: {len(run.result()[0])} tests", file=sys.stderr, flush=True)
    return {folder: json.loads(kept[folder].read_text()) for folder in wanted}


def nearest(root, number, mutant, runs):
    """Return the seconds of the tests that reach a mutant, those first whose file has a name like the module's."""
    places = {number} if mutant.file.endswith(".py") else users(root, mutant.file)
    words = set(Path(mutant.file).stem.split("_"))
    found, total = {}, collections.Counter()
    for seconds, pairs in runs:
        keys = {key for key, place in pairs if place in places}
        found |= {test: time for test, time in seconds.items() if test in keys or test.split("::")[0] in keys}
    for test, time in found.items():
        total[test.split("::")[0]] += time
    order = sorted(total, key=lambda file: (-len(words & set(Path(file).stem.split("_"))), total[file]))
    return {test: time for file in order for test, time in found.items() if test.split("::")[0] == file}


def grade_all(pool, root, scratch, mutants):
    """Return the verdict on each mutant: who killed it, or that it survived, or that it cannot be compiled."""
    verdicts = {}
    for judge in ("contract", "own tests"):
        left = [number for number in range(len(mutants)) if number not in verdicts]
        of = {n: ["contract"] if judge == "contract" else folders(root, mutants[n].file) for n in left}
        of = {n: [f"tests/{name}" for name in names if (root / "tests" / name).is_dir()] for n, names in of.items()}
        runs = first_runs(pool, root, scratch, sorted({folder for some in of.values() for folder in some}), mutants)
        jobs = {}
        for number in left:
            tests = nearest(root, number, mutants[number], [runs[folder] for folder in of[number]])
            jobs[pool.submit(grade, root, scratch, mutants[number], tests)] = number
        for job in as_completed(jobs):
            (verdict, test), number = job.result(), jobs[job]
            if verdict != "survived" or judge == "own tests":
                verdicts[number] = judge if verdict == "killed" else verdict
                print(f"{verdict} {test}\n{mutants[number]}\n", flush=True)
    return [verdicts[number] for number in range(len(mutants))]


def table(mutants, verdicts):
    """Return the numbers of mutants by package and verdict, as lines of text."""
    columns = ("contract", "own tests", "survived", "not compiled")
    packages = [Path(mutant.file).parts[1] for mutant in mutants]
    lines = ["package              " + "".join(f"{column:>14}" for column in columns)]
    for package in [*sorted(set(packages)), "all"]:
        found = [verdict for own, verdict in zip(packages, verdicts, strict=True) if package in (own, "all")]
        lines.append(f"{package:21}" + "".join(f"{found.count(column):14}" for column in columns))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=130, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--file", type=Path, help="mutants to grade in place of drawn ones: a JSON object per line")
    parser.add_argument("--draw", action="store_true", help="write such a file to the output, and grade nothing")
    parser.add_argument("--survivors", type=Path, help="write the mutants that survive to such a file")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the working tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many mutants to grade at a time")
    options = parser.parse_args()
    root = options.root.resolve()
    if options.file:
        mutants = [Mutant(**json.loads(line)) for line in options.file.open()]
    else:
        mutants = draw(root, options.count, options.seed)
    if options.draw:
        print(*(json.dumps(mutant._asdict()) for mutant in mutants), sep="\n")
        return
    sys.dont_write_bytecode = False
    for name in ("mpmath", "numpy", "scipy.optimize", "scipy.stats"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(options.jobs, mp_context=fork) as pool:
        verdicts = grade_all(pool, root, Path(scratch), mutants)
    print(*table(mutants, verdicts), sep="\n")
    if options.survivors:
        alive = [mutant for mutant, verdict in zip(mutants, verdicts, strict=True) if verdict == "survived"]
        options.survivors.write_text("".join(json.dumps(mutant._asdict()) + "\n" for mutant in alive))


if __name__ == "__main__":
    main()
