"""Reports of tests as JSON: CTRF, the Common Test Report Format, and pytest-json-report; as JUnit XML is read."""

from . import At, Format, LogFile, Request, Run, document_with, shown
from .junit import Case, run_of_cases

_CTRF = {"passed": 1.0, "failed": 0.0, "skipped": None, "pending": None, "other": None}
_NOT_RUN = ("setup", "teardown", "error", "interrupted")  # how words for failures outside the test begin
_PYTEST = {"passed": 1.0, "failed": 0.0, "xpassed": 1.0, "xfailed": None, "skipped": None, "error": None}


class CtrfFormat(Format):
    """Test reports in the Common Test Report Format."""

    name = "ctrf"

    def matches(self, file: LogFile) -> bool:
        return At(file.at.plain.get("results")).plain.keys() >= {"tool", "summary", "tests"}

    def read(self, file: LogFile, request: Request) -> Run:  # noqa: ARG002 - there is nothing to choose
        return run_of_cases([_ctrf_case(row) for row in file.at["results.tests"].needed.rows])


class PytestJsonFormat(Format):
    """Test reports of pytest-json-report."""

    name = "pytest-json"
    layouts = (document_with("exitcode", "root", "summary", "tests"),)

    def read(self, file: LogFile, request: Request) -> Run:  # noqa: ARG002 - there is nothing to choose
        rows = file.at["tests"].needed.rows
        return run_of_cases([Case(row["nodeid"].text, _known(_PYTEST, row["outcome"])) for row in rows])


def _ctrf_case(row: At) -> Case:
    """Return a test; one that was retried counts with its first attempt, which failed, or it would not be retried."""
    name, suite = row["name"].text, row["suite"]
    parts = [suite.value] if isinstance(suite.value, str) and suite else [each.text for each in suite.rows]
    whole_name = name if not parts or name.startswith(parts[0]) else " > ".join([*parts, name])
    outcome = _known(_CTRF, row["status"])
    if outcome == 0.0 and str(row["rawStatus"].value or "").lower().startswith(_NOT_RUN):
        outcome = None
    return Case(whole_name, 0.0 if row["retries"].whole_or(0) else outcome)


def _known(outcomes: dict[str, float | None], word: At) -> float | None:
    if not isinstance(word.value, str) or word.value not in outcomes:
        raise word.fault(f"{word.key} must be one of {', '.join(outcomes)}; got {shown(word.value)}")
    return outcomes[word.value]
