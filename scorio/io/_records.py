"""What readers make of files: runs, and their trials; and the marks of the questions that saved counts keep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from ..outcomes import OutcomeMatrix
from ..outcomes._table_rows import Trials

TASK = "task"  # in the origin of counts without a task, the name that the task had in the logs


_M = TypeVar("_M", bound=OutcomeMatrix)
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_WIDTH = 8  # letters of a mark
_NONE = "0" * _WIDTH  # the mark of a question without an input


class Trial(NamedTuple):
    """One trial of a question, or ``times`` trials that are alike.

    ``outcome`` is the reward, or None if the trial has no outcome. Two trials of a question with the same ``key`` in
    runs of the same identity are one trial, which must not be counted twice; those without a key are numbered.
    ``used`` is what the trial cost, as ``At.spent`` gives it, ``mark`` a text that differs if the question differs:
    two files may use one name for two questions. ``answer`` is what ``keep`` may ask for, and so are ``scores``, of
    which one is the outcome if the format has a ``noun`` for them. They are values as the log has them, or places.
    """

    question: str
    key: Hashable = None
    outcome: float | None = None
    cluster: str | None = None
    times: int = 1
    used: Mapping[str, float] = _NOTHING
    mark: str = ""
    answer: Any = None
    scores: Mapping[str, Any] = _NOTHING


class Counted(NamedTuple):
    """Outcomes of a run that are counted already, and the names of the parts that were merged into them.

    ``costs`` are their mean costs by name.
    """

    outcomes: OutcomeMatrix
    parts: frozenset[str]
    costs: Mapping[str, float] = _NOTHING


def has_text(matrix: OutcomeMatrix) -> bool:
    """Return whether every question is labelled with text."""
    return all(isinstance(label, str) for label in matrix.questions or [0])


def with_text(matrix: _M) -> _M:
    """Return outcomes or costs whose questions are labelled with text, as those of logs are."""
    labels = tuple(str(label) for label in (matrix.questions or range(matrix.n_questions)))
    return matrix.replaced(questions=labels)


@dataclass(frozen=True)
class Run:
    """The trials that one file holds for one model and task.

    Parameters
    ----------
    model, task
        Their names; ``task`` is None if the file does not name one. Without a ``model`` it is named by the file.
    trials
        The trials; what else each of them tells becomes ``fingerprints``, and columns of ``Trials``.
    identity
        A name for the run: equal in two files that hold the same run, or parts of it. By default the file's content.
    measure
        The score that was read, if the file has several, or what else tells how it was read.
    usual
        The names of the scores that may be the outcome if the user chooses none; all of them by default.
    planned, times
        The number of trials planned per question, if the file says so, or that of each question with a trial.
    fingerprints
        Per question a text that differs if the question differs: two files may use one name for two questions.
    attempt
        Text that orders several attempts at the same run by time.
    model_from
        Where the model's name comes from: the file's content ("log"), a folder or name that the tool itself chose
        ("folder"), the file's name ("file name"), which others may have by chance, the place of a model in a file that
        does not name it ("number"), or the user ("user").
    conditions
        The settings under which the run was made, by name.
    details
        What else is known of the run's settings, such as tags. They do not keep runs apart, but where runs that are
        added up differ in them, this is said; ``factors`` makes conditions of them.
    origin
        Other facts about the run, such as its date; they do not distinguish runs.
    notes
        What else was recognised, to be shown to the user.
    label
        The label of the run whose conditions these trials share, if a column tells it: else it is the file.
    counted
        The outcomes, for files that hold counts instead of trials; ``trials`` is empty then.

    """

    model: str
    trials: Sequence[Trial] | Trials
    identity: str = ""
    task: str | None = None
    measure: str = ""
    usual: Collection[str] = ()
    times: int | None = None
    planned: Mapping[str, int] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    attempt: str = ""
    model_from: Literal["log", "folder", "file name", "number", "user"] = "log"
    conditions: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    counted: Counted | None = None

    @property
    def columns(self) -> Trials:
        """The trials column by column."""
        return self.trials if isinstance(self.trials, Trials) else Trials.of(self.trials)

    @property
    def questions(self) -> set[str]:
        """The questions with a trial."""
        return set(self.columns.questions) if self.counted is None else set(_names(self.counted.outcomes))


_MODEL_FROM = {"folder": "from the folder", "file name": "from the file's name"}


@dataclass(frozen=True)
class Source:
    """One run of a file: the path, the name of the detected format, and the run.

    Where many tables were counted by one query, this is what all of them hold of a model and task: ``others`` are the
    paths after the first, and ``apart`` reads the files one by one.
    """

    path: Path
    format: str
    run: Run
    others: tuple[Path, ...] = ()
    apart: Callable[[], Sequence[Source]] | None = field(default=None, repr=False, compare=False)

    def changed(self, **about: Any) -> Source:
        """Return the source with other facts about its run."""
        return replace(self, run=replace(self.run, **about))

    def one_by_one(self) -> Sequence[Source]:
        """Return the sources of single files, whose trials have the names that the files give them."""
        if self.apart is None or not all(path.exists() for path in self.paths):
            return [self]
        return [source.changed(model=self.run.model, conditions=self.run.conditions) for source in self.apart()]

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that hold the run."""
        return self.path, *self.others

    @property
    def present(self) -> int:
        """The number of trials with an outcome."""
        if self.run.counted is not None:
            return int(self.run.counted.outcomes.trials.sum())
        trials = self.run.columns
        with_outcome = [n for n, outcome in zip(trials.times, trials.outcomes, strict=True) if outcome is not None]
        return sum(with_outcome)

    @property
    def planned(self) -> int:
        """The number of trials, with an outcome or without."""
        if self.run.counted is not None:
            return self.run.counted.outcomes.planned
        return max(sum(self.run.planned.values()), sum(self.run.columns.times))

    @property
    def notes(self) -> dict[str, str]:
        """What was recognised besides the model and the task, without empty entries."""
        notes = dict(self.run.notes)
        if self.run.model_from in _MODEL_FROM:
            notes["model"] = _MODEL_FROM[self.run.model_from]
        return {name: note for name, note in notes.items() if note}


def mark_of(text: str) -> str:
    """Return a short text that tells inputs apart."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=_WIDTH // 2).hexdigest()


def measured(runs: Sequence[Run], outcomes: OutcomeMatrix) -> dict[str, str]:
    """Return what runs of one model on a task tell of its questions; nothing if they tell nothing, or differ.

    It is the entry ``measured`` of a model's metadata by task: the score, and a mark of each input, in the order of the
    sorted names of all questions.
    """
    marks = {
        question: text if run.counted is not None else mark_of(text)
        for run in runs
        for question, text in run.fingerprints.items()
    }
    inputs = "".join(marks.get(name, _NONE) for name in _names(outcomes)) if marks else ""
    told = {(run.measure, bool(run.fingerprints)) for run in runs}
    return {"score": runs[0].measure, "inputs": inputs} if len(told) == 1 and told != {("", False)} else {}


def marks_told(entry: Any, outcomes: OutcomeMatrix) -> tuple[str, dict[str, str]]:
    """Return the score, and the mark of each question with an input; nothing if other questions were added since."""
    about, names = entry if isinstance(entry, Mapping) else {}, _names(outcomes)
    score, inputs = (str(about.get(name) or "") for name in ("score", "inputs"))
    marks = [inputs[i : i + _WIDTH] for i in range(0, len(inputs), _WIDTH)]
    pairs: Iterable[tuple[str, str]] = zip(names, marks, strict=True) if len(marks) == len(names) else ()
    return score, {name: mark for name, mark in pairs if mark != _NONE}


def _names(outcomes: OutcomeMatrix) -> list[str]:
    return sorted(map(str, outcomes.questions or range(outcomes.n_questions)))
