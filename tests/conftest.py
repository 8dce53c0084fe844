"""Settings and fixtures of all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

from scorio.metrics import _names

# A slow machine is no fault of an example's. The same examples are drawn each time, so that a change fails for what it
# did; `pytest --hypothesis-profile search` draws others, and tools/fuzz.py draws a million.
settings.register_profile("scorio", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None)
settings.load_profile("scorio")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run the quick tests of folders, and a whole suite in several processes, unless the command says otherwise."""
    options, paths = config.option, [Path(argument.split("::")[0]).resolve() for argument in config.args]
    if not options.markexpr and all(path.is_dir() for path in paths):
        options.markexpr = "not slow and not tools and not spark and not timing"
    whole = any(Path(__file__).is_relative_to(path) for path in paths)
    free = getattr(options, "numprocesses", 0) is None and options.dist == "no" and not options.usepdb
    if whole and free and not hasattr(config, "workerinput"):  # that is, pytest-xdist is there, and this is no worker
        options.numprocesses, options.dist = "logical", "worksteal"  # long tests at the end keep no process waiting
        options.maxprocesses = options.maxprocesses or 8  # each may need a gigabyte of memory


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Simulations are slow tests, too; outcomes that hypothesis draws may look as if their axes were swapped."""
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.filterwarnings("ignore::scorio.errors.AxesWarning"))
        if item.get_closest_marker("simulation"):
            item.add_marker("slow")
            item.add_marker(pytest.mark.timeout(1200))


@pytest.fixture
def own_names(monkeypatch):
    """Forget the names of the metrics that a test defines."""
    monkeypatch.setattr(_names, "_classes", dict(_names._classes))
