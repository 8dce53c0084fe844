"""The pytest plug-in, in sessions of their own: verdicts at their rates, reports, fixtures, and other people's runs."""

import math
import os
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import pytest

import scorio
from helpers.written import counts

SOURCE = Path(scorio.__file__).parents[1]
PLUGIN = "scorio.integrations.pytest_trials"
STRICT = ("--strict-markers", "--strict-config", "-W", "error")
MARKED = """
import pytest, random, unittest

trials = pytest.mark.trials
numbers = random.Random(1)
events = []


@pytest.fixture(scope="module")
def shared():
    events.append("module")
    yield events
    assert events.count("module") == 1 and events.count("set up") == events.count("torn down") == 6


@pytest.fixture
def fresh(shared):
    events.append("set up")
    yield []
    events.append("torn down")


@trials(n=6, at_least=0.5)
def test_fixtures(fresh, tmp_path):  # passed
    fresh.append(1)
    (tmp_path / "file").touch(exist_ok=False)
    assert fresh == [1] and events.count("set up") == events.count("torn down") + 1


@trials(n=20, at_least=0.8)
def test_good(): pass  # passed


@trials(n=20, at_least=0.8)
def test_bad(capsys):  # failed
    print("said by a trial")
    assert numbers.random() < 0.3, "a bad answer"


@trials(n=10, at_least=0.8)
def test_ten(): pass  # undecided


@trials(n=10, at_least=0.8, undecided="pass")
def test_ten_may_pass(): pass  # passed


@trials(n=10, at_least=0.8)
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_parameters(rate): assert rate == 1.0


class TestOldStyle(unittest.TestCase):
    def setUp(self): self.made = []

    @trials(n=14, at_least=0.8)
    def test_case(self):  # passed
        self.made.append(1)
        self.assertEqual(self.made, [1])


@trials(n=20, at_least=0.8)
def test_some_are_skipped():  # undecided
    if numbers.random() < 0.5: pytest.skip("the service is away")


@trials(n=20, at_least=0.8)
def test_all_are_skipped(): pytest.skip("no service")  # skipped


@pytest.mark.skipif(True, reason="not here")
@trials(n=20, at_least=0.8)
def test_is_skipped(): raise AssertionError  # skipped


@pytest.fixture
def broken(): raise OSError("no disk")


@trials(n=20, at_least=0.8)
def test_setup_fails(broken): pass  # error


left = []


@pytest.fixture
def late():
    yield
    left.append(1)
    assert len(left) < 3, "the third teardown fails"


@trials(n=20, at_least=0.8)
def test_teardown_fails(late): pass  # error


@trials(10, 0.8)
def test_by_position(): pass  # error


@trials(n=10, at_least=80)
def test_per_cent(): pass  # error


@trials(n=10, at_least=0.8, undecided="stop")
def test_word(): pass  # error


@pytest.mark.xfail
@trials(n=10, at_least=0.8)
def test_xfail(): pass  # error


def test_usual(): pass  # passed


def test_usual_failure(): assert False  # failed
"""
NEXT = "def test_next(): pass  # passed\n"
OF_PARAMETERS = {"test_parameters[0.0]": "failed", "test_parameters[1.0]": "undecided"}
VERDICTS = dict(re.findall(r"def (test_\w+)\(.*  # (\w+)\n", MARKED + NEXT)) | OF_PARAMETERS


def session(folder, *options, files=None, plugins=(PLUGIN,), code=None, **environment):
    """Run pytest in a folder with these files, with no plug-ins but these."""
    for name, text in (files or {}).items():
        (folder / name).write_text(text)
    env = (
        os.environ | {"PYTHONPATH": str(SOURCE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"} | environment
    )
    env.pop("PYTEST_ADDOPTS", None)
    loaded = [part for name in plugins for part in ("-p", name)]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *loaded, *options]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout


def cases(path):
    """The verdict of every test case of a JUnit file, from its elements alone."""
    found = {}
    for case in ET.parse(path).iter("testcase"):
        kinds = {each.tag: each for each in case if each.tag in ("failure", "error", "skipped")}
        verdict = next(iter(kinds), "passed").replace("failure", "failed")
        if case.find("properties/property[@name='scorio_verdict'][@value='undecided']") is not None and kinds:
            verdict = "undecided"
        found[case.get("name")] = verdict
    return found


@pytest.fixture(scope="module", params=["one process", "two processes"])
def marked(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("marked")
    options, plugins = [], [PLUGIN]
    if request.param == "two processes":
        pytest.importorskip("xdist")
        options, plugins = ["-n", "2"], [PLUGIN, "xdist.plugin"]
    files = {"test_marked.py": MARKED, "test_next.py": NEXT}
    text = session(folder, *STRICT, *options, "--junitxml=report.xml", files=files, plugins=plugins, code=1)
    return folder, text


@pytest.mark.slow
def test_every_test_has_its_verdict_in_one_process_and_in_several(marked):
    folder, text = marked
    assert cases(folder / "report.xml") == VERDICTS
    kinds = [*VERDICTS.values()]
    last = text.splitlines()[-1]
    for kind in ("failed", "skipped"):
        assert f"{kinds.count(kind)} {kind}" in last, last
    assert f"{kinds.count('undecided') + 1} undecided" in last  # one lets the run pass, so that its case passes
    suite = ET.parse(folder / "report.xml").find("testsuite")
    assert int(suite.get("failures")) == kinds.count("failed") + kinds.count("undecided")
    assert int(suite.get("errors")) == kinds.count("error")


@pytest.mark.slow
def test_what_people_read(marked):
    _, text = marked
    assert "undecided: 10 of 10 trials passed, which shows a success rate of 0.741 to 1.000; at least 0.8" in text
    assert "10 trials can never show it: n=14 is the least, if all pass" in text
    assert re.search(r"failed: \d of 20 trials passed, which shows a success rate of at most 0\.\d+; at least", text)
    assert re.search(r"trial \d of 20, the first that failed", text)
    assert "a bad answer" in text
    assert "of 20 were skipped; too few of the planned trials were run" in text
    assert "the third teardown fails" in text
    assert "at_least must be a number strictly between 0 and 1; got 80" in text
    assert "the mark is written trials(n, at_least, confidence=0.95, undecided='fail')" in text
    assert "cannot have the mark xfail: ask for a lower rate" in text
    assert "test_good" not in text.partition("= trials =")[2]


@pytest.mark.slow
def test_the_report_is_read_as_trials(marked):
    folder, _ = marked
    report = scorio.read(folder / "report.xml")
    found = {name.rpartition("::")[2]: each for name, each in counts(report)["report"].items()}
    assert found["test_good"] == [0, 20]
    assert found["test_ten"] == [0, 10]
    assert found["test_parameters[0.0]"] == [10, 0]
    assert sum(found["test_some_are_skipped"]) < 20
    planned = dict(zip(report.questions, report["report"].planned_trials.tolist(), strict=True))
    assert planned["test_marked::test_some_are_skipped"] == 20


FLAKY = """
import random, pytest
from collections import defaultdict

rates = {{"at the limit": 0.8, "below": 0.5, "above": 0.98}}
numbers = defaultdict(dict)


@pytest.mark.trials(n={n}, at_least=0.8)
@pytest.mark.parametrize("run", range({runs}))
@pytest.mark.parametrize("rate", rates)
def test_flaky(rate, run):
    own = numbers[rate].setdefault(run, random.Random(f"{{rate}} {{run}}"))
    assert own.random() < rates[rate]
"""


def exact(n, rate, limit, error):
    """The probabilities to pass and to fail, by adding up fractions: each tail at the limit is at most the error."""

    def chance(k, p):
        return math.comb(n, k) * p**k * (1 - p) ** (n - k)

    passes = [k for k in range(n + 1) if sum(chance(i, limit) for i in range(k, n + 1)) <= error]
    fails = [k for k in range(n + 1) if sum(chance(i, limit) for i in range(k + 1)) <= error]
    return tuple(float(sum(chance(k, rate) for k in each)) for each in (passes, fails))


@pytest.mark.simulation
def test_false_passes_and_false_fails_are_at_their_rates(tmp_path):
    """400 runs of flaky tests of known rate in two processes; bounds are three standard errors."""
    pytest.importorskip("xdist")
    n, runs = 14, 400
    text = FLAKY.format(n=n, runs=runs)
    session(
        *(tmp_path, *STRICT, "-n", "2", "-q", "--tb=no", "--junitxml=report.xml"),
        files={"test_flaky.py": text},
        plugins=(PLUGIN, "xdist.plugin"),
        code=1,
    )
    verdicts = cases(tmp_path / "report.xml")
    assert len(verdicts) == 3 * runs
    for name, rate in (("at the limit", "0.8"), ("below", "0.5"), ("above", "0.98")):
        mine = [verdict for case, verdict in verdicts.items() if f"[{name}-" in case]
        chances = exact(n, Fraction(rate), Fraction("0.8"), Fraction("0.05"))
        if name == "at the limit":
            assert max(chances) <= 0.05
        for kind, chance in zip(("passed", "failed"), chances, strict=True):
            share, error = mine.count(kind) / runs, (chance * (1 - chance) / runs) ** 0.5
            assert abs(share - chance) <= 3 * error + 1e-9, (name, kind, share, chance)


@pytest.mark.slow
def test_without_the_mark_nothing_is_loaded_and_nothing_changes(tmp_path):
    """In an environment with the entry point of pyproject.toml, as an installation has it."""
    if not (SOURCE / "pyproject.toml").exists():
        pytest.skip("needs the sources")
    [(name, module)] = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["entry-points"][
        "pytest11"
    ].items()
    assert module == PLUGIN
    place = tmp_path / "site" / "with_the_plugin-1.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: with-the-plugin\nVersion: 1\n")
    (place / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    usual = """
import sys

def test_light(request):
    assert request.config.pluginmanager.has_plugin("scorio")
    loaded = {each for each in sys.modules if each.split(".")[0] in ("scorio", "numpy", "scipy", "click")}
    assert loaded == {"scorio", "scorio.integrations", "scorio.integrations.pytest_trials"}
"""
    own = """
import pytest

@pytest.mark.trials(3)
def test_own_mark(): pass

@pytest.mark.trials(n=3)
def test_own_mark_by_name(): pass
"""
    folder = tmp_path / "project"
    folder.mkdir()
    files = {"test_light.py": usual, "test_own.py": own, "pytest.ini": "[pytest]\nmarkers =\n    trials(n): ours\n"}
    path = os.pathsep.join([str(place.parent), str(SOURCE)])
    options = ["-p", "no:xdist", "-p", "no:benchmark", *STRICT, "-q"]
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "", "PYTHONPATH": path}
    text = session(folder, *options, files=files, plugins=(), code=0, **env)
    assert "3 passed" in text
    assert "trials(n, at_least" in session(folder, "--markers", "-p", "no:xdist", plugins=(), **env)


@pytest.mark.slow
def test_options_of_pytest_keep_their_meaning(tmp_path):
    files = {
        "test_a.py": "import pytest\n\n@pytest.mark.trials(n=5, at_least=.5)\ndef test_a(tmp_path): assert False\n"
        "def test_b(): pass\n"
    }
    assert "1 failed in" in session(tmp_path, "-x", files=files, code=1)
    assert "2 tests collected" in session(tmp_path, "--collect-only", code=0)
    assert "no tests ran" in session(tmp_path, "--setup-plan", code=0)
    verbose = session(tmp_path, "-v", code=1)
    assert "test_a.py::test_a FAILED" in verbose
    assert "failed: 0 of 5 trials passed, which shows a success rate of at most 0.451" in verbose
    assert "passed" in session(tmp_path, "-p", "no:scorio", "-k", "test_b", code=0)
