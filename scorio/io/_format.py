"""The protocol of a log format."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from .._display.words import shorten
from ..errors import OutcomeError, ScorioError
from ._files import LogFile
from ._records import Run
from ._request import Request

FORESEEN = (ScorioError, OSError, RecursionError, MemoryError, Warning)  # what a format may raise


Layout = Callable[[LogFile], bool]  # whether a file has it


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
        files of this format. ``task`` is always allowed.
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


class ReaderError(OutcomeError):
    """The error of a format that failed on a file in a way that it does not foresee."""


def failed(names: Sequence[str], error: Exception) -> ReaderError:
    """Return the error of a format of this name that raised, say, a KeyError, from which it is to be raised."""
    text = f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
    hint = "the file is damaged, or of a version that the reader does not know"
    return ReaderError(f"the reader of format {shorten(names)} failed with {text}", hint=hint)
