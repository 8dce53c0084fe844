"""What saved counts tell of their questions: the score, and a mark of each input, by task.

It is the entry ``measured`` of a model's metadata. Marks are in the order of the sorted names of all questions.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ..outcomes import OutcomeMatrix
from ._records import Run

_WIDTH = 8  # letters of a mark
_NONE = "0" * _WIDTH  # the mark of a question without an input


def mark_of(text: str) -> str:
    """Return a short text that tells inputs apart."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=_WIDTH // 2).hexdigest()


def measured(runs: Sequence[Run], outcomes: OutcomeMatrix) -> dict[str, str]:
    """Return what runs of one model on a task tell of its questions; nothing if they tell nothing, or differ."""
    marks = {
        question: text if run.counted is not None else mark_of(text)
        for run in runs
        for question, text in run.fingerprints.items()
    }
    inputs = "".join(marks.get(name, _NONE) for name in _names(outcomes)) if marks else ""
    told = {(run.measure, bool(run.fingerprints)) for run in runs}
    return {"score": runs[0].measure, "inputs": inputs} if len(told) == 1 and told != {("", False)} else {}


def told(entry: Any, outcomes: OutcomeMatrix) -> tuple[str, dict[str, str]]:
    """Return the score, and the mark of each question with an input; nothing if other questions were added since."""
    about, names = entry if isinstance(entry, Mapping) else {}, _names(outcomes)
    score, inputs = (str(about.get(name) or "") for name in ("score", "inputs"))
    marks = [inputs[i : i + _WIDTH] for i in range(0, len(inputs), _WIDTH)]
    pairs: Iterable[tuple[str, str]] = zip(names, marks, strict=True) if len(marks) == len(names) else ()
    return score, {name: mark for name, mark in pairs if mark != _NONE}


def _names(outcomes: OutcomeMatrix) -> list[str]:
    return sorted(map(str, outcomes.questions or range(outcomes.n_questions)))
