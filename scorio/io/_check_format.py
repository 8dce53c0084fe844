"""The contract of formats, as a suite for those of plug-ins: ``check_format(MyFormat(), files, truth)``."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..outcomes import ROLES, SEVERAL
from ._files import LogFile
from ._format import Format
from ._outcome_table import question_trials
from ._reading import read
from ._sources import Sources, expand

Truth = Mapping[str, Mapping[str, Sequence[float | None]]]
_OPTIONS = {"score", "filter", "grade", "levels", "answers", "scores", *ROLES, *SEVERAL}
_FOREIGN = {
    "object.json": "{}",
    "nested.json": '[{"a": {"b": []}}]',
    "lines.jsonl": '{"a": 1}\n{"a": 2}\n',
    "table.csv": "question,correct\nq1,1\n",
    "words.txt": "just words\n",
    "bytes.bin": "\0\1\2",
}  # files that are not of the format


def check_format(format: Format, files: Sources, truth: Truth) -> None:
    r"""Raise an AssertionError that names the rule of :class:`scorio.io.Format` that a format breaks.

    Parameters
    ----------
    format
        An instance of the format.
    files
        Valid files of the format that can be read without further arguments: a path, a glob, a folder, or several.
    truth
        The rewards that the files hold, as in ``{"model": {"question": [1.0, 0.0, None]}}``: one entry per planned
        trial in any order, and None for a trial without an outcome.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio.io import Format, Run, Trial, lines_with
    >>> from scorio.testing import check_format
    >>> class LinesFormat(Format):
    ...     name = "lines"
    ...     layouts = (lines_with("ask", "good"),)
    ...
    ...     def read(self, file, request):
    ...         return Run("", [Trial(row["ask"].text, None, row["good"].to(request.outcome)) for row in file.walk()])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "m.jsonl")
    >>> _ = path.write_text('{"ask": "q1", "good": true}\n{"ask": "q1", "good": false}\n')
    >>> check_format(LinesFormat(), path, {"m": {"q1": [1.0, 0.0]}})

    """
    if not isinstance(format, Format):
        raise AssertionError(f"check_format takes an instance of scorio.io.Format; got {format!r}")  # noqa: TRY004
    with _rule(format, "the format has a name, and its options are arguments of read or roles of fields"):
        _require(isinstance(format.name, str) and bool(format.name.strip()) and format.options <= _OPTIONS)
    with _rule(format, "every file matches, or is a companion"):
        every = [LogFile(path) for path in expand(files)]
        logs = [file.path for file in every if (file.is_json or not format.is_json) and format.matches(file)]
        others = [file for file in every if file.path not in logs]
        _require(all(any(companion.matches(file) for companion in format.companions) for file in others))
    with _rule(format, "files of other kinds do not match"), tempfile.TemporaryDirectory() as folder:
        for name, content in _FOREIGN.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        _require(format.is_generic or not any(map(format.matches, map(LogFile, Path(folder).iterdir()))))
    with _rule(format, "the outcomes are the truth, in any order of the files"):
        expected = {
            model: {question: Counter(rewards) for question, rewards in questions.items()}
            for model, questions in truth.items()
        }
        for in_order in (logs, logs[::-1]):
            outcomes = read(in_order, format=format)
            trials = {
                model: {row.question: Counter(row.outcomes) for row in question_trials(matrix, model) if row.outcomes}
                for model, matrix in outcomes.items()
            }
            _require(trials == expected, f"read {trials}, expected {expected}")


@contextmanager
def _rule(form: Format, rule: str) -> Iterator[None]:
    """Name the format and the rule in an error for whatever happens."""
    try:
        yield
    except Exception as error:
        name = getattr(form, "name", type(form).__name__)
        raise AssertionError(f"{name}: {rule}: {error!r}") from error


def _require(is_kept: bool, otherwise: str = "it does not hold") -> None:
    if not is_kept:
        raise AssertionError(otherwise)
