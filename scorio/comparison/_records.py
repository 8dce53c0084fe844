"""Records of a series of runs: which of them are real.

A run sets a record if its score is the highest so far. Of many equal runs, the later ones go on setting records by
luck: the last of ``t`` equal runs does so with probability ``1 / t``. A record is real if the run is better than every
earlier one, so each of these comparisons must say so by itself, one-sided at the error of a date; their number needs no
correction, because one that is false makes the record false (an intersection-union test, Berger 1982). The dates share
the error rate equally, so that it holds for all records of a history together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..estimates import ONLY
from ..inference import Terms
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ._comparison import law_of
from ._two_models import PairTerms, compared, shared_questions


@dataclass(frozen=True, kw_only=True)
class HistoryTerms(Terms):
    """How runs are scored and compared: ``error`` is the probability of a false call in one comparison."""

    metric: Metric
    error: float


def on_shared_questions(one: OutcomeMatrix, other: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix] | None:
    """Return the outcomes of two runs on the questions of both; None if there is none."""
    if one.questions is None and other.questions is None:
        return (one, other) if one.n_questions == other.n_questions else None
    if one.questions is None or other.questions is None or not set(one.questions) & set(other.questions):
        return None
    first, second = shared_questions(one, other)
    return first, second


def p_of_record(outcomes: OutcomeMatrix, earlier: Sequence[OutcomeMatrix], terms: HistoryTerms) -> float | None:
    """Return the p-value of a run being no better than some earlier run with which it shares questions.

    None if it shares questions with none.
    """
    found = []
    for each in earlier:
        pair = on_shared_questions(outcomes, each)
        if pair is not None:
            asked = PairTerms(target=terms.target, prior=terms.prior, confidence=1.0 - terms.error, runs=terms.runs)
            result = compared(terms.metric, [terms.metric], {ONLY: pair}, {ONLY: 1.0}, asked).result
            found.append(float(law_of(result, terms.error / 2.0).p_at_most(0.0)))
    return max(found, default=None)
