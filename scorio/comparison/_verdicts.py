"""Verdicts: passed, failed or undecided, the exit codes that stand for them, and their JUnit XML."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
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
    def verdict(self) -> str:
        """What follows from the cases."""
        raise NotImplementedError

    def _cases(self) -> list[Case]:
        """Return what the verdict follows from."""
        raise NotImplementedError

    @property
    def exit_code(self) -> int:
        """0 if passed or supported, 1 if failed or contradicted, else 3."""
        return EXIT_CODES[self.verdict]

    def junit(self, notes: Sequence[str] = ()) -> str:
        """Return the cases as JUnit XML: failures, errors if undecided or open, and notes, such as warnings."""
        return junit_xml("scorio gate", self._cases(), notes)

    def annotations(self) -> str:
        """Return the cases that failed or are undecided as annotations of a job of GitHub Actions."""
        return annotation_lines("scorio gate", self._cases(), str(self))


def junit_xml(name: str, cases: Sequence[Case], notes: Sequence[str] = (), kinds: Mapping[str, str] = _JUNIT) -> str:
    """Return cases as JUnit XML: a failed one as a failure, an undecided one as an error; notes are its stderr."""
    counts = {f"{element}s": sum(case.verdict == kind for case in cases) for kind, element in kinds.items()}
    about = {"name": plain(name), "tests": str(len(cases))} | {key: str(count) for key, count in counts.items()}
    suite = ET.Element("testsuite", about)
    for shown_case in cases:
        case = ET.SubElement(suite, "testcase", classname=plain(shown_case.about), name=plain(shown_case.name))
        message = plain(shown_case.message)
        if shown_case.verdict not in kinds:
            ET.SubElement(case, "system-out").text = message
        else:
            ET.SubElement(case, kinds[shown_case.verdict], type=shown_case.verdict, message=message).text = message
    if notes:
        ET.SubElement(suite, "system-err").text = "\n".join(map(plain, notes))
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode")


def annotation_lines(name: str, cases: Sequence[Case], otherwise: str) -> str:
    """Return the cases that failed or are undecided as annotations of a job of GitHub Actions, the failed ones first.

    They are commands to its runner, one on a line. Where there is no such case, ``otherwise`` is a notice.

    >>> print(annotation_lines("gate", [Case("chess", "pass@1", FAILED, "20% lower")], "all is well"))
    ::error title=gate%3A chess by pass@1::20%25 lower
    >>> print(annotation_lines("gate", [Case("chess", "pass@1", PASSED, "as before")], "all is well"))
    ::notice title=gate::all is well
    """
    shown = sorted((case for case in cases if case.verdict in _LEVELS), key=lambda case: [*_LEVELS].index(case.verdict))
    titles = [f"{name}: {case.name if case.about in name else f'{case.about} by {case.name}'}" for case in shown]
    told = [(_LEVELS[case.verdict], title, case.message) for case, title in zip(shown, titles, strict=True)]
    lines = []
    for level, *texts in told or [("notice", name, otherwise)]:
        title, message = (plain(text).replace("%", "%25") for text in texts)
        lines.append(f"::{level} title={title.replace(':', '%3A').replace(',', '%2C')}::{message}")
    return "\n".join(lines)
