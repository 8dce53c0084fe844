"""JUnit XML and pytest-json-report: a test case is a trial, and repeats of a test are trials of one question."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.parsers.expat import ErrorString

from ...errors import OutcomeError
from .. import At, Format, LogFile, Request, Run, Trial, document_with, grouped

_ROOT = re.compile(rb"<testsuites?[\s>/]")
_REPEAT = re.compile(r"(?P<stem>.*\[(?:.*-)?)(?P<repeat>\d+)-(?P<count>\d+)\]", re.DOTALL)  # of pytest-repeat
_OUTCOMES = {"failure": 0.0, "error": None, "skipped": None}  # by the element in a test case; without one, it passed
_WORDS = {"passed": 1.0, "failed": 0.0, "xpassed": 1.0, "xfailed": None, "skipped": None, "error": None}
_MOST_BYTES = 1 << 28
_Case = tuple[str, float | None]  # the whole name of a test case, and its outcome


class JUnitFormat(Format):
    """Test reports as JUnit XML."""

    name = "junit"
    is_json = False

    def matches(self, file: LogFile) -> bool:
        return file.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<") and bool(_ROOT.search(file.head))

    def read(self, file: LogFile, request: Request) -> Run:
        if file.size > _MOST_BYTES:
            raise OutcomeError(f"it has more than {_MOST_BYTES >> 20} MiB, which no test report has")
        if b"<!DOCTYPE" in file.head:
            raise OutcomeError("it declares a document type, which such files do not have: it is not read")
        return _run_of_cases([_case(element, number) for number, element in enumerate(_cases(file.path), 1)])


class PytestJsonFormat(Format):
    """Test reports of pytest-json-report."""

    name = "pytest-json"
    layouts = (document_with("exitcode", "root", "summary", "tests"),)

    def read(self, file: LogFile, request: Request) -> Run:
        rows = file.at["tests"].needed.rows
        return _run_of_cases([(row["nodeid"].text, row["outcome"].meaning(_WORDS)) for row in rows])


def _run_of_cases(cases: Sequence[_Case]) -> Run:
    """Return the run of a test report: the file's name is the model, a test is a question, its repeats are trials."""
    if not cases:
        raise OutcomeError("there is no test case")
    asked = zip(_questions([name for name, _ in cases]), cases, strict=True)
    return Run("", [Trial(question, i, outcome) for i, (question, (_, outcome)) in enumerate(asked)])


def _cases(path: Path) -> Iterator[ET.Element]:
    """Yield the test cases of a file, which are forgotten afterwards."""
    try:
        for _, element in ET.iterparse(path):  # noqa: S314 - document types, and so entities, are refused
            if element.tag == "testcase":
                yield element
                element.clear()
    except ET.ParseError as error:
        problem = f"line {error.position[0]} is not valid XML: {ErrorString(error.code)}"
        raise OutcomeError(problem) from None
    except (ValueError, LookupError) as error:  # an encoding that is unknown
        raise OutcomeError(f"it is not valid XML: {error}") from None


def _case(element: ET.Element, number: int) -> _Case:
    name, module = At(element.attrib, f"test case {number}")["name"].text, element.get("classname")
    outcome = next((outcome for mark, outcome in _OUTCOMES.items() if element.find(mark) is not None), 1.0)
    return f"{module}::{name}" if module else name, outcome


def _questions(names: Sequence[str]) -> list[str]:
    """Return the question of each test case: its name without the number of the repeat, as pytest-repeat writes it.

    A test function is repeated if all its cases are of the same count, and one of them has every repeat; else the
    numbers are parameters.
    """
    questions = {name: name for name in names}
    for of_function in grouped(questions, lambda name: name.partition("[")[0]).values():
        repeats = [match for match in map(_REPEAT.fullmatch, of_function) if match]
        counts = {int(match["count"]) for match in repeats}
        if len(repeats) < len(of_function) or len(counts) > 1 or not 1 < (count := counts.pop()) <= len(repeats):
            continue
        by_stem = grouped(repeats, lambda match: match["stem"])
        if any({int(match["repeat"]) for match in cases} >= {*range(1, count + 1)} for cases in by_stem.values()):
            stems = ((match.string, match["stem"]) for match in repeats)
            questions |= {name: stem[:-1] if stem[-1] == "[" else f"{stem.removesuffix('-')}]" for name, stem in stems}
    return [questions[name] for name in names]
