"""The protocol of a log format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ._files import LogFile
from ._records import Run
from ._request import Request


@dataclass(frozen=True)
class Companion:
    """A kind of file that a tool writes beside its outcomes, and the reason why it is not read."""

    matches: Callable[[LogFile], bool]
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
    options
        The arguments of ``read`` that the format takes into account, of "metric", "filter", "score", "levels" and the
        roles of ``fields``. Other arguments are refused for files of this format. ``task`` is always allowed.
    companions
        Files that the tool writes beside its outcomes. They are skipped, and the reason is shown.
    is_generic
        Whether files of many origins match, as for tables: generic formats are tried last, and a file that does not
        fit is skipped if it lies beside files of other formats.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from scorio.io import Format, Run, Trial, read
    >>> class QuizFormat(Format):
    ...     name = "quiz"
    ...
    ...     def matches(self, file):
    ...         return isinstance(file.document, dict) and "quiz" in file.document
    ...
    ...     def read(self, file, request):
    ...         log = file.document
    ...         trials = [Trial(row["id"], row["try"], request.outcome(row["right"])) for row in log["answers"]]
    ...         return [Run(log["model"], trials, identity=file.digest, task=log["quiz"])]
    >>> path = pathlib.Path(tempfile.mkdtemp(), "quiz.json")
    >>> answers = [{"id": "q1", "try": 0, "right": True}, {"id": "q1", "try": 1, "right": False}]
    >>> _ = path.write_text(json.dumps({"quiz": "sums", "model": "a", "answers": answers}))
    >>> read(path, format=QuizFormat())["a"]
    OutcomeMatrix(1 question x 2 trials, binary)

    """

    name: ClassVar[str]
    options: ClassVar[frozenset[str]] = frozenset()
    companions: ClassVar[tuple[Companion, ...]] = ()
    is_generic: ClassVar[bool] = False

    @abstractmethod
    def matches(self, file: LogFile) -> bool:
        """Return whether a file is of this format, by its content."""

    @abstractmethod
    def read(self, file: LogFile, request: Request) -> Sequence[Run]:
        """Return the runs in a file, one per model and task.

        A task that the user does not want (``request.wants``) may be returned without its trials. A file that cannot
        be read raises an ``OutcomeError``.
        """
