"""Reports of tests as JSON: CTRF, the Common Test Report Format, and pytest-json-report; as JUnit XML is read."""

from collections.abc import Iterator
from typing import Any

from ...errors import OutcomeError
from .._files import LogFile
from .._format import Format
from .._records import Run
from .._request import Request
from ..checks import items, label, mapping, shown, whole, within
from .junit import Case, run_of_cases

_CTRF = {"passed": 1.0, "failed": 0.0, "skipped": None, "pending": None, "other": None}
_NOT_RUN = (
    "setup",
    "teardown",
    "error",
    "interrupted",
)  # how words for failures outside the test begin
_PYTEST = {"passed": 1.0, "failed": 0.0, "xpassed": 1.0, "xfailed": None, "skipped": None, "error": None}


class CtrfFormat(Format):
    """Test reports in the Common Test Report Format."""

    name = "ctrf"

    def matches(self, file: LogFile) -> bool:
        results = file.document.get("results") if isinstance(file.document, dict) else None
        return isinstance(results, dict) and results.keys() >= {"tool", "summary", "tests"}

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        results = mapping(mapping(file.document, "the report").get("results"), "results")
        return [run_of_cases(file, [*_cases(results, "results.tests", _ctrf_case)])]


class PytestJsonFormat(Format):
    """Test reports of pytest-json-report."""

    name = "pytest-json"

    def matches(self, file: LogFile) -> bool:
        return file.has_keys("exitcode", "root", "summary", "tests")

    def read(self, file: LogFile, request: Request) -> list[Run]:  # noqa: ARG002 - there is nothing to choose
        return [run_of_cases(file, [*_cases(mapping(file.document, "the report"), "tests", _pytest_case)])]


def _cases(report: dict[str, Any], name: str, case_of: Any) -> Iterator[Case]:
    for i, entry in enumerate(items(report.get("tests"), name)):
        with within(f"test {i + 1}"):
            yield case_of(mapping(entry, "a test"))


def _ctrf_case(row: dict[str, Any]) -> Case:
    """Return a test; one that was retried counts with its first attempt, which failed, or it would not be retried."""
    name, suite = label(row.get("name"), "the name"), row.get("suite") or []
    parts = [suite] if isinstance(suite, str) else [label(each, "a suite") for each in items(suite, "suite")]
    whole_name = name if not parts or name.startswith(parts[0]) else " > ".join([*parts, name])
    outcome = _known(_CTRF, row.get("status"), "status")
    if outcome == 0.0 and str(row.get("rawStatus") or "").lower().startswith(_NOT_RUN):
        outcome = None
    if whole(row.get("retries") or 0, "retries"):
        outcome = 0.0
    return Case(whole_name.partition("[")[0], whole_name, outcome)


def _pytest_case(row: dict[str, Any]) -> Case:
    name = label(row.get("nodeid"), "nodeid")
    return Case(name.partition("[")[0], name, _known(_PYTEST, row.get("outcome"), "outcome"))


def _known(outcomes: dict[str, float | None], value: Any, name: str) -> float | None:
    if not isinstance(value, str) or value not in outcomes:
        raise OutcomeError(f"{name} must be one of {', '.join(outcomes)}; got {shown(value)}")
    return outcomes[value]
