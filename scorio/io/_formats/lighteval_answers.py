"""Answers in the details of lighteval, which store the mean outcome of a document's samples and not each of them.

Where some samples of a document succeeded and others did not, an outcome belongs to an answer if exactly as many
answers as succeeded are equal to a right choice of the document. Else which of them were right is not known, and the
answers are refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import OutcomeError, within
from .._tabular.parquet import ParquetTable
from . import At, Request, Trial, grouped

_EXTRACTED, _TEXTS = "doc.specific.extracted_predictions", "model_response.text_post_processed"
PLACES = (_EXTRACTED, _TEXTS, "model_response.text")  # the columns of answers


def with_answers(trials: Sequence[Trial], table: ParquetTable, request: Request) -> list[Trial]:
    """Return one trial per sample, with its answer."""
    answers = {document: (texts, right) for document, texts, right in _answers_of(table)}
    singles: list[Trial] = []
    for question, of_question in grouped(trials, lambda trial: trial.question).items():
        outcomes = [trial.outcome for trial in of_question for _ in range(trial.times)]
        texts, right = answers.get(question, ((), frozenset[Any]()))
        with within(f"document {question!r}"):
            ordered = _ordered(texts, outcomes, right, request)
        given = [*texts, *[None] * (len(ordered) - len(texts))]
        singles += [
            Trial(question, i, outcome, answer=answer)
            for i, (outcome, answer) in enumerate(zip(ordered, given, strict=True))
        ]
    return singles


def _answers_of(table: ParquetTable) -> Iterator[tuple[str, Sequence[Any], frozenset[Any]]]:
    """Yield each document, its answers and the right ones: what a metric extracted from one sample, else the texts."""
    names = [name for name in (*PLACES, "doc.choices", "doc.gold_index") if name in table.columns]
    for id_, *values, _ in table.values(["doc.id", *names]):
        by_column: Mapping[str, Any] = dict(zip(names, values, strict=True))
        extracted, texts = by_column.get(_EXTRACTED), by_column.get(_TEXTS) or by_column.get(PLACES[-1]) or []
        choices, gold = by_column.get("doc.choices") or [], by_column.get("doc.gold_index")
        places = gold if isinstance(gold, list) else [gold]
        right = frozenset(choices[i] for i in places if isinstance(i, int) and 0 <= i < len(choices))
        is_extracted = isinstance(extracted, list) and len(texts) == len(extracted) == 1
        yield At(id_, key="doc.id").text, (extracted or texts) if is_extracted else texts, right


def _ordered(
    texts: Sequence[Any], outcomes: list[float | None], right: frozenset[Any], request: Request
) -> list[float | None]:
    """Return the outcomes in the order of the answers."""
    present = [outcome for outcome in outcomes if outcome is not None]
    lost: list[float | None] = [None] * (len(outcomes) - len(present))
    if not texts or (len(set(present)) < 2 and len(texts) <= len(outcomes)):
        return [*present, *lost]
    alike = request.normalize or (lambda answer: answer)
    equal = {alike(answer) for answer in right}
    is_right = [alike(text) in equal for text in texts]
    if len(texts) != len(present) or sum(is_right) != sum(present):
        problem = f"asks for answers, and which of {len(texts)} samples were right was not stored"
        raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
    return [*map(float, is_right), *lost]
