"""Verdicts: passed, failed or undecided, the limits they are about, their exit codes, and their JUnit XML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from .._base.exports import Exports
from .._base.table import plain
from ..errors import ParameterError
from ..estimates._family import holm
from ..params import open_unit

PASSED, FAILED, UNDECIDED = VERDICTS = ("passed", "failed", "undecided")
WORSE, EQUIVALENT = "worse", "equivalent"  # modes of a gate: the usual one, and the one in two directions
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


def decided(p_passed: Sequence[float], p_failed: Sequence[float], error: float) -> tuple[list[float], list[str]]:
    """Return the smaller error of each of several statements, corrected for their number (Holm), and the verdicts.

    >>> decided([0.01, 0.9, 0.3], [0.99, 0.02, 0.7], 0.05)
    ([0.03, 0.04, 0.3], ['passed', 'failed', 'undecided'])
    """
    corrected = holm([min(each) for each in zip(p_passed, p_failed, strict=True)])
    rows = zip(corrected, p_passed, p_failed, strict=True)
    return corrected, [UNDECIDED if p > error else PASSED if one <= other else FAILED for p, one, other in rows]


@dataclass(frozen=True)
class Limit:
    """An accepted drop: an amount of the score, or where it ``is_relative`` a share of the baseline's score.

    >>> Limit.of("5%"), Limit.of(0.02)
    (Limit(amount=0.05, is_relative=True), Limit(amount=0.02, is_relative=False))
    """

    amount: float
    is_relative: bool = False

    @classmethod
    def of(cls, value: Any, name: str = "max_drop", most: float = 1.0) -> Limit:
        """Return the limit that a number or a text such as ``"5%"`` means; a share is below ``most``."""
        text = value.strip() if isinstance(value, str) else ""
        try:
            amount = float(text.removesuffix("%")) / 100.0 if text.endswith("%") else float(value)
        except (TypeError, ValueError):
            amount = math.nan
        if isinstance(value, bool) or not 0.0 <= amount < math.inf or (text.endswith("%") and amount >= most):
            below = "" if math.isinf(most) else f" below {100.0 * most:g}"
            problem = f'must be a number, at least 0, or a percentage{below} such as "5%"; got {value!r}'
            raise ParameterError(problem, argument=name)
        return cls(amount, text.endswith("%"))

    def __str__(self) -> str:
        return f"{100.0 * self.amount:g}%" if self.is_relative else f"{self.amount:g}"

    @property
    def written(self) -> float | str:
        """The limit as it is given: a number, or a text with a percentage."""
        return str(self) if self.is_relative else self.amount


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
        """0 if passed, 1 if failed, 3 if undecided."""
        return {PASSED: 0, FAILED: 1, UNDECIDED: 3}[self.verdict]

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

    def annotations(self: Any, notes: Sequence[str] = ()) -> str:
        """Return the cases that failed or are undecided as annotations of a job of GitHub Actions, failed ones first.

        They are commands to its runner, one on a line. Where there is no such case, the result is a notice. Notes, such
        as warnings, follow.
        """
        shown = [case for verdict in _LEVELS for case in self._cases() if case.verdict == verdict]
        titles = [f"{_NAME}: {case.name if case.about in _NAME else f'{case.about} by {case.name}'}" for case in shown]
        told = [(_LEVELS[case.verdict], title, case.message) for case, title in zip(shown, titles, strict=True)]
        lines = []
        for level, *texts in [*(told or [("notice", _NAME, str(self))]), *(("warning", _NAME, note) for note in notes)]:
            title, message = (plain(text).replace("%", "%25") for text in texts)
            lines.append(f"::{level} title={title.replace(':', '%3A').replace(',', '%2C')}::{message}")
        return "\n".join(lines)
