"""The contract of formats, as a suite for those of plug-ins: ``check_format(MyFormat(), files, truth)``."""

import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import commonpath
from pathlib import Path
from typing import NamedTuple

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


class _Case(NamedTuple):
    format: Format
    paths: list[Path]
    truth: Truth

    @property
    def logs(self) -> list[Path]:
        """The files that are not companions."""
        return [path for path in self.paths if _is_of(self.format, LogFile(path))]


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
    case = _Case(format, list(expand(files)), truth)
    name = getattr(format, "name", type(format).__name__)
    for rule, is_kept in _RULES.items():
        try:
            kept = is_kept(case)
        except Exception as error:
            raise AssertionError(f"{name}: {rule}: {error!r}") from error
        if not kept:
            raise AssertionError(f"{name}: {rule}")


def _has_a_name(case: _Case) -> bool:
    return isinstance(case.format.name, str) and bool(case.format.name.strip()) and case.format.options <= _OPTIONS


def _knows_its_files(case: _Case) -> bool:
    companions = [companion.matches for companion in case.format.companions]
    files = map(LogFile, case.paths)
    return all(_is_of(case.format, file) or any(is_of(file) for is_of in companions) for file in files)


def _is_of(form: Format, file: LogFile) -> bool:
    return (file.is_json or not form.is_json) and form.matches(file)


def _leaves_other_files(case: _Case) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in _FOREIGN.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        return case.format.is_generic or not any(map(case.format.matches, map(LogFile, Path(folder).iterdir())))


def _meets_the_truth(case: _Case) -> bool:
    expected = {
        model: {question: Counter(rewards) for question, rewards in questions.items()}
        for model, questions in case.truth.items()
    }
    for paths in (case.logs, case.logs[::-1]):
        outcomes = read(paths, format=case.format)
        trials = {model: dict(_trials(matrix)) for model, matrix in outcomes.items()}
        if trials != expected:
            raise AssertionError(f"read {trials}, expected {expected}")
    return True


def _trials(matrix: OutcomeMatrix) -> Iterator[tuple[str, Counter[float | None]]]:
    """Yield the number of trials by reward per question; None counts planned trials without an outcome."""
    levels = matrix.levels or tuple(map(float, range(matrix.n_categories)))
    rows = zip(matrix.questions or (), matrix.counts.tolist(), matrix.planned_trials.tolist(), strict=True)
    for question, counts, planned in rows:
        trials: Counter[float | None] = Counter(dict(zip(levels, counts, strict=True)))
        trials[None] = planned - sum(counts)
        yield str(question), +trials


def _survives_damage(case: _Case) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(commonpath([path.resolve().parent for path in case.paths]))
        copies = [Path(folder, root.name, path.resolve().relative_to(root)) for path in case.paths]
        for path, copy in zip(case.paths, copies, strict=True):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        return all(_reads_or_refuses(case.format, copies, copy, damage) for copy in copies for damage in _damages(copy))


def _damages(path: Path) -> Iterator[bytes]:
    """Yield damaged contents of a file: cut off, with bytes changed, and with values of other kinds."""
    content = path.read_bytes()
    for i in range(1, _CUTS):
        at = len(content) * i // _CUTS
        yield from (content[:at], content[:at] + b"\xff\0" + content[at + 2 :])
    for old, new in _MIXED_UP:
        yield from (content.replace(old, new), content.replace(old, new, 1))
    for word in {part for part in content.split(b'"')[1::2] if len(part) < len(content) // 2}:
        yield content.replace(b'"' + word + b'"', b'"?"')


def _reads_or_refuses(form: Format, copies: Sequence[Path], path: Path, damage: bytes) -> bool:
    valid = path.read_bytes()
    path.write_bytes(damage)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a damaged file may deserve a warning
            read(copies, format=form)
    except ReaderError:
        raise
    except (OutcomeError, ParameterError) as error:
        return "\n" not in str(error)
    finally:
        path.write_bytes(valid)
    return True


_RULES: Mapping[str, Callable[[_Case], bool]] = {
    "the format has a name, and its options are arguments of read or roles of fields": _has_a_name,
    "every file matches, or is a companion": _knows_its_files,
    "files of other kinds do not match": _leaves_other_files,
    "the outcomes are the truth, in any order of the files": _meets_the_truth,
    "a damaged file is read, or refused with an OutcomeError of one line": _survives_damage,
}
