"""The checks of a gate in writing: a table for text, Markdown and HTML, and JUnit XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from .._display.numbers import number, signed
from .._display.table import Column, Table, plain
from ._gate_check import FAILED, UNDECIDED, GateCheck

_JUNIT = {FAILED: "failure", UNDECIDED: "error"}


def checks_table(title: str, checks: Sequence[GateCheck], unit: str, notes: Sequence[str]) -> Table:
    """Return a table with one row per check; ``unit`` is what undecided checks need more of."""
    several = len({each.max_drop for each in checks}) > 1
    numbers = ("baseline", "new", "difference", "bounds", *(["max drop"] if several else []))
    columns = [Column("task"), Column("metric"), *(Column(head, right=True) for head in numbers), Column("verdict")]
    rows = [_cells(each, several) for each in checks]
    if all(not each.task for each in checks):
        columns, rows = columns[1:], [cells[1:] for cells in rows]
    needs = [f"{each.task or each.metric}: {each.needs(unit)}" for each in checks if each.needs(unit) and each.decides]
    return Table(title, columns, rows, [*needs, *notes])


def _cells(check: GateCheck, with_limit: bool) -> list[str]:
    new, old = ("-" if each is None else number(each) for each in check.scores)
    bounds = f"[{signed(check.lo)}, {signed(check.hi)}]"
    verdict = check.verdict if check.decides else f"({check.verdict})"
    limit = [f"{check.max_drop:.4g}"] if with_limit else []
    return [check.task, check.metric, old, new, signed(check.difference), bounds, *limit, verdict]


def junit_xml(name: str, checks: Sequence[GateCheck], unit: str) -> str:
    """Return the checks that decide as JUnit XML: a failed one as a failure, an undecided one as an error."""
    deciding = [each for each in checks if each.decides]
    counts = {f"{_JUNIT[kind]}s": sum(each.verdict == kind for each in deciding) for kind in _JUNIT}
    about = {"name": plain(name), "tests": str(len(deciding))} | {key: str(count) for key, count in counts.items()}
    suite = ET.Element("testsuite", about)
    for each in deciding:
        case = ET.SubElement(suite, "testcase", classname=plain(each.task or "gate"), name=plain(each.metric))
        if each.verdict in _JUNIT:
            message = plain("; ".join(filter(None, [str(each), each.needs(unit)])))
            ET.SubElement(case, _JUNIT[each.verdict], type=each.verdict, message=message).text = message
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode")
