"""Tables that tools export: the columns that tell a tool, and the roles of its columns.

The names of these columns are too common to be recognised in any table: a column ``error`` marks failed runs in the
exports of LangSmith, and wrong answers elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ..._display.words import shorten
from ...errors import OutcomeError, Remedy


@dataclass(frozen=True)
class Export:
    """The export of a tool.

    ``signs`` are patterns that must all match a column. ``outcomes`` are patterns of the columns of outcomes, of which
    the first that matches counts. Rows that hold a text of ``failures`` in the column ``failed`` are missing trials;
    without ``failures`` any text marks them. ``expected`` are patterns of columns that are named as outcomes
    are, but hold the expected answer. ``step`` is the column of the training step, which stands for the model.
    """

    tool: str
    signs: tuple[str, ...]
    question: str
    outcomes: tuple[str, ...]
    failed: str = ""
    failures: frozenset[str] = frozenset()
    step: str = ""
    expected: tuple[str, ...] = ()

    def outcome(self, columns: Sequence[str], metric: str | None) -> str | None:
        """Return the column of outcomes: the only one, or the one that the user named, in full or without affixes."""
        if metric in columns:
            return str(metric)
        rest = [name for name in columns if not any(fnmatchcase(name, pattern) for pattern in self.expected)]
        groups = ([name for name in rest if fnmatchcase(name, pattern)] for pattern in self.outcomes)
        offered: list[str] = next(filter(None, groups), [])
        if metric is not None:
            return next((p.replace("*", metric) for p in self.outcomes if p.replace("*", metric) in offered), metric)
        if len(offered) > 1:
            problem = f"several columns may be the outcome, {shorten(offered)}"
            raise OutcomeError(problem, remedies=[Remedy("metric", "...", "chooses one")])
        return offered[0] if offered else None

    def is_failed(self, text: str | None) -> bool:
        """Return whether a run failed, by the text in the column ``failed``."""
        return bool(text and text.strip()) and (not self.failures or text in self.failures)


_EXPORTS = (
    Export("LangSmith", ("example_id", "feedback.*"), "example_id", ("feedback.*",), "error"),
    Export(
        "mlflow",
        ("trace_id", "request", "*/value"),
        "request",
        ("*/value",),
        "state",
        frozenset({"ERROR"}),
        expected=("expected_*/value", "guidelines/value"),
    ),
    Export("Braintrust", ("input", "scores.*"), "input", ("scores.*",), "error"),
    Export("TRL", ("step", "prompt", "completion"), "prompt", ("*_reward", "*reward*"), step="step"),
    Export("verl", ("step", "input", "output", "score"), "input", ("acc", "score"), step="step"),
)


def export_of(columns: Sequence[str]) -> Export | None:
    """Return the export whose signs the columns bear; None for any other table."""
    return next(
        (each for each in _EXPORTS if all(any(fnmatchcase(c, sign) for c in columns) for sign in each.signs)), None
    )
