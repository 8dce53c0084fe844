"""The diagnosis of outcomes: what was found, what is suspicious, what the data support, and what to run next."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._display.exports import Exports
from .._display.numbers import counts, number, percent
from .._display.table import Column, Table
from .._display.words import pluralize, shorten
from ._reliability import Reliability
from ._stability import Stability
from ._statements import Statement

COPIES = "copied trials"
ALIKE = "trials alike"
SHARDS = "runs without a shared question"
NEIGHBOURS = "neighbouring trials"
COPIED_RUN = "copied run"
COPIED_MODEL = "copied model"
INVERTED = "inverted outcomes"
LABELS = "labels do not match"
ANSWERS = "contradictory answers"
COPIED_TASK = "copied task"
SEED = "repeated seed"
AXES = "swapped axes"
TRIALS = "trials differ"
SATURATED = "saturated questions"
MISSING = "missing by outcome"
GAPS = "missing trials"
DUPLICATE = "duplicate questions"
NO_TASK = "missing tasks"
KEY = "answers as outcomes"
# The most serious come first.
KINDS = (
    *(KEY, COPIES, COPIED_RUN, COPIED_MODEL, COPIED_TASK, ALIKE, NEIGHBOURS),
    *(SEED, AXES, INVERTED, LABELS, ANSWERS, TRIALS, SHARDS, MISSING, DUPLICATE, NO_TASK, GAPS, SATURATED),
)
_SHOWN = 12  # rows of a table of models


@dataclass(frozen=True)
class Finding(Exports):
    """Something suspicious: its ``kind``, ``what`` was found, and ``advice``.

    ``task`` is that of a suite, else empty; ``models`` are those it is about. ``chance`` is the probability of the like
    in sound outcomes, corrected for the number of places that were looked at; None for what is simply counted.
    """

    kind: str
    what: str
    advice: str
    task: str = ""
    models: tuple[str, ...] = ()
    chance: float | None = None

    def __str__(self) -> str:
        return f"{self.kind}{f' ({self.task})' if self.task else ''}: {self.what}. {self.advice}."


@dataclass(frozen=True)
class TaskFacts(Exports):
    """What there is of one task; ``task`` is empty where the outcomes name none.

    ``trials_each`` has the fewest and the most trials of a question; ``saturated`` counts the questions that no model
    solves and that all always solve, as far as the trials tell; ``conditions`` are the settings by model.
    """

    task: str
    models: tuple[str, ...]
    questions: int
    clusters: int | None
    trials: int
    planned: int
    trials_each: tuple[int, int]
    outcomes: str
    saturated: tuple[int, int]
    conditions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        name = f"{self.task}: " if self.task else ""
        clusters = f" in {pluralize(self.clusters, 'cluster')}" if self.clusters is not None else ""
        each = counts(*self.trials_each)
        missing = self.planned - self.trials
        lost = f", {missing:,} of {self.planned:,} planned trials missing" if missing else ""
        return (
            f"{name}{pluralize(len(self.models), 'model')}, {pluralize(self.questions, 'question')}{clusters}, "
            f"{each} {'trial' if each == '1' else 'trials'} each, {self.outcomes}{lost}"
        )


@dataclass(frozen=True)
class Diagnosis(Exports):
    """What outcomes can say: see ``diagnose``. Prints as a page.

    ``tasks`` has what there is, ``findings`` what is suspicious, ``statements`` what the data support and what not,
    ``reliability`` the noise of one run of every model, ``stability`` how likely another run keeps the ranks.
    ``next_command`` is the command to run next, for ``next_reason``.
    """

    tasks: tuple[TaskFacts, ...]
    findings: tuple[Finding, ...]
    statements: tuple[Statement, ...]
    reliability: tuple[Reliability, ...]
    stability: tuple[Stability, ...]
    confidence: float
    next_command: str
    next_reason: str
    runs_known: bool = True

    @property
    def is_sound(self) -> bool:
        """Whether nothing suspicious was found."""
        return not self.findings

    def finding(self, kind: str) -> Finding | None:
        """Return the first finding of a kind, or None.

        >>> from scorio import diagnose
        >>> diagnose({"a": [[1, 1, 1], [0, 1, 0], [0, 0, 0]]}).finding("copied trials") is None
        True
        """
        return next((each for each in self.findings if each.kind == kind), None)

    def tables(self) -> list[Table]:
        """Return the tables that are printed."""
        found = _listed("What was found", [*(["found", str(each)] for each in self.tasks), *self._conditions()])
        return [found, self._suspicious(), self._supported(), *self._noise()]

    def _conditions(self) -> Iterator[list[str]]:
        known = {name: each for task in self.tasks for name, each in task.conditions.items()}
        names = list(dict.fromkeys(name for each in known.values() for name in each))
        if names:
            yield ["conditions", f"{', '.join(names[:6])}{' and more' if len(names) > 6 else ''}"]

    def _suspicious(self) -> Table:
        rows = [[_place(each.kind, each.task), f"{each.what}. {each.advice}."] for each in self.findings]
        if not rows:
            error = percent(1 - self.confidence)
            rows = [["nothing", f"sound outcomes raise a false alarm in at most {error} of all cases"]]
        if not self.runs_known:
            rows.append(["not checked", "copied runs and swapped axes: the outcomes do not tell single runs apart"])
        return _listed("What is suspicious", rows)

    def _supported(self) -> Table:
        columns = [Column("statement"), Column("supported"), Column("why")]
        cells = [[_place(each.claim, each.task), each.support, each.reason] for each in self.statements]
        return Table("What the data support", columns, cells)

    def _noise(self) -> Iterator[Table]:
        if not self.reliability and not self.stability:
            return
        heads = ("ICC of one trial", "interval", "SE of questions", "SE of trials")
        columns = [Column("model"), *(Column(head, right=True) for head in heads), Column("meaning")]
        cells = [_noise_cells(each) for each in self.reliability[:_SHOWN]]
        notes = [
            f"ICC: correlation of two trials of one question, with its {percent(self.confidence)} interval",
            "SE: parts of the standard error of the mean score for questions like these",
        ] * bool(cells)
        hidden = len(self.reliability) - _SHOWN
        notes += [f".. and {hidden} more"] * (hidden > 0)
        notes += [f"{each.task}: {each}" if each.task else str(each) for each in self.stability]
        yield Table("Questions and luck", columns, cells, notes)

    def _sentence(self) -> str:
        kinds = list(dict.fromkeys(each.kind for each in self.findings))
        found = f"suspicious: {shorten(kinds)}" if kinds else "nothing suspicious was found"
        supported = sum(each.support != "no" for each in self.statements)
        return f"{found}; the data support {supported} of {pluralize(len(self.statements), 'statement')}"

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        return "\n\n".join([*parts, f"Next: {self.next_command}\n{self.next_reason}"])

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        values = super().to_dict()
        return values | {"next": {"command": values.pop("next_command"), "reason": values.pop("next_reason")}}

    def _records(self) -> Sequence[Mapping[str, Any]]:
        """Return one record per finding and per statement."""
        found = [("finding", each.task, each.kind, "", each.what, each.advice) for each in self.findings]
        said = [("statement", e.task, e.claim, e.support, e.reason, e.command) for e in self.statements]
        names = ("part", "task", "name", "support", "text", "action")
        return [dict(zip(names, row, strict=True)) for row in found + said]

    def _display_table(self) -> Table:
        return self._supported()._replace(notes=[str(each) for each in self.findings] + [f"Next: {self.next_command}"])


def _listed(title: str, rows: Sequence[Sequence[str]]) -> Table:
    return Table(title, [Column("what"), Column("details")], rows)


def _place(name: str, task: str) -> str:
    return f"{name} ({task})" if task else name


def _noise_cells(each: Reliability) -> list[str]:
    icc = ["-", "-"]
    if not math.isnan(each.icc):
        ends = "-" if math.isnan(each.lo) or math.isnan(each.hi) else f"[{number(each.lo, 2)}, {number(each.hi, 2)}]"
        icc = [number(each.icc, 2), ends]
    return [_place(each.model, each.task), *icc, number(each.sigma_questions), number(each.sigma_trials), each.verdict]
