"""BFCL, the Berkeley Function-Calling Leaderboard: a score file per model and category.

A score file (``score/MODEL/../BFCL_v4_CATEGORY_score.json``) is JSON lines: a summary, and every question that was
answered wrongly. All questions are in the result file of the same place in the folder ``result``, with the answers.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..._display.words import pluralize
from ...errors import OutcomeError
from .._files import LogFile
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from ..checks import by_trial, items, label, shown, spent, sums, whole, within

_SUMMARY = ("accuracy", "correct_count", "total_count")
_SCORE, _RESULT = "_score.json", "_result.json"
_CATEGORY = re.compile(r"(?:(?P<version>BFCL_v\d+)_)?(?P<category>.+)_score\.json")
_FAILED = "Error during inference"  # how the text begins that stands for an answer if the call of the model failed
_OTHER_RUN = "the two files are of different runs, so evaluate the results again"


class BfclFormat(Format):
    """Scores of BFCL."""

    name = "bfcl"
    companions = (
        Companion(
            lambda file: file.path.name.endswith(_RESULT) and file.row_has_keys("id", "result"),
            "BFCL's result files hold answers, not whether they are right: its score files are read, with the result"
            " files beside them",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return file.path.name.endswith(_SCORE) and file.row_has_keys(*_SUMMARY)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        version, category = _category(file.path)
        results = LogFile(_result_path(file.path))
        if not request.wants(category):
            return [Run(_model(file.path), [], file.digest, category, model_from="folder")]
        wrong = _wrong(file)
        answers = _answers(results)
        _check(file, wrong, answers)
        used = [_used(row) for row in answers.values()]
        return [
            Run(
                _model(file.path),
                [_trial(question, row, wrong) for question, row in answers.items()],
                results.digest,
                category,
                model_from="folder",
                conditions={"version": version} if version else {},
                origin=sums(used),
                trial_costs=by_trial(used),
            )
        ]


def _category(path: Path) -> tuple[str | None, str]:
    found = _CATEGORY.fullmatch(path.name)
    if found is None:
        raise OutcomeError(f"the name of a score file must be that of a category, as BFCL_v4_multiple{_SCORE}")
    return found["version"], found["category"]


def _folders(path: Path) -> tuple[Path, Path] | None:
    """Return the folder ``score`` that a score file is in, and the file's place in it; None if there is none."""
    path = path.resolve()
    root = next((folder for folder in path.parents if folder.name == "score"), None)
    place = None if root is None else path.relative_to(root)
    return (root, place) if root is not None and place is not None and len(place.parts) > 1 else None


def _model(path: Path) -> str:
    folders = _folders(path)
    return folders[1].parts[0] if folders else path.resolve().parent.name


def _result_path(path: Path) -> Path:
    """Return the path of the result file: in the folder ``result`` beside ``score``, or beside the score file."""
    name = path.name.removesuffix(_SCORE) + _RESULT
    folders = _folders(path)
    places = [path.with_name(name)]
    if folders:
        places.insert(0, folders[0].with_name("result") / folders[1].with_name(name))
    found = next((each for each in places if each.is_file()), None)
    if found is None:
        problem = (
            f"it lists only the questions that were answered wrongly; the others are in {name}, which is not there"
        )
        raise OutcomeError(problem, hint="keep BFCL's folders score and result side by side")
    return found


def _wrong(file: LogFile) -> set[str]:
    """Return the questions that were answered wrongly."""
    wrong: set[str] = set()
    for place, row in list(file.records())[1:]:
        with within(place):
            if row.get("valid") is not False:
                raise OutcomeError(f"valid must be false in a list of wrong answers; got {shown(row.get('valid'))}")
            question = label(row.get("id"), "id")
            if question in wrong:
                raise OutcomeError(f"question {question!r} is there twice")
            wrong.add(question)
    return wrong


def _answers(results: LogFile) -> dict[str, dict[str, Any]]:
    """Return the rows of the result file by question."""
    answers: dict[str, dict[str, Any]] = {}
    with within(results.path):
        for place, row in results.records():
            with within(place):
                question = label(row.get("id"), "id")
                if question in answers:
                    raise OutcomeError(f"question {question!r} is there twice")
                answers[question] = row
    return answers


def _check(file: LogFile, wrong: set[str], answers: dict[str, dict[str, Any]]) -> None:
    """Check that both files are of one run."""
    summary = file.first_row
    total, correct = (whole(summary.get(name), name) for name in ("total_count", "correct_count"))
    unknown = next(iter(wrong - answers.keys()), None)
    if unknown is not None:
        raise OutcomeError(f"question {unknown!r} is not in the result file", hint=_OTHER_RUN)
    if total != len(answers):
        raise OutcomeError(f"total_count is {total}, but the result file has {len(answers)} questions", hint=_OTHER_RUN)
    if correct != total - len(wrong):
        problem = f"correct_count is {correct} of {total}, beside a list of {pluralize(len(wrong), 'wrong answer')}"
        raise OutcomeError(problem, hint="the score file is incomplete: evaluate the results again")


def _trial(question: str, row: dict[str, Any], wrong: set[str]) -> Trial:
    """Return the trial of a question; one in which the call of the model failed has no outcome, whatever its score."""
    answer = row.get("result")
    is_lost = isinstance(answer, str) and answer.startswith(_FAILED)
    variant, _, original = question.rpartition(":")  # one question in several formats of the prompt
    return Trial(question, 0, None if is_lost else float(question not in wrong), original if variant else None)


def _used(row: dict[str, Any]) -> dict[str, float]:
    names = {"seconds": "latency", "input_tokens": "input_token_count", "output_tokens": "output_token_count"}
    return spent(**{name: _total(row.get(key)) for name, key in names.items()})


def _total(value: Any) -> Any:
    """Return the sum of the numbers of all turns and steps; None if something else is there."""
    if not isinstance(value, list):
        return value
    numbers = list(_numbers(value))
    return sum(numbers) if all(type(each) in (int, float) for each in numbers) else None


def _numbers(value: list[Any]) -> Iterator[Any]:
    for each in items(value, "a cost"):
        if isinstance(each, list):
            yield from _numbers(each)
        else:
            yield each
