"""pytest plug-in: a test with the mark ``trials`` runs ``n`` times, and its success rate decides whether it passes.

pytest loads this module in every environment that has scorio. So it imports nothing but pytest until a test has the
mark, and adds nothing but the mark: no option, setting or fixture that another plug-in could have too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import pytest

__all__: list[str] = []
_CALL = "trials(n, at_least, confidence=0.95, undecided='fail')"
_MARK = (
    f"{_CALL}: run the test n times, and say whether it passes with a probability of at least at_least; "
    "undecided='pass' does not fail the run where the trials do not tell (scorio)"
)
_NAMES = ("n", "at_least", "confidence", "undecided")
_ENDS = ("fail", "pass")  # what a test that is undecided does to the run
_ABOUT = "scorio_trials"  # the attribute of a report that has the verdict, its sentence, and the first failure
_TRIALS, _VERDICT = "scorio_trials", "scorio_verdict"  # the properties of a test case in JUnit XML
_SIGNS = {True: "1", False: "0", None: "-"}  # a trial that passed, that failed, and that was skipped
_COLORS = {"passed": "green", "failed": "red", "undecided": "yellow"}


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", _MARK)


@dataclass(frozen=True)
class _Asked:
    """The arguments of the mark."""

    n: int
    at_least: float
    confidence: float
    undecided: str

    @classmethod
    def of(cls, item: pytest.Item) -> _Asked | None:
        """Return what the test's mark asks for; None without a mark, and for a mark of the project with this name."""
        mark = item.get_closest_marker("trials")
        registered = (
            line.partition(":")[0].partition("(")[0].strip() for line in item.config.getini("markers") if line != _MARK
        )
        if mark is None or ("at_least" not in mark.kwargs and "trials" in registered):
            return None
        with _own_filters():
            from ..errors import ParameterError
            from ..params import choice, count, open_unit

            given: dict[str, Any] = {"confidence": 0.95, "undecided": "fail", **mark.kwargs}
            if mark.args or set(given) != set(_NAMES):
                wrong = [*map(repr, mark.args), *sorted(set(given).symmetric_difference(_NAMES))]
                raise ParameterError(f"the mark is written {_CALL}, each by name; missing or too much: {wrong}")
            if next(item.iter_markers("xfail"), None) is not None:
                raise ParameterError("a test with the mark trials cannot have the mark xfail: ask for a lower rate")
            choice("undecided", given["undecided"], _ENDS)
            rates = {name: open_unit(name, given[name]) for name in ("at_least", "confidence")}
            return cls(n=count("n", given["n"]), undecided=given["undecided"], **rates)


@contextmanager
def _own_filters() -> Iterator[None]:
    """Leave a test's filters of warnings to the test: they are not about the libraries that judge it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a mark that cannot be followed."""
    problem = ""
    try:
        _Asked.of(item)
    except ValueError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run the trials of a test with the mark, and report them as one test; other tests are left to pytest."""
    try:
        asked = _Asked.of(item)
    except ValueError:
        return None  # its setup says what is wrong
    if asked is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, asked, nextitem):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports(item: pytest.Item, asked: _Asked, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run the trials, each with fixtures of its own, and return the reports of one test.

    Fixtures of a wider scope, such as a module's, are shared by all trials. Where a setup or a teardown fails, where
    the setup skips the test and where nothing is called, the reports of that trial are those of the test.
    """
    from _pytest.runner import runtestprotocol

    recorded, calls = list(item.user_properties), []
    spent = {"setup": 0.0, "call": 0.0, "teardown": 0.0}
    reports: list[pytest.TestReport] = []
    for left in reversed(range(asked.n)):
        item.user_properties[:] = recorded  # by the last trial only
        item._report_sections.clear()
        # Until the last trial, what follows is the test's own module or class, so that its fixtures stay.
        following: Any = item.parent if left else nextitem
        reports = runtestprotocol(item, log=False, nextitem=following)
        if len(reports) < len(spent) or reports[0].failed or reports[-1].failed:
            return [*reports, *_torn_down(item, nextitem)] if left else reports
        for phase, report in zip(spent, reports, strict=True):
            spent[phase] += report.duration
        calls.append(reports[1])
    passed = [None if call.skipped and not hasattr(call, "wasxfail") else call.passed for call in calls]
    if any(has_passed is not None for has_passed in passed):
        reports[1] = _judged(item, asked, calls, passed)
        about = getattr(reports[1], _ABOUT)
        shown = [(_TRIALS, "".join(map(_SIGNS.__getitem__, passed))), (_VERDICT, about["verdict"])]
        for phase_report in reports:
            phase_report.user_properties = [*item.user_properties, *shown]
    for phase, report in zip(spent, reports, strict=True):
        report.duration = spent[phase]
    return reports


def _torn_down(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """End fixtures of a wider scope that the next test does not need, after trials that ended early."""
    call = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown")
    return [pytest.TestReport.from_item_and_call(item, call)] if call.excinfo else []


def _judged(
    item: pytest.Item, asked: _Asked, calls: Sequence[pytest.TestReport], passed: Sequence[bool | None]
) -> pytest.TestReport:
    """Return the report of the test: that it passed, or failed with the first failure of its trials."""
    verdict, text = _verdict(item.name, asked, passed)
    fails = verdict == "failed" or (verdict == "undecided" and asked.undecided == "fail")

    def outcome() -> None:
        if fails:
            pytest.fail(text, pytrace=False)

    when: Literal["call"] = "call"
    report = pytest.TestReport.from_item_and_call(item, pytest.CallInfo.from_call(outcome, when=when))
    first = next((i for i, has_passed in enumerate(passed) if has_passed is False), None)
    failure = "" if first is None else str(calls[first].longrepr)
    if first is not None:
        report.sections = list(calls[first].sections)
        add: Any = getattr(report.longrepr, "addsection", None)
        if fails and add is not None:
            add(f"trial {first + 1} of {asked.n}, the first that failed", failure)
    setattr(report, _ABOUT, {"verdict": verdict, "text": text, "failure": failure})
    return report


def _verdict(name: str, asked: _Asked, passed: Sequence[bool | None]) -> tuple[str, str]:
    """Return the verdict about a test and its sentence: that of a gate, by the exact binomial test of the trials."""
    successes, trials = passed.count(True), len(passed) - passed.count(None)
    with _own_filters():
        from ..comparison import gate
        from ..outcomes import OutcomeMatrix

        outcomes = OutcomeMatrix.from_counts([successes], [trials], planned=[asked.n], questions=[name])
        about: dict[str, Any] = {"per_question": asked.at_least, "confidence": asked.confidence}
        judged = gate(None, outcomes, question_rule="binomial", **about).questions
    if judged is None:
        raise AssertionError(name)
    [row], verdict = judged.rows, judged.verdict
    rates = {"passed": f"at least {row.lo:.3f}", "failed": f"at most {row.hi:.3f}"}
    rate = rates.get(row.verdict, f"{row.lo:.3f} to {row.hi:.3f}")
    parts = [f"{successes} of {trials} trials passed, which shows a success rate of {rate}"]
    parts.append(f"at least {asked.at_least:g} is asked for")
    if trials < asked.n:
        parts.append(f"{asked.n - trials} of {asked.n} were skipped")
    if judged.problem:
        parts.append("too few of the planned trials were run")
    elif verdict == "undecided":
        parts.append(_advice(asked, row.repeats))
    return verdict, f"{verdict}: {'; '.join(parts)}"


def _advice(asked: _Asked, repeats: int | None) -> str:
    """Say how many trials would tell."""
    error = 1.0 - asked.confidence
    fewest = math.ceil(math.log(error) / math.log(asked.at_least))
    if asked.n < fewest:
        return f"{asked.n} trials can never show it: n={fewest} is the least, if all pass"
    if repeats is None:
        return "the rate is too close to it for a number of trials that one would run"
    return f"n={repeats} would tell with 80% probability, if the rate is the present one"


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """Count and show a test that is undecided as what it is."""
    about = getattr(report, _ABOUT, None)
    if about is None or about["verdict"] != "undecided":
        return None
    return "undecided", "?", ("UNDECIDED", {"yellow": True})


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write the sentence of every test that is undecided or failed, with -v also of those that passed."""
    is_verbose = int(config.getoption("verbose") or 0) > 0
    reports = [report for reports in terminalreporter.stats.values() for report in reports if hasattr(report, _ABOUT)]
    shown = [(report, getattr(report, _ABOUT)) for report in reports]
    shown = [(report, about) for report, about in shown if is_verbose or about["verdict"] != "passed"]
    if shown:
        terminalreporter.write_sep("=", "trials")
    for report, about in shown:
        terminalreporter.write_line(f"{report.nodeid}", **{_COLORS[about["verdict"]]: True})
        terminalreporter.write_line(f"  {about['text']}")
        if about["verdict"] == "undecided" and about["failure"]:
            terminalreporter.write_line(about["failure"])
