"""Claims about models: which of them the outcomes show, or show to be wrong, at one error rate over all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from .._base.arrays import underflow_is_zero
from .._base.exports import Record
from .._base.numbers import chance, percent, times_as_many
from .._base.table import Field
from .._base.words import pluralize, tally
from ..errors import ParameterError
from ..estimates import estimate, parse_statement
from ..estimates._difference_law import DifferenceLaw
from ..estimates._tasks import as_models, default_metric
from ..inference._level import Level
from ..metrics import Metric
from ..metrics._registry import as_metric
from ._verdicts import CHANCE, MOST_EFFORT, UNDECIDED, VERDICTS, Case, Judged, decided, error_of, worst_of


@dataclass(frozen=True)
class ClaimVerdict(Record):
    """What the outcomes say of a claim: it is ``"passed"`` if they show it, and ``"failed"`` if they show it is wrong.

    ``p_passed`` is the error probability of saying that it holds, ``p_failed`` of saying that it does not, and
    ``p_corrected`` the smaller one, corrected for the number of claims. ``effort`` is how many times as many trials
    would decide an undecided claim with 80% probability, if the true differences are the present ones; None if it is
    decided, or if no realistic number is enough.
    """

    claim: str
    p_passed: float
    p_failed: float
    p_corrected: float
    verdict: str
    effort: float | None

    @property
    def needs(self) -> str:
        """What would decide the claim, in words."""
        if self.verdict != UNDECIDED:
            return ""
        if self.effort is None:
            return "too close to tell at any realistic cost"
        return f"about {times_as_many(self.effort)} trials would decide it"


@dataclass(frozen=True)
class Claims(Judged):
    """The verdicts about all claims: any wrong one has a probability of at most ``1 - confidence``."""

    metric: str
    rows: tuple[ClaimVerdict, ...]
    confidence: float
    _also: ClassVar = ("verdict", "exit_code")
    _columns: ClassVar = (
        Field("claim", of="claim"),
        Field("verdict", of="verdict"),
        Field("p corrected", True, "p_corrected", chance),
        Field("needs", of="needs", form=lambda needs: needs or "-"),
    )

    @property
    def verdict(self) -> str:
        """``"failed"`` if any claim is, else ``"undecided"`` if any is, else ``"passed"``."""
        return worst_of(row.verdict for row in self.rows)

    def __str__(self) -> str:
        counts = tally((row.verdict for row in self.rows), VERDICTS)
        return f"{pluralize(len(self.rows), 'claim')} by {self.metric}: {counts}"

    def _cases(self) -> list[Case]:
        told = [(row, "; ".join(filter(None, [row.verdict, row.needs]))) for row in self.rows]
        return [Case("claims", row.claim, row.verdict, text) for row, text in told]

    def _notes(self) -> list[str]:
        return [f"all verdicts hold together with {percent(self.confidence)} confidence (Holm)"]


@underflow_is_zero
def check_claims(
    claims: str | Iterable[str],
    outcomes: Any,
    *,
    metric: Metric | str | None = None,
    confidence: float = 0.95,
    target: str = "questions",
) -> Claims:
    """Say of each claim whether the outcomes show it, show that it is wrong or leave it open, at one error rate.

    A claim is arithmetic of models and numbers, such as ``"new > 0.95 * old"`` or ``"new > 0.55"``; names that are not
    those of Python stand in backticks. Models are compared as by ``compare``, with one-sided tests. Any verdict is
    wrong with a probability of at most ``1 - confidence`` (Holm).

    >>> R = {"A": [[1, 1, 1, 1]] * 9, "B": [[1, 0, 1, 0]] * 9, "C": [[0, 1, 1, 0]] * 9}
    >>> result = check_claims(["A > B + 0.02", "C > A", "B > C"], R)
    >>> [row.verdict for row in result.rows], result.exit_code
    (['passed', 'failed', 'undecided'], 1)
    """
    models, error = as_models(outcomes), error_of(confidence)
    texts = [claims] if isinstance(claims, str) else list(claims) if isinstance(claims, Iterable) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        problem = f"must be one text or several; got {claims!r}"
        raise ParameterError(problem, argument="claims", hint="such as 'new > 0.95 * old'")
    matrices = [outcomes for of_task in models.by_task.values() for outcomes in of_task.values()]
    chosen = default_metric(matrices) if metric is None else as_metric(metric)
    level = Level(1.0 - 2.0 * error / len(texts))
    board = estimate(chosen, models, target=target, confidence=level.confidence)
    laws = [parse_statement(text, board).law(level) for text in texts]
    p_passed, p_failed = [law.p_at_most(0.0) for law in laws], [law.p_at_least(0.0) for law in laws]
    numbers = zip(texts, laws, p_passed, p_failed, *decided(p_passed, p_failed, error), strict=True)
    rows = tuple(
        ClaimVerdict(text, passed, failed, corrected, verdict, _effort(law) if verdict == UNDECIDED else None)
        for text, law, passed, failed, corrected, verdict in numbers
    )
    return Claims(str(chosen), rows, confidence)


def _effort(law: DifferenceLaw) -> float | None:
    effort = law.effort(0.0, CHANCE)
    return effort if 1.0 < effort <= MOST_EFFORT else None
