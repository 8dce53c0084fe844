"""What readers make of files: runs of labelled trials, and what the user asked of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from .files import LogFile

Models = str | Mapping[str, str] | None


class Trial(NamedTuple):
    """One trial of a question, or ``times`` alike; two with one ``key`` in one run are one trial given twice."""

    question: str
    key: Hashable
    outcome: float | None  # the reward; None where the trial has none
    cluster: str | None = None
    times: int = 1


class Columns(NamedTuple):
    """Trials, column by column."""

    questions: Sequence[str] = ()
    keys: Sequence[Hashable] = ()
    outcomes: Sequence[float | None] = ()
    clusters: Sequence[str | None] = ()
    times: Sequence[int] = ()

    def picked(self, rows: Sequence[int]) -> Columns:
        """Some of the trials."""
        columns = cast("Iterable[Sequence[Any]]", self)
        return Columns(*([column[i] for i in rows] for column in columns))


@dataclass(frozen=True)
class Run:
    """The trials one file has of one model and task.

    ``identity`` is the same in two files that hold (parts of) the same run. ``measure`` says which number was read
    where the file has several, ``planned`` how many trials of each question were meant to be run where the file tells,
    ``fingerprints`` what the questions were, ``attempt`` which of several attempts at the run the file is of, in the
    order of time, and ``notes`` what else was recognised.
    """

    model: str
    trials: Sequence[Trial] | Columns
    identity: str
    task: str | None = None
    measure: str = ""
    planned: Mapping[str, int] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    attempt: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> Columns:
        """The trials, column by column."""
        return self.trials if isinstance(self.trials, Columns) else Columns(*zip(*self.trials, strict=True))


@dataclass(frozen=True)
class Request:
    """What the user asked for, whichever the file."""

    task: str | None = None
    metric: str | None = None
    filter: str | None = None
    score: Callable[..., Any] | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)

    def wants(self, task: str | None) -> bool:
        """Whether a task is asked for."""
        return self.task is None or fnmatchcase(task or "", self.task)

    @property
    def given(self) -> set[str]:
        """What was asked for, by name."""
        chosen = {"metric": self.metric, "filter": self.filter, "score": self.score, "levels": self.levels or None}
        return {name for name, value in chosen.items() if value is not None} | set(self.fields)


@dataclass(frozen=True)
class Format:
    """A file format: its name, how its files are told and read, and what can be asked of them."""

    name: str
    matches: Callable[[LogFile], bool]
    read: Callable[[LogFile, Request], list[Run]]
    options: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Companion:
    """Files that tools write beside their outcomes: recognised, and not read for the reason given."""

    matches: Callable[[LogFile], bool]
    reason: str


@dataclass(frozen=True)
class Source:
    """A file that was read: what it was taken for, and what was found in it."""

    path: Path
    format: str
    run: Run

    @property
    def present(self) -> int:
        """Trials with an outcome."""
        trials = self.run.columns
        return sum(times for times, outcome in zip(trials.times, trials.outcomes, strict=True) if outcome is not None)
