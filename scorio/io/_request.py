"""What the user asks of a file: the arguments of ``read`` that formats see."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from .._display.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes import ROLES, SEVERAL, Normalize, normalize_answer, reward

_ANSWERS = "answers"  # the name that keep has for them; other names are those of scores
Fields = Mapping[str, str | Sequence[str] | None]  # the columns by role
_ROLES_TO_COLUMNS = "must map roles to names of columns, or to None (models and cost: to several)"


@dataclass(frozen=True)
class Request:
    """The arguments of ``read`` that a format takes into account.

    >>> Request(task="math_*").wants("math_algebra")
    True
    >>> Request(score="quality").choose("score", ["judge/quality", "judge/style"])
    'judge/quality'
    """

    task: str | None = None
    score: str | None = None
    filter: str | None = None
    grade: Callable[..., Any] | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    levels: Mapping[str, float | None] = field(default_factory=dict)
    table: str | None = None
    query: str | None = None
    factors: tuple[str, ...] = ()
    several: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    normalize: Normalize | None = normalize_answer
    questions: Mapping[str | None, tuple[str, ...]] | None = None

    @classmethod
    def of(cls, fields: Fields | None, **options: Any) -> "Request":
        """Return the request with columns by role, of which some roles may have several."""
        if not isinstance(fields or {}, Mapping):
            raise ParameterError(f"{_ROLES_TO_COLUMNS}; got {fields!r}", argument="fields")
        several = {role: _texts(names) for role, names in (fields or {}).items() if role in SEVERAL}
        single = {role: name for role, name in (fields or {}).items() if role not in SEVERAL}
        return cls(fields=single, several=several, **options)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        if not (self.grade is None or callable(self.grade)):
            raise ParameterError(f"must be a function of one response; got {self.grade!r}", argument="grade")
        if not isinstance(self.fields, Mapping) or not all(
            isinstance(name, (str, type(None))) for name in self.fields.values()
        ):
            raise ParameterError(f"{_ROLES_TO_COLUMNS}; got {self.fields!r}", argument="fields")
        for role in self.fields:
            if role not in ROLES:
                raise ParameterError(f"has an {unknown('role', role, (*ROLES, *SEVERAL))}", argument="fields")
        if not isinstance(self.levels, Mapping) or not all(map(_is_reward, self.levels.values())):
            raise ParameterError(f"must map words to rewards, or to None; got {self.levels!r}", argument="levels")
        if len(set(self.factors)) < len(self.factors) or not all(isinstance(name, str) for name in self.factors):
            raise ParameterError(f"must be different names; got {list(self.factors)!r}", argument="factors")
        self._check_keep()
        for name in ("table", "query"):
            if not isinstance(getattr(self, name), (str, type(None))):
                raise ParameterError(f"must be text; got {getattr(self, name)!r}", argument=name)
        if self.table is not None and self.query is not None:
            raise ParameterError("cannot be combined with query, which names its tables itself", argument="table")

    def _check_keep(self) -> None:
        names = list(self.keep)
        if len(set(names)) < len(names) or not all(isinstance(name, str) and name for name in names):
            problem = f"must be 'answers', the name of a score, or several of these, all different; got {names!r}"
            raise ParameterError(problem, argument="keep")
        if not (self.normalize is None or callable(self.normalize)):
            problem = f"must be a function of one answer, or None; got {self.normalize!r}"
            raise ParameterError(problem, argument="normalize")
        if self.fields.get("answer") is not None and not self.keeps_answers:
            problem = "names a column of answers, which are read with keep='answers'"
            raise ParameterError(problem, argument="fields")

    def asked(self, task: str | None) -> Collection[str] | None:
        """Return the names of all questions of a task, None if the user does not say them."""
        if self.questions is None:
            return None
        names = self.questions.get(task, self.questions.get(None))
        if names is None:
            problem = f"has the questions of {shorten([*self.questions])}, and not those of task {task!r}"
            raise ParameterError(problem, argument="questions")
        return dict.fromkeys(names)

    @property
    def keeps_answers(self) -> bool:
        """Whether the answer of each trial is wanted."""
        return _ANSWERS in self.keep

    @property
    def kept_scores(self) -> tuple[str, ...]:
        """The names of the scores of each trial that are wanted."""
        return tuple(name for name in self.keep if name != _ANSWERS)

    @property
    def kept_options(self) -> set[str]:
        """What is wanted of each trial, as the options of formats call it: answers, and scores."""
        return {_ANSWERS} & set(self.keep) | ({"scores"} if self.kept_scores else set())

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

    def measure(self, offered: Collection[str], noun: str = "", usual: str | None = None) -> str:
        """Return the score that the user chose, else the ``usual`` one, else the only one; empty if none is offered."""
        if self.score is None and usual is not None:
            return usual
        return self.choose("score", offered, noun) if offered else ""

    @property
    def options(self) -> set[str]:
        """The names of the arguments that the user passed, with the roles of ``fields`` one by one."""
        values: dict[str, Any] = {"score": self.score, "filter": self.filter, "grade": self.grade}
        values |= {"levels": self.levels or None}
        values |= {"table": self.table, "query": self.query, "questions": self.questions}
        named = {name for name, value in values.items() if value is not None}
        return named | self.kept_options | set(self.fields) | set(self.several)


def choose(name: str | None, offered: Collection[str], argument: str, noun: str) -> str:
    """Return the one of the ``offered`` names that ``name`` stands for, or the only one if ``name`` is None."""
    if not offered:
        raise OutcomeError(f"there is no {noun}")
    if name is None:
        if len(offered) > 1:
            problem = f"there are several {noun}s, {shorten(offered)}"
            raise OutcomeError(problem, remedies=[Remedy.choice(argument, offered)])
        return next(iter(offered))
    matches = [each for each in offered if each == name] or [
        each for each in offered if each.rpartition("/")[2] == name
    ]
    if len(matches) > 1:
        raise OutcomeError(f"names {len(matches)} {noun}s: {shorten(matches)}", argument=f"{argument}={name!r}")
    if not matches:
        raise OutcomeError(unknown(noun, name, offered))
    return matches[0]


def _texts(names: Any) -> tuple[str, ...]:
    texts = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    if len(set(texts)) < len(texts) or not all(isinstance(name, str) for name in texts):
        raise ParameterError(f"{_ROLES_TO_COLUMNS}; got {names!r}", argument="fields")
    return texts


def _is_reward(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and abs(value) < math.inf)
