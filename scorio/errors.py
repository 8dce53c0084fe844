"""The errors of the library: both are ``ValueError`` and say what was wrong, where, and what to do."""

import functools
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

__all__ = [
    "AnswersWarning",
    "AxesWarning",
    "BiasWarning",
    "FilesWarning",
    "ForecastWarning",
    "LabelsWarning",
    "OutcomeError",
    "ParameterError",
    "PoolingWarning",
    "PriorWarning",
    "QuestionsWarning",
    "Remedy",
    "RunsWarning",
    "ScorioError",
    "TrialsWarning",
    "explained",
    "within",
    "without_exit",
]
_P = ParamSpec("_P")
_T = TypeVar("_T")


_SKIP = "skip_bad"  # which comes after what mends the fault
_CHOICE = "chooses the first"  # what a call does that chooses one of several


class Remedy(NamedTuple):
    """An argument that would help: ``Remedy("missing", "omit", "leaves them out")``."""

    argument: str
    value: Any
    effect: str

    @classmethod
    def choice(cls, argument: str, offered: Iterable[Any]) -> "Remedy":
        """Return the call that chooses the first of several: an example that can be copied and changed."""
        return cls(argument, next(iter(offered)), _CHOICE)

    @property
    def is_choice(self) -> bool:
        """Whether the call chooses one of several."""
        return self.effect == _CHOICE


class ScorioError(ValueError):
    """An error in parts, from which Python and the command line each make their text.

    ``problem`` says what is wrong; ``argument`` is the argument it is about, with which the text begins; ``where`` is
    a file, line or model; ``remedies`` are arguments that would help; ``hint`` is any other advice.
    """

    def __init__(
        self,
        problem: str,
        *,
        argument: str | None = None,
        where: str | None = None,
        remedies: Iterable[Remedy] = (),
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.argument = argument
        self.where = where
        self.remedies: tuple[Remedy, ...] = tuple(remedies)
        self.hint = hint
        super().__init__(self.text())

    def text(self, spell: Callable[[str, Any], str] | None = None) -> str:
        """Return the whole text; ``spell`` writes an argument and its value (``None`` for the argument alone)."""
        spell = spell or _spell
        words = f"{spell(self.argument, None)} {self.problem}" if self.argument else self.problem
        ways = [(way.argument == _SKIP, f"{spell(way.argument, way.value)} {way.effect}") for way in self.remedies]
        ways += [(False, self.hint)] if self.hint else []
        advice = [text for _, text in sorted(ways, key=itemgetter(0))]
        place = f"{self.where}: " if self.where else ""
        return place + words + (f": {'; '.join(advice)}" if advice else "")

    def changed(self, **parts: Any) -> Self:
        """Return the same error with other parts, by the names of the arguments."""
        return type(self)(**self._parts | parts)

    @property
    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("problem", "argument", "where", "remedies", "hint")}

    def at(self, place: str) -> Self:
        """Return the same error with a place before the one it has."""
        return self.changed(where=f"{place}: {self.where}" if self.where else place)

    def called(self, argument: str) -> Self:
        """Return the same error about the argument by another name."""
        return self.changed(argument=argument)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._parts)


def _spell(argument: str, value: Any) -> str:
    return argument if value is None else f"{argument}={value!r}".replace("'", '"')


def _rebuild(error: type[ScorioError], parts: dict[str, Any]) -> ScorioError:
    return error(**parts)


class OutcomeError(ScorioError):
    """Outcomes, counts or labels that cannot be what they are said to be."""


class ParameterError(ScorioError):
    """A parameter outside its domain."""


class within:  # noqa: N801 - reads as part of a statement, and costs less than a generator would
    """Add a place to every ``OutcomeError`` that is raised inside the block: ``with within("line 7"): ...``."""

    __slots__ = ("_place",)

    def __init__(self, place: object) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OutcomeError):
            raise error.at(str(self._place)) from error.__cause__


class PriorWarning(UserWarning):
    """A prior that was given is contradicted by the outcomes; the message says what to write instead."""


class AxesWarning(UserWarning):
    """There are so many more trials than questions that the axes may be swapped."""


class QuestionsWarning(UserWarning):
    """Two models have different questions, names of questions or models look alike, or few clusters decide."""


class BiasWarning(UserWarning):
    """The number is computed as asked, but it is biased on data like these."""


class LabelsWarning(UserWarning):
    """The labels of people that correct a judge are too few, or evidently no random sample."""


class TrialsWarning(UserWarning):
    """The numbers of trials of the questions are related to their success rates, or a model has no outcome at all."""


class FilesWarning(UserWarning):
    """Files may hold outcomes that are not read, or mean them otherwise, or lack costs that are known."""


class ForecastWarning(UserWarning):
    """A forecast rests on questions that were never solved, or on so few trials that it is a guess."""


class RunsWarning(UserWarning):
    """Runs differ by more than trials explain, or share no question, and the interval takes trials as independent."""


class AnswersWarning(UserWarning):
    """An answer is right in one trial of a question and wrong in another, so that a vote for it is neither."""

    advice = (
        "A vote takes it for one answer, so that its outcome depends on the trial: check whether the grader judges more"
        " than the answer, whether these are the answers of the model, and whether normalize= takes answers for equal"
        " that are not"
    )


class PoolingWarning(UserWarning):
    """Rows that differ in a column such as a prompt count as repeated trials, because the column is not used."""


def explained(hint: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Return a decorator that adds a hint to the TypeError of a call whose arguments do not fit.

    >>> explained("it takes one number")(abs)(1, 2)
    Traceback (most recent call last):
    TypeError: abs() takes exactly one argument (2 given): it takes one number
    """

    def decorated(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(function)
        def call(*args: _P.args, **named: _P.kwargs) -> _T:
            try:
                return function(*args, **named)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is None:  # not from within the function
                    raise TypeError(f"{error}: {hint}") from None
                raise

        return call

    return decorated


def without_exit(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return the function of a user so that ``sys.exit`` in it is an error: no answer may look like a success.

    >>> without_exit(exit)()
    Traceback (most recent call last):
    RuntimeError: Quitter ended the program by SystemExit(None): it must return a value, or raise an error
    """

    @functools.wraps(function)
    def call(*args: _P.args, **named: _P.kwargs) -> _T:
        try:
            return function(*args, **named)
        except SystemExit as error:
            name = getattr(function, "__qualname__", type(function).__name__)
            problem = f"{name} ended the program by SystemExit({error.code!r})"
            raise RuntimeError(f"{problem}: it must return a value, or raise an error") from error

    return call
