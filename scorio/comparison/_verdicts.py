"""Verdicts: passed, failed or undecided, the exit codes that stand for them, and their JUnit XML."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from .._display.exports import Exports
from .._display.table import plain
from ..errors import ParameterError
from ..params import open_unit

PASSED, FAILED, UNDECIDED = VERDICTS = ("passed", "failed", "undecided")
SUPPORTED, CONTRADICTED, OPEN = "supported", "contradicted", "open"  # of claims
EXIT_CODES: Mapping[str, int] = MappingProxyType(
    {PASSED: 0, SUPPORTED: 0, FAILED: 1, CONTRADICTED: 1, UNDECIDED: 3, OPEN: 3}
)
WORSE, EQUIVALENT = (
    "worse",
    "equivalent",
)  # modes of a gate: the one that is not told another, and that in two directions
CHANCE = 0.8  # that the data which are asked for are enough
MOST_EFFORT = 1000.0  # times as much data that are worth naming
_NAME = "scorio gate"  # of what is judged, in files for other systems
_JUNIT = {FAILED: "failure", UNDECIDED: "error"}
_LEVELS = {FAILED: "error", UNDECIDED: "warning"}  # of annotations


def error_of(confidence: float) -> float:
    """Return the probability of a wrong one-sided statement at this confidence, which must be above 1/2."""
    error: float = 1.0 - open_unit("confidence", confidence)
    if error >= 0.5:
        raise ParameterError(f"must be above 0.5; got {confidence!r}", argument="confidence")
    return error


def worst_of(verdicts: Iterable[str]) -> str:
    """Return the verdict of several: failed if any failed, else undecided if any is undecided, else passed.

    >>> worst_of(["passed", "undecided", "passed"])
    'undecided'
    """
    kinds = set(verdicts)
    return next((verdict for verdict in (FAILED, UNDECIDED) if verdict in kinds), PASSED)


def verdict_of(p_passed: float, p_failed: float, error: float, mode: str) -> str:
    """Return the verdict of two error probabilities; a number that is not known never passes.

    >>> verdict_of(0.2, 0.3, 0.05, "worse"), verdict_of(0.2, 0.3, 0.05, "noninferior")
    ('passed', 'undecided')
    """
    if p_passed <= error:
        return PASSED
    if not p_failed > error:
        return FAILED
    return PASSED if mode == WORSE else UNDECIDED


class Case(NamedTuple):
    """A test case of a JUnit file: what it is about, its name, its verdict, and the reason."""

    about: str
    name: str
    verdict: str
    message: str


class Judged(Exports):
    """A result with a ``verdict`` that follows from cases, written for systems that test every change of a project."""

    @property
    def exit_code(self: Any) -> int:
        """0 if passed or supported, 1 if failed or contradicted, else 3."""
        return EXIT_CODES[self.verdict]

    def junit(self: Any, notes: Sequence[str] = ()) -> str:
        """Return the cases as JUnit XML: failures, errors if undecided or open, and notes, such as warnings."""
        cases = self._cases()
        counts = {f"{element}s": sum(case.verdict == kind for case in cases) for kind, element in _JUNIT.items()}
        about = {"name": _NAME, "tests": str(len(cases))} | {key: str(count) for key, count in counts.items()}
        suites = ET.Element("testsuites")
        suite = ET.SubElement(suites, "testsuite", about)
        for case in cases:
            element = ET.SubElement(suite, "testcase", classname=plain(case.about), name=plain(case.name))
            message, kind = plain(case.message), _JUNIT.get(case.verdict)
            if kind is None:
                ET.SubElement(element, "system-out").text = message
            else:
                ET.SubElement(element, kind, type=case.verdict, message=message).text = message
        if notes:
            ET.SubElement(suite, "system-err").text = "\n".join(map(plain, notes))
        ET.indent(suites)
        return ET.tostring(suites, encoding="unicode")

    def annotations(self: Any) -> str:
        """Return the cases that failed or are undecided as annotations of a job of GitHub Actions, failed ones first.

        They are commands to its runner, one on a line. Where there is no such case, the result is a notice.
        """
        shown = [case for verdict in _LEVELS for case in self._cases() if case.verdict == verdict]
        titles = [f"{_NAME}: {case.name if case.about in _NAME else f'{case.about} by {case.name}'}" for case in shown]
        told = [(_LEVELS[case.verdict], title, case.message) for case, title in zip(shown, titles, strict=True)]
        lines = []
        for level, *texts in told or [("notice", _NAME, str(self))]:
            title, message = (plain(text).replace("%", "%25") for text in texts)
            lines.append(f"::{level} title={title.replace(':', '%3A').replace(',', '%2C')}::{message}")
        return "\n".join(lines)
