"""Reports of pytest-json-report; as JUnit XML is read."""

from . import At, Format, LogFile, Request, Run, document_with, shown
from .junit import Case, run_of_cases

_OUTCOMES = {"passed": 1.0, "failed": 0.0, "xpassed": 1.0, "xfailed": None, "skipped": None, "error": None}


class PytestJsonFormat(Format):
    """Test reports of pytest-json-report."""

    name = "pytest-json"
    layouts = (document_with("exitcode", "root", "summary", "tests"),)

    def read(self, file: LogFile, request: Request) -> Run:  # noqa: ARG002 - there is nothing to choose
        rows = file.at["tests"].needed.rows
        return run_of_cases([Case(row["nodeid"].text, _outcome(row["outcome"])) for row in rows])


def _outcome(word: At) -> float | None:
    if not isinstance(word.value, str) or word.value not in _OUTCOMES:
        raise word.fault(f"{word.key} must be one of {', '.join(_OUTCOMES)}; got {shown(word.value)}")
    return _OUTCOMES[word.value]
