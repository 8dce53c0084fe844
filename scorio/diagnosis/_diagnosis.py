"""The diagnosis of outcomes: what was found, what is suspicious, what the data support, and what to run next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from .._base.exports import Exports, Record
from .._base.numbers import DIGITS, counts, percent
from .._base.table import Column, Field, Table
from .._base.words import pluralize
from ..errors import AnswersWarning

ADVICE = {  # on every kind of finding, the most serious first; on some, the finding has its own
    "answers as outcomes": "If it holds the right answers, write a column that says which are right, and read that",
    "copied run": "Read the run once, if it was copied",
    "copied model": "Check whether one log was read under two names",
    "trials alike": (
        "These are copied trials, which add nothing, or success rates near 0 and 1: check the temperature, the cache"
        " and the seeds"
    ),
    "swapped axes": "If rows are trials, transpose the array, or exchange the columns of questions and trials; if"
    " columns are models or prompts, read them as models",
    "inverted outcomes": "Check whether 0 means success in its logs, or in those of the other",
    "contradictory answers": AnswersWarning.advice,
    "trials differ": (
        "Look for a prompt, a version or a setting that changed between runs, and read such runs as two models; if"
        ' runs just differ, runs="random" makes statements about runs like these'
    ),
    "runs without a shared question": (
        'Take the trials as independent (runs="independent"), or try the same questions in each run'
    ),
    "missing by outcome": (
        "Count them as failures if they are failures (missing='fail'), because what is left is too good"
    ),
    "duplicate questions": "Keep one of each, because questions count as independent",
    "missing tasks": "Run them, or leave out the model or the tasks",
    "missing trials": "Say how they are counted, or run them again",
}


@dataclass(frozen=True)
class Finding(Record):
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

    @classmethod
    def of(cls, kind: str, what: str, *models: str, chance: float | None = None, advice: str = "") -> "Finding":
        """Return a finding about models, with the advice on its kind if there is none of its own."""
        return cls(kind, what, advice or ADVICE[kind], models=models, chance=chance)

    def __str__(self) -> str:
        return f"{self.kind}{f' ({self.task})' if self.task else ''}: {self.what}. {self.advice}."


@dataclass(frozen=True)
class Statement(Record):
    """A statement, whether the outcomes support it (``"yes"``, ``"with care"``, ``"no"``), why, and the command.

    ``command`` begins with ``scorio`` and has the logs in it; empty where no command helps.
    """

    claim: str
    support: str
    reason: str
    command: str = ""
    task: str = ""

    def __str__(self) -> str:
        return f"{self.claim}{f' ({self.task})' if self.task else ''}: {self.support}, {self.reason}"


@dataclass(frozen=True)
class TaskFacts(Record):
    """What there is of one task; ``task`` is empty where the outcomes name none.

    ``trials_each`` has the fewest and the most trials of a question; ``conditions`` are the settings by model.
    """

    task: str
    models: tuple[str, ...]
    questions: int
    clusters: int | None
    trials: int
    planned: int
    trials_each: tuple[int, int]
    outcomes: str
    conditions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        name = f"{self.task}: " if self.task else ""
        clusters = f" in {pluralize(self.clusters, 'cluster')}" if self.clusters is not None else ""
        trials = counts(*self.trials_each)
        missing = self.planned - self.trials
        lost = f", {missing:,} of {self.planned:,} planned trials missing" if missing else ""
        return (
            f"{name}{pluralize(len(self.models), 'model')}, {pluralize(self.questions, 'question')}{clusters}, "
            f"{trials} {'trial' if trials == '1' else 'trials'} each, {self.outcomes}{lost}"
        )


def place(name: str, task: str) -> str:
    """Name the task of a suite beside something."""
    return f"{name} ({task})" if task else name


_STATEMENTS = (
    Field("statement", of="claim task", form=place),
    Field("supported", of="support"),
    Field("why", of="reason"),
)


@dataclass(frozen=True)
class Diagnosis(Exports):
    """What outcomes can say: see ``diagnose``. Prints as a page.

    ``tasks`` has what there is of each task: its models, questions, clusters and trials. ``findings`` has what
    is suspicious, ``statements`` what the data support and what not. ``next_command`` is the command to run next, for
    ``next_reason``.
    """

    tasks: tuple[TaskFacts, ...]
    findings: tuple[Finding, ...]
    statements: tuple[Statement, ...]
    confidence: float
    next_command: str
    next_reason: str
    runs_known: bool = True
    _columns: ClassVar = _STATEMENTS

    @property
    def is_sound(self) -> bool:
        """Whether nothing suspicious was found."""
        return not self.findings

    def finding(self, kind: str) -> Finding | None:
        """Return the first finding of a kind, or None.

        >>> from scorio import diagnose
        >>> diagnose({"a": [[1, 1, 1], [0, 1, 0], [0, 0, 0]]}).finding("copied run") is None
        True
        """
        return next((finding for finding in self.findings if finding.kind == kind), None)

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the tables that are printed."""
        facts = [("found", str(task)) for task in self.tasks]
        of_models = {model: conditions for task in self.tasks for model, conditions in task.conditions.items()}
        if names := list(dict.fromkeys(name for conditions in of_models.values() for name in conditions)):
            facts.append(("conditions", f"{', '.join(names[:6])}{' and more' if len(names) > 6 else ''}"))
        rows = [(place(finding.kind, finding.task), f"{finding.what}. {finding.advice}.") for finding in self.findings]
        if not rows:
            error = percent(1 - self.confidence)
            rows = [("nothing", f"sound outcomes raise a false alarm in at most {error} of all cases")]
        if not self.runs_known:
            rows.append(("not checked", "copied runs and swapped axes: the outcomes do not tell single runs apart"))
        columns = [Column("what"), Column("details")]
        return [
            Table("What was found", columns, facts),
            Table("What is suspicious", columns, rows),
            Table.of("What the data support", _STATEMENTS, self.statements, (), digits),
        ]

    def as_sentence(self) -> str:
        kinds = list(dict.fromkeys(finding.kind for finding in self.findings))
        suspicion = f"suspicious: {', '.join(kinds)}" if kinds else "nothing suspicious was found"
        supported = sum(statement.support != "no" for statement in self.statements)
        return f"{suspicion}; the data support {supported} of {pluralize(len(self.statements), 'statement')}"

    def __str__(self) -> str:
        return f"{super().__str__()}\n\nNext: {self.next_command}\n{self.next_reason}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        values = super().to_dict()
        return values | {"next": {"command": values.pop("next_command"), "reason": values.pop("next_reason")}}

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        """Return one record per finding and per statement."""
        findings = [("finding", f.task, f.kind, "", f.what, f.advice) for f in self.findings]
        said = [("statement", s.task, s.claim, s.support, s.reason, s.command) for s in self.statements]
        names = ("part", "task", "name", "support", "text", "action")
        return [dict(zip(names, row, strict=True)) for row in findings + said]
