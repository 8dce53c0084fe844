"""The contract of formats, as a suite for those of plug-ins: ``check_format(MyFormat(), files, truth)``."""

import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os.path import commonpath
from pathlib import Path

from ..errors import OutcomeError, ParameterError
from ..outcomes import ROLES, SEVERAL, OutcomeMatrix
from ._files import LogFile
from ._format import Format, ReaderError
from ._reading import read
from ._sources import Sources, expand

Truth = Mapping[str, Mapping[str, Sequence[float | None]]]
_OPTIONS = {"score", "filter", "grade", "levels", "answers", "scores", *ROLES, *SEVERAL}
_CUTS = 8  # places where each file is cut off
_FOREIGN = {
    "object.json": "{}",
    "nested.json": '[{"a": {"b": []}}]',
    "lines.jsonl": '{"a": 1}\n{"a": 2}\n',
    "table.csv": "question,correct\nq1,1\n",
    "words.txt": "just words\n",
    "bytes.bin": "\0\1\2",
}  # files that are not of the format
_MIXED_UP = ((b'"', b""), (b"true", b"[]"), (b"1", b'"?"'), (b"0", b"null"), (b": ", b': {"a": '), (b"{", b"["))


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
    paths = list(expand(files))
    with _rule(format, "the format has a name, and its options are arguments of read or roles of fields"):
        _require(isinstance(format.name, str) and bool(format.name.strip()) and format.options <= _OPTIONS)
    with _rule(format, "every file matches, or is a companion"):
        logs = [path for path in paths if _is_of(format, LogFile(path))]
        others = [LogFile(path) for path in paths if path not in logs]
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
            trials = {model: dict(_trials(matrix)) for model, matrix in read(in_order, format=format).items()}
            _require(trials == expected, f"read {trials}, expected {expected}")
    with _rule(format, "a damaged file is read, or refused with an OutcomeError of one line"):
        _check_damaged(format, paths)


def _check_damaged(format: Format, paths: Sequence[Path]) -> None:
    """Damage a copy of each file in turn, and read all copies."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(commonpath([path.resolve().parent for path in paths]))
        copies = [Path(folder, root.name, path.resolve().relative_to(root)) for path in paths]
        for path, copy in zip(paths, copies, strict=True):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        for copy in copies:
            valid = copy.read_bytes()
            for damage in _damages(valid):
                copy.write_bytes(damage)
                _check_refusal(format, copies)
            copy.write_bytes(valid)


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


def _is_of(form: Format, file: LogFile) -> bool:
    return (file.is_json or not form.is_json) and form.matches(file)


def _trials(matrix: OutcomeMatrix) -> Iterator[tuple[str, Counter[float | None]]]:
    """Yield the number of trials by reward per question; None counts planned trials without an outcome."""
    levels = matrix.levels or tuple(map(float, range(matrix.n_categories)))
    rows = zip(matrix.questions or (), matrix.counts.tolist(), matrix.planned_trials.tolist(), strict=True)
    for question, counts, planned in rows:
        trials: Counter[float | None] = Counter(dict(zip(levels, counts, strict=True)))
        trials[None] = planned - sum(counts)
        yield str(question), +trials


def _damages(content: bytes) -> Iterator[bytes]:
    """Yield damaged contents of a file: cut off, with bytes changed, and with values of other kinds."""
    for i in range(1, _CUTS):
        at = len(content) * i // _CUTS
        yield from (content[:at], content[:at] + b"\xff\0" + content[at + 2 :])
    for old, new in _MIXED_UP:
        yield from (content.replace(old, new), content.replace(old, new, 1))
    for word in {part for part in content.split(b'"')[1::2] if len(part) < len(content) // 2}:
        yield content.replace(b'"' + word + b'"', b'"?"')


def _check_refusal(form: Format, paths: Sequence[Path]) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a damaged file may deserve a warning
            read(paths, format=form)
    except ReaderError:
        raise
    except (OutcomeError, ParameterError) as error:
        _require("\n" not in str(error), str(error))
