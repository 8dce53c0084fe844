"""BFCL, the Berkeley Function-Calling Leaderboard: a score file per model and category.

A score file (``score/MODEL/../BFCL_v4_CATEGORY_score.json``) is JSON lines: a summary, and every question that was
answered wrongly. All questions are in the result file of the same place in the folder ``result``, with the answers.
"""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..._base.words import pluralize
from ...errors import OutcomeError, within
from .. import At, Companion, Format, LogFile, Request, Run, Trial
from ..checks import conditions, shown

_SCORE, _RESULT = "_score.json", "_result.json"
_CATEGORY = re.compile(r"(?:(?P<version>BFCL_v\d+)_)?(?P<category>.+)_score\.json")
_FAILED = "Error during inference"  # how the text begins that stands for an answer if the call of the model failed
_COSTS = {"seconds": "latency", "input_tokens": "input_token_count", "output_tokens": "output_token_count"}
_OTHER_RUN = "the two files are of different runs, so evaluate the results again"
_ANSWERS = "BFCL's result files hold answers, not whether they are right: its score files are read with them"


class BfclFormat(Format):
    """Scores of BFCL."""

    name = "bfcl"
    companions = (
        Companion(lambda file: file.path.name.endswith(_RESULT) and file.first_row.has("id", "result"), _ANSWERS),
    )

    def matches(self, file: LogFile) -> bool:
        return file.path.name.endswith(_SCORE) and file.first_row.has("accuracy", "correct_count", "total_count")

    def read(self, file: LogFile, request: Request) -> Run:
        named = file.named(_CATEGORY)
        if not named:
            raise OutcomeError(f"the name of a score file must be that of a category, as BFCL_v4_multiple{_SCORE}")
        category, (model, path) = named["category"], _places(file.path)
        if not request.wants(category):
            return Run(model, [], task=category, model_from="folder")
        results, (summary, *rows) = LogFile(path), file.walk()
        wrong = _by_question(rows)
        with within(path):
            answers = _by_question(results.walk())
        _check(summary, wrong, answers)
        return Run(
            model,
            [_trial(question, row, wrong) for question, row in answers.items()],
            results.digest,
            category,
            model_from="folder",
            conditions=conditions(version=named.get("version")),
        )


def _places(path: Path) -> tuple[str, Path]:
    """Return the model, and the result file: in the folder ``result`` beside ``score``, or beside the score file."""
    name, whole = path.name.removesuffix(_SCORE) + _RESULT, path.resolve()
    root = next((folder for folder in whole.parents[1:] if folder.name == "score"), None)
    places, model = [path.with_name(name)], whole.parent.name
    if root is not None:
        place = whole.relative_to(root)
        places.insert(0, root.with_name("result") / place.with_name(name))
        model = place.parts[0]
    result = next((place for place in places if place.is_file()), None)
    if result is None:
        problem = "it lists only the questions that were answered wrongly; the others are in"
        raise OutcomeError(
            f"{problem} {name}, which is not there", hint="keep BFCL's folders score and result side by side"
        )
    return model, result


def _by_question(rows: Iterable[At]) -> dict[str, At]:
    by_question: dict[str, At] = {}
    for row in rows:
        if by_question.setdefault(row["id"].text, row) is not row:
            raise row.fault(f"question {row['id'].text!r} is there twice")
    return by_question


def _check(summary: At, wrong: dict[str, At], answers: dict[str, At]) -> None:
    """Check that both files are of one run."""
    total, correct = summary["total_count"].whole, summary["correct_count"].whole
    for question, row in wrong.items():
        if row["valid"].value is not False:
            raise row.fault(f"valid must be false in a list of wrong answers; got {shown(row['valid'].value)}")
        if question not in answers:
            raise OutcomeError(f"question {question!r} is not in the result file", hint=_OTHER_RUN)
    if total != len(answers):
        raise OutcomeError(f"total_count is {total}, but the result file has {len(answers)} questions", hint=_OTHER_RUN)
    if correct != total - len(wrong):
        problem = f"correct_count is {correct} of {total}, beside a list of {pluralize(len(wrong), 'wrong answer')}"
        raise OutcomeError(problem, hint="the score file is incomplete: evaluate the results again")


def _trial(question: str, row: At, wrong: dict[str, At]) -> Trial:
    """Return the trial of a question; one in which the call of the model failed has no outcome, whatever its score."""
    answer = row["result"].value
    is_lost = isinstance(answer, str) and answer.startswith(_FAILED)
    variant, _, original = question.rpartition(":")  # one question in several formats of the prompt
    totals = {name: _total(row[key].value) for name, key in _COSTS.items()}
    used = {name: total for name, total in totals.items() if not math.isnan(total)}
    outcome = None if is_lost else float(question not in wrong)
    return Trial(question, 0, outcome, original if variant else None, used=used)


def _total(value: Any) -> float:
    """Return the sum over all turns and steps; NaN if one of them is no number."""
    if isinstance(value, list):
        return sum(map(_total, value))
    return value if type(value) in (int, float) else math.nan
