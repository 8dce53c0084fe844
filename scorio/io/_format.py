"""The protocol of a log format, and what a user asks of it: the arguments of ``read``, checked once.

What a reader returns becomes the columns of a run in one place, with the answers and scores that ``keep`` asks for.
"""

import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, TypedDict, cast

from .._base.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, ScorioError
from ..outcomes import normalize_answer
from ..outcomes._column_names import ROLES, SEVERAL
from ..outcomes._outcome_values import reward
from ..outcomes._roles import choose
from ..outcomes._table_layout import Asked
from ..outcomes._table_rows import Trials
from ..outcomes._trials import Normalize, coded_answers
from ._files import LogFile
from ._records import Run, Trial
from ._walk import At
from .checks import model_of_path, shown

FORESEEN = (ScorioError, OSError, RecursionError, MemoryError, Warning)  # what a format may raise
ANSWERS, _SCORES = "answers", "scores"  # options of formats; keep has the first, or the names of scores
Fields = Mapping[str, str | Sequence[str] | None]  # the columns by role
Models = str | Mapping[str, str] | None  # one name for all, or names by model or path pattern
Pool = bool | str | Collection[str]
_ROLES_TO_COLUMNS = "map roles to names of columns, or to None (models and cost: to several)"
Layout = Callable[[LogFile], bool]  # whether a file has it


class Options(TypedDict, total=False):
    """The arguments of ``recognise`` after the source."""

    format: Any  # a name, or a Format
    model: Models
    task: str | None
    score: str | None
    filter: str | None
    grade: Callable[..., Any] | None
    fields: Fields | None
    levels: Mapping[str, float | None] | None
    table: str | None
    query: str | None
    factors: Sequence[str] | str
    only: Sequence[str] | str
    keep: Sequence[str] | str
    normalize: Normalize | None
    missing: str
    pool: Pool
    skip_bad: bool
    n_jobs: int | None


@dataclass(frozen=True)
class Request(Asked):
    """The arguments of ``read``, of which a format takes into account those that say what to read in a file.

    >>> Request(task="math_*").wants("math_algebra")
    True
    >>> Request(score="quality").choose("score", ["judge/quality", "judge/style"])
    'judge/quality'
    """

    format: Any = None
    model: Models = None
    task: str | None = None
    filter: str | None = None
    grade: Callable[..., Any] | None = None
    levels: Mapping[str, float | None] = field(default_factory=dict)
    table: str | None = None
    query: str | None = None
    only: tuple[str, ...] = ()
    normalize: Normalize | None = normalize_answer
    missing: str = "omit"
    pool: Pool = False
    skip_bad: bool = False
    n_jobs: int | None = None

    @classmethod
    def of(cls, given: Options) -> "Request":
        """Return the request of a call, with columns by role, of which some roles may have several."""
        options: dict[str, Any] = {**given}
        options |= {name: names_of(options[name]) for name in ("only", "keep", "factors") if name in options}
        columns = options.get("fields") or {}
        if not isinstance(columns, Mapping):
            raise ParameterError(f"must {_ROLES_TO_COLUMNS}; got {columns!r}", argument="fields")
        options["fields"] = {role: name for role, name in columns.items() if role not in SEVERAL}
        several = {role: _texts(names) for role, names in columns.items() if role in SEVERAL}
        options["levels"] = options.get("levels") or {}
        return cls(**options, several=several)

    def __post_init__(self) -> None:
        for argument, (is_right, expected) in _RULES.items():
            value = getattr(self, argument)
            if not is_right(value):
                given = list(value) if isinstance(value, tuple) else value
                raise ParameterError(f"must {expected}; got {given!r}", argument=argument)
        for role in self.fields:
            if role not in ROLES:
                raise ParameterError(f"has an {unknown('role', role, (*ROLES, *SEVERAL))}", argument="fields")
        if self.fields.get("answer") is not None and not self.keeps_answers:
            problem = "names a column of answers, which are read with keep='answers'"
            raise ParameterError(problem, argument="fields")
        if self.table is not None and self.query is not None:
            raise ParameterError("cannot be combined with query, which names its tables itself", argument="table")

    @property
    def keeps_answers(self) -> bool:
        """Whether the answer of each trial is wanted."""
        return ANSWERS in self.keep

    @property
    def kept_scores(self) -> tuple[str, ...]:
        """The names of the scores of each trial that are wanted."""
        return tuple(name for name in self.keep if name != ANSWERS)

    @property
    def kept_options(self) -> set[str]:
        """What is wanted of each trial, as the options of formats call it: answers, and scores."""
        return {ANSWERS} & set(self.keep) | ({_SCORES} if self.kept_scores else set())

    def wants(self, task: str | None) -> bool:
        """Return whether the user wants this task."""
        return self.task is None or fnmatchcase(task or "", self.task)

    def outcome(self, value: Any) -> float | None:
        """Return the reward of an outcome as it is written in the file, None if it is missing."""
        return reward(value, self.levels)

    def choose(self, argument: Literal["score", "filter"], offered: Collection[str], noun: str = "") -> str:
        """Return the one of the ``offered`` names that the user chose, or the only one.

        A name may be shortened to the part after its last slash. ``noun`` is what the tool calls these things.
        """
        return choose(getattr(self, argument), offered, argument, noun or argument)

    def measure(self, offered: Collection[str], noun: str = "", usual: Collection[str] = ()) -> str:
        """Return the score that the user chose, else the only one of the ``usual`` ones, or of all.

        It is empty if none is offered.
        """
        likely = [name for name in offered if name in usual] if self.score is None else []
        return self.choose("score", likely or offered, noun) if offered else ""

    @property
    def options(self) -> set[str]:
        """The names of the arguments about files that the user passed, with the roles of ``fields`` one by one."""
        named = {name for name in ("score", "filter", "grade", "table", "query") if getattr(self, name) is not None}
        return named | ({"levels"} if self.levels else set()) | self.kept_options | set(self.fields) | set(self.several)


def names_of(names: Sequence[str] | str) -> tuple[str, ...]:
    """Return names, of which one may be given alone."""
    return (names,) if isinstance(names, str) else tuple(names)


def _texts(names: Any) -> tuple[str, ...]:
    texts = () if names is None else names_of(names)
    if not _are_different(texts):
        raise ParameterError(f"must {_ROLES_TO_COLUMNS}; got {names!r}", argument="fields")
    return texts


def _are_texts(names: Any) -> bool:
    return isinstance(names, Collection) and all(isinstance(name, str) for name in names)


def _are_different(names: Collection[Any]) -> bool:
    return len(set(names)) == len(names) and _are_texts(names) and all(names)


def _are_rewards(levels: Any) -> bool:
    return isinstance(levels, Mapping) and all(
        value is None or (isinstance(value, (int, float)) and abs(value) < math.inf) for value in levels.values()
    )


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_function(value: Any) -> bool:
    return value is None or callable(value)


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {  # of each argument, whether it is right, and what it must
    "model": (
        lambda model: _is_text(model) or isinstance(model, Mapping),
        "be a name, or a mapping from path patterns to names",
    ),
    "pool": (lambda pool: isinstance(pool, bool) or _are_texts(pool), "be True, False, or names of conditions"),
    "grade": (_is_function, "be a function of one response"),
    "fields": (lambda columns: all(map(_is_text, columns.values())), _ROLES_TO_COLUMNS),
    "levels": (_are_rewards, "map words to rewards, or to None"),
    "factors": (_are_different, "be different names"),
    "keep": (_are_different, "be 'answers', the name of a score, or several of these, all different"),
    "normalize": (_is_function, "be a function of one answer, or None"),
    "table": (_is_text, "be text"),
    "query": (_is_text, "be text"),
}


def document_with(*keys: str) -> Layout:
    """Return the layout of files that are one object with all of these keys."""
    return lambda file: file.at.has(*keys)


def lines_with(*keys: str) -> Layout:
    """Return the layout of files whose first line is an object with all of these keys."""
    return lambda file: file.first_row.has(*keys)


def records_with(*keys: str) -> Layout:
    """Return the layout of JSON lines and JSON lists whose first record has all of these keys."""
    return lambda file: file.first_record.has(*keys)


@dataclass(frozen=True)
class Companion:
    """A kind of file that a tool writes beside its outcomes, and the reason why it is not read."""

    matches: Layout
    reason: str


class Format(ABC):
    r"""A log format: subclass it to read the files of another tool.

    A format that a package lists under the entry point ``scorio.formats`` is known to ``scorio.read`` and to the
    command line; ``read(path, format=MyFormat())`` takes one that is not listed.
    ``scorio.testing.check_format`` checks that a format keeps this protocol.

    Attributes
    ----------
    name
        The name that users pass as ``format=``.
    layouts
        The layouts of the files that it reads, any of which a file may have: ``document_with``, ``lines_with``,
        ``records_with``, or a function of the file.
    is_json
        Whether all of its files are JSON: other files are not asked for their layout.
    options
        The arguments of ``read`` that the format takes into account, of "score", "filter", "grade", "levels" and the
        roles of ``fields``; "answers" and "scores" are what ``keep`` may ask for. Other arguments are refused for
        files of this format. ``task`` is always allowed, and so are "score" and "levels" for a format with a ``noun``.
    noun
        What the tool calls a score, such as "metric", if the outcome of each trial is the one of its ``scores`` that
        the user chooses. By default ``read`` gives the outcomes itself.
    answers_from, scores_from
        Where in the log the answers and the scores of its trials are, in words.
    model_from
        What names a model that the log does not name: the "file name", or the "folder".
    companions
        Files that the tool writes beside its outcomes. They are skipped, and the reason is shown.
    is_generic
        Whether files of many origins match, as for tables: generic formats are tried last, and a file that does not
        fit is skipped if it lies beside files of other formats.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from scorio.io import Format, Run, Trial, document_with, read
    >>> class QuizFormat(Format):
    ...     name = "quiz"
    ...     layouts = (document_with("quiz", "answers"),)
    ...
    ...     def read(self, file, request):
    ...         log, rows = file.at, file.at["answers"].rows
    ...         trials = [Trial(row["id"].text, row["try"].whole, row["right"].to(request.outcome)) for row in rows]
    ...         return Run(log["model"].text, trials, task=log["quiz"].text)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "quiz.json")
    >>> answers = [{"id": "q1", "try": 0, "right": True}, {"id": "q1", "try": 1, "right": False}]
    >>> _ = path.write_text(json.dumps({"quiz": "sums", "model": "a", "answers": answers}))
    >>> read(path, format=QuizFormat())["a"]
    OutcomeMatrix(1 question x 2 trials, binary)

    """

    name: ClassVar[str]
    layouts: ClassVar[tuple[Layout, ...]] = ()
    is_json: ClassVar[bool] = True
    options: ClassVar[frozenset[str]] = frozenset()
    noun: ClassVar[str] = ""
    answers_from: ClassVar[str] = ""
    scores_from: ClassVar[str] = ""
    model_from: ClassVar[Literal["file name", "folder"]] = "file name"
    companions: ClassVar[tuple[Companion, ...]] = ()
    is_generic: ClassVar[bool] = False

    def matches(self, file: LogFile) -> bool:
        """Return whether a file is of this format, by its content."""
        return any(is_of(file) for is_of in self.layouts)

    @abstractmethod
    def read(self, file: LogFile, request: Request) -> Run | Sequence[Run]:
        """Return the run in a file, or several, one per model and task.

        A task that the user does not want (``request.wants``) may be returned without its trials. A file that cannot
        be read raises an ``OutcomeError``.
        """

    def superseded(self, paths: Collection[Path], request: Request) -> Mapping[Path, str]:  # noqa: ARG002
        """Return those of several files whose trials count in another of them, and the reason for each."""
        return {}


class ReaderError(OutcomeError):
    """The error of a format that failed on a file in a way that it does not foresee."""


def failed(names: Sequence[str], error: Exception) -> ReaderError:
    """Return the error of a format of this name that raised, say, a KeyError, from which it is to be raised."""
    text = f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
    hint = "the file is damaged, or of a version that the reader does not know"
    return ReaderError(f"the reader of format {shorten(names)} failed with {text}", hint=hint)


def runs_of(form: Format, file: LogFile, request: Request) -> list[Run]:
    """Return the runs in a file as what follows the readers takes them: with names, outcomes, and columns of trials."""
    result = form.read(file, request)
    runs = [result] if isinstance(result, Run) else [*result]
    if form.is_generic:
        return [_with_settings(run, file.settings) for run in runs] if file.settings else runs
    if form.noun:
        runs = _with_outcomes(runs, form, request)
    return [_completed(run, file, form, request) for run in runs]


def _with_settings(run: Run, settings: Mapping[str, str]) -> Run:
    """Return a run of a table with the settings that its folders name, but for those that have a role in the table."""
    roles = {*run.conditions, *(note[1:-1] for note in run.notes.values())}
    return replace(run, details={name: value for name, value in settings.items() if name not in roles})


def _with_outcomes(runs: Sequence[Run], form: Format, request: Request) -> list[Run]:
    """Return runs in which the outcome of each trial is the score that the user chose, or the usual one."""
    trials_of = [cast("Sequence[Trial]", run.trials) if request.wants(run.task) else () for run in runs]
    names = dict.fromkeys(name for trials in trials_of for trial in trials for name in trial.scores)
    measure = request.measure(names, form.noun, {name for run in runs for name in run.usual})
    return [
        replace(
            run,
            measure=",".join(filter(None, (measure, run.measure))),
            notes={"score": measure or "none", **run.notes},
            trials=[trial._replace(outcome=_number(trial.scores.get(measure), request)) for trial in trials],
        )
        for run, trials in zip(runs, trials_of, strict=True)
    ]


def _number(score: Any, request: Request) -> float | None:
    """Return a score as a number: a value as it is in the log, or its place; None if it is missing.

    The values of several judges, or people, or of one again, must agree.
    """
    if not isinstance(score, At):
        return request.outcome(score)
    if not isinstance(score.value, tuple):
        return score.to(request.outcome)
    with score.here:
        outcomes = {request.outcome(value) for value in score.value} - {None}
    if len(outcomes) > 1:
        what = f"it has different values of {shown(score.key)}, {shown(sorted(outcomes, key=str))}"
        raise score.fault(what, hint="keep one of them, such as that of one judge or person, or of the last evaluation")
    return next(iter(outcomes), None)


def _completed(run: Run, file: LogFile, form: Format, request: Request) -> Run:
    """Return a run with names, and with what is told of each trial in columns."""
    about: dict[str, Any] = {"details": {**file.settings, **run.details}}
    if not run.identity:
        about["identity"] = file.digest
    if not run.model and run.counted is None:  # saved counts may hold a model with an empty name
        folder = file.path.resolve().parent.name
        name = folder if form.model_from == "folder" else model_of_path(file.path)
        about |= {"model": name, "model_from": form.model_from}
    if isinstance(run.trials, Trials):
        return replace(run, **about)
    trials, columns = cast("Sequence[Trial]", run.trials), run.columns
    if None in columns.keys:
        number, keys = Counter[str](), list[Hashable]()
        for trial in trials:
            keys.append(number[trial.question] if trial.key is None else trial.key)
            number[trial.question] += 1
        columns = columns._replace(keys=keys)
    if marks := _marks(trials):
        about["fingerprints"] = marks
    if run.times is not None:
        about["planned"] = {**run.planned, **dict.fromkeys(columns.questions, run.times)}
    if "score" in form.options:
        about["notes"] = {"score": run.measure or "none", **run.notes}
    columns = columns._replace(costs=_by_name([trial.used for trial in trials]))
    if request.keep:
        scores = _by_name([trial.scores for trial in trials])
        columns = columns._replace(answers=[trial.answer for trial in trials], scores=scores)
    return with_samples(replace(run, trials=columns, **about), request, form.answers_from, form.scores_from)


def _by_name(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return columns by name, with None where a row lacks the name."""
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(chain.from_iterable(rows))}


def _marks(trials: Sequence[Trial]) -> dict[str, str]:
    """Return a mark of each question that has one, which all its trials share."""
    marks: dict[str, str] = {}
    for trial in trials:
        if trial.mark and marks.setdefault(trial.question, trial.mark) != trial.mark:
            hint = "give one of them another name"
            raise OutcomeError(f"two different questions are called {trial.question!r}", hint=hint)
    return marks


def with_samples(run: Run, request: Request, answers_from: str, scores_from: str) -> Run:
    """Return a run with what ``keep`` asks for of the answers and the scores of its trials, which are as in the log.

    ``answers_from`` and ``scores_from`` say where in the log they are; they are nowhere if it is empty. What no trial
    has is an error. Lists and objects become JSON text.
    """
    trials, notes = run.columns, dict(run.notes)
    if not request.keep or not len(trials.questions):
        return run
    kept: dict[str, Any] = {ANSWERS: None, _SCORES: {}}
    if request.keeps_answers and answers_from:
        kept[ANSWERS] = _answers(trials.answers or (), request, answers_from)
        notes[ANSWERS] = f"from {answers_from}"
    if request.kept_scores and scores_from:
        if not trials.scores:
            problem = f"asks for the score {request.kept_scores[0]!r}, and no trial has {scores_from}"
            raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
        logged = {name: choose(name, trials.scores, "keep", "score") for name in request.kept_scores}
        for name, place in logged.items():
            kept[_SCORES][name] = [_score(value, place, request) for value in trials.scores[place]]
        notes[_SCORES] = f"from {scores_from} {shorten([*logged.values()])}"
    return replace(run, notes=notes, trials=trials._replace(**kept))


def _answers(answers: Sequence[Any], request: Request, place: str) -> list[Any]:
    """Return answers that are equal where the user takes them for equal; None for a trial without one."""
    texts = (json.dumps(answer, sort_keys=True) if isinstance(answer, (list, dict)) else answer for answer in answers)
    labels, codes = coded_answers(texts, request.normalize)
    if not labels:
        problem = f"asks for answers, and no trial has one: they are read from {place}"
        raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
    return [labels[code] if code >= 0 else None for code in codes.tolist()]


def _score(value: Any, name: str, request: Request) -> float | None:
    """Return a score as a number; the words for outcomes, such as C and I, are the rewards that they stand for."""
    try:
        return _number(value, request)
    except OutcomeError as error:
        raise OutcomeError(f"score {name!r} is no number: {error.problem}") from None
