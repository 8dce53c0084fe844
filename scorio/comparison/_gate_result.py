"""The result of a gate: the checks, the verdict that follows from them, and what it is written as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .._display.exports import Exports, strict
from .._display.numbers import percent
from .._display.table import Table
from .._display.words import pluralize
from ._gate_check import FAILED, MODES, PASSED, UNDECIDED, GateCheck
from ._gate_text import checks_table, junit_xml

EXIT_CODES: Mapping[str, int] = MappingProxyType({PASSED: 0, FAILED: 1, UNDECIDED: 3})


@dataclass(frozen=True)
class GateResult(Exports):
    """The ``verdict`` of a gate, ``"passed"``, ``"failed"`` or ``"undecided"``, and the ``checks`` it follows from.

    There is a check per task and metric, and one over all tasks per metric if there are several tasks. The gate fails
    if one of the checks that decide fails, and passes if all of them pass.
    """

    names: tuple[str, str]
    checks: tuple[GateCheck, ...]
    mode: str
    max_drop: float | Mapping[str, float]
    confidence: float
    target: str
    decided_by: str
    weights: Mapping[str, float]

    @property
    def verdict(self) -> str:
        """Whether the gate is passed, failed, or undecided."""
        verdicts = {each.verdict for each in self.checks if each.decides}
        return next((each for each in (FAILED, UNDECIDED) if each in verdicts), PASSED)

    @property
    def passed(self) -> bool:
        """Whether the gate is passed."""
        return self.verdict == PASSED

    @property
    def exit_code(self) -> int:
        """0 if passed, 1 if failed, 3 if undecided."""
        return EXIT_CODES[self.verdict]

    def __str__(self) -> str:
        deciding = [each for each in self.checks if each.decides]
        counts = {each: sum(check.verdict == each for check in deciding) for each in EXIT_CODES}
        found = ", ".join(f"{count} {each}" for each, count in counts.items() if count)
        worst = next(
            each for each in (*self.checks, None) if each is None or (each.decides and each.verdict == self.verdict)
        )
        more = worst.needs(self._unit) if worst else ""
        return f"{self.title} ({pluralize(len(deciding), 'check')}: {found}); {worst}" + (f"; {more}" if more else "")

    @property
    def title(self) -> str:
        """The verdict and the names of both models."""
        new, old = self.names
        names = "the new model against the baseline" if new == old else f"{new} against {old}"
        return f"gate {self.verdict}: {names}"

    @property
    def rule(self) -> str:
        """What the mode calls passed and failed, in words."""
        about = "these questions" if self.target == "questions" else "questions like these"
        drops = {each.max_drop for each in self.checks}
        drop = f"{drops.pop():g}" if len(drops) == 1 else "its limit"
        text = MODES[self.mode].format(drop=drop, confidence=percent(self.confidence))
        return f"{self.mode}, for {about}: {text}"

    @property
    def _unit(self) -> str:
        return "trials" if self.target == "questions" else "questions"

    def markdown(self) -> str:
        """Return a summary in Markdown."""
        return self._display_table().markdown()

    def junit(self) -> str:
        """Return the checks as JUnit XML: a failed check is a failure, an undecided one an error."""
        return junit_xml("scorio gate", self.checks, self._unit)

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        values = super().to_dict()
        return {"verdict": self.verdict, "exit_code": self.exit_code} | values

    def _records(self) -> Sequence[Mapping[str, Any]]:
        return [strict(each.to_dict()) for each in self.checks]

    def _display_table(self) -> Table:
        bounds = f"bounds: one-sided, each {percent(self.confidence)}"
        tasks = len(self.weights)
        overall = [f"overall: {_weights_in_words(self.weights)}"] if tasks > 1 else []
        several = sum(each.decides for each in self.checks) > 1 and self.mode != "point"
        corrected = ["failures are corrected for the number of checks (Holm)"] if several else []
        aside = ["in brackets: does not decide"] if not all(each.decides for each in self.checks) else []
        notes = [self.rule, "; ".join([bounds, *overall, *corrected, *aside])]
        return checks_table(self.title, self.checks, self._unit, notes)


def _weights_in_words(weights: Mapping[str, float]) -> str:
    if len(set(weights.values())) == 1:
        return f"mean of {pluralize(len(weights), 'task')}"
    return f"mean of {pluralize(len(weights), 'task')}, weighted"
