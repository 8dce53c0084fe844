"""Answers in the details of lighteval, which store the mean outcome of a document's samples and not each of them.

Where some samples of a document succeeded and others did not, an outcome belongs to an answer if exactly as many
answers as succeeded are equal to a right choice of the document. Else which of them were right is not known, and the
answers are refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import OutcomeError, within
from .._records import Trial
from .._request import Request
from .._tabular.sql import ParquetTable
from .._walk import At

_PROCESSED, _TEXT = "model_response.text_post_processed", "model_response.text"
_EXTRACTED = "doc.specific.extracted_predictions"


class Answers(NamedTuple):
    """The answers of every document by its id, the right ones, and the columns where the answers are."""

    given: Mapping[str, Sequence[Any]]
    right: Mapping[str, frozenset[Any]]
    place: str


def answers_of(table: ParquetTable) -> Answers:
    """Return the answers of every document: those that a metric extracted if there is one sample, else the texts."""
    names = [name for name in (_EXTRACTED, _PROCESSED, _TEXT, "doc.choices", "doc.gold_index") if name in table.columns]
    given: dict[str, Sequence[Any]] = {}
    right: dict[str, frozenset[Any]] = {}
    for id_, *values, _ in table.values(["doc.id", *names]):
        own = dict(zip(names, values, strict=True))
        texts = own.get(_PROCESSED) or own.get(_TEXT) or []
        extracted = own.get(_EXTRACTED)
        document = At(id_, key="doc.id").text
        given[document] = extracted if isinstance(extracted, list) and len(texts) == len(extracted) == 1 else texts
        choices, gold = own.get("doc.choices") or [], own.get("doc.gold_index")
        places = gold if isinstance(gold, list) else [gold]
        right[document] = frozenset(choices[i] for i in places if isinstance(i, int) and 0 <= i < len(choices))
    return Answers(given, right, " or ".join(name for name in names if name in (_EXTRACTED, _PROCESSED, _TEXT)))


def trials_with_answers(trials: Sequence[Trial], answers: Answers, request: Request) -> tuple[list[Trial], list[Any]]:
    """Return one trial per sample, and the answer of each."""
    outcomes: dict[str, list[float | None]] = {}
    for trial in trials:
        outcomes.setdefault(trial.question, []).extend([trial.outcome] * trial.times)
    singles: list[Trial] = []
    given: list[Any] = []
    for question, own in outcomes.items():
        with within(f"document {question!r}"):
            texts = answers.given.get(question, ())
            ordered = _ordered(texts, own, answers.right.get(question, frozenset()), request)
        singles += [Trial(question, i, outcome) for i, outcome in enumerate(ordered)]
        given += [*texts, *[None] * (len(ordered) - len(texts))]
    return singles, given


def _ordered(
    texts: Sequence[Any], outcomes: list[float | None], right: frozenset[Any], request: Request
) -> list[float | None]:
    """Return the outcomes in the order of the answers."""
    present = [outcome for outcome in outcomes if outcome is not None]
    lost: list[float | None] = [None] * (len(outcomes) - len(present))
    if not texts or (len(set(present)) < 2 and len(texts) <= len(outcomes)):
        return [*present, *lost]
    alike = request.normalize or (lambda answer: answer)
    equal = {alike(each) for each in right}
    is_right = [alike(each) in equal for each in texts]
    if len(texts) != len(present) or sum(is_right) != sum(present):
        problem = f"asks for answers, and which of {len(texts)} samples were right was not stored"
        raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
    return [*map(float, is_right), *lost]
